"""Reported problems, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.theme.plain_text import one_line


@dataclass(frozen=True, slots=True)
class Problem:
    """One line of the list."""

    id: str
    state: str
    message: str
    target: str
    created_at: datetime


class FeedbackModel(IndexedTableModel[Problem]):
    """All reported problems."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("state", tr("FeedbackModel", "State"), 14, fixed=True),
                Column("message", tr("FeedbackModel", "Problem"), 40, stretch=True, fixed=True),
                Column("target", tr("FeedbackModel", "Target"), 18),
                Column("created_at", tr("FeedbackModel", "Age"), 9, right=True),
            ),
            parent,
        )

    def key(self, row: Problem) -> str:
        return row.id

    def raw(self, row: Problem, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.isoformat() if isinstance(value, datetime) else value

    def sort_value(self, row: Problem, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.casefold() if isinstance(value, str) else value

    def cell(self, row: Problem, column: int) -> Cell:
        name = self.columns[column].id
        if name == "state":
            words, role, icon = state_look(row.state)
            return Cell(words, role, icon)
        if name == "message":
            return Cell(one_line(row.message), tip=row.message[:600])
        if name == "target":
            return Cell(one_line(row.target, 80), Role.TEXT_2)
        age = figures.age(row.created_at, datetime.now(UTC))
        return Cell(age, Role.TEXT_2, right=True, tip=figures.exact_time(row.created_at))


def state_look(state: str) -> tuple[str, Role, str]:
    """Return words, colour and icon of a problem's state."""
    tr = QCoreApplication.translate
    return {
        "open": (tr("FeedbackModel", "open"), Role.WARN, "waiting"),
        "targeted": (tr("FeedbackModel", "being worked on"), Role.INFO, "running"),
        "resolved": (tr("FeedbackModel", "resolved"), Role.GOOD, "check"),
        "dismissed": (tr("FeedbackModel", "dismissed"), Role.TEXT_2, "cross"),
    }.get(state, (state, Role.TEXT_2, "question"))
