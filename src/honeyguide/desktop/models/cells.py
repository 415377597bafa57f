"""What one cell of a table shows, made once and painted by the delegate without asking the model again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt

from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.theme.roles import Role

CELL_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Gives the ``Cell``."""
KEY_ROLE = int(Qt.ItemDataRole.UserRole) + 2
"""Gives the key of the row (a run's uuid, a trace's id, …)."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: one line, already safe to show.
        role: colour of text and icon.
        icon: a sign before the text; it repeats in a form what the colour says.
        right: aligned to the right, in figures of one width.
        strong: in a heavier weight. ``pill``: on a tint, as a badge.
        progress: a bar before the text, 0 to 1; ``None`` for none.
        tip: what the tooltip says; as plain text.
        spoken: what a screen reader says when it is not ``text``.
    """

    text: str
    role: Role = Role.TEXT
    icon: str = ""
    right: bool = False
    strong: bool = False
    pill: bool = False
    progress: float | None = None
    tip: str = ""
    spoken: str = ""

    def data(self, role: int) -> Any:
        """Return what Qt's own roles ask for."""
        if role == CELL_ROLE:
            return self
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.tip) or None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken or self.text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if self.right else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None


WAITING_CELL = Cell("…", Role.TEXT_2)
"""Stands where a row is still on its way."""
