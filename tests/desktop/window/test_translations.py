"""Every sentence of the window has a German one, with the same places for names and numbers; and it is used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QLocale, QTranslator
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.actions import actions, page_titles
from honeyguide.desktop.said import said_file
from honeyguide.desktop.translating import TableTranslator, install_language, languages, translation_file
from tests.desktop.sentences import sentences

PLACES = re.compile(r"\{\w*\}|%n|&&")


@pytest.fixture
def german(qapp: QApplication) -> Iterator[dict[str, Any]]:
    locale = QLocale()
    assert install_language(qapp, "de") == "de"
    yield json.loads(translation_file("de").read_text(encoding="utf-8"))
    install_language(qapp, "en")
    QLocale.setDefault(locale)


def test_no_sentence_lacks_a_translation_and_none_is_left_over() -> None:
    table = json.loads(translation_file("de").read_text(encoding="utf-8"))
    known = sentences()
    assert len(known) > 900
    missing = {sentence: where for sentence, where in known.items() if not table.get(sentence)}
    assert not missing, f"add these to resources/translations/de.json: {missing}"
    assert not set(table) - set(known), "these sentences are gone from the source"


def test_translations_keep_the_places_for_names_and_numbers() -> None:
    table = json.loads(translation_file("de").read_text(encoding="utf-8"))
    wrong = {
        english: german
        for english, german in table.items()
        for form in (german if isinstance(german, list) else [german])
        if set(PLACES.findall(english)) != set(PLACES.findall(form))
    }
    assert not wrong


def test_german_keeps_to_its_terms_and_to_its_form_of_address() -> None:
    other_words = re.compile(r"\bSammlung|Eval-Suite|Tokens\b|bewertende[nsr]? Modell|\b[Dd](?:u|ein|eine|ir|ich)\b")
    tables = [json.loads(path.read_text(encoding="utf-8")) for path in (translation_file("de"), said_file("de"))]
    said = [*tables[0].values(), *tables[1]["sentences"].values()]
    assert not [sentence for sentence in said if other_words.search(str(sentence))]


def test_the_window_speaks_german(german: dict[str, Any], qapp: QApplication) -> None:
    assert page_titles()["inbox"] == "Eingang"
    assert next(a.title for a in actions() if a.id == "accept") == "Annehmen und einsetzen…"
    assert QCoreApplication.translate("QDialogButtonBox", "Cancel") in ("Abbrechen", "Cancel")
    assert QLocale().toString(12480) == "12.480"
    assert QKeySequence("F7").toString(QKeySequence.SequenceFormat.NativeText) == "F7", "Qt's own words got lost"


def test_an_unknown_language_and_an_unknown_sentence_stay_english(german: dict[str, Any], qapp: QApplication) -> None:
    assert install_language(qapp, "xx") == "en"
    translator = TableTranslator({"Inbox": "Eingang", "%n runs": ["%n Lauf", "%n Läufe"]})
    assert translator.translate("Any", "Unknown sentence") is None
    assert translator.translate("Any", "%n runs", None, 1) == "%n Lauf"
    assert translator.translate("Any", "%n runs", None, 3) == "%n Läufe"
    assert languages()[0] == "en" and "de" in languages()
    assert isinstance(translator, QTranslator)
