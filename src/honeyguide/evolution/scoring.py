"""The ledger of scores: each text is run on each example once, and everyone reads the same result.

Results enter in the order in which they were asked for, whatever finished first, so a run decides the same with
one worker as with eight. What could not be scored stays unscored and is counted; too much of it ends the run.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.evals.examples import Example
from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.candidates import Measurement
from honeyguide.evolution.execution import EvaluationExecutor, EvaluationJob
from honeyguide.kernel.canonical import sha256_hex

MAX_UNSCORED_SHARE = 0.2
ENOUGH_TO_TELL = 20
"""Answers that are awaited before the share of unscored ones may end a run."""
NOTHING_WORKS = 5
"""So many answers at the beginning, all unscored, end a run at once: the provider is down or refuses the key."""


_WORDS = {
    "judge-unparseable": "the judging model gave no marks; choose another model to judge",
    "judge-truncated": "the judging model's reply was cut off; choose another model to judge",
    "judge-refused": "the judging model refused; choose another model to judge",
}
"""What the usual reasons mean to a person, with what to do."""


def _in_words(reason: str) -> str:
    return f"{reason}: {_WORDS[reason]}" if reason in _WORDS else reason


class TooManyUnscored(Exception):
    """So many answers could not be scored that scores would mislead. Not an error of the person's."""

    def __init__(self, unscored: int, total: int, reasons: dict[str, int]) -> None:
        said = ", ".join(f"{_in_words(reason)} ({count})" for reason, count in sorted(reasons.items()))
        super().__init__(f"{unscored} of {total} answers could not be scored: {said}")
        self.unscored = unscored
        self.total = total
        self.reasons = reasons


@dataclass(slots=True)
class ScoreLedger:
    """All evaluations of one run.

    Attributes:
        executor: where evaluations run.
        max_unscored_share: the share of unscored answers above which ``TooManyUnscored`` is raised.
    """

    executor: EvaluationExecutor
    max_unscored_share: float = MAX_UNSCORED_SHARE
    _known: dict[tuple[str, str], Evaluation] = field(default_factory=dict)
    _reasons: Counter[str] = field(default_factory=Counter)
    _repeats: int = 0

    @property
    def evaluated(self) -> int:
        """How many evaluations were made; ``measure`` makes one of the same text and example once."""
        return len(self._known) + self._repeats

    @property
    def unscored(self) -> int:
        return self._reasons.total()

    def reading(self, text: str, examples: Sequence[Example]) -> Measurement:
        """Return what is already known of ``text`` on ``examples``."""
        key = sha256_hex(text)
        found = (self._known.get((key, example.id)) for example in examples)
        return Measurement(tuple(entry for entry in found if entry is not None))

    async def measure(self, text: str, examples: Sequence[Example]) -> Measurement:
        """Run ``text`` on those of ``examples`` that it was not run on yet; return the measurement on all."""
        return (await self.measure_all([text], examples))[0]

    async def measure_all(self, texts: Sequence[str], examples: Sequence[Example]) -> list[Measurement]:
        """Run every text on every example, all jobs sharing the executor's width.

        Raises:
            TooManyUnscored: see ``max_unscored_share``.
            BudgetExceeded, Interrupted: from the model clients; what was finished in order before stays known.
        """
        jobs = [(sha256_hex(text), EvaluationJob(text, example)) for text in texts for example in examples]
        missing = list(
            {(key, job.example.id): job for key, job in jobs if (key, job.example.id) not in self._known}.items()
        )
        futures = [self.executor.submit(job) for _, job in missing]
        try:
            for (key, _), future in zip(missing, futures, strict=True):
                self._enter(key, await future)
        finally:
            await self.executor.cancel(futures)
        return [self.reading(text, examples) for text in texts]

    def submit(self, text: str, example: Example, repetition: int = 0) -> asyncio.Future[Evaluation]:
        """Start one evaluation, known or not; its result is entered with ``record``, in the caller's order."""
        return self.executor.submit(EvaluationJob(text, example, repetition))

    def record(self, text: str, evaluation: Evaluation, key: str | None = None) -> None:
        """Enter the result of ``submit``; a repetition is counted and does not replace the first.

        ``key``: the text's ``sha256_hex``, where it is known already. Raises TooManyUnscored.
        """
        if evaluation.repetition:
            self._repeats += 1
            self._count(evaluation)
        else:
            self._enter((key or sha256_hex(text), evaluation.example_id), evaluation)

    def _enter(self, key: tuple[str, str], evaluation: Evaluation) -> None:
        self._known[key] = evaluation
        self._count(evaluation)

    def _count(self, evaluation: Evaluation) -> None:
        if evaluation.verdict.score is None:
            self._reasons[evaluation.verdict.unscored_reason or "unscored"] += 1
            total = self.evaluated
            too_many = total >= ENOUGH_TO_TELL and self.unscored > self.max_unscored_share * total
            if too_many or (total >= NOTHING_WORKS and self.unscored == total):
                raise TooManyUnscored(self.unscored, total, dict(self._reasons))
