"""Encoded answers that hold as long as nothing in the workspace has changed: many readers, one computation.

Every change appends to the workspace's log of events in its own transaction, so the id of the newest event names a
state of everything that lists are made of. An answer that is known is given on the loop's thread, without a wait.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from honeyguide.server.answers import encoded


class Sized(Protocol):
    """What is kept says how much room it takes."""

    @property
    def size(self) -> int:
        """Bytes."""
        ...


A = TypeVar("A", bound=Sized)
MOST_ANSWERS = 64
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fresh:
    """An encoded answer and its entity tag.

    Attributes:
        gzip: the same, compressed, where it is long.
    """

    body: bytes
    etag: str
    gzip: bytes | None = None

    @property
    def size(self) -> int:
        """Bytes that it takes."""
        return len(self.body) + len(self.gzip or b"")


class FreshAnswers(Generic[A]):
    """Keeps the answers of the present state; the ones used longest ago go first."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Hashable, tuple[int, A]] = OrderedDict()
        self._under_way: dict[Hashable, tuple[int, asyncio.Task[A]]] = {}
        self._bytes = 0

    async def get(self, key: Hashable, state: int | None, make: Callable[[], Awaitable[A]]) -> A:
        """Return the answer to ``key`` in a state; ``make`` computes it when the state is new. Errors are not kept.

        Args:
            state: what everything that the answer is made of is named by; ``None`` when nobody knows.
        """
        if state is None:
            return await make()
        known = self._kept.get(key)
        if known is not None and known[0] == state:
            self._kept.move_to_end(key)
            return known[1]
        begun = self._under_way.get(key)
        if begun is None or begun[0] != state:
            begun = (state, asyncio.ensure_future(make()))
            self._under_way[key] = begun
            begun[1].add_done_callback(lambda task: self._keep(key, state, task))
        return await asyncio.shield(begun[1])

    def _keep(self, key: Hashable, state: int, task: asyncio.Task[A]) -> None:
        if (begun := self._under_way.get(key)) is not None and begun[1] is task:
            del self._under_way[key]
        if task.cancelled() or task.exception() is not None:
            return
        before = self._kept.get(key)
        if before is not None and before[0] > state:
            return  # a newer one was ready first
        if before is not None:
            self._bytes -= before[1].size
        self._kept[key] = (state, task.result())
        self._kept.move_to_end(key)
        self._bytes += task.result().size
        while len(self._kept) > MOST_ANSWERS or (self._bytes > MOST_BYTES and len(self._kept) > 1):
            _, (_, dropped) = self._kept.popitem(last=False)
            self._bytes -= dropped.size


async def fresh(document: Any) -> Fresh:
    """Return a document as an answer, encoded beside the loop."""
    body = await asyncio.to_thread(lambda: encoded(document))
    return Fresh(body, tag_of(body))


def tag_of(body: bytes) -> str:
    """Return the entity tag of an answer."""
    return f'"{hashlib.sha256(body).hexdigest()[:32]}"'
