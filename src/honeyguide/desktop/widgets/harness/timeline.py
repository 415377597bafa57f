"""The versions of a harness over time: how each did, with its interval on one scale, and how it came about."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.theme import Metrics, Role, Type, active_theme, figures, paint_icon, qcolor
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.harness.points import HarnessPoint, came_about, did, title_of
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.painting import begin_paint

_RAIL = 36
_ROW = int(Qt.ItemDataRole.UserRole) + 1
AnyIndex = QModelIndex | QPersistentModelIndex
_NOWHERE = QModelIndex()


class HarnessTimeline(QWidget):
    """Newest on top, each with its share of successful runs on a scale from 0 to 100 %.

    Signals:
        compare_requested(older hash, newer hash), rollback_requested(hash).
    """

    compare_requested = Signal(str, str)
    rollback_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None, *, now: datetime | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("harness-timeline")
        self.model = _Versions(self)
        self.list = _List()
        named(self.list, "harness-versions", self.tr("Versions, newest first"))
        self.list.setModel(self.model)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.list.setItemDelegate(_Delegate(self.list, now))
        self.compare = Button(self.tr("Compare"), "harness-compare", icon="side-by-side")
        self.roll_back = Button(self.tr("Go back to this version…"), "harness-go-back", icon="rollback")
        row = QHBoxLayout()
        row.setContentsMargins(0, Metrics.GAP, 0, Metrics.GAP)
        row.setSpacing(Metrics.GAP)
        row.addStretch(1)
        row.addWidget(self.compare)
        row.addWidget(self.roll_back)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(_Scale(self.list))
        column.addWidget(self.list, 1)
        column.addLayout(row)
        self.list.selectionModel().selectionChanged.connect(lambda *_: self._on_selection())
        self.list.entered_row.connect(self._on_compare)
        self.list.activated.connect(lambda _: self._on_compare())
        self.compare.clicked.connect(lambda _: self._on_compare())
        self.roll_back.clicked.connect(lambda _: self._on_roll_back())
        self._on_selection()

    def set_versions(self, points: Iterable[HarnessPoint]) -> None:
        """Show these versions, given oldest first; what was chosen stays chosen, else the live one is."""
        chosen = self.chosen()
        self.model.set_points(tuple(points)[::-1])
        wanted = [p.version for p in chosen] or [p.version for p in self.model.points if p.is_live]
        for number, point in enumerate(self.model.points):
            if point.version in wanted[:1]:
                self.list.setCurrentIndex(self.model.index(number))
        self._on_selection()

    def chosen(self) -> list[HarnessPoint]:
        """Return the chosen versions, oldest first."""
        places = sorted((index.row() for index in self.list.selectionModel().selectedIndexes()), reverse=True)
        return [self.model.points[place] for place in places if place < len(self.model.points)]

    def _pair(self) -> tuple[HarnessPoint, HarnessPoint] | None:
        chosen = self.chosen()
        if len(chosen) == 1:
            live = next((p for p in self.model.points if p.is_live), None)
            if live is None or live is chosen[0]:
                return None
            both = {live.version, chosen[0].version}
            chosen = [p for p in reversed(self.model.points) if p.version in both]
        if len(chosen) != 2:
            return None
        older, newer = chosen
        return older, newer

    def _on_selection(self) -> None:
        pair = self._pair()
        words = self.tr("Choose two versions, or one that is not live.")
        if pair is not None and not all(p.is_kept or p.is_live for p in pair):
            pair, words = None, self.tr("The files of that version were not kept: it ran before this folder was "
                                        "looked after here.")  # fmt: skip
        self.compare.set_allowed(pair is not None, words)
        chosen = self.chosen()
        one = chosen[0] if len(chosen) == 1 else None
        reason = self.tr("Choose one version.")
        if one is not None and one.is_live:
            reason = self.tr("This version is live already.")
        elif one is not None:
            reason = words
        self.roll_back.set_allowed(one is not None and not one.is_live and one.is_kept, reason)

    def _on_compare(self) -> None:
        pair = self._pair()
        if pair is not None and self.compare.isEnabled():
            self.compare_requested.emit(pair[0].version, pair[1].version)

    def _on_roll_back(self) -> None:
        chosen = self.chosen()
        if len(chosen) == 1:
            self.rollback_requested.emit(chosen[0].version)


class _Versions(QAbstractListModel):
    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.points: tuple[HarnessPoint, ...] = ()

    def set_points(self, points: tuple[HarnessPoint, ...]) -> None:
        self.beginResetModel()
        self.points = points
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.points)

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.points):
            return None
        point = self.points[index.row()]
        if role == _ROW:
            return point
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return ". ".join(part for part in (title_of(point), did(point), came_about(point)) if part)
        if role == Qt.ItemDataRole.ToolTipRole:
            lines = [title_of(point), did(point), came_about(point), figures.exact_time(point.since)]
            return tooltip("\n".join(line for line in lines if line))
        return None


class _List(QListView):
    entered_row = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_row.emit()
            return
        super().keyPressEvent(event)


def _scale(width: int) -> tuple[int, int]:
    """Return where the scale begins, from the trailing edge, and how wide it is."""
    wide = max(110, min(260, round(width * 0.3)))
    return wide + 24, wide


class _Scale(QWidget):
    """0, 50 and 100 % above the bars."""

    def __init__(self, view: QListView) -> None:
        super().__init__()
        self._view = view
        self.setFont(Metrics.font(Type.CAPTION, tabular=True))
        self.setFixedHeight(self.fontMetrics().height() + 6)
        self.setAccessibleName(self.tr("Share of finished runs that succeeded, 0 to 100 %"))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.setPen(qcolor(Role.TEXT_2))
        width = self._view.viewport().width()
        back, wide = _scale(width)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        for share in (0.0, 0.5, 1.0):
            x = width - back + share * wide
            x = self.width() - x if mirrored else x
            box = QRectF(x - 40, 0, 80, self.height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), figures.percent(share))
        left = QRectF(0, 0, width - back - 30, self.height())
        if mirrored:
            left.moveLeft(self.width() - left.width())
        metrics = QFontMetrics(self.font())
        words = metrics.elidedText(
            self.tr("Successful runs, with the 95 % interval"), Qt.TextElideMode.ElideRight, int(left.width())
        )
        painter.drawText(left, int(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter), words)
        painter.end()


class _Delegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget, now: datetime | None) -> None:
        super().__init__(parent)
        self._now = now
        self._body = Metrics.font(strong=True)
        self._small = Metrics.font(Type.CAPTION, tabular=True)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        point = index.data(_ROW)
        lines = 2 if isinstance(point, HarnessPoint) and came_about(point) else 1
        height = QFontMetrics(self._body).height() + lines * (QFontMetrics(self._small).height() + 2) + 18
        return QSize(320, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        point = index.data(_ROW)
        if not isinstance(point, HarnessPoint):
            return
        rect: QRect = option.rect
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setLayoutDirection(option.direction)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, qcolor(Role.SELECTION))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, qcolor(Role.HOVER))
        back, wide = _scale(rect.width())
        self._rail(painter, rect, point, index, mirrored)
        room = rect.width() - back - _RAIL - 32
        area = QRect(rect.left() + _RAIL + 8, rect.top() + 8, room, 0)
        bar = QRectF(rect.right() - back + 1, rect.top(), wide, rect.height())
        if mirrored:
            area.moveLeft(rect.right() - _RAIL - 8 - room)
            bar.moveLeft(rect.left() + back - wide)
        self._words(painter, area, point)
        _bar(painter, bar, point, mirrored)
        painter.restore()

    def _rail(self, painter: QPainter, rect: QRect, point: HarnessPoint, index: AnyIndex, mirrored: bool) -> None:
        x = rect.right() - _RAIL // 2 if mirrored else rect.left() + _RAIL // 2 + 4
        y = rect.top() + 8 + QFontMetrics(self._body).height() / 2
        painter.setPen(QPen(qcolor(Role.LINE), 1.5))
        if index.row() > 0:
            painter.drawLine(int(x), rect.top(), int(x), int(y) - 12)
        if index.row() < index.model().rowCount() - 1:
            painter.drawLine(int(x), int(y) + 12, int(x), rect.bottom() + 1)
        icon = {"applied": "deploy", "rolled back": "rollback"}.get(point.came_by, "harness")
        if point.is_live:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(active_theme()[Role.ACCENT].hex))
            painter.drawEllipse(QRectF(x - 11, y - 11, 22, 22))
            paint_icon(painter, icon, QRectF(x - 7, y - 7, 14, 14), Role.ON_ACCENT)
        else:
            paint_icon(painter, icon, QRectF(x - 8, y - 8, 16, 16), Role.TEXT_2)

    def _words(self, painter: QPainter, area: QRect, point: HarnessPoint) -> None:
        metrics, small = QFontMetrics(self._body), QFontMetrics(self._small)
        flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        cut = Qt.TextElideMode.ElideRight
        line = QRect(area.left(), area.top(), area.width(), metrics.height())
        painter.setFont(self._body)
        painter.setPen(qcolor(Role.TEXT))
        title = title_of(point)
        if point.since is not None:
            title = f"{title} · {figures.age(point.since, self._now or datetime.now(UTC))}"
        painter.drawText(line, flags, metrics.elidedText(title, cut, line.width()))
        painter.setFont(self._small)
        painter.setPen(qcolor(Role.TEXT_2))
        below = line.translated(0, metrics.height() + 2)
        below.setHeight(small.height())
        painter.drawText(below, flags, small.elidedText(did(point), cut, below.width()))
        came = came_about(point)
        if came:
            below.translate(0, small.height() + 2)
            painter.setPen(qcolor(Role.TEXT))
            painter.drawText(below, flags, small.elidedText(came, cut, below.width()))


def _bar(painter: QPainter, box: QRectF, point: HarnessPoint, mirrored: bool) -> None:
    """Paint the interval and the share in it, on a line from 0 to 100 %."""
    middle = box.center().y()

    def at(share: float) -> float:
        return box.right() - share * box.width() if mirrored else box.left() + share * box.width()

    painter.setPen(QPen(qcolor(Role.LINE), 1))
    for share in (0.0, 0.5, 1.0):
        painter.drawLine(int(at(share)), int(box.top()) + 6, int(at(share)), int(box.bottom()) - 6)
    if point.rate is None:
        painter.setPen(qcolor(Role.TEXT_2))
        painter.setFont(Metrics.font(Type.CAPTION))
        words = QCoreApplication.translate("HarnessTimeline", "no run yet")
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), words)
        return
    role = Role.ACCENT if point.is_live else Role.TEXT_2
    painter.setPen(Qt.PenStyle.NoPen)
    if point.interval is not None:
        low, high = sorted((at(point.interval[0]), at(point.interval[1])))
        painter.setBrush(qcolor(role, 0.35))
        painter.drawRoundedRect(QRectF(low, middle - 5, max(3.0, high - low), 10), 5, 5)
    painter.setBrush(qcolor(role))
    painter.drawEllipse(QRectF(at(point.rate) - 5, middle - 5, 10, 10))
