"""Sizes: a grid of 4 px, and type sizes relative to the system's UI font."""

from __future__ import annotations

from enum import Enum

from PySide6.QtGui import QFont, QFontDatabase, QFontMetricsF
from PySide6.QtWidgets import QApplication


class Type(Enum):
    """What a piece of text is; the value is its size relative to the system's UI font."""

    BODY = 1.0
    CAPTION = 0.85
    PROSE = 1.1
    TITLE = 1.25
    HERO = 1.5
    MONO = 0.999
    """Code, paths and hashes only; as large as the body."""


class Metrics:
    """The measures of the window. All in device-independent pixels."""

    GRID = 4
    GAP = 8
    GAP_2 = 16
    GAP_3 = 24
    MARGIN = 16
    RADIUS = 6
    FOCUS = 2
    ICON = 16
    LINE_HEIGHT = 1.5
    """Of reviewed prose."""
    PROSE_CHARS = 80
    """The most characters in a line of reviewed prose."""

    @staticmethod
    def font(kind: Type = Type.BODY, *, strong: bool = False, tabular: bool = False) -> QFont:
        """Return the font for ``kind``; ``tabular`` gives every figure the same width."""
        base = QApplication.font()
        fixed = QFontDatabase.SystemFont.FixedFont
        font = QFontDatabase.systemFont(fixed) if kind is Type.MONO else QFont(base)
        if base.pointSizeF() > 0:
            font.setPointSizeF(base.pointSizeF() * kind.value)
        else:
            font.setPixelSize(max(1, round(base.pixelSize() * kind.value)))
        if strong:
            font.setWeight(QFont.Weight.DemiBold)
        if tabular:
            font.setFeature(QFont.Tag("tnum"), 1)
        return font

    @staticmethod
    def row_height(font: QFont | None = None) -> int:
        """Return the height of a table row: a line and 12 px."""
        return round(QFontMetricsF(font or QApplication.font()).height()) + 12

    @staticmethod
    def characters(count: float, font: QFont | None = None) -> int:
        """Return the width of ``count`` average characters."""
        return round(QFontMetricsF(font or QApplication.font()).averageCharWidth() * count)
