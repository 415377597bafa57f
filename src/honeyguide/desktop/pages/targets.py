"""Targets and their versions: every text that can get better, what is live, and the way back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QSplitter, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.exporting import export_table
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.models.columns import ColumnState
from honeyguide.desktop.models.targets import TargetTableModel
from honeyguide.desktop.pages.decisions import Decisions, version_before
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.target_menu import target_menu
from honeyguide.desktop.pages.target_panel import About, TargetPanel
from honeyguide.desktop.rows import target_line
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateAction, StateStack

if TYPE_CHECKING:
    from honeyguide.workspace import DiffView, TargetRow, WorkspaceEvent


class TargetsPage(Page):
    """The list at the left; text, versions and what came of them at the right."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "targets", desk.window.tr("Targets"))
        self.decisions = Decisions(desk, self.tasks)
        self._about: About | None = None
        self._wanted: str | None = None
        self.search = SearchField("targets-search", self.tr("Search targets"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.add = Button(self.tr("Add a file…"), "targets-add", icon="plus")
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.add)
        self.model = TargetTableModel(self, brief=True)
        self.table = DataTable("target-table", self.tr("Targets"), self.model)
        self.table.setSelectionMode(DataTable.SelectionMode.SingleSelection)
        self.list_stack = StateStack(self.table)
        self.panel = TargetPanel()
        self.text, self.timeline, self.diff = self.panel.text, self.panel.timeline, self.panel.diff
        self.tabs, self.helped, self.version_stack = self.panel.tabs, self.panel.helped, self.panel.version_stack
        self.new_run, self.back_up, self.roll_back = self.panel.new_run, self.panel.back_up, self.panel.roll_back
        self.detail_stack = StateStack(self.panel)
        self._compose()
        self._connect()
        columns = desk.memory.get("targets.columns")
        if columns is None:
            for number, known in enumerate(self.model.columns):
                if not known.stretch:
                    self.table.make_tight(number)
        else:
            self.table.set_columns(ColumnState.from_json(columns).fitted(self.model.columns))
        desk.window.single_keys.attach(self.table, self.diff.view, self.timeline.list)  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the targets…"))
        self.detail_stack.show_empty(self.tr("No target is chosen"), self.tr("Choose one in the list."), icon="targets")

    # --- the page

    def read(self) -> None:
        self.tasks.latest(
            "targets", self.desk.workspace.targets, self._show_targets, failed=self.show_failure(self.list_stack)
        )

    def show_item(self, item: object) -> None:
        self._wanted = str(item)
        if self.table.select_key(self._wanted):
            self._wanted = None

    def first_focus(self) -> QWidget:
        return self.table if self.model.rowCount() else self.add

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith(
            ("target:", "versions:", "version:", "run:deployed", "run:created", "traces:", "lock:")
        ) or (event.kind.endswith(":reloaded"))

    def handlers(self) -> Handlers:
        none = self._none_chosen
        return {
            "find": Handler(self.search.setFocus),
            "refresh": Handler(self.read),
            "roll-back": Handler(self._roll_back, lambda: none() or self._no_versions()),
            "back-up": Handler(self._back_up, none),
            "export-rows": Handler(self._export),
            "next-change": Handler(self.diff.view.next_change, self._no_diff),
            "previous-change": Handler(self.diff.view.previous_change, self._no_diff),
        }

    # --- reading

    def _show_targets(self, rows: Sequence[TargetRow]) -> None:
        keep = self._wanted or self.table.current_key() or self.desk.memory.text("targets.chosen")
        self.model.set_rows([target_line(row) for row in rows])
        if not rows:
            self.list_stack.show_empty(
                self.tr("No target yet"),
                self.tr(
                    "A target is a text that steers an agent: a persona, a skill, an instruction file. "
                    "Yours stand here."
                ),
                [
                    StateAction("find-agents", self.tr("Find my agents…"), "search"),
                    StateAction("add-target", self.tr("Add a file…"), "plus"),
                ],
                icon="targets",
            )
            return
        self.list_stack.show_content()
        if not (keep and self.table.select_key(keep)):
            self.table.select_key(self.model.row_at(0).id)
        elif self._about is not None and str(self._about.detail.row.ref) == keep:
            self._read_target(str(keep), delay=0)
        self._wanted = None

    def _on_current(self, key: object) -> None:
        if key:
            self.desk.memory.set("targets.chosen", str(key))
            self._read_target(str(key), delay=DEBOUNCE_MS)

    def _read_target(self, target: str, *, delay: int) -> None:
        async def load() -> About:
            workspace = self.desk.workspace
            detail = await workspace.target(target)
            versions = await workspace.versions(target)
            uuids = [row.run_uuid for row in versions.versions if row.run_uuid]
            runs = await workspace.run_rows_of(uuids) if uuids else {}
            return About(detail, versions, runs, await workspace.watch(target))

        failed = self.show_failure(self.detail_stack)
        self.tasks.latest("target", load, self._show_target, failed=failed, delay_ms=delay)

    def _show_target(self, about: About) -> None:
        self._about = about
        self.detail_stack.show_content()
        self.panel.show_target(about, self._no_versions())
        self.actions_changed.emit()

    def _compare(self, older: int, newer: int) -> None:
        if self._about is None:
            return
        target = self._about.versions.target
        titles = (self.tr("Version {n}").format(n=older), self.tr("Version {n}").format(n=newer))

        def show(diff: DiffView) -> None:
            self.diff.set_rows(diff.rows, titles=titles)
            self.diff.show()
            self.diff.view.setFocus()

        self.tasks.latest("compare", lambda: self.desk.workspace.version_diff(target, older, newer), show)

    # --- what can be done

    def _none_chosen(self) -> str:
        return "" if self._about is not None else self.tr("Choose a target first.")

    def _no_versions(self) -> str:
        if self._about is None or version_before(self._about.versions) is None:
            return self.tr("There is no earlier version.")
        return ""

    def _no_diff(self) -> str:
        return "" if self.diff.isVisible() else self.tr("Compare two versions first.")

    def _chosen(self) -> str:
        return self._about.versions.target if self._about is not None else ""

    def _roll_back(self) -> None:
        self.tasks.start(self.decisions.roll_back(self._chosen()), "roll back")

    def _back_up(self) -> None:
        self.tasks.start(self.decisions.back_up(self._chosen()), "back up")

    def _restore(self, n: int) -> None:
        self.tasks.start(self.decisions.restore(self._chosen(), n), "restore")

    def _new_run(self) -> None:
        self.desk.go("new-run", self._chosen())

    def _lock(self, text: str) -> None:
        async def work() -> None:
            await self.desk.workspace.lock(self._chosen(), text)
            self.desk.notify.info(self.tr("Locked: no proposal may change this passage."))
            self._read_target(self._chosen(), delay=0)

        self.tasks.start(work(), "lock a passage")

    def _unlock(self, lock_id: str) -> None:
        async def work() -> None:
            await self.desk.workspace.unlock(self._chosen(), lock_id)
            self._read_target(self._chosen(), delay=0)

        self.tasks.start(work(), "unlock a passage")

    def _export(self) -> None:
        self.tasks.start(export_table(self.desk, self.table, "targets"), "export the list")

    def _pop_menu(self, point: QPoint, keys: list[str]) -> None:
        menu = target_menu(
            self,
            {
                "new-run": self._new_run,
                "back-up": self._back_up,
                "roll-back": self._roll_back if not self._no_versions() else None,
                "remove": lambda: self.tasks.start(self._remove(keys[0]), "forget a target"),
            },
        )
        menu.popup(point)

    async def _remove(self, target: str) -> None:
        title = self.tr("Forget {name}?").format(name=target.partition(":")[2])
        text = self.tr("Its file stays as it is, and so do its versions. It only leaves this list.")
        dialog = ConfirmDialog("remove-target", title, text, self.tr("Forget"), self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.remove_target(target)
            self._about = None
            self.read()

    # --- inside

    def _on_state(self, name: str) -> None:
        if name == "back-up":
            self._back_up()
        elif name == "read-again":
            self.read()
        else:
            self.desk.do(name)

    def _compose(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list_stack)
        self.splitter.addWidget(self.detail_stack)
        self.list_stack.setMinimumWidth(Metrics.characters(56))
        self.splitter.setSizes([440, 640])
        self.splitter.setStretchFactor(1, 1)
        self.column.addWidget(self.splitter, 1)

    def _connect(self) -> None:
        self.search.searched.connect(self.model.search)
        self.search.left_down.connect(self.table.setFocus)
        self.add.clicked.connect(lambda: self.desk.do("add-target"))
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(lambda _: self.tabs.setFocus())
        self.table.menu_wanted.connect(self._pop_menu)
        self.table.columns_changed.connect(lambda state: self.desk.memory.set("targets.columns", state.to_json()))
        self.list_stack.acted.connect(self._on_state)
        self.detail_stack.acted.connect(self._on_state)
        self.version_stack.acted.connect(self._on_state)
        self.timeline.compare_requested.connect(self._compare)
        self.timeline.restore_requested.connect(self._restore)
        self.helped.acted.connect(self._roll_back)
        self.new_run.clicked.connect(self._new_run)
        self.back_up.clicked.connect(self._back_up)
        self.roll_back.clicked.connect(self._roll_back)
        self.text.lock_wanted.connect(self._lock)
        self.text.unlock_wanted.connect(self._unlock)
