"""A lease that is held while a block runs: a heartbeat in the background, and a word when it was lost."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from honeyguide.kernel.errors import Locked
from honeyguide.storage.leases import HEARTBEAT_SECONDS

if TYPE_CHECKING:
    from honeyguide.storage.store import Store


class Lease:
    """A held lease.

    Attributes:
        name: what is held.
        is_lost: whether another process took it over (this one was thought dead, e.g. on another host).
    """

    def __init__(self, store: Store, name: str, interval: float = HEARTBEAT_SECONDS) -> None:
        self.name = name
        self.is_lost = False
        self._store = store
        self._interval = interval
        self._task: asyncio.Task[None] | None = None

    def require(self) -> None:
        """Raise Locked when the lease was lost; call it before a step that must not be done twice."""
        if self.is_lost:
            raise Locked(f"Another process took over {self.name}.", hint="Stop here; it goes on there.")

    async def __aenter__(self) -> Lease:
        self._task = asyncio.create_task(self._beat(), name=f"lease {self.name}")
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def _beat(self) -> None:
        while not self.is_lost:
            await asyncio.sleep(self._interval)
            try:
                self.is_lost = not await self._store.write(lambda unit: unit.leases.beat(self.name))
            except Locked:
                continue  # the database is busy; the next beat comes long before the lease is stale
