"""What is wrong or risky about a carrier: its frontmatter, its byte order mark, its encoding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from honeyguide.prompts.fixes import SafeFix

Severity = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class CarrierFinding:
    """One fault of a file's carrier.

    Attributes:
        severity: ``error`` when the program that loads the file does not get what the author meant.
        code: stable name, e.g. ``frontmatter-broken``.
        line: 1-based.
        message: what is wrong, with the name of the key.
        why: why it matters.
        fix: a separate one-line fix, tried, where one is safe.
    """

    severity: Severity
    code: str
    line: int
    message: str
    why: str
    fix: SafeFix | None = None
