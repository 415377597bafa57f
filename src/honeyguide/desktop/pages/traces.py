"""The trace browser: what the agent really did; search, filters, import by drag and drop, one trace in full."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMenu, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.models.columns import ColumnState
from honeyguide.desktop.models.traces import TraceTableModel
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.pages.trace_deeds import TraceDeeds
from honeyguide.desktop.pages.trace_facts import facts_of
from honeyguide.desktop.pages.trace_filters import TraceFilters
from honeyguide.desktop.pages.trace_importing import TraceImporting
from honeyguide.desktop.rows import trace_row
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.import_bar import ImportBar
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.desktop.widgets.trace_view import TraceView

if TYPE_CHECKING:
    from honeyguide.workspace import Page as RowsPage
    from honeyguide.workspace import TraceDetail, TraceQuery, WorkspaceEvent
    from honeyguide.workspace import TraceRow as StoredRow

PAGE = 200


class TracesPage(Page):
    """A list over one trace; files and folders may be dropped anywhere on it."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "traces", desk.window.tr("Traces"))
        self.setAcceptDrops(True)
        self._order = "newest"
        self._wanted: int | None = None
        self.search = SearchField("traces-search", self.tr("Search inputs and answers"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.filters = TraceFilters()
        self.count = PlainLabel("", role=Role.TEXT_2, wrap=False)
        self.count.setObjectName("traces-count")
        self.import_button = Button(self.tr("Import…"), "traces-import", look=Look.PRIMARY, icon="import")
        self.head.addWidget(self.count)
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.import_button)
        self.more = ToolButton("more", "traces-import-more", self.tr("More ways to import"))
        self.head.addWidget(self.more)
        self.importing = ImportBar()
        self.imports = TraceImporting(desk, self.tasks, self.importing, self._read_list)
        self.model = TraceTableModel(self)
        self.table = DataTable("trace-table", self.tr("Traces"), self.model)
        self.list_stack = StateStack(self.table)
        self.view = TraceView()
        self.deeds = TraceDeeds(desk, self.tasks, self.model, self.table, self.query, self._read_list)
        self._compose()
        self._connect()
        columns = desk.memory.get("traces.columns")
        if columns is not None:
            self.table.set_columns(ColumnState.from_json(columns).fitted(self.model.columns))
        desk.window.single_keys.attach(self.table, page="traces")  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the traces…"))

    # --- the page

    def read(self) -> None:
        self.tasks.latest("targets", self.desk.workspace.targets, self.filters.set_targets)
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
        return event.kind.startswith("trace") and not self.imports.is_running

    def handlers(self) -> Handlers:
        return {
            "find": Handler(self.search.setFocus),
            "refresh": Handler(self.read),
            **self.deeds.handlers(),
        }

    # --- reading

    def query(self, *, limit: int | None = PAGE, offset: int = 0) -> TraceQuery:
        """Return what the filters say."""
        from honeyguide.workspace import TraceQuery

        return TraceQuery(
            **self.filters.fields(),
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
        self.tasks.latest("facets", lambda: self.desk.workspace.trace_facets(query), self.filters.set_counts)

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
        if self.search.text().strip() or self.filters.is_narrowing:
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
        self.imports.begin(paths)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls() and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.import_paths(paths)

    def _pop_import(self) -> None:
        menu = QMenu(self)
        menu.setObjectName("import-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, words, do in (
            ("folder", self.tr("A folder…"), self.imports.choose_folder),
            ("how", self.tr("Files, and choose how they are read…"), self.imports.choose_how),
        ):
            action = QAction(words, menu)
            action.setObjectName(f"import-menu-{name}")
            action.triggered.connect(lambda _=False, do=do: self._go(do(), "choose what to import"))
            menu.addAction(action)
        menu.popup(self.more.mapToGlobal(self.more.rect().bottomLeft()))

    # --- inside

    def _go(self, work: Any, name: str) -> None:
        self.tasks.start(work, name)

    def _on_order(self, column: str, descending: bool) -> None:
        self._order = "newest" if column != "age" or descending else "oldest"
        self._read_list()

    def _on_state(self, name: str) -> None:
        if name == "import":
            self._go(self.imports.choose_files(), "choose files")
        elif name == "import-folder":
            self._go(self.imports.choose_folder(), "choose a folder")
        elif name == "clear":
            self.search.set_search("")
            self.filters.clear()
        else:
            self.read()

    def _compose(self) -> None:
        self.column.addWidget(self.filters)
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
        self.filters.changed.connect(self._read_list)
        self.import_button.clicked.connect(lambda: self._go(self.imports.choose_files(), "choose files"))
        self.more.clicked.connect(lambda _: self._pop_import())
        self.model.page_wanted.connect(self._fetch)
        self.model.order_wanted.connect(self._on_order)
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(lambda _: self.view.setFocus())
        self.table.menu_wanted.connect(lambda point, _keys: self.deeds.menu(self).popup(point))
        self.table.columns_changed.connect(lambda state: self.desk.memory.set("traces.columns", state.to_json()))
        self.list_stack.acted.connect(self._on_state)
        self.view.correction_chosen.connect(lambda number: self.desk.go("corrections", number))
        self.view.trace_chosen.connect(lambda number: self._read_trace(number, delay=0))
