"""The field one types a search into."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from honeyguide.desktop.theme import Role, use_icon
from honeyguide.desktop.widgets.labels import named

DEBOUNCE_MS = 80


class SearchField(QLineEdit):
    """Says what was typed once typing rests for 80 ms; Escape empties it, Enter says it at once.

    Signals:
        searched(text): the search changed.
        left_down(): the arrow down was pressed; the list below may take the focus.
    """

    searched = Signal(str)
    left_down = Signal()

    def __init__(self, name: str, placeholder: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, name, placeholder)
        self.setPlaceholderText(placeholder)
        self.setClearButtonEnabled(True)
        self.setMaxLength(400)
        self._icon = QAction(self)
        use_icon(self._icon, "search", Role.TEXT_2)
        self.addAction(self._icon, QLineEdit.ActionPosition.LeadingPosition)
        self._said = ""
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(DEBOUNCE_MS)
        self._timer.timeout.connect(self._say)
        self.textChanged.connect(lambda _: self._timer.start())
        self.returnPressed.connect(self._say)

    def set_search(self, text: str) -> None:
        """Put ``text`` there and say it at once."""
        self.setText(text)
        self._say()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.set_search("")
            return
        if event.key() == Qt.Key.Key_Down:
            self._say()
            self.left_down.emit()
            return
        super().keyPressEvent(event)

    def _say(self) -> None:
        self._timer.stop()
        text = self.text().strip()
        if text != self._said:
            self._said = text
            self.searched.emit(text)
