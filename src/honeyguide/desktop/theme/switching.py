"""Putting a theme in force: follows the system (also its wish for contrast), or a person's choice of light or dark."""

from __future__ import annotations

from enum import StrEnum
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QPalette, QStyleHints
from PySide6.QtWidgets import QApplication, QWidget

from honeyguide.desktop.theme.icons import refresh_icons
from honeyguide.desktop.theme.metrics import Metrics
from honeyguide.desktop.theme.roles import DEFAULT_BASES, Bases, Role, Scheme, Theme, derive
from honeyguide.desktop.theme.state import active_theme, qcolor, set_active_theme
from honeyguide.desktop.theme.stylesheet import stylesheet

__all__ = ["ThemeChoice", "ThemeSwitch", "active_theme", "apply_theme", "palette_of", "qcolor", "wear_theme"]

_WEARS = "honeyguideWearsTheme"


class ThemeChoice(StrEnum):
    """What a person chose."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


def palette_of(theme: Theme) -> QPalette:
    """Return the palette for everything that no style sheet reaches."""

    def q(role: Role) -> QColor:
        return QColor(theme[role].hex)

    group, role = QPalette.ColorGroup, QPalette.ColorRole
    palette = QPalette()
    for target, source in (
        (role.Window, Role.SURFACE),
        (role.Base, Role.SURFACE),
        (role.AlternateBase, Role.SURFACE_2),
        (role.Button, Role.SURFACE_2),
        (role.ToolTipBase, Role.RAISED),
        (role.WindowText, Role.TEXT),
        (role.Text, Role.TEXT),
        (role.ButtonText, Role.TEXT),
        (role.ToolTipText, Role.TEXT),
        (role.BrightText, Role.TEXT),
        (role.PlaceholderText, Role.TEXT_2),
        (role.Highlight, Role.SELECTION),
        (role.HighlightedText, Role.TEXT),
        (role.Accent, Role.ACCENT),
        (role.Link, Role.ACCENT_TEXT),
        (role.LinkVisited, Role.ACCENT_TEXT),
        (role.Mid, Role.LINE),
        (role.Midlight, Role.LINE),
        (role.Light, Role.RAISED),
        (role.Dark, Role.FAINT),
        (role.Shadow, Role.LINE),
    ):
        palette.setColor(target, q(source))
    for target in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(group.Disabled, target, q(Role.FAINT))
    return palette


def apply_theme(app: QApplication, theme: Theme) -> None:
    """Put ``theme`` in force for the whole application."""
    set_active_theme(theme)
    if app.style().objectName() != "fusion":
        app.setStyle("fusion")
    app.setPalette(palette_of(theme))
    sheet = stylesheet(theme, Metrics.font())
    wearing = [widget for widget in app.topLevelWidgets() if widget.property(_WEARS)]
    app.setStyleSheet("" if wearing else sheet)
    for widget in wearing:
        widget.setStyleSheet(sheet)
    refresh_icons()


def wear_theme(window: QWidget) -> None:
    """Let ``window`` and its dialogs carry the style sheet in place of the application; call it before they are filled.

    Qt hands a sheet of the application down through a widget and all below it each time the widget gets a parent. A
    page is built from the inside out, so each part of it would go through that once a level: four times the work.
    Without a sheet on the application, what is built is left alone until it comes into the window.
    """
    window.setProperty(_WEARS, True)
    app = QApplication.instance()
    if isinstance(app, QApplication):
        app.setStyleSheet("")
    window.setStyleSheet(stylesheet(active_theme(), Metrics.font()))


@cache
def _hints(app: QApplication) -> QStyleHints:
    """Return the system's wishes.

    WORKAROUND(PySide6 6.11): a Python object that goes takes those for its parts along, so this one is kept.
    """
    return app.styleHints()


class ThemeSwitch(QObject):
    """Keeps the theme in step with the system, or with a person's choice. Lives as long as the application.

    Signals:
        changed(): another theme is in force.
    """

    changed = Signal()

    def __init__(self, app: QApplication, choice: ThemeChoice = ThemeChoice.SYSTEM, bases: Bases = DEFAULT_BASES):
        super().__init__(app)
        self._app = app
        self._choice = choice
        self._bases = bases
        self._applied: Theme | None = None
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        _hints(app).accessibility().contrastPreferenceChanged.connect(self._on_system_changed)
        self.set_choice(choice)

    @property
    def choice(self) -> ThemeChoice:
        """What the person chose."""
        return self._choice

    @property
    def scheme(self) -> Scheme:
        """What is in force."""
        if self._choice is not ThemeChoice.SYSTEM:
            return Scheme(self._choice.value)
        return Scheme.DARK if self._app.styleHints().colorScheme() == Qt.ColorScheme.Dark else Scheme.LIGHT

    @property
    def is_strong(self) -> bool:
        """Whether the person asked the system for more contrast."""
        return _hints(self._app).accessibility().contrastPreference() == Qt.ContrastPreference.HighContrast

    def set_choice(self, choice: ThemeChoice) -> None:
        """Follow the system, or stay light or dark; title bars go along where the platform can."""
        self._choice = choice
        wanted = {
            ThemeChoice.SYSTEM: Qt.ColorScheme.Unknown,
            ThemeChoice.LIGHT: Qt.ColorScheme.Light,
            ThemeChoice.DARK: Qt.ColorScheme.Dark,
        }[choice]
        self._app.styleHints().setColorScheme(wanted)
        self._apply()

    def set_bases(self, bases: Bases) -> None:
        """Use other base colours, e.g. a person's own for new and removed text."""
        self._bases = bases
        self._apply()

    def _on_system_changed(self) -> None:
        self._apply()

    def _apply(self) -> None:
        theme = derive(self.scheme, self._bases, is_strong=self.is_strong)
        if theme == self._applied:
            return
        self._applied = theme
        apply_theme(self._app, theme)
        self.changed.emit()
