"""The guard rails of a comparison, named in one place, and the work they allow.

Every limit counts work, never time, so that the same two texts give the same comparison on any computer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from honeyguide.kernel.errors import Interrupted

Cancelled = Callable[[], bool]
"""Asked between pieces of work; a true answer ends the comparison with ``Interrupted``."""


def never() -> bool:
    """Do not cancel."""
    return False


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a comparison may cost.

    Attributes:
        block_pairs: token pairs that one alignment may look at (its bit table takes ``pairs / 8`` bytes); above it
            the block is first cut at tokens that occur once on both sides.
        total_pairs: token pairs for the whole comparison; what is left after that is shown as replaced.
        word_chars: characters a line may have to get word marks at all.
        pairing_cells: line pairs of one changed block that are compared each with each; above it, in a moving window.
        window: how far ahead a line looks for its partner in a large block.
        min_similarity: share of equal characters from which two lines are shown as one changed line.
        min_equal: share of equal text below which a pair is shown as one line gone and one line new.
    """

    block_pairs: int = 100_000_000
    total_pairs: int = 2_000_000_000
    word_chars: int = 2_000_000
    pairing_cells: int = 900
    window: int = 4
    min_similarity: float = 0.5
    min_equal: float = 0.35


DEFAULT_LIMITS = Limits()


@dataclass(slots=True)
class Work:
    """What one comparison may still spend. Lives as long as the comparison, in one thread."""

    limits: Limits = DEFAULT_LIMITS
    cancelled: Cancelled = never
    pairs: int = field(default=0, init=False)

    def affords(self, pairs: int) -> bool:
        """Say whether an alignment over ``pairs`` token pairs fits, and book it. Raises Interrupted."""
        self.check()
        if pairs > self.limits.block_pairs or self.pairs + pairs > self.limits.total_pairs:
            return False
        self.pairs += pairs
        return True

    def check(self) -> None:
        """Raise Interrupted when the comparison is no longer wanted."""
        if self.cancelled():
            raise Interrupted("The comparison was stopped.")
