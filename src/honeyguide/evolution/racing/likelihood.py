"""What answers with an edit and without it say: log likelihood ratios of "it helps" to "it changes nothing".

A ratio averages over several sizes of the effect, so that under "it changes nothing" its expectation is 1 and many
edits, kinds and looks do not add up to a false finding (Robbins 1970, the method of mixtures). All functions work on
arrays of comparisons at once; the last axes of ``sums`` are the side (0 on, 1 off) and what was summed.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]

LEAST_VARIANCE = 0.01
PRIOR_VARIANCE = 0.06
"""A guess at the variance of a score, worth ``PRIOR_WEIGHT`` answers."""
PRIOR_WEIGHT = 4.0
MOST_FREQUENT = 0.97


def compared(sums: Numbers, doubt: Numbers | float = 0.0) -> tuple[Numbers, Numbers]:
    """Return how precisely the difference of two means is known (1/variance), and the means, ``(…, 2)``.

    Normal, with the variance of both sides together drawn towards a guess; a precision of 0 without both sides.

    Args:
        sums: ``(…, 2, 3)``: count, sum and sum of squares of the scores, on and off.
        doubt: variance of the difference that no number of answers makes smaller: these are a few examples of many.
    """
    count, total = sums[..., 0], sums[..., 1]
    mean = total / np.maximum(count, 1e-9)
    spread = sums[..., 2] - total * mean
    both = count[..., 0] + count[..., 1]
    variance = (spread[..., 0] + spread[..., 1] + PRIOR_WEIGHT * PRIOR_VARIANCE) / np.maximum(
        both - 2.0 + PRIOR_WEIGHT, 1.0
    )
    pairs = count[..., 0] * count[..., 1] / np.maximum(both, 1e-9)
    return pairs / (np.maximum(variance, LEAST_VARIANCE) + doubt * pairs), mean


def rises(precision: Numbers, seen: Numbers, steps: Numbers) -> Numbers:
    """Return the log ratios of "the difference is ``steps``" to "it is 0", where ``seen`` was seen."""
    ratios: Numbers = precision * steps * (seen - 0.5 * steps)
    return ratios


def failures_fall(sums: Numbers, shares: Numbers) -> Numbers:
    """Return the log ratios of "so large a share of the failures is gone" to "none is", ``(shares, …)``.

    Binomial, with the frequency without the edit as estimated (half a failure added), and tempered by how well
    that is known: ``off / (on + off)``. 0 without both sides.

    Args:
        sums: ``(…, 2, 2)``: answers and failures among them, on and off.
        shares: each below 1; negative ones for more failures.
    """
    on, failed = sums[..., 0, 0], sums[..., 0, 1]
    off = sums[..., 1, 0]
    before = (sums[..., 1, 1] + 0.5) / (off + 1.0)
    known = off / np.maximum(on + off, 1e-9)
    after = np.multiply.outer(1.0 - shares, before)
    np.minimum(after, MOST_FREQUENT, out=after)
    ratios: Numbers = failed * np.log(after / before)
    ratios += (on - failed) * (np.log1p(-after) - np.log1p(-before))
    ratios *= known
    return ratios


def log_mean(values: Numbers, count: Numbers | float | None = None) -> Numbers:
    """Return log(mean(exp(v))) along the first axis; exactly 0 where all are.

    ``count``: how many are there really, where some are minus infinity to fill the array.
    """
    most = np.maximum.reduce(values)
    total = np.add.reduce(np.exp(values - most))
    mean: Numbers = most + np.log(total / (len(values) if count is None else count))
    return mean
