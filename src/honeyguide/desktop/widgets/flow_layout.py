"""A layout that puts its items in a row and begins another where there is no room."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QStyle, QWidget

from honeyguide.desktop.theme import Metrics


class FlowLayout(QLayout):
    """Items from the leading edge to the trailing one, row by row; mirrored where the language runs right to left."""

    def __init__(self, parent: QWidget | None = None, gap: int = Metrics.GAP) -> None:
        super().__init__(parent)
        self._items: list[QLayoutItem] = []
        self.setSpacing(gap)
        self.setContentsMargins(QMargins(0, 0, 0, 0))

    def addItem(self, item: QLayoutItem) -> None:
        self._items.append(item)

    def count(self) -> int:
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        margins = self.contentsMargins()
        widths = [item.sizeHint().width() for item in self._items if not item.isEmpty()]
        height = max((item.sizeHint().height() for item in self._items), default=0)
        gaps = self.spacing() * max(0, len(widths) - 1)
        return QSize(sum(widths) + gaps, height).grownBy(margins)

    def minimumSize(self) -> QSize:
        size = QSize()
        for item in self._items:
            size = size.expandedTo(item.minimumSize())
        return size.grownBy(self.contentsMargins())

    def _place(self, rect: QRect, *, move: bool) -> int:
        area = rect.marginsRemoved(self.contentsMargins())
        parent = self.parentWidget()
        direction = parent.layoutDirection() if parent else Qt.LayoutDirection.LeftToRight
        x, y, row_height = area.x(), area.y(), 0
        for item in self._items:
            if item.isEmpty():
                continue
            size = item.sizeHint().boundedTo(QSize(max(area.width(), item.minimumSize().width()), 16_777_215))
            if x > area.x() and x + size.width() > area.right() + 1:
                x, y, row_height = area.x(), y + row_height + self.spacing(), 0
            if move:
                item.setGeometry(QStyle.visualRect(direction, area, QRect(QPoint(x, y), size)))
            x += size.width() + self.spacing()
            row_height = max(row_height, size.height())
        return y + row_height - rect.y() + self.contentsMargins().bottom()
