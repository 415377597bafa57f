"""Which theme is in force; held here so that every painter can ask without being handed one."""

from __future__ import annotations

from PySide6.QtGui import QColor

from honeyguide.desktop.theme.roles import Role, Scheme, Theme, derive

_current: list[Theme] = []
_made: dict[tuple[Role, float], QColor] = {}


def active_theme() -> Theme:
    """Return the theme in force; the light one until another is applied."""
    if not _current:
        _current.append(derive(Scheme.LIGHT))
    return _current[0]


def set_active_theme(theme: Theme) -> None:
    """Put ``theme`` in force for what is painted from now on."""
    _current[:] = [theme]
    _made.clear()


def qcolor(role: Role, opacity: float = 1.0) -> QColor:
    """Return the colour of ``role`` as Qt wants it. It is shared: whoever changes it copies it first."""
    known = _made.get((role, opacity))
    if known is None:
        colour = active_theme()[role]
        known = _made[role, opacity] = QColor(colour.red, colour.green, colour.blue, round(opacity * 255))
    return known
