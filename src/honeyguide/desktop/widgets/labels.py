"""Labels that show text as text, and the names that every control carries."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.theme.plain_text import block, breakable, one_line, tooltip
from honeyguide.desktop.widgets.painting import begin_paint

WidgetT = TypeVar("WidgetT", bound=QWidget)


def named(widget: WidgetT, name: str, spoken: str, description: str = "") -> WidgetT:
    """Give a control its object name (for tests and styles) and what a screen reader says; return the control."""
    widget.setObjectName(name)
    widget.setAccessibleName(spoken)
    if description:
        widget.setAccessibleDescription(description)
    return widget


class PlainLabel(QLabel):
    """A label that never reads its text as markup, wraps it, and keeps the colour of its role in every theme."""

    def __init__(
        self,
        text: str = "",
        kind: Type = Type.BODY,
        role: Role = Role.TEXT,
        parent: QWidget | None = None,
        *,
        strong: bool = False,
        wrap: bool = True,
        selectable: bool = False,
    ) -> None:
        super().__init__(parent)
        self._role = role
        self._kind = kind
        self._strong = strong
        self._raw = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self.setFont(Metrics.font(kind, strong=strong))
        if selectable:
            self.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
        self.set_role(role)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show ``text``; signs that cannot be seen are made visible, and an extreme length is cut."""
        self._raw = text
        shown = block(text)
        self.setText(breakable(shown) if self.wordWrap() else shown)

    def raw_text(self) -> str:
        """Return the text as it was given."""
        return self._raw

    def set_role(self, role: Role) -> None:
        """Show the text in another colour."""
        self._role = role
        self._recolour()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.StyleChange:
            self._recolour()
        super().changeEvent(event)

    def _recolour(self) -> None:
        palette = self.palette()
        colour = qcolor(self._role)
        if palette.color(self.foregroundRole()) != colour:
            palette.setColor(self.foregroundRole(), colour)
            self.setPalette(palette)


class ElidedLabel(QWidget):
    """One line that ends in an ellipsis where there is no room; all of it stands in the tooltip."""

    def __init__(
        self,
        text: str = "",
        kind: Type = Type.BODY,
        role: Role = Role.TEXT,
        parent: QWidget | None = None,
        *,
        strong: bool = False,
        middle: bool = False,
    ) -> None:
        super().__init__(parent)
        self._role = role
        self._mode = Qt.TextElideMode.ElideMiddle if middle else Qt.TextElideMode.ElideRight
        self._raw = ""
        self._shown = ""
        self.setFont(Metrics.font(kind, strong=strong))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        """Show the beginning of ``text`` in one line."""
        self._raw = text
        self._shown = one_line(text, 400)
        self.setAccessibleName(self._shown)
        self.updateGeometry()
        self._say_rest()
        self.update()

    def raw_text(self) -> str:
        """Return the text as it was given."""
        return self._raw

    def set_role(self, role: Role) -> None:
        """Show the text in another colour."""
        self._role = role
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._shown) + 2, metrics.height() + 2)

    def minimumSizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(min(self.sizeHint().width(), metrics.averageCharWidth() * 6), metrics.height() + 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._say_rest()
        super().resizeEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.setPen(qcolor(self._role))
        text = painter.fontMetrics().elidedText(self._shown, self._mode, self.width())
        painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading), text)
        painter.end()

    def _say_rest(self) -> None:
        is_cut = self.width() < self.sizeHint().width() or "\n" in self._raw or len(self._shown) < len(self._raw)
        self.setToolTip(tooltip(self._raw) if is_cut else "")
