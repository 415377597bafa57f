"""The trace browser: what the agent really did; search, filters, import by drag and drop, one trace in full."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_files, ask_folder, ask_save
from honeyguide.desktop.dialogs.import_report import ImportReportDialog
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.models import ColumnState, TraceTableModel
from honeyguide.desktop.notify import Step
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.rows import trace_row
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.theme.outcomes import trace_outcome_wording
from honeyguide.desktop.undo import Undoable
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.import_bar import ImportBar
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.desktop.widgets.trace_view import TraceFacts, TraceView

if TYPE_CHECKING:
    from honeyguide.workspace import ImportReport, TargetRow, TraceDetail, TraceQuery, WorkspaceEvent
    from honeyguide.workspace import Page as RowsPage
    from honeyguide.workspace import TraceRow as StoredRow

PAGE = 200
OUTCOMES = ("success", "verified", "corrected", "abandoned", "pending")
SOURCES = (
    "claude-code", "codex", "openai-chat", "openai-agents", "otlp", "openinference", "langfuse", "langsmith", "opik",
    "promptfoo", "inspect", "hiveloom", "table", "trace-jsonl", "sample",
)  # fmt: skip


class TracesPage(Page):
    """A list over one trace; files and folders may be dropped anywhere on it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "traces", desk.window.tr("Traces"))
        self.setAcceptDrops(True)
        self._order = "newest"
        self._wanted: int | None = None
        self._stop_import: threading.Event | None = None
        self.search = SearchField("traces-search", self.tr("Search inputs and answers"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.outcome = self._choice("traces-outcome", self.tr("Outcome"), self.tr("every outcome"))
        for name in OUTCOMES:
            self.outcome.addItem(trace_outcome_wording(name).words, name)
        self.target = self._choice("traces-target", self.tr("Target"), self.tr("every target"))
        self.source = self._choice("traces-source", self.tr("Source"), self.tr("every source"))
        for name in SOURCES:
            self.source.addItem(name, name)
        self.count = PlainLabel("", role=Role.TEXT_2, wrap=False)
        self.count.setObjectName("traces-count")
        self.import_button = Button(self.tr("Import…"), "traces-import", look=Look.PRIMARY, icon="import")
        self.head.addWidget(self.count)
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.import_button)
        self.importing = ImportBar()
        self.model = TraceTableModel(self)
        self.table = DataTable("trace-table", self.tr("Traces"), self.model)
        self.list_stack = StateStack(self.table)
        self.view = TraceView()
        self._compose()
        self._connect()
        columns = desk.memory.get("traces.columns")
        if columns is not None:
            self.table.set_columns(ColumnState.from_json(columns).fitted(self.model.columns))
        desk.window.single_keys.attach(self.table, page="traces")  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the traces…"))

    # --- the page

    def read(self) -> None:
        self.tasks.latest("targets", self.desk.workspace.targets, self._show_targets)
        self._read_list()

    def show_item(self, item: object) -> None:
        """Show one trace by its id, or import a list of paths."""
        if isinstance(item, list):
            self.import_paths([Path(path) for path in item])
        elif isinstance(item, int):
            self._wanted = item
            if not self.table.select_key(item):
                self._read_trace(item, delay=0)

    def first_focus(self) -> QWidget:
        return self.table if self.model.total else self.import_button

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith("trace") and self._stop_import is None

    def handlers(self) -> Handlers:
        chosen = self._none_chosen
        return {
            "find": Handler(self.search.setFocus),
            "refresh": Handler(self.read),
            "export-rows": Handler(lambda: self._go(self._export(), "export traces"), self._nothing),
            "never-send": Handler(self._toggle_never_send, chosen),
            "delete-traces": Handler(lambda: self._go(self._delete(), "delete traces"), chosen),
        }

    # --- reading

    def query(self, *, limit: int | None = PAGE, offset: int = 0) -> TraceQuery:
        """Return what the filters say."""
        from honeyguide.workspace import TraceQuery

        return TraceQuery(
            target=self.target.currentData() or None,
            outcome=self.outcome.currentData() or None,
            source=self.source.currentData() or None,
            text=self.search.text().strip() or None,
            sort=self._order,
            limit=limit,
            offset=offset,
        )

    def _read_list(self) -> None:
        query = self.query()
        if not self.model.total:
            self.list_stack.show_loading(self.tr("Reading the traces…"))
        self.tasks.latest(
            "traces",
            lambda: self.desk.workspace.traces(query),
            self._show_first,
            failed=self.show_failure(self.list_stack),
        )

    def _show_first(self, page: RowsPage[StoredRow]) -> None:
        keep = self._wanted or self.table.current_key()
        self.model.reset(page.total, [trace_row(row) for row in page.items])
        self.count.set_text(self.tr("{n} shown").format(n=figures.whole(page.total)))
        if page.total:
            self.list_stack.show_content()
            if not (keep is not None and self.table.select_key(keep)) and self.model.known_rows():
                self.table.select_key(self.model.known_rows()[0].id)
            return
        self.view.show_nothing()
        query = self.query()
        if query.text or query.outcome or query.source or query.target:
            self.list_stack.show_empty(
                self.tr("No trace fits"),
                self.tr("The search or the filters leave none."),
                [StateAction("clear", self.tr("Show all traces"))],
                icon="filter",
            )
            return
        self.list_stack.show_empty(
            self.tr("No trace yet"),
            self.tr(
                "A trace is one thing your agent did: what it was asked, what it answered, how it ended. Drop files or "
                "folders here, or import them. Secrets are replaced before anything is stored."
            ),
            [
                StateAction("import", self.tr("Import files…"), "import"),
                StateAction("import-folder", self.tr("Import a folder…"), "folder"),
            ],
            icon="traces",
        )

    def _fetch(self, offset: int, limit: int, generation: int) -> None:
        async def work() -> None:
            page = await self.desk.workspace.traces(self.query(limit=limit, offset=offset))
            self.model.set_page(offset, [trace_row(row) for row in page.items], generation)

        self._go(work(), "page of traces")

    def _show_targets(self, rows: Sequence[TargetRow]) -> None:
        chosen = self.target.currentData()
        self.target.blockSignals(True)
        while self.target.count() > 1:
            self.target.removeItem(1)
        for row in rows:
            self.target.addItem(row.title or row.ref.name, str(row.ref))
        self.target.setCurrentIndex(max(0, self.target.findData(chosen)))
        self.target.blockSignals(False)

    def _on_current(self, key: object) -> None:
        if isinstance(key, int):
            self._read_trace(key, delay=DEBOUNCE_MS)
        self.actions_changed.emit()

    def _read_trace(self, trace_id: int, *, delay: int) -> None:
        def show(detail: TraceDetail) -> None:
            self.view.show_trace(facts_of(detail))
            self._wanted = None

        self.tasks.latest("trace", lambda: self.desk.workspace.trace(trace_id), show, delay_ms=delay)

    # --- importing

    def import_paths(self, paths: Sequence[Path]) -> None:
        """Import files and folders, with progress and a way to stop."""
        if self._stop_import is not None:
            self.desk.notify.note(self.tr("An import is going on; wait for it, or stop it."))
            return
        self._stop_import = threading.Event()
        self.importing.begin(len(paths))
        self._go(self._import(list(paths), self._stop_import), "import")

    async def _import(self, paths: list[Path], stop: threading.Event) -> None:
        try:
            report = await self.desk.workspace.import_traces(paths, progress=self.importing.show_progress, cancel=stop)
        finally:
            self._stop_import = None
            self.importing.end()
        self._read_list()
        self._tell(report)

    def _tell(self, report: ImportReport) -> None:
        troubled = [file for file in report.files if file.message or file.health]
        said = self.tr("{n} traces imported, {known} known already, {corrections} corrections suggested.").format(
            n=figures.whole(report.imported),
            known=figures.whole(report.known),
            corrections=figures.whole(report.corrections),
        )
        step = Step(self.tr("Details"), lambda: self._go(self._show_report(report), "import report"))
        if troubled:
            self.desk.notify.warn("import", said + " " + self.tr("Some of it could not be used."), step)
        else:
            self.desk.notify.info(said, step)

    async def _show_report(self, report: ImportReport) -> None:
        await ImportReportDialog(report, self.desk.window).ask()

    def _on_stop(self) -> None:
        if self._stop_import is not None:
            self._stop_import.set()

    async def _choose_files(self) -> None:
        files = await ask_files(self.desk.window, self.tr("Import history"))
        if files:
            self.import_paths(files)

    async def _choose_folder(self) -> None:
        folder = await ask_folder(self.desk.window, self.tr("Import a folder"))
        if folder is not None:
            self.import_paths([folder])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.import_paths(paths)

    # --- what can be done to traces

    def _nothing(self) -> str:
        return "" if self.model.total else self.tr("The list is empty.")

    def _none_chosen(self) -> str:
        return "" if self.table.selected_keys() else self.tr("Choose traces first.")

    def _toggle_never_send(self) -> None:
        ids = self.table.selected_keys()
        rows = [row for row in map(self.model.row_of, ids) if row is not None]
        value = not all(row.never_send for row in rows)
        self._mark(ids, value)
        words = self.tr("Never send {n} traces") if value else self.tr("Allow to send {n} traces")
        change = Undoable(words.format(n=len(ids)), lambda: self._mark(ids, not value), lambda: self._mark(ids, value))
        self.desk.undo.add(change)
        said = (
            self.tr("{n} traces never leave this computer.") if value else self.tr("{n} traces may be sent to models.")
        )
        self.desk.notify.info(said.format(n=len(ids)), Step(self.tr("Undo"), self.desk.undo.undo))

    def _mark(self, ids: list[int], value: bool) -> None:
        async def work() -> None:
            await self.desk.workspace.mark_never_send(ids, value)
            self._read_list()

        self._go(work(), "mark traces")

    async def _delete(self) -> None:
        ids = self.table.selected_keys()
        title = self.tr("Delete {n} traces for good?").format(n=len(ids))
        text = self.tr(
            "They are removed from the database, from runs and archives that quote them, and cannot be brought back. A "
            "later import leaves them out."
        )
        dialog = ConfirmDialog("delete-traces-dialog", title, text, self.tr("Delete"), self.desk.window)
        if await dialog.ask():
            count = await self.desk.workspace.delete_traces(ids)
            self.desk.notify.info(self.tr("{n} traces deleted.").format(n=figures.whole(count)))
            self._read_list()

    async def _export(self) -> None:
        path = await ask_save(self.desk.window, self.tr("Export the traces shown"), "traces.jsonl", ("jsonl",))
        if path is not None:
            count = await self.desk.workspace.export_traces(path, self.query(limit=None))
            said = self.tr("{n} traces exported to {path}.").format(n=figures.whole(count), path=path)
            self.desk.notify.info(said)

    def _pop_menu(self, point: QPoint, _keys: list[Any]) -> None:
        menu = QMenu(self)
        menu.setObjectName("trace-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, do in (
            (self.tr("Never send to a model, or allow it"), self._toggle_never_send),
            (self.tr("Copy the rows"), self.table.copy_rows),
            (self.tr("Delete for good…"), lambda: self._go(self._delete(), "delete traces")),
        ):
            action = QAction(words, menu)
            action.triggered.connect(lambda _=False, do=do: do())
            menu.addAction(action)
        menu.popup(point)

    # --- inside

    def _go(self, work: Any, name: str) -> None:
        self.tasks.start(work, name)

    def _on_order(self, column: str, descending: bool) -> None:
        self._order = "newest" if column != "age" or descending else "oldest"
        self._read_list()

    def _on_state(self, name: str) -> None:
        if name == "import":
            self._go(self._choose_files(), "choose files")
        elif name == "import-folder":
            self._go(self._choose_folder(), "choose a folder")
        elif name == "clear":
            for box in (self.outcome, self.target, self.source):
                box.setCurrentIndex(0)
            self.search.set_search("")
        else:
            self.read()

    def _choice(self, name: str, spoken: str, every: str) -> QComboBox:
        box = named(QComboBox(), name, spoken)
        box.addItem(every, "")
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMaximumWidth(Metrics.characters(30))
        box.currentIndexChanged.connect(lambda _: self._read_list())
        return box

    def _compose(self) -> None:
        filters = QHBoxLayout()
        filters.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, Metrics.GAP)
        filters.setSpacing(Metrics.GAP)
        for box in (self.outcome, self.target, self.source):
            filters.addWidget(box)
        filters.addStretch(1)
        self.column.addLayout(filters)
        self.column.addWidget(self.importing)
        splitter = QSplitter(Qt.Orientation.Vertical)
        splitter.setChildrenCollapsible(False)
        upper = QWidget()
        column = QVBoxLayout(upper)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list_stack)
        splitter.addWidget(upper)
        splitter.addWidget(self.view)
        splitter.setSizes([320, 320])
        self.column.addWidget(splitter, 1)

    def _connect(self) -> None:
        self.search.searched.connect(lambda _: self._read_list())
        self.search.left_down.connect(self.table.setFocus)
        self.import_button.clicked.connect(lambda: self._go(self._choose_files(), "choose files"))
        self.importing.stop_requested.connect(self._on_stop)
        self.model.page_wanted.connect(self._fetch)
        self.model.order_wanted.connect(self._on_order)
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(lambda _: self.view.setFocus())
        self.table.menu_wanted.connect(self._pop_menu)
        self.table.columns_changed.connect(lambda state: self.desk.memory.set("traces.columns", state.to_json()))
        self.list_stack.acted.connect(self._on_state)
        self.view.correction_chosen.connect(lambda number: self.desk.go("corrections", number))
        self.view.trace_chosen.connect(lambda number: self._read_trace(number, delay=0))


def facts_of(detail: TraceDetail) -> TraceFacts:
    """Return what the view shows of a trace."""
    trace = detail.trace
    payload = trace.payload
    tools = [(call.tool, _said(call.args), _said(call.result), call.ok) for call in payload.tool_calls]
    corrections = [(row.id, row.span, row.state) for row in detail.corrections]
    return TraceFacts(
        id=trace.id or 0,
        title=detail.title or "",
        outcome=trace.outcome.value,
        created_at=trace.created_at,
        conversation=trace.conversation,
        source=trace.facts.source,
        targets=tuple(f"{link.target}{'' if link.exact else ' ?'}" for link in detail.links),
        input=payload.input,
        output=payload.output,
        tools=tuple(tools),
        corrections=tuple(corrections),
        siblings=detail.siblings,
        tokens=(payload.tokens.input, payload.tokens.output),
    )


def _said(value: object) -> str:
    import json

    return (
        value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    )
