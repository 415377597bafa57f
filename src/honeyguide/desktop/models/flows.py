"""Proposals for flows, as rows of a table."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.theme.plain_text import one_line

WAITING = ("verified_improvement", "regression_safe")
"""States in which a person decides."""


@dataclass(frozen=True, slots=True)
class FlowLine:
    """One proposal; ``flow`` is its file's name, ``place`` its path and id."""

    id: str
    status: str
    flow: str
    reason: str
    created_at: datetime
    place: str = ""


class FlowModel(IndexedTableModel[FlowLine]):
    """All proposals for flows."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("status", tr("FlowModel", "State"), 22, fixed=True),
                Column("flow", tr("FlowModel", "Flow"), 26, fixed=True),
                Column("reason", tr("FlowModel", "Why"), 40, stretch=True),
                Column("created_at", tr("FlowModel", "Age"), 9, right=True),
            ),
            parent,
        )

    def key(self, row: FlowLine) -> str:
        return row.id

    def raw(self, row: FlowLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.isoformat() if isinstance(value, datetime) else value

    def cell(self, row: FlowLine, column: int) -> Cell:
        name = self.columns[column].id
        if name == "status":
            words, role, icon = status_look(row.status)
            return Cell(words, role, icon, strong=row.status in WAITING)
        if name == "created_at":
            age = figures.age(row.created_at, datetime.now(UTC))
            return Cell(age, Role.TEXT_2, right=True, tip=figures.exact_time(row.created_at))
        if name == "flow":
            return Cell(one_line(row.flow), icon="flows", tip=row.place)
        return Cell(one_line(spoken(row.reason)), Role.TEXT_2, tip=spoken(row.reason)[:600])


def status_look(status: str) -> tuple[str, Role, str]:
    """Return words, colour and icon of a proposal's state; an unknown one without its hyphens."""
    tr = QCoreApplication.translate
    at_work = (tr("FlowModel", "at work"), Role.INFO, "running")
    return {
        "planned": at_work,
        "verifying": at_work,
        "drafting": at_work,
        "proposed": at_work,
        "verified_improvement": (tr("FlowModel", "better, proven"), Role.GOOD, "good"),
        "regression_safe": (tr("FlowModel", "safe, not proven"), Role.INFO, "shield"),
        "inconclusive": (tr("FlowModel", "cannot tell yet"), Role.WARN, "question"),
        "capability_rejected": (tr("FlowModel", "adds a capability"), Role.BAD, "lock"),
        "rejected": (tr("FlowModel", "worse"), Role.BAD, "bad"),
        "interrupted": (tr("FlowModel", "interrupted"), Role.WARN, "pause"),
        "applying": at_work,
        "applied": (tr("FlowModel", "applied"), Role.GOOD, "check"),
        "rolling_back": at_work,
        "rolled_back": (tr("FlowModel", "rolled back"), Role.INFO, "rollback"),
        "dismissed": (tr("FlowModel", "turned down"), Role.TEXT_2, "cross"),
    }.get(status, (status.replace("_", " "), Role.TEXT_2, "question"))
