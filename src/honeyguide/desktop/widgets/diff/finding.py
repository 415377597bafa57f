"""Finding words in both texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, side_text, split_end

MOST_HITS = 5000


class Hit(NamedTuple):
    """One find, in characters of a side's line."""

    row: int
    side: Side
    start: int
    end: int


def find_all(rows: Sequence[DiffRow], words: str) -> list[Hit]:
    """Return every place of ``words`` in reading order, at most ``MOST_HITS``; case is ignored.

    An unchanged row is found once, on the side of the new text.
    """
    if not words:
        return []
    pattern = re.compile(re.escape(words), re.IGNORECASE)
    hits: list[Hit] = []
    for number, row in enumerate(rows):
        sides = (Side.AFTER,) if row.kind == "context" else (Side.BEFORE, Side.AFTER)
        for side in sides:
            text = side_text(row, side)
            if text is None:
                continue
            hits.extend(Hit(number, side, m.start(), m.end()) for m in pattern.finditer(split_end(text)[0]))
            if len(hits) >= MOST_HITS:
                return hits[:MOST_HITS]
    return hits


class Finds:
    """The words that are looked for, every place of them, and the one that is looked at (-1 before the first)."""

    def __init__(self) -> None:
        self.words = ""
        self.hits: list[Hit] = []
        self.current = -1

    def look(self, rows: Sequence[DiffRow], words: str | None = None) -> None:
        """Look for ``words``, or for the same ones in other rows."""
        self.words = self.words if words is None else words
        self.hits = find_all(rows, self.words)
        self.current = -1

    def step(self, by: int) -> Hit | None:
        """Go on by ``by`` places, round at the ends; return the place, or ``None`` without any."""
        if not self.hits:
            return None
        start = self.current if self.current >= 0 or by > 0 else 0
        self.current = (start + by) % len(self.hits)
        return self.hits[self.current]
