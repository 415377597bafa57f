"""Hash-based choice: the same path gives the same answer, and the answers are spread evenly."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel import choice

paths = st.lists(st.one_of(st.text(max_size=8), st.integers()), max_size=4)


@given(st.integers(), paths)
def test_unit_lies_between_zero_and_one_and_repeats(seed, path):
    value = choice.unit(seed, *path)
    assert 0.0 <= value < 1.0
    assert choice.unit(seed, *path) == value


def test_a_number_and_its_text_are_different_steps():
    assert choice.unit(1, 2) != choice.unit(1, "2")


def test_neighbouring_steps_cannot_be_confused_by_joining():
    assert choice.unit(1, "ab", "c") != choice.unit(1, "a", "bc")


def test_values_are_spread_evenly():
    values = [choice.unit(3, "spread", i) for i in range(4000)]
    for tenth in range(10):
        share = sum(tenth / 10 <= value < (tenth + 1) / 10 for value in values) / 4000
        assert share == pytest.approx(0.1, abs=0.02)


@given(st.integers(0, 50), st.lists(st.integers(), max_size=30))
def test_shuffling_keeps_every_item(seed, items):
    assert sorted(choice.shuffled(seed, items)) == sorted(items)


@given(st.integers(0, 50), st.lists(st.integers(), max_size=20, unique=True), st.integers(-2, 25))
def test_a_sample_holds_different_items_and_no_more_than_asked(seed, items, count):
    taken = choice.sample(seed, items, count)
    assert len(taken) == min(max(count, 0), len(items))
    assert len(set(taken)) == len(taken)


def test_weights_decide_how_often_an_item_is_chosen():
    taken = [choice.weighted(1, ["rare", "often"], [1.0, 9.0], i) for i in range(2000)]
    assert taken.count("often") / 2000 == pytest.approx(0.9, abs=0.03)


@pytest.mark.parametrize("weights", [[0.0, 0.0], [1.0]])
def test_useless_weights_are_refused(weights):
    with pytest.raises(ValueError, match="weights"):
        choice.weighted(1, ["a", "b"], weights)


def test_nothing_can_be_chosen_from_nothing():
    with pytest.raises(ValueError, match="nothing"):
        choice.choose(1, [])


def test_another_process_takes_the_same_decision():
    code = "from honeyguide.kernel.choice import unit, units; print(repr(unit(7, 'gen', 3, 'ü')))"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == repr(choice.unit(7, "gen", 3, "ü"))


def test_many_numbers_of_one_decision_repeat_and_do_not_depend_on_how_many_are_asked_for():
    assert choice.units(1, 20, "a")[:5] == choice.units(1, 5, "a") != choice.units(1, 5, "b")
    assert all(0 <= number < 1 for number in choice.units(2, 1000, "a"))
    assert abs(sum(choice.units(3, 2000, "a")) / 2000 - 0.5) < 0.03
    assert choice.units(1, 0, "a") == []
