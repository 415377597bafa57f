"""Selecting text in one of the two sides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, side_text, split_end

_WORD = re.compile(r"\w+(?:['’]\w+)*|\S")


class Place(NamedTuple):
    """A character of a side's line."""

    side: Side
    row: int
    offset: int


class Selection:
    """From one place to another, on one side."""

    def __init__(self) -> None:
        self._from: Place | None = None
        self._to: Place | None = None

    @property
    def side(self) -> Side | None:
        """The side that something is, or may become, selected on."""
        return self._from.side if self._from is not None else None

    def clear(self) -> None:
        """Select nothing."""
        self._from = self._to = None

    def begin(self, place: Place) -> None:
        """Begin here; nothing is selected yet."""
        self._from = self._to = place

    def extend(self, place: Place) -> bool:
        """Select up to here, on the side where it began. Says whether it changed."""
        if self._from is None or place == self._to:
            return False
        if place.side is not self._from.side:
            return False
        self._to = place
        return True

    def take_word(self, place: Place, rows: Sequence[DiffRow]) -> None:
        """Select the word at ``place``."""
        text = side_text(rows[place.row], place.side) or ""
        for word in _WORD.finditer(split_end(text)[0]):
            if word.start() <= place.offset <= word.end():
                self._from = place._replace(offset=word.start())
                self._to = place._replace(offset=word.end())
                return

    def spans(self, rows: Sequence[DiffRow]) -> dict[tuple[int, Side], tuple[int, int]]:
        """Return what is selected of each row."""
        ends = self._ends()
        if ends is None:
            return {}
        first, last = ends
        spans: dict[tuple[int, Side], tuple[int, int]] = {}
        for number in range(first.row, last.row + 1):
            text = side_text(rows[number], first.side)
            if text is None:
                continue
            start = first.offset if number == first.row else 0
            end = last.offset if number == last.row else len(text)
            if end > start:
                spans[number, first.side] = (start, end)
        return spans

    def text(self, rows: Sequence[DiffRow]) -> str:
        """Return the selected text."""
        spans = self.spans(rows)
        return "".join((side_text(rows[row], side) or "")[a:b] for (row, side), (a, b) in spans.items())

    def _ends(self) -> tuple[Place, Place] | None:
        if self._from is None or self._to is None or self._from == self._to:
            return None
        first, last = sorted((self._from, self._to), key=lambda place: (place.row, place.offset))
        return first, last
