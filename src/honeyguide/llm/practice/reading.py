"""How the practice model reads: which rules a prompt states, which language and things a message holds."""

from __future__ import annotations

import calendar
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import regex

from honeyguide.llm.practice.catalogue import LANGUAGES, catalogue

_SENTENCE = regex.compile(r"(?<=[.!?])\s+|\n+")
_NEGATION = regex.compile(r"\b(never|do not|don't|avoid|no need to|without|must not|instead of)\b", regex.IGNORECASE)
_UNDOUBTED = regex.compile(
    r"\b(never|do not|don't)\b.*\b(without|forget|skip|omit|leave out|unless)\b", regex.IGNORECASE
)
_FIELD = regex.compile(r'^\s*[-*]\s*"(?P<name>[^"\n]{1,80})" \((?P<type>\w+), (?:required|optional)\)', regex.MULTILINE)
_WORDS = {
    "de": frozenset(
        (
            "ich",
            "und",
            "der",
            "die",
            "das",
            "nicht",
            "ist",
            "mit",
            "ein",
            "eine",
            "für",
            "habe",
            "bitte",
            "sie",
            "wir",
            "meine",
            "mein",
            "auf",
        )
    ),
    "fr": frozenset(
        (
            "je",
            "le",
            "la",
            "les",
            "et",
            "est",
            "une",
            "un",
            "pas",
            "pour",
            "avec",
            "vous",
            "mon",
            "ma",
            "bonjour",
            "nous",
            "merci",
            "dans",
            "des",
        )
    ),
    "es": frozenset(
        (
            "yo",
            "el",
            "la",
            "los",
            "y",
            "es",
            "una",
            "un",
            "no",
            "para",
            "con",
            "usted",
            "mi",
            "hola",
            "gracias",
            "por",
            "que",
            "en",
            "del",
        )
    ),
    "en": frozenset(
        (
            "i",
            "the",
            "and",
            "is",
            "not",
            "a",
            "for",
            "with",
            "you",
            "my",
            "please",
            "we",
            "it",
            "of",
            "to",
            "on",
            "have",
        )
    ),
}
_WORD = regex.compile(r"\p{L}+")
_NAME = regex.compile(
    r"(?:I am|I'm|my name is|this is|ich bin|mein name ist|je suis|je m'appelle|soy|me llamo) (\p{Lu}\p{L}+)",
    regex.IGNORECASE,
)
_FILE = regex.compile(r"[\w./-]+\.(?:py|ts|go|js|rs|sql)\b")
_FUNCTION = regex.compile(r"\b([a-z_][a-z0-9_]*)\(")
_DIGITS = regex.compile(r"\d{5,}")
_WORD_LIMIT = regex.compile(r"(\d+) words")
_ISSUE = regex.compile(r"#\d+")
_MONTHS = [name.lower() for name in calendar.month_name[1:]]
_DAY = regex.compile(rf"(?:(\d{{1,2}})(?:st|nd|rd|th)? )?({'|'.join(_MONTHS)})(?: (\d{{1,2}}))?", regex.IGNORECASE)
_COUNT = regex.compile(r"\b(?:last|latest|first|recent) (\d{1,3})\b", regex.IGNORECASE)


@dataclass(frozen=True, slots=True)
class PromptReading:
    """What a prompt says to a reader who only knows the catalogue.

    Attributes:
        rules: ids of the behaviours that it demands.
        forbidden: ids of those that it forbids.
        short, long: whether it asks for short or for long answers.
        fields: the output fields it asks for, in order; empty for a plain answer.
        length: characters.
    """

    rules: frozenset[str]
    forbidden: frozenset[str]
    short: bool
    long: bool
    fields: tuple[str, ...]
    length: int


@lru_cache(maxsize=512)
def read_prompt(prompt: str) -> PromptReading:
    """Read a prompt sentence by sentence; a later sentence on the same rule wins."""
    known = catalogue()
    rules: set[str] = set()
    forbidden: set[str] = set()
    for sentence in _SENTENCE.split(prompt):
        negative = bool(_NEGATION.search(sentence)) and not _UNDOUBTED.search(sentence)
        for behaviour in known.behaviours:
            if not behaviour.stated.search(sentence):
                continue
            plain = behaviour.id == "not-verified" or not negative
            (rules if plain else forbidden).add(behaviour.id)
            (forbidden if plain else rules).discard(behaviour.id)
    return PromptReading(
        rules=frozenset(rules),
        forbidden=frozenset(forbidden),
        short=bool(known.filler.rule_short.search(prompt)),
        long=bool(known.filler.rule_long.search(prompt)),
        fields=tuple(match["name"] for match in _FIELD.finditer(prompt)),
        length=len(prompt),
    )


@lru_cache(maxsize=2048)
def language_of(text: str) -> str:
    """Return the language of a text among the four that the practice model speaks; English when unsure."""
    words = [word.lower() for word in _WORD.findall(text)]
    scores = {language: sum(word in _WORDS[language] for word in words) for language in LANGUAGES}
    best = max(scores.values())
    return "en" if scores["en"] == best else next(language for language in LANGUAGES if scores[language] == best)


def slots_of(message: str) -> Mapping[str, str]:
    """Return the things that an answer can name: found in the message, or a neutral stand-in."""
    name, file, function = _NAME.search(message), _FILE.search(message), _FUNCTION.search(message)
    digits, words, issue, count = (p.search(message) for p in (_DIGITS, _WORD_LIMIT, _ISSUE, _COUNT))
    path = file[0] if file else "the module"
    return {
        "name": name[1] if name else "there",
        "file": path,
        "func": function[1] if function else "case",
        "command": _command(path),
        "digits": digits[0] if digits else "00000",
        "words": words[1] if words else "80",
        "issue": issue[0] if issue else "the tracker",
        "isodate": _iso_date(message),
        "count": count[1] if count else "20",
        "subject": _subject(message),
    }


def _command(path: str) -> str:
    suffix = path.rpartition(".")[2]
    return {"ts": "npm test", "js": "npm test", "go": "go test ./...", "rs": "cargo test"}.get(suffix, "pytest -q")


def _iso_date(message: str) -> str:
    found = _DAY.search(message)
    if not found:
        return "2026-01-01"
    day = int(found[1] or found[3] or 1)
    return f"2026-{_MONTHS.index(found[2].lower()) + 1:02d}-{min(max(day, 1), 28):02d}"


def _subject(message: str) -> str:
    words = [word for word in _WORD.findall(message) if len(word) > 3]
    return " ".join(words[-4:]).lower() or "the request"
