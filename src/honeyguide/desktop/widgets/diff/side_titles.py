"""The names of the two texts above their columns."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.widgets.diff.view import DiffView
from honeyguide.desktop.widgets.painting import begin_paint


class SideTitles(QWidget):
    """The names of the two texts above their columns."""

    def __init__(self, view: DiffView) -> None:
        super().__init__()
        self._view = view
        self._texts = ("", "")
        self.setFont(Metrics.font(Type.CAPTION))
        self.setFixedHeight(self.fontMetrics().height() + 8)
        view.arranged.connect(self.update)

    def set_titles(self, before: str, after: str) -> None:
        self._texts = (before, after)
        self.setAccessibleName(f"{before} | {after}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, qcolor(Role.LINE))
        painter.setPen(qcolor(Role.TEXT_2))
        flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        before, after = self._view.side_edges()
        room = max(40, self.width() // 2 - 40)
        if self._view.is_side_by_side:
            for left, text in zip((before, after), self._texts, strict=True):
                painter.drawText(left, 0, room, self.height() - 1, flags, text)
        else:
            text = self.tr("− {before}   + {after}").format(before=self._texts[0], after=self._texts[1])
            painter.drawText(before, 0, self.width() - before, self.height() - 1, flags, text)
        painter.end()
