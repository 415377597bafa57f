"""What answers with an edit and without it say: log likelihood ratios of "it helps" to "it changes nothing".

A ratio averages over several sizes of the effect, so that under "it changes nothing" its expectation is 1 and many
edits, kinds and looks do not add up to a false finding (Robbins 1970, the method of mixtures).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

LEAST_VARIANCE = 0.01
PRIOR_VARIANCE = 0.06
"""A guess at the variance of a score, worth ``PRIOR_WEIGHT`` answers."""
PRIOR_WEIGHT = 4.0
MOST_FREQUENT = 0.97


@dataclass(slots=True)
class Sum:
    """Count, sum and sum of squares; fractions after fading."""

    n: float = 0.0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.n += 1.0
        self.total += value
        self.squares += value * value

    def fade(self, share: float) -> None:
        """Let what was counted weigh ``share`` of what it did."""
        self.n *= share
        self.total *= share
        self.squares *= share

    @property
    def mean(self) -> float:
        return self.total / self.n if self.n else 0.0


@dataclass(slots=True)
class Comparison:
    """Answers with an edit on, and with it off.

    Attributes:
        need: edits, as bits, that have to be on for an answer from before the edit's time to count.
    """

    need: int = 0
    on: Sum = field(default_factory=Sum)
    off: Sum = field(default_factory=Sum)

    def fade(self, share: float) -> None:
        """Let what was counted weigh ``share`` of what it did."""
        self.on.fade(share)
        self.off.fade(share)

    def score_rises(self, steps: Sequence[float]) -> float:
        """Return the log ratio of "the mean score is higher by one of ``steps``" to "it is the same".

        Normal, with the variance of both sides together drawn towards a guess; 0 without both sides.
        """
        on, off = self.on, self.off
        if not on.n or not off.n:
            return 0.0
        inside = (on.squares - on.total * on.total / on.n) + (off.squares - off.total * off.total / off.n)
        variance = (inside + PRIOR_WEIGHT * PRIOR_VARIANCE) / max(on.n + off.n - 2.0 + PRIOR_WEIGHT, 1.0)
        precision = on.n * off.n / (on.n + off.n) / max(variance, LEAST_VARIANCE)
        seen = on.total / on.n - off.total / off.n
        return log_mean([precision * step * (seen - step / 2.0) for step in steps])

    def failures_fall(self, shares: Sequence[float]) -> float:
        """Return the log ratio of "one of ``shares`` of the failures is gone" to "none is"; negative shares: more.

        Binomial, with the frequency without the edit as estimated (half a failure added), and tempered by how well
        that is known: ``off / (on + off)``.
        """
        on, off = self.on, self.off
        if not on.n or not off.n:
            return 0.0
        before = (off.total + 0.5) / (off.n + 1.0)
        known = off.n / (on.n + off.n)
        ratios = []
        for share in shares:
            after = min(before * (1.0 - share), MOST_FREQUENT)
            gone = on.total * math.log(after / before) + (on.n - on.total) * math.log((1.0 - after) / (1.0 - before))
            ratios.append(known * gone)
        return log_mean(ratios)


def log_sum(values: Sequence[float]) -> float:
    """Return log(sum(exp(v)))."""
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))


def log_mean(values: Sequence[float]) -> float:
    """Return log(mean(exp(v)))."""
    return log_sum(values) - math.log(len(values))
