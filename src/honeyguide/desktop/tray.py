"""A sign in the system's tray, for those who want one: how many proposals wait, and a word when a run ends."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRectF, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, icon, qcolor

_SIZE = 64
SHOWN_MS = 8000
MOST = 99
"""A higher count is shown as 99+; more does not fit."""


def badge_icon(count: int) -> QIcon:
    """Return the program's icon, with a count on it when something waits."""
    if count <= 0:
        return icon("bee", Role.ACCENT_TEXT)
    pixmap = QPixmap(_SIZE, _SIZE)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawPixmap(0, 0, icon("bee", Role.ACCENT_TEXT).pixmap(_SIZE, _SIZE))
    said = str(count) if count <= MOST else f"{MOST}+"
    font = Metrics.font(Type.BODY, strong=True)
    font.setPixelSize(26 if len(said) < 3 else 20)
    painter.setFont(font)
    width = max(34.0, painter.fontMetrics().horizontalAdvance(said) + 14.0)
    pill = QRectF(_SIZE - width, _SIZE - 34, width, 34)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(qcolor(Role.ACCENT))
    painter.drawRoundedRect(pill, 17, 17)
    painter.setPen(qcolor(Role.ON_ACCENT))
    painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, said)
    painter.end()
    return QIcon(pixmap)


class Tray(QObject):
    """Does nothing where the system has no tray, or while it is switched off.

    Signals:
        window_wanted(): the sign, or a message of it, was pressed. quit_wanted()
    """

    window_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self._sign: QSystemTrayIcon | None = None
        self._menu: QMenu | None = None
        self._count = 0

    @property
    def is_shown(self) -> bool:
        """Whether the sign is there."""
        return self._sign is not None

    def set_shown(self, shown: bool) -> None:
        """Show the sign, or take it away."""
        if not shown or not QSystemTrayIcon.isSystemTrayAvailable():
            self.close()
        elif self._sign is None:
            self._sign = QSystemTrayIcon(badge_icon(self._count), self)
            self._sign.setToolTip("Honeyguide")
            self._sign.setContextMenu(self._make_menu())
            self._sign.activated.connect(lambda _: self.window_wanted.emit())
            self._sign.messageClicked.connect(self.window_wanted)
            self._sign.show()

    def set_count(self, count: int) -> None:
        """Say how many proposals wait."""
        if count != self._count:
            self._count = count
            if self._sign is not None:
                self._sign.setIcon(badge_icon(count))

    def tell(self, text: str) -> bool:
        """Show a message of the system; says whether that was possible."""
        if self._sign is None or not QSystemTrayIcon.supportsMessages():
            return False
        self._sign.showMessage("Honeyguide", text, badge_icon(0), SHOWN_MS)
        return True

    def close(self) -> None:
        """Take the sign away."""
        if self._sign is not None:
            self._sign.hide()
            self._sign.deleteLater()
            self._sign = None
        if self._menu is not None:
            self._menu.deleteLater()
            self._menu = None

    def _make_menu(self) -> QMenu:
        menu = QMenu(self._parent)
        menu.setObjectName("tray-menu")
        for words, signal in ((self.tr("Show Honeyguide"), self.window_wanted), (self.tr("Quit"), self.quit_wanted)):
            action = QAction(words, menu)
            action.triggered.connect(lambda _=False, signal=signal: signal.emit())
            menu.addAction(action)
        self._menu = menu
        return menu
