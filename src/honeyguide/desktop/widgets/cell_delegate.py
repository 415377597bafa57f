"""Paints the cells of tables and trees from ``Cell``: one question to the model for each, nothing else."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from honeyguide.desktop.models.cells import CELL_ROLE, Cell
from honeyguide.desktop.theme import Metrics, Role, active_theme, paint_icon, qcolor

PAD = 8
_BAR = 64
_LEADING = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
_TRAILING = Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter
_KEPT = 20_000


class CellDelegate(QStyledItemDelegate):
    """Attributes:
    hovered: the row under the pointer, or -1; tables set it.
    draws_rows: whether it paints the background over the whole row (tables), or leaves it to the view (trees).
    """

    def __init__(self, parent: QWidget, *, draws_rows: bool = True) -> None:
        super().__init__(parent)
        self.hovered = -1
        self.draws_rows = draws_rows
        self._font = Metrics.font(tabular=True)
        self._strong = Metrics.font(strong=True, tabular=True)
        self._metrics = QFontMetrics(self._font)
        self._strong_metrics = QFontMetrics(self._strong)
        self._elided: dict[tuple[str, int, bool], str] = {}

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        cell = index.data(CELL_ROLE)
        rect: QRect = option.rect
        state = option.state
        painter.setLayoutDirection(option.direction)
        if self.draws_rows:
            self._background(painter, rect, state, index)
        if not isinstance(cell, Cell):
            return
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        area = rect.adjusted(PAD, 0, -PAD, 0)
        if cell.icon:
            area = self._icon(painter, cell, area, mirrored)
        if cell.progress is not None:
            area = self._progress(painter, cell.progress, area, mirrored)
        painter.setFont(self._strong if cell.strong else self._font)
        painter.setPen(qcolor(Role.ACCENT_TEXT if cell.role is Role.ACCENT else cell.role))
        text = self._fitted(cell.text, area.width(), cell.strong)
        at = QStyle.visualAlignment(option.direction, _TRAILING if cell.right else _LEADING)
        painter.setLayoutDirection(Qt.LayoutDirection.LayoutDirectionAuto)  # "−6 pts" reads the same in every window
        painter.drawText(area, (at | Qt.AlignmentFlag.AlignAbsolute).value | Qt.TextFlag.TextSingleLine.value, text)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        cell = index.data(CELL_ROLE)
        if not isinstance(cell, Cell):
            return QSize(40, Metrics.row_height(self._font))
        width = (self._strong_metrics if cell.strong else self._metrics).horizontalAdvance(cell.text) + 2 * PAD + 2
        width += (22 if cell.icon else 0) + (_BAR + PAD if cell.progress is not None else 0)
        return QSize(width, Metrics.row_height(self._font))

    def _fitted(self, text: str, width: int, strong: bool) -> str:
        key = (text, width, strong)
        known = self._elided.get(key)
        if known is None:
            if len(self._elided) > _KEPT:
                self._elided.clear()
            metrics = self._strong_metrics if strong else self._metrics
            known = self._elided[key] = metrics.elidedText(text, Qt.TextElideMode.ElideRight, width)
        return known

    def _background(
        self, painter: QPainter, rect: QRect, state: QStyle.StateFlag, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, qcolor(Role.SELECTION))
        elif index.row() == self.hovered:
            painter.fillRect(rect, qcolor(Role.HOVER))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, qcolor(Role.LINE, 0.55))

    def _icon(self, painter: QPainter, cell: Cell, area: QRect, mirrored: bool) -> QRect:
        y = area.top() + (area.height() - Metrics.ICON) / 2
        x = area.right() - Metrics.ICON + 1 if mirrored else area.left()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        role = Role.TEXT_2 if cell.role is Role.TEXT else Role.ACCENT_TEXT if cell.role is Role.ACCENT else cell.role
        paint_icon(painter, cell.icon, QRectF(x, y, Metrics.ICON, Metrics.ICON), role)
        return area.adjusted(0, 0, -22, 0) if mirrored else area.adjusted(22, 0, 0, 0)

    def _progress(self, painter: QPainter, share: float, area: QRect, mirrored: bool) -> QRect:
        room = min(_BAR, max(0, area.width() - 90))
        if room < 20:
            return area
        x = area.right() - room + 1 if mirrored else area.left()
        bar = QRectF(x, area.center().y() - 2, room, 5)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(Role.QUIET_TINT))
        painter.drawRoundedRect(bar, 2.5, 2.5)
        filled = QRectF(bar)
        filled.setWidth(bar.width() * min(max(share, 0.0), 1.0))
        if mirrored:
            filled.moveRight(bar.right())
        painter.setBrush(QColor(active_theme()[Role.ACCENT].hex))
        painter.drawRoundedRect(filled, 2.5, 2.5)
        return area.adjusted(0, 0, -room - PAD, 0) if mirrored else area.adjusted(room + PAD, 0, 0, 0)
