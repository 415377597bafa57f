"""An edit on trial: where it was on, where it was off, and what that says.

Every answer tells of every edit at once. Three things are compared between answers with the edit and without it:
the score on the examples that the edit speaks about; how often the kind of failure appears that the edit was
made for; and the score on all examples. Answers count only where the kept edits of the same concern were the same.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum

from honeyguide.evolution.racing.edits import Edit

FLAT = 0.05
"""A score this low says nothing of single kinds of failure: the whole answer was lost."""
LEAST_VARIANCE = 0.01
PRIOR_VARIANCE = 0.06
"""A guess at the variance of a score, worth ``PRIOR_WEIGHT`` answers."""
PRIOR_WEIGHT = 4.0
FEWER = (0.35, 0.85)
MORE = (-0.6,)
RISES = (0.4, 0.9)
NAMED = 8.0
"""How much likelier an edit was made for a kind of failure that it names than for another one shown with it."""
WHOLE_STEPS = (0.04, 0.1)
WHOLE_WEIGHT = 0.7
"""What the score on all examples weighs beside the narrower comparisons."""


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
        kinds: the kinds of failure that were found in it.
        expected: what such an answer scored on average, for comparing different examples.
    """

    example: int
    mask: int
    score: float
    kinds: frozenset[str]
    expected: float


@dataclass(slots=True)
class Sum:
    """Count, sum and sum of squares."""

    n: float = 0
    total: float = 0.0
    squares: float = 0.0

    def add(self, value: float) -> None:
        self.n += 1
        self.total += value
        self.squares += value * value


@dataclass(slots=True)
class Channel:
    """One comparison. ``need``: edits that have to be on for an answer to count."""

    need: int = 0
    on: Sum = field(default_factory=Sum)
    off: Sum = field(default_factory=Sum)

    def count(self, kind: str, answer: Answer, bit: int) -> None:
        """Count whether a failure of ``kind`` appeared; a lost answer that does not show it says nothing."""
        has = kind in answer.kinds
        if has or answer.score > FLAT:
            (self.on if answer.mask & bit else self.off).add(float(has))

    def gain_in_score(self, steps: Sequence[float]) -> float:
        """Return the log likelihood ratio of "the score rises by one of ``steps``" to "it stays the same"."""
        on, off = self.on, self.off
        if not on.n or not off.n:
            return 0.0
        inside = (on.squares - on.total * on.total / on.n) + (off.squares - off.total * off.total / off.n)
        variance = (inside + PRIOR_WEIGHT * PRIOR_VARIANCE) / max(on.n + off.n - 2 + PRIOR_WEIGHT, 1.0)
        precision = on.n * off.n / (on.n + off.n) / max(variance, LEAST_VARIANCE)
        seen = on.total / on.n - off.total / off.n
        return _log_mean([precision * step * (seen - step / 2) for step in steps])

    def fewer_failures(self, shares: Sequence[float]) -> float:
        """Return the log likelihood ratio of "one of ``shares`` of the failures goes away" to "none does"."""
        on, off = self.on, self.off
        if not on.n or not off.n:
            return 0.0
        before = (off.total + 0.5) / (off.n + 1)
        sure = off.n / (on.n + off.n)
        found = []
        for share in shares:
            after = min(before * (1 - share), 0.97)
            found.append(on.total * math.log(after / before) + (on.n - on.total) * math.log((1 - after) / (1 - before)))
        return _log_mean([sure * ratio for ratio in found])


@dataclass(slots=True)
class Switch:
    """An edit with its record.

    Attributes:
        number: its place in the order of application; its bit in masks.
        focus: the examples that it speaks about; empty when that is not known.
        kinds: the comparison for each kind of failure that it may have been made for.
        votes: how often it was proposed.
    """

    number: int
    edit: Edit
    focus: frozenset[int]
    kinds: dict[str, Channel]
    named: frozenset[str] = frozenset()
    narrow: Channel = field(default_factory=Channel)
    whole: Channel = field(default_factory=Channel)
    state: State = State.TRIAL
    votes: int = 1
    doubts: int = 0
    drops: int = 0
    is_refuted: bool = False
    last_chance: int = 0
    born: int = 0

    @property
    def bit(self) -> int:
        return 1 << self.number

    @property
    def tried(self) -> float:
        """Answers with it on that can tell something of it."""
        return self.narrow.on.n if self.focus else self.whole.on.n

    def add(self, answer: Answer, *, recent: bool) -> None:
        """Count one answer. ``recent``: given since the edit came about, when on or off was drawn by lot."""
        is_on = bool(answer.mask & self.bit)
        if answer.example in self.focus and (recent or answer.mask & self.narrow.need == self.narrow.need):
            (self.narrow.on if is_on else self.narrow.off).add(answer.score)
        for kind, channel in self.kinds.items():
            if recent or answer.mask & channel.need == channel.need:
                channel.count(kind, answer, self.bit)
        if recent:
            (self.whole.on if is_on else self.whole.off).add(answer.score - answer.expected)

    def fade(self, share: float) -> None:
        """Let what was counted so far weigh ``share`` of what it did."""
        for channel in (self.narrow, self.whole, *self.kinds.values()):
            for side in (channel.on, channel.off):
                side.n, side.total, side.squares = side.n * share, side.total * share, side.squares * share

    def kind_gains(self) -> list[tuple[float, str]]:
        """Return for each kind of failure the log likelihood ratio that it became rarer, weighed by how likely it was meant."""
        total = sum(NAMED if kind in self.named else 1.0 for kind in self.kinds)
        return [
            (channel.fewer_failures(FEWER) + math.log((NAMED if kind in self.named else 1.0) / total), kind)
            for kind, channel in self.kinds.items()
        ]

    def narrow_kinds(self) -> None:
        """Watch only the kinds that it names or, when it names none, the one that it most likely makes rarer."""
        best = max(self.kind_gains(), default=None)
        if self.named:
            self.kinds = {kind: channel for kind, channel in self.kinds.items() if kind in self.named}
        elif best is not None:
            self.kinds = {best[1]: self.kinds[best[1]]}

    def chances(self, prior: tuple[float, float, float]) -> tuple[float, float]:
        """Return how likely it helps and how likely it harms. ``prior``: of helping, doing nothing, harming."""
        good = harm = 0.0
        if self.kinds:
            good += _log_sum([gain for gain, _ in self.kind_gains()])
        if self.focus and self.narrow.on.n and self.narrow.off.n:
            without = self.narrow.off.total / self.narrow.off.n
            with_it = self.narrow.on.total / self.narrow.on.n
            low = (without + with_it) / 2
            good += self.narrow.gain_in_score([step * max(1 - low, 0.1) for step in RISES])
            harm += self.narrow.gain_in_score([-step * max(low, 0.1) for step in RISES])
        good += WHOLE_WEIGHT * self.whole.gain_in_score(WHOLE_STEPS)
        harm += WHOLE_WEIGHT * self.whole.gain_in_score([-step for step in WHOLE_STEPS])
        if self.kinds:
            harm += max(0.0, _log_mean([c.fewer_failures(MORE) for c in self.kinds.values()]))
        a, b = math.exp(min(good, 50.0)) * prior[0], math.exp(min(harm, 50.0)) * prior[2]
        whole = a + b + prior[1]
        return a / whole, b / whole


def _log_mean(values: Sequence[float]) -> float:
    return _log_sum(values) - math.log(len(values))


def _log_sum(values: Sequence[float]) -> float:
    top = max(values)
    return top + math.log(sum(math.exp(value - top) for value in values))
