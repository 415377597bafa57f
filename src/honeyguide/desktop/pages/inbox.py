"""The inbox: every run, what waits for a person first in sight, and the review of the chosen one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QSplitter, QToolButton, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.ahead import review_imported
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.exporting import export_table
from honeyguide.desktop.dialogs.small import TextDialog
from honeyguide.desktop.models.columns import ColumnState
from honeyguide.desktop.pages.inbox_filter import InboxFilter
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.run_list import RunListPanel
from honeyguide.desktop.pages.run_menu import run_menu
from honeyguide.desktop.pages.run_reading import RunReading
from honeyguide.desktop.rows import progressed
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.search_field import SearchField

if TYPE_CHECKING:
    from honeyguide.desktop.pages.review import ReviewPanel
    from honeyguide.workspace import StatusReport, WorkspaceEvent

_RUN_KINDS = ("run:", "attempt:", "verification:", "candidates:", "calls:")


class InboxPage(Page):
    """The home of the window."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "inbox", desk.window.tr("Inbox"))
        self._chosen: str | None = None
        self._wanted: str | None = None
        self.search = SearchField("inbox-search", self.tr("Search runs"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.filter = InboxFilter(desk.memory, self)
        self.filter_button = QToolButton()
        self.filter_button.setObjectName("inbox-filter")
        self.filter_button.setText(self.tr("Filters"))
        self.filter_button.setAccessibleName(self.tr("Filters"))
        self.filter_button.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.filter_button.setMenu(self.filter.menu)
        self.new_run = Button(self.tr("New run…"), "inbox-new-run", look=Look.PRIMARY, icon="plus")
        self.waiting = PlainLabel("", role=Role.TEXT_2, wrap=False)
        self.waiting.setObjectName("inbox-waiting")
        self.head.addWidget(self.waiting)
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.filter_button)
        self.head.addWidget(self.new_run)
        self.list = RunListPanel()
        self.chips, self.filter_chips = self.list.chips, self.list.filter_chips
        self.model, self.table, self.list_stack = self.list.model, self.list.table, self.list.stack
        self.index_line = self.list.index_line
        self.runs = RunReading(desk.workspace, self.model)
        self._review: ReviewPanel | None = None
        self._review_place = QWidget()
        self._compose()
        self._connect()
        self._restore()
        desk.window.single_keys.attach(self.table)  # type: ignore[attr-defined]

    @property
    def review(self) -> ReviewPanel:
        """The review of the chosen run; made when the list stands, so that nobody waits for it to see the list."""
        if self._review is None:
            from honeyguide.desktop.pages.review import ReviewPanel

            self._review = ReviewPanel(self.desk, self.tasks)
            sizes = self.splitter.sizes()
            self.splitter.replaceWidget(1, self._review)
            self.splitter.setSizes(sizes)
            self._review_place.deleteLater()
            self._review.setVisible(bool(self.model.total))
            self._review.changed.connect(self.actions_changed)
            self._review.back.connect(self._toggle_size)
        return self._review

    # --- the page

    def read(self) -> None:
        if not self.model.total:
            self.list_stack.show_loading(self.tr("Reading the runs…"))
        self.tasks.latest("runs", self.runs.load_first, self._show_first, failed=self.show_failure(self.list_stack))
        self._read_counts()

    def show_item(self, item: object) -> None:
        """Choose a run by its id, whatever filter is in force."""
        uuid = str(item)
        if not self.table.select_key(uuid):
            self._wanted = uuid
            if self.model.row_of(uuid) is not None:
                self._clear_filters()
                self.table.select_key(uuid)
                return
            self.tasks.start(self._bring(uuid), "bring a run into the list")

    def first_focus(self) -> QWidget:
        return self.table if self.model.rowCount() else self.new_run

    def handlers(self) -> Handlers:
        return {
            **(self._review.handlers() if self._review is not None else {}),
            "find": Handler(self.search.setFocus),
            "refresh": Handler(self.read),
            "export-rows": Handler(self._export, self._no_rows),
            "review-size": Handler(self._toggle_size, self._nothing_chosen, lambda: not self.list.isVisibleTo(self)),
            "review-beside": Handler(self._toggle_side, on=self._is_beside),
        }

    def take_events(self, events: Sequence[WorkspaceEvent]) -> None:
        """Update the rows that changed; the rest of the list stays as it is."""
        stale: set[str] = set()
        for event in events:
            if event.kind == "run:progress":
                row = self.model.row_of(event.subject)
                if row is not None and row.state == "running":
                    self.model.update_row(progressed(row, event.data))
                elif row is None:
                    stale.add(event.subject)
                if self._review is not None:
                    self._review.take_progress(event)
            elif event.kind.startswith(_RUN_KINDS):
                stale.add(event.subject)
            elif event.kind.endswith((":reloaded", "rolled-back")) and self._chosen:
                stale.add(self._chosen)
        stale.discard("")
        if stale and self._was_shown:
            self.tasks.start(self._refresh(sorted(stale)), "refresh runs")
            self._read_counts()

    # --- reading

    def _show_first(self, found: tuple[Any, int]) -> None:
        items, total = found
        self.model.set_rows(items)
        self._show_right_state()
        keep = self._wanted or self._chosen or self.desk.memory.text("inbox.run")
        if not (keep and self.table.select_key(keep)):
            self.list.choose_first()
        self._wanted = None
        if total > len(items):
            self.model.begin_index(total)
            self.tasks.start(self.runs.index(), "index of runs")

    async def _refresh(self, uuids: list[str]) -> None:
        found = await self.runs.refresh(uuids)
        self._show_right_state()
        if self._chosen is None:
            self.list.choose_first()
        if self._wanted and self.table.select_key(self._wanted):
            self._wanted = None
        if self._chosen in found:
            self.review.show_run(self._chosen)

    async def _bring(self, uuid: str) -> None:
        if await self.runs.refresh([uuid]):
            self._clear_filters()
            self._show_right_state()
            self.table.select_key(uuid)

    def _read_counts(self) -> None:
        async def load() -> StatusReport:
            return await self.desk.workspace.run_status()

        self.tasks.latest("counts", load, self._show_counts)

    def _show_counts(self, report: StatusReport) -> None:
        counts = {**report.attempts, **report.counts}
        self.list.show_counts(counts)
        self.waiting.set_text(waiting_words(self, report.pending))

    # --- what is shown

    def _show_right_state(self) -> None:
        self.list.show_right_state()
        if not self.model.total and self._review is not None:
            self._review.show_run(None)
        (self._review or self._review_place).setVisible(bool(self.model.total))

    def _on_current(self, uuid: object) -> None:
        self._chosen = str(uuid) if uuid else None
        if self._chosen:
            self.desk.memory.set("inbox.run", self._chosen)
        if self._review is None:
            self.tasks.latest("first review", review_imported, lambda _: self._show_review())
        else:
            self._show_review()

    def _show_review(self) -> None:
        self.review.show_run(self._chosen)
        self.actions_changed.emit()

    def _on_opened(self, uuid: object) -> None:
        self.review.show_run(str(uuid))
        self.review.focus_text()

    def _on_state_action(self, name: str) -> None:
        if name == "new-run":
            self.desk.do("new-run")
        elif name == "clear-filters":
            self._clear_filters()
        elif name == "read-again":
            self.read()

    def _clear_filters(self) -> None:
        self.search.set_search("")
        self.chips.select(())
        self.filter.clear()

    def _use_filter(self) -> None:
        self.model.set_states(self.chips.selected())
        self.model.set_extra_filter(self.filter.passes())
        self.filter_chips.set_filters(self.filter.chips())
        self.desk.memory.set("inbox.states", sorted(self.chips.selected()))
        self._show_right_state()
        self._keep_selection()

    def _keep_selection(self) -> None:
        if self.table.current_key() is None:
            self.list.choose_first()

    def _on_search(self, text: str) -> None:
        self.model.search(text)
        self._show_right_state()
        self._keep_selection()

    # --- layout

    def _toggle_size(self) -> None:
        self.list.setVisible(not self.list.isVisibleTo(self))
        if self.list.isVisibleTo(self):
            self.table.setFocus()
        else:
            self.review.focus_text()
        self.review.set_alone(not self.list.isVisibleTo(self))
        self.actions_changed.emit()

    def _is_beside(self) -> bool:
        return self.splitter.orientation() == Qt.Orientation.Horizontal

    def _toggle_side(self) -> None:
        self._set_side(not self._is_beside())
        self.desk.memory.set("inbox.beside", self._is_beside())

    def _set_side(self, beside: bool) -> None:
        self.splitter.setOrientation(Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical)
        self.splitter.setSizes([420, 640] if beside else [240, 460])
        self.actions_changed.emit()

    def _compose(self) -> None:
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setObjectName("inbox-splitter")
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list)
        self.splitter.addWidget(self._review_place)
        self.splitter.setStretchFactor(0, 2)
        self.splitter.setStretchFactor(1, 3)
        self.splitter.setSizes([240, 460])
        self.column.addWidget(self.splitter, 1)

    def _connect(self) -> None:
        self.new_run.clicked.connect(lambda: self.desk.do("new-run"))
        self.search.searched.connect(self._on_search)
        self.search.left_down.connect(self.table.setFocus)
        self.chips.selection_changed.connect(lambda _: self._use_filter())
        self.filter.changed.connect(self._use_filter)
        self.filter.save_wanted.connect(lambda: self.tasks.start(self._save_filter(), "save a filter"))
        self.filter_chips.removed.connect(self.filter.remove)
        self.filter_chips.cleared.connect(self.filter.clear)
        self.list_stack.acted.connect(self._on_state_action)
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(self._on_opened)
        self.table.menu_wanted.connect(self._pop_menu)
        self.table.columns_changed.connect(lambda state: self.desk.memory.set("inbox.columns", state.to_json()))
        self.model.rows_wanted.connect(lambda uuids: self.tasks.start(self.runs.fetch(uuids), "rows in view"))
        self.splitter.splitterMoved.connect(lambda *_: self.desk.memory.set("inbox.sizes", self.splitter.sizes()))

    def _restore(self) -> None:
        memory = self.desk.memory
        columns = memory.get("inbox.columns")
        if columns is None:
            gain = next(n for n, column in enumerate(self.model.columns) if column.id == "gain")
            self.table.horizontalHeader().resizeSection(gain, Metrics.characters(24))
        else:
            self.table.set_columns(ColumnState.from_json(columns).fitted(self.model.columns))
        self._set_side(memory.get("inbox.beside") is True)
        sizes = memory.get("inbox.sizes")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(s, int) for s in sizes):
            self.splitter.setSizes(sizes)
        states = memory.get("inbox.states")
        if isinstance(states, list):
            self.chips.select([s for s in states if isinstance(s, str)])
        self._use_filter()
        self.list_stack.show_loading(self.tr("Reading the runs…"))

    # --- the list's own actions

    def _no_rows(self) -> str:
        return "" if self.model.rowCount() else self.tr("The list is empty.")

    def _nothing_chosen(self) -> str:
        return "" if self._chosen else self.tr("Choose a run first.")

    async def _save_filter(self) -> None:
        dialog = TextDialog(
            "filter-name", self.tr("Save this filter"), self.tr("Name"), self.tr("Save"), self.desk.window
        )
        if await dialog.ask():
            self.filter.save(dialog.text())

    def _export(self) -> None:
        self.tasks.start(self._export_rows(), "export the list")

    async def _export_rows(self, *, selected_only: bool = False) -> None:
        await export_table(self.desk, self.table, "runs", selected_only=selected_only)

    def _pop_menu(self, point: QPoint, uuids: list[str]) -> None:
        row = self.model.row_of(uuids[0])
        menu = run_menu(
            self,
            self.desk.window,
            self.review.handlers(),
            uuids,
            row.name if row is not None else "",
            only=self.filter.only_target,
            copy=self.table.copy_rows,
            export=lambda: self.tasks.start(self._export_rows(selected_only=True), "export rows"),
        )
        menu.popup(point)


def waiting_words(widget: QWidget, count: int) -> str:
    """Return how many proposals wait, in words."""
    if not count:
        return widget.tr("nothing waits for you")
    if count == 1:
        return widget.tr("1 proposal waits for you")
    return widget.tr("{n} proposals wait for you").format(n=count)
