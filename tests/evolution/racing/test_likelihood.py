import math

import pytest

from honeyguide.evolution.racing.edits import Edit
from honeyguide.evolution.racing.likelihood import Comparison, log_mean, log_sum
from honeyguide.evolution.racing.switches import FEWER, RISES, Answer, Switch
from honeyguide.kernel.choice import unit


def compared(on, off):
    found = Comparison()
    for value in on:
        found.on.add(value)
    for value in off:
        found.off.add(value)
    return found


@pytest.mark.parametrize(
    ("on", "off", "sign"),
    [([0] * 8, [1] * 8, 1), ([1] * 8, [1] * 8, -1), ([1] * 8, [1] * 4 + [0] * 4, -1), ([], [1, 1], 0), ([0], [], 0)],
)
def test_fewer_failures_speak_for_an_edit_and_as_many_against_it(on, off, sign):
    ratio = compared(on, off).failures_fall(FEWER)
    assert (ratio > 0) - (ratio < 0) == sign


@pytest.mark.parametrize(("gain", "sign"), [(0.4, 1), (0.0, -1), (-0.3, -1)])
def test_higher_scores_speak_for_an_edit(gain, sign):
    ratio = compared([0.5 + gain] * 10, [0.5] * 10).score_rises(RISES)
    assert math.copysign(1, ratio) == sign


def test_evidence_grows_with_the_answers():
    ratios = [compared([0] * n, [1] * n).failures_fall(FEWER) for n in (2, 4, 8, 16)]
    assert ratios == sorted(ratios)


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.8])
def test_an_edit_without_effect_seldom_looks_good_at_any_time(rate):
    """Ville: the chance that a ratio ever passes 1/a is at most a; checked after every answer, many known before."""
    passed = 0
    for run in range(300):
        found = compared([], [float(unit(run, "before", i) < rate) for i in range(60)])
        best = 0.0
        for i in range(40):
            found.on.add(float(unit(run, "on", i) < rate))
            found.off.add(float(unit(run, "off", i) < rate))
            best = max(best, found.failures_fall(FEWER))
        passed += best >= math.log(13.5)
    assert passed / 300 <= 0.09


def test_a_faded_comparison_says_the_same_with_less_weight():
    strong, weak = compared([0] * 20, [1] * 20), compared([0] * 20, [1] * 20)
    weak.fade(0.25)
    assert 0 < weak.failures_fall(FEWER) < strong.failures_fall(FEWER)
    assert weak.on.n == 5


def test_sums_of_logs():
    assert log_sum([math.log(2), math.log(6)]) == pytest.approx(math.log(8))
    assert log_mean([1000.0, 1000.0]) == pytest.approx(1000.0)


def test_a_switch_counts_what_concerns_it_and_skips_what_could_not_be_scored():
    switch = Switch(2, Edit(0, None, "x"), focus=frozenset({1}), kinds={"late": Comparison(need=1)})
    switch.add(Answer(1, 0b100, 1.0, frozenset({"late"})), recent=True)
    switch.add(Answer(1, 0b000, 0.5, frozenset({"late"})), recent=False)
    switch.add(Answer(2, 0b001, 0.5), recent=False)
    switch.add(Answer(1, 0b100, None), recent=True)
    switch.add(Answer(1, 0b000, 0.0), recent=True)
    assert (switch.narrow.on.n, switch.narrow.off.n) == (1, 2)
    assert (switch.whole.on.n, switch.whole.off.n) == (1, 1)
    late = switch.kinds["late"]
    assert (late.on.n, late.on.total) == (1, 1), "an answer with the edit on that shows the failure"
    assert late.off.n == 1, "not the one without edit 0, nor the one that was lost altogether"
