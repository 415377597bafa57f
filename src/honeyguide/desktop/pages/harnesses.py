"""Harness folders: how each version did, what failed, the drafts that wait, and the file with its locks."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.exporting import export_table
from honeyguide.desktop.dialogs.files import ask_folder
from honeyguide.desktop.models.harnesses import FolderLine, FolderModel
from honeyguide.desktop.pages.harness_decisions import HarnessDecisions
from honeyguide.desktop.pages.harness_desk import FolderView, HarnessDesk, ProposalView
from honeyguide.desktop.pages.harness_folder import PARTS, FolderPanel
from honeyguide.desktop.pages.harness_menu import folder_menu
from honeyguide.desktop.pages.harness_proving import HarnessProving
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.hint_bar import Severity
from honeyguide.desktop.widgets.states import StateAction, StateStack

if TYPE_CHECKING:
    from honeyguide.workspace.harness_views import HarnessFolderRow


class HarnessesPage(Page):
    """The folders at the left; one folder at the right."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "harnesses", desk.window.tr("Harnesses"))
        self.folders = HarnessDesk(desk)
        self.decisions = HarnessDecisions(desk, self.tasks, self.folders)
        self._view: FolderView | None = None
        self._proposal: ProposalView | None = None
        self._wanted: str | None = None
        self._drafting: asyncio.Task[Any] | None = None
        self.open = Button(self.tr("Open a folder…"), "harness-open", icon="folder")
        self.make = Button(self.tr("New harness…"), "harness-make", icon="plus")
        self.head.addStretch(1)
        self.head.addWidget(self.make)
        self.head.addWidget(self.open)
        self.model = FolderModel(self)
        self.table = DataTable("harness-folders", self.tr("Harness folders"), self.model)
        self.table.setSelectionMode(DataTable.SelectionMode.SingleSelection)
        self.list_stack = StateStack(self.table)
        self.panel = FolderPanel()
        self.versions, self.failures, self.proposals = self.panel.versions, self.panel.failures, self.panel.proposals
        self.tabs, self.working = self.panel.tabs, self.panel.working
        self.proving = HarnessProving(desk, self.tasks, self.working, self.read)
        self.detail_stack = StateStack(self.panel)
        self._compose()
        self._connect()
        desk.window.single_keys.attach(  # type: ignore[attr-defined]
            self.table, self.proposals.table, self.proposals.diff.panel.view, self.versions.diff.panel.view,
            self.versions.timeline.list,
        )  # fmt: skip
        self.list_stack.show_loading(self.tr("Reading the folders…"))
        self.detail_stack.show_empty(self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="harness")

    # --- the page

    def enter(self) -> None:
        """Read anew each time: other programs change these folders without telling."""
        self._is_stale = True
        super().enter()

    def read(self) -> None:
        failed = self.show_failure(self.list_stack)
        self.tasks.latest("folders", self.folders.folders, self._show_folders, failed=failed)

    def show_item(self, item: object) -> None:
        path = Path(str(item))
        self.folders.remember(path.absolute())
        self._wanted = str(path.absolute())
        self.read_again()

    def first_focus(self) -> QWidget:
        return self.table if self.model.total else self.open

    def handlers(self) -> Handlers:
        tab = self.proposals
        return {
            "refresh": Handler(self.read),
            "accept": Handler(self._on_apply, lambda: self._off(tab.apply)),
            "reject": Handler(self._on_reject, lambda: self._off(tab.reject)),
            "harness-draft": Handler(self._on_evolve, lambda: self._off(self.panel.evolve)),
            "harness-run": Handler(self._on_run, lambda: self._off(self.panel.run)),
            "harness-prove": Handler(self._on_prove, lambda: self._off(tab.suite.prove)),
            "roll-back": Handler(self._on_roll_back, lambda: self._off(self.versions.timeline.roll_back)),
            "export-rows": Handler(self._on_export, lambda: "" if self._view else self._none()),
            "next-change": Handler(lambda: self._diff_view().next_change(), self._no_diff),
            "previous-change": Handler(lambda: self._diff_view().previous_change(), self._no_diff),
        }

    # --- the list of folders

    def _show_folders(self, rows: Sequence[HarnessFolderRow]) -> None:
        keep = self._wanted or self.table.current_key() or self.desk.memory.text("harness.chosen")
        self.model.set_rows(FolderLine(r.path, r.name, r.waiting, r.is_registered, spoken(r.problem)) for r in rows)
        self.detail_stack.setVisible(bool(rows))
        if not rows:
            self._view = None
            self.list_stack.show_empty(
                self.tr("No harness folder yet"),
                self.tr(
                    "A harness folder holds an agent's whole set-up: harness.yaml, its code and the journals of its "
                    "runs. Opened here, it shows how each version did and what a draft would change. Opening runs "
                    "nothing and writes nothing."
                ),
                [
                    StateAction("open", self.tr("Open a folder…"), "folder"),
                    StateAction("make", self.tr("New harness…"), "plus"),
                ],
                icon="harness",
            )
            self.actions_changed.emit()
            return
        self.list_stack.show_content()
        before = self.table.current_key()
        if not (keep and self.table.select_key(keep)):
            self.table.select_key(self.model.row_at(0).path)
        if self._wanted is not None or self.table.current_key() == before:
            self._read_folder(str(self.table.current_key()), delay=0)
        self._wanted = None

    def _on_current(self, key: object) -> None:
        if key:
            self.desk.memory.set("harness.chosen", str(key))
            self._read_folder(str(key), delay=DEBOUNCE_MS)

    def _read_folder(self, path: str, *, delay: int) -> None:
        if self._view is None or self._view.overview.path != path:
            self.detail_stack.show_loading(self.tr("Reading the journals…"))
        self.tasks.latest(
            "folder", lambda: self.folders.open(Path(path)), self._show_folder, failed=self._fail, delay_ms=delay
        )

    def _fail(self, error: Exception) -> None:
        self._view = None
        self.show_failure(self.detail_stack)(error)
        self.actions_changed.emit()

    # --- one folder

    def _show_folder(self, view: FolderView) -> None:
        self._view = view
        self.detail_stack.show_content()
        self.panel.show_folder(view)
        chosen = self.proposals.table.current_key()
        if chosen:
            self._read_proposal(str(chosen), delay=0)
        self.actions_changed.emit()

    def _on_proposal(self, key: object) -> None:
        if key and self._view is not None:
            self._read_proposal(str(key), delay=DEBOUNCE_MS)

    def _read_proposal(self, id: str, *, delay: int) -> None:
        path = self._path()

        def show(found: ProposalView) -> None:
            self._proposal = found
            self.proposals.show_proposal(found, is_trusted=self._view is not None and self._view.look.is_trusted)
            self.actions_changed.emit()

        failed = self.show_failure(self.proposals.detail_stack)
        self.tasks.latest("proposal", lambda: self.folders.proposal(path, id), show, failed=failed, delay_ms=delay)

    def _compare(self, older: str, newer: str) -> None:
        path = self._path()
        self.tasks.latest(
            "compare",
            lambda: self.folders.diff(path, older, newer),
            lambda files: self.versions.show_diff(files, older, newer),
        )

    # --- what can be done

    def _do(self, work: Coroutine[Any, Any, bool], name: str) -> None:
        """Carry something out and read anew when it changed anything."""

        async def then_read() -> None:
            if await work:
                self.read()

        if self.tasks.start(then_read(), name) is None:
            work.close()

    def _on_open(self) -> None:
        async def work() -> bool:
            chosen = await ask_folder(self.desk.window, self.tr("Open a harness folder"))
            if chosen is not None:
                self.show_item(chosen)
            return False

        self._do(work(), "open a folder")

    def _on_make(self) -> None:
        async def work() -> bool:
            made = await self.decisions.make()
            if made is not None:
                self.show_item(made)
            return False

        self._do(work(), "make a harness")

    def _on_trust(self) -> None:
        if self._view is not None:
            self._do(self.decisions.trust(self._view), "trust a folder")

    def _on_run(self) -> None:
        if self._view is not None:
            self._do(self.decisions.run(self._view), "run a harness")

    def _on_evolve(self) -> None:
        if self._view is not None and self.panel.evolve.isEnabled():
            self._do(self._drafted(self._view), "draft a change")

    async def _drafted(self, view: FolderView) -> bool:
        wish = await self.decisions.ask_draft(view)
        if wish is None:
            return False
        self._told(self.tr("A change is being drafted…"))
        self._drafting = asyncio.current_task()
        self.desk.underway.append(view.overview.name)
        try:
            has_one = await self.decisions.draft(view, wish, self._told)
        finally:
            self._drafting = None
            self.desk.underway.remove(view.overview.name)
            if not self.tasks.is_closed:
                self.working.show_hint("")
        if has_one:
            self.tabs.setCurrentIndex(PARTS.index("proposals"))
        return has_one

    def _told(self, said: str) -> None:
        self.working.show_hint(said, Severity.INFO, action=self.tr("Stop"))

    def _on_prove(self) -> None:
        shown = self._proposal
        if self._view is not None and shown is not None and shown.suite is not None:
            self.proving.begin(self._path(), str(shown.data["id"]), shown.suite)

    def _on_stop(self) -> None:
        if not self.proving.stop() and self._drafting is not None:
            self._drafting.cancel()
            self.desk.notify.info(self.tr("Stopped. What was paid for is in the journal."))

    def _on_apply(self) -> None:
        if self._view is not None and self.proposals.data:
            self._do(self.decisions.apply(self._view, self.proposals.data, self.proposals.parts), "apply a proposal")

    def _on_reject(self) -> None:
        if self._view is not None and self.proposals.data:
            self._do(self.decisions.reject(self._view, str(self.proposals.data["id"])), "reject a proposal")

    def _on_roll_back(self, version: str = "") -> None:
        wanted = version or next((p.version for p in self.versions.timeline.chosen()), "")
        if self._view is not None and wanted:
            self._do(self.decisions.roll_back(self._view, wanted), "go back to a version")

    def _on_export(self) -> None:
        table = self.failures.table if self.tabs.currentIndex() == PARTS.index("failures") else self.proposals.table
        self.tasks.start(export_table(self.desk, table, "harness"), "export the list")

    def _pop_menu(self, point: QPoint, keys: list[str]) -> None:
        row = next((row for row in self.model.all_rows() if keys and row.path == keys[0]), None)
        if row is not None:
            shown = self._view if self._view is not None and self._view.overview.path == row.path else None
            is_trusted = shown is not None and shown.look.is_trusted
            menu = folder_menu(self, row, self.folders, self._do, is_trusted=is_trusted)
            menu.popup(point)

    # --- inside

    def _path(self) -> Path:
        return Path(self._view.overview.path) if self._view is not None else Path()

    def _none(self) -> str:
        return self.tr("Choose a folder first.")

    def _off(self, button: Button) -> str:
        if self._view is None:
            return self._none()
        return "" if button.isEnabled() and button.isVisible() else button.accessibleDescription() or self.tr(
            "Open the part of the page where it stands.")  # fmt: skip

    def _diff_view(self) -> Any:
        tab = self.proposals if self.tabs.currentIndex() == PARTS.index("proposals") else self.versions
        return tab.diff.panel.view

    def _no_diff(self) -> str:
        return "" if self._diff_view().isVisible() else self.tr("There are no changes to look at.")

    def _on_state(self, name: str) -> None:
        does = {"open": self._on_open, "make": self._on_make, "run": self._on_run, "evolve": self._on_evolve}
        does.get(name, self.read)()

    def _on_tab(self, place: int) -> None:
        self.desk.memory.set("harness.tab", PARTS[place])
        self.actions_changed.emit()

    def _compose(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list_stack)
        self.splitter.addWidget(self.detail_stack)
        self.list_stack.setMinimumWidth(Metrics.characters(26))
        self.splitter.setSizes([230, 800])
        self.splitter.setStretchFactor(1, 1)
        self.column.addWidget(self.splitter, 1)
        self.tabs.setCurrentIndex(PARTS.index(kept) if (kept := self.desk.memory.text("harness.tab")) in PARTS else 0)

    def _connect(self) -> None:
        self.open.clicked.connect(lambda _: self._on_open())
        self.make.clicked.connect(lambda _: self._on_make())
        self.panel.run.clicked.connect(lambda _: self._on_run())
        self.panel.evolve.clicked.connect(lambda _: self._on_evolve())
        self.table.current_changed.connect(self._on_current)
        self.table.menu_wanted.connect(self._pop_menu)
        self.panel.trust_hint.acted.connect(self._on_trust)
        self.working.acted.connect(self._on_stop)
        self.proposals.suite.prove_wanted.connect(self._on_prove)
        self.versions.timeline.compare_requested.connect(self._compare)
        self.versions.timeline.rollback_requested.connect(self._on_roll_back)
        self.proposals.table.current_changed.connect(self._on_proposal)
        self.proposals.apply_wanted.connect(self._on_apply)
        self.proposals.reject_wanted.connect(self._on_reject)
        self.tabs.currentChanged.connect(self._on_tab)
        for stack in (
            self.list_stack, self.detail_stack, self.failures.stack, self.proposals.list_stack,
            self.proposals.detail_stack,
        ):  # fmt: skip
            stack.acted.connect(self._on_state)
