"""A proposal for a flow under way: asked for with its plan, told of step by step, stopped at any time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.flow_propose import FlowProposeDialog, FlowWish
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity

if TYPE_CHECKING:
    from honeyguide.workspace import FlowRun

_FLOWS = "flows.files"
_MOST_FLOWS = 20


class FlowProposing:
    """One proposal at a time; ``done`` is called with its id."""

    def __init__(self, desk: Desk, tasks: TaskScope, bar: HintBar, done: Callable[[str], None]) -> None:
        self._desk = desk
        self._tasks = tasks
        self._bar = bar
        self._done = done
        self._task: asyncio.Task[Any] | None = None
        bar.acted.connect(self.stop)

    @property
    def is_running(self) -> bool:
        """Whether one is being made."""
        return self._task is not None

    def begin(self, run: FlowRun | None) -> None:
        """Ask which flow, that of ``run`` first, and have a change proposed."""
        if self.is_running:
            self._desk.notify.note(_tr("A proposal is being made; wait for it, or stop it."))
        else:
            self._tasks.start(self._ask(run), "propose a change of a flow")

    def stop(self) -> None:
        """Stop it before its next call; what was run stands in its journal."""
        if self._task is not None:
            self._task.cancel()
            self._bar.show_hint(_tr("Stopping…"), Severity.INFO)

    async def _ask(self, run: FlowRun | None) -> None:
        dialog = FlowProposeDialog(self._desk, self._tasks, await self._known(run))
        if not await dialog.ask():
            return
        wish = dialog.wish()
        others = [name for name in self._remembered() if name != str(wish.path)]
        self._desk.memory.set(_FLOWS, [str(wish.path), *others][:_MOST_FLOWS])
        self._task = self._tasks.start(self._work(wish), "make a proposal")

    async def _work(self, wish: FlowWish) -> None:
        desk, name = self._desk, one_line(wish.path.name, 60)
        self._say(_tr("A change of {name} is being proposed…").format(name=name))
        desk.underway.append(name)
        try:
            run = await desk.workspace.propose_flow(wish.path, wish.options, on_event=self._told, origin=desk.origin)
        except asyncio.CancelledError:
            if not self._tasks.is_closed:
                desk.notify.info(_tr("Stopped. The runs made so far stand in its journal; the flow is as it was."))
                self._done("")
            raise
        finally:
            desk.underway.remove(name)
            self._task = None
            if not self._tasks.is_closed:
                self._bar.show_hint("")
        said = _tr("The proposal for {name} is made: {reason}").format(name=name, reason=spoken(run.reason or ""))
        desk.notify.info(said)
        self._done(run.id)

    def _told(self, kind: str, data: Mapping[str, Any]) -> None:
        """Show a step; a late one of a proposal that ended is dropped."""
        if self._task is None:
            return
        if kind == "trial":
            side = _tr("as it is") if data.get("side") == "current" else _tr("as proposed")
            said = _tr("The suite runs on the flow {side}: {done} of {planned}.").format(
                side=side, done=figures.whole(int(data["done"])), planned=figures.whole(int(data["planned"]))
            )
            self._say(f"{said} {one_line(str(data.get('case') or ''), 80)}")
        elif kind == "search" and data.get("message"):
            self._say(spoken(one_line(str(data["message"]), 200)))
        elif kind == "notice":
            self._desk.notify.note(spoken(str(data.get("message") or "")))

    def _say(self, said: str) -> None:
        self._bar.show_hint(said, Severity.INFO, action=_tr("Stop"))

    def _remembered(self) -> list[str]:
        known = self._desk.memory.get(_FLOWS)
        return [name for name in known if isinstance(name, str)] if isinstance(known, list) else []

    async def _known(self, run: FlowRun | None) -> list[Path]:
        """Return the flows there are: that of the chosen proposal, those asked for before, and the targets."""
        workspace = self._desk.workspace
        rows = [row for row in await workspace.targets() if row.ref.kind.value == "flow"]
        flows = [await workspace.flow_of(str(row.ref)) for row in rows]
        chosen = [] if run is None or not run.flow_path else [Path(run.flow_path)]
        listed = [Path(row.run.flow_path) for row in (await workspace.flow_runs()).runs if row.run.flow_path]
        every = [*chosen, *map(Path, self._remembered()), *(path for path in flows if path), *listed]

        def there() -> list[Path]:
            return [path for path in dict.fromkeys(every) if path.is_file()]

        return await asyncio.to_thread(there)


def _tr(text: str) -> str:
    return QCoreApplication.translate("FlowProposing", text)
