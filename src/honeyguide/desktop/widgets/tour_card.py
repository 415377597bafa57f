"""A small card that explains one control of the window, and the frame around that control. Neither blocks anything."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPropertyAnimation, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QAccessible, QAccessibleEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QGraphicsOpacityEffect, QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, motion_ms, qcolor
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.painting import paint_card

_CHARACTERS = 46
_LINE = 3
"""Width of the frame's line, in logical pixels: seen without its colour, too."""

_GAP = 2
"""Between the frame and its control, so that the frame is seen around a button of any colour."""


class TourCard(QWidget):
    """Where one is, one or two sentences, and Back, Next, End.

    Signals:
        back_wanted(), next_wanted(), end_wanted()
    """

    back_wanted = Signal()
    next_wanted = Signal()
    end_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        named(self, "tour-card", self.tr("Tour"))
        self._count = PlainLabel("", Type.CAPTION, Role.TEXT_2, wrap=False)
        self._title = PlainLabel("", strong=True)
        self._text = PlainLabel("")
        self._text.setObjectName("tour-text")
        self.end = Button(self.tr("End"), "tour-end", look=Look.LINK)
        self.back = Button(self.tr("Back"), "tour-back")
        self.next = Button(self.tr("Next"), "tour-next", look=Look.PRIMARY)
        buttons = QHBoxLayout()
        buttons.setSpacing(Metrics.GAP)
        buttons.addWidget(self.end)
        buttons.addStretch(1)
        buttons.addWidget(self.back)
        buttons.addWidget(self.next)
        self._column = column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP_2, Metrics.GAP_2, Metrics.GAP_2, Metrics.GAP_2)
        column.setSpacing(Metrics.GRID)
        column.addWidget(self._count)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addLayout(buttons)
        self.setFixedWidth(Metrics.characters(_CHARACTERS))
        self.hide()
        self.back.clicked.connect(self.back_wanted)
        self.next.clicked.connect(self.next_wanted)
        self.end.clicked.connect(self.end_wanted)

    def say(self, title: str, text: str, *, count: str = "", words: tuple[str, str], is_first: bool) -> None:
        """Show other sentences and read them aloud; ``words`` stand on the main button and on the one that ends."""
        self._count.set_text(count)
        self._count.setVisible(bool(count))
        self._title.set_text(title)
        self._text.set_text(text)
        for button, said in ((self.next, words[0]), (self.end, words[1])):
            button.setText(said)
            button.setAccessibleName(said)
        self.back.setVisible(not is_first)
        self.setAccessibleName(" ".join(part for part in (count, title) if part))
        self.setAccessibleDescription(text)
        self.next.setAccessibleDescription(f"{title}. {text}")
        self._column.activate()
        self.resize(self.width(), self.heightForWidth(self.width()))
        QAccessible.updateAccessibility(QAccessibleEvent(self, QAccessible.Event.Alert))

    def said(self) -> str:
        """Return the sentences on the card."""
        return self._text.raw_text()

    def appear(self) -> None:
        """Come up over the window without taking the focus; softly where motion is wanted."""
        self.show()
        self.raise_()
        duration = motion_ms()
        if not duration:
            return
        effect = QGraphicsOpacityEffect(self)
        self.setGraphicsEffect(effect)
        fade = QPropertyAnimation(effect, b"opacity", self)
        fade.setDuration(duration)
        fade.setStartValue(0.0)
        fade.setEndValue(1.0)
        fade.finished.connect(lambda: self.setGraphicsEffect(None))  # type: ignore[arg-type]
        fade.start(QPropertyAnimation.DeletionPolicy.DeleteWhenStopped)

    def place(self, around: QRect | None) -> None:
        """Stand in the corner that hides least of ``around``; the lower right one when nothing is shown."""
        parent, gap = self.parentWidget(), Metrics.GAP_2
        if parent is None:
            return
        right, bottom = parent.width() - self.width() - gap, parent.height() - self.height() - gap
        corners = [QPoint(right, bottom), QPoint(right, gap), QPoint(gap, bottom), QPoint(gap, gap)]

        def hidden(corner: QPoint) -> int:
            common = QRect(corner, self.size()) & (around or QRect())
            return common.width() * common.height()

        best = min(corners, key=hidden)
        if self.pos() != best:
            self.move(best)

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_card(self, Role.ACCENT)


class TourFrame(QWidget):
    """A line around the control that the card speaks of; clicks go through it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("tour-frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def show_around(self, rect: QRect | None) -> None:
        """Stand around a place of the parent; nowhere for ``None``."""
        parent = self.parentWidget()
        if rect is None or parent is None:
            self.hide()
            return
        wide = _LINE + _GAP
        wanted = rect.adjusted(-wide, -wide, wide, wide) & parent.rect()
        if self.geometry() != wanted:
            self.setGeometry(wanted)
        if not self.isVisible():
            self.show()
            self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(qcolor(Role.ACCENT_TEXT), _LINE))
        half = _LINE / 2
        rect = QRectF(self.rect()).adjusted(half, half, -half, -half)
        painter.drawRoundedRect(rect, Metrics.RADIUS, Metrics.RADIUS)
        painter.end()
