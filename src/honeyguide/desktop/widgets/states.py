"""What stands where content will be: nothing yet, on its way, or failed; each says what, why, and what now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication, QPaintEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPlainTextEdit,
    QProgressBar,
    QScrollArea,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.theme import Metrics, Role, Type, figures, motion_ms, paint_icon
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.painting import begin_paint


@dataclass(frozen=True, slots=True)
class StateAction:
    """A step that a state offers: stable id, words on the button; the first is the main one."""

    id: str
    words: str
    icon: str = ""


class RoleIcon(QWidget):
    """An icon in the colour of a role."""

    def __init__(
        self, icon: str, size: int = Metrics.ICON, role: Role = Role.TEXT, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._icon, self._role, self._size = icon, role, size
        self.setFixedSize(QSize(size, size))

    def set_icon(self, icon: str, role: Role) -> None:
        """Show another icon."""
        self._icon, self._role = icon, role
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._icon:
            painter = begin_paint(self)
            paint_icon(painter, self._icon, QRectF(0, 0, self._size, self._size), self._role)
            painter.end()


class StateView(QWidget):
    """An empty, a loading or an error state.

    Signals:
        acted(id): a step was chosen; ``stop`` for the Stop button of a loading state.
    """

    acted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("state-view")
        self._icon = RoleIcon("", 40, Role.FAINT)
        self._title = PlainLabel("", Type.TITLE)
        self._text = PlainLabel("", role=Role.TEXT_2, selectable=True)
        self._bar = named(QProgressBar(), "state-progress", self.tr("Progress"))
        self._bar.setTextVisible(False)
        self._details = named(QPlainTextEdit(), "state-details", self.tr("Details"))
        self._details.setReadOnly(True)
        self._details.setFont(Metrics.font(Type.MONO))
        self._buttons: list[Button] = []
        self._row = FlowLayout()

        inner = QWidget()
        inner.setMaximumWidth(Metrics.characters(64))
        inner.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        column = QVBoxLayout(inner)
        column.setContentsMargins(Metrics.GAP_3, Metrics.GAP_2, Metrics.GAP_3, Metrics.GAP_2)
        column.setSpacing(Metrics.GAP)
        for part in (self._icon, self._title, self._text, self._bar, self._details):
            column.addWidget(part)
        column.addSpacing(Metrics.GRID)
        column.addLayout(self._row)
        holder = QWidget()
        across = QHBoxLayout(holder)
        across.setContentsMargins(0, 0, 0, 0)
        across.addStretch(1)
        across.addWidget(inner, 6)
        across.addStretch(1)
        centred = QWidget()
        down = QVBoxLayout(centred)
        down.setContentsMargins(0, 0, 0, 0)
        down.addStretch(2)
        down.addWidget(holder)
        down.addStretch(3)
        area = QScrollArea(self)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(centred)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        self.kind = ""

    def show_empty(self, title: str, text: str, actions: Sequence[StateAction] = (), icon: str = "inbox") -> None:
        """Say what will stand here, why it is empty, and the one next step."""
        self._show("empty", icon, Role.FAINT, title, text, actions)

    def show_loading(self, title: str, text: str = "", *, share: float | None = None, can_stop: bool = False) -> None:
        """Say what is on its way, how far it is (0 to 1, ``None`` unknown), and how to stop it."""
        stop = [StateAction("stop", self.tr("Stop"), "stop")] if can_stop else []
        if self.kind == "loading" and bool(self._buttons) == can_stop:
            self._title.set_text(title)
            self._text.set_text(text)
        else:
            self._show("loading", "hourglass", Role.FAINT, title, text, stop)
        self._text.setVisible(bool(text))
        self._bar.setVisible(True)
        if share is None and motion_ms():
            self._bar.setRange(0, 0)
        else:
            self._bar.setRange(0, 1000)
            self._bar.setValue(round((share or 0.0) * 1000))
        self._bar.setAccessibleDescription(figures.percent(share) if share is not None else "")

    def show_error(
        self, sentence: str, hint: str = "", *, details: str = "", actions: Sequence[StateAction] = ()
    ) -> None:
        """Say what went wrong and what can be done; ``details`` can be read and copied."""
        copy = [StateAction("copy-details", self.tr("Copy details"), "copy")] if details else []
        self._show("error", "error", Role.BAD, sentence, hint, [*actions, *copy])
        self._details.setPlainText(block(details))
        self._details.setVisible(bool(details))

    def _show(self, kind: str, icon: str, role: Role, title: str, text: str, actions: Sequence[StateAction]) -> None:
        self.kind = kind
        self._icon.set_icon(icon, role)
        self._title.set_text(title)
        self._text.set_text(text)
        self._text.setVisible(bool(text))
        self._bar.setVisible(False)
        self._details.setVisible(False)
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        for button in self._buttons:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._buttons = []
        for number, action in enumerate(actions):
            main = number == 0 and action.id not in {"stop", "copy-details"}
            button = Button(
                action.words, f"state-{action.id}", look=Look.PRIMARY if main else Look.PLAIN, icon=action.icon
            )
            button.clicked.connect(lambda _=False, name=action.id: self._act(name))
            self._buttons.append(button)
            self._row.addWidget(button)

    def _act(self, name: str) -> None:
        if name == "copy-details":
            QGuiApplication.clipboard().setText(
                f"{self._title.raw_text()}\n{self._text.raw_text()}\n\n{self._details.toPlainText()}"
            )
        self.acted.emit(name)


class StateStack(QStackedWidget):
    """Content, or a state in its place.

    Signals:
        acted(id): as ``StateView``.
    """

    acted = Signal(str)

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.content = content
        self.state = StateView()
        self.addWidget(content)
        self.addWidget(self.state)
        self.state.acted.connect(self.acted)

    def show_content(self) -> None:
        """Show the content."""
        self.setCurrentWidget(self.content)

    def show_empty(self, title: str, text: str, actions: Sequence[StateAction] = (), icon: str = "inbox") -> None:
        """As ``StateView.show_empty``."""
        self.state.show_empty(title, text, actions, icon)
        self.setCurrentWidget(self.state)

    def show_loading(self, title: str, text: str = "", *, share: float | None = None, can_stop: bool = False) -> None:
        """As ``StateView.show_loading``."""
        self.state.show_loading(title, text, share=share, can_stop=can_stop)
        self.setCurrentWidget(self.state)

    def show_error(
        self, sentence: str, hint: str = "", *, details: str = "", actions: Sequence[StateAction] = ()
    ) -> None:
        """As ``StateView.show_error``."""
        self.state.show_error(sentence, hint, details=details, actions=actions)
        self.setCurrentWidget(self.state)
