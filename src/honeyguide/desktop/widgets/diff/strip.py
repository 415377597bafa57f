"""The strip beside the diff: where changes are in the whole text; a press goes there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from honeyguide.desktop.theme import Role, qcolor
from honeyguide.desktop.widgets.diff.view import DiffView
from honeyguide.desktop.widgets.painting import begin_paint

WIDTH = 16
_LEAST = 3.0


class ChangeStrip(QWidget):
    """Removed lines on the left half, new ones on the right, changed ones across; a frame shows what is in sight."""

    def __init__(self, view: DiffView, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-strip")
        self.setAccessibleName(self.tr("Overview of the changes"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setFixedWidth(WIDTH)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._view = view
        view.arranged.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, 100)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.fillRect(self.rect(), qcolor(Role.SURFACE_2))
        height = self.height()
        half = self.width() / 2
        last = dict.fromkeys(("added", "deleted", "changed", "replaced"), -1.0)
        for kind, top, bottom in self._view.change_positions():
            y0 = max(top * height, last.get(kind, -1.0))
            y1 = max(bottom * height, y0 + _LEAST if y0 > last.get(kind, -1.0) else y0)
            if y1 - y0 < 0.5:
                continue
            last[kind] = y1
            if kind != "added":
                painter.fillRect(QRectF(2, y0, half - 3, y1 - y0), qcolor(Role.BAD, 0.75))
            if kind != "deleted":
                painter.fillRect(QRectF(half + 1, y0, half - 3, y1 - y0), qcolor(Role.GOOD, 0.75))
        top, bottom = self._view.shown_span()
        if bottom - top < 0.999:
            frame = QRectF(0.5, top * height + 0.5, self.width() - 1, max((bottom - top) * height - 1, 6))
            painter.setPen(QPen(qcolor(Role.TEXT_2), 1))
            painter.setBrush(qcolor(Role.TEXT, 0.06))
            painter.drawRect(frame)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._go(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    def _go(self, event: QMouseEvent) -> None:
        self._view.scroll_to_share(min(max(event.position().y() / max(1, self.height()), 0.0), 1.0))
