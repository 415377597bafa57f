"""A table whose rows are fetched a page at a time, when they come into view; the store sorts and filters."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, QTimer, Signal

from honeyguide.desktop.models.cells import CELL_ROLE, KEY_ROLE, WAITING_CELL, Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import header_data

RowT = TypeVar("RowT")
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
PAGE = 200
KEPT_PAGES = 25
_WANTED_MS = 30


class PagedTableModel(QAbstractTableModel, Generic[RowT]):
    """As many rows as the store has, of which the pages in view are known.

    Each change of filter or order starts a new generation (``reset``); pages of an older one are dropped.

    Signals:
        page_wanted(offset, limit, generation): answer with ``set_page``, or ``fail_page``.
        order_wanted(column id, descending): a header was pressed; answer with ``reset``. An empty id: natural order.
        total_changed(total)
    """

    page_wanted = Signal(int, int, int)
    order_wanted = Signal(str, bool)
    total_changed = Signal(int)

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._pages: OrderedDict[int, list[RowT]] = OrderedDict()
        self._total = 0
        self._generation = 0
        self._asked: set[int] = set()
        self._wanted: dict[int, None] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WANTED_MS)
        self._timer.timeout.connect(self._ask)

    # --- what a subclass says

    def key(self, row: RowT) -> Any:
        """Return what names the row."""
        raise NotImplementedError

    def cell(self, row: RowT, column: int) -> Cell:
        """Return what a column shows of a row."""
        raise NotImplementedError

    # --- rows

    @property
    def generation(self) -> int:
        """The number of the current filter and order."""
        return self._generation

    @property
    def total(self) -> int:
        """How many rows there are in all."""
        return self._total

    def reset(self, total: int, first: Sequence[RowT] = ()) -> int:
        """Begin anew with ``total`` rows, of which the first are known; return the new generation."""
        self.beginResetModel()
        self._generation += 1
        self._pages.clear()
        self._asked.clear()
        self._wanted.clear()
        self._total = total
        for start in range(0, len(first), PAGE):
            page = list(first[start : start + PAGE])
            if len(page) == PAGE or start + len(page) >= total:
                self._pages[start // PAGE] = page
        self.endResetModel()
        self.total_changed.emit(total)
        return self._generation

    def set_page(self, offset: int, rows: Sequence[RowT], generation: int) -> bool:
        """Fill in a page that was asked for; says whether it was still wanted."""
        if generation != self._generation or offset % PAGE:
            return False
        number = offset // PAGE
        self._asked.discard(number)
        self._pages[number] = list(rows)
        self._pages.move_to_end(number)
        while len(self._pages) > KEPT_PAGES:
            self._pages.popitem(last=False)
        last = min(offset + PAGE, self._total) - 1
        if last >= offset:
            self.dataChanged.emit(self.index(offset, 0), self.index(last, len(self.columns) - 1))
        return True

    def fail_page(self, offset: int, generation: int) -> None:
        """Say that a page could not be fetched: it is asked for again when it is looked at again."""
        if generation == self._generation:
            self._asked.discard(offset // PAGE)

    def row_at(self, position: int) -> RowT | None:
        """Return the row at ``position``, or ``None`` while it is on its way."""
        page = self._pages.get(position // PAGE)
        place = position % PAGE
        return page[place] if page is not None and place < len(page) else None

    def known_rows(self) -> list[RowT]:
        """Return the rows that are known, in order."""
        return [row for number in sorted(self._pages) for row in self._pages[number]]

    def row_of(self, key: Any) -> RowT | None:
        """Return the known row with ``key``."""
        return next((row for row in self.known_rows() if self.key(row) == key), None)

    def index_of(self, key: Any) -> QModelIndex:
        """Return where the row with ``key`` is shown, if it is known."""
        for number, page in self._pages.items():
            for place, row in enumerate(page):
                if self.key(row) == key:
                    return self.index(number * PAGE + place, 0)
        return QModelIndex()

    def raw(self, row: RowT, column: int) -> Any:
        """Return a column's value for exports."""
        return self.cell(row, column).text

    def export_values(self, keys: Sequence[Any] | None, column_ids: Sequence[str]) -> list[list[Any]]:
        """Return raw values of known rows (all known ones when ``keys`` is ``None``)."""
        by_id = {column.id: number for number, column in enumerate(self.columns)}
        rows = self.known_rows() if keys is None else [r for r in map(self.row_of, keys) if r is not None]
        return [[self.raw(row, by_id[name]) for name in column_ids] for row in rows]

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Ask the page for another order."""
        name = self.columns[column].id if 0 <= column < len(self.columns) else ""
        self.order_wanted.emit(name, order == Qt.SortOrder.DescendingOrder)

    # --- Qt

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else self._total

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        position = index.row()
        if not 0 <= position < self._total:
            return None
        row = self.row_at(position)
        if row is None:
            if role == CELL_ROLE:
                self._want(position // PAGE)
            return None if role == KEY_ROLE else WAITING_CELL.data(role)
        if role == KEY_ROLE:
            return self.key(row)
        return self.cell(row, index.column()).data(role)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        return header_data(self.columns[section], role)

    def _want(self, number: int) -> None:
        if number not in self._asked:
            self._wanted[number] = None
            if not self._timer.isActive():
                self._timer.start()

    def _ask(self) -> None:
        """Ask for the pages that were looked at last, newest first: a quick scroll passes many."""
        wanted = list(self._wanted)[-3:]
        self._wanted.clear()
        for number in reversed(wanted):
            self._asked.add(number)
            self.page_wanted.emit(number * PAGE, PAGE, self._generation)
