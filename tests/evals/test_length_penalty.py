from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.length_penalty import LengthPenalty
from honeyguide.kernel.errors import InvalidInput


@pytest.mark.parametrize(
    ("length", "factor"),
    [(0, 1), (1500, 1), (3000, 1), (3750, 0.875), (4500, 0.75), (6000, 0.5), (100_000, 0.5)],
)
def test_penalty_falls_in_a_line_between_the_free_length_and_three_targets(length, factor):
    assert LengthPenalty().factor(length) == pytest.approx(factor)


@pytest.mark.parametrize("target", [0, -5])
def test_no_target_means_no_penalty(target):
    assert LengthPenalty(target=target).factor(10**9) == 1.0


def test_a_tolerance_beyond_three_targets_makes_a_cliff():
    cliff = LengthPenalty(target=10, tolerance=3.0)
    assert (cliff.factor(40), cliff.factor(41)) == (1.0, 0.5)


@pytest.mark.parametrize("wrong", [{"floor": 1.1}, {"floor": -0.1}, {"tolerance": -1}, {"tolerance": float("nan")}])
def test_impossible_settings_are_refused(wrong):
    with pytest.raises(InvalidInput):
        LengthPenalty(**wrong)


@given(st.integers(0, 20_000), st.integers(0, 20_000), st.floats(0, 1), st.floats(0, 4))
def test_longer_is_never_better(a, b, floor, tolerance):
    penalty = LengthPenalty(target=2000, floor=floor, tolerance=tolerance)
    shorter, longer = sorted((a, b))
    assert 1.0 >= penalty.factor(shorter) >= penalty.factor(longer) >= floor
