"""The bar to find words in both texts."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.widgets.buttons import ToolButton
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.search_field import SearchField


class FindBar(QWidget):
    """Hidden until it is opened. Enter finds the next place, Shift+Enter the one before, Escape closes.

    Signals:
        searched(text), stepped(1 or -1), closed()
    """

    searched = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-find-bar")
        self.is_open = False
        self.field = SearchField("diff-find", self.tr("Find in both texts"))
        self._count = PlainLabel("", role=Role.TEXT_2, wrap=False)
        self._previous = ToolButton("arrow-up", "diff-find-previous", self.tr("Previous place"), key="Shift+F3")
        self._next = ToolButton("arrow-down", "diff-find-next", self.tr("Next place"), key="F3")
        self._close = ToolButton("cross", "diff-find-close", self.tr("Close"), key="Esc")
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.GAP, Metrics.GRID, Metrics.GAP, Metrics.GRID)
        row.setSpacing(Metrics.GRID)
        row.addWidget(self.field, 1)
        row.addWidget(self._count)
        for button in (self._previous, self._next, self._close):
            row.addWidget(button)
        self.field.setMaximumWidth(Metrics.characters(48))
        row.addStretch(1)
        self.field.searched.connect(self.searched)
        self._next.clicked.connect(lambda: self.stepped.emit(1))
        self._previous.clicked.connect(lambda: self.stepped.emit(-1))
        self._close.clicked.connect(self.close_bar)
        self.setVisible(False)
        self.set_place(0, 0)

    def open(self) -> None:
        """Show the bar and go into it."""
        self.is_open = True
        self.setVisible(True)
        self.field.setFocus()
        self.field.selectAll()
        if self.field.text():
            self.searched.emit(self.field.text())

    def close_bar(self) -> None:
        """Hide the bar; nothing is marked any more."""
        self.is_open = False
        self.setVisible(False)
        self.searched.emit("")
        self.closed.emit()

    def set_place(self, place: int, total: int) -> None:
        """Show which find is looked at."""
        if total:
            self._count.set_text(self.tr("{n} of {total}").format(n=place, total=total))
        else:
            self._count.set_text(self.tr("not found") if self.field.text().strip() else "")
        for button in (self._previous, self._next):
            button.setEnabled(total > 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.close_bar()
            return
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.stepped.emit(-1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            return
        super().keyPressEvent(event)
