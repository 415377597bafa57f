"""The claim "improved" is false in at most 5 of 100 runs, however one looks; and true gains are found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from honeyguide.evals.betting import grid_stakes, log_wealth
from honeyguide.evals.findings import Finding, StakePlan, Thresholds, conclude, weigh
from honeyguide.evals.looks import bar
from tests.evals.worlds import NULL_WORLDS, POWER_WORLDS, Draw

THRESHOLDS = Thresholds()
ALPHA = 0.05


def finding(sealed: np.ndarray, development: np.ndarray, look: int = 1) -> Finding:
    """Return the finding when somebody looks after every example: the highest evidence counts."""
    stakes = StakePlan.learn(development.tolist(), THRESHOLDS)
    return conclude(len(sealed), weigh(sealed.tolist(), stakes, THRESHOLDS), THRESHOLDS, look=look).finding


def share_improved(draw: Draw, runs: int, n: int, seed: int, *, development: int = 30) -> float:
    rng = np.random.default_rng(seed)
    learnt, sealed = draw(rng, runs, development), draw(rng, runs, n)
    found = [finding(sealed[i], learnt[i]) for i in range(runs)]
    return found.count(Finding.VERIFIED_IMPROVEMENT) / runs


def best_of_null_candidates(draw: Draw, runs: int, n: int, candidates: int, seed: int) -> float:
    """The candidate that looked best on development data goes to the holdout, as after a search."""
    rng = np.random.default_rng(seed)
    improved = 0
    for _ in range(runs):
        learnt, sealed = draw(rng, candidates, 30), draw(rng, candidates, n)
        best = int(learnt.mean(axis=1).argmax())
        improved += finding(sealed[best], learnt[best]) is Finding.VERIFIED_IMPROVEMENT
    return improved / runs


def any_of_attempts(draw: Draw, runs: int, n: int, attempts: int, seed: int) -> float:
    """Forty attempts, one after the other, on the same holdout; each look has a higher bar."""
    rng = np.random.default_rng(seed)
    improved = 0
    for _ in range(runs):
        learnt, sealed = draw(rng, attempts, 30), draw(rng, attempts, n)
        improved += any(
            finding(sealed[k], learnt[k], look=k + 1) is Finding.VERIFIED_IMPROVEMENT for k in range(attempts)
        )
    return improved / runs


@pytest.mark.parametrize("n", [12, 40, 200])
@pytest.mark.parametrize("world", NULL_WORLDS)
def test_without_an_effect_improvement_is_claimed_in_at_most_one_run_of_twenty(world, n):
    assert share_improved(NULL_WORLDS[world], 400, n, seed=n) <= ALPHA


@pytest.mark.parametrize("world", NULL_WORLDS)
def test_the_best_of_twenty_null_candidates_is_no_improvement(world):
    assert best_of_null_candidates(NULL_WORLDS[world], 80, 60, 20, seed=11) <= ALPHA


@pytest.mark.parametrize("world", ["verdicts 3 % wrong", "graded, sd 0.2", "flaky answers"])
def test_forty_attempts_at_one_holdout_stay_within_the_error(world):
    assert any_of_attempts(NULL_WORLDS[world], 20, 60, 40, seed=12) <= ALPHA


@pytest.mark.parametrize("world", [w for w in POWER_WORLDS if w.least_power], ids=lambda w: w.name)
def test_true_gains_are_found_on_sixty_examples(world):
    assert share_improved(world.draw, 300, 60, seed=13, development=60) >= world.least_power


@pytest.mark.parametrize("n", [12, 60])
def test_a_real_loss_is_rejected_and_never_called_an_improvement(n):
    rng = np.random.default_rng(14)
    harmful = -POWER_WORLDS[0].draw(rng, 100, n)
    found = [finding(row, -POWER_WORLDS[0].draw(rng, 1, 30)[0]) for row in harmful]
    assert Finding.VERIFIED_IMPROVEMENT not in found
    assert Finding.REGRESSION_SAFE not in found
    if n == 60:
        assert found.count(Finding.REJECTED) >= 85


def test_an_equal_text_is_safe_once_there_are_enough_examples():
    ties = np.zeros(130)
    assert finding(ties, np.zeros(60)) is Finding.REGRESSION_SAFE
    assert finding(ties[:60], np.zeros(60)) is Finding.INCONCLUSIVE


def test_harm_at_the_margin_is_called_safe_in_at_most_one_run_of_twenty():
    rng = np.random.default_rng(15)
    losses = np.where(rng.random((400, 150)) < THRESHOLDS.max_regression, -1.0, 0.0)
    learnt = np.zeros(30)
    found = [finding(row, learnt) for row in losses]
    assert found.count(Finding.REGRESSION_SAFE) / 400 <= ALPHA


@pytest.mark.soak
@pytest.mark.parametrize("n", [12, 20, 30, 60, 120, 200])
@pytest.mark.parametrize("world", NULL_WORLDS)
def test_calibration_at_full_size(world, n):
    assert share_improved(NULL_WORLDS[world], 3000, n, seed=1000 + n) <= ALPHA


@pytest.mark.soak
@pytest.mark.parametrize("world", NULL_WORLDS)
def test_many_candidates_and_attempts_at_full_size(world):
    assert best_of_null_candidates(NULL_WORLDS[world], 1500, 60, 20, seed=21) <= ALPHA
    assert any_of_attempts(NULL_WORLDS[world], 400, 60, 40, seed=22) <= ALPHA


@pytest.mark.soak
@pytest.mark.parametrize("world", POWER_WORLDS, ids=lambda w: w.name)
def test_power_at_full_size_is_reported(world, record_property):
    power = share_improved(world.draw, 3000, 60, seed=23, development=60)
    record_property("power", power)
    print(f"power at n = 60, r = 2, {world.name}: {power:.3f}")
    assert power >= (world.least_power or 0.0)


@pytest.mark.soak
def test_the_evidence_of_a_fair_game_has_mean_one_at_most():
    rng = np.random.default_rng(24)
    fair = np.where(rng.random((200_000, 5)) < 0.51, 1.0, -1.0)
    final = np.exp(log_wealth(fair, 0.02, grid_stakes())[:, -1])
    assert final.mean() <= 1.0 + 4 * final.std() / math.sqrt(len(final))
    assert (log_wealth(fair, 0.02, grid_stakes()).max(axis=1) >= math.log(bar(ALPHA, 1))).mean() <= ALPHA / 2
