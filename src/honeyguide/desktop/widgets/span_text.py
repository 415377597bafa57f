"""A text in which one passage is marked, by colour and by an underline."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.theme.plain_text import Utf16Map, visible
from honeyguide.desktop.widgets.labels import named


class SpanText(QPlainTextEdit):
    """Read-only."""

    def __init__(self, name: str, spoken: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, spoken)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        self.setFont(Metrics.font(Type.PROSE))
        self._span: tuple[int, int] | None = None

    def show_span(self, text: str, start: int, end: int) -> None:
        """Show ``text`` and mark the characters from ``start`` to ``end``."""
        self.setPlainText(visible(text))
        places = Utf16Map(text)
        is_inside = 0 <= start < end <= len(text)
        self._span = (places.to_qt(start), places.to_qt(end)) if is_inside else None
        self._mark()
        self.setAccessibleDescription(text[start:end] if is_inside else "")

    def marked(self) -> str:
        """Return the marked words as they are shown."""
        marks = self.extraSelections()
        return marks[0].cursor.selectedText() if marks else ""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._mark()

    def _mark(self) -> None:
        if self._span is None:
            self.setExtraSelections([])
            return
        start, end = self._span
        mark = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        shape = QTextCharFormat()
        shape.setBackground(qcolor(Role.ACCENT_TINT))
        shape.setFontUnderline(True)
        mark.cursor, mark.format = cursor, shape
        self.setExtraSelections([mark])
        seen = QTextCursor(self.document())
        seen.setPosition(start)
        self.setTextCursor(seen)
        self.centerCursor()
