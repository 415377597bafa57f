"""The numbers of the racing search."""

from __future__ import annotations

from dataclasses import dataclass

from honeyguide.kernel.errors import InvalidInput


@dataclass(frozen=True, slots=True)
class RacingSettings:
    """How much the search may do, and when an edit is kept or dropped.

    Attributes:
        evaluations: most graded answers of the search.
        calls_per_reflection: graded answers for each reflection that may be asked for.
        first_look: training examples that the present text is run on before the first reflection.
        ahead: graded answers under way or waiting; results are used in the order in which they were asked for.
        arm: how many examples a combination of edits runs on before the next one is drawn.
        trials: most edits on trial at once.
        kinds: most kinds of failure in one reflection.
        shown: most failures in one reflection.
        good: answers without fault beside them, for contrast.
        keep_at: evidence (standard deviations) at which an edit is kept.
        drop_at: evidence at which it is dropped.
        least: answers with the edit before anything is decided.
        patience: answers with the edit after which it is dropped when nothing speaks for it.
    """

    evaluations: int = 400
    calls_per_reflection: int = 8
    first_look: int = 24
    ahead: int = 12
    arm: int = 1
    trials: int = 10
    kinds: int = 3
    shown: int = 9
    good: int = 3
    keep_at: float = 0.8
    drop_at: float = 0.05
    least: int = 6
    patience: int = 36
    hope: float = 0.35
    optimism: float = 0.2
    trust: float = 0.6
    review: float = 0.02
    stay_at: float = 0.2
    lead_at: float = 0.5
    prior: float = 0.4
    memory: int = 24
    doubtful: float = 10.0
    draws: int = 4
    vote: float = 0.6
    candidates: int = 6
    reviews: int = 2
    forget: float = 0.99
    kept_prior: float = 0.7
    insist: int = 3

    def __post_init__(self) -> None:
        least = min(self.evaluations, self.calls_per_reflection, self.first_look, self.ahead, self.arm, self.trials)
        if least < 1 or min(self.kinds, self.shown, self.least, self.patience) < 1 or self.good < 0:
            raise InvalidInput("A racing search needs at least one of everything.")
        if self.drop_at >= self.keep_at:
            raise InvalidInput("An edit cannot be dropped on better evidence than it is kept on.")
