"""Calls under way: at most so many at once, the first asked for begun first, reflections before evaluations."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Call(Generic[T]):
    """One call that was asked for, begun or not."""

    __slots__ = ("_make", "_started", "future")

    def __init__(self, make: Callable[[], Awaitable[T]]) -> None:
        self._make = make
        self._started: asyncio.Future[None] | None = None
        self.future: asyncio.Future[T] | None = None

    def begin(self, ended: Callable[[object], None]) -> None:
        """Start it; ``ended`` is called when it has ended, however it did."""
        self.future = asyncio.ensure_future(self._make())
        self.future.add_done_callback(ended)
        if self._started is not None and not self._started.done():
            self._started.set_result(None)

    async def result(self) -> T:
        """Wait until it has begun and ended; return its result or raise its error."""
        if self.future is None:
            self._started = asyncio.get_running_loop().create_future()
            await self._started
        assert self.future is not None
        return await self.future


@dataclass(slots=True)
class Lanes:
    """A queue of evaluations and one of reflections, for one number of slots.

    Reflections go first: they take longer, and what they bring is what evaluations are for.
    """

    width: int
    _busy: int = 0
    _evaluations: deque[Call[Any]] = field(default_factory=deque)
    _reflections: deque[Call[Any]] = field(default_factory=deque)
    _begun: set[asyncio.Future[Any]] = field(default_factory=set)

    def evaluate(self, make: Callable[[], Awaitable[T]]) -> Call[T]:
        """Ask for an evaluation; it begins when a slot is free."""
        return self._ask(self._evaluations, make)

    def reflect(self, make: Callable[[], Awaitable[T]]) -> Call[T]:
        """Ask for a reflection."""
        return self._ask(self._reflections, make)

    async def close(self) -> None:
        """Begin nothing more; stop what is under way and wait until it has stopped."""
        self._evaluations.clear()
        self._reflections.clear()
        waiting = list(self._begun)
        for future in waiting:
            future.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)

    def _ask(self, queue: deque[Call[Any]], make: Callable[[], Awaitable[T]]) -> Call[T]:
        call = Call(make)
        queue.append(call)
        self._begin()
        return call

    def _begin(self) -> None:
        while self._busy < self.width and (queue := self._reflections or self._evaluations):
            call = queue.popleft()
            self._busy += 1
            call.begin(self._ended)
            if call.future is not None:
                self._begun.add(call.future)

    def _ended(self, future: Any) -> None:
        self._begun.discard(future)
        if not future.cancelled():
            future.exception()  # whoever waits for it raises it; nobody may be left to
        self._busy -= 1
        self._begin()
