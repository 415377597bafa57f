import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evolution.pareto import example_winners, front


def test_only_what_is_beaten_on_both_axes_is_dropped_and_equals_stay_together():
    points = [(0.5, 5), (0.8, 3), (0.9, 10), (0.8, 3), (0.7, 2)]
    assert front(points, lambda p: (p[0], -p[1])) == points[1:]


POINTS = st.lists(st.tuples(*[st.integers(0, 4)] * 3), max_size=12)


@given(POINTS)
def test_a_front_is_never_empty_and_holds_nobody_who_is_dominated(points):
    kept = front(points, lambda p: p)
    assert bool(kept) == bool(points)
    for one in kept:
        assert not any(all(a >= b for a, b in zip(o, one, strict=True)) and o != one for o in points)


@given(POINTS)
def test_everything_that_was_dropped_is_dominated_by_somebody_kept(points):
    kept = front(points, lambda p: p)
    for one in points:
        assert one in kept or any(all(a >= b for a, b in zip(o, one, strict=True)) and o != one for o in kept)


@pytest.mark.parametrize(
    ("scores", "wins"),
    [
        ({}, {}),
        ({"a": {"x": 1.0, "y": 0.0}, "b": {"x": 0.5, "y": 0.5}}, {"a": 1, "b": 1}),
        ({"a": {"x": 0.5}, "b": {"x": 0.5}}, {"a": 1, "b": 1}),
        ({"a": {"x": 1.0}, "b": {"x": 0.5, "y": 1.0}}, {"a": 1, "b": 0}),
    ],
)
def test_winners_are_counted_on_examples_that_everyone_has(scores, wins):
    assert example_winners(scores) == wins
