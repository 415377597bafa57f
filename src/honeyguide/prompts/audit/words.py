"""The words of a sentence that carry its matter, reduced so that ``writes`` and ``write`` are one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

_WORD = re.compile(r"[^\W\d_][\w'’+#.-]*\w|[^\W\d_]")
_EMPTY = frozenset(
    """
    a about above after all also an and any are as ask asked asks at be been before being below between both but by
    can could do does doing done during e.g each either else even ever every for from get gets give given go had has
    have having he her here his how i i.e if in into is it its itself just kind like made make makes making may me
    might more most much must my need needs no nor not now of off on once one only onto or other our out over own per
    please same shall she should so some such than that the their them then there these they this those through to
    too under until up upon us use used user uses using very via want wants was we well were what when whenever where
    whether which while who whose why will with within without would you your yours skill skills agent task tasks
    help helps work working user's users include includes including new etc
    """.split()  # noqa: SIM905  # a list of words reads best as words
)


def content_words(text: str) -> Iterator[str]:
    """Yield the reduced words of ``text`` that are not mere grammar, in order."""
    return content_of(tokens(text))


def tokens(text: str) -> list[str]:
    """Return every word of ``text`` in lower case."""
    return [word.strip("'’.-") for word in _WORD.findall(text.lower())]


def content_of(words: Iterable[str]) -> Iterator[str]:
    """Yield the reduced form of those of ``words`` that are not mere grammar."""
    return (_reduced(word) for word in words if len(word) > 1 and word not in _EMPTY)


def as_written(text: str) -> dict[str, str]:
    """Return the reduced words of ``text``, each with the word that stands there first."""
    found: dict[str, str] = {}
    for word in tokens(text):
        if len(word) > 1 and word not in _EMPTY:
            found.setdefault(_reduced(word), word)
    return found


@lru_cache(maxsize=20_000)
def _reduced(word: str) -> str:
    """Cut the commonest English endings; a rough rule is enough to compare two sentences."""
    for ending, least in (("ing", 6), ("ies", 5), ("ed", 5), ("s", 4)):
        if word.endswith(ending) and len(word) >= least and not word.endswith("ss"):
            stem = word[: -len(ending)] + ("y" if ending == "ies" else "")
            return stem.rstrip("e") if len(stem) > 3 else stem
    return word.rstrip("e") if len(word) > 3 else word
