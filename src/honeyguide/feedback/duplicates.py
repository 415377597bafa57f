"""Problems that say the same as another one, offered to a person for merging; nothing is merged by itself."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import regex
from rapidfuzz import fuzz

from honeyguide.feedback.items import FeedbackItem, FeedbackState

ALIKE: Final = 0.8
"""Similarity from which two messages are offered as the same problem."""
_WORD = regex.compile(r"[\p{L}\p{N}]+")
_OPEN = (FeedbackState.OPEN, FeedbackState.TARGETED)


@dataclass(frozen=True, slots=True)
class Duplicate:
    """A known problem that may be the same; ``similarity`` in [0, 1]."""

    item: FeedbackItem
    similarity: float


def near_duplicates(
    message: str, items: Iterable[FeedbackItem], target: str, *, ignore: str = "", least: float = ALIKE
) -> tuple[Duplicate, ...]:
    """Return the open problems of ``target`` whose message is like ``message``, the most alike first.

    Order of words and marks does not count; a word that only one of both has does.

    Args:
        ignore: the id of the problem itself.
    """
    words = _words(message)
    found = []
    for item in items:
        if item.target != target or item.id == ignore or item.state not in _OPEN or item.merged_into is not None:
            continue
        similarity = fuzz.token_sort_ratio(words, _words(item.message)) / 100
        if words and similarity >= least:
            found.append(Duplicate(item, similarity))
    return tuple(sorted(found, key=lambda one: (-one.similarity, one.item.id)))


def _words(text: str) -> str:
    return " ".join(_WORD.findall(unicodedata.normalize("NFKC", text).casefold()))
