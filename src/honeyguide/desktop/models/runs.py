"""The run table: up to 100,000 runs. The first screen comes ready; a thin index of all others follows in chunks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QTimer, Signal

from honeyguide.desktop.models.cells import CELL_ROLE, Cell
from honeyguide.desktop.models.indexed import AnyIndex, IndexedTableModel
from honeyguide.desktop.models.run_rows import RunRow, run_columns
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import gate_words, kind_wording, outcome_wording, state_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role

_WANTED_MS = 30
"""How long missing rows are collected before they are asked for together."""


class RunTableModel(IndexedTableModel[RunRow]):
    """All runs of a workspace.

    The page hands the first screen to ``set_rows``, then calls ``begin_index``, ``add_index`` for each chunk of
    partial rows (newest first) and ``finish_index``. Sorting waits for that. A partial row that comes into view is
    asked for by ``rows_wanted`` and answered by ``update_row``.

    Signals:
        rows_wanted(list of uuids): these rows are in view and only known by their index.
        index_progress(done, total): how far the index is; both equal when it is complete.
    """

    rows_wanted = Signal(list)
    index_progress = Signal(int, int)

    def __init__(
        self, parent: QObject | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        super().__init__(run_columns(), parent)
        self._now = now
        self._expected: int | None = None
        self._waiting_sort: tuple[int, Qt.SortOrder] | None = None
        self._states: frozenset[str] = frozenset()
        self._extra: Callable[[RunRow], bool] | None = None
        self._wanted: dict[str, None] = {}
        self._asked: set[str] = set()
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_WANTED_MS)
        self._timer.timeout.connect(self._ask)

    # --- the index

    def begin_index(self, total: int) -> None:
        """Say how many runs there are in all; sorting waits from now on."""
        self._expected = total
        self.index_progress.emit(min(self.total, total), total)

    def add_index(self, rows: Iterable[RunRow]) -> None:
        """Add a chunk; rows that are already known stay as they are."""
        self.add_rows(row for row in rows if self.row_of(row.uuid) is None)
        if self._expected is not None:
            self.index_progress.emit(min(self.total, self._expected), self._expected)

    def finish_index(self) -> None:
        """Say that every run is known; a sort that waited is done now."""
        self._expected = None
        self.index_progress.emit(self.total, self.total)
        if self._waiting_sort is not None:
            column, order = self._waiting_sort
            self._waiting_sort = None
            super().sort(column, order)

    @property
    def is_indexed(self) -> bool:
        """Whether every run is known."""
        return self._expected is None

    @property
    def waits_to_sort(self) -> bool:
        """Whether a person asked for an order that has to wait for the index."""
        return self._waiting_sort is not None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort, now or as soon as the index is complete."""
        if self.is_indexed:
            super().sort(column, order)
        else:
            self._waiting_sort = (column, order)
            self.index_progress.emit(min(self.total, self._expected or 0), self._expected or 0)

    # --- filters and counts

    def set_states(self, states: Collection[str]) -> None:
        """Show only these states; none shows all."""
        self._states = frozenset(states)
        self._use_filters()

    def set_extra_filter(self, passes: Callable[[RunRow], bool] | None) -> None:
        """Show only rows for which ``passes`` is true, besides the states."""
        self._extra = passes
        self._use_filters()

    def counts(self) -> dict[str, int]:
        """Return how many runs are in each state."""
        counts: dict[str, int] = {}
        for row in self._rows:
            counts[row.state] = counts.get(row.state, 0) + 1
        return counts

    def refresh_ages(self) -> None:
        """Show ages as of now."""
        self.forget_cells()
        column = self._number("age")
        if self.rowCount():
            self.dataChanged.emit(self.index(0, column), self.index(self.rowCount() - 1, column))

    def show_progress(self, uuid: str, progress: float | None, phase: str, cost_usd: float | None) -> bool:
        """Update a running row from a progress event; says whether the run is known."""
        row = self.row_of(uuid)
        return row is not None and self.update_row(
            replace(row, progress=progress, phase=phase, cost_usd=row.cost_usd if cost_usd is None else cost_usd)
        )

    def update_row(self, row: RunRow) -> bool:
        self._asked.discard(row.uuid)
        return super().update_row(row)

    # --- what is shown

    def key(self, row: RunRow) -> str:
        return row.uuid

    def words(self, row: RunRow) -> str:
        kind = kind_wording(row.kind).words
        return f"{row.name}\n{row.kind}\n{kind}\n{row.change}\n{row.model}\n{row.uuid}\n{row.note}".casefold()

    def cell(self, row: RunRow, column: int) -> Cell:
        return _CELLS[self.columns[column].id](self, row)

    def raw(self, row: RunRow, column: int) -> Any:
        return _RAW[self.columns[column].id](row)

    def sort_values(self, column: int) -> Sequence[Any]:
        getter = _SORT[self.columns[column].id]
        return list(map(getter, self._rows))

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if role == CELL_ROLE and 0 <= index.row() < len(self._order):
            row = self._rows[self._order[index.row()]]
            if row.partial and row.uuid not in self._asked:
                self._wanted[row.uuid] = None
                if not self._timer.isActive():
                    self._timer.start()
        return super().data(index, role)

    def now(self) -> datetime:
        """Return the moment that ages are counted from."""
        return self._now()

    def _use_filters(self) -> None:
        states, extra = self._states, self._extra
        if not states and extra is None:
            self.set_filter(None)
        elif extra is None:
            self.set_filter(lambda row: row.state in states)
        else:
            self.set_filter(lambda row: (not states or row.state in states) and extra(row))

    def _ask(self) -> None:
        wanted = [uuid for uuid in self._wanted if (row := self.row_of(uuid)) is not None and row.partial]
        self._wanted.clear()
        if wanted:
            self._asked.update(wanted)
            self.rows_wanted.emit(wanted)

    def _number(self, column_id: str) -> int:
        return next(number for number, column in enumerate(self.columns) if column.id == column_id)


def _outcome(model: RunTableModel, row: RunRow) -> Cell:
    state = state_wording(row.state)
    if row.state == "running":
        share = figures.percent(row.progress) if row.progress is not None else ""
        return Cell(f"{state.words} {share}".strip(), state.role, state.icon, progress=row.progress, tip=row.phase)
    if row.state == "proposed" and row.outcome is not None:
        said = outcome_wording(row.outcome)
        return Cell(said.words, said.role, said.icon, strong=True, tip=f"{said.tip}\n{state.tip}")
    return Cell(state.words, state.role, state.icon, strong=row.state == "proposed", tip=state.tip)


def _proof(model: RunTableModel, row: RunRow) -> Cell:
    if row.outcome is None:
        return Cell("…" if row.state == "running" else "–", Role.TEXT_2)
    said = outcome_wording(row.outcome)
    return Cell(said.words, said.role, said.icon, tip=said.tip)


def _target(model: RunTableModel, row: RunRow) -> Cell:
    kind = kind_wording(row.kind)
    name = one_line(row.name)
    return Cell(
        name,
        icon=kind.icon,
        strong=row.state == "proposed",
        tip=f"{row.name}\n{kind.words}",
        spoken=f"{name}, {kind.words}",
    )


def _gain(model: RunTableModel, row: RunRow) -> Cell:
    if row.delta is None:
        return Cell("…" if row.state == "running" else "–", Role.TEXT_2, right=True, spoken=figures.unknown())
    translate, interval = QCoreApplication.translate, row.interval
    between = ""
    if interval is not None:
        between = translate("RunTableModel", "Between {low} and {high}").format(
            low=figures.points(interval[0]), high=figures.points(interval[1])
        )
    if row.outcome is None:
        tip = translate("RunTableModel", "On the cases of the search; not measured on unseen ones.")
        return Cell(figures.gain(row.delta), Role.TEXT_2, right=True, tip=tip)
    if row.outcome == "verified_improvement":
        return Cell(figures.gain(row.delta, interval), Role.GOOD, right=True, tip=between)
    if row.outcome == "rejected":
        return Cell(figures.gain(row.delta, interval), Role.BAD, right=True, tip=between)
    words = translate("RunTableModel", "{gain}, not proven").format(gain=figures.points(row.delta))
    tip = translate("RunTableModel", "As measured on these unseen cases; a proof takes more evidence.")
    return Cell(words, Role.TEXT_2, right=True, tip=f"{tip}\n{between}" if between else tip)


def _gates(model: RunTableModel, row: RunRow) -> Cell:
    translate = QCoreApplication.translate
    if row.gates == "pass":
        return Cell(translate("RunTableModel", "passed"), Role.TEXT_2, "check")
    if row.gates == "fail" or row.failed_gate:
        words = gate_words(row.failed_gate) if row.failed_gate else translate("RunTableModel", "failed")
        return Cell(
            words, Role.BAD, "cross", tip=translate("RunTableModel", "This check refused it: {gate}").format(gate=words)
        )
    return Cell("…" if row.partial else "–", Role.TEXT_2)


def _cost(model: RunTableModel, row: RunRow) -> Cell:
    known = row.cost_usd is not None
    return Cell(figures.money(row.cost_usd), Role.TEXT if known else Role.TEXT_2, right=True)


def _age(model: RunTableModel, row: RunRow) -> Cell:
    moment = row.created_at
    return Cell(figures.age(moment, model.now()), Role.TEXT_2, right=True, tip=figures.exact_time(moment))


_CELLS: dict[str, Callable[[RunTableModel, RunRow], Cell]] = {
    "outcome": _outcome,
    "target": _target,
    "proof": _proof,
    "kind": lambda _, row: Cell(kind_wording(row.kind).words, Role.TEXT_2),
    "change": lambda _, row: Cell("…" if row.partial else one_line(row.change or row.phase), tip=row.change),
    "gain": _gain,
    "gates": _gates,
    "cost": _cost,
    "calls": lambda _, row: Cell(figures.whole(row.calls), right=True),
    "model": lambda _, row: Cell(one_line(row.model), Role.TEXT_2),
    "age": _age,
}
_RAW: dict[str, Callable[[RunRow], Any]] = {
    "outcome": attrgetter("state"),
    "proof": attrgetter("outcome"),
    "target": attrgetter("name"),
    "kind": attrgetter("kind"),
    "change": attrgetter("change"),
    "gain": attrgetter("delta"),
    "gates": lambda row: row.failed_gate or row.gates,
    "cost": attrgetter("cost_usd"),
    "calls": attrgetter("calls"),
    "model": attrgetter("model"),
    "age": lambda row: row.created_at.isoformat(),
}
_RANKS = {
    "verified_improvement": 0,
    "regression_safe": 1,
    "inconclusive": 2,
    "capability_rejected": 3,
    "rejected": 4,
}
_STATE_RANKS = {"proposed": 0, "running": 10, "failed": 20, "accepted": 30, "deployed": 30, "interrupted": 40}
_SORT: dict[str, Callable[[RunRow], Any]] = {
    "outcome": lambda row: _STATE_RANKS.get(row.state, 50) + _RANKS.get(row.outcome or "", 5),
    "target": lambda row: row.name.casefold(),
    "proof": lambda row: _RANKS.get(row.outcome) if row.outcome else None,
    "kind": attrgetter("kind"),
    "change": lambda row: row.change.casefold() or None,
    "gain": attrgetter("delta"),
    "gates": lambda row: row.failed_gate or row.gates or None,
    "cost": attrgetter("cost_usd"),
    "calls": attrgetter("calls"),
    "model": lambda row: row.model.casefold() or None,
    "age": attrgetter("created_at"),
}
