"""An edit on trial: where it was on, where it was off, and what that says.

Every answer tells of every edit at once. Three things are compared between answers with the edit and without it:
the score on the examples that the edit speaks about; how often the kind of failure appears that the edit was
made for; and the score on all examples. Answers count only where the kept edits of the same concern were the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import Enum

from honeyguide.evolution.racing.edits import Edit

FLAT = 0.05
"""A score this low says nothing of single kinds of failure: the whole answer was lost."""
LEAST_VARIANCE = 0.01
PRIOR_VARIANCE = 0.06
"""A guess at the variance of a score, worth ``PRIOR_WEIGHT`` answers."""
PRIOR_WEIGHT = 4.0
WHOLE_WEIGHT = 0.5
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

    n: int = 0
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

    def z_of_scores(self) -> float | None:
        """Return the difference of the means in standard deviations; ``None`` without both sides."""
        on, off = self.on, self.off
        if not on.n or not off.n:
            return None
        inside = (on.squares - on.total * on.total / on.n) + (off.squares - off.total * off.total / off.n)
        variance = (inside + PRIOR_WEIGHT * PRIOR_VARIANCE) / (on.n + off.n - 2 + PRIOR_WEIGHT)
        spread = math.sqrt(max(variance, LEAST_VARIANCE) * (1 / on.n + 1 / off.n))
        return (on.total / on.n - off.total / off.n) / spread

    def z_of_failures(self) -> float | None:
        """Return how much rarer failures became, in standard deviations, with half a failure added to each side."""
        on, off = self.on, self.off
        if not on.n or not off.n:
            return None
        p, q = (on.total + 0.5) / (on.n + 1), (off.total + 0.5) / (off.n + 1)
        return (q - p) / math.sqrt(p * (1 - p) / (on.n + 1) + q * (1 - q) / (off.n + 1))


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
    narrow: Channel = field(default_factory=Channel)
    whole: Channel = field(default_factory=Channel)
    state: State = State.TRIAL
    votes: int = 1
    doubts: int = 0
    born: int = 0

    @property
    def bit(self) -> int:
        return 1 << self.number

    @property
    def tried(self) -> int:
        """Answers with it on, since it came about."""
        return self.whole.on.n

    def add(self, answer: Answer, *, recent: bool) -> None:
        """Count one answer. ``recent``: given since the edit came about."""
        is_on = bool(answer.mask & self.bit)
        if self.focus and answer.example in self.focus:
            self._add_narrow(answer, is_on)
        for kind, channel in self.kinds.items():
            _add_kind(channel, kind, answer, is_on)
        if recent:
            side = self.whole.on if is_on else self.whole.off
            side.add(answer.score - answer.expected)

    def _add_narrow(self, answer: Answer, is_on: bool) -> None:
        if answer.mask & self.narrow.need == self.narrow.need:
            (self.narrow.on if is_on else self.narrow.off).add(answer.score)

    def main_kind(self) -> tuple[str, float] | None:
        """Return the kind of failure that it changes most for the better, with the evidence, less a toll for choosing."""
        found = [(channel.z_of_failures(), kind) for kind, channel in self.kinds.items()]
        best = max(((z, kind) for z, kind in found if z is not None), default=None)
        if best is None:
            return None
        return best[1], best[0] - 0.5 * math.log2(len(found)) ** 0.5 if len(found) > 1 else best[0]

    def evidence(self) -> float:
        """Return what speaks for it, in standard deviations (Stouffer's weighted sum); 0 when nothing is known."""
        parts: list[tuple[float, float]] = []
        narrow = self.narrow.z_of_scores() if self.focus else None
        if narrow is not None:
            parts.append((narrow, 1.0))
        kind = self.main_kind()
        if kind is not None:
            parts.append((kind[1], 1.0))
        whole = self.whole.z_of_scores()
        if whole is not None:
            parts.append((whole, WHOLE_WEIGHT))
        if not parts:
            return 0.0
        return sum(z * w for z, w in parts) / math.sqrt(sum(w * w for _, w in parts))


def _add_kind(channel: Channel, kind: str, answer: Answer, is_on: bool) -> None:
    has = kind in answer.kinds
    if answer.mask & channel.need != channel.need or (answer.score <= FLAT and not has):
        return
    (channel.on if is_on else channel.off).add(float(has))
