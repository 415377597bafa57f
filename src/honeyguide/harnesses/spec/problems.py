"""What is wrong with a harness, where, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding.

    Attributes:
        code: stable name, e.g. ``unknown-field``, ``missing-file``.
        path: the place in the document, e.g. ``tools.2.commands``; empty for the whole.
        message, remedy: one sentence each.
        line, column: from 1; 0 when the document has no such place.
        severity: an ``error`` keeps hiveloom from loading the folder.
    """

    code: str
    path: str
    message: str
    remedy: str
    line: int = 0
    column: int = 0
    severity: Severity = "error"

    def to_json(self) -> dict[str, object]:
        """Return the problem as ``harness validate --json`` prints it."""
        return {
            "code": self.code,
            "severity": self.severity,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "message": self.message,
            "remedy": self.remedy,
        }
