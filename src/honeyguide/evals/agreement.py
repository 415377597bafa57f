"""How well two graders agree beyond chance."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from honeyguide.evals.statistics import Interval, normal_quantile


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa with its interval.

    Attributes:
        value: 1 for perfect agreement, 0 for what chance gives; ``None`` when chance alone would agree always.
        interval: for ``confidence``; [-1, 1] when the value is ``None``.
        agreement: share of the cases on which both say the same.
    """

    value: float | None
    interval: Interval
    agreement: float
    n: int


def cohens_kappa(pairs: Sequence[tuple[Hashable, Hashable]], *, confidence: float = 0.95) -> Kappa:
    """Return kappa = (po - pe) / (1 - pe) of two graders over the same cases.

    Sources: J. Cohen, Educational and Psychological Measurement 20 (1960); large-sample variance of J. L. Fleiss,
    J. Cohen and B. S. Everitt, Psychological Bulletin 72 (1969).
    """
    n = len(pairs)
    if n == 0:
        return Kappa(None, Interval(-1.0, 1.0), 0.0, 0)
    cells = {pair: count / n for pair, count in Counter(pairs).items()}
    first = {k: c / n for k, c in Counter(a for a, _ in pairs).items()}
    second = {k: c / n for k, c in Counter(b for _, b in pairs).items()}
    observed = sum(share for (a, b), share in cells.items() if a == b)
    chance = sum(share * second.get(k, 0.0) for k, share in first.items())
    if 1.0 - chance < 1e-12:
        return Kappa(None, Interval(-1.0, 1.0), observed, n)
    kappa = (observed - chance) / (1.0 - chance)
    variance = 0.0
    for (a, b), share in cells.items():
        if a == b:
            variance += share * (1.0 - (first[a] + second[a]) * (1.0 - kappa)) ** 2
        else:
            variance += share * ((1.0 - kappa) * (second.get(a, 0.0) + first.get(b, 0.0))) ** 2
    variance -= (kappa - chance * (1.0 - kappa)) ** 2
    spread = normal_quantile(confidence) * math.sqrt(max(variance, 0.0) / n) / (1.0 - chance)
    return Kappa(kappa, Interval(max(-1.0, kappa - spread), min(1.0, kappa + spread)), observed, n)
