"""What answers with an edit and without it say: log likelihood ratios of "it helps" to "it changes nothing".

A ratio averages over several sizes of the effect, so that under "it changes nothing" its expectation is 1 and many
edits, kinds and looks do not add up to a false finding (Robbins 1970, the method of mixtures). All functions work on
arrays of comparisons at once; the last axes of ``sums`` are the side (0 on, 1 off) and what was summed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

LEAST_VARIANCE = 0.01
PRIOR_VARIANCE = 0.06
"""A guess at the variance of a score, worth ``PRIOR_WEIGHT`` answers."""
PRIOR_WEIGHT = 4.0
MOST_FREQUENT = 0.97


def score_rises(sums: Numbers, *steps: Numbers | float, doubt: Numbers | float = 0.0) -> tuple[Numbers, Numbers]:
    """Return the log ratios of "the mean score is higher by one of ``steps``" to "it is the same"; and for lower.

    Normal, with the variance of both sides together drawn towards a guess; 0 without both sides.

    Args:
        sums: ``(…, 2, 3)``: count, sum and sum of squares of the scores, on and off.
        steps: each a number, or one for every comparison.
        doubt: variance of the difference that no number of answers makes smaller: these are a few examples of many.
    """
    count, total, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    safe = np.maximum(count, 1e-9)
    mean = total / safe
    spread = squares - total * mean
    inside = spread[..., 0] + spread[..., 1]
    both = count[..., 0] + count[..., 1]
    variance = (inside + PRIOR_WEIGHT * PRIOR_VARIANCE) / np.maximum(both - 2.0 + PRIOR_WEIGHT, 1.0)
    pairs = count[..., 0] * count[..., 1] / np.maximum(both, 1e-9)
    precision = pairs / (np.maximum(variance, LEAST_VARIANCE) + doubt * pairs)
    seen = mean[..., 0] - mean[..., 1]
    up = [precision * step * (seen - 0.5 * step) for step in steps]
    down = [precision * step * (-seen - 0.5 * step) for step in steps]
    return log_mean(up), log_mean(down)


def failures_fall(sums: Numbers, shares: Sequence[float]) -> Numbers:
    """Return the log ratios of "one of ``shares`` of the failures is gone" to "none is"; negative shares: more.

    Binomial, with the frequency without the edit as estimated (half a failure added), and tempered by how well
    that is known: ``off / (on + off)``. 0 without both sides.

    Args:
        sums: ``(…, 2, 2)``: answers and failures among them, on and off.
    """
    on, failed = sums[..., 0, 0], sums[..., 0, 1]
    off, failed_off = sums[..., 1, 0], sums[..., 1, 1]
    before = (failed_off + 0.5) / (off + 1.0)
    known = off / np.maximum(on + off, 1e-9)
    base = np.log1p(-before)
    ratios = []
    for share in shares:
        after = np.minimum(before * (1.0 - share), MOST_FREQUENT)
        more = math.log1p(-share) if share > 0 else np.log(after / before)
        ratios.append(known * (failed * more + (on - failed) * (np.log1p(-after) - base)))
    return log_mean(ratios)


def log_mean(values: Sequence[Numbers]) -> Numbers:
    """Return log(mean(exp(v))) of arrays, number by number; exactly 0 where all of them are."""
    most = values[0]
    for value in values[1:]:
        most = np.maximum(most, value)
    total = np.exp(values[0] - most)
    for value in values[1:]:
        total = total + np.exp(value - most)
    return most + np.log(total / len(values))
