"""Where evaluations run: a port that takes jobs of plain data, and the executor that runs them in our loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from honeyguide.evals.examples import Example
from honeyguide.evals.running_judge import RunningJudge
from honeyguide.evals.verdicts import Evaluation
from honeyguide.kernel.errors import InvalidInput

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EvaluationJob:
    """One text to run on one example and to grade."""

    text: str
    example: Example
    repetition: int = 0


class EvaluationExecutor(Protocol):
    """Runs jobs, here or elsewhere. Results are asked for by the caller, who decides their order."""

    def submit(self, job: EvaluationJob) -> asyncio.Future[Evaluation]:
        """Queue ``job``; it may begin at once."""
        ...

    def as_completed(self, futures: Iterable[asyncio.Future[Evaluation]]) -> AsyncIterator[Evaluation]:
        """Yield results as they come; for showing progress, never for deciding."""
        ...

    async def cancel(self, futures: Iterable[asyncio.Future[Evaluation]]) -> None:
        """Stop what has not finished, and wait until it has stopped."""
        ...


@dataclass(slots=True)
class LoopExecutor:
    """Runs at most ``width`` evaluations at once in the running event loop.

    Raises:
        TypeError: the judge does not run the candidate; such a judge measures the prompt's wording, not its effect.
    """

    judge: RunningJudge
    width: int = 4
    _slots: asyncio.Semaphore = field(init=False)

    def __post_init__(self) -> None:
        if not isinstance(self.judge, RunningJudge):
            raise TypeError(f"a search needs a RunningJudge, not {type(self.judge).__name__}")
        if self.width < 1:
            raise InvalidInput(f"A concurrency of {self.width} runs nothing.", hint="Use 1 or more.")
        self._slots = asyncio.Semaphore(self.width)

    def submit(self, job: EvaluationJob) -> asyncio.Future[Evaluation]:
        return asyncio.ensure_future(self._run(job))

    async def as_completed(self, futures: Iterable[asyncio.Future[Evaluation]]) -> AsyncIterator[Evaluation]:
        for future in asyncio.as_completed(list(futures)):
            yield await future

    async def cancel(self, futures: Iterable[asyncio.Future[Evaluation]]) -> None:
        await _cancel(list(futures))

    async def _run(self, job: EvaluationJob) -> Evaluation:
        async with self._slots:
            return await self.judge.evaluate(job.text, None, job.example, job.repetition)


async def in_order(calls: Sequence[Callable[[], Awaitable[T]]], width: int) -> list[T]:
    """Run ``calls``, at most ``width`` at once, and return their results in the order of ``calls``.

    The first failure in that order stops the rest and is raised.
    """
    slots = asyncio.Semaphore(max(width, 1))

    async def run(call: Callable[[], Awaitable[T]]) -> T:
        async with slots:
            return await call()

    tasks = [asyncio.ensure_future(run(call)) for call in calls]
    try:
        return [await task for task in tasks]
    finally:
        await _cancel(tasks)


async def _cancel(futures: Sequence[asyncio.Future[T]]) -> None:
    for future in futures:
        future.cancel()
    if futures:
        await asyncio.gather(*futures, return_exceptions=True)
