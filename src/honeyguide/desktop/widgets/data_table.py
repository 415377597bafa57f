"""The table: whole rows, a header that sorts in three steps, columns to choose, move and size, rows to copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QMenu, QTableView, QWidget

from honeyguide.desktop.models.cells import KEY_ROLE
from honeyguide.desktop.models.columns import Column, ColumnState
from honeyguide.desktop.models.export import Format, export_rows
from honeyguide.desktop.theme import Metrics, Role, qcolor
from honeyguide.desktop.widgets.cell_delegate import PAD, CellDelegate
from honeyguide.desktop.widgets.column_room import ColumnRoom
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.painting import begin_paint

AnyIndex = QModelIndex | QPersistentModelIndex


class TableModel(Protocol):
    """What the table needs of a model besides Qt's own interface."""

    columns: tuple[Column, ...]

    def key(self, row: Any) -> Any: ...
    def row_at(self, position: int) -> Any: ...
    def sort(self, column: int, order: Qt.SortOrder = ...) -> None: ...
    def index_of(self, key: Any) -> QModelIndex: ...
    def export_values(self, keys: Sequence[Any] | None, column_ids: Sequence[str]) -> list[list[Any]]: ...


class DataTable(QTableView):
    """Signals:
    row_activated(key): Enter, or a double click. current_changed(key or None). selection_changed(list of keys).
    columns_changed(ColumnState): a person chose, moved, sized or sorted. menu_wanted(QPoint on screen, keys).
    """

    row_activated = Signal(object)
    current_changed = Signal(object)
    selection_changed = Signal(list)
    columns_changed = Signal(object)
    menu_wanted = Signal(object, list)

    def __init__(self, name: str, spoken: str, model: Any, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, spoken)
        self._columns: tuple[Column, ...] = model.columns
        self._sort: tuple[str, bool] | None = None
        self._restoring = False
        self.delegate = CellDelegate(self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setMouseTracking(True)
        rows = self.verticalHeader()
        rows.hide()
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        rows.setMinimumSectionSize(8)
        rows.setDefaultSectionSize(Metrics.row_height())
        self._room = ColumnRoom(self.horizontalHeader(), self._columns)
        self._prepare_header()
        self.set_columns(ColumnState.of(self._columns))
        self.activated.connect(self._on_activated)

    # --- rows

    def current_key(self) -> Any:
        """Return the key of the current row; ``None`` without one."""
        index = self.currentIndex()
        return index.data(KEY_ROLE) if index.isValid() else None

    def selected_keys(self) -> list[Any]:
        """Return the keys of the selected rows, from the top."""
        model = self._model()
        places: set[int] = set()
        for span in self.selectionModel().selection().toList():
            places.update(range(span.top(), span.bottom() + 1))
        return [model.key(row) for place in sorted(places) if (row := model.row_at(place)) is not None]

    def select_key(self, key: Any) -> bool:
        """Select the row with ``key`` and bring it into view; says whether it is shown."""
        index = self._model().index_of(key)
        if not index.isValid():
            return False
        first = self._first_shown()
        at = self.model().index(index.row(), first)
        self.setCurrentIndex(at)
        self.scrollTo(at)
        return True

    def copy_rows(self) -> None:
        """Put the selected rows on the clipboard, as text that a spreadsheet and a person can read."""
        ids = self._shown_ids()
        rows = self._model().export_values(self.selected_keys(), ids)
        text = "\n".join("\t".join("" if v is None else " ".join(str(v).split()) for v in row) for row in rows)
        QGuiApplication.clipboard().setText(text)

    def export_text(self, form: Format, *, selected_only: bool = False) -> str:
        """Return the rows (all that are shown, or the selected ones) with the shown columns."""
        ids = self._shown_ids()
        titles = [(i, next(c.title for c in self._columns if c.id == i)) for i in ids]
        keys = self.selected_keys() if selected_only else None
        return export_rows(titles, self._model().export_values(keys, ids), form)

    # --- columns

    def column_state(self) -> ColumnState:
        """Return what a person made of the columns, for the settings."""
        header = self.horizontalHeader()
        return ColumnState(
            tuple(self._columns[header.logicalIndex(place)].id for place in range(header.count())),
            frozenset(c.id for n, c in enumerate(self._columns) if self.isColumnHidden(n)),
            {c.id: self._room.usual_width(n) for n, c in enumerate(self._columns) if header.sectionSize(n) > 0},
            self._sort,
            not header.sectionsMovable(),
        )

    def set_columns(self, state: ColumnState) -> None:
        """Bring back what a person made of the columns."""
        state = state.fitted(self._columns)
        self._restoring = True
        header = self.horizontalHeader()
        numbers = {column.id: number for number, column in enumerate(self._columns)}
        for place, name in enumerate(state.order):
            header.moveSection(header.visualIndex(numbers[name]), place)
        for number, column in enumerate(self._columns):
            self.setColumnHidden(number, column.id in state.hidden)
            width = state.widths.get(column.id) or usual_width(column, header)
            if not column.stretch:
                header.resizeSection(number, width)
        self._restoring = False
        self._set_locked(state.locked)
        if state.sort != self._sort:
            self._sort_by(state.sort)

    def make_tight(self, number: int) -> None:
        """Let a column begin with little blank around its contents, for a table beside something else."""
        header, column = self.horizontalHeader(), self._columns[number]
        title = header.fontMetrics().horizontalAdvance(column.title) + 2 * PAD
        header.resizeSection(number, max(title, Metrics.characters(column.characters) + 12))

    def column_menu(self) -> QMenu:
        """Return a menu that shows and hides columns; the caller pops it up, it deletes itself."""
        menu = QMenu(self)
        menu.setObjectName(f"{self.objectName()}-columns")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for number, column in enumerate(self._columns):
            action = menu.addAction(column.title)
            action.setObjectName(f"column-{column.id}")
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(number))
            action.setEnabled(not column.fixed)
            action.toggled.connect(partial(self._show_column, number))
        menu.addSeparator()
        lock = menu.addAction(self.tr("Lock columns"))
        lock.setObjectName("columns-lock")
        lock.setCheckable(True)
        lock.setChecked(not self.horizontalHeader().sectionsMovable())
        lock.toggled.connect(self._lock_columns)
        menu.addAction(lock)
        reset = menu.addAction(self.tr("Usual columns"))
        reset.setObjectName("columns-reset")
        reset.triggered.connect(self._reset_columns)
        return menu

    # --- Qt

    def resizeEvent(self, event: QResizeEvent) -> None:
        was, self._restoring = self._restoring, True  # a window's width is no choice of columns
        super().resizeEvent(event)
        if not was:
            self._room.make()
        self._restoring = was

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy_rows()
            event.accept()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._on_activated(self.currentIndex())
            event.accept()
            return
        super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """Letters are shortcuts here; the search field searches."""

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hover(self.rowAt(event.position().toPoint().y()))
        super().mouseMoveEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._hover(-1)
        super().leaveEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keys = self.selected_keys()
        if keys:
            point = event.globalPos()
            if event.reason() == QContextMenuEvent.Reason.Keyboard:
                rect = self.visualRect(self.currentIndex())
                point = self.viewport().mapToGlobal(rect.bottomLeft())
            self.menu_wanted.emit(point, keys)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        index = self.currentIndex()
        if not index.isValid() or not self.hasFocus():
            return
        row = self.visualRect(self.model().index(index.row(), self._first_shown()))
        painter = begin_paint(self)
        x = self.viewport().width() - 3 if self.isRightToLeft() else 0
        painter.fillRect(x, row.top(), 3, row.height(), qcolor(Role.ACCENT))
        painter.end()

    def currentChanged(self, current: AnyIndex, previous: AnyIndex) -> None:
        super().currentChanged(current, previous)
        if current.row() != previous.row() or not current.isValid():
            self.current_changed.emit(current.data(KEY_ROLE) if current.isValid() else None)
            self.viewport().update()

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        super().selectionChanged(selected, deselected)
        self.selection_changed.emit(self.selected_keys())

    # --- inside

    def _prepare_header(self) -> None:
        header = self.horizontalHeader()
        named(header, f"{self.objectName()}-header", self.tr("Columns"))
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setMinimumSectionSize(Metrics.characters(5))
        header.setSortIndicatorShown(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._pop_columns)
        self._set_locked(False)
        header.sectionClicked.connect(self._on_header)
        header.sectionMoved.connect(self._tell_columns)
        header.sectionResized.connect(self._on_resized)

    def _model(self) -> TableModel:
        return self.model()  # type: ignore[return-value]

    def _shown_ids(self) -> list[str]:
        state = self.column_state()
        return [name for name in state.order if name not in state.hidden]

    def _first_shown(self) -> int:
        header = self.horizontalHeader()
        places = (header.logicalIndex(place) for place in range(header.count()))
        return next((number for number in places if not self.isColumnHidden(number)), 0)

    def _on_activated(self, index: QModelIndex) -> None:
        key = index.data(KEY_ROLE) if index.isValid() else None
        if key is not None:
            self.row_activated.emit(key)

    def _on_header(self, number: int) -> None:
        """One press sorts (numbers downwards first), the next turns round, the third gives the natural order."""
        column = self._columns[number]
        if not column.sortable:
            return
        first = column.right
        if self._sort is None or self._sort[0] != column.id:
            self._sort_by((column.id, first))
        elif self._sort[1] == first:
            self._sort_by((column.id, not first))
        else:
            self._sort_by(None)
        self._tell_columns()

    def _sort_by(self, sort: tuple[str, bool] | None) -> None:
        self._sort = sort
        number = next((n for n, c in enumerate(self._columns) if sort and c.id == sort[0]), -1)
        order = Qt.SortOrder.DescendingOrder if sort and sort[1] else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(number, order)
        self._model().sort(number, order)

    def _show_column(self, number: int, shown: bool) -> None:
        self.setColumnHidden(number, not shown)
        self._tell_columns()

    def _set_locked(self, locked: bool) -> None:
        header, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        header.setSectionsMovable(not locked)
        for number, column in enumerate(self._columns):
            by_hand = modes.Fixed if locked else modes.Interactive
            header.setSectionResizeMode(number, modes.Stretch if column.stretch else by_hand)

    def _lock_columns(self, locked: bool) -> None:
        self._set_locked(locked)
        self._tell_columns()

    def _reset_columns(self) -> None:
        self.set_columns(replace(ColumnState.of(self._columns), locked=self.column_state().locked))
        self._tell_columns()

    def _pop_columns(self, point: QPoint) -> None:
        self.column_menu().popup(self.horizontalHeader().mapToGlobal(point))

    def _tell_columns(self, *_: int) -> None:
        if not self._restoring:
            self.columns_changed.emit(self.column_state())

    def _on_resized(self, number: int, _before: int, _after: int) -> None:
        if not self._restoring:
            self._room.forget(number)
            self._tell_columns()

    def _hover(self, row: int) -> None:
        if row != self.delegate.hovered:
            old, self.delegate.hovered = self.delegate.hovered, row
            for number in (old, row):
                if number >= 0:
                    y = self.rowViewportPosition(number)
                    self.viewport().update(0, y, self.viewport().width(), self.rowHeight(number))


def usual_width(column: Column, header: QHeaderView) -> int:
    """Return how wide a column starts: as its contents need, and never narrower than its title."""
    title = header.fontMetrics().horizontalAdvance(column.title) + 2 * PAD + 16
    return max(title, Metrics.characters(column.characters) + 2 * PAD)
