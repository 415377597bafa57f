"""A text whose lines each say whether a proposal may change them: a padlock stands before those that stay."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextBlock
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, paint_icon, qcolor
from honeyguide.desktop.theme.plain_text import ELLIPSIS, visible
from honeyguide.desktop.widgets.labels import named

_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class LockedLine:
    """One line; ``lock`` is ``frozen``, ``mutable`` or ``fixed`` (nothing that a proposal names)."""

    text: str
    lock: str


class LockedText(QPlainTextEdit):
    """Read-only, with numbers and padlocks at its side."""

    def __init__(self, name: str, spoken: str) -> None:
        super().__init__()
        named(self, name, spoken)
        self._lines: tuple[LockedLine, ...] = ()
        self.setReadOnly(True)
        self.setFont(Metrics.font(Type.MONO))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._side = _Side(self)
        self.updateRequest.connect(self._on_update)
        self._fit()

    def set_lines(self, lines: Sequence[LockedLine]) -> None:
        """Show these lines; signs that cannot be seen are made visible."""
        if tuple(lines) == self._lines:
            return
        self._lines = tuple(lines)
        self.setPlainText("\n".join(_shown(line.text) for line in self._lines))
        frozen = sum(line.lock == "frozen" for line in self._lines)
        said = self.tr("{frozen} of {n} lines are frozen.").format(frozen=frozen, n=len(self._lines))
        self.setAccessibleDescription(said)
        self._colour()
        self._fit()

    def lock_of(self, number: int) -> str:
        """Return what may happen to a line, counted from 0."""
        return self._lines[number].lock if 0 <= number < len(self._lines) else ""

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_side"):
            self._colour()

    def paint_side(self, event: QPaintEvent) -> None:
        """Paint the numbers and padlocks of the lines in sight."""
        painter = QPainter(self._side)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(event.rect(), qcolor(Role.SURFACE_2))
        painter.setFont(Metrics.font(Type.CAPTION, tabular=True))
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        block: QTextBlock = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        width = self._side.width()
        while block.isValid() and top <= event.rect().bottom():
            height = self.blockBoundingRect(block).height()
            line = QRectF(4, top, width - 30, self.fontMetrics().height())
            sign = QRectF(width - 21, top + (line.height() - 14) / 2, 14, 14)
            if mirrored:
                line.moveLeft(26)
                sign.moveLeft(7)
            painter.setPen(qcolor(Role.TEXT_2))
            painter.drawText(line, int(Qt.AlignmentFlag.AlignRight), str(block.blockNumber() + 1))
            if self.lock_of(block.blockNumber()) == "frozen":
                paint_icon(painter, "lock", sign, Role.TEXT_2)
            top += height
            block = block.next()
        painter.end()

    def side_width(self) -> int:
        """Return how wide the side is."""
        digits = len(str(max(1, len(self._lines))))
        return Metrics.characters(digits + 1) + 34

    def _fit(self) -> None:
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            self.setViewportMargins(0, 0, self.side_width(), 0)
        else:
            self.setViewportMargins(self.side_width(), 0, 0, 0)
        self._place()

    def _place(self) -> None:
        box = self.contentsRect()
        at_right = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        left = box.right() - self.side_width() + 1 if at_right else box.left()
        self._side.setGeometry(QRect(left, box.top(), self.side_width(), box.height()))

    def _on_update(self, rect: QRect, moved: int) -> None:
        if moved:
            self._side.scroll(0, moved)
        else:
            self._side.update(0, rect.y(), self._side.width(), rect.height())

    def _colour(self) -> None:
        """Let what stays step back."""
        marks = []
        block = self.document().firstBlock()
        while block.isValid():
            if self.lock_of(block.blockNumber()) == "frozen":
                mark = QTextEdit.ExtraSelection()
                mark.cursor = self.textCursor()
                mark.cursor.setPosition(block.position())
                mark.cursor.movePosition(mark.cursor.MoveOperation.EndOfBlock, mark.cursor.MoveMode.KeepAnchor)
                mark.format.setForeground(qcolor(Role.TEXT_2))
                marks.append(mark)
            block = block.next()
        self.setExtraSelections(marks)


def _shown(text: str) -> str:
    head = visible(text[:_LONGEST]).replace("\n", " ")
    return head if len(text) <= _LONGEST else head + ELLIPSIS


class _Side(QWidget):
    def __init__(self, text: LockedText) -> None:
        super().__init__(text)
        self._text = text

    def sizeHint(self) -> QSize:
        return QSize(self._text.side_width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        self._text.paint_side(event)
