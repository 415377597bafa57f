"""What every dialog is made of: a title, a body that scrolls when there is no room, a row of buttons, an answer."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QDialog, QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel, named

ACCEPTED = int(QDialog.DialogCode.Accepted)


class Dialog(QDialog):
    """A dialog that is awaited.

    A nested event loop would break the tasks of ours, so there is no ``exec``: ``await dialog.ask()``. Its answers
    are to be read before anything else is awaited, for it is deleted soon after.
    """

    def __init__(
        self, name: str, title: str, parent: QWidget | None, *, wide: int = 64, high: int = 0, scrolls: bool = False
    ) -> None:
        """
        Args:
            wide: of the body, in average characters. ``high``: in lines; 0 as high as needed.
            scrolls: whether a body without room scrolls as a whole.
        """
        super().__init__(parent)
        named(self, name, title)
        self.setWindowTitle(title)
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self._wide, self._high = wide, high
        self._main: Button | None = None
        holder = QWidget()
        self.body = QVBoxLayout(holder)
        self.body.setContentsMargins(Metrics.GAP_3, Metrics.GAP_2, Metrics.GAP_3, Metrics.GAP_2)
        self.body.setSpacing(Metrics.GAP)
        self._footer = QHBoxLayout()
        self._footer.setContentsMargins(Metrics.GAP_3, Metrics.GAP, Metrics.GAP_3, Metrics.GAP_2)
        self._footer.setSpacing(Metrics.GAP)
        self._left = QHBoxLayout()
        self._left.setSpacing(Metrics.GAP)
        self._footer.addLayout(self._left)
        self._footer.addStretch(1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        if scrolls:
            area = QScrollArea()
            area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what is in it
            area.setWidgetResizable(True)
            area.setFrameShape(QFrame.Shape.NoFrame)
            area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            area.setWidget(holder)
            outer.addWidget(area, 1)
        else:
            outer.addWidget(holder, 1)
        outer.addLayout(self._footer)

    def add_title(self, text: str) -> PlainLabel:
        """Put a heading into the body."""
        label = PlainLabel(text, Type.TITLE)
        self.body.addWidget(label)
        return label

    def add_text(self, text: str, role: Role = Role.TEXT, *, caption: bool = False) -> PlainLabel:
        """Put a paragraph into the body."""
        label = PlainLabel(text, Type.CAPTION if caption else Type.BODY, role, selectable=True)
        label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.body.addWidget(label)
        return label

    def add_button(
        self, words: str, name: str, *, look: Look = Look.PLAIN, icon: str = "", left: bool = False, tip: str = ""
    ) -> Button:
        """Put a button into the footer; at the left end for what is beside the question."""
        button = Button(words, name, look=look, icon=icon, tip=tip)
        (self._left if left else self._footer).addWidget(button)
        if look is Look.PRIMARY:
            self._main = button
        return button

    def add_cancel(self, words: str = "", *, is_default: bool = True) -> Button:
        """Put the safe way out into the footer; Enter takes it unless the focus is on another button."""
        button = self.add_button(words or self.tr("Cancel"), f"{self.objectName()}-cancel")
        button.clicked.connect(self.reject)
        if is_default:
            button.setAutoDefault(True)
            button.setDefault(True)
        return button

    async def ask(self) -> bool:
        """Open the dialog and wait for the answer; says whether it was accepted."""
        answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def settle(result: int) -> None:
            if not answered.done():
                answered.set_result(result)

        self.finished.connect(settle)
        self.resize(self.sizeHint())
        self.open()
        try:
            return await answered == ACCEPTED
        finally:
            self.finished.disconnect(settle)
            if self.isVisible():
                self.close()
            self.deleteLater()

    def sizeHint(self) -> QSize:
        wanted = super().sizeHint()
        room = self._room()
        width = min(max(wanted.width(), Metrics.characters(self._wide) + 2 * Metrics.GAP_3), room.width())
        layout = self.layout()
        height = wanted.height()
        if layout is not None and layout.hasHeightForWidth():
            height = layout.totalHeightForWidth(width)
        height = max(height, self._high * (Metrics.row_height() - 12))
        return QSize(width, min(height, room.height()))

    def _room(self) -> QSize:
        """Return how large the dialog may be: the screen, and never less than its window."""
        screen = self.screen() or QGuiApplication.primaryScreen()
        room = screen.availableGeometry().size() if screen is not None else QSize(1280, 800)
        parent = self.parentWidget()
        if parent is not None:
            room = room.expandedTo(parent.window().size())
        return QSize(room.width() - 40, room.height() - 60)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+Enter takes the main button, also from a field that takes Enter itself."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and event.modifiers() == Qt.KeyboardModifier.ControlModifier and self._main is not None:
            self._main.animateClick()
            return
        super().keyPressEvent(event)
