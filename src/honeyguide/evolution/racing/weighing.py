"""How likely each edit helps: what is compared, how large an effect may be, and how the evidence is put together.

Three things are compared between answers with an edit and without it: the score on the examples that it speaks about
(narrow), how often the kinds of failure appear that it may have been made for, and the score on all examples, less
what such an example scores (whole).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from honeyguide.evolution.racing.likelihood import Numbers, compared, failures_fall, log_mean, rises

Places = npt.NDArray[np.intp]

FEWER = (0.2, 0.4, 0.85)
"""Shares of a kind of failure that an edit which helps may take away."""
MORE = (-0.6,)
RISES = (0.15, 0.4, 0.9)
"""What such an edit may win of what is missing on the examples it speaks about; or lose of what is there."""
UNLIKE = 0.25
"""How differently (as a standard deviation) one edit works on one example and another that it speaks about."""
STEPS = (0.04, 0.1)
"""By how much it may lift the mean score of all examples."""
STEPS_WEIGHT = 0.7
"""All examples tell the same again, with more noise; so that evidence is not counted in full."""
NO_EFFECT = 0.6
"""The share of "changes nothing" among edits that do not help; the rest harms."""
WHOLE, NARROW = 0, 1
"""Places of the two comparisons of scores."""
_MOST = 50.0
_SHARES = np.array((*FEWER, *MORE))
_RISES = np.array(RISES)[:, None]
_HOW_MANY = np.array((len(STEPS), len(RISES)), float)
_UP_AND_DOWN = np.array((1.0, -1.0))[:, None, None, None]


@dataclass(frozen=True, slots=True)
class Watched:
    """Which kinds of failure the edits are watched on, edit by edit.

    Attributes:
        edits, kinds: the row of the edit and the place of the kind, for each pair.
        weight: log of how likely the edit was made for that kind.
        first: where the pairs of each edit begin that has any, and ``rows`` which edits these are.
    """

    edits: Places
    kinds: Places
    weight: Numbers
    first: Places
    rows: Places
    log_count: Numbers

    @classmethod
    def of(cls, weights: Sequence[Sequence[float]]) -> Watched:
        """Return what is watched, given the weights (not logs) of each edit's kinds."""
        edits = [row for row, own in enumerate(weights) for _ in own]
        counts = [len(own) for own in weights if own]
        return cls(
            np.array(edits, np.intp),
            np.array([place for own in weights for place in range(len(own))], np.intp),
            np.log([weight / sum(own) for own in weights for weight in own]),
            np.cumsum([0, *counts[:-1]], dtype=np.intp),
            np.array([row for row, own in enumerate(weights) if own], np.intp),
            np.log(counts),
        )


def chances(scores: Numbers, kinds: Numbers, watched: Watched, doubt: Numbers, priors: Numbers) -> Numbers:
    """Return how likely each edit helps.

    Args:
        scores: ``(edits, 2, 2, 3)``: whole and narrow; on and off; count, sum and sum of squares.
        kinds: ``(edits, kinds, 2, 2)``: on and off; answers, and failures of the kind among them.
        doubt: see ``compared``, for the narrow comparison.
        priors: how likely each helps before its own answers are counted.
    """
    evidence = _of_scores(scores, doubt)
    if len(watched.rows):
        evidence[:, watched.rows] += _of_kinds(kinds[watched.edits, watched.kinds], watched)
    helps, harms = np.exp(np.minimum(evidence, _MOST))
    good, rest = helps * priors, 1.0 - priors
    chance: Numbers = good / (good + harms * rest * (1.0 - NO_EFFECT) + rest * NO_EFFECT)
    return chance


def _of_scores(scores: Numbers, doubt: Numbers) -> Numbers:
    """Log ratios of "it helps" and of "it harms" to "it changes nothing", ``(2, edits)``."""
    edits = len(scores)
    doubts = np.zeros((edits, 2))
    doubts[:, NARROW] = doubt
    precision, mean = compared(scores, doubts)
    level = 0.5 * (mean[:, NARROW, 0] + mean[:, NARROW, 1])
    steps = np.zeros((2, len(RISES), edits, 2))
    for place, step in enumerate(STEPS):
        steps[:, place, :, WHOLE] = step
    steps[0, :, :, NARROW] = _RISES * np.maximum(1.0 - level, 0.1)
    steps[1, :, :, NARROW] = _RISES * np.maximum(level, 0.1)
    values = rises(precision, (mean[..., 0] - mean[..., 1]) * _UP_AND_DOWN, steps)
    values[:, len(STEPS) :, :, WHOLE] = -np.inf
    ratios = log_mean(values.swapaxes(0, 1), _HOW_MANY)
    evidence: Numbers = ratios[:, :, WHOLE] * STEPS_WEIGHT + ratios[:, :, NARROW]
    return evidence


def _of_kinds(sums: Numbers, watched: Watched) -> Numbers:
    """The same from the kinds of failure, for the edits that are watched on any; ``sums`` of each pair."""
    ratios = failures_fall(sums, _SHARES)
    by_kind = np.empty((2, len(sums)))
    by_kind[0] = log_mean(ratios[: len(FEWER)]) + watched.weight
    by_kind[1] = ratios[len(FEWER)]
    most = np.maximum.reduceat(by_kind, watched.first, axis=1)
    spread = np.repeat(most, np.diff(watched.first, append=len(sums)), axis=1)
    evidence: Numbers = most + np.log(np.add.reduceat(np.exp(by_kind - spread), watched.first, axis=1))
    evidence[1] = np.maximum(evidence[1] - watched.log_count, 0.0)
    return evidence


def most_likely_kind(kinds: Numbers, weights: Sequence[float]) -> int:
    """Return the place of the kind that one edit most likely makes rarer. ``weights``: see ``Watched.of``."""
    ratios = log_mean(failures_fall(kinds[: len(weights)], _SHARES[: len(FEWER)]))
    return int((ratios + np.log(weights)).argmax())
