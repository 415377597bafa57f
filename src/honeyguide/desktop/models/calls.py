"""The journal's table: every model call of a run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.paged import PagedTableModel
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role


@dataclass(frozen=True, slots=True)
class CallRow:
    """One call.

    Attributes:
        n: its number in the run, from 1. ``purpose``: what it was for, in words.
        status: ``ok``, ``replayed`` (paid earlier, taken from the journal) or ``failed``.
        usd: ``None`` is unknown. ``seconds``: how long it took.
        error: one sentence, for a failed one.
    """

    n: int
    at: datetime | None
    purpose: str
    model: str = ""
    status: str = "ok"
    input_tokens: int | None = None
    output_tokens: int | None = None
    usd: float | None = None
    seconds: float | None = None
    error: str = ""


class CallTableModel(PagedTableModel[CallRow]):
    """The calls of a run, a page at a time."""

    def __init__(self, parent: QObject | None = None) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            (
                Column("n", translate("CallTableModel", "No."), 6, right=True, sortable=False),
                Column("purpose", translate("CallTableModel", "For"), 30, stretch=True, sortable=False, fixed=True),
                Column("status", translate("CallTableModel", "Status"), 14, sortable=False),
                Column("model", translate("CallTableModel", "Model"), 18, sortable=False),
                Column("input", translate("CallTableModel", "Tokens in"), 10, right=True, sortable=False),
                Column("output", translate("CallTableModel", "Tokens out"), 10, right=True, sortable=False),
                Column("usd", translate("CallTableModel", "Cost"), 9, right=True, sortable=False),
                Column("seconds", translate("CallTableModel", "Time taken"), 10, right=True, sortable=False),
                Column("at", translate("CallTableModel", "At"), 20, shown=False, sortable=False),
            ),
            parent,
        )

    def key(self, row: CallRow) -> int:
        return row.n

    def cell(self, row: CallRow, column: int) -> Cell:
        return _CELLS[self.columns[column].id](row)

    def raw(self, row: CallRow, column: int) -> Any:
        value = getattr(row, _FIELDS.get(self.columns[column].id, self.columns[column].id))
        return value.isoformat() if isinstance(value, datetime) else value


def _status(row: CallRow) -> Cell:
    translate = QCoreApplication.translate
    if row.status == "failed":
        return Cell(translate("CallTableModel", "failed"), Role.BAD, "cross", tip=row.error)
    if row.status == "replayed":
        tip = translate("CallTableModel", "Paid for earlier; the reply was taken from the journal.")
        return Cell(translate("CallTableModel", "replayed"), Role.TEXT_2, "retry", tip=tip)
    return Cell(translate("CallTableModel", "answered"), Role.TEXT, "check")


_FIELDS = {"input": "input_tokens", "output": "output_tokens"}
_CELLS: dict[str, Callable[[CallRow], Cell]] = {
    "n": lambda row: Cell(figures.whole(row.n), Role.TEXT_2, right=True),
    "purpose": lambda row: Cell(one_line(row.purpose), tip=row.error),
    "status": _status,
    "model": lambda row: Cell(one_line(row.model, 80), Role.TEXT_2),
    "input": lambda row: Cell(figures.whole(row.input_tokens), right=True),
    "output": lambda row: Cell(figures.whole(row.output_tokens), right=True),
    "usd": lambda row: Cell(figures.money(row.usd), Role.TEXT if row.usd is not None else Role.TEXT_2, right=True),
    "seconds": lambda row: Cell(figures.duration(row.seconds), right=True),
    "at": lambda row: Cell(figures.exact_time(row.at), Role.TEXT_2),
}
