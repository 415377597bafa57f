"""The rows of a diff view: both sides of a row belong together, words that differ are marked, the rest can fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from honeyguide.versions.diff.limits import Cancelled, Work, never
from honeyguide.versions.diff.lines import Comparison
from honeyguide.versions.diff.pairs import pair_lines
from honeyguide.versions.diff.words import Span, mark_words, split_words


class RowKind(StrEnum):
    """What a row shows."""

    CONTEXT = "context"
    CHANGED = "changed"
    ADDED = "added"
    DELETED = "deleted"


class Row(NamedTuple):
    """One row. A named tuple, not a dataclass: a long text has tens of thousands.

    Attributes:
        kind: what happened to the line.
        before, after: the line with its line end; ``None`` where that side has no line here.
        before_line, after_line: line numbers from 1, or ``None``.
        before_marks, after_marks: the differing characters of a changed pair, as ``[start, end)``.
        hunk: the number of the hunk it belongs to, from 1; ``None`` for context.
    """

    kind: RowKind
    before: str | None
    after: str | None
    before_line: int | None
    after_line: int | None
    before_marks: tuple[Span, ...] = ()
    after_marks: tuple[Span, ...] = ()
    hunk: int | None = None


@dataclass(frozen=True, slots=True)
class Fold:
    """A run of unchanged rows, ``rows[start:end]``, that need not be shown."""

    start: int
    end: int

    @property
    def count(self) -> int:
        """How many rows are hidden."""
        return self.end - self.start


def rows_of(comparison: Comparison, *, cancelled: Cancelled = never) -> list[Row]:
    """Return all rows, unfolded, in reading order.

    Raises:
        Interrupted: ``cancelled`` said so.
    """
    work = Work(comparison.limits, cancelled)
    before, after = comparison.before, comparison.after
    rows: list[Row] = []
    b = a = 0
    for number, change in enumerate(comparison.changes, start=1):
        rows.extend(_context(before, after, b, a, change.before_start - b))
        rows.extend(_changed(comparison, number, work))
        b, a = change.before_end, change.after_end
    rows.extend(_context(before, after, b, a, len(before) - b))
    return rows


def word_counts(rows: Iterable[Row]) -> tuple[int, int]:
    """Return how many words the rows add and how many they take away; signs and blanks are no words."""
    added = removed = 0
    for row in rows:
        match row.kind:
            case RowKind.ADDED:
                added += _words(row.after or "")
            case RowKind.DELETED:
                removed += _words(row.before or "")
            case RowKind.CHANGED:
                added += sum(_words((row.after or "")[start:end]) for start, end in row.after_marks)
                removed += sum(_words((row.before or "")[start:end]) for start, end in row.before_marks)
    return added, removed


def fold(rows: Sequence[Row], *, context: int = 3, at_least: int = 8) -> list[Row | Fold]:
    """Replace long runs of unchanged rows by folds.

    Args:
        context: rows kept visible beside each change.
        at_least: runs of fewer unchanged rows than this are never folded.
    """
    result: list[Row | Fold] = []
    at = 0
    while at < len(rows):
        if rows[at].kind is not RowKind.CONTEXT:
            result.append(rows[at])
            at += 1
            continue
        end = at
        while end < len(rows) and rows[end].kind is RowKind.CONTEXT:
            end += 1
        first = at + (context if at > 0 else 0)
        last = end - (context if end < len(rows) else 0)
        if end - at >= at_least and last - first >= 2:
            result.extend(rows[at:first])
            result.append(Fold(first, last))
            result.extend(rows[last:end])
        else:
            result.extend(rows[at:end])
        at = end
    return result


def _context(before: Sequence[str], after: Sequence[str], b: int, a: int, count: int) -> Iterator[Row]:
    kind = RowKind.CONTEXT
    for offset in range(count):
        yield Row(kind, before[b + offset], after[a + offset], b + offset + 1, a + offset + 1)


def _changed(comparison: Comparison, number: int, work: Work) -> Iterator[Row]:
    b0, b1, a0, a1 = comparison.changes[number - 1]
    old, new = comparison.before[b0:b1], comparison.after[a0:a1]
    i = j = 0
    for pi, pj in [*pair_lines(old, new, work), (len(old), len(new))]:
        for at in range(i, pi):
            yield Row(RowKind.DELETED, old[at], None, b0 + at + 1, None, hunk=number)
        for at in range(j, pj):
            yield Row(RowKind.ADDED, None, new[at], None, a0 + at + 1, hunk=number)
        if pi < len(old) and pj < len(new):
            yield from _pair(old[pi], new[pj], b0 + pi + 1, a0 + pj + 1, number, work)
        i, j = pi + 1, pj + 1


def _pair(old: str, new: str, before_line: int, after_line: int, number: int, work: Work) -> Iterator[Row]:
    marks = mark_words(old, new, work)
    if marks.equal >= work.limits.min_equal or old.split() == new.split():
        yield Row(RowKind.CHANGED, old, new, before_line, after_line, marks.before, marks.after, number)
    else:
        yield Row(RowKind.DELETED, old, None, before_line, None, hunk=number)
        yield Row(RowKind.ADDED, None, new, None, after_line, hunk=number)


def _words(text: str) -> int:
    return sum(word[0].isalnum() for word in split_words(text))
