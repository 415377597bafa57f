"""The list of targets: every text that can be improved."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject

from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.theme import figures
from honeyguide.desktop.theme.outcomes import kind_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.theme.roles import Role


@dataclass(frozen=True, slots=True)
class TargetLine:
    """One target.

    Attributes:
        id: ``KIND:NAME``. ``limit``: the size gate; ``None`` when only the program's own limits hold.
        origin: ``base``, ``override`` or ``file``.
        together: ids of those that stand with it in every run.
    """

    id: str
    kind: str
    name: str
    title: str
    chars: int
    limit: int | None
    traces: int
    last_run: datetime | None
    origin: str
    path: str = ""
    description: str = ""
    together: tuple[str, ...] = ()


class TargetTableModel(IndexedTableModel[TargetLine]):
    """All targets of a workspace."""

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        brief: bool = False,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """With ``brief`` only what fits a narrow list is shown at first."""
        translate = QCoreApplication.translate
        super().__init__(
            (
                Column("title", translate("TargetTableModel", "Target"), 22, stretch=True, fixed=True),
                Column("kind", translate("TargetTableModel", "Kind"), 15),
                Column("chars", translate("TargetTableModel", "Characters"), 13, right=True, shown=not brief),
                Column("traces", translate("TargetTableModel", "Traces"), 8, right=True),
                Column("last_run", translate("TargetTableModel", "Last run"), 9, right=True),
                Column("origin", translate("TargetTableModel", "Text from"), 14, shown=not brief),
                Column("path", translate("TargetTableModel", "File"), 30, shown=False),
            ),
            parent,
        )
        self._now = now

    def key(self, row: TargetLine) -> str:
        return row.id

    def words(self, row: TargetLine) -> str:
        kind = kind_wording(row.kind).words
        return f"{row.name}\n{row.title}\n{kind}\n{row.kind}\n{row.description}\n{row.path}".casefold()

    def sort_value(self, row: TargetLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.casefold() if isinstance(value, str) else value

    def raw(self, row: TargetLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.isoformat() if isinstance(value, datetime) else value

    def cell(self, row: TargetLine, column: int) -> Cell:
        return _CELLS[self.columns[column].id](self, row)

    def now(self) -> datetime:
        """Return the moment that ages are counted from."""
        return self._now()


def _title(_: TargetTableModel, row: TargetLine) -> Cell:
    kind = kind_wording(row.kind)
    tip = "\n".join(part for part in (row.id, row.description, row.path) if part)
    return Cell(one_line(row.title or row.name, 120), icon=kind.icon, tip=tip, spoken=f"{row.title}, {kind.words}")


def _chars(_: TargetTableModel, row: TargetLine) -> Cell:
    translate = QCoreApplication.translate
    if row.limit is None:
        return Cell(figures.whole(row.chars), right=True)
    share = row.chars / row.limit if row.limit else 0.0
    role = Role.BAD if share > 1 else Role.WARN if share >= 0.9 else Role.TEXT
    tip = translate("TargetTableModel", "{used} of at most {limit}").format(
        used=figures.whole(row.chars), limit=figures.whole(row.limit)
    )
    return Cell(figures.whole(row.chars), role, right=True, tip=tip)


def _last(model: TargetTableModel, row: TargetLine) -> Cell:
    if row.last_run is None:
        return Cell(QCoreApplication.translate("TargetTableModel", "never"), Role.TEXT_2, right=True)
    return Cell(figures.age(row.last_run, model.now()), Role.TEXT_2, right=True, tip=figures.exact_time(row.last_run))


def origin_words(origin: str) -> str:
    """Return where a target's live text comes from, in words."""
    translate = QCoreApplication.translate
    return {
        "base": translate("TargetTableModel", "the agent"),
        "override": translate("TargetTableModel", "a deploy"),
        "file": translate("TargetTableModel", "its own file"),
    }.get(origin, origin)


_CELLS: dict[str, Callable[[TargetTableModel, TargetLine], Cell]] = {
    "title": _title,
    "kind": lambda _, row: Cell(kind_wording(row.kind).words, Role.TEXT_2),
    "chars": _chars,
    "traces": lambda _, row: Cell(figures.whole(row.traces), right=True),
    "last_run": _last,
    "origin": lambda _, row: Cell(origin_words(row.origin), Role.TEXT_2),
    "path": lambda _, row: Cell(one_line(row.path), Role.TEXT_2),
}
