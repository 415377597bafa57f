"""What changed, for everyone who watches: own changes at once, those of other processes within half a second."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from honeyguide.storage import Store
from honeyguide.storage.records import EventRecord

Listener = Callable[["WorkspaceEvent"], None]
RELOADED = "reloaded"


@dataclass(frozen=True, slots=True)
class WorkspaceEvent:
    """One change.

    Attributes:
        id: rises with every stored event; 0 for one that is told only to this process (progress of its own runs).
        kind: e.g. ``run:proposed``, ``attempt:progress``, ``persona:reloaded``, ``traces:imported``.
        subject: what it is about: a run's id, ``KIND:NAME`` of a target, a number.
        way: how it was caused: window, command line, http, …
        own: whether this process caused it.
    """

    id: int
    at: str
    kind: str
    subject: str = ""
    data: dict[str, Any] = field(default_factory=dict)
    way: str = ""
    own: bool = True

    def to_json(self) -> dict[str, Any]:
        """Return the event as plain data."""
        return {
            "id": self.id,
            "at": self.at,
            "kind": self.kind,
            "subject": self.subject,
            "data": self.data,
            "way": self.way,
        }


class EventHub:
    """Hands events to listeners on the loop's thread; a listener that fails does not stop the others."""

    def __init__(self, store: Store, report: Callable[[Exception], None] = lambda error: None) -> None:
        self._store = store
        self._report = report
        self._listeners: list[Listener] = []
        self._task: asyncio.Task[None] | None = None

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` for every change from now on; returns what ends it. Needs a running loop."""
        self._listeners.append(listener)
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._watch(), name="workspace events")

        def unsubscribe() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return unsubscribe

    def tell(self, event: WorkspaceEvent) -> None:
        """Hand an event to the listeners of this process alone."""
        for listener in tuple(self._listeners):
            try:
                listener(event)
            except Exception as error:  # noqa: BLE001 - the outermost edge of a listener: it is reported
                self._report(error)

    async def close(self) -> None:
        """Stop watching."""
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task
        self._listeners.clear()

    async def _watch(self) -> None:
        async for batch in self._store.watch(include_own=True):
            for record in batch:
                self.tell(event_of(record, self._store.instance))


def event_of(record: EventRecord, instance: str) -> WorkspaceEvent:
    """Return a stored event as it is told."""
    return WorkspaceEvent(
        record.id, record.at, record.name, record.subject, dict(record.data), record.way, record.origin == instance
    )
