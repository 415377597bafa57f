"""Targets as they are listed and shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from honeyguide.prompts.targets import TargetRef


@dataclass(frozen=True, slots=True)
class TargetRow:
    """One line of the list of targets.

    Attributes:
        path: the target's own file, or its override when there is one; ``None`` while the built-in text is live.
        chars: characters of the live text.
        limit: the size gate, in UTF-16 code units; ``None`` when only the program's own limits hold.
        traces: how many traces speak about it.
        last_run: when the newest attempt began; ``None`` when there was none.
        origin: ``base``, ``override`` or ``file``.
        together: targets that stand with it in every run, each ``KIND:NAME``.
    """

    ref: TargetRef
    path: str | None
    chars: int
    limit: int | None
    traces: int
    last_run: str | None
    origin: str
    title: str
    description: str = ""
    icon: str = ""
    together: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "name": self.ref.name,
            "kind": self.ref.kind.value,
            "path": self.path,
            "chars": self.chars,
            "limit": self.limit,
            "traces": self.traces,
            "last_run": self.last_run,
            "origin": self.origin,
            "title": self.title,
            "description": self.description,
            "icon": self.icon,
            "together": list(self.together),
        }


@dataclass(frozen=True, slots=True)
class LockRow:
    """A passage that has to stay; ``line`` is where it begins in the text, from 1, or ``None`` when it is gone."""

    id: str
    text: str
    line: int | None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"id": self.id, "text": self.text, "line": self.line}


@dataclass(frozen=True, slots=True)
class LimitUse:
    """How much of a limit is used, counted as the program counts."""

    name: str
    used: int
    limit: int
    unit: str
    state: str
    sentence: str

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "name": self.name, "used": self.used, "limit": self.limit, "unit": self.unit, "state": self.state,
            "sentence": self.sentence,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class TargetDetail:
    """One target with its live text."""

    row: TargetRow
    text: str
    sha256: str
    variables: tuple[str, ...]
    locks: tuple[LockRow, ...]
    limits: tuple[LimitUse, ...]
    findings: tuple[str, ...]
    encoding: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            **self.row.to_json(),
            "text": self.text,
            "sha256": self.sha256,
            "variables": list(self.variables),
            "locks": [lock.to_json() for lock in self.locks],
            "limits": [limit.to_json() for limit in self.limits],
            "findings": list(self.findings),
            "encoding": self.encoding,
        }
