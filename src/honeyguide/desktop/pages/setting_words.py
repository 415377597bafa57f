"""The words of the settings in the window's language. The registry holds the English ones, for files and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QLocale

if TYPE_CHECKING:
    from honeyguide.workspace import Setting


def group_titles() -> dict[str, str]:
    """Return the groups of settings with their titles, in their order."""
    tr = QCoreApplication.translate
    return {
        "window": tr("Settings", "Window"),
        "models": tr("Settings", "Models"),
        "limits": tr("Settings", "Limits"),
        "runs": tr("Settings", "Runs"),
        "privacy": tr("Settings", "Privacy"),
        "files": tr("Settings", "Files"),
        "history": tr("Settings", "History"),
        "service": tr("Settings", "Autonomous service"),
        "updates": tr("Settings", "Updates"),
    }


def setting_words(setting: Setting) -> tuple[str, str]:
    """Return title and help of a setting."""
    translate = QCoreApplication.translate
    return translate("Settings", setting.title), translate("Settings", setting.help)


def choice_words(name: str) -> str:
    """Return what one of several values is called."""
    tr = QCoreApplication.translate
    return {
        "system": tr("Settings", "as the system"),
        "light": tr("Settings", "light"),
        "dark": tr("Settings", "dark"),
        "efficient": tr("Settings", "efficient"),
        "thorough": tr("Settings", "thorough"),
        "quick": tr("Settings", "quick look"),
        "green-red": tr("Settings", "green and red"),
        "blue-orange": tr("Settings", "blue and orange"),
    }.get(name, name)


def language_words(name: str) -> str:
    """Return a language's own name for itself."""
    return QLocale(name).nativeLanguageName() or name
