from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.agreement import cohens_kappa
from honeyguide.evals.betting import learn_stakes
from honeyguide.evals.power import more_examples_needed, more_repeats_needed, smallest_provable_lift
from honeyguide.evals.statistics import (
    Interval,
    bootstrap_interval,
    draw_indices,
    mean,
    noise_floor,
    sign_counts,
    sign_test,
    smallest_lift,
    verdict_variance,
    wilson_interval,
)
from honeyguide.kernel.errors import InvalidInput

scores = st.lists(st.floats(-1, 1), min_size=1, max_size=50)


@pytest.mark.parametrize(
    ("wins", "losses", "p"),
    [(0, 0, 1.0), (5, 0, 1 / 32), (0, 5, 1.0), (8, 2, 56 / 1024), (1, 1, 0.75), (14, 3, 0.006363)],
)
def test_the_sign_test_counts_coins(wins, losses, p):
    assert sign_test(wins, losses) == pytest.approx(p, rel=1e-3)


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_agrees_with_a_plain_sum(wins, losses):
    n = wins + losses
    assert sign_test(wins, losses) == pytest.approx(sum(math.comb(n, k) for k in range(wins, n + 1)) / 2**n)


def test_the_sign_test_takes_thousands():
    assert sign_test(2600, 2400) == pytest.approx(0.00245, rel=0.02)
    assert 0 < sign_test(3000, 1000) < 1e-100


def test_rounding_is_a_tie():
    counts = sign_counts([0.1 + 0.2 - 0.3, 0.5, -0.5, 0.0])
    assert (counts.wins, counts.ties, counts.losses) == (1, 2, 1)


@given(scores, st.integers(0, 9))
def test_the_interval_lies_within_the_data_and_repeats_itself(values, seed):
    interval = bootstrap_interval(values, seed, resamples=200)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9
    assert bootstrap_interval(values, seed, resamples=200) == interval


@given(scores, st.floats(-0.5, 0.5))
def test_the_interval_moves_with_the_data(values, shift):
    here, there = (
        bootstrap_interval(values, 1, resamples=200),
        bootstrap_interval([v + shift for v in values], 1, resamples=200),
    )
    assert (there.low, there.high) == pytest.approx((here.low + shift, here.high + shift), abs=1e-9)


def test_the_interval_covers_the_truth_about_as_often_as_it_says():
    draws = np.random.default_rng(7).normal(0.1, 0.3, (300, 60))
    hits = sum(not bootstrap_interval(row.tolist(), i, resamples=400).excludes(0.1) for i, row in enumerate(draws))
    assert 0.90 <= hits / 300 <= 0.985


def test_nothing_measured_excludes_nothing():
    assert bootstrap_interval([], 1) == Interval(-1.0, 1.0)
    with pytest.raises(InvalidInput):
        bootstrap_interval([0.1], 1, confidence=1.0)


def test_drawn_indices_are_fixed_for_ever():
    assert draw_indices(1, "test", 10, (2, 5)).tolist() == [[7, 1, 0, 5, 1], [9, 0, 1, 6, 7]]
    counts = np.bincount(draw_indices(2, "flat", 10, (10_000,)), minlength=10)
    assert counts.min() > 880


def test_the_noise_floor_is_what_a_baseline_against_itself_would_show():
    rng = np.random.default_rng(3)
    verdicts = rng.normal(0.6, 0.1, (400, 2)).tolist()
    floor = noise_floor(verdicts, 2, 400)
    expected = 1.96 * math.sqrt(2 * 0.01 / (2 * 400))
    assert floor == pytest.approx(expected, rel=0.1)
    gains = [abs(rng.normal(0.6, 0.1, (400, 2)).mean() - rng.normal(0.6, 0.1, (400, 2)).mean()) for _ in range(300)]
    assert 0.9 <= mean([float(g <= floor) for g in gains]) <= 0.985


def test_one_verdict_says_nothing_of_noise():
    assert noise_floor([[0.5], [0.7]], 1, 2) is None
    assert verdict_variance([[], [0.5]]) is None
    assert verdict_variance([[0.0, 1.0], [0.5, 0.5]]) == pytest.approx(0.25)


def test_the_smallest_lift_of_a_single_look():
    assert smallest_lift([0.3, -0.1] * 50) == pytest.approx(2.49 * 0.20101 / 10, rel=1e-3)
    assert smallest_lift([0.3]) == 1.0


@pytest.mark.parametrize(
    ("k", "n", "low", "high"), [(0, 10, 0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0), (0, 0, 0, 1)]
)
def test_wilson(k, n, low, high):
    interval = wilson_interval(k, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)


def test_wilson_refuses_more_successes_than_trials():
    with pytest.raises(InvalidInput):
        wilson_interval(3, 2)


# -- agreement -------------------------------------------------------------------------------------------------------


def test_kappa_of_a_table_worked_by_hand():
    """20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: po = .7, pe = .5, kappa = .4."""
    pairs = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    kappa = cohens_kappa(pairs)
    assert (kappa.value, kappa.agreement, kappa.n) == (pytest.approx(0.4), pytest.approx(0.7), 50)
    assert kappa.interval.low == pytest.approx(0.1506, abs=2e-3)
    assert kappa.interval.high == pytest.approx(0.6494, abs=2e-3)


@pytest.mark.parametrize(
    ("pairs", "value"),
    [
        ([(1, 1), (0, 0)] * 10, 1.0),
        ([(1, 0), (0, 1)] * 10, -1.0),
        ([(1, 1), (1, 0), (0, 1), (0, 0)] * 5, 0.0),
        ([(1, 1)] * 9, None),
        ([], None),
    ],
)
def test_kappa_at_its_ends(pairs, value):
    kappa = cohens_kappa(pairs)
    assert kappa.value == (None if value is None else pytest.approx(value))
    assert kappa.interval.low <= (kappa.value or 0.0) <= kappa.interval.high


# -- what could be shown ---------------------------------------------------------------------------------------------


def test_more_examples_show_smaller_lifts():
    noisy = [0.2, -0.2, 0.1, -0.1] * 15
    few, many = (smallest_provable_lift(noisy[:n], 0.02, 40, 1) for n in (16, 60))
    assert few is not None
    assert many is not None
    assert 0.02 < many < few
    assert smallest_provable_lift([0.0] * 3, 0.02, 40, 1) is None
    assert smallest_provable_lift([], 0.02, 40, 1) is None


def test_what_would_decide_really_decides():
    rng = np.random.default_rng(5)
    seen = np.where(rng.random(40) < 0.15, 1.0, 0.0).tolist()
    stakes = learn_stakes(seen, 0.02)
    more = more_examples_needed(seen, 0.02, stakes, 40, 1)
    assert more is not None
    assert 1 <= more <= 400
    assert more_examples_needed([1.0] * 30, 0.02, stakes, 40, 1) == 0
    assert more_examples_needed([0.0] * 40, 0.02, stakes, 40, 1) is None


def test_more_verdicts_help_where_verdicts_are_the_noise():
    rng = np.random.default_rng(6)
    noisy = np.clip(rng.normal(0.2, 0.35, 40), -1, 1).tolist()
    assert more_repeats_needed(noisy, 0.12, 2, 0.02, 120, 1) is not None
    assert more_repeats_needed(noisy, 0.0, 2, 0.02, 120, 1) is None
