"""Where numbers, signs and text stand across the view, in either layout; mirrored where the language runs leftward."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect

from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.widgets.diff.rows import Side

PAD = 8
SIGN = 18
ICON = 20
EDGE = 3
"""Width of the bar at the edge that shows the current change."""
ROOM_FOR_TWO = 108
"""Characters from which two texts stand side by side by themselves."""


@dataclass(frozen=True, slots=True)
class Columns:
    """The measures of one layout.

    Attributes:
        width: of the view. ``number``: of one column of line numbers. ``icons``: of the column for marks.
        text: how wide text may run.
    """

    side_by_side: bool
    width: int
    number: int
    icons: int
    text: int
    mirrored: bool = False

    @classmethod
    def fit(
        cls, width: int, *, side_by_side: bool, digits: int, digit_width: float, advance: float, has_marks: bool,
        mirrored: bool,
    ) -> Columns:  # fmt: skip
        """Return the measures for a view of ``width`` pixels."""
        number = round(digits * digit_width) + PAD
        icons = ICON if has_marks else 0
        most = round(advance * Metrics.PROSE_CHARS)
        if side_by_side:
            room = (width - 1) // 2 - EDGE - icons - number - SIGN - PAD
        else:
            room = width - EDGE - icons - 2 * number - SIGN - PAD
        return cls(side_by_side, width, number, icons, max(48, min(most, room)), mirrored)

    def side(self, side: Side) -> tuple[int, int]:
        """Return left edge and width of a side, before mirroring."""
        if not self.side_by_side:
            return 0, self.width
        half = (self.width - 1) // 2
        return (0, half) if side is Side.BEFORE else (half + 1, self.width - half - 1)

    def text_left(self, side: Side) -> int:
        """Return where the text of a side begins, before mirroring."""
        numbers = self.number if self.side_by_side else 2 * self.number
        return self.side(side)[0] + EDGE + self.icons + numbers + SIGN

    def number_left(self, side: Side) -> int:
        """Return where the line number of a side begins, before mirroring."""
        left = self.side(side)[0] + EDGE + self.icons
        return left if self.side_by_side or side is Side.BEFORE else left + self.number

    def placed(self, x: float, y: float, width: float, height: float) -> QRect:
        """Return a rectangle on screen."""
        left = self.width - x - width if self.mirrored else x
        return QRect(round(left), round(y), round(width), round(height))
