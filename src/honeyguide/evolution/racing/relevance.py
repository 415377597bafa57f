"""Which examples a line speaks about: those whose input holds the words by which the line differs from all others.

A rule that names something is tested soonest on the cases that mention it. Only the examples' inputs are read, never
how any text did on them, so choosing them favours nobody.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

MOST_SHARE = 0.5
"""A word in more than this share of the inputs tells nothing."""
_WORD = re.compile(r"[^\W_]{2,}")
_MARK = re.compile(r"[^\W_]*\d[\w-]{2,}")


class Relevance:
    """An index of the words of all inputs."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self.count = len(inputs)
        self._where: dict[str, set[int]] = defaultdict(set)
        for number, text in enumerate(inputs):
            for word in words(text):
                self._where[word].add(number)

    def focus(self, line: str) -> frozenset[int]:
        """Return the numbers of the examples that ``line`` speaks about; empty when it names none or nearly all."""
        found: set[int] = set()
        for word in words(line):
            where = self._where.get(word, ())
            if 2 <= len(where) <= MOST_SHARE * self.count:
                found.update(where)
        return frozenset(found) if len(found) <= 0.6 * self.count else frozenset()

    def names_one_case(self, line: str) -> bool:
        """Whether ``line`` holds an identifier (digits in it) that stands in a single input: it was memorised."""
        return any(len(self._where.get(mark.lower(), ())) == 1 for mark in _MARK.findall(line))


@lru_cache(maxsize=4096)
def words(text: str) -> frozenset[str]:
    """Return the words of ``text`` in small letters."""
    return frozenset(word.lower() for word in _WORD.findall(text))
