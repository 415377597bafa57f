"""An edit on trial: where it was on, where it was off, and how likely it helps.

Every answer tells of every edit at once. Three things are compared between answers with an edit and without it:
the score on the examples that it speaks about, how often the kind of failure appears that it was made for, and the
score on all examples.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from honeyguide.evolution.racing.edits import Edit
from honeyguide.evolution.racing.likelihood import Comparison, log_mean, log_sum

LOST = 0.05
"""A score this low says nothing of single kinds of failure: the whole answer was lost."""
FEWER = (0.35, 0.85)
"""Shares of a kind of failure that an edit which helps may take away."""
MORE = (-0.6,)
RISES = (0.4, 0.9)
"""What such an edit may win of what is missing on the examples it speaks about; or lose of what is there."""
STEPS = (0.04, 0.1)
"""By how much it may lift the mean score of all examples."""
STEPS_WEIGHT = 0.7
"""All examples tell the same again, with more noise; so that evidence is not counted in full."""
NAMED = 8.0
"""How much likelier an edit was made for a kind of failure that it names than for another one shown with it."""
NO_EFFECT = 0.6
"""The share of "changes nothing" among edits that do not help; the rest harms."""


class State(Enum):
    """Where an edit stands."""

    TRIAL = "trial"
    KEPT = "kept"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class Answer:
    """One graded answer.

    Attributes:
        example: the number of the example.
        mask: the edits that were on, as bits.
        score: ``None`` when it could not be scored.
        kinds: the kinds of failure that were found in it.
        expected: what answers to this example scored so far, drawn towards the level of all.
    """

    example: int
    mask: int
    score: float | None
    kinds: frozenset[str] = frozenset()
    expected: float = 0.0


@dataclass(slots=True)
class Switch:
    """An edit with its record.

    Attributes:
        number: its place in the order of application, and its bit in masks.
        focus: the examples that it speaks about; empty when that is not known.
        kinds: the comparison for each kind of failure that it may have been made for.
        named: those of them that its line names.
        born: how many answers there were when it came about.
        votes: how often it was proposed.
        drops: how often it was dropped.
        tried_before: what ``tried`` was when its present trial began.
        is_refuted: whether it was dropped for good.
        chance: how likely it helps, as of the last look.
    """

    number: int
    edit: Edit
    focus: frozenset[int] = frozenset()
    kinds: dict[str, Comparison] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    born: int = 0
    narrow: Comparison = field(default_factory=Comparison)
    whole: Comparison = field(default_factory=Comparison)
    state: State = State.TRIAL
    votes: int = 1
    drops: int = 0
    tried_before: float = 0.0
    is_refuted: bool = False
    chance: float = 0.0
    bit: int = field(init=False)

    def __post_init__(self) -> None:
        self.bit = 1 << self.number

    @property
    def speaks(self) -> bool:
        """Whether it names cases or a kind of failure."""
        return bool(self.focus or self.named)

    @property
    def main(self) -> Comparison:
        """The comparison that says how much is known: the narrow one where cases are named."""
        return self.narrow if self.focus else self.whole

    @property
    def tried(self) -> float:
        """Answers with it on that can tell something of it."""
        return self.main.on.n

    def add(self, answer: Answer, *, recent: bool) -> None:
        """Count a scored answer. ``recent``: given in the edit's time, when on or off was drawn by lot."""
        if answer.score is None:
            return
        is_on = bool(answer.mask & self.bit)
        narrow = self.narrow
        if answer.example in self.focus and (recent or answer.mask & narrow.need == narrow.need):
            (narrow.on if is_on else narrow.off).add(answer.score)
        for kind, comparison in self.kinds.items():
            if recent or answer.mask & comparison.need == comparison.need:
                count_kind(comparison, kind, answer, is_on=is_on)
        if recent:
            (self.whole.on if is_on else self.whole.off).add(answer.score - answer.expected)

    def fade(self, share: float) -> None:
        """Let what was counted so far weigh ``share`` of what it did."""
        for comparison in (self.narrow, self.whole, *self.kinds.values()):
            comparison.fade(share)

    def watch_own_kinds(self) -> None:
        """From now on watch only the kinds that it names, and the one that it most likely makes rarer."""
        ratios = self._kind_ratios()
        best = max(self.kinds, key=lambda kind: (ratios[kind], kind), default=None)
        self.kinds = {kind: comparison for kind, comparison in self.kinds.items() if kind in self.named or kind == best}

    def look(self, prior: float) -> None:
        """Set ``chance``. ``prior``: how likely it helps before its own answers are counted."""
        helps, harms = self._log_ratios()
        good = math.exp(min(helps, 50.0)) * prior
        bad = math.exp(min(harms, 50.0)) * (1.0 - prior) * (1.0 - NO_EFFECT)
        self.chance = good / (good + bad + (1.0 - prior) * NO_EFFECT)

    def _log_ratios(self) -> tuple[float, float]:
        helps = STEPS_WEIGHT * self.whole.score_rises(STEPS)
        harms = STEPS_WEIGHT * self.whole.score_rises([-step for step in STEPS])
        if self.kinds:
            helps += log_sum(list(self._kind_ratios().values()))
            harms += max(0.0, log_mean([c.failures_fall(MORE) for c in self.kinds.values()]))
        if self.narrow.on.n and self.narrow.off.n:
            level = (self.narrow.on.mean + self.narrow.off.mean) / 2.0
            helps += self.narrow.score_rises([rise * max(1.0 - level, 0.1) for rise in RISES])
            harms += self.narrow.score_rises([-rise * max(level, 0.1) for rise in RISES])
        return helps, harms

    def _kind_ratios(self) -> dict[str, float]:
        """For each kind the log ratio that it became rarer, plus the log of how likely it was the one meant."""
        weights = {kind: NAMED if kind in self.named else 1.0 for kind in self.kinds}
        total = sum(weights.values())
        return {
            kind: comparison.failures_fall(FEWER) + math.log(weights[kind] / total)
            for kind, comparison in self.kinds.items()
        }


def count_kind(comparison: Comparison, kind: str, answer: Answer, *, is_on: bool) -> None:
    """Count whether a failure of ``kind`` appeared; a lost answer that does not show it says nothing."""
    has = kind in answer.kinds
    if has or (answer.score is not None and answer.score > LOST):
        (comparison.on if is_on else comparison.off).add(float(has))
