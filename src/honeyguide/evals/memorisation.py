"""Cases that leaked into a text: what stands in a candidate, not in its baseline, and comes from a training example.

Four kinds are looked for: eight words in a row, names, numbers, and canaries (marks put into examples to be found
again). What many examples share is knowledge, not memory; so names and numbers count only when few examples have them.
A rubric is a person's instruction and may be followed word for word: it is no source.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

import regex

from honeyguide.evals.examples import Example, ExpectationRole

CASES_KEPT: Final = 4096
"""Texts that are kept taken apart."""
WORDS_IN_A_ROW: Final = 8
FEW: Final = 2
"""A name or number that more conversations than this share identifies no case."""
LEAST_DIGITS: Final = 4
LEAST_NAME: Final = 3

_TOKEN: Final = regex.compile(
    r"\p{Han}|[\p{Hiragana}\p{Katakana}]+|\p{Thai}|[\p{L}\p{M}\p{N}]+(?:['’_][\p{L}\p{M}\p{N}]+)*"
)
_NUMBER: Final = regex.compile(r"(?<![\p{L}\p{N}])[#№]?\p{N}+(?:[.,:/\-\u00a0 ]\p{N}+)*(?![\p{L}\p{N}])")
_NAME: Final = regex.compile(r"\p{Lu}[\p{Ll}\p{M}]+(?:[-'’]\p{Lu}?[\p{Ll}\p{M}]+)*(?:[ ]\p{Lu}[\p{Ll}\p{M}]+)*")
_ADDRESS: Final = regex.compile(r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+")
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
    """One leaked piece: ``candidate[start:end]``, and the example it comes from (empty for a canary)."""

    kind: SpanKind
    text: str
    start: int
    end: int
    example_id: str


def memorised_spans(
    candidate: str, baseline: str, examples: Iterable[Example], canaries: Sequence[str] = ()
) -> tuple[MemorisedSpan, ...]:
    """Return the spans of ``candidate`` that come from ``examples`` (or are canaries) and are not in ``baseline``.

    Sorted by place; a span inside a longer one is left out.
    """
    sources = [(example, "\n".join(_texts(example))) for example in examples]
    found = [*_canaries(candidate, baseline, canaries), *_words(candidate, baseline, sources)]
    found += _rare(SpanKind.NUMBER, _numbers_in, _numbers_of_case, candidate, baseline, sources)
    found += _rare(SpanKind.NAME, _names_in, _names_of_case, candidate, baseline, sources)
    return _outermost(found)


def learn(examples: Iterable[Example]) -> None:
    """Take the texts of examples apart beforehand (use a worker thread), so that asking costs a millisecond."""
    for example in examples:
        text = "\n".join(_texts(example))
        _runs_of_case(text)
        _numbers_of_case(text)
        _names_of_case(text)


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


def _canaries(candidate: str, baseline: str, canaries: Sequence[str]) -> list[MemorisedSpan]:
    found = []
    for canary in canaries:
        if canary and canary.casefold() not in baseline.casefold():
            pattern = regex.compile(regex.escape(canary), regex.IGNORECASE)
            found += [
                MemorisedSpan(SpanKind.CANARY, m.group(), m.start(), m.end(), "") for m in pattern.finditer(candidate)
            ]
    return found


def _words(candidate: str, baseline: str, sources: Sequence[tuple[Example, str]]) -> list[MemorisedSpan]:
    tokens = [(m.group().casefold(), m.start(), m.end()) for m in _TOKEN.finditer(candidate)]
    wanted = {words: None for words, _ in _runs([t for t, _, _ in tokens])}
    for words, _ in _runs(_tokens(baseline)):
        wanted.pop(words, None)
    owners: dict[tuple[str, ...], str] = {}
    if wanted:
        for example, text in sources:
            for words in _runs_of_case(text) & wanted.keys():
                owners.setdefault(words, example.id)
    found: list[MemorisedSpan] = []
    for words, first in _runs([t for t, _, _ in tokens]):
        if words not in owners:
            continue
        start, end = tokens[first][1], tokens[first + WORDS_IN_A_ROW - 1][2]
        if found and start < found[-1].end and found[-1].example_id == owners[words]:
            start = found.pop().start
        found.append(MemorisedSpan(SpanKind.WORDS, candidate[start:end], start, end, owners[words]))
    return found


def _tokens(text: str) -> list[str]:
    return [token.casefold() for token in _TOKEN.findall(text)]


def _runs(tokens: Sequence[str]) -> Iterable[tuple[tuple[str, ...], int]]:
    for first in range(len(tokens) - WORDS_IN_A_ROW + 1):
        yield tuple(tokens[first : first + WORDS_IN_A_ROW]), first


Finder = Callable[[str], Iterator[tuple[str, int, int]]]
"""Gives the pieces of a text: in a form that can be compared, with start and end."""


def _rare(
    kind: SpanKind,
    find: Finder,
    forms_of_case: Callable[[str], frozenset[str]],
    candidate: str,
    baseline: str,
    sources: Sequence[tuple[Example, str]],
) -> list[MemorisedSpan]:
    places = list(find(candidate))
    wanted = {form for form, _, _ in places} - {form for form, _, _ in find(baseline)}
    owners: dict[str, str] = {}
    conversations: dict[str, set[str]] = {}
    if wanted:
        for example, text in sources:
            for form in forms_of_case(text) & wanted:
                owners.setdefault(form, example.id)
                conversations.setdefault(form, set()).add(example.conversation or example.id)
    return [
        MemorisedSpan(kind, candidate[start:end], start, end, owners[form])
        for form, start, end in places
        if form in owners and len(conversations[form]) <= FEW
    ]


def _numbers_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Numbers that are likely to belong to one case: at least four digits, separators left out."""
    for found in _NUMBER.finditer(text):
        digits = "".join(character for character in found.group() if character.isdigit())
        if len(digits) >= LEAST_DIGITS:
            yield digits, found.start(), found.end()


def _names_in(text: str) -> Iterator[tuple[str, int, int]]:
    """Every address, every capitalised run of words, and every word of such a run."""
    for found in _ADDRESS.finditer(text):
        yield found.group().casefold(), found.start(), found.end()
    for found in _NAME.finditer(text):
        yield found.group().casefold(), found.start(), found.end()
        if " " in found.group():
            for word in _WORD_OF_NAME.finditer(text, found.start(), found.end()):
                yield word.group().casefold(), word.start(), word.end()


def _names_of_a_case(text: str) -> Iterator[tuple[str, int, int]]:
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
