"""Measuring two texts on the same examples: paired, interleaved, in an order that nothing can sway.

Results leave in the order of the examples, whatever finished first, so that every decision on them can be replayed.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from honeyguide.evals.examples import Example
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.statistics import mean
from honeyguide.evals.verdicts import Evaluation
from honeyguide.kernel import choice
from honeyguide.llm.cancel import Cancellation


@dataclass(frozen=True, slots=True)
class TextUnderTest:
    """A text with the rendered output schema that goes with it, if any."""

    prompt: str
    schema: str | None = None


@dataclass(frozen=True, slots=True)
class PairEvidence:
    """Both texts on one example: the answers, the verdicts, the difference."""

    example: Example
    baseline: tuple[Evaluation, ...]
    candidate: tuple[Evaluation, ...]

    @property
    def missing(self) -> int:
        """How many verdicts are missing."""
        return sum(e.verdict.score is None for e in (*self.baseline, *self.candidate))

    @property
    def reasons_missing(self) -> list[str]:
        """Why each of them is missing."""
        both = (*self.baseline, *self.candidate)
        return [e.verdict.unscored_reason for e in both if e.verdict.score is None]

    @property
    def is_complete(self) -> bool:
        """Whether each side has at least one verdict, so that the two can be compared."""
        return bool(scores_of(self.baseline)) and bool(scores_of(self.candidate))

    @property
    def difference(self) -> float:
        """Mean score of the candidate minus that of the baseline, in [-1, 1]; only for complete pairs."""
        return mean(scores_of(self.candidate)) - mean(scores_of(self.baseline))

    @property
    def correctness_difference(self) -> float:
        """The same for correctness alone."""
        return mean(_correctness_of(self.candidate)) - mean(_correctness_of(self.baseline))

    def to_json(self) -> dict[str, Any]:
        """Return what a person needs to check the pair by eye."""
        return {
            "example_id": self.example.id,
            "input": self.example.input,
            "expected": self.example.expected,
            "role": self.example.role.value,
            "baseline": [_evaluation_to_json(e) for e in self.baseline],
            "candidate": [_evaluation_to_json(e) for e in self.candidate],
            "difference": self.difference if self.is_complete else None,
        }


def scores_of(evaluations: Sequence[Evaluation]) -> list[float]:
    """Return the overall scores that exist."""
    return [e.verdict.score.overall for e in evaluations if e.verdict.score is not None]


def measuring_order(examples: Sequence[Example], seed: int) -> list[Example]:
    """Return ``examples`` in an order given by the hash of each one's id; adding some moves no two others."""
    return sorted(examples, key=lambda e: (choice.unit(seed, "measuring-order", e.id), e.id))


@asynccontextmanager
async def measured_pairs(
    baseline: TextUnderTest,
    candidate: TextUnderTest,
    examples: Sequence[Example],
    judge: RunningJudge,
    *,
    repeats: int,
    seed: int,
    concurrency: int,
    cancellation: Cancellation | None = None,
) -> AsyncIterator[AsyncIterator[PairEvidence]]:
    """Give the pairs of ``examples`` one by one, in their order, with ``concurrency`` evaluations under way.

    Leaving the context starts nothing more; what is under way is let finish, because it is paid for and kept.
    """
    work = _Work(baseline, candidate, judge, repeats, seed, asyncio.Semaphore(max(1, concurrency)), cancellation)
    ahead = max(2, -(-concurrency // (2 * repeats)) + 1)
    pending: deque[asyncio.Task[PairEvidence]] = deque()

    async def in_order() -> AsyncGenerator[PairEvidence, None]:
        for example in examples:
            pending.append(asyncio.create_task(work.pair(example)))
            if len(pending) >= ahead:
                yield await pending[0]
                pending.popleft()
        while pending:
            yield await pending[0]
            pending.popleft()

    pairs = in_order()
    try:
        yield pairs
    except asyncio.CancelledError:
        for task in pending:
            task.cancel()
        raise
    finally:
        work.is_over = True
        await pairs.aclose()
        await asyncio.gather(*pending, return_exceptions=True)


class _Over(Exception):
    """The measurement ended before this evaluation began."""


@dataclass(slots=True)
class _Work:
    baseline: TextUnderTest
    candidate: TextUnderTest
    judge: RunningJudge
    repeats: int
    seed: int
    slots: asyncio.Semaphore
    cancellation: Cancellation | None
    is_over: bool = False

    async def pair(self, example: Example) -> PairEvidence:
        """Measure both texts on one example; which goes first in each repetition is a hash."""
        jobs: list[tuple[bool, asyncio.Task[Evaluation]]] = []
        for repetition in range(self.repeats):
            candidate_first = choice.unit(self.seed, "who-first", example.id, repetition) < 0.5
            for is_candidate in (candidate_first, not candidate_first):
                text = self.candidate if is_candidate else self.baseline
                jobs.append((is_candidate, asyncio.create_task(self._evaluate(text, example, repetition))))
        try:
            await asyncio.gather(*(task for _, task in jobs))
        except asyncio.CancelledError:
            for _, task in jobs:
                task.cancel()
            raise
        finally:
            await asyncio.gather(*(task for _, task in jobs), return_exceptions=True)
        return PairEvidence(
            example,
            baseline=tuple(task.result() for is_candidate, task in jobs if not is_candidate),
            candidate=tuple(task.result() for is_candidate, task in jobs if is_candidate),
        )

    async def _evaluate(self, text: TextUnderTest, example: Example, repetition: int) -> Evaluation:
        async with self.slots:
            if self.is_over:
                raise _Over
            if self.cancellation is not None:
                self.cancellation.check()
            return await self.judge.evaluate(text.prompt, text.schema, example, repetition)


def _correctness_of(evaluations: Sequence[Evaluation]) -> list[float]:
    return [e.verdict.score.correctness for e in evaluations if e.verdict.score is not None]


def _evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    score = evaluation.verdict.score
    return {
        "answer": evaluation.actual,
        "score": None if score is None else score.overall,
        "correctness": None if score is None else score.correctness,
        "procedure": None if score is None else score.procedure,
        "conciseness": None if score is None else score.conciseness,
        "feedback": evaluation.verdict.feedback,
        "unscored_reason": evaluation.verdict.unscored_reason,
        "repetition": evaluation.repetition,
    }
