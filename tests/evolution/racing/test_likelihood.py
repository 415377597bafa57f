import math

import numpy as np
import pytest

from honeyguide.evolution.racing.likelihood import compared, failures_fall, log_mean, rises
from honeyguide.evolution.racing.weighing import FEWER, RISES
from honeyguide.kernel.choice import unit


def fewer(found):
    """The log ratio of "some of the failures are gone"."""
    return log_mean(failures_fall(found, np.array(FEWER)))


def higher(found, steps=RISES, doubt=0.0):
    """The log ratios of "the mean is higher" and of "it is lower"."""
    precision, mean = compared(found, doubt)
    seen = mean[..., 0] - mean[..., 1]
    return [log_mean(np.array([rises(precision, way * seen, np.array(step)) for step in steps])) for way in (1, -1)]


def counts(on, off):
    """Answers and failures among them, on and off."""
    return np.array([[len(on), sum(on)], [len(off), sum(off)]], float)


def sums(on, off):
    return np.array([[len(side), sum(side), sum(v * v for v in side)] for side in (on, off)], float)


@pytest.mark.parametrize(
    ("on", "off", "sign"),
    [([0] * 8, [1] * 8, 1), ([1] * 8, [1] * 8, -1), ([1] * 8, [1] * 4 + [0] * 4, -1), ([], [1, 1], 0), ([0], [], 0)],
)
def test_fewer_failures_speak_for_an_edit_and_as_many_against_it(on, off, sign):
    ratio = float(fewer(counts(on, off)))
    assert (ratio > 0) - (ratio < 0) == sign


@pytest.mark.parametrize(("gain", "sign"), [(0.4, 1), (0.0, -1), (-0.3, -1)])
def test_higher_scores_speak_for_an_edit(gain, sign):
    up, down = higher(sums([0.5 + gain] * 10, [0.5] * 10))
    assert math.copysign(1, up) == sign
    assert (up > down) == (gain > 0) or gain == 0


def test_without_both_sides_scores_say_nothing():
    assert higher(np.stack([sums([0.5], []), sums([], [0.5])]))[0].tolist() == [0.0, 0.0]


def test_answers_to_a_few_examples_never_make_sure_of_all():
    for answers in (10, 100, 1000):
        found = sums([0.8] * answers, [0.5] * answers)
        sure, doubtful = (float(higher(found, [0.3], doubt)[0]) for doubt in (0.0, 0.02))
        assert 0 < doubtful < sure
        assert doubtful <= 0.3 * (0.3 - 0.15) / 0.02


def test_evidence_grows_with_the_answers():
    ratios = [float(fewer(counts([0] * n, [1] * n))) for n in (2, 4, 8, 16)]
    assert ratios == sorted(ratios)


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_an_edit_without_effect_seldom_looks_good_at_any_time(rate):
    """Ville: the chance that a ratio ever passes 1/a is at most a; checked after every answer, many known before."""
    found = np.zeros((300, 2, 2))
    found[:, 1, 0] = 60
    found[:, 1, 1] = [sum(unit(run, "before", i) < rate for i in range(60)) for run in range(300)]
    best = np.zeros(300)
    for i in range(40):
        found[:, :, 0] += 1
        found[:, 0, 1] += [unit(run, "on", i) < rate for run in range(300)]
        found[:, 1, 1] += [unit(run, "off", i) < rate for run in range(300)]
        best = np.maximum(best, fewer(found))
    assert (best >= math.log(13.5)).mean() <= 0.09


def test_means_of_logs():
    assert float(log_mean(np.array([math.log(2), math.log(6), -np.inf]), 2)) == pytest.approx(math.log(4))
    assert float(log_mean(np.log([2.0, 6.0]))) == pytest.approx(math.log(4))
    assert float(log_mean(np.array([1000.0, 1000.0]))) == pytest.approx(1000.0)
