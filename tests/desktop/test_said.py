"""What the engine says is shown in the language of the window; every sentence of the engine has its pattern."""

from __future__ import annotations

import ast
import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import honeyguide.desktop
from honeyguide.desktop.said import Phrasebook, hint_of, read_phrasebook, said_file, said_of, speak, spoken
from honeyguide.kernel.errors import NotFound, Unreadable
from honeyguide.versions.diff import compare, summarise
from honeyguide.workspace import audit_prompts
from tests.desktop.engine_sentences import COMMAND, PLACES, engine_sentences


@pytest.fixture
def german() -> Iterator[Phrasebook]:
    speak("de")
    yield read_phrasebook(said_file("de"))
    speak("en")


def test_every_sentence_of_the_engine_is_known_in_german(german: Phrasebook) -> None:
    known = engine_sentences()
    assert len(known) > 1400
    missing = {sentence: where for sentence, where in known.items() if sentence not in german.table}
    assert not missing, f"add these to {said_file('de')}: {json.dumps(missing, indent=1)}"


def test_what_names_a_command_is_said_in_words_of_the_window() -> None:
    english = read_phrasebook(said_file("en")).table
    known = {sentence for sentence in engine_sentences() if COMMAND.search(sentence)}
    assert known <= set(english), "resources/translations/said/en.json says in the window what commands say elsewhere"
    for language in ("en", "de"):
        said = read_phrasebook(said_file(language)).table.values()
        assert not [sentence for sentence in said if COMMAND.search(sentence)]


def test_no_sentence_of_the_window_names_a_command() -> None:
    table = json.loads((said_file("en").parents[1] / "de.json").read_text(encoding="utf-8"))
    assert not [sentence for sentence in table if COMMAND.search(sentence)]


def test_errors_are_shown_through_the_book_only() -> None:
    found = [
        f"{path.name}:{node.lineno}"
        for path in sorted(Path(honeyguide.desktop.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute)
        and node.attr in ("message", "hint")
        and isinstance(node.value, ast.Name)
        and node.value.id == "error"
    ]
    assert {place.partition(":")[0] for place in found} == {"said.py"}, found


def test_an_error_is_said_with_its_hint() -> None:
    error = NotFound("There is no target called coder.", hint="See 'honeyguide targets list'.")
    speak("en")
    assert said_of(error) == "There is no target called coder. The page Targets shows all."
    speak("de")
    assert said_of(error) == "Es gibt kein Ziel namens coder. Die Seite „Ziele“ zeigt alle."
    unreadable = Unreadable("/tmp/a. b.md cannot be read: Permission denied.", hint="Check its permissions.")
    assert said_of(unreadable) == "/tmp/a. b.md ist nicht lesbar: keine Berechtigung. Prüfen Sie seine Rechte."
    assert hint_of(ValueError("odd")) == ""
    speak("en")


def test_patterns_keep_their_places(german: Phrasebook) -> None:
    every = {**german.table, **german.changes}
    wrong = [e for e, other in every.items() if sorted(PLACES.findall(e)) != sorted(PLACES.findall(other))]
    assert not wrong


@pytest.mark.parametrize(
    ("english", "german_one"),
    [
        ("846 of at most 3000 characters.", "846 von höchstens 3000 Zeichen."),
        ("19.5% longer than before, of at most 20%.", "19,5\u00a0% länger als vorher, von höchstens 20\u00a0%."),
        (
            "A loss of more than 5 points is excluded; a gain is not shown. The text got 12% shorter.",
            "Ein Verlust von mehr als 5 Punkten ist ausgeschlossen; ein Gewinn ist nicht gezeigt. "
            "Der Text wurde 12\u00a0% kürzer.",
        ),
        ("gate failure: The text is blank.", "nicht bestandene Prüfung: Der Text ist leer."),
        (
            "Version 3: 4 of 40 sessions corrected after it, 10 of 35 before, 3 of 40 sessions failed after it, "
            "5 of 35 before. It helped, beyond chance.",
            "Fassung 3: danach 4 von 40 Sitzungen korrigiert, davor 10 von 35; danach 3 von 40 fehlgeschlagen, davor 5 "
            "von 35. Sie half, über den Zufall hinaus.",
        ),
        (
            "1 run: 0 succeeded (0%, 95% CI 0%-49%).",
            "Läufe: 1, davon gelungen 0 (0\u00a0%; mit dem Zufall gerechnet 0\u00a0% bis 49\u00a0%).",
        ),
        ("The judge's model changed since.", "Seither geändert: der Bewerter."),
        ("The placeholder [a.b{0}] was left in.", "Der Platzhalter [a.b{0}] blieb stehen."),
        ("A person's own note. Kept as it is.", "A person's own note. Kept as it is."),
        ("We follow house rules", "We follow house rules"),
        ("", ""),
    ],
)
def test_a_sentence_is_said_in_german(german: Phrasebook, english: str, german_one: str) -> None:
    assert spoken(english) == german_one


def test_what_is_no_sentence_of_the_engine_stays_and_takes_no_time(german: Phrasebook) -> None:
    for text in ("x" * 1_000_000, "It holds a secret (" * 150, "<b>{0}</b> {1} " * 200):
        assert spoken(text) == text


@pytest.mark.parametrize(
    ("before", "after", "german_one"),
    [
        ("- One.\n- Two.\n", "- One.\n- Three is new here.\n- And a fourth.\n", None),
        ("A line.\n", "A line.\n\n- A rule.\n- Another.\n", "Ergänzt zwei Regeln; "),
        ("# Old\n\nText here.\n", "Text here. And one more.\n", "Ergänzt einen Satz und streicht eine Überschrift; "),
        ("a  b\n", "a b\n", "Ändert nur Leerzeichen und Zeilenenden; "),
        ("same\n", "same\n", "Ändert nichts."),
    ],
)
def test_summaries_of_changes_are_said_in_german(
    german: Phrasebook, before: str, after: str, german_one: str | None
) -> None:
    english = summarise(compare(before, after)).sentence()
    said = spoken(english)
    assert said != english
    assert not re.search(r"\b(adds|drops|rewords|moves|rules?|longer|shorter|and|length)\b", said, re.IGNORECASE)
    assert said.startswith(german_one or "")


def test_every_finding_of_an_audit_is_said_in_german(german: Phrasebook, tmp_path: Path) -> None:
    secret = "sk-ant-api03-" + "A" * 93 + "AA"
    texts = {
        "bad/SKILL.md": f"\ufeff---\nname: Bad Name\ndescription: a # b\n---\nSee [x](no.md). {secret}\n",
        "long/SKILL.md": "---\nname: long\ndescription: " + "x" * 1200 + "\n---\n" + "Body.\n" * 700,
        "twin/SKILL.md": "---\nname: long\nallowed: yes\n---\nAlways use tabs.\nNever use tabs.\n",
        "open/SKILL.md": "---\nname: open\ndescription: Does: this\n",
        "none/SKILL.md": "No head.\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text, encoding="utf-8")
    report = asyncio.run(audit_prompts([tmp_path], tmp_path))
    assert len(report.findings) > 8
    for finding in report.findings:
        for said in (finding.message, finding.why, finding.fix or ""):
            assert not said or spoken(said) != said, said
            assert not re.search(r"\b(the|is|are|of|not|has|over|limit)\b", spoken(said)), spoken(said)


def test_in_english_everything_stays() -> None:
    speak("en")
    assert spoken("846 of at most 3000 characters.") == "846 of at most 3000 characters."
    assert spoken(None) == ""
