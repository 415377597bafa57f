"""The shelf audit, and the agents that were found, as they are shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from honeyguide.prompts import audit


@dataclass(frozen=True, slots=True)
class FindingRow:
    """One thing to look at.

    Attributes:
        severity: ``error``, ``warning`` or ``info``.
        place: ``file:line``.
        why: why it matters.
        fix: what a safe one-line fix would do; ``None`` where there is none.
    """

    severity: str
    code: str
    place: str
    path: str
    line: int
    message: str
    why: str
    fix: str | None = None
    before: str = ""
    after: str = ""
    quotes: tuple[tuple[str, int, str], ...] = ()


@dataclass(frozen=True, slots=True)
class AuditReport:
    """What an audit found.

    Attributes:
        findings: errors first, then by place.
        files: how many files were looked at.
        skipped: what could not be looked at, and why.
        made_at: ISO 8601 UTC.
    """

    findings: tuple[FindingRow, ...]
    files: int
    skipped: tuple[tuple[str, str], ...]
    made_at: str
    _source: audit.AuditReport

    @property
    def counts(self) -> dict[str, int]:
        """How many findings of each severity."""
        return self._source.counts

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        data = audit.to_json(self._source)
        for finding, row in zip(data["findings"], self.findings, strict=True):
            finding["place"] = row.place
        skipped = [{"path": path, "reason": reason} for path, reason in self.skipped]
        return {**data, "skipped": skipped, "made_at": self.made_at}

    def to_html(self) -> str:
        """Return a page that stands alone."""
        return audit.to_html(self._source, made_at=self.made_at)


@dataclass(frozen=True, slots=True)
class FoundAgent:
    """A usual place in which a program keeps prompts or history; nothing in it was read.

    Attributes:
        program: whose it is.
        kind: ``prompts`` or ``history``.
        count: how many files of that kind its listing shows.
        bytes: how large they are together.
    """

    program: str
    path: str
    kind: str
    count: int
    bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "program": self.program,
            "path": self.path,
            "kind": self.kind,
            "count": self.count,
            "bytes": self.bytes,
        }
