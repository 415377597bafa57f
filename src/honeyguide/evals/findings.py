"""From paired differences to a finding: what may be said of a candidate, and what would be needed to say more."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from honeyguide.evals.betting import Stakes, e_values, learn_stakes
from honeyguide.evals.finding import LABELS as LABELS
from honeyguide.evals.finding import Finding as Finding
from honeyguide.evals.looks import bar
from honeyguide.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from honeyguide.evals.slices import SliceResult

LEAST_PAIRS: Final = 12
"""Under this many paired examples nothing is ever called improved."""
MOST_UNSCORED: Final = 0.2
"""Above this share of missing verdicts the judge is not usable."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """The numbers that decide; part of every receipt.

    Attributes:
        alpha: the error that all looks at one holdout together may make.
        min_delta: the smallest gain worth a change, in score (0 to 1).
        max_regression: the largest loss that still counts as none.
        futility: evidence of harm at which spending stops although harm is not shown yet; ``None``: only once it is.
        least_pairs, most_unscored: as the constants of the module.
    """

    alpha: float = 0.05
    min_delta: float = 0.02
    max_regression: float = 0.05
    futility: float | None = None
    least_pairs: int = LEAST_PAIRS
    most_unscored: float = MOST_UNSCORED

    def __post_init__(self) -> None:
        if not 0.0 < self.alpha < 1.0:
            raise InvalidInput(f"alpha is {self.alpha}; it must lie between 0 and 1.")
        if not 0.0 <= self.min_delta < 1.0 or not 0.0 <= self.max_regression < 1.0:
            raise InvalidInput("The smallest gain and the largest loss must lie between 0 and 1.")
        if self.least_pairs < LEAST_PAIRS:
            raise InvalidInput(f"At least {LEAST_PAIRS} paired examples are needed to call anything improved.")
        if not 0.0 <= self.most_unscored <= MOST_UNSCORED:
            raise InvalidInput(f"At most {MOST_UNSCORED:.0%} of the verdicts may be missing.")


@dataclass(frozen=True, slots=True)
class StakePlan:
    """The stakes of the three processes, learnt on development data before the holdout is opened."""

    gain: Stakes
    safety: Stakes
    harm: Stakes

    @classmethod
    def learn(cls, development: Sequence[float], thresholds: Thresholds) -> StakePlan:
        """Return the stakes for differences like those of ``development``."""
        return cls(
            gain=learn_stakes(development, thresholds.min_delta),
            safety=learn_stakes(development, -thresholds.max_regression),
            harm=learn_stakes([-d for d in development], thresholds.max_regression),
        )

    def to_json(self) -> dict[str, list[list[float]]]:
        """Return the stakes of each process as plain data."""
        return {"gain": self.gain.to_json(), "safety": self.safety.to_json(), "harm": self.harm.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Sequence[Sequence[float]]]) -> StakePlan:
        """Read what ``to_json`` wrote. Raises InvalidInput."""
        try:
            return cls(*(Stakes.from_json(data[name]) for name in ("gain", "safety", "harm")))
        except KeyError as error:
            raise InvalidInput("The stakes of this proof cannot be read.") from error


@dataclass(frozen=True, slots=True)
class Evidence:
    """The highest e-value that each process reached.

    Attributes:
        gain: against "the mean gain is at most ``min_delta``".
        safety: against "the mean loss is at least ``max_regression``".
        harm: against "the mean loss is at most ``max_regression``".
        gain_path: the evidence for a gain after each pair.
    """

    gain: float
    safety: float
    harm: float
    gain_path: tuple[float, ...]


def weigh(differences: Sequence[float], stakes: StakePlan, thresholds: Thresholds) -> Evidence:
    """Return the evidence in paired differences, in the order in which they were seen."""
    path = e_values(differences, thresholds.min_delta, stakes.gain)
    return Evidence(
        gain=max(path, default=1.0),
        safety=max(e_values(differences, -thresholds.max_regression, stakes.safety), default=1.0),
        harm=max(e_values([-d for d in differences], thresholds.max_regression, stakes.harm), default=1.0),
        gain_path=path,
    )


def is_harm_shown(evidence: Evidence, thresholds: Thresholds) -> bool:
    """Say whether harm is shown: evidence of 1/alpha.

    The bar does not rise with the looks: the ledger guards the claim "better", and a text wrongly turned away does no
    damage.
    """
    return evidence.harm >= 1.0 / thresholds.alpha


def is_hopeless(evidence: Evidence, thresholds: Thresholds) -> bool:
    """Say whether the evidence of harm is such that the rest of the holdout need not be spent."""
    early = thresholds.futility is not None and evidence.harm >= thresholds.futility
    return early or is_harm_shown(evidence, thresholds)


@dataclass(frozen=True, slots=True)
class Conclusion:
    """A finding with its reason.

    Attributes:
        reason: stable code: ``gain-shown``, ``harm-shown``, ``harm-excluded``, ``not-enough-evidence``,
            ``too-few-examples``, ``judge-not-usable``, ``looks-worse``, ``guard-fell``.
        because: the same in one plain sentence.
    """

    finding: Finding
    reason: str
    because: str


def conclude(
    n: int,
    evidence: Evidence,
    thresholds: Thresholds,
    *,
    look: int = 1,
    unscored_share: float = 0.0,
    fallen_slices: Sequence[SliceResult] = (),
    correctness_fell: bool = False,
    failed_guards: Sequence[str] = (),
) -> Conclusion:
    """Return what may be said. The order of the rules is the order of their weight.

    Args:
        n: paired examples.
        look: number of this look at the holdout, from the ledger; it raises the bar.
        failed_guards: names of guards outside the measurement that fell (a gate).
    """
    needed = bar(thresholds.alpha, look)
    if unscored_share > thresholds.most_unscored:
        return Conclusion(
            Finding.INCONCLUSIVE,
            "judge-not-usable",
            f"{unscored_share:.0%} of the verdicts are missing; up to {thresholds.most_unscored:.0%} would do.",
        )
    if is_harm_shown(evidence, thresholds):
        return Conclusion(Finding.REJECTED, "harm-shown", "The proposed text does worse on unseen cases.")
    if n < thresholds.least_pairs:
        return Conclusion(
            Finding.INCONCLUSIVE,
            "too-few-examples",
            f"There are {n} comparable cases; under {thresholds.least_pairs} nothing is called better.",
        )
    if evidence.gain >= needed:
        return _guarded(fallen_slices, correctness_fell, failed_guards)
    if evidence.safety >= needed and not fallen_slices and not correctness_fell:
        return Conclusion(
            Finding.REGRESSION_SAFE,
            "harm-excluded",
            f"A loss of more than {100 * thresholds.max_regression:g} points is excluded; a gain is not proven."
            + _charged(evidence, thresholds, look),
        )
    if is_hopeless(evidence, thresholds):
        return Conclusion(Finding.INCONCLUSIVE, "looks-worse", "It looked worse, so the rest was not spent.")
    because = "Neither a gain nor its absence is proven." + _charged(evidence, thresholds, look)
    if fallen_slices:
        because += f" It got worse for {_named(fallen_slices)}."
    return Conclusion(Finding.INCONCLUSIVE, "not-enough-evidence", because)


def _charged(evidence: Evidence, thresholds: Thresholds, look: int) -> str:
    """Say that only earlier looks at the same cases stand between this gain and its proof; empty when they do not."""
    if look == 1 or evidence.gain < bar(thresholds.alpha, 1):
        return ""
    return (
        f" It would be at a first look; {look - 1} earlier tries on the same cases raised the bar"
        f" from {bar(thresholds.alpha, 1):.0f} to {bar(thresholds.alpha, look):.0f}, and its evidence is"
        f" {evidence.gain:.0f}."
    )


def _guarded(slices: Sequence[SliceResult], correctness_fell: bool, failed_guards: Sequence[str]) -> Conclusion:
    if correctness_fell:
        return Conclusion(Finding.INCONCLUSIVE, "guard-fell", "The score rose, but the answers became less correct.")
    if slices:
        return Conclusion(Finding.INCONCLUSIVE, "guard-fell", f"Better on the whole, but worse for {_named(slices)}.")
    if failed_guards:
        return Conclusion(
            Finding.INCONCLUSIVE,
            "guard-fell",
            f"Better on the whole, but these checks failed: {', '.join(failed_guards)}.",
        )
    return Conclusion(Finding.VERIFIED_IMPROVEMENT, "gain-shown", "The proposed text does better on unseen cases.")


def _named(slices: Sequence[SliceResult]) -> str:
    return ", ".join(f"{s.key} {s.value}" for s in slices)
