"""The versions of a target, newest first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from honeyguide.desktop.models.cells import KEY_ROLE
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import origin_wording
from honeyguide.desktop.theme.plain_text import one_line, tooltip

AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()
ROW_ROLE = int(Qt.ItemDataRole.UserRole) + 3
"""Gives the ``VersionRow``."""


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One stored state of a target's text.

    Attributes:
        origin: ``found``, ``accepted``, ``restored`` or ``edited-outside``.
        who, how: the user and the way (window, command line, …).
        outcome, delta, cost_usd: of the run that made it, when one did.
        current: whether it is live. ``is_bak``: whether the ``.bak`` file holds it. ``removed``: no file stood there.
        together: names and versions of other targets that came about in the same step.
    """

    n: int
    created_at: datetime
    origin: str
    sha256: str = ""
    who: str = ""
    how: str = ""
    note: str = ""
    run_uuid: str | None = None
    outcome: str | None = None
    delta: float | None = None
    interval: tuple[float, float] | None = None
    cost_usd: float | None = None
    chars: int | None = None
    current: bool = False
    is_bak: bool = False
    removed: bool = False
    restored_from: int | None = None
    together: tuple[str, ...] = ()


class VersionModel(QAbstractListModel):
    """The timeline."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[VersionRow] = []

    def set_versions(self, versions: Iterable[VersionRow]) -> None:
        """Replace everything; shown newest first whatever their order."""
        self.beginResetModel()
        self._rows = sorted(versions, key=lambda row: row.n, reverse=True)
        self.endResetModel()

    def versions(self) -> list[VersionRow]:
        """Return all, newest first."""
        return list(self._rows)

    def version(self, n: int) -> VersionRow | None:
        """Return version ``n``."""
        return next((row for row in self._rows if row.n == n), None)

    def index_of(self, n: int) -> QModelIndex:
        """Return where version ``n`` stands."""
        return next((self.index(at, 0) for at, row in enumerate(self._rows) if row.n == n), QModelIndex())

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: AnyIndex, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not 0 <= index.row() < len(self._rows):
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == KEY_ROLE:
            return row.n
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._spoken(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(f"{figures.exact_time(row.created_at)}\nSHA-256 {row.sha256}\n{row.note}".strip())
        return None

    def _spoken(self, row: VersionRow) -> str:
        parts = [self.tr("Version {n}").format(n=row.n), origin_wording(row.origin).words]
        if row.current:
            parts.append(self.tr("live now"))
        if row.delta is not None:
            parts.append(figures.gain(row.delta, row.interval))
        if row.together:
            parts.append(self.tr("together with {others}").format(others=", ".join(row.together)))
        if row.note:
            parts.append(one_line(row.note, 120))
        return ", ".join(parts)
