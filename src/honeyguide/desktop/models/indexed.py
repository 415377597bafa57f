"""A table over rows kept in a list, sorted and filtered on an index of its own.

Qt's own sort proxy asks Python for every comparison: 100,000 rows took 20 s; this takes 50 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from honeyguide.desktop.models.cells import CELL_ROLE, KEY_ROLE, Cell
from honeyguide.desktop.models.columns import Column

RowT = TypeVar("RowT")
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
_KEPT_CELLS = 20_000


class IndexedTableModel(QAbstractTableModel, Generic[RowT]):
    """Rows, and the order in which those that pass the filter are shown.

    A subclass says what a column shows (``cell``), sorts by (``sort_value``), exports (``raw``), and what words are
    searched (``words``).

    Signals:
        rows_changed(shown, total): another number of rows is shown or held.
    """

    rows_changed = Signal(int, int)

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: list[RowT] = []
        self._places: dict[Any, int] = {}
        self._order: list[int] = []
        self._haystacks: list[str] = []
        self._cells: dict[tuple[int, int], Cell] = {}
        self._front: list[int] = []
        self._needles: tuple[str, ...] = ()
        self._passes: Callable[[RowT], bool] | None = None
        self._sort: tuple[int, bool] | None = None

    # --- what a subclass says

    def key(self, row: RowT) -> Any:
        """Return what names the row, for good."""
        raise NotImplementedError

    def cell(self, row: RowT, column: int) -> Cell:
        """Return what a column shows of a row."""
        raise NotImplementedError

    def raw(self, row: RowT, column: int) -> Any:
        """Return a column's value for exports."""
        return self.cell(row, column).text

    def sort_value(self, row: RowT, column: int) -> Any:
        """Return what a column sorts by; ``None`` (unknown) stands at the end either way."""
        return self.cell(row, column).text.casefold()

    def sort_values(self, column: int) -> Sequence[Any]:
        """Return ``sort_value`` of every row held; long tables have a quicker way."""
        return [self.sort_value(row, column) for row in self._rows]

    def words(self, row: RowT) -> str:
        """Return the text that a search looks through, in small letters."""
        return " ".join(self.cell(row, number).text for number in range(len(self.columns))).casefold()

    # --- rows

    def set_rows(self, rows: Iterable[RowT]) -> None:
        """Replace everything."""
        self.beginResetModel()
        self._rows = list(rows)
        self._places = {self.key(row): place for place, row in enumerate(self._rows)}
        self._haystacks = [self.words(row) for row in self._rows]
        self._front = []
        self._cells.clear()
        self._order = self._ordered()
        self.endResetModel()
        self._tell()

    def add_rows(self, rows: Iterable[RowT], *, first: bool = False) -> None:
        """Add rows, known ones are updated.

        Args:
            first: whether they stand before the others in the natural order (new runs do), the last one topmost.
        """
        known: list[RowT] = []
        new: list[RowT] = []
        for row in rows:
            (known if self.key(row) in self._places else new).append(row)
        for row in known:
            self.update_row(row)
        if not new:
            return
        start = len(self._rows)
        if first:
            self._front.extend(range(start, start + len(new)))
        self._rows.extend(new)
        self._haystacks.extend(self.words(row) for row in new)
        self._places.update((self.key(row), start + number) for number, row in enumerate(new))
        shown = [place for place in range(start, len(self._rows)) if self._shows(place)]
        if self._sort is not None:
            self._resort()
        elif shown:
            at = 0 if first else len(self._order)
            self.beginInsertRows(_NOWHERE, at, at + len(shown) - 1)
            self._order[at:at] = reversed(shown) if first else shown
            self.endInsertRows()
        self._tell()

    def update_row(self, row: RowT) -> bool:
        """Replace the row with the same key; it keeps its place until the table is sorted again.

        Returns:
            Whether there was one.
        """
        place = self._places.get(self.key(row))
        if place is None:
            return False
        was_shown = self._shows(place)
        self._rows[place] = row
        self._haystacks[place] = self.words(row)
        for column in range(len(self.columns)):
            self._cells.pop((place, column), None)
        is_shown = self._shows(place)
        if was_shown and is_shown:
            at = self._position(place)
            self.dataChanged.emit(self.index(at, 0), self.index(at, len(self.columns) - 1))
        elif was_shown != is_shown:
            self._refilter()
        return True

    def remove_keys(self, keys: Iterable[Any]) -> None:
        """Take rows away; unknown keys are ignored."""
        gone = set(keys)
        if any(key in self._places for key in gone):
            self.set_rows([row for row in self._rows if self.key(row) not in gone])

    @property
    def total(self) -> int:
        """How many rows are held, shown or not."""
        return len(self._rows)

    def all_rows(self) -> list[RowT]:
        """Return every row held, in the natural order."""
        return [self._rows[place] for place in self._natural()]

    def shown_rows(self) -> list[RowT]:
        """Return the rows as they are shown."""
        return [self._rows[place] for place in self._order]

    def row_at(self, position: int) -> RowT:
        """Return the row shown at ``position``."""
        return self._rows[self._order[position]]

    def row_of(self, key: Any) -> RowT | None:
        """Return the row with ``key``."""
        place = self._places.get(key)
        return None if place is None else self._rows[place]

    def index_of(self, key: Any) -> QModelIndex:
        """Return where the row with ``key`` is shown; an invalid index when it is not."""
        place = self._places.get(key)
        if place is None:
            return QModelIndex()
        position = self._position(place)
        return self.index(position, 0) if position >= 0 else QModelIndex()

    # --- order

    def search(self, text: str) -> None:
        """Show only rows that contain every word of ``text``; case is ignored."""
        needles = tuple(text.casefold().split())
        if needles != self._needles:
            self._needles = needles
            self._refilter()

    def set_filter(self, passes: Callable[[RowT], bool] | None) -> None:
        """Show only rows for which ``passes`` is true; ``None`` shows all."""
        self._passes = passes
        self._refilter()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; a negative one gives the natural order."""
        self._sort = (column, order == Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._resort()

    @property
    def sorted_by(self) -> tuple[int, bool] | None:
        """The column sorted by, and whether descending."""
        return self._sort

    # --- exports

    def export_values(self, keys: Sequence[Any] | None, column_ids: Sequence[str]) -> list[list[Any]]:
        """Return raw values of rows (all that are shown when ``keys`` is ``None``) for the named columns."""
        by_id = {column.id: number for number, column in enumerate(self.columns)}
        rows = self.shown_rows() if keys is None else [r for r in map(self.row_of, keys) if r is not None]
        return [[self.raw(row, by_id[name]) for name in column_ids] for row in rows]

    # --- Qt

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        position = index.row()
        if not 0 <= position < len(self._order):
            return None
        place = self._order[position]
        if role == KEY_ROLE:
            return self.key(self._rows[place])
        known = self._cells.get((place, index.column()))
        if known is None:
            if len(self._cells) > _KEPT_CELLS:
                self._cells.clear()
            known = self._cells[place, index.column()] = self.cell(self._rows[place], index.column())
        return known if role == CELL_ROLE else known.data(role)

    def forget_cells(self) -> None:
        """Make every cell anew when it is shown next, e.g. because time passed."""
        self._cells.clear()

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = int(Qt.ItemDataRole.DisplayRole)
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        return header_data(self.columns[section], role)

    # --- inside

    def _shows(self, place: int) -> bool:
        if self._passes is not None and not self._passes(self._rows[place]):
            return False
        haystack = self._haystacks[place]
        return all(needle in haystack for needle in self._needles)

    def _natural(self) -> Sequence[int]:
        if not self._front:
            return range(len(self._rows))
        front = set(self._front)
        return [*reversed(self._front), *(place for place in range(len(self._rows)) if place not in front)]

    def _ordered(self) -> list[int]:
        places: Iterable[int] = self._natural()
        if self._needles:
            for needle in self._needles:
                places = [place for place in places if needle in self._haystacks[place]]
        if self._passes is not None:
            passes, rows = self._passes, self._rows
            places = [place for place in places if passes(rows[place])]
        return self._sorted(list(places))

    def _sorted(self, places: list[int]) -> list[int]:
        if self._sort is None:
            return places
        column, descending = self._sort
        values = self.sort_values(column)
        known = [place for place in places if values[place] is not None]
        unknown = [place for place in places if values[place] is None]
        known.sort(key=values.__getitem__, reverse=descending)
        return known + unknown

    def _position(self, place: int) -> int:
        try:
            return self._order.index(place)
        except ValueError:
            return -1

    def _refilter(self) -> None:
        self._change_order(self._ordered())
        self._tell()

    def _resort(self) -> None:
        self._change_order(self._ordered())

    def _change_order(self, order: list[int]) -> None:
        """Show ``order``; whoever holds on to a row (the selection) keeps it when it is still shown."""
        self.layoutAboutToBeChanged.emit()
        old = self.persistentIndexList()
        held = [(index, self._order[index.row()]) for index in old if index.row() < len(self._order)]
        self._order = order
        if held:
            wanted = {place for _, place in held}
            now = {place: at for at, place in enumerate(order) if place in wanted}
            self.changePersistentIndexList(
                [index for index, _ in held],
                [self.index(now[place], index.column()) if place in now else QModelIndex() for index, place in held],
            )
        self.layoutChanged.emit()

    def _tell(self) -> None:
        self.rows_changed.emit(len(self._order), len(self._rows))


def header_data(column: Column, role: int) -> Any:
    """Return what a header shows of ``column``."""
    if role == Qt.ItemDataRole.DisplayRole:
        return column.title
    if role == Qt.ItemDataRole.ToolTipRole:
        return column.tip or None
    if role == Qt.ItemDataRole.TextAlignmentRole:
        side = Qt.AlignmentFlag.AlignRight if column.right else Qt.AlignmentFlag.AlignLeft
        return int(side | Qt.AlignmentFlag.AlignVCenter)
    return None
