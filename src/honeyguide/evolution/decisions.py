"""The decision log: what the search decided and on which numbers, in logical order, the same for the same seed.

A record holds no clock, id of a run, latency or price; those stand beside the log, never in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from honeyguide.kernel.canonical import canonical_json, sha256_hex

DIGITS = 9
"""Decimal places of numbers in the log."""


@dataclass(slots=True)
class DecisionLog:
    """An append-only list of records, each ``{"n", "decision", …}``."""

    _lines: list[str] = field(default_factory=list)

    def add(self, decision: str, **facts: Any) -> None:
        """Append a record. ``facts`` are plain JSON values; floats are rounded to ``DIGITS`` places."""
        self._lines.append(canonical_json({"n": len(self._lines), "decision": decision, **_rounded(facts)}))

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def to_text(self) -> str:
        """Return the log as JSON lines, each ended by a line feed."""
        return "".join(f"{line}\n" for line in self._lines)

    @property
    def sha256(self) -> str:
        """The hash of ``to_text``."""
        return sha256_hex(self.to_text())


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS) + 0.0
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(item) for item in value]
    return value
