"""The icons: SVG files on a 16 px grid drawn in ``currentColor``, coloured by role when they are shown."""

from __future__ import annotations

from functools import cache, lru_cache

from PySide6.QtCore import QByteArray, QObject, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from honeyguide.desktop.theme.colours import Colour
from honeyguide.desktop.theme.roles import Role
from honeyguide.desktop.theme.state import active_theme
from honeyguide.kernel.resources import resource

SIZES = (16, 20, 24, 32, 48, 64, 96)
"""Pixels an icon is drawn at; covers 16 px to 32 px at 100 % to 300 %."""
_NAME, _ROLE = "honeyguideIcon", "honeyguideIconRole"


@cache
def icon_names() -> tuple[str, ...]:
    """Return the names of all icons."""
    return tuple(sorted(path.stem for path in resource("icons").glob("*.svg")))


def icon(name: str, role: Role = Role.TEXT) -> QIcon:
    """Return an icon in the colour ``role`` has now; its disabled form is faint.

    Raises:
        InternalError: no icon has this name.
    """
    theme = active_theme()
    return _icon(name, theme[role].hex, theme[Role.FAINT].hex)


def use_icon(target: QAbstractButton | QAction, name: str, role: Role = Role.TEXT) -> None:
    """Give a button or an action an icon that follows the theme. An empty name takes it away."""
    target.setProperty(_NAME, name)
    target.setProperty(_ROLE, role.value)
    target.setIcon(icon(name, role) if name else QIcon())


def paint_icon(painter: QPainter, name: str, rect: QRectF, role: Role | Colour = Role.TEXT) -> None:
    """Draw an icon into ``rect``."""
    colour = active_theme()[role] if isinstance(role, Role) else role
    ratio = painter.device().devicePixelRatio()
    pixmap = _pixmap_at(name, colour.hex, round(rect.width() * ratio), ratio)
    painter.drawPixmap(rect.topLeft(), pixmap)


def refresh_icons() -> None:
    """Redraw the icons of every button and action that ``use_icon`` gave one."""
    seen: set[int] = set()
    for widget in QApplication.allWidgets():
        _refresh(widget, seen)
        for action in widget.actions():
            _refresh(action, seen)


def _refresh(target: QObject | QWidget, seen: set[int]) -> None:
    if id(target) in seen or not isinstance(target, (QAbstractButton, QAction)):
        return
    seen.add(id(target))
    name = target.property(_NAME)
    if name:
        target.setIcon(icon(name, Role(target.property(_ROLE))))


@lru_cache(maxsize=512)
def _icon(name: str, colour: str, faint: str) -> QIcon:
    made = QIcon()
    for size in SIZES:
        made.addPixmap(_pixmap(name, colour, size), QIcon.Mode.Normal)
        made.addPixmap(_pixmap(name, faint, size), QIcon.Mode.Disabled)
    return made


def _pixmap(name: str, colour: str, size: int) -> QPixmap:
    pixmap = QPixmap(QSize(size, size))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    _renderer(name, colour).render(painter, QRectF(0, 0, size, size))
    painter.end()
    return pixmap


@lru_cache(maxsize=1024)
def _pixmap_at(name: str, colour: str, size: int, ratio: float) -> QPixmap:
    pixmap = _pixmap(name, colour, size)
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


@lru_cache(maxsize=512)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


@cache
def _source(name: str) -> str:
    return resource("icons", f"{name}.svg").read_text(encoding="utf-8")
