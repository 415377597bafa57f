"""The events of one run that this server started, kept so that a reader may come late or come again."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping
from typing import Any

from honeyguide.server.frames import Frame, frame

MOST_FRAMES = 2000
"""Older progress is forgotten; it only told where the run stood then."""


class RunLog:
    """Appended to by the run, read by any number of followers, each at its own pace.

    Attributes:
        epoch: names this server's life in the ids, so that ids of an earlier one are not mistaken.
        status, body: the final answer; set when the run has ended.
    """

    def __init__(self, epoch: str) -> None:
        self.epoch = epoch
        self.uuid = ""
        self.status = 0
        self.body: Mapping[str, Any] = {}
        self._frames: deque[tuple[int, Frame]] = deque(maxlen=MOST_FRAMES)
        self._count = 0
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether the last event was added."""
        return self._ended.is_set()

    def add(self, event: str, data: Mapping[str, Any]) -> None:
        """Append an event and wake the followers."""
        self._count += 1
        self._frames.append((self._count, frame(f"{self.epoch}-{self._count}", event, data)))
        self._changed.set()
        self._changed = asyncio.Event()

    def end(self, event: str, status: int, body: Mapping[str, Any]) -> None:
        """Append the last event: ``done`` or ``error``."""
        self.status, self.body = status, body
        self._ended.set()
        self.add(event, body)

    async def ended(self) -> None:
        """Wait for the end."""
        await self._ended.wait()

    async def follow(self, last_event_id: str = "") -> AsyncGenerator[Frame, None]:
        """Yield every event after the named one to the last; an id that this log never gave means from the start."""
        seen = self._number(last_event_id)
        while True:
            changed = self._changed
            for number, one in [entry for entry in self._frames if entry[0] > seen]:
                seen = number
                yield one
            if self._ended.is_set() and seen >= self._count:
                return
            if changed is self._changed:
                await changed.wait()

    def _number(self, event_id: str) -> int:
        epoch, _, number = event_id.rpartition("-")
        known = epoch == self.epoch and number.isdecimal() and len(number) < 10 and int(number) <= self._count
        return int(number) if known else 0
