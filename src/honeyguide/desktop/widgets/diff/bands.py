"""What stands under what in the view: heads of changes, rows (very long ones in pieces), folds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest
from typing import NamedTuple

from honeyguide.desktop.widgets.diff.rows import DiffRow

CONTEXT_ROWS = 3
"""Unchanged rows that stay beside a change."""
FOLD_FROM = 8
"""Shorter unchanged runs are never folded."""
REVEAL = 20
"""Rows that "show more" brings out."""
PIECE = 3000
"""Characters of a line that are laid out at once; longer lines are cut at blanks, so that any of them scrolls well."""


class Head(NamedTuple):
    """The head of a change."""

    hunk: int


class Piece(NamedTuple):
    """A row, or a part of one: ``before[b0:b1]`` beside ``after[a0:a1]``; ``first`` carries the line number."""

    row: int
    b0: int
    b1: int
    a0: int
    a1: int
    first: bool
    last: bool


class Folded(NamedTuple):
    """Unchanged rows ``rows[start:end]`` that are hidden; ``run`` is the first row of the unchanged run."""

    run: int
    start: int
    end: int


Band = Head | Piece | Folded


@dataclass(slots=True)
class Folds:
    """Which unchanged rows a person brought out.

    Attributes:
        enabled: whether anything is folded at all.
        shown: for each unchanged run (its first row) how many more rows are shown at its top and its bottom.
    """

    enabled: bool = True
    shown: dict[int, tuple[int, int]] = field(default_factory=dict)

    def reveal(self, fold: Folded, rows: int, *, from_bottom: bool = False) -> None:
        """Show ``rows`` more of a fold."""
        top, bottom = self.shown.get(fold.run, (0, 0))
        self.shown[fold.run] = (top, bottom + rows) if from_bottom else (top + rows, bottom)

    def reveal_row(self, bands: Sequence[Band], row: int) -> bool:
        """Bring out a hidden row with its neighbours; says whether it was hidden."""
        for band in bands:
            if isinstance(band, Folded) and band.start <= row < band.end:
                from_top, from_bottom = row - band.start + 4, band.end - row + 3
                self.reveal(band, min(from_top, from_bottom), from_bottom=from_bottom < from_top)
                return True
        return False


def arrange(rows: Sequence[DiffRow], folds: Folds, *, inline: bool = False) -> list[Band]:
    """Return everything that the view shows, from top to bottom.

    Args:
        inline: an unchanged row shows its new side only; one that has none stands nowhere.
    """
    bands: list[Band] = []
    has_changes = any(row.kind != "context" for row in rows)
    at, hunk = 0, 0
    while at < len(rows):
        row = rows[at]
        if row.kind != "context":
            if row.hunk is not None and row.hunk != hunk:
                hunk = row.hunk
                bands.append(Head(hunk))
            bands.extend(_pieces(rows, at))
            at += 1
            continue
        end = at
        while end < len(rows) and rows[end].kind == "context":
            end += 1
        bands.extend(_run(rows, at, end, folds) if folds.enabled and has_changes else _all(rows, at, end))
        at = end
    if inline:
        return [band for band in bands if not isinstance(band, Piece) or _is_drawn_inline(rows[band.row])]
    return bands


def _is_drawn_inline(row: DiffRow) -> bool:
    return row.kind != "context" or row.after is not None


def _run(rows: Sequence[DiffRow], start: int, end: int, folds: Folds) -> Iterator[Band]:
    top, bottom = folds.shown.get(start, (0, 0))
    first = start + (CONTEXT_ROWS if start > 0 else 0) + top
    last = end - (CONTEXT_ROWS if end < len(rows) else 0) - bottom
    if end - start < FOLD_FROM or last - first < 2:
        yield from _all(rows, start, end)
        return
    yield from _all(rows, start, first)
    yield Folded(start, first, last)
    yield from _all(rows, last, end)


def _all(rows: Sequence[DiffRow], start: int, end: int) -> Iterator[Band]:
    for at in range(start, end):
        yield from _pieces(rows, at)


def _pieces(rows: Sequence[DiffRow], at: int) -> Iterator[Piece]:
    row = rows[at]
    before, after = len(row.before or ""), len(row.after or "")
    if before <= PIECE and after <= PIECE:
        yield Piece(at, 0, before, 0, after, True, True)
        return
    left, right = list(cuts(row.before or "")), list(cuts(row.after or ""))
    count = max(len(left), len(right))
    for number, (old, new) in enumerate(zip_longest(left, right, fillvalue=None)):
        b0, b1 = old or (before, before)
        a0, a1 = new or (after, after)
        yield Piece(at, b0, b1, a0, a1, number == 0, number == count - 1)


def cuts(text: str) -> Iterator[tuple[int, int]]:
    """Cut a long line at blanks into parts of at most ``PIECE`` characters; a word longer than that is cut too."""
    start = 0
    while start < len(text):
        end = min(start + PIECE, len(text))
        if end < len(text):
            blank = text.rfind(" ", start + PIECE // 2, end)
            end = blank + 1 if blank > 0 else end
        yield start, end
        start = end


def hunk_numbers(rows: Sequence[DiffRow]) -> list[int]:
    """Return the numbers of all changes, in reading order."""
    return list(dict.fromkeys(row.hunk for row in rows if row.hunk is not None))
