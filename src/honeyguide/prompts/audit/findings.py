"""What the shelf audit says: findings, each with its place, its reason, and a fix where one is safe."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.prompts.carriers.findings import Severity
from honeyguide.prompts.fixes import SafeFix

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Quote:
    """A line of a file, word for word, that shows what a finding says."""

    path: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at.

    Attributes:
        severity: ``error``: a program does not get what the author meant; ``warning``: it may not; ``info``: good to
            know.
        code: stable name.
        path, line: where; lines are 1-based.
        message: what is the matter, in one sentence.
        why: why it matters.
        fix: a one-click fix where one is safe.
        quotes: the lines that prove it, for findings that rest on what two texts say.
    """

    severity: Severity
    code: str
    path: str
    line: int
    message: str
    why: str
    fix: SafeFix | None = None
    quotes: tuple[Quote, ...] = ()


def order(finding: Finding) -> tuple[int, str, int, str, str]:
    """Sort findings: errors first, then by place; the message makes the order the same every time."""
    return (SEVERITIES.index(finding.severity), finding.path, finding.line, finding.code, finding.message)
