"""The command palette: a few letters find any action, with its key or the reason why it cannot be done now, and any
target or run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from honeyguide.desktop.actions import menu_titles
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type, paint_icon, qcolor
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.labels import named

if TYPE_CHECKING:
    from PySide6.QtCore import QModelIndex, QPersistentModelIndex

    from honeyguide.desktop.places_to_go import Place
    from honeyguide.desktop.window import Window

ID_ROLE = int(Qt.ItemDataRole.UserRole)
KEY_ROLE, REASON_ROLE, ICON_ROLE, MENU_ROLE = ID_ROLE + 1, ID_ROLE + 2, ID_ROLE + 3, ID_ROLE + 4
PLACE_ROLE = ID_ROLE + 5
_RECENT = "palette.recent"
MOST_PLACES = 12
MOST_RECENT = 6


class Palette(Dialog):
    """Enter carries out what is marked; what was used lately stands first.

    Attributes:
        chosen: the id of the action; ``place`` in its stead when a target or a run was chosen.
    """

    def __init__(self, window: Window, places: Sequence[Place] = ()) -> None:
        super().__init__("palette", window.tr("Find an action"), window, wide=64, high=24)
        self._window = window
        self.chosen = ""
        self.place: Place | None = None
        self._places = tuple(places)
        self.body.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        self._field = named(QLineEdit(), "palette-search", self.tr("Find an action"))
        self._field.setPlaceholderText(self.tr("What do you want to do?"))
        self._field.installEventFilter(self)
        self._list = named(QListWidget(), "palette-list", self.tr("Actions"))
        self._list.setItemDelegate(_EntryDelegate(self._list))
        self._list.setUniformItemSizes(True)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.body.addWidget(self._field)
        self.body.addWidget(self._list, 1)
        self._field.textChanged.connect(lambda _: self._fill())
        self._list.itemClicked.connect(self._take)
        self._field.setFocus()
        self._fill()

    def entries(self) -> list[str]:
        """Return the ids of what is listed."""
        return [str(self._list.item(row).data(ID_ROLE)) for row in range(self._list.count())]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}
            step = steps.get(Qt.Key(event.key()))
            if step is not None:
                row = min(max(self._list.currentRow() + step, 0), self._list.count() - 1)
                self._list.setCurrentRow(row)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                item = self._list.currentItem()
                if item is not None:
                    self._take(item)
                return True
        return super().eventFilter(watched, event)

    def _take(self, item: QListWidgetItem) -> None:
        self.chosen = str(item.data(ID_ROLE))
        number = item.data(PLACE_ROLE)
        if number is not None:
            self.place, self.chosen = self._places[number], ""
            self.accept()
            return
        recent = [name for name in self._recent() if name != self.chosen]
        self._window.memory.set(_RECENT, [self.chosen, *recent][:MOST_RECENT])
        self.accept()

    def _recent(self) -> list[str]:
        kept = self._window.memory.get(_RECENT)
        return [name for name in kept if isinstance(name, str)] if isinstance(kept, list) else []

    def _fill(self) -> None:
        wanted = self._field.text().casefold().split()
        recent = self._recent()
        menus = menu_titles()
        found: list[tuple[tuple[int, int, int], str]] = []
        for number, action in enumerate(self._window.actions_known()):
            if action.id == "palette":
                continue
            haystack = f"{action.title} {action.about} {menus[action.menu].replace('&', '')}".casefold()
            rank = match_rank(wanted, action.title.casefold(), haystack)
            if rank is None:
                continue
            lately = recent.index(action.id) if action.id in recent else MOST_RECENT
            found.append(((rank, lately, number), action.id))
        self._list.clear()
        for _, name in sorted(found):
            self._list.addItem(self._item(name))
        for number in self._places_found(wanted):
            self._list.addItem(self._place_item(number))
        self._list.setCurrentRow(0 if self._list.count() else -1)

    def _places_found(self, wanted: list[str]) -> list[int]:
        """Return the numbers of the places that fit, the best first; none before anything is typed."""
        ranked = []
        for number, place in enumerate(self._places if wanted else ()):
            rank = match_rank(wanted, place.title.casefold(), f"{place.title} {place.about} {place.item}".casefold())
            if rank is not None and rank < 3:
                ranked.append((rank, number))
        return [number for _, number in sorted(ranked)[:MOST_PLACES]]

    def _place_item(self, number: int) -> QListWidgetItem:
        place = self._places[number]
        item = QListWidgetItem(place.title)
        item.setData(ID_ROLE, f"{place.page}:{place.item}")
        item.setData(PLACE_ROLE, number)
        item.setData(ICON_ROLE, place.icon)
        item.setData(MENU_ROLE, place.about)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{place.title}. {place.about}")
        return item

    def _item(self, name: str) -> QListWidgetItem:
        action = next(action for action in self._window.actions_known() if action.id == name)
        reason = self._window.reason_against(name)
        item = QListWidgetItem(action.title)
        item.setData(ID_ROLE, name)
        item.setData(KEY_ROLE, self._window.keys.shown(name))
        item.setData(REASON_ROLE, reason)
        item.setData(ICON_ROLE, action.icon)
        item.setData(MENU_ROLE, menu_titles()[action.menu].replace("&", ""))
        item.setToolTip(tooltip(reason or action.about))
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{action.title}. {reason or action.about}")
        return item


def match_rank(wanted: list[str], title: str, haystack: str) -> int | None:
    """Return how well words fit: 0 the title begins so, 1 it holds them, 2 the rest does, 3 as letters in order."""
    if not wanted:
        return 0
    if title.startswith(" ".join(wanted)):
        return 0
    if all(word in title for word in wanted):
        return 1
    if all(word in haystack for word in wanted):
        return 2
    letters = iter(title)
    return 3 if all(letter in letters for letter in "".join(wanted)) else None


class _EntryDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(320, Metrics.row_height() + 2)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        rect: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(qcolor(Role.SELECTION))
            painter.drawRoundedRect(rect.adjusted(2, 1, -2, -1), Metrics.RADIUS, Metrics.RADIUS)
        reason = str(index.data(REASON_ROLE) or "")
        role = Role.TEXT_2 if reason else Role.TEXT
        icon = str(index.data(ICON_ROLE) or "")
        mirrored = option.direction == Qt.LayoutDirection.RightToLeft
        if icon:
            x = rect.right() - 28 if mirrored else rect.left() + 12
            paint_icon(painter, icon, QRectF(x, rect.center().y() - 8, 16, 16), role)
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading)
        small = Metrics.font(Type.CAPTION)
        key = str(index.data(KEY_ROLE) or "")
        key_width = QFontMetrics(small).horizontalAdvance(key)
        area = rect.adjusted(12 if mirrored else 40, 0, -40 if mirrored else -12, 0)
        painter.setLayoutDirection(option.direction)
        painter.setFont(Metrics.font())
        title = str(index.data(Qt.ItemDataRole.DisplayRole))
        metrics = painter.fontMetrics()
        painter.setPen(qcolor(role))
        room = area.adjusted(0, 0, -key_width - 12, 0) if not mirrored else area.adjusted(key_width + 12, 0, 0, 0)
        painter.drawText(room, flags, metrics.elidedText(title, Qt.TextElideMode.ElideRight, room.width()))
        painter.setFont(small)
        painter.setPen(qcolor(Role.TEXT_2))
        used = metrics.horizontalAdvance(title) + 14
        beside = room.adjusted(used, 0, 0, 0) if not mirrored else room.adjusted(0, 0, -used, 0)
        said = reason or str(index.data(MENU_ROLE) or "")
        if beside.width() > 40:
            painter.drawText(
                beside, flags, QFontMetrics(small).elidedText(said, Qt.TextElideMode.ElideRight, beside.width())
            )
        painter.drawText(area, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignTrailing), key)
        painter.restore()
