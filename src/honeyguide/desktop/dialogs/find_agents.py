"""Finding agents in the usual places: what is there is listed first; only what a person ticks is read."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTreeWidget, QTreeWidgetItem, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.notify import Step
from honeyguide.desktop.said import hint_of, sentence_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.states import StateStack
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import FoundAgent

ROW_ROLE = int(Qt.ItemDataRole.UserRole)
MOST_FILES = 500
"""Prompt files that are added from one place; a shelf of more is better added by hand."""


class FindAgentsDialog(Dialog):
    """Lists places with how many prompts or sessions they hold; nothing is ticked at first."""

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None, *, folder: Path | None = None) -> None:
        super().__init__("find-agents-dialog", desk.window.tr("Find my agents"), parent, wide=92, high=28)
        self._desk = desk
        self._work = tasks
        self._folder = folder
        self._tasks = tasks.child("find agents")
        self.add_title(self.tr("What is here?"))
        self.add_text(
            self.tr("These places were found by their names. Nothing in them was read; only what you tick will be."),
            Role.TEXT_2,
        )
        self._tree = named(QTreeWidget(), "agents-tree", self.tr("Places"))
        self._tree.setHeaderLabels([self.tr("Place"), self.tr("Holds"), self.tr("Files"), self.tr("Size")])
        self._tree.setRootIsDecorated(False)
        self._tree.setUniformRowHeights(True)
        self._stack = StateStack(self._tree)
        self._stack.setMinimumHeight(Metrics.row_height() * 6)
        self.body.addWidget(self._stack, 1)
        self._stack.show_loading(self.tr("Looking in the usual places…"))
        self.add_cancel(is_default=False)
        self._go = self.add_button(self.tr("Read what is ticked"), "agents-go", look=Look.PRIMARY)
        self._go.clicked.connect(self._on_go)
        self._tree.itemChanged.connect(lambda *_: self._judge())
        self.finished.connect(lambda _: self._tasks.close())
        self._tasks.latest("places", lambda: self._look(folder), self._show, failed=self._fail)
        self._judge()

    def ticked(self) -> list[FoundAgent]:
        """Return the places that are ticked."""
        items = [self._tree.topLevelItem(row) for row in range(self._tree.topLevelItemCount())]
        ticked = Qt.CheckState.Checked
        return [item.data(0, ROW_ROLE) for item in items if item is not None and item.checkState(0) == ticked]

    async def _look(self, folder: Path | None) -> Sequence[FoundAgent]:
        from honeyguide.workspace import FoundAgent, find_agents, prompt_files

        def work() -> list[FoundAgent]:
            if folder is None:
                return find_agents()
            files = prompt_files(folder, also_by_folder=True)[:MOST_FILES]
            size = sum(file.stat().st_size for file in files)
            return [FoundAgent(folder.name, str(folder), "prompts", len(files), size)] if files else []

        return await asyncio.to_thread(work)

    def _show(self, found: Sequence[FoundAgent]) -> None:
        if not found:
            self._stack.show_empty(
                self.tr("Nothing was found"),
                self.tr("No program that keeps prompts or sessions in the usual places. You can add a file by hand."),
                icon="search",
            )
            return
        self._tree.blockSignals(True)
        for agent in found:
            holds = self.tr("prompts") if agent.kind == "prompts" else self.tr("history")
            size = self.tr("{n} kB").format(n=figures.whole(max(1, agent.bytes // 1024)))
            item = QTreeWidgetItem([f"{agent.program}  {agent.path}", holds, figures.whole(agent.count), size])
            item.setCheckState(0, Qt.CheckState.Unchecked)
            item.setData(0, ROW_ROLE, agent)
            item.setToolTip(0, agent.path)
            self._tree.addTopLevelItem(item)
        self._tree.blockSignals(False)
        self._tree.setColumnWidth(0, Metrics.characters(58))
        self._stack.show_content()
        self._tree.setFocus()

    def _fail(self, error: Exception) -> None:
        self._stack.show_error(sentence_of(error), hint_of(error))

    def _judge(self) -> None:
        self._go.set_allowed(bool(self.ticked()), self.tr("Tick what shall be read."))

    def _on_go(self) -> None:
        chosen = self.ticked()
        self._work.start(take_places(self._desk, chosen, is_own_folder=self._folder is not None), "read what was found")
        self.accept()


async def take_places(desk: Desk, chosen: Sequence[FoundAgent], *, is_own_folder: bool = False) -> None:
    """Add the prompts of the chosen places as targets, import their histories, and show what the audit says."""
    from honeyguide.desktop.dialogs.audit import AuditDialog
    from honeyguide.workspace import audit_prompts, prompt_files

    tr = desk.window.tr
    shelves = [Path(agent.path) for agent in chosen if agent.kind == "prompts"]
    histories = [Path(agent.path) for agent in chosen if agent.kind != "prompts"]
    added, refused = 0, []
    for shelf in shelves:
        files = await asyncio.to_thread(partial(prompt_files, shelf, also_by_folder=is_own_folder))
        for file in files[:MOST_FILES]:
            try:
                await desk.workspace.add_target(file)
                added += 1
            except HoneyguideError as error:
                refused.append(f"{file}: {sentence_of(error)}")
    if histories:
        desk.go("traces", histories)
    if added or refused:
        said = figures.counted(added, tr("1 target added."), tr("{n} targets added."))
        if refused:
            said += " " + tr("{n} could not be: {first}").format(n=len(refused), first=refused[0])
        desk.notify.info(said, Step(tr("View"), lambda: desk.go("targets", None)))
    if shelves:
        report = await audit_prompts(shelves, desk.workspace.path)
        if not histories:
            desk.go("targets", None)
        await AuditDialog(report, desk.window).ask()
