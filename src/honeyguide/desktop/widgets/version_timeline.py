"""The versions of a target as a timeline: who, when, why, on what evidence; compare two, or bring one back."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.models.versions import ROW_ROLE, VersionModel, VersionRow
from honeyguide.desktop.theme import Metrics, Role, Type, active_theme, figures, paint_icon, qcolor
from honeyguide.desktop.theme.code_words import way_words
from honeyguide.desktop.theme.outcomes import origin_wording, outcome_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.labels import named

_RAIL = 36


class VersionTimeline(QWidget):
    """Newest on top. One chosen version can be restored or compared with the live one, two with each other.

    Signals:
        version_chosen(n), compare_requested(older n, newer n), restore_requested(n).
    """

    version_chosen = Signal(int)
    compare_requested = Signal(int, int)
    restore_requested = Signal(int)

    def __init__(self, parent: QWidget | None = None, *, now: datetime | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("timeline")
        self.model = VersionModel(self)
        self.list = _List()
        named(self.list, "timeline-list", self.tr("Versions, newest first"))
        self.list.setModel(self.model)
        self.list.setSelectionMode(QListView.SelectionMode.ExtendedSelection)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self._delegate = _VersionDelegate(self.list, now)
        self.list.setItemDelegate(self._delegate)
        self.compare = Button(self.tr("Compare"), "timeline-compare", icon="side-by-side")
        self.restore = Button(self.tr("Restore…"), "timeline-restore", icon="rollback")
        row = QHBoxLayout()
        row.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        row.setSpacing(Metrics.GAP)
        row.addStretch(1)
        row.addWidget(self.compare)
        row.addWidget(self.restore)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        self.list.selectionModel().selectionChanged.connect(self._on_selection)
        self.list.activated.connect(self._on_compare)
        self.list.entered_row.connect(self._on_compare)
        self.compare.clicked.connect(self._on_compare)
        self.restore.clicked.connect(self._on_restore)
        self._on_selection()

    def set_versions(self, versions: Iterable[VersionRow]) -> None:
        """Show these versions; the live one is chosen."""
        chosen = self.chosen()
        self.model.set_versions(versions)
        rows = self.model.versions()
        wanted = chosen[0] if chosen else next((row.n for row in rows if row.current), None)
        index = self.model.index_of(wanted) if wanted is not None else QModelIndex()
        if index.isValid():
            self.list.setCurrentIndex(index)
        self._on_selection()

    def set_now(self, now: datetime) -> None:
        """Count ages from ``now``."""
        self._delegate.now = now
        self.list.viewport().update()

    def chosen(self) -> list[int]:
        """Return the numbers of the chosen versions, oldest first."""
        rows = (index.data(ROW_ROLE) for index in self.list.selectionModel().selectedIndexes())
        return sorted(row.n for row in rows if isinstance(row, VersionRow))

    def _pair(self) -> tuple[int, int] | None:
        chosen = self.chosen()
        if len(chosen) == 2:
            return chosen[0], chosen[1]
        live = next((row.n for row in self.model.versions() if row.current), None)
        if len(chosen) == 1 and live is not None and live != chosen[0]:
            return min(chosen[0], live), max(chosen[0], live)
        return None

    def _on_selection(self) -> None:
        chosen = self.chosen()
        pair = self._pair()
        self.compare.set_allowed(pair is not None, self.tr("Choose two versions, or one that is not live."))
        if pair is not None:
            self.compare.set_tip(self.tr("Compare version {a} with version {b}.").format(a=pair[0], b=pair[1]))
        one = self.model.version(chosen[0]) if len(chosen) == 1 else None
        reason = self.tr("This version is live already.") if one and one.current else self.tr("Choose one version.")
        self.restore.set_allowed(one is not None and not one.current, reason)
        if len(chosen) == 1:
            self.version_chosen.emit(chosen[0])

    def _on_compare(self) -> None:
        pair = self._pair()
        if pair is not None:
            self.compare_requested.emit(*pair)

    def _on_restore(self) -> None:
        chosen = self.chosen()
        if len(chosen) == 1:
            self.restore_requested.emit(chosen[0])


class _List(QListView):
    entered_row = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered_row.emit()
            return
        super().keyPressEvent(event)


class _VersionDelegate(QStyledItemDelegate):
    def __init__(self, parent: QWidget, now: datetime | None) -> None:
        super().__init__(parent)
        self.now = now
        self._body = Metrics.font(strong=True)
        self._small = Metrics.font(Type.CAPTION, tabular=True)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        row = index.data(ROW_ROLE)
        lines = 1 + (1 if isinstance(row, VersionRow) and row.note else 0)
        height = QFontMetrics(self._body).height() + lines * (QFontMetrics(self._small).height() + 2) + 18
        return QSize(320, height)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = index.data(ROW_ROLE)
        if not isinstance(row, VersionRow):
            return
        rect: QRect = option.rect
        state = option.state
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        painter.save()
        painter.setLayoutDirection(option.direction)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, qcolor(Role.SELECTION))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, qcolor(Role.HOVER))
        self._rail(painter, rect, row, index, mirrored)
        area = QRect(rect.left() + (16 if mirrored else _RAIL + 8), rect.top() + 8, rect.width() - _RAIL - 24, 0)
        self._words(painter, area, row)
        painter.restore()

    def _rail(
        self,
        painter: QPainter,
        rect: QRect,
        row: VersionRow,
        index: QModelIndex | QPersistentModelIndex,
        mirrored: bool,
    ) -> None:
        x = rect.right() - _RAIL // 2 if mirrored else rect.left() + _RAIL // 2 + 4
        y = rect.top() + 8 + QFontMetrics(self._body).height() / 2
        painter.setPen(QPen(qcolor(Role.LINE), 1.5))
        if index.row() > 0:
            painter.drawLine(int(x), rect.top(), int(x), int(y) - 12)
        if index.row() < index.model().rowCount() - 1:
            painter.drawLine(int(x), int(y) + 12, int(x), rect.bottom() + 1)
        wording = origin_wording(row.origin)
        if row.current:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(active_theme()[Role.ACCENT].hex))
            painter.drawEllipse(QRectF(x - 11, y - 11, 22, 22))
            paint_icon(painter, wording.icon, QRectF(x - 7, y - 7, 14, 14), Role.ON_ACCENT)
        else:
            paint_icon(painter, wording.icon, QRectF(x - 8, y - 8, 16, 16), wording.role)

    def _words(self, painter: QPainter, area: QRect, row: VersionRow) -> None:
        metrics, small = QFontMetrics(self._body), QFontMetrics(self._small)
        flags = int(Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter)
        title = self.tr("Version {n}").format(n=row.n)
        marks = []
        if row.current:
            marks.append(self.tr("live now"))
        if row.is_bak:
            marks.append(self.tr("kept as .bak"))
        if row.removed:
            marks.append(self.tr("text that ships with the agent"))
        title = " · ".join([title, *marks])
        line = QRect(area.left(), area.top(), area.width(), metrics.height())
        age = figures.age(row.created_at, self.now or datetime.now(UTC))
        painter.setFont(self._small)
        painter.setPen(qcolor(Role.TEXT_2))
        painter.drawText(line, int(Qt.AlignmentFlag.AlignTrailing | Qt.AlignmentFlag.AlignVCenter), age)
        painter.setFont(self._body)
        painter.setPen(qcolor(Role.TEXT))
        room = line.width() - small.horizontalAdvance(age) - 12
        painter.drawText(line, flags, metrics.elidedText(title, Qt.TextElideMode.ElideRight, room))
        painter.setFont(self._small)
        painter.setPen(qcolor(Role.TEXT_2))
        below = line.translated(0, metrics.height() + 2)
        below.setHeight(small.height())
        painter.drawText(below, flags, small.elidedText(self._about(row), Qt.TextElideMode.ElideRight, below.width()))
        if row.note:
            below.translate(0, small.height() + 2)
            painter.setPen(qcolor(Role.TEXT))
            note = small.elidedText(f"“{one_line(row.note)}”", Qt.TextElideMode.ElideRight, below.width())
            painter.drawText(below, flags, note)

    def _about(self, row: VersionRow) -> str:
        parts = [origin_wording(row.origin).words]
        if row.restored_from is not None:
            parts[0] = self.tr("restored from version {n}").format(n=row.restored_from)
        if row.together:
            parts.append(self.tr("together with {others}").format(others=one_line(", ".join(row.together), 80)))
        if row.who:
            way = f"{one_line(row.who, 40)} ({way_words(row.how)})" if row.how else one_line(row.who, 40)
            parts.append(way)
        if row.outcome is not None:
            parts.append(outcome_wording(row.outcome).words)
        if row.delta is not None:
            parts.append(figures.gain(row.delta, row.interval))
        if row.run_uuid is not None:
            parts.append(figures.money(row.cost_usd))
        if row.chars is not None:
            parts.append(self.tr("{n} characters").format(n=figures.whole(row.chars)))
        return " · ".join(parts)
