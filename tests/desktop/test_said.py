"""What the engine says is shown in the language of the window; every sentence of the engine has its pattern."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import honeyguide
from honeyguide.desktop.said import Phrasebook, read_phrasebook, said_file, speak, spoken
from honeyguide.versions.diff import compare, summarise

ENGINE = Path(honeyguide.__file__).parent
SAYS = (
    *sorted((ENGINE / "evolution/gates").glob("*.py")),
    *(ENGINE / f"evolution/{name}.py" for name in ("decision", "orchestrator", "plan")),
    *(ENGINE / f"evals/{name}.py" for name in ("finding", "findings", "receipts")),
)
"""The modules whose sentences a run's row, its review and its plan show."""
NOT_SAID = {  # outcome words, of which the window has its own, and hints
    "Better, proven", "Safe, not proven", "Cannot tell yet", "Adds a capability",
    "Resume it to go on; what was paid for is kept.", "Honeyguide's version",
}  # fmt: skip
PLACES = re.compile(r"\{\d\}")


@pytest.fixture
def german() -> Iterator[Phrasebook]:
    speak("de")
    yield read_phrasebook(said_file("de"))
    speak("en")


def test_every_sentence_of_the_engine_has_its_pattern(german: Phrasebook) -> None:
    missing = {text for path in SAYS for text in _sentences(path) if text not in german.table} - NOT_SAID
    assert not missing, f"add these to {said_file('de').name}: {sorted(missing)}"


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
        ("The judge's model changed since.", "Seither geändert: das bewertende Modell."),
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


def test_in_english_everything_stays() -> None:
    speak("en")
    assert spoken("846 of at most 3000 characters.") == "846 of at most 3000 characters."
    assert spoken(None) == ""


def _sentences(path: Path) -> Iterator[str]:
    """Yield the sentences that a module says, with numbered places; not what it raises, explains or matches."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    skipped: set[int] = set()
    for node in ast.walk(tree):
        is_raised = isinstance(node, ast.Raise)
        is_pattern = isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "compile"
        is_explained = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if (is_raised and not _is_told(node)) or is_pattern or is_explained:
            skipped |= {id(inner) for inner in ast.walk(node)}
        elif isinstance(node, ast.JoinedStr):
            skipped |= {id(inner) for inner in ast.walk(node) if inner is not node}
    for node in ast.walk(tree):
        if id(node) in skipped or not isinstance(node, ast.Constant | ast.JoinedStr):
            continue
        text = _pattern(node)
        for part in [text] if text.startswith("inconclusive") else re.split(r"(?<=\})\s(?=[A-Z])", text):
            if " " in part and re.search(r"[a-z]{2}", part):
                yield _renumbered(part.strip())


def _is_told(node: ast.Raise) -> bool:
    """A receipt that cannot be read is told as a reason."""
    return isinstance(node.exc, ast.Call) and "receipt" in ast.unparse(node.exc).lower()


def _pattern(node: ast.Constant | ast.JoinedStr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    text, number = "", 0
    for part in node.values:
        if isinstance(part, ast.Constant):
            text += str(part.value)
        elif not text.endswith("}"):
            text += f"{{{number}}}"
            number += 1
    return text


def _renumbered(text: str) -> str:
    numbers = iter(range(10))
    return PLACES.sub(lambda _: f"{{{next(numbers)}}}", text)
