"""What is said of paired measurements beside the evidence that decides: counts, intervals, noise.

The deciding evidence is ``betting`` with the bar of ``looks``. Everything here is a pure function; resampling draws its
numbers from a bit stream that starts at a hash of the seed and ends with the call.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Final

import numpy as np

from honeyguide.evals.betting import Floats
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput

TIE: Final = 1e-9
"""Differences up to this size are ties; it swallows rounding, nothing else."""
RESAMPLES: Final = 2000


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval, ``low <= high``."""

    low: float
    high: float

    def excludes(self, value: float) -> bool:
        """Whether ``value`` lies outside."""
        return not self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class SignCounts:
    """On how many examples the candidate did better, alike, worse."""

    wins: int
    ties: int
    losses: int


def sign_counts(differences: Sequence[float]) -> SignCounts:
    """Count wins (d > 0), ties and losses (d < 0)."""
    wins = sum(d > TIE for d in differences)
    losses = sum(d < -TIE for d in differences)
    return SignCounts(wins, len(differences) - wins - losses, losses)


def sign_test(wins: int, losses: int) -> float:
    """Return the one-sided exact p-value for "wins are no more likely than losses": P(X >= wins), X ~ Bin(n, 1/2).

    Ties carry no information about the sign and are left out. On binary verdicts this is McNemar's exact test.
    Source: J. Arbuthnot (1710); Q. McNemar, Psychometrika 12 (1947).
    """
    n = wins + losses
    if n == 0:
        return 1.0
    term = math.comb(n, wins)
    total = 0
    for k in range(wins, n + 1):
        total += term
        term = term * (n - k) // (k + 1)
    return total / (1 << n) if n < 1000 else _ratio(total, n)


def bootstrap_interval(
    differences: Sequence[float], seed: int, *, confidence: float = 0.95, resamples: int = RESAMPLES
) -> Interval:
    """Return the percentile interval of the mean over ``resamples`` resamplings of the paired differences.

    Source: B. Efron and R. Tibshirani, *An Introduction to the Bootstrap* (1993), section 13.3.
    """
    if not differences:
        return Interval(-1.0, 1.0)
    if not 0.0 < confidence < 1.0:
        raise InvalidInput(f"A confidence of {confidence} makes no sense; use a number between 0 and 1.")
    means = resampled_means(np.asarray(differences, dtype=np.float64), seed, resamples)
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(float(low), float(high))


def resampled_means(values: Floats, seed: int, resamples: int) -> Floats:
    """Return the means of ``resamples`` samples with replacement, each as long as ``values``."""
    means: Floats = values[draw_indices(seed, "bootstrap", len(values), (resamples, len(values)))].mean(axis=1)
    return means


def draw_indices(
    seed: int, purpose: str, count: int, shape: tuple[int, ...]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """Return indices in ``range(count)``, a pure function of the arguments.

    They come from the raw 64-bit stream of PCG64, which numpy keeps stable across versions, not from a
    distribution method, which it does not.
    """
    start = int(sha256_hex(f"{seed}\x1f{purpose}")[:32], 16)
    raw = np.random.PCG64(start).random_raw(math.prod(shape))
    unit = (np.asarray(raw, dtype=np.uint64) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return np.minimum((unit * count).astype(np.int64), count - 1).reshape(shape)


def noise_floor(repeated: Sequence[Sequence[float]], repeats: int, n: int, *, confidence: float = 0.95) -> float | None:
    """Return how far the measured gain would stray, with ``confidence``, if the candidate were the baseline itself.

    z sqrt(2 s^2 / (repeats n)), where s^2 is the pooled variance of the baseline's verdicts within an example
    (A/A measurement). ``None`` when no example has two verdicts.

    Args:
        repeated: the baseline's scores, one list for each example.
        repeats: verdicts per side and example in the measurement.
        n: paired examples in the measurement.
    """
    variance = verdict_variance(repeated)
    if variance is None or n == 0:
        return None
    return normal_quantile(confidence) * math.sqrt(2.0 * variance / (max(repeats, 1) * n))


def verdict_variance(repeated: Sequence[Sequence[float]]) -> float | None:
    """Return the variance of one verdict, pooled within examples; ``None`` when no example has two verdicts."""
    degrees = sum(len(scores) - 1 for scores in repeated if len(scores) > 1)
    if degrees == 0:
        return None
    squares = [(score - mean(scores)) ** 2 for scores in repeated for score in scores]
    return math.fsum(squares) / degrees


def smallest_lift(differences: Sequence[float]) -> float:
    """Return the lift that a single-look test of these differences finds in 80 of 100 cases: 2.49 sd / sqrt(n).

    2.49 = 1.645 + 0.842, the normal quantiles of 5 % error and 80 % power. The sequential evidence that decides is
    stricter; ``power`` says what that could have shown.
    """
    n = len(differences)
    if n < 2:
        return 1.0
    return 2.49 * float(np.std(np.asarray(differences, dtype=np.float64), ddof=1)) / math.sqrt(n)


def wilson_interval(successes: int, n: int, *, confidence: float = 0.95) -> Interval:
    """Return the score interval of a proportion. Source: E. B. Wilson, JASA 22 (1927)."""
    if not 0 <= successes <= n:
        raise InvalidInput(f"{successes} of {n} is not a proportion.")
    if n == 0:
        return Interval(0.0, 1.0)
    z = normal_quantile(confidence)
    share = successes / n
    middle = share + z * z / (2 * n)
    spread = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return Interval(max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale))


def normal_quantile(confidence: float) -> float:
    """Return z such that a standard normal lies within [-z, z] with probability ``confidence``."""
    return NormalDist().inv_cdf(0.5 + confidence / 2.0)


def mean(values: Sequence[float]) -> float:
    """Return the mean, exactly rounded; 0 for nothing."""
    return math.fsum(values) / len(values) if values else 0.0


def _ratio(total: int, n: int) -> float:
    shift = max(0, total.bit_length() - 60)
    return math.ldexp(float(total >> shift), shift - n)
