"""Instructions found in prose, reduced to what two of them can be compared by: do or don't, a choice, a number.

Only clear words count. A sentence with a condition (``unless``, ``except``, ``if``) is compared only with one that
has the same words, so that a rule and its exception are no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from honeyguide.prompts.audit.words import content_of, content_words, tokens

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z*`\"'])")
_LEAD = re.compile(r"^[\s>#*+\-\d.)\[\]xX]*\s*")
_NOT = re.compile(
    r"\b(?:never|do not|don['’]t|must not|mustn['’]t|should not|shouldn['’]t|may not|cannot|avoid|refrain from"
    r"|no longer)\b",
    re.IGNORECASE,
)
_MAYBE_NOT = frozenset(
    ("never", "not", "don't", "don’t", "mustn't", "mustn’t", "shouldn't", "shouldn’t", "cannot", "avoid", "refrain")
)
"""A sentence without any of these forbids nothing; looking for words is much quicker than for the pattern."""
_TURNS_AROUND = frozenset(
    ("without", "forget", "skip", "omit", "hesitate", "fail", "miss", "unless", "except", "until")
)
"""``never forget to X`` demands X; ``never X without Y`` is a condition."""
_DO = frozenset(("always", "must", "should", "sure", "ensure", "prefer", "shall", "require", "required"))
_ORDERS = frozenset(
    (
        *(
            "use",
            "write",
            "add",
            "include",
            "keep",
            "put",
            "run",
            "answer",
            "reply",
            "respond",
            "start",
            "begin",
            "end",
        ),
        *("apologise", "apologize", "mention", "explain", "commit", "push", "create", "cite", "quote", "format"),
        *("indent", "name", "wrap", "return", "say", "tell", "offer", "give", "greet", "thank", "sign", "ask"),
        *("summarise", "summarize", "translate", "prefer", "show", "list", "call", "check", "test", "document", "log"),
        *("speak", "address", "state", "install", "stick"),
    )
)
"""Verbs that, at the start of a sentence, make it an order."""
_CONDITIONS = frozenset(("if", "when", "unless", "except", "only", "until", "whenever", "case", "while"))
_CHOOSERS = frozenset(("use", "prefer", "stick", "write", "indent", "install", "format", "answer", "reply"))
_CHOICES: tuple[tuple[str, ...], ...] = (
    ("tabs", "spaces"),
    ("single quotes", "double quotes"),
    ("npm", "yarn", "pnpm", "bun"),
    ("pip", "poetry", "uv", "pipenv"),
    ("american english", "british english"),
    ("snake_case", "camelcase", "kebab-case", "pascalcase"),
    ("pytest", "unittest"),
    ("jest", "vitest", "mocha"),
    ("markdown", "plain text"),
    ("formal tone", "informal tone", "casual tone"),
    ("merge commits", "rebase"),
    ("metric units", "imperial units"),
    ("first person", "third person"),
    ("celsius", "fahrenheit"),
)
_CHOOSING = re.compile(
    r"\b(?:use|prefer|stick to|write in|indent with|install with|format (?:as|in)|answer in|reply in)\b",
    re.IGNORECASE,
)
_UNIT = (
    r"(words?|lines?|sentences?|characters?|paragraphs?|bullets?|bullet points?|items?|questions?|tokens?|pages?"
    r"|columns?)"
)
_AT_MOST = re.compile(
    r"\b(?:at most|max(?:imum)?(?: of)?|no more than|not more than|up to|within|under|below|fewer than|less than"
    r"|limit(?:ed)? to)\s+(\d{1,6})\s+" + _UNIT + r"\b",
    re.IGNORECASE,
)
_AT_LEAST = re.compile(
    r"\b(?:at least|min(?:imum)?(?: of)?|no (?:fewer|less) than|more than|over)\s+(\d{1,6})\s+" + _UNIT + r"\b",
    re.IGNORECASE,
)
_EXACTLY = re.compile(r"\bexactly\s+(\d{1,6})\s+" + _UNIT + r"\b", re.IGNORECASE)
_MOST_WORDS = 14
"""A longer sentence says too much to be compared by its words."""
_LONGEST_LINE = 5_000
_SAME_MATTER = 0.8
_UNITS = frozenset(
    word + ending
    for word in ("word", "line", "sentence", "character", "paragraph", "bullet", "point", "item", "question", "token")
    for ending in ("", "s")
) | {"page", "pages", "column", "columns"}
_DIGIT = re.compile(r"\d")
_FUNCTION = frozenset(content_words("always never avoid prefer sure ensure shall require required refrain"))


@dataclass(frozen=True, slots=True)
class Directive:
    """One instruction.

    Attributes:
        line, quote: where it stands, and the line word for word.
        is_negative: it forbids.
        words: the words that carry its matter.
        choice: the group and member of a choice it makes, or ``None``.
        bounds: (unit, smallest, largest) that it allows, or ``None``.
    """

    line: int
    quote: str
    is_negative: bool
    is_conditional: bool
    words: frozenset[str]
    choice: tuple[int, str] | None = None
    bounds: tuple[str, int, int] | None = None

    @property
    def keys(self) -> Iterator[str]:
        """What it can be found by: instructions that share no key cannot clash."""
        yield from self.words
        if self.choice:
            yield f"choice {self.choice[0]}"
        if self.bounds:
            yield f"unit {self.bounds[0]}"


def directives(lines: Iterable[tuple[int, str]]) -> Iterator[Directive]:
    """Yield the instructions in numbered lines of prose."""
    for number, line in lines:
        body = _LEAD.sub("", line).strip()
        if not 8 <= len(body) <= _LONGEST_LINE or body.startswith("|"):
            continue
        for sentence in _SENTENCE.split(body):
            found = _read(number, line.strip(), sentence.replace("**", "").replace("__", ""))
            if found:
                yield found


def clash(first: Directive, second: Directive) -> str:
    """Return why two instructions exclude each other, or an empty text."""
    may_differ = (
        first.is_negative != second.is_negative or (first.bounds and second.bounds) or (first.choice and second.choice)
    )
    if not may_differ or first.quote == second.quote:
        return ""
    if (first.is_conditional or second.is_conditional) and first.words != second.words:
        return ""
    return _by_bounds(first, second) or _by_choice(first, second) or _by_negation(first, second)


def _read(number: int, quote: str, sentence: str) -> Directive | None:
    found = _meaning(sentence)
    if found is None:
        return None
    is_negative, is_conditional, words, choice, bounds = found
    return Directive(number, quote, is_negative, is_conditional, words, choice, bounds)


_Meaning = tuple[bool, bool, frozenset[str], tuple[int, str] | None, tuple[str, int, int] | None]


@lru_cache(maxsize=20_000)
def _meaning(sentence: str) -> _Meaning | None:
    words = tokens(sentence)
    if not words:
        return None
    have = frozenset(words)
    negation = _NOT.search(sentence) if have & _MAYBE_NOT else None
    bounds = _bounds(sentence) if have & _UNITS and _DIGIT.search(sentence) else None
    choice = _choice(sentence) if negation is None and have & _CHOOSERS else None
    first = words[1] if words[0] in ("please", "then") and len(words) > 1 else words[0]
    if not (negation or bounds or have & _DO or first in _ORDERS):
        return None
    matter = frozenset(content_of(tokens(_NOT.sub(" ", sentence)) if negation else words)) - _FUNCTION
    if not matter or (len(matter) > _MOST_WORDS and not (choice or bounds)):
        return None
    turned = negation is not None and bool(have & _TURNS_AROUND)
    return (negation is not None and not turned, turned or bool(have & _CONDITIONS), matter, choice, bounds)


def _bounds(sentence: str) -> tuple[str, int, int] | None:
    for pattern, make in (
        (_AT_MOST, lambda n: (0, n)),
        (_AT_LEAST, lambda n: (n, 10**9)),
        (_EXACTLY, lambda n: (n, n)),
    ):
        match = pattern.search(sentence)
        if match:
            low, high = make(int(match.group(1)))
            return (match.group(2).lower().rstrip("s"), low, high)
    return None


def _choice(sentence: str) -> tuple[int, str] | None:
    chosen = _CHOOSING.search(sentence)
    if chosen is None:
        return None
    rest = re.split(r"\b(?:not|instead of|rather than|over|never|and not)\b|[,;(]", sentence[chosen.end() :].lower())[0]
    for group, members in enumerate(_CHOICES):
        named = [member for member in members if re.search(rf"(?<![\w-]){re.escape(member)}(?![\w-])", rest)]
        if len(named) == 1:
            return (group, named[0])
    return None


def _by_bounds(first: Directive, second: Directive) -> str:
    if not (first.bounds and second.bounds) or first.bounds[0] != second.bounds[0]:
        return ""
    unit, low, high = first.bounds
    _, other_low, other_high = second.bounds
    if _overlap(_without_unit(first, unit), _without_unit(second, unit)) < 0.5:
        return ""
    if low > other_high or other_low > high:
        return f"they set limits on {unit}s that no text can meet"
    if low == other_low == 0 and high != other_high:
        return f"they set different limits on {unit}s ({high} and {other_high})"
    return ""


def _without_unit(directive: Directive, unit: str) -> frozenset[str]:
    return directive.words - frozenset(content_words(unit + " most maximum limit least minimum exactly keep"))


def _by_choice(first: Directive, second: Directive) -> str:
    if not (first.choice and second.choice) or first.choice[0] != second.choice[0]:
        return ""
    group, one = first.choice
    other = second.choice[1]
    if one == other or not _same_subject(first.words, second.words, group):
        return ""
    return f"one asks for {one}, the other for {other}"


def _same_subject(first: frozenset[str], second: frozenset[str], group: int) -> bool:
    """Say whether two choices may be about one thing: no subject is named, or a word of both begins alike."""
    made = frozenset(content_words(" ".join(_CHOICES[group]) + " write format install answer reply stick always only"))
    one, other = first - made, second - made
    return not one or not other or bool({word[:5] for word in one} & {word[:5] for word in other})


def _by_negation(first: Directive, second: Directive) -> str:
    if first.is_negative == second.is_negative or min(len(first.words), len(second.words)) < 2:
        return ""
    if _overlap(first.words, second.words) < _SAME_MATTER:
        return ""
    return "one demands what the other forbids"


def _overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of all words that both have; two empty sets are the same."""
    union = first | second
    return len(first & second) / len(union) if union else 1.0
