"""The race: what to run next, what to ask the mutator, and what came of it.

Pure and synchronous. Results are handed in in the order in which they were asked for, so the race decides the same
whatever finished first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from honeyguide.evolution.decisions import DecisionLog
from honeyguide.evolution.racing.board import Board
from honeyguide.evolution.racing.combining import Combining
from honeyguide.evolution.racing.edits import edits_between
from honeyguide.evolution.racing.reflecting import Reflecting, ReflectJob
from honeyguide.evolution.racing.relevance import Relevance
from honeyguide.evolution.racing.settings import RacingSettings
from honeyguide.evolution.racing.switches import Answer
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.choice import shuffled

LOOKS = ((400, 4), (800, 8), (1600, 16), (3200, 32))
LATER = 64
"""Answers between two looks at the edits: so many up to so many answers. Late ones change little each."""
LEVEL_MEMORY = 30
LEVEL_WEIGHT = 2


class RunJob(NamedTuple):
    """Run ``parts`` (the edits of ``mask`` made) on one example; a tuple, because there is one for every call."""

    parts: tuple[str, ...]
    mask: int
    example: int
    repetition: int


@dataclass(slots=True)
class Race:
    """The state of one search.

    Attributes:
        parts: the present text.
        inputs: what the examples ask, training examples first.
        train: how many of them the mutator may see.
        allowed: whether a text may be tried at all.
        key: what tells one text from all others.
        answers: the answers so far.
        about: for each example the parts that it speaks about; empty where nothing is known.
        asked: evaluations asked for.
        fruitless: reflections in a row that brought no new edit.
        faultless: answers in a row without any failure.
    """

    settings: RacingSettings
    seed: int
    parts: tuple[str, ...]
    inputs: Sequence[str]
    train: int
    log: DecisionLog
    allowed: Callable[[tuple[str, ...]], bool] = lambda parts: True
    key: Callable[[tuple[str, ...]], str] = lambda parts: sha256_hex("\x1e".join(parts))
    about: Sequence[frozenset[int]] = ()
    asked: int = 0
    fruitless: int = 0
    faultless: int = 0
    board: Board = field(init=False)
    answers: list[Answer] = field(init=False)
    _combining: Combining = field(init=False)
    _reflecting: Reflecting = field(init=False)
    _first: list[int] = field(init=False)
    _totals: list[tuple[int, float]] = field(init=False)
    _repetitions: Counter[tuple[str, int]] = field(default_factory=Counter)
    _open: int = 0
    _asked_at: dict[int, tuple[int, float]] = field(default_factory=dict)
    _level: float = 0.5

    def __post_init__(self) -> None:
        settings, seed = self.settings, self.seed
        self.board = Board(settings.odds, self.parts, Relevance(self.inputs), self.log, self.allowed, settings.trials)
        self.answers = self.board.answers
        self._combining = Combining(settings, seed, self.board, len(self.inputs))
        self._reflecting = Reflecting(settings, seed, self.board, self.train, self.about)
        self._first = shuffled(seed, range(self.train), "first")[: settings.first_look]
        self._totals = [(0, 0.0)] * len(self.inputs)

    @property
    def reflections(self) -> int:
        """Reflections asked for."""
        return self._reflecting.asked

    @property
    def leader(self) -> tuple[str, ...]:
        """The text that would be returned now."""
        return self.board.text_of(self.board.leader_mask)

    def next_reflection(self) -> ReflectJob | None:
        """Return a reflection that is due, or ``None``."""
        if not self._may_reflect() or len(self.answers) < min(self.settings.early, len(self._first)):
            return None
        if self.is_over or self._would_come_too_late():
            return None
        job = self._reflecting.next()
        if job is not None:
            self._open += 1
            self._asked_at[job.number] = (len(self.answers), self._work())
        return job

    def is_due(self, job: ReflectJob) -> bool:
        """Whether a reflection is to be used before the next answer.

        That is so when the slots have done, by the settings, as much as they can while it is under way: a number that
        depends on no clock. Early on it is sooner, because calls are worth more than slots.
        """
        settings = self.settings
        answers, work = self._asked_at[job.number]
        since = len(self.answers) - answers
        return since >= settings.lag and (
            self._work() - work >= settings.lasts * settings.slots or since >= settings.ramp * answers
        )

    def _work(self) -> float:
        """What the slots have done so far, in graded answers."""
        return len(self.answers) + self.settings.lasts * self.reflections

    def next_run(self) -> RunJob | None:
        """Return what to run next, or ``None`` when every evaluation was asked for or could change nothing."""
        if self.asked >= self.settings.evaluations or self.is_over or (self._too_late() and not self._open_question()):
            return None
        if self.asked < len(self._first):
            mask, example = 0, self._first[self.asked]
            self._combining.asked[example] += 1
        else:
            every = _every(len(self.answers))
            mask, example = self._combining.draw(every - len(self.answers) % every, closing=self._is_closing)
        self.asked += 1
        parts = self.board.text_of(mask)
        known = (self.key(parts), example)
        repetition = self._repetitions[known]
        self._repetitions[known] += 1
        return RunJob(parts, mask, example, repetition)

    def take_answer(self, job: RunJob, score: float | None, kinds: Iterable[str]) -> None:
        """Enter a result. An unscored answer (``None``) teaches nothing and is not counted as a failure."""
        runs, total = self._totals[job.example]
        expected = (total + LEVEL_WEIGHT * self._level) / (runs + LEVEL_WEIGHT)
        found = frozenset(kinds)
        self.board.enter(Answer(job.example, job.mask, score, found, expected))
        if score is not None:
            self.faultless = self.faultless + 1 if not found else 0
            self._totals[job.example] = (runs + 1, total + score)
            self._level += (score - self._level) / min(len(self.answers), LEVEL_MEMORY)
        if self.looks_after(len(self.answers)):
            self.board.judge()
            self._admit()

    @staticmethod
    def looks_after(count: int) -> bool:
        """Whether the edits are looked at when there are ``count`` answers."""
        return count % _every(count) == 0

    def take_reflection(self, job: ReflectJob, text: str | None) -> None:
        """Enter a rewrite of the part, or ``None`` for none. An empty or malformed one costs no evaluation."""
        self._open -= 1
        del self._asked_at[job.number]
        edits = edits_between(job.part, job.current, text) if text is not None and text.strip() else []
        fresh = sum(self.board.propose(edit, job.watched, job.strategy.value) for edit in edits)
        self._admit()
        self.fruitless = 0 if fresh else self.fruitless + 1
        self.log.add(
            "reflection", number=job.number, part=job.part, strategy=job.strategy.value, kinds=list(job.kinds),
            edits=len(edits), fresh=fresh,
        )  # fmt: skip

    @property
    def is_over(self) -> bool:
        """Whether more calls would bring nothing."""
        return self.is_dry or self.is_perfect

    @property
    def is_dry(self) -> bool:
        """Whether the mutator has nothing new and nothing is on trial."""
        return self.fruitless >= self.settings.dry and not self.board.tally.trials and not self._open

    @property
    def is_perfect(self) -> bool:
        """Whether answers as many as the first look had no fault, and nothing is on trial."""
        return self.faultless >= len(self._first) > 0 and not self.board.tally.trials and not self._open

    def _may_reflect(self) -> bool:
        """Whether the calls so far pay for a reflection."""
        return self.asked // self.settings.calls_per_reflection > self.reflections

    @property
    def _is_closing(self) -> bool:
        """Whether so little is left that it goes into the edits that are kept."""
        return self.settings.evaluations - self.asked <= self.settings.closing_evaluations

    def _admit(self) -> None:
        if not self._is_closing:
            self.board.admit()

    def _would_come_too_late(self) -> bool:
        """Whether what a reflection that is asked for now brings could no longer be tried."""
        settings, answers = self.settings, len(self.answers)
        meanwhile = settings.lasts * settings.slots / (1.0 + settings.lasts / settings.calls_per_reflection)
        lag = max(settings.lag, min(meanwhile, settings.ramp * answers))
        return settings.evaluations - settings.closing_evaluations - answers - lag < settings.odds.least

    def _too_late(self) -> bool:
        """Whether an edit that came now could no longer be on often enough to be kept."""
        return self.settings.evaluations - self.asked < self.settings.odds.least

    def _open_question(self) -> bool:
        """Whether what is left could still make an edit on trial part of the text, or take it out."""
        left = self.settings.evaluations - self.asked
        return any(s.tried + left >= self.settings.odds.least for s in self.board.trials)


def _every(count: int) -> int:
    """Return how many answers lie between two looks when there are ``count``."""
    for most, every in LOOKS:
        if count <= most:
            return every
    return LATER
