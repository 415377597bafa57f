"""A run under way in this process: held, stopped, told of, and noted in the database while it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from honeyguide.evolution.requests import Phase, Progress
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, Interrupted, ModelError
from honeyguide.llm import Cancellation, ModelClient, ModelReply, ModelRequest, Spend
from honeyguide.prompts.targets import TargetRef
from honeyguide.workspace.core import Core
from honeyguide.workspace.events import WorkspaceEvent
from honeyguide.workspace.run_files import index_calls
from honeyguide.workspace.run_models import spend_figures
from honeyguide.workspace.views.runs import ProgressEvent, RunResult

OnProgress = Callable[[ProgressEvent], None]
STORE_PROGRESS_EVERY = 0.4
LEAST_WAIT_TOLD = 1.0
"""Seconds: shorter waits for a model are not worth a word."""
WAITS_TOLD_EVERY = 2.0
"""Seconds between two stored states of a run; its own process is told at once."""
LOOK_FOR_CANCEL_EVERY = 0.5
MOST_TRIED = 5000
"""How many steps with a candidate are kept of a run under way."""
STORED_DETAILS = ("stage", "generation", "done", "planned", "calls", "usd")


@dataclass(slots=True)
class ActiveRun:
    """A run of this process.

    Attributes:
        may_go: cleared while the run is paused.
        others: targets whose texts it works on beside that of ``ref``.
        tried: the steps that told of a candidate, so that whoever looks later sees its course.
        spend: says what it took so far, in all its starts; ``None`` until its journal is open.
    """

    uuid: str
    ref: TargetRef
    cancel: Cancellation
    may_go: asyncio.Event
    on_progress: OnProgress | None
    others: tuple[TargetRef, ...] = ()
    task: asyncio.Task[RunResult] | None = None
    last: ProgressEvent | None = None
    tried: deque[ProgressEvent] = field(default_factory=lambda: deque(maxlen=MOST_TRIED))
    stored_at: float = 0.0
    silent_until: float = 0.0
    phase: str = ""
    spend: Callable[[], Spend] | None = None


class PausableClient:
    """Waits before each call while its run is paused."""

    def __init__(self, inner: ModelClient, may_go: asyncio.Event, cancel: Cancellation) -> None:
        self._inner = inner
        self._may_go = may_go
        self._cancel = cancel

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``. Raises Interrupted when the run is stopped while it is paused."""
        while not self._may_go.is_set():
            self._cancel.check()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._may_go.wait(), LOOK_FOR_CANCEL_EVERY)
        return await self._inner.complete(request)


class Watching:
    """Tells of the runs of this process and keeps what the database says of them up to date."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._storing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def heard(self, active: ActiveRun) -> AsyncIterator[None]:
        """Listen for the wish to stop that another process leaves in the database."""

        async def listen() -> None:
            while True:
                await asyncio.sleep(LOOK_FOR_CANCEL_EVERY)
                if await self._core.store.read(lambda unit: unit.attempts.is_cancel_requested(active.uuid)):
                    active.cancel.request()
                    active.may_go.set()

        task = asyncio.create_task(listen(), name=f"cancel of {active.uuid}")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def tell(self, active: ActiveRun, progress: Progress) -> None:
        """Tell everybody in this process where a run stands, and now and then the database."""
        event = ProgressEvent(active.uuid, progress.phase.value, progress.message, progress.detail)
        active.last = event
        if event.detail is not None and event.detail.get("candidate"):
            active.tried.append(event)
        if active.on_progress is not None:
            active.on_progress(event)
        data = {"target": str(active.ref), **event.to_json()}
        now = iso(self._core.clock.now())
        self._core.hub.tell(WorkspaceEvent(0, now, "run:progress", active.uuid, data))
        due = time.monotonic() - active.stored_at >= STORE_PROGRESS_EVERY or event.phase != active.phase
        if due:
            active.stored_at, active.phase = time.monotonic(), event.phase
            task = asyncio.get_running_loop().create_task(self._store_progress(active, event))
            self._storing.add(task)
            task.add_done_callback(self._storing.discard)

    def waits(self, active: ActiveRun, error: ModelError, seconds: float) -> None:
        """Tell that a model did not answer, and when it is asked again; of many calls that wait, one every while."""
        now = time.monotonic()
        if seconds < LEAST_WAIT_TOLD or now < active.silent_until:
            return
        active.silent_until = now + WAITS_TOLD_EVERY
        phase = Phase(active.last.phase) if active.last is not None else Phase.COMPOSE
        self.tell(active, Progress(phase, f"{error.message.rstrip('.')}. It is asked again in {round(seconds)} s."))

    async def note_failure(self, active: ActiveRun, error: HoneyguideError) -> None:
        """End an attempt that an error ended."""

        def note(unit: Any) -> None:
            known = unit.attempts.get(active.uuid)
            if known is not None and known.state == "running":
                state = "interrupted" if isinstance(error, Interrupted) else "failed"
                unit.attempts.finish(active.uuid, state, error.message)

        await self._core.store.write(note)
        await self.keep_calls(active)

    async def keep_calls(self, active: ActiveRun) -> None:
        """Store what was paid for, whatever came of it: the index of the calls and the figures of the attempt."""
        if active.spend is None:
            return
        await index_calls(self._core, active.uuid)
        figures = _figures(active)
        await self._core.store.write(lambda unit: unit.attempts.note(active.uuid, **figures))

    async def close(self) -> None:
        """Wait until the database has what it was to be told."""
        await asyncio.gather(*self._storing, return_exceptions=True)

    async def _store_progress(self, active: ActiveRun, event: ProgressEvent) -> None:
        detail = dict(event.detail or {})
        stored: dict[str, Any] = {"message": event.message}
        stored |= {key: detail[key] for key in STORED_DETAILS if key in detail}
        figures = _figures(active)  # a process that dies leaves them behind

        def store(unit: Any) -> None:
            unit.attempts.progress(active.uuid, event.phase, stored, **figures)

        with contextlib.suppress(Conflict):  # the run ended, or the workspace was closed meanwhile
            await self._core.store.write(store)


def _figures(active: ActiveRun) -> dict[str, Any]:
    """Return what a run took in all its starts; nothing before its first call."""
    return {} if active.spend is None else spend_figures(active.spend())
