"""Marks on passages: locked ones, and those that a check complains about."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, side_text


@dataclass(frozen=True, slots=True)
class TextMark:
    """A passage with a sign.

    Attributes:
        kind: ``lock`` or ``gate``.
        side: in which of the two texts it stands.
        start, end: characters of that whole text.
        words: what is said about it, e.g. the check and its reason.
    """

    kind: str
    side: Side
    start: int
    end: int
    words: str


@dataclass(frozen=True, slots=True)
class RowMark:
    """The part of a mark that lies in one row, in characters of that side's line. ``first``: it begins here."""

    mark: TextMark
    start: int
    end: int
    first: bool


Located = dict[tuple[int, Side], list[RowMark]]


def locate(marks: Sequence[TextMark], rows: Sequence[DiffRow]) -> Located:
    """Return the marks of each row and side; a mark that lies outside of its text is left out."""
    found: Located = {}
    for side in Side:
        mine = [mark for mark in marks if mark.side is side]
        if not mine:
            continue
        numbers = [number for number, row in enumerate(rows) if side_text(row, side) is not None]
        starts = list(accumulate((len(side_text(rows[n], side) or "") for n in numbers), initial=0))
        for mark in mine:
            if mark.start < 0 or mark.start >= starts[-1]:
                continue
            place = bisect_right(starts, mark.start) - 1
            end = max(mark.end, mark.start + 1)
            at = place
            while at < len(numbers) and starts[at] < end:
                start_here = max(0, mark.start - starts[at])
                end_here = min(end, starts[at + 1]) - starts[at]
                if end_here > start_here:
                    part = RowMark(mark, start_here, end_here, at == place)
                    found.setdefault((numbers[at], side), []).append(part)
                at += 1
    return found


def row_at(rows: Sequence[DiffRow], side: Side, offset: int) -> int | None:
    """Return the row in which a character of one text stands."""
    at = 0
    last: int | None = None
    for number, row in enumerate(rows):
        text = side_text(row, side)
        if text is None:
            continue
        last = number
        at += len(text)
        if offset < at:
            return number
    return last
