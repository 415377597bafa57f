"""What works here and what does not, as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at.

    Attributes:
        message: what was found, one sentence.
        remedy: what to do about it; empty when all is well.
        is_essential: whether Honeyguide cannot do its main job without it.
    """

    name: str
    ok: bool
    message: str
    remedy: str = ""
    is_essential: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "name": self.name,
            "ok": self.ok,
            "message": self.message,
            "remedy": self.remedy,
            "essential": self.is_essential,
        }


@dataclass(frozen=True, slots=True)
class DoctorReport:
    """All checks."""

    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether everything essential works."""
        return all(check.ok for check in self.checks if check.is_essential)

    def to_json(self) -> dict[str, Any]:
        """Return ``{"ok", "checks"}``."""
        return {"ok": self.ok, "checks": [check.to_json() for check in self.checks]}
