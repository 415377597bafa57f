from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.betting import (
    GRID,
    Stakes,
    e_values,
    grid_stakes,
    in_words,
    kelly_stake,
    learn_stakes,
    log_wealth,
)
from honeyguide.evals.looks import LookLedger, bar, measurement_key
from honeyguide.kernel.errors import InvalidInput

differences = st.lists(st.floats(-1, 1), max_size=60)


@given(differences, differences, st.floats(0, 0.3))
def test_the_process_is_the_mixture_of_products_that_its_source_gives(development, sealed, delta):
    stakes = learn_stakes(development, delta)
    expected = [
        math.fsum(
            weight * math.prod(1 + share * (d - delta) / (1 + delta) for d in sealed[: t + 1])
            for share, weight in zip(stakes.shares, stakes.weights, strict=True)
        )
        for t in range(len(sealed))
    ]
    assert e_values(sealed, delta, stakes) == pytest.approx(expected, rel=1e-9)


@given(st.floats(-0.3, 0.3), differences)
def test_a_fair_game_cannot_be_expected_to_grow(delta, development):
    """Two-point outcomes with mean delta exactly: one step leaves the wealth as it is in the mean."""
    stakes = learn_stakes(development, delta)
    up, down = 1.0, -1.0
    chance = (delta - down) / (up - down)
    growth = chance * e_values([up], delta, stakes)[0] + (1 - chance) * e_values([down], delta, stakes)[0]
    assert growth == pytest.approx(1.0)


@given(differences, differences, st.floats(0, 0.2))
def test_evidence_goes_on_where_it_stopped(first, second, delta):
    stakes = grid_stakes()
    assert e_values(first + second, delta, stakes)[: len(first)] == pytest.approx(e_values(first, delta, stakes))


def test_stakes_learnt_on_wins_are_bold_and_on_losses_timid():
    bold, timid = learn_stakes([0.5] * 30, 0.02), learn_stakes([-0.5] * 30, 0.02)
    assert bold.shares[:2] == pytest.approx((0.48, 0.864))
    assert timid.shares[:2] == (0.05, 0.1)
    assert bold.weights[:2] == (0.4, 0.4)
    assert sum(bold.weights) == pytest.approx(1)
    assert learn_stakes([], 0.02).shares == GRID


def test_the_kelly_stake_of_a_coin_is_its_edge():
    coin = [1.0] * 60 + [-1.0] * 40
    assert kelly_stake(coin, 0.0) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("wealth", "words"), [(1, "no evidence"), (3, "a hint"), (10, "good evidence"), (20, "strong evidence")]
)
def test_evidence_has_words(wealth, words):
    assert in_words(wealth) == words


def test_impossible_numbers_are_refused():
    with pytest.raises(InvalidInput):
        e_values([1.5], 0.0, grid_stakes())
    with pytest.raises(InvalidInput):
        e_values([float("nan")], 0.0, grid_stakes())
    with pytest.raises(InvalidInput):
        e_values([0.5], 1.0, grid_stakes())
    for shares, weights in (((1.0,), (1.0,)), ((0.5,), (0.9,)), ((), ()), ((0.5, 0.1), (1.0,))):
        with pytest.raises(InvalidInput):
            Stakes(shares, weights)


def test_thousands_of_wins_do_not_overflow():
    assert math.isfinite(e_values([1.0] * 20_000, 0.0, grid_stakes())[-1])


# -- looks -----------------------------------------------------------------------------------------------------------


def test_the_bars_of_all_looks_together_spend_no_more_than_alpha():
    assert bar(0.05, 1) == 40
    assert bar(0.05, 3) == 240
    assert sum(1 / bar(0.05, k) for k in range(1, 10_000)) <= 0.05
    with pytest.raises(InvalidInput):
        bar(0.05, 0)


def test_another_candidate_is_another_look_and_the_same_measurement_is_not():
    examples = [f"e{i}" for i in range(60)]
    one, two = measurement_key("b", "c1", 2), measurement_key("b", "c2", 2)
    first, ledger = LookLedger().look(one, examples)
    second, ledger = ledger.look(two, examples)
    again, ledger = ledger.look(one, [*examples, "e60"])
    assert (first.number, second.number, again.number) == (1, 2, 1)
    assert ledger.look(measurement_key("b", "c2", 3), examples)[0].number == 3


def test_the_count_starts_afresh_when_half_of_the_holdout_is_new():
    _, ledger = LookLedger().look("m1", [f"e{i}" for i in range(60)])
    assert ledger.look("m2", [f"e{i}" for i in range(29, 89)])[0].number == 2
    assert ledger.look("m2", [f"e{i}" for i in range(30, 90)])[0].number == 1


def test_a_ledger_survives_as_json():
    _, ledger = LookLedger().look("m1", ["b", "a"])
    assert LookLedger.from_json(ledger.to_json()) == ledger
    with pytest.raises(InvalidInput):
        LookLedger.from_json([{"measurement": "m"}])


def test_many_processes_are_computed_at_once():
    rows = np.array([[0.5, -0.5], [0.0, 1.0]])
    both = log_wealth(rows, 0.02, grid_stakes())
    for row, path in zip(rows, both, strict=True):
        assert np.exp(path) == pytest.approx(e_values(row.tolist(), 0.02, grid_stakes()))
