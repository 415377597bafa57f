"""What the engine says (errors and hints, findings, reasons, where a run stands), in the language of the window.

The engine and every JSON document speak English; a stored sentence stays as it was written. The window knows the
sentences' patterns (``resources/translations/said/``: English pattern to the other one, ``{0}``, ``{1}`` for what
stands between) and puts a known one into its own language when it shows it. What it does not know is shown as it is. A
test finds every pattern in the engine's source. English has a book too: it replaces hints that name a command by what
can be done in the window.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from operator import itemgetter
from pathlib import Path

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.kernel.resources import resource_root

_PLACE = re.compile(r"\{(\d)\}")
_NUMBER = re.compile(r"([+−-]?\d+(?:\.\d+)?)(%?)")
_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
_THINGS = "(table rows?|rules?|headings?|sentences?)"
_COUNTED = re.compile(rf"(\w+) {_THINGS}")
_PHRASE = rf"(?:adds|drops|rewords|moves) \w+ {_THINGS}(?:(?:,| and) \w+ {_THINGS})*"
_CHANGE = re.compile(
    rf"(?P<what>{_PHRASE}(?:(?:,| and) {_PHRASE})*|changes only blanks and line ends); "
    r"(?P<length>same length|\d+ (?:%|characters?) (?:longer|shorter))(?P<end>\.?)",
    re.IGNORECASE,
)
_NEXT = re.compile(r"(?<=[.?!]) (?=[A-Z„“\"'(])")
"""Where one sentence ends and the next begins; a path with a full stop and a blank in it seldom looks like that."""
_PLURAL = ("", "s")
"""What a place behind a word holds that has a plural; other languages say it otherwise."""
_FEW = 8
"""Letters of a pattern below which its places hold single words only: it would fit too much."""
_MOST_PARTS = 20
_MOST = 4000
"""Longer texts are no sentences of the engine."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """An English sentence with places: the words around them, and the other sentence."""

    words: tuple[str, ...]
    places: tuple[str, ...]
    other: str
    is_weak: bool

    def found_in(self, sentence: str) -> dict[str, str] | None:
        """Return what stands in the places, each as short as can be; ``None`` when the words do not fit.

        Takes time in proportion to the sentence's length, whatever it holds.
        """
        first, *rest = self.words
        if not sentence.startswith(first) or not sentence.endswith(rest[-1]):
            return None
        begin, found = len(first), {}
        before = first
        for number, (place, words) in enumerate(zip(self.places, rest, strict=True)):
            is_last = number == len(self.places) - 1
            least = 0 if before[-1:].isalpha() else 1  # "session{2}": nothing, or an s
            end = len(sentence) - len(words) if is_last else sentence.find(words, begin + least)
            if end < begin + least or not sentence.startswith(words, end):
                return None
            found[place] = sentence[begin:end]
            if self.is_weak and " " in found[place]:
                return None
            begin, before = end + len(words), words
        return found


@dataclass(frozen=True, slots=True)
class Phrasebook:
    """The sentences of one language.

    Attributes:
        table: English pattern to the other one.
        changes: the words that summaries of changes are made of.
        comma: whether numbers have a decimal comma, and a blank before the sign of per cent.
    """

    table: Mapping[str, str]
    changes: Mapping[str, str]
    comma: bool = True
    _patterns: dict[str, list[tuple[int, _Pattern]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for english, other in self.table.items():
            parts = _PLACE.split(english)
            if len(parts) == 1:
                continue
            letters = sum(letter.isalpha() for words in parts[::2] for letter in words)
            pattern = _Pattern(tuple(parts[::2]), tuple(parts[1::2]), other, letters < _FEW)
            self._patterns.setdefault(parts[0][:2], []).append((-letters, pattern))

    def translated(self, sentence: str, depth: int = 0) -> str:
        """Return the sentence in this language; one that is not known as it is."""
        known = self.table.get(sentence)
        if known is not None:
            return known
        half = self.table.get(f"{sentence[:1].lower()}{sentence[1:]}")
        if half is not None:
            return f"{half[:1].upper()}{half[1:]}"
        if not sentence or len(sentence) > _MOST or depth > 2:
            return sentence
        change = _CHANGE.fullmatch(sentence) if self.changes else None
        if change is not None:
            return self._change(change)
        parts = _NEXT.split(sentence)
        if len(parts) > _MOST_PARTS:
            return sentence
        if len(parts) > 1:
            said = " ".join(self.translated(part, depth) for part in parts)
            if said != sentence:
                return said
        for pattern in self._near(sentence):
            found = pattern.found_in(sentence)
            if found is not None:
                return self._filled(pattern.other, found, depth)
        return sentence

    def _near(self, sentence: str) -> Iterator[_Pattern]:
        """Yield the patterns whose first two letters fit, the longest first."""
        found = [entry for begin in {"", sentence[:1], sentence[:2]} for entry in self._patterns.get(begin, ())]
        for _, pattern in sorted(found, key=itemgetter(0)):
            yield pattern

    def _filled(self, other: str, found: Mapping[str, str], depth: int) -> str:
        def value(place: re.Match[str]) -> str:
            text = found[place[1]]
            if text in _PLURAL:
                return ""
            number = _NUMBER.fullmatch(text)
            if self.comma and _THOUSANDS.fullmatch(text):
                return text.replace(",", ".")
            if number is not None and self.comma:
                return number[1].replace(".", ",") + ("\u00a0%" if number[2] else "")
            lower = f"{text[:1].lower()}{text[1:]}"
            return self.table[lower] if lower in self.table else self.translated(text, depth + 1)

        return _PLACE.sub(value, other)

    def _change(self, found: re.Match[str]) -> str:
        """Translate a summary of a change, word group by word group."""

        def counted(group: re.Match[str]) -> str:
            number, thing = group[1].lower(), group[2].lower()
            one = self.changes.get(f"{number} {thing}")
            many = self.changes.get(f"{{0}} {thing}", group[0])
            return one or many.replace("{0}", self.changes.get(number, number))

        what = found["what"]
        first = what[0].lower() + what[1:]
        said = self.changes.get(first) or re.sub(
            r"\b(adds|drops|rewords|moves|and)\b",
            lambda word: self.changes.get(word[1], word[1]),
            _COUNTED.sub(counted, first),
        )
        if what[0].isupper():
            said = said[0].upper() + said[1:]
        number = re.match(r"\d+", found["length"])
        length = found["length"].replace(number[0], "{0}", 1) if number else found["length"]
        length = self.changes.get(length, found["length"]).replace("{0}", number[0] if number else "")
        return f"{said}; {length}{found['end']}"


_book: Phrasebook | None = None


def spoken(sentence: str | None) -> str:
    """Return what the engine said in the language of the window."""
    return sentence or "" if _book is None or not sentence else _looked_up(sentence)


@lru_cache(maxsize=2048)
def _looked_up(sentence: str) -> str:
    return sentence if _book is None else _book.translated(sentence)


def sentence_of(error: BaseException) -> str:
    """Return what went wrong, in one sentence of the window's language."""
    return spoken(error.message) if isinstance(error, HoneyguideError) else spoken(f"{error}") or type(error).__name__


def hint_of(error: BaseException) -> str:
    """Return what a person can do about it; empty when there is nothing to say."""
    return spoken(error.hint) if isinstance(error, HoneyguideError) else ""


def said_of(error: BaseException) -> str:
    """Return the sentence and the hint, for one line."""
    return f"{sentence_of(error)} {hint_of(error)}".strip()


def said_file(language: str) -> Path:
    """Return the file of a language's sentences; it need not exist."""
    return resource_root() / "translations" / "said" / f"{language}.json"


def read_phrasebook(path: Path) -> Phrasebook:
    """Read the sentences of a language."""
    data = json.loads(path.read_text(encoding="utf-8"))
    return Phrasebook(data["sentences"], data.get("changes", {}), comma=data.get("comma", True))


def speak(language: str) -> None:
    """Use a language from now on; nothing is changed for one that is not there."""
    global _book
    path = said_file(language)
    _looked_up.cache_clear()
    _book = read_phrasebook(path) if path.is_file() else None
