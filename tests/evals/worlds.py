"""Worlds with a known truth, for calibration: paired differences as a measurement with r verdicts would give them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Draw = Callable[[np.random.Generator, int, int], npt.NDArray[np.float64]]
"""Takes a generator, the number of measurements and of examples; returns differences, one row a measurement."""


def graded(sd: float, lift: float = 0.0, repeats: int = 2) -> Draw:
    """Scores in [0, 1]: an example's own level plus noise in every verdict."""

    def draw(rng: np.random.Generator, runs: int, n: int) -> npt.NDArray[np.float64]:
        level = rng.uniform(0.2, 0.8 - lift, (1, runs, n))
        base = np.clip(level + rng.normal(0, sd, (repeats, runs, n)), 0, 1)
        cand = np.clip(level + lift + rng.normal(0, sd, (repeats, runs, n)), 0, 1)
        return cand.mean(axis=0) - base.mean(axis=0)

    return draw


def binary(wrong: float, wins: float = 0.0, losses: float = 0.0, repeats: int = 2) -> Draw:
    """Pass or fail: some examples are won, some lost, the rest alike; each verdict is wrong with a set chance."""

    def draw(rng: np.random.Generator, runs: int, n: int) -> npt.NDArray[np.float64]:
        kind, passes = rng.random((runs, n)), rng.random((runs, n)) < 0.6
        better = np.where(kind < wins, True, np.where(kind < wins + losses, False, passes))
        worse = np.where(kind < wins, False, np.where(kind < wins + losses, True, passes))
        verdicts = [truth ^ (rng.random((repeats, runs, n)) < wrong) for truth in (better, worse)]
        return verdicts[0].mean(axis=0) - verdicts[1].mean(axis=0)

    return draw


def flaky(repeats: int = 2) -> Draw:
    """Pass or fail with a chance of each example's own; every answer is a new draw, the same for both texts."""

    def draw(rng: np.random.Generator, runs: int, n: int) -> npt.NDArray[np.float64]:
        chance = rng.uniform(0.05, 0.95, (1, runs, n))
        first, second = (rng.random((repeats, runs, n)) < chance for _ in range(2))
        return first.mean(axis=0) - second.mean(axis=0)

    return draw


def independent(wins: float, losses: float, repeats: int = 2) -> Draw:
    """Each verdict on its own is a win, a loss or a tie."""

    def draw(rng: np.random.Generator, runs: int, n: int) -> npt.NDArray[np.float64]:
        kind = rng.random((repeats, runs, n))
        return np.where(kind < wins, 1.0, np.where(kind < wins + losses, -1.0, 0.0)).mean(axis=0)

    return draw


@dataclass(frozen=True)
class NamedWorld:
    name: str
    draw: Draw
    least_power: float | None


NULL_WORLDS = {
    "verdicts 3 % wrong": binary(0.03),
    "graded, sd 0.05": graded(0.05),
    "graded, sd 0.1": graded(0.1),
    "graded, sd 0.2": graded(0.2),
    "flaky answers": flaky(),
}
POWER_WORLDS = (
    NamedWorld("graded sd 0.2, lift 0.20", graded(0.2, 0.2), 0.95),
    NamedWorld("20 % wins, no losses", binary(0.0, 0.2), 0.70),
    NamedWorld("25 % wins, 5 % losses, the same in both verdicts", binary(0.0, 0.25, 0.05), None),
    NamedWorld("25 % wins, 5 % losses, independent verdicts", independent(0.25, 0.05), None),
)
