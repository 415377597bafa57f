"""The window in another language: a table of sentences, and Qt's own sentences.

The tables are JSON files (``resources/translations/de.json``: English sentence to the other one); a test says which
sentence lacks a translation. A sentence with ``%n`` may have two forms, for one and for more.
"""

from __future__ import annotations

import json
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.said import speak
from honeyguide.kernel.resources import resource_root

ENGLISH = "en"


class TableTranslator(QTranslator):
    """Looks sentences up in a table; a sentence that is not in it stays English."""

    def __init__(self, table: dict[str, str | list[str]], parent: QApplication | None = None) -> None:
        super().__init__(parent)
        self._table = table

    def translate(self, context: str, text: str, disambiguation: str | None = None, n: int = -1) -> str | None:
        """Return the other sentence; ``None`` (not an empty text) lets Qt go on with its own."""
        found = self._table.get(text)
        return found[0 if n == 1 else -1] if isinstance(found, list) else found

    def isEmpty(self) -> bool:
        return not self._table


def translation_file(language: str) -> Path:
    """Return the table of a language; it need not exist."""
    return resource_root() / "translations" / f"{language}.json"


def languages() -> tuple[str, ...]:
    """Return the languages there are, English first."""
    folder = resource_root() / "translations"
    return (ENGLISH, *sorted(path.stem for path in folder.glob("*.json")))


def install_language(app: QApplication, wanted: object = None) -> str:
    """Use a language from now on (as the system when none is named) and return it."""
    language = wanted if isinstance(wanted, str) and wanted else QLocale.system().name().partition("_")[0]
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.setParent(None)
    path = translation_file(language)
    speak(language if path.is_file() else ENGLISH)
    if language == ENGLISH or not path.is_file():
        if wanted:
            QLocale.setDefault(QLocale(QLocale.Language.English))
        return ENGLISH
    table = json.loads(path.read_text(encoding="utf-8"))
    qt = QTranslator(app)
    if qt.load(f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(qt)
    app.installTranslator(TableTranslator(table, app))
    QLocale.setDefault(QLocale(language))
    return language
