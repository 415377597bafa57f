"""The whole texts of combinations: what is measured and deployed, how it is told apart, and whether it may be tried."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.racing.texts import TextParts
from honeyguide.evolution.search import InstructionTask
from honeyguide.kernel.canonical import sha256_hex

REMEMBERED = 64
"""Whole texts that are at hand: about those that are under way."""


@dataclass(slots=True)
class Wholes:
    """Puts parts together once, and asks the gates of each text once."""

    task: InstructionTask
    parts: TextParts
    first_failed_gate: Callable[[str], GateResult | None]
    _at_hand: dict[tuple[str, ...], tuple[str, str]] = field(default_factory=dict)
    _verdicts: dict[str, bool] = field(default_factory=dict)

    def of(self, parts: tuple[str, ...]) -> tuple[str, str]:
        """Return the whole text of ``parts``, and its hash."""
        known = self._at_hand.get(parts)
        if known is None:
            text = self.task.whole(self.parts.join(parts))
            if len(self._at_hand) >= REMEMBERED:
                del self._at_hand[next(iter(self._at_hand))]
            known = self._at_hand[parts] = text, sha256_hex(text)
        return known

    def key(self, parts: tuple[str, ...]) -> str:
        """Return the hash alone."""
        return self.of(parts)[1]

    def may_try(self, parts: tuple[str, ...]) -> bool:
        """Whether the text passes the gates."""
        text, key = self.of(parts)
        known = self._verdicts.get(key)
        if known is None:
            known = self._verdicts[key] = self.first_failed_gate(text) is None
        return known
