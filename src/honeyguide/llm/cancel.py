"""The wish to stop, heard between any two model calls and during every wait."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from honeyguide.kernel.errors import Interrupted


class Cancellation:
    """One run's stop switch; shared by all its model clients.

    A call that is under way is let finish, because it is paid for and the journal keeps it; the next one
    is not made. ``request`` belongs to the loop's thread (elsewhere: ``loop.call_soon_threadsafe(c.request)``).
    """

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._listeners: list[Callable[[], None]] = []

    @property
    def is_requested(self) -> bool:
        """Whether somebody asked to stop."""
        return self._asked.is_set()

    def request(self) -> None:
        """Ask to stop. Asking twice changes nothing."""
        if not self._asked.is_set():
            self._asked.set()
            for listener in list(self._listeners):
                listener()

    def check(self) -> None:
        """Raise Interrupted when somebody asked to stop."""
        if self._asked.is_set():
            raise interrupted()

    async def sleep(self, seconds: float) -> None:
        """Wait, unless somebody asks to stop meanwhile. Raises Interrupted."""
        if seconds > 0:
            try:
                async with asyncio.timeout(seconds):
                    await self._asked.wait()
            except TimeoutError:
                return
        self.check()

    def subscribe(self, listener: Callable[[], None]) -> Callable[[], None]:
        """Call ``listener`` when somebody asks to stop; the returned function takes it off the list again."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe


def interrupted() -> Interrupted:
    """Return the error that says a run was stopped."""
    return Interrupted(
        "The run was stopped between two model calls.",
        hint="Resume it to go on; what was paid for is kept.",
    )
