"""A bar that stays: a warning or a note with what can be done about it. And the keys that work right now."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeySequence, QPaintEvent, QPen
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, active_theme, qcolor
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.painting import begin_paint
from honeyguide.desktop.widgets.states import RoleIcon


class Severity(StrEnum):
    """How serious it is."""

    INFO = "info"
    GOOD = "good"
    WARN = "warn"
    BAD = "bad"


_LOOKS = {
    Severity.INFO: (Role.INFO, "info"),
    Severity.GOOD: (Role.GOOD, "good"),
    Severity.WARN: (Role.WARN, "warning"),
    Severity.BAD: (Role.BAD, "error"),
}


class HintBar(QWidget):
    """One sentence, perhaps one step, and a cross.

    Signals:
        acted(): the step was chosen. closed(): a person closed the bar.
    """

    acted = Signal()
    closed = Signal()

    def __init__(
        self,
        text: str = "",
        severity: Severity = Severity.INFO,
        *,
        action: str = "",
        closable: bool = True,
        name: str = "hint-bar",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._severity = severity
        self._icon = RoleIcon("info")
        self._text = PlainLabel("", selectable=True)
        self._action = Button("", f"{name}-action", look=Look.LINK)
        self._close = ToolButton("cross", f"{name}-close", self.tr("Close this note"))
        self._action.clicked.connect(lambda: self.acted.emit())
        self._close.clicked.connect(self._on_close)
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.GAP + 4, Metrics.GRID + 2, Metrics.GAP, Metrics.GRID + 2)
        row.setSpacing(Metrics.GAP)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._text, 1)
        row.addWidget(self._action)
        row.addWidget(self._close)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._closable = closable
        self.show_hint(text, severity, action=action)
        self.setVisible(bool(text))

    def show_hint(self, text: str, severity: Severity = Severity.INFO, *, action: str = "") -> None:
        """Say something; an empty text hides the bar."""
        role, icon = _LOOKS[severity]
        self._severity = severity
        self._icon.set_icon(icon, role)
        self._text.set_text(text)
        self._action.setText(action)
        self._action.setAccessibleName(action)
        self._action.setVisible(bool(action))
        self._close.setVisible(self._closable)
        self.setAccessibleName(text)
        self.setVisible(bool(text))
        self.update()

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.raw_text()

    @property
    def severity(self) -> Severity:
        """How serious it is."""
        return self._severity

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        role = _LOOKS[self._severity][0]
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(active_theme().tint_of(role).hex))
        painter.drawRoundedRect(QRectF(self.rect()), Metrics.RADIUS, Metrics.RADIUS)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def _on_close(self) -> None:
        self.hide()
        self.closed.emit()


class KeyHints(QWidget):
    """The keys that work where the focus is, each with what it does; those without room are left out."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("key-hints")
        self.setFont(Metrics.font(Type.CAPTION))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._hints: tuple[tuple[str, str], ...] = ()

    def set_hints(self, hints: Sequence[tuple[str, str]]) -> None:
        """Show pairs of a key sequence (``N``, ``Ctrl+K``) and what it does."""
        native = QKeySequence.SequenceFormat.NativeText
        self._hints = tuple((QKeySequence(key).toString(native) or key, words) for key, words in hints)
        self.setAccessibleName("; ".join(f"{key}: {words}" for key, words in self._hints))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, QFontMetrics(self.font()).height() + 10)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        metrics = QFontMetrics(self.font())
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        x = 0.0
        for key, words in self._hints:
            cap = max(metrics.horizontalAdvance(key) + 10, metrics.height() + 4)
            width = metrics.horizontalAdvance(words)
            if x + cap + 6 + width > self.width():
                break
            keycap = QRectF(x + 0.5, 2.5, cap, metrics.height() + 4)
            said = QRectF(x + cap + 6, 2, width + 2, metrics.height() + 5)
            if mirrored:
                keycap.moveLeft(self.width() - keycap.right())
                said.moveLeft(self.width() - said.right())
            painter.setPen(QPen(qcolor(Role.LINE), 1))
            painter.setBrush(qcolor(Role.SURFACE_2))
            painter.drawRoundedRect(keycap, 4, 4)
            painter.setPen(qcolor(Role.TEXT))
            painter.drawText(keycap, Qt.AlignmentFlag.AlignCenter, key)
            painter.setPen(qcolor(Role.TEXT_2))
            painter.drawText(said, Qt.AlignmentFlag.AlignCenter, words)
            x += cap + 6 + width + Metrics.GAP_2
        painter.end()
