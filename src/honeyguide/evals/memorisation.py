"""Cases that leaked into a text: what stands in a candidate, not in its baseline, and comes from a training example.

Four kinds are looked for: eight words in a row, names, numbers, and canaries: marks that stand in examples to be
found again (``hg-canary-7``, ``canary: plugh-xyzzy``), and identifiers that belong to one case. What many examples
share is knowledge, not memory; so names and numbers count only when few examples have them.
A rubric is a person's instruction and may be followed word for word: it is no source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from operator import is_
from typing import Final

import regex

from honeyguide.evals.examples import Example, ExpectationRole

CASES_KEPT: Final = 4096
"""Texts that are kept taken apart."""
LINES_KEPT: Final = 512
"""Lines of candidates that are kept taken apart."""
WORDS_IN_A_ROW: Final = 8
FEW: Final = 2
"""A name or number that more conversations than this share identifies no case."""
LEAST_DIGITS: Final = 4
LEAST_NAME: Final = 3
LEAST_MIXED: Final = 3
"""Letters, and digits, that an identifier has; words with a number behind them have fewer."""

_TOKEN: Final = regex.compile(
    r"\p{Han}|[\p{Hiragana}\p{Katakana}]+|\p{Thai}|[\p{L}\p{M}\p{N}]+(?:['’_][\p{L}\p{M}\p{N}]+)*"
)
_NUMBER: Final = regex.compile(r"(?<![\p{L}\p{N}])[#№]?\p{N}+(?:[.,:/\-\u00a0 ]\p{N}+)*(?![\p{L}\p{N}])")
_NAME: Final = regex.compile(r"\p{Lu}[\p{Ll}\p{M}]+(?:[-'’]\p{Lu}?[\p{Ll}\p{M}]+)*(?:[ ]\p{Lu}[\p{Ll}\p{M}]+)*")
_ADDRESS: Final = regex.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
_CANARY: Final = regex.compile(
    r"(?P<mark>[\w-]+[-_]canary(?:[-_][\w-]+)?|canary[-_][\w-]+)"
    r"|\bcanary(?: (?:string|token|word|code|guid|mark))?[ ]*[:=][ ]*[\"'“]?(?P<mark>[\w-]{6,})",
    regex.IGNORECASE,
)
_IDENTIFIER: Final = regex.compile(r"(?<![\w-])[A-Za-z0-9][A-Za-z0-9_-]{10,62}[A-Za-z0-9](?![\w-])")
_DIGIT: Final = regex.compile(r"[0-9]")
_LETTER: Final = regex.compile(r"[A-Za-z]")
_WORD_OF_NAME: Final = regex.compile(r"\S+")
_INTRODUCTION: Final = regex.compile(
    r"(?i:\b(?:name is|name's|named|called|i'm|i am|dear|mr|mrs|ms|miss|dr|prof|herr|herrn|frau|heiße|liebe|lieber"
    r"|señora?|sra?|mme|monsieur|madame|m'appelle|signora?|mi chiamo|me llamo|pan|pani)\b\.?)[ ]$"
)
_SENTENCE_END: Final = frozenset('.!?:;…\n\r"“„»«([{*#>|•-–—')


class SpanKind(StrEnum):
    """What a span is."""

    WORDS = "words"
    NAME = "name"
    NUMBER = "number"
    CANARY = "canary"


@dataclass(frozen=True, slots=True)
class MemorisedSpan:
    """One leaked piece: ``candidate[start:end]``, and the example it comes from."""

    kind: SpanKind
    text: str
    start: int
    end: int
    example_id: str


def memorised_spans(candidate: str, baseline: str, examples: Iterable[Example]) -> tuple[MemorisedSpan, ...]:
    """Return the spans of ``candidate`` that come from ``examples`` and are not in ``baseline``.

    Sorted by place; a span inside a longer one is left out.
    """
    cases, old = _index_of(_Cases(tuple(examples))), _parts_of(baseline)
    found = [*_canaries(candidate, baseline, cases.canaries), *_words(candidate, old.runs, cases.runs)]
    found += _rare(SpanKind.NUMBER, candidate, _by_line(_numbers_of_line, candidate), old.numbers, cases.numbers)
    found += _rare(SpanKind.NAME, candidate, _by_line(_names_of_line, candidate), old.names, cases.names)
    return _outermost(found)


def learn(examples: Iterable[Example]) -> None:
    """Take the texts of examples apart beforehand (use a worker thread), so that asking costs a millisecond."""
    _index_of(_Cases(tuple(examples)))


@dataclass(frozen=True, slots=True, eq=False)
class _Cases:
    """Examples, the same when they are the same objects: a run asks of the same ones again and again."""

    examples: tuple[Example, ...]

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.examples)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Cases) or len(self.examples) != len(other.examples):
            return False
        return all(map(is_, self.examples, other.examples))


@dataclass(slots=True)
class _Form:
    """A number or name: the first example that has it, and all conversations that do."""

    example_id: str
    conversations: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Index:
    """What examples hold; runs of words with the first example that has them."""

    runs: dict[tuple[str, ...], str] = field(default_factory=dict)
    numbers: dict[str, _Form] = field(default_factory=dict)
    names: dict[str, _Form] = field(default_factory=dict)
    canaries: dict[str, _Form] = field(default_factory=dict)


@lru_cache(maxsize=2)
def _index_of(cases: _Cases) -> _Index:
    index = _Index()
    for example in cases.examples:
        text = "\n".join(_texts(example))
        for words in _runs_of_case(text):
            index.runs.setdefault(words, example.id)
        for forms, found in (
            (index.numbers, _numbers_of_case(text)),
            (index.names, _names_of_case(text)),
            (index.canaries, _canaries_in(text)),
        ):
            for form in found:
                known = forms.setdefault(form, _Form(example.id))
                known.conversations.add(example.conversation or example.id)
    return index


@dataclass(frozen=True, slots=True)
class _Parts:
    """A baseline, taken apart."""

    runs: frozenset[tuple[str, ...]]
    numbers: frozenset[str]
    names: frozenset[str]


@lru_cache(maxsize=2)
def _parts_of(baseline: str) -> _Parts:
    return _Parts(
        frozenset(words for words, _ in _runs(_tokens(baseline))),
        frozenset(form for form, _, _ in _numbers_in(baseline)),
        frozenset(form for form, _, _ in _names_in(baseline)),
    )


@lru_cache(maxsize=CASES_KEPT)
def _runs_of_case(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(words for words, _ in _runs(_tokens(text)))


@lru_cache(maxsize=CASES_KEPT)
def _numbers_of_case(text: str) -> frozenset[str]:
    return frozenset(form for form, _, _ in _numbers_in(text))


@lru_cache(maxsize=CASES_KEPT)
def _names_of_case(text: str) -> frozenset[str]:
    return frozenset(form for form, _, _ in _names_of_a_case(text))


def _texts(example: Example) -> list[str]:
    texts = [example.input]
    if example.role is ExpectationRole.REFERENCE:
        texts.append(example.expected)
    if example.rejected is not None:
        texts.append(example.rejected)
    return texts


def _canaries_in(text: str) -> Iterator[str]:
    """Marks that say themselves that they are one, and long identifiers of letters and digits."""
    for found in _CANARY.finditer(text):
        yield found["mark"].rstrip(".,;:!?").casefold()
    for found in _IDENTIFIER.finditer(text):
        if len(_DIGIT.findall(found[0])) >= LEAST_MIXED <= len(_LETTER.findall(found[0])):
            yield found[0].casefold()


def _canaries(candidate: str, baseline: str, cases: dict[str, _Form]) -> list[MemorisedSpan]:
    text, known = candidate.casefold(), baseline.casefold()
    found = []
    for mark, case in cases.items():
        is_own = "canary" in mark or len(case.conversations) <= FEW
        if is_own and mark in text and mark not in known:
            pattern = regex.compile(rf"(?<!\w){regex.escape(mark)}(?!\w)", regex.IGNORECASE)
            found += [
                MemorisedSpan(SpanKind.CANARY, m.group(), m.start(), m.end(), case.example_id)
                for m in pattern.finditer(candidate)
            ]
    return found


def _words(
    candidate: str, known: frozenset[tuple[str, ...]], owners: dict[tuple[str, ...], str]
) -> list[MemorisedSpan]:
    tokens = list(_by_line(_tokens_of_line, candidate))
    found: list[MemorisedSpan] = []
    for words, first in _runs([t for t, _, _ in tokens]):
        owner = owners.get(words)
        if owner is None or words in known:
            continue
        start, end = tokens[first][1], tokens[first + WORDS_IN_A_ROW - 1][2]
        if found and start < found[-1].end and found[-1].example_id == owner:
            start = found.pop().start
        found.append(MemorisedSpan(SpanKind.WORDS, candidate[start:end], start, end, owner))
    return found


Place = tuple[str, int, int]
"""A piece of a text in a form that can be compared, with its start and end."""


def _by_line(places_of: Callable[[str], tuple[Place, ...]], text: str) -> Iterator[Place]:
    """Yield the places of ``text``. None crosses a line, and candidates of one run share nearly all their lines."""
    start = 0
    for line in text.split("\n"):
        for form, first, last in places_of(line):
            yield form, start + first, start + last
        start += len(line) + 1


@lru_cache(maxsize=LINES_KEPT)
def _tokens_of_line(line: str) -> tuple[Place, ...]:
    return tuple((m.group().casefold(), m.start(), m.end()) for m in _TOKEN.finditer(line))


@lru_cache(maxsize=LINES_KEPT)
def _numbers_of_line(line: str) -> tuple[Place, ...]:
    return tuple(_numbers_in(line))


@lru_cache(maxsize=LINES_KEPT)
def _names_of_line(line: str) -> tuple[Place, ...]:
    return tuple(_names_in(line))


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _runs(tokens: Sequence[str]) -> Iterable[tuple[tuple[str, ...], int]]:
    for first in range(len(tokens) - WORDS_IN_A_ROW + 1):
        yield tuple(tokens[first : first + WORDS_IN_A_ROW]), first


def _rare(
    kind: SpanKind,
    candidate: str,
    places: Iterable[Place],
    known: frozenset[str],
    cases: dict[str, _Form],
) -> list[MemorisedSpan]:
    found = []
    for form, start, end in places:
        case = cases.get(form)
        if case is not None and form not in known and len(case.conversations) <= FEW:
            found.append(MemorisedSpan(kind, candidate[start:end], start, end, case.example_id))
    return found


def _numbers_in(text: str) -> Iterator[Place]:
    """Numbers that are likely to belong to one case: at least four digits, separators left out."""
    for found in _NUMBER.finditer(text):
        digits = "".join(character for character in found.group() if character.isdigit())
        if len(digits) >= LEAST_DIGITS:
            yield digits, found.start(), found.end()


def _names_in(text: str) -> Iterator[Place]:
    """Every address, every capitalised run of words, and every word of such a run."""
    for found in _ADDRESS.finditer(text):
        yield found.group().casefold(), found.start(), found.end()
    for found in _NAME.finditer(text):
        yield found.group().casefold(), found.start(), found.end()
        if " " in found.group():
            for word in _WORD_OF_NAME.finditer(text, found.start(), found.end()):
                yield word.group().casefold(), word.start(), word.end()


def _names_of_a_case(text: str) -> Iterator[Place]:
    """Addresses, capitalised runs of two or more words inside a sentence, and words introduced as somebody's name.

    A single capitalised word proves nothing: it may be a product, a day, or any German noun.
    """
    for found in _ADDRESS.finditer(text):
        yield found.group().casefold(), found.start(), found.end()
    for found in _NAME.finditer(text):
        start, words = found.start(), found.group().split(" ")
        introduced = _is_introduced(text, start)
        if len(words) > 1 and _is_introduced(text, start + len(words[0]) + 1):
            start += len(words[0]) + 1
            words, introduced = words[1:], True
        if not introduced and _begins_sentence(text, start):
            start += len(words[0]) + 1
            words = words[1:]
        if len(words) > 1 or (introduced and words and len(words[0]) >= LEAST_NAME):
            yield " ".join(words).casefold(), start, found.end()
        if introduced:
            yield from ((word.casefold(), start, found.end()) for word in words if len(word) >= LEAST_NAME)


def _is_introduced(text: str, start: int) -> bool:
    return _INTRODUCTION.search(text[max(0, start - 24) : start]) is not None


def _begins_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(" \t")
    return not before or before[-1] in _SENTENCE_END


def _outermost(found: Sequence[MemorisedSpan]) -> tuple[MemorisedSpan, ...]:
    kept: list[MemorisedSpan] = []
    for span in sorted(found, key=lambda s: (s.start, -s.end, s.kind)):
        if not any(other.start <= span.start and span.end <= other.end for other in kept):
            kept.append(span)
    return tuple(kept)
