"""The numbers of the racing search. What each was chosen from: docs/search.md."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt

from honeyguide.kernel.errors import InvalidInput

MOST_CLOSING = 0.2
"""The share that a closing part may have at most."""


@dataclass(frozen=True, slots=True)
class Odds:
    """When an edit is kept, dropped, shown or put in doubt. Chances are posterior probabilities that it helps.

    Attributes:
        prior: how often an edit helps before anything is known of this search.
        prior_weight: how many decided edits that guess is worth.
        memory: decided edits that the search learns its own share from.
        keep_at: chance from which an edit is kept.
        drop_at: chance at which it is dropped.
        hope: chance under which patience ends.
        least: answers with the edit on before anything is decided.
        patience: answers with the edit on after which a hopeless one is dropped; half of it where cases are named.
        vote: how much each further proposal of the same edit adds to its prior, as a share of it.
        recall: what a dropped edit's evidence weighs when it gets another chance.
        kept_prior: the prior of an edit that was kept once.
        unnamed_toll: what that prior is lower for an edit that names neither cases nor a kind of failure.
        stay_at: chance under which a kept edit is dropped again.
        lead_at: chance from which an edit on trial belongs to the text that would be returned now.
        lead_kept: the same for a kept edit.
        review: how often a kept edit is off although nothing speaks against it.
        trust: how much oftener per unit of doubt.
        reviews: most kept edits that are off at once.
        last_review: what ``review`` is at least in the closing part of a search.
        forget: what a kept edit's evidence weighs after each look; 1 never forgets.
    """

    prior: float = 0.4
    prior_weight: float = 10.0
    memory: int = 24
    keep_at: float = 0.9
    drop_at: float = 0.05
    hope: float = 0.35
    least: int = 6
    patience: int = 36
    vote: float = 0.6
    recall: float = 0.35
    kept_prior: float = 0.7
    unnamed_toll: float = 0.4
    stay_at: float = 0.2
    lead_at: float = 0.6
    lead_kept: float = 0.7
    review: float = 0.08
    trust: float = 0.6
    reviews: int = 3
    last_review: float = 0.2
    forget: float = 0.998


@dataclass(frozen=True, slots=True)
class RacingSettings:
    """How much the search may do, and how it spends it.

    Attributes:
        evaluations: most graded answers of the search, without the last measurement.
        anchor: validation examples of the last measurement.
        calls_per_reflection: graded answers asked for, for each reflection that may be asked for.
        first_look: training examples that the present text is run on before the first reflection.
        ahead: graded answers under way or waiting. Results are used in the order in which they were asked for.
        lag: graded answers that are used at least between asking for a reflection and using it.
        lasts: how many graded answers one slot brings while one reflection is under way.
        slots: calls that are under way at once; with ``lasts`` this says when a reflection will be there.
        ramp: how long a reflection may be under way, as a share of the answers so far: early ones are waited for.
        early: graded answers after which the first reflection is asked for.
        trials: most edits on trial at once; others wait, those that were proposed most often first.
        kinds: kinds of failure that one reflection is about.
        candidates: kinds of failure that an edit without a name for its own is watched on.
        shown: most failures in one reflection.
        good: answers without fault beside them, for contrast.
        optimism: how much oftener than its chance an edit on trial is on.
        draws: combinations that are drawn to pick the one which tells most.
        closing: the share of 400 evaluations at the end in which no new edit is tried and those kept are tested; it
            grows with the root of their number, because the last ideas of a long search bring little, and a text with
            many edits has many to test.
        dry: reflections in a row without a new edit, and nothing on trial, that end the search.
    """

    evaluations: int = 400
    anchor: int = 60
    calls_per_reflection: int = 8
    first_look: int = 24
    ahead: int = 16
    lag: int = 6
    lasts: float = 6.0
    slots: int = 8
    ramp: float = 0.7
    early: int = 8
    trials: int = 10
    kinds: int = 3
    candidates: int = 6
    shown: int = 9
    good: int = 3
    optimism: float = 0.2
    draws: int = 4
    closing: float = 0.06
    dry: int = 8
    odds: Odds = Odds()

    def __post_init__(self) -> None:
        sizes = (
            self.anchor, self.calls_per_reflection, self.first_look, self.ahead, self.trials, self.kinds,
            self.candidates, self.shown, self.draws, self.dry, self.slots, self.lag, self.early,
        )  # fmt: skip
        if min(sizes) < 1 or min(self.evaluations, self.good, self.lasts, self.ramp) < 0:
            raise InvalidInput("A racing search needs at least one of everything.")
        if self.odds.drop_at >= self.odds.keep_at:
            raise InvalidInput("An edit cannot be dropped on better evidence than it is kept on.")

    @property
    def closing_evaluations(self) -> float:
        """How many evaluations at the end are for what is kept."""
        return self.evaluations * min(self.closing * sqrt(self.evaluations / 400), MOST_CLOSING)

    def most(self, fits: Callable[[int, int], bool]) -> int:
        """Return how many of its evaluations there is room for; ``fits`` is asked with them and their reflections."""

        def is_too_much(evaluations: int) -> bool:
            return not fits(evaluations, evaluations // self.calls_per_reflection)

        if not is_too_much(self.evaluations):
            return self.evaluations
        return max(bisect_left(range(self.evaluations), True, key=is_too_much) - 1, 0)
