"""What could be measured further of a proposal that is not decided yet."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ProofOutlook:
    """How the evidence of a proposal can go on.

    Attributes:
        measured: unseen cases that were measured.
        fresh, fresh_calls: unseen cases that were not, and the most calls they take; the same evidence goes on.
        repeats, more_repeats, repeats_calls: verdicts per case, how many would help, and what those take; a new look.
        advice: what would likely decide it, in words.
        more_examples: how many more cases would likely decide it; ``None`` when no number would.
    """

    uuid: str
    measured: int
    fresh: int
    fresh_calls: int
    repeats: int
    more_repeats: int
    repeats_calls: int
    advice: str
    more_examples: int | None
    costs_money: bool

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return asdict(self)
