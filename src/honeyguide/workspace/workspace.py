"""The one object that every front end talks to: window, command line, HTTP, MCP, Python.

What one of them can do, the others can do with the same words, because it is the same method. Coroutines hop to
worker threads for everything that waits; a method without ``async`` may be called from any thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.workspace import places
from honeyguide.workspace.events import event_of
from honeyguide.workspace.methods.feedback import FeedbackMethods
from honeyguide.workspace.methods.flows import FlowMethods
from honeyguide.workspace.methods.history import HistoryMethods
from honeyguide.workspace.methods.models import ModelMethods
from honeyguide.workspace.methods.review import ReviewMethods
from honeyguide.workspace.methods.runs import RunMethods
from honeyguide.workspace.methods.suites import SuiteMethods
from honeyguide.workspace.methods.targets import TargetMethods
from honeyguide.workspace.methods.updates import UpdateMethods
from honeyguide.workspace.methods.versions import VersionMethods
from honeyguide.workspace.opening import make_folder, open_core
from honeyguide.workspace.recovering import has_targeted_feedback, has_traces_of_flows, recover

if TYPE_CHECKING:
    from honeyguide.kernel.clock import Clock
    from honeyguide.storage import State
    from honeyguide.workspace.events import Listener, WorkspaceEvent
    from honeyguide.workspace.service import OnTick
    from honeyguide.workspace.views.doctor import DoctorReport
    from honeyguide.workspace.views.service import DaemonStatus, TickReport


class Workspace(
    TargetMethods,
    HistoryMethods,
    ModelMethods,
    RunMethods,
    ReviewMethods,
    VersionMethods,
    FeedbackMethods,
    SuiteMethods,
    FlowMethods,
    UpdateMethods,
):
    """An open workspace. Make one with ``create`` or ``open``; ``close`` it, or use it in ``async with``."""

    # --- life

    @classmethod
    async def create(
        cls, path: Path, *, sample: bool = False, clock: Clock | None = None, ids: IdFactory = new_uuid
    ) -> Workspace:
        """Make a workspace in a folder and open it; with ``sample``, it holds the sample's agent and its history.

        Raises:
            Conflict: there is one already.
            Unwritable: the folder cannot be made.
        """
        path = await asyncio.to_thread(lambda: path.expanduser().absolute())
        await asyncio.to_thread(make_folder, path, sample=sample)
        core = await asyncio.to_thread(lambda: open_core(path, create=True, clock=clock, new_id=ids))
        workspace = cls(core)
        if sample:
            from honeyguide.workspace.sample import compose_history

            await workspace._history.import_recorded(await asyncio.to_thread(lambda: list(compose_history())))
        return workspace

    @classmethod
    async def open(cls, path: Path, *, clock: Clock | None = None, ids: IdFactory = new_uuid) -> Workspace:
        """Open a workspace; an old one is brought up to date after a backup, and what a crash left is repaired.

        Raises:
            NotFound: there is none.
            Unreadable, Unsupported: it is damaged, or of a newer version.
            Locked: another process holds it.
        """
        core = await asyncio.to_thread(lambda: open_core(path, create=False, clock=clock, new_id=ids))
        workspace = cls(core)
        await core.store.finish_forgetting()
        await recover(core)
        if await core.in_thread(lambda: has_traces_of_flows(core.layout.root)):
            await workspace._flows.recover()
        await core.store.write(lambda unit: unit.attempts.sweep())
        if await core.in_thread(lambda: has_targeted_feedback(core.layout.root)):
            await workspace._proved.settle()
        return workspace

    @staticmethod
    def default_path() -> Path:
        """Return the workspace that is used when none is named."""
        return places.default_path()

    @staticmethod
    def last_opened() -> Path | None:
        """Return the workspace that was opened last, if it is still there."""
        return places.last_opened()

    @staticmethod
    def recently_opened() -> list[Path]:
        """Return the workspaces opened lately that are still there, the last one first."""
        return places.recently_opened()

    @staticmethod
    def remember(path: Path) -> None:
        """Note that this workspace was opened last."""
        places.remember(path)

    @staticmethod
    async def doctor(path: Path) -> DoctorReport:
        """Say what works here and what does not; needs no workspace."""
        from honeyguide.workspace.doctor import diagnose_installation

        return await diagnose_installation(path)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._core.layout.root

    async def close(self) -> None:
        """Stop running work (it can be resumed) and close everything, in order."""
        if self._is_made("_running"):
            await self._running.close()
        if self._is_made("_history"):
            await self._history.close()
        await self._core.close()

    async def __aenter__(self) -> Workspace:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- settings and events

    def setting(self, key: str) -> Any:
        """Return a setting, or its default. Raises InvalidInput for an unknown key."""
        return self._core.settings.get(key)

    def settings(self) -> dict[str, Any]:
        """Return every setting with its value."""
        return self._core.settings.all()

    async def set_setting(self, key: str, value: Any) -> None:
        """Set a setting; ``None`` goes back to the default. Raises InvalidInput, Unwritable."""
        await self._core.in_thread(lambda: self._core.settings.set(key, value))
        if key.startswith("models."):
            await self._core.renew_registry()
        await self._core.store.write(lambda unit: unit.events.append("setting:changed", key))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` on the loop's thread for every change of any process; returns what ends it."""
        return self._core.hub.subscribe(listener)

    async def events(self, after_id: int = 0, *, limit: int = 1000) -> list[WorkspaceEvent]:
        """Return stored changes with a greater id, in order."""
        store = self._core.store
        records = await store.read(lambda unit: unit.events.since(after_id, limit=limit))
        return [event_of(record, store.instance) for record in records]

    async def last_event_id(self) -> int:
        """Return the id of the newest change."""
        return await self._core.store.read(lambda unit: unit.events.last_id())

    def state(self) -> State | None:
        """Return which state the workspace is in, at once and from the loop's thread; ``None`` when it cannot be told.

        Equal states mean equal lists, whichever process changed something in between.
        """
        return self._core.store.state()

    # --- by itself

    async def daemon_status(self) -> DaemonStatus:
        """Say whether the autonomous service is on, who runs it, what it did last and what it waits for."""
        return await self._service.status()

    async def run_daemon(
        self, *, once: bool = False, idle_while_off: bool = False, on_tick: OnTick | None = None
    ) -> TickReport | None:
        """Run the autonomous service: one look with ``once``, else until the caller is cancelled. Never deploys.

        Args:
            idle_while_off: inside another program: wait while it is switched off or another program runs it.

        Raises:
            PolicyRefused: it is switched off.
            Locked: another program runs it.
        """
        return await self._service.run(once=once, idle_while_off=idle_while_off, on_tick=on_tick)

    def serving(self) -> AbstractAsyncContextManager[object]:
        """Be the one HTTP server of this workspace while the block runs. Raises Locked, saying who it is already."""
        from honeyguide.storage import SERVER
        from honeyguide.workspace.holding import held

        return held(self._core.store, SERVER, "Another server already serves this workspace")
