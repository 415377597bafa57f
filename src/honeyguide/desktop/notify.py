"""Telling a person something: a toast that goes, a bar that stays, a dialog only where a decision is needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPropertyAnimation, QTimer, Signal
from PySide6.QtGui import QEnterEvent, QPaintEvent
from PySide6.QtWidgets import QGraphicsOpacityEffect, QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, motion_ms
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.painting import paint_card
from honeyguide.desktop.widgets.states import RoleIcon

TOAST_MS = 6000
TOAST_WITH_STEP_MS = 12_000
MOST_TOASTS = 3
MOST_SIGNS = 240
"""Signs a toast shows; it goes before more could be read."""


@dataclass(frozen=True, slots=True)
class Step:
    """What can be done about a message: the words and what happens."""

    words: str
    do: Callable[[], object]


class Toast(QWidget):
    """One sentence at the lower edge; it stays while the pointer or the focus is on it.

    Signals:
        gone()
    """

    gone = Signal()

    def __init__(self, text: str, severity: Severity, step: Step | None, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("toast")
        self.setAccessibleName(text)
        self.text = text
        looks = {
            Severity.INFO: ("info", Role.INFO),
            Severity.GOOD: ("good", Role.GOOD),
            Severity.WARN: ("warning", Role.WARN),
            Severity.BAD: ("error", Role.BAD),
        }
        icon, role = looks[severity]
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.GAP + 4, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        row.setSpacing(Metrics.GAP)
        row.addWidget(RoleIcon(icon, role=role))
        label = PlainLabel(one_line(text, MOST_SIGNS))
        label.setToolTip(tooltip(text) if len(text) > MOST_SIGNS else "")
        label.setMaximumWidth(Metrics.characters(64))
        row.addWidget(label, 1)
        if step is not None:
            button = Button(step.words, "toast-step", look=Look.LINK)
            button.clicked.connect(lambda: self._act(step))
            row.addWidget(button)
        close = ToolButton("cross", "toast-close", self.tr("Close"))
        close.clicked.connect(self.leave)
        row.addWidget(close)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(TOAST_MS if step is None else TOAST_WITH_STEP_MS)
        self._timer.timeout.connect(self._on_time)
        self._timer.start()
        self._is_gone = False

    def leave(self) -> None:
        """Go now."""
        if not self._is_gone:
            self._is_gone = True
            self._timer.stop()
            self.gone.emit()

    def fade_in(self) -> None:
        """Appear, softly where motion is wanted."""
        duration = motion_ms()
        self.show()
        if not duration:
            return
        effect = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(effect)
        fade = QPropertyAnimation(effect, b"opacity", self)
        fade.setDuration(duration)
        fade.setStartValue(0.0)
        fade.setEndValue(1.0)
        fade.finished.connect(self._end_fade)
        fade.start(QPropertyAnimation.DeletionPolicy.DeleteWhenStopped)

    def _end_fade(self) -> None:
        self.setGraphicsEffect(None)  # type: ignore[arg-type]

    def _act(self, step: Step) -> None:
        self.leave()
        step.do()

    def _on_time(self) -> None:
        if self.underMouse() or self.isAncestorOf(self.window().focusWidget() or self.window()):
            self._timer.start()
            return
        self.leave()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._timer.start()
        super().enterEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(self, Role.LINE)


class Bars(QWidget):
    """The bars that stay, under each other; each has an id, so that the same warning stands there once."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bars")
        self._bars: dict[str, HintBar] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, 0)
        self._column.setSpacing(Metrics.GRID)
        self.setVisible(False)

    def show_bar(self, name: str, text: str, severity: Severity, step: Step | None) -> None:
        """Show or change a bar."""
        self.clear(name)
        bar = HintBar(text, severity, action=step.words if step else "", name=f"bar-{name}", parent=self)
        if step is not None:
            bar.acted.connect(step.do)
        bar.closed.connect(lambda: self.clear(name))
        self._bars[name] = bar
        self._column.addWidget(bar)
        self.setVisible(True)

    def clear(self, name: str) -> None:
        """Take a bar away."""
        bar = self._bars.pop(name, None)
        if bar is not None:
            self._column.removeWidget(bar)
            bar.hide()
            bar.deleteLater()
        self.setVisible(bool(self._bars))

    def texts(self) -> dict[str, str]:
        """Return what the bars say, by id."""
        return {name: bar.text for name, bar in self._bars.items()}


class Notifier(QObject):
    """Shows messages on one window.

    Signals:
        told(text): a message was shown, for tests and screen readers.
    """

    told = Signal(str)

    def __init__(self, window: QWidget, bars: Bars) -> None:
        super().__init__(window)
        self._window = window
        self._bars = bars
        self._toasts: deque[Toast] = deque()
        window.installEventFilter(self)

    def info(self, text: str, step: Step | None = None) -> None:
        """Say that something was done, or how things stand; it goes by itself."""
        self._toast(text, Severity.GOOD, step)

    def note(self, text: str, step: Step | None = None) -> None:
        """Say something neutral; it goes by itself."""
        self._toast(text, Severity.INFO, step)

    def warn(self, name: str, text: str, step: Step | None = None, *, severity: Severity = Severity.WARN) -> None:
        """Say something that stays until it is closed or ``clear``ed; the same ``name`` replaces it."""
        self._bars.show_bar(name, text, severity, step)
        self.told.emit(text)

    def clear(self, name: str) -> None:
        """Take a standing message away."""
        self._bars.clear(name)

    def toasts(self) -> list[str]:
        """Return what is being said, oldest first."""
        return [toast.text for toast in self._toasts]

    def close(self) -> None:
        """Take every toast away."""
        for toast in tuple(self._toasts):
            toast.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._place()
        return False

    def _toast(self, text: str, severity: Severity, step: Step | None) -> None:
        while len(self._toasts) >= MOST_TOASTS:
            self._toasts[0].leave()
        toast = Toast(text, severity, step, self._window)
        toast.gone.connect(lambda: self._on_gone(toast))
        self._toasts.append(toast)
        toast.adjustSize()
        self._place()
        toast.fade_in()
        toast.raise_()
        self.told.emit(text)

    def _on_gone(self, toast: Toast) -> None:
        if toast in self._toasts:
            self._toasts.remove(toast)
        toast.hide()
        toast.deleteLater()
        self._place()

    def _place(self) -> None:
        bottom = self._window.height() - Metrics.GAP_3
        for toast in reversed(self._toasts):
            size = toast.sizeHint()
            width = min(size.width(), self._window.width() - 2 * Metrics.GAP_3)
            height = max(size.height(), toast.heightForWidth(width) if toast.hasHeightForWidth() else 0)
            bottom -= height
            toast.setGeometry((self._window.width() - width) // 2, bottom, width, height)
            bottom -= Metrics.GAP
