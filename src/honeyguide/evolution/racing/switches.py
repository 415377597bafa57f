"""An edit on trial, and an answer that tells of all edits at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple

from honeyguide.evolution.racing.edits import Edit


class State(Enum):
    """Where an edit stands."""

    WAITING = "waiting"
    TRIAL = "trial"
    KEPT = "kept"
    DROPPED = "dropped"


class Answer(NamedTuple):
    """One graded answer; a tuple, because there is one for every call.

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


@dataclass(slots=True, eq=False)
class Switch:
    """An edit; what answers say of it is in the ``Tally`` while it is on trial or kept.

    Attributes:
        number: its place in the order of application, and its bit in masks.
        focus: the examples that it speaks about; empty when that is not known.
        named: the kinds of failure that its line names.
        source: the strategy that brought it.
        kinds: the kinds of failure that it is watched on, those it names first.
        votes: how often it was proposed.
        drops: how often it was dropped.
        tried: answers with it on that can tell something of it.
        compared: answers of the same sort with it off.
        tried_before: what ``tried`` was when its present trial began.
        is_refuted: whether it was dropped for good.
        chance: how likely it helps, as of the last look.
        record: what the tally knew of it when it was dropped.
    """

    number: int
    edit: Edit
    focus: frozenset[int] = frozenset()
    named: frozenset[str] = frozenset()
    source: str = "baseline"
    kinds: tuple[str, ...] = ()
    state: State = State.TRIAL
    votes: int = 1
    drops: int = 0
    tried: float = 0.0
    compared: float = 0.0
    tried_before: float = 0.0
    is_refuted: bool = False
    chance: float = 0.0
    record: Any = None
    bit: int = field(init=False)

    def __post_init__(self) -> None:
        self.bit = 1 << self.number

    @property
    def speaks(self) -> bool:
        """Whether it names cases or a kind of failure."""
        return bool(self.focus or self.named)

    @property
    def line(self) -> str:
        """The line that it is about."""
        return self.edit.new if self.edit.new is not None else self.edit.old or ""
