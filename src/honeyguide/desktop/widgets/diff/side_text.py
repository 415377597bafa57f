"""Lays out one line of one text: wrapped, with the words that differ marked, and signs that cannot be seen shown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextCharFormat, QTextLayout, QTextOption

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.theme.plain_text import Utf16Map, hidden_signs, runs_leftward, visible
from honeyguide.desktop.widgets.diff.marks import RowMark
from honeyguide.desktop.widgets.diff.rows import Side, Span

Overlay = tuple[int, int, QTextCharFormat]
"""A run of characters and how it is shown."""
_ENDS = {"\n": "↵", "\r\n": "←↵", "\r": "←"}
_NO_END = "∅"
_MOST_HIDDEN = 300


@dataclass(frozen=True, slots=True)
class TextStyle:
    """How text is set.

    Attributes:
        font: of the text. ``line_height``: whole pixels. ``advance``: width of an average character.
        whitespace: blanks, tabs and line ends are shown.
        strike: removed words are struck through (inline, where no column says that they are gone).
    """

    font: QFont
    line_height: int
    advance: float
    whitespace: bool
    strike: bool

    @classmethod
    def make(cls, *, monospace: bool, whitespace: bool, strike: bool) -> TextStyle:
        """Return the style for reviewed prose, or for code."""
        font = Metrics.font(Type.MONO if monospace else Type.PROSE)
        metrics = QFontMetricsF(font)
        height = math.ceil(metrics.height() * (1.3 if monospace else Metrics.LINE_HEIGHT) * 0.96)
        return cls(font, height, metrics.averageCharWidth(), whitespace, strike)

    def estimate(self, characters: int, width: float) -> int:
        """Return about how many pixels a line of so many characters needs."""
        return max(1, math.ceil(characters * self.advance / max(width, 1.0))) * self.line_height


class SideText:
    """A laid-out line, or a piece of one.

    Attributes:
        start: where the piece begins in its line. ``height``: pixels.
    """

    __slots__ = ("_layout", "_length", "_map", "height", "start")

    def __init__(
        self,
        text: str,
        end: str | None,
        width: float,
        style: TextStyle,
        *,
        side: Side,
        start: int = 0,
        words: Sequence[Span] = (),
        marks: Sequence[RowMark] = (),
    ) -> None:
        """Lay out ``text``.

        Args:
            end: the line end to be shown after it; ``None`` shows none.
            words: runs that differ, in characters of the whole line. ``marks``: likewise.
        """
        self.start = start
        self._length = len(text)
        self._map = Utf16Map(text)
        tail = (_ENDS[end] if end else _NO_END) if end is not None else ""
        shown = visible(text) + tail
        self._layout = QTextLayout(shown, style.font)
        self._layout.setCacheEnabled(True)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        option.setTabStopDistance(style.advance * 4)
        leftward = runs_leftward(text)
        option.setTextDirection(Qt.LayoutDirection.RightToLeft if leftward else Qt.LayoutDirection.LeftToRight)
        option.setAlignment(Qt.AlignmentFlag.AlignRight if leftward else Qt.AlignmentFlag.AlignLeft)
        if style.whitespace:
            option.setFlags(QTextOption.Flag.ShowTabsAndSpaces)
        self._layout.setTextOption(option)
        self._layout.setFormats(self._formats(text, tail, side, style, words, marks))
        self._layout.beginLayout()
        y = 0.0
        while True:
            line = self._layout.createLine()
            if not line.isValid():
                break
            line.setLineWidth(max(width, 24.0))
            line.setPosition(QPointF(0.0, y + round((style.line_height - line.height()) / 2)))
            y += style.line_height
        self._layout.endLayout()
        self.height = int(y) or style.line_height

    def draw(self, painter: QPainter, at: QPointF, overlays: Sequence[Overlay] = ()) -> None:
        """Paint it; ``overlays`` (in characters of the whole line) lie over it: finds, the selection."""
        ranges = [made for start, end, shape in overlays if (made := self._range(start, end, shape)) is not None]
        self._layout.draw(painter, at, ranges)

    def place_at(self, x: float, y: float) -> int:
        """Return the character of the whole line nearest to a point."""
        count = self._layout.lineCount()
        if count == 0:
            return self.start
        chosen = self._layout.lineAt(count - 1)
        for number in range(count):
            line = self._layout.lineAt(number)
            below = self._layout.lineAt(number + 1).y() if number + 1 < count else math.inf
            if y < below:
                chosen = line
                break
        return self.start + min(self._map.from_qt(chosen.xToCursor(x)), self._length)

    def _formats(
        self,
        text: str,
        tail: str,
        side: Side,
        style: TextStyle,
        words: Sequence[Span],
        marks: Sequence[RowMark],
    ) -> list[QTextLayout.FormatRange]:
        ranges: list[QTextLayout.FormatRange | None] = []
        word = QTextCharFormat()
        word.setBackground(qcolor(Role.DELETE_WORD if side is Side.BEFORE else Role.INSERT_WORD))
        if side is Side.AFTER:
            word.setUnderlineStyle(QTextCharFormat.UnderlineStyle.SingleUnderline)
            word.setUnderlineColor(qcolor(Role.GOOD))
        elif style.strike:
            word.setFontStrikeOut(True)
        ranges += [self._range(start, end, word) for start, end in words]
        hidden = QTextCharFormat()
        hidden.setForeground(qcolor(Role.WARN))
        ranges += [
            self._range(self.start + place, self.start + place + 1, hidden)
            for place, _ in hidden_signs(text, _MOST_HIDDEN)
        ]
        for mark in marks:
            ranges.append(self._range(mark.start, mark.end, mark_format(mark.mark.kind)))
        if tail:
            faint = QTextCharFormat()
            faint.setForeground(qcolor(Role.TEXT_2))
            end = QTextLayout.FormatRange()
            end.start, end.length, end.format = self._map.to_qt(self._length), len(tail), faint
            ranges.append(end)
        return [made for made in ranges if made is not None]

    def _range(self, start: int, end: int, shape: QTextCharFormat) -> QTextLayout.FormatRange | None:
        first = max(start - self.start, 0)
        last = min(end - self.start, self._length)
        if first >= last:
            return None
        made = QTextLayout.FormatRange()
        made.start = self._map.to_qt(first)
        made.length = self._map.to_qt(last) - made.start
        made.format = shape
        return made


def mark_format(kind: str) -> QTextCharFormat:
    """Return how a marked passage is underlined: dotted when locked, waved when a check complains."""
    shape = QTextCharFormat()
    is_lock = kind == "lock"
    style = QTextCharFormat.UnderlineStyle
    shape.setUnderlineStyle(style.DotLine if is_lock else style.WaveUnderline)
    shape.setUnderlineColor(qcolor(Role.INFO if is_lock else Role.BAD))
    return shape


def find_format(*, current: bool) -> QTextCharFormat:
    """Return how a find is shown."""
    shape = QTextCharFormat()
    shape.setBackground(qcolor(Role.ACCENT) if current else qcolor(Role.ACCENT, 0.35))
    if current:
        shape.setForeground(qcolor(Role.ON_ACCENT))
    return shape


def selection_format() -> QTextCharFormat:
    """Return how selected text is shown."""
    shape = QTextCharFormat()
    colour = QColor(qcolor(Role.INFO))
    colour.setAlphaF(0.3)
    shape.setBackground(colour)
    return shape
