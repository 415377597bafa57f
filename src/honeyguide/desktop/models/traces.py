"""The trace browser's table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.paged import PagedTableModel
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import trace_outcome_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One recorded execution.

    Attributes:
        preview: the beginning of its input. ``excerpt``: the words around a find, instead of it.
        duration_s: seconds. ``cost_usd``: ``None`` is unknown.
        never_send: whether a person said that it never leaves this computer.
    """

    id: int
    created_at: datetime
    outcome: str
    source: str = ""
    preview: str = ""
    excerpt: str = ""
    target: str = ""
    model: str = ""
    conversation: str = ""
    tool_calls: int = 0
    cost_usd: float | None = None
    duration_s: float | None = None
    never_send: bool = False


class TraceTableModel(PagedTableModel[TraceRow]):
    """All traces, a page at a time."""

    def __init__(
        self, parent: QObject | None = None, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        translate = QCoreApplication.translate
        super().__init__(
            (
                Column("outcome", translate("TraceTableModel", "Outcome"), 18, fixed=True),
                Column("preview", translate("TraceTableModel", "Input"), 44, stretch=True, fixed=True, sortable=False),
                Column("target", translate("TraceTableModel", "Target"), 18),
                Column("source", translate("TraceTableModel", "Source"), 13),
                Column("model", translate("TraceTableModel", "Model"), 16, shown=False),
                Column("conversation", translate("TraceTableModel", "Conversation"), 14, shown=False),
                Column("tools", translate("TraceTableModel", "Tool calls"), 9, right=True),
                Column("cost", translate("TraceTableModel", "Cost"), 11, right=True),
                Column("duration", translate("TraceTableModel", "Time taken"), 10, right=True, shown=False),
                Column("age", translate("TraceTableModel", "Age"), 12, right=True),
            ),
            parent,
        )
        self._now = now

    def key(self, row: TraceRow) -> int:
        return row.id

    def now(self) -> datetime:
        """Return the moment that ages are counted from."""
        return self._now()

    def cell(self, row: TraceRow, column: int) -> Cell:
        return _CELLS[self.columns[column].id](self, row)

    def raw(self, row: TraceRow, column: int) -> Any:
        return _RAW[self.columns[column].id](row)


def _outcome(_: TraceTableModel, row: TraceRow) -> Cell:
    said = trace_outcome_wording(row.outcome)
    return Cell(said.words, said.role, said.icon, tip=said.tip)


def _preview(_: TraceTableModel, row: TraceRow) -> Cell:
    text = row.excerpt or row.preview
    translate = QCoreApplication.translate
    if row.never_send:
        tip = translate("TraceTableModel", "Never leaves this computer.") + "\n" + text[:600]
        return Cell(one_line(text), icon="lock", tip=tip)
    return Cell(
        one_line(text) or translate("TraceTableModel", "(empty)"),
        Role.TEXT if text.strip() else Role.TEXT_2,
        tip=text[:600],
    )


_CELLS: dict[str, Callable[[TraceTableModel, TraceRow], Cell]] = {
    "outcome": _outcome,
    "preview": _preview,
    "target": lambda _, row: Cell(one_line(row.target, 80)),
    "source": lambda _, row: Cell(one_line(row.source, 80), Role.TEXT_2),
    "model": lambda _, row: Cell(one_line(row.model, 80), Role.TEXT_2),
    "conversation": lambda _, row: Cell(one_line(row.conversation, 80), Role.TEXT_2),
    "tools": lambda _, row: Cell(figures.whole(row.tool_calls), right=True),
    "cost": lambda _, row: Cell(
        figures.money(row.cost_usd), Role.TEXT if row.cost_usd is not None else Role.TEXT_2, right=True
    ),
    "duration": lambda _, row: Cell(figures.duration(row.duration_s), right=True),
    "age": lambda model, row: Cell(
        figures.age(row.created_at, model.now()), Role.TEXT_2, right=True, tip=figures.exact_time(row.created_at)
    ),
}
_RAW: dict[str, Callable[[TraceRow], Any]] = {
    "outcome": lambda row: row.outcome,
    "preview": lambda row: row.preview,
    "target": lambda row: row.target,
    "source": lambda row: row.source,
    "model": lambda row: row.model,
    "conversation": lambda row: row.conversation,
    "tools": lambda row: row.tool_calls,
    "cost": lambda row: row.cost_usd,
    "duration": lambda row: row.duration_s,
    "age": lambda row: row.created_at.isoformat(),
}
