"""How often each detector of corrections is right, by a person's verdicts, and when one switches itself off."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

LOWEST_PRECISION = 0.5
FEWEST_VERDICTS = 10


@dataclass(frozen=True, slots=True)
class DetectorPrecision:
    """What a person said of one detector's suggestions.

    Attributes:
        detector: its name.
        confirmed: suggestions accepted, edited ones included.
        dismissed: suggestions turned down.
    """

    detector: str
    confirmed: int = 0
    dismissed: int = 0

    @property
    def verdicts(self) -> int:
        """How many suggestions were judged."""
        return self.confirmed + self.dismissed

    @property
    def precision(self) -> float | None:
        """The share of judged suggestions that were right; ``None`` before the first verdict."""
        return self.confirmed / self.verdicts if self.verdicts else None

    @property
    def is_switched_off(self) -> bool:
        """Whether it fell under ``LOWEST_PRECISION`` over at least ``FEWEST_VERDICTS`` verdicts."""
        return self.verdicts >= FEWEST_VERDICTS and self.confirmed < LOWEST_PRECISION * self.verdicts

    @property
    def sentence(self) -> str:
        """One sentence for a list: how it does, and whether it is off."""
        if self.precision is None:
            return "No verdicts yet."
        rate = f"{self.confirmed} of {self.verdicts} right ({self.precision:.0%})."
        return f"{rate} Switched off: it was wrong too often." if self.is_switched_off else rate


def switched_off(records: Iterable[DetectorPrecision]) -> frozenset[str]:
    """Return the names of the detectors that must stay silent."""
    return frozenset(record.detector for record in records if record.is_switched_off)
