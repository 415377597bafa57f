"""The betting e-process: evidence for a gain that may be looked at, stopped and continued at any time.

Paired differences d_i in [-1, 1] arrive one by one. Against the claim "the mean difference is at most delta" a gambler
starts with 1 and stakes the share lambda on each: E_t = prod (1 + lambda (d_i - delta) / (1 + delta)). If the claim is
true the wealth cannot be expected to grow, so P(sup_t E_t >= 1/alpha) <= alpha whatever the stopping rule.

Sources: J. Ville, *Etude critique de la notion de collectif* (1939), for the inequality; I. Waudby-Smith and A. Ramdas,
"Estimating means of bounded random variables by betting", JRSS B 86 (2024), for the bets; J. L. Kelly, "A new
interpretation of information rate", Bell System Technical Journal 35 (1956), for the stake.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from honeyguide.kernel.errors import InvalidInput

Floats = npt.NDArray[np.float64]

GRID: Final = (0.02, 0.05, 0.1, 0.2, 0.3, 0.45, 0.6, 0.75, 0.9)
"""Stakes that are always in the mixture, so that a wrong lesson from development data costs power, never validity."""
GRID_SHARE: Final = 0.2
LEARNT_SHARE: Final = 0.4
"""Weight of each of the two learnt stakes; the grid shares the rest."""
KELLY_STEPS: Final = np.arange(0, 49) / 50.0
"""Stakes that are tried on development data: 0 to 0.96."""
LEAST_LEARNT: Final = (0.05, 0.1)
"""Floors of the half and the 0.9 Kelly stake: a stake of 0 could never learn anything."""
HINT, GOOD, STRONG = 3.0, 10.0, 20.0
"""What an e-value is called in words."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """A mixture of stakes in [0, 1) with weights that sum to 1, fixed before the first sealed example is seen."""

    shares: tuple[float, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.shares) != len(self.weights) or not self.shares:
            raise InvalidInput("Every stake needs one weight.")
        if not all(0.0 <= share < 1.0 for share in self.shares):
            raise InvalidInput("A stake must lie in [0, 1).")
        if min(self.weights) < 0 or abs(sum(self.weights) - 1.0) > 1e-9:
            raise InvalidInput("The weights of the stakes must be non-negative and sum to 1.")

    def to_json(self) -> list[list[float]]:
        """Return ``[[share, weight], …]``; ``from_json`` reads it back to the last bit."""
        return [[share, weight] for share, weight in zip(self.shares, self.weights, strict=True)]

    @classmethod
    def from_json(cls, data: Sequence[Sequence[float]]) -> Stakes:
        """Read what ``to_json`` wrote. Raises InvalidInput."""
        try:
            return cls(tuple(float(share) for share, _ in data), tuple(float(weight) for _, weight in data))
        except (TypeError, ValueError) as error:
            raise InvalidInput("The stakes of this proof cannot be read.") from error


def grid_stakes() -> Stakes:
    """Return the grid alone, for when there is no development data."""
    return Stakes(GRID, tuple(1.0 / len(GRID) for _ in GRID))


def kelly_stake(development: Sequence[float], delta: float) -> float:
    """Return the stake out of 0, 0.02, … 0.96 under which ``development`` would have grown most."""
    payoffs = _payoffs(np.asarray(development, dtype=np.float64), delta)
    growth = np.log1p(np.multiply.outer(KELLY_STEPS, payoffs)).sum(axis=-1)
    return float(KELLY_STEPS[int(np.argmax(growth))])


def learn_stakes(development: Sequence[float], delta: float) -> Stakes:
    """Return half and 0.9 of the Kelly stake of ``development`` (weight 0.4 each) with the grid (0.2 together).

    ``development`` must be independent of the examples the stakes are used on. Without it the grid stands alone.
    """
    if len(development) == 0:
        return grid_stakes()
    best = kelly_stake(development, delta)
    learnt = (max(LEAST_LEARNT[0], 0.5 * best), max(LEAST_LEARNT[1], 0.9 * best))
    return Stakes(
        (*learnt, *GRID),
        (LEARNT_SHARE, LEARNT_SHARE, *(GRID_SHARE / len(GRID) for _ in GRID)),
    )


def log_wealth(differences: npt.ArrayLike, delta: float, stakes: Stakes) -> Floats:
    """Return log E_t after each difference, along the last axis (leading axes are separate processes).

    Raises:
        InvalidInput: a difference outside [-1, 1], or a delta outside (-1, 1).
    """
    payoffs = _payoffs(np.asarray(differences, dtype=np.float64), delta)
    shares = np.asarray(stakes.shares)
    with np.errstate(divide="ignore"):
        weights = np.log(np.asarray(stakes.weights))
    paths = np.cumsum(np.log1p(payoffs[..., None] * shares), axis=-2) + weights
    highest = paths.max(axis=-1)
    summed: Floats = highest + np.log(np.exp(paths - highest[..., None]).sum(axis=-1))
    return summed


def e_values(differences: Sequence[float], delta: float, stakes: Stakes) -> tuple[float, ...]:
    """Return E_t after each difference, against the claim that the mean difference is at most ``delta``."""
    if len(differences) == 0:
        return ()
    logs = np.minimum(log_wealth(differences, delta, stakes), 700.0)
    return tuple(float(value) for value in np.exp(logs))


def growth_rates(differences: npt.ArrayLike, delta: float, stakes: Stakes) -> Floats:
    """Return the mean growth of log E per example for each stake; none above 0 means that E will not grow."""
    payoffs = _payoffs(np.asarray(differences, dtype=np.float64), delta)
    rates: Floats = np.log1p(np.multiply.outer(payoffs, np.asarray(stakes.shares))).mean(axis=0)
    return rates


def in_words(e_value: float) -> str:
    """Return what an e-value amounts to: ``no evidence``, ``a hint``, ``good evidence``, ``strong evidence``."""
    if e_value >= STRONG:
        return "strong evidence"
    if e_value >= GOOD:
        return "good evidence"
    return "a hint" if e_value >= HINT else "no evidence"


def _payoffs(differences: Floats, delta: float) -> Floats:
    if not -1.0 < delta < 1.0:
        raise InvalidInput(f"A smallest difference of {delta} makes no sense; it must lie between -1 and 1.")
    if differences.size and not bool((np.abs(differences) <= 1.0 + 1e-9).all()):
        raise InvalidInput("Differences of scores must lie in [-1, 1].")
    return (np.clip(differences, -1.0, 1.0) - delta) / (1.0 + delta)
