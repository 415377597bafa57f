"""What a set of examples could show, and how many more would likely decide: by resampling, under the real rule.

Both answers replay the betting process and its bar on resampled differences, so they speak of the rule that decides
and not of a gentler one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from honeyguide.evals.betting import Floats, Stakes, growth_rates, learn_stakes, log_wealth
from honeyguide.evals.statistics import draw_indices

TRIALS: Final = 200
POWER: Final = 0.8
HIGHEST_EXTRA: Final = 1000


def share_that_passes(samples: Floats, delta: float, stakes: Stakes, bar: float) -> float:
    """Return the share of the rows of ``samples`` whose evidence reaches ``bar`` at some time."""
    return float((log_wealth(samples, delta, stakes).max(axis=-1) >= math.log(bar)).mean())


def smallest_provable_lift(
    differences: Sequence[float], delta: float, bar: float, seed: int, *, stakes: Stakes | None = None
) -> float | None:
    """Return the smallest mean gain that examples that scatter like these show in 80 of 100 cases.

    The differences are centred, shifted by the gain, cut to [-1, 1] and resampled. Stakes are those learnt for
    such a gain unless given. ``None`` when not even a gain of 1 would do: there are too few examples.
    """
    if not differences:
        return None
    values = np.asarray(differences, dtype=np.float64)
    centred = values - values.mean()
    rows = centred[draw_indices(seed, "smallest-lift", len(values), (TRIALS, len(values)))]

    def shown(lift: float) -> bool:
        moved = np.clip(rows + lift, -1.0, 1.0)
        used = stakes or learn_stakes(np.clip(centred + lift, -1.0, 1.0).tolist(), delta)
        return share_that_passes(moved, delta, used, bar) >= POWER

    low, high = 0, 100
    if not shown(1.0):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if shown(middle / 100) else (middle, high)
    return high / 100


def more_examples_needed(
    differences: Sequence[float], delta: float, stakes: Stakes, bar: float, seed: int, *, most: int = HIGHEST_EXTRA
) -> int | None:
    """Return how many further examples like these would likely carry the evidence over ``bar``.

    The evidence goes on from where it stands with differences resampled from those seen; the answer is the smallest
    number with which 80 of 100 continuations get there. ``None`` when ``most`` would not do it.
    """
    if not differences:
        return None
    values = np.asarray(differences, dtype=np.float64)
    so_far = log_wealth(values, delta, stakes)
    if so_far.max() >= math.log(bar):
        return 0
    if growth_rates(values, delta, stakes).max() <= 0.0:
        return None
    extra = 16
    while True:
        extra = min(extra * 2, most)
        drawn = values[draw_indices(seed, "more-examples", len(values), (TRIALS, extra))]
        joined = np.concatenate([np.broadcast_to(values, (TRIALS, len(values))), drawn], axis=1)
        reached = log_wealth(joined, delta, stakes)[:, len(values) :] >= math.log(bar)
        share = np.maximum.accumulate(reached, axis=1).mean(axis=0)
        if share[-1] >= POWER:
            return int(np.argmax(share >= POWER)) + 1
        if extra >= most:
            return None


def more_repeats_needed(
    differences: Sequence[float],
    verdict_variance: float,
    repeats: int,
    delta: float,
    bar: float,
    seed: int,
    *,
    most: int = 8,
) -> int | None:
    """Return how many verdicts per side would likely decide on these very examples, or ``None`` up to ``most``.

    A difference scatters by s^2 = between + 2 v / r with v the variance of one verdict; with r' verdicts the same
    differences are pulled towards their mean by the ratio of the two. Another number of verdicts is another look:
    ``bar`` should be that of the next one.
    """
    if len(differences) < 2 or verdict_variance <= 0:
        return None
    values = np.asarray(differences, dtype=np.float64)
    scatter = float(values.var(ddof=1))
    between = max(0.0, scatter - 2.0 * verdict_variance / repeats)
    if scatter <= 0:
        return None
    indices = draw_indices(seed, "more-repeats", len(values), (TRIALS, len(values)))
    for tried in range(repeats + 1, most + 1):
        ratio = math.sqrt(min(1.0, (between + 2.0 * verdict_variance / tried) / scatter))
        pulled = values.mean() + (values - values.mean()) * ratio
        if share_that_passes(pulled[indices], delta, learn_stakes(pulled.tolist(), delta), bar) >= POWER:
            return tried
    return None
