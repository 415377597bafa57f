"""Encoded answers that hold as long as nothing in the workspace has changed: many readers, one computation.

Every change appends to the workspace's log of events in its own transaction, so the id of the newest event names a
state of everything that lists are made of; asking for it costs a fraction of a millisecond.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from honeyguide.server.answers import encoded
from honeyguide.workspace import Workspace

MOST_ANSWERS = 64
MOST_BYTES = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fresh:
    """An encoded answer and its entity tag."""

    body: bytes
    etag: str


class FreshAnswers:
    """Keeps the answers of the present state; the ones used longest ago go first."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._kept: OrderedDict[tuple[Any, ...], tuple[int, asyncio.Task[Fresh]]] = OrderedDict()
        self._asking: asyncio.Task[int] | None = None
        self._next: asyncio.Task[int] | None = None

    async def get(self, key: tuple[Any, ...], make: Callable[[], Awaitable[Any]]) -> Fresh:
        """Return the answer to ``key``; ``make`` computes it when the state is new. Errors are not kept."""
        state = await self._state()
        known = self._kept.get(key)
        if known is None or known[0] < state:
            known = (state, asyncio.ensure_future(_made(make)))
            self._kept[key] = known
            self._drop()
        self._kept.move_to_end(key)
        try:
            return await asyncio.shield(known[1])
        except Exception:
            if self._kept.get(key) is known:
                del self._kept[key]
            raise

    async def _state(self) -> int:
        """Return the id of the newest event. Readers that ask at once share one question, begun after they came."""
        if self._next is None:
            self._next = asyncio.ensure_future(self._ask_after(self._asking))
        return await asyncio.shield(self._next)

    async def _ask_after(self, before: asyncio.Task[int] | None) -> int:
        if before is not None:
            await asyncio.wait([before])
        self._asking, self._next = self._next, None
        return await self._workspace.last_event_id()

    def _drop(self) -> None:
        done = [task for _, task in self._kept.values() if task.done() and not task.cancelled()]
        size = sum(len(task.result().body) for task in done if task.exception() is None)
        while len(self._kept) > MOST_ANSWERS or (size > MOST_BYTES and len(self._kept) > 1):
            _, (_, task) = self._kept.popitem(last=False)
            if task.done() and not task.cancelled() and task.exception() is None:
                size -= len(task.result().body)


async def _made(make: Callable[[], Awaitable[Any]]) -> Fresh:
    document = await make()
    return await asyncio.to_thread(_encode, document)


def _encode(document: Any) -> Fresh:
    body = encoded(document)
    return Fresh(body, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
