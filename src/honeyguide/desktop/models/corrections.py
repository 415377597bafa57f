"""Places where a person was perhaps not satisfied, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import Role
from honeyguide.desktop.theme.code_words import detector_words
from honeyguide.desktop.theme.plain_text import one_line


@dataclass(frozen=True, slots=True)
class Suggestion:
    """One line of the queue."""

    id: int
    state: str
    span: str
    place: str
    detector: str
    trace_id: int


class CorrectionModel(IndexedTableModel[Suggestion]):
    """The queue."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("state", tr("CorrectionModel", "State"), 18, fixed=True),
                Column("span", tr("CorrectionModel", "Words"), 40, stretch=True, fixed=True),
                Column("detector", tr("CorrectionModel", "Found by"), 16),
                Column("place", tr("CorrectionModel", "Where"), 18, shown=False),
            ),
            parent,
        )

    def key(self, row: Suggestion) -> int:
        return row.id

    def raw(self, row: Suggestion, column: int) -> Any:
        return getattr(row, self.columns[column].id)

    def cell(self, row: Suggestion, column: int) -> Cell:
        name = self.columns[column].id
        if name == "state":
            words, role, icon = state_look(row.state)
            return Cell(words, role, icon)
        if name == "span":
            return Cell(one_line(row.span) or no_words(), Role.TEXT if row.span else Role.TEXT_2, tip=row.span[:600])
        if name == "detector":
            return Cell(detector_words(row.detector), Role.TEXT_2, tip=row.detector)
        return Cell(one_line(row.place.replace("-", " ").replace("_", " ")), Role.TEXT_2)


def state_look(state: str) -> tuple[str, Role, str]:
    """Return words, colour and icon of a correction's state."""
    tr = QCoreApplication.translate
    return {
        "suggested": (tr("CorrectionModel", "to be judged"), Role.ACCENT_TEXT, "waiting"),
        "confirmed": (tr("CorrectionModel", "a correction"), Role.GOOD, "check"),
        "dismissed": (tr("CorrectionModel", "not a correction"), Role.TEXT_2, "cross"),
    }.get(state, (state, Role.TEXT_2, "question"))


def no_words() -> str:
    """Return what stands for a sign that has no words."""
    return QCoreApplication.translate("CorrectionModel", "(a sign without words)")
