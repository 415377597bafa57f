"""What the diff view is given: rows as the diff engine makes them, or any with the same fields."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

Span = tuple[int, int]


class Side(StrEnum):
    """Which of the two texts."""

    BEFORE = "before"
    AFTER = "after"


class Layout(StrEnum):
    """How the two texts stand; ``AUTO`` is side by side where there is room."""

    AUTO = "auto"
    SIDE_BY_SIDE = "side-by-side"
    INLINE = "inline"


class DiffRow(Protocol):
    """One row: a line of each text, or of one of them.

    ``kind`` is ``context``, ``changed``, ``added`` or ``deleted`` (the view itself makes ``replaced``). Lines carry
    their line end; marks are runs of characters; ``hunk`` counts from 1 and is ``None`` for context.
    """

    @property
    def kind(self) -> str: ...
    @property
    def before(self) -> str | None: ...
    @property
    def after(self) -> str | None: ...
    @property
    def before_line(self) -> int | None: ...
    @property
    def after_line(self) -> int | None: ...
    @property
    def before_marks(self) -> Sequence[Span]: ...
    @property
    def after_marks(self) -> Sequence[Span]: ...
    @property
    def hunk(self) -> int | None: ...


class DiffLine(NamedTuple):
    """A plain row, for whoever has none of the engine's."""

    kind: str
    before: str | None
    after: str | None
    before_line: int | None = None
    after_line: int | None = None
    before_marks: tuple[Span, ...] = ()
    after_marks: tuple[Span, ...] = ()
    hunk: int | None = None


def side_text(row: DiffRow, side: Side) -> str | None:
    """Return one side of a row, with its line end."""
    return row.before if side is Side.BEFORE else row.after


def side_marks(row: DiffRow, side: Side) -> Sequence[Span]:
    """Return the words that differ on one side of a row."""
    return row.before_marks if side is Side.BEFORE else row.after_marks


def side_line(row: DiffRow, side: Side) -> int | None:
    """Return the line number on one side."""
    return row.before_line if side is Side.BEFORE else row.after_line


def split_end(line: str) -> tuple[str, str]:
    """Return a line without its end, and the end."""
    if line.endswith("\r\n"):
        return line[:-2], "\r\n"
    return (line[:-1], line[-1]) if line[-1:] in {"\n", "\r"} else (line, "")


def whole_text(rows: Sequence[DiffRow], side: Side) -> str:
    """Return all of one text."""
    return "".join(text for row in rows if (text := side_text(row, side)) is not None)


def changed_words(rows: Sequence[DiffRow]) -> tuple[int, int]:
    """Return how many words were added and removed."""
    added = removed = 0
    for row in rows:
        if row.kind == "context":
            continue
        if row.kind == "changed" and row.before is not None and row.after is not None:
            added += sum(len(row.after[start:end].split()) for start, end in row.after_marks)
            removed += sum(len(row.before[start:end].split()) for start, end in row.before_marks)
        else:
            added += len(row.after.split()) if row.after is not None else 0
            removed += len(row.before.split()) if row.before is not None else 0
    return added, removed


def blank_hunks(rows: Sequence[DiffRow]) -> frozenset[int]:
    """Return the numbers of changes that only concern blanks: both sides have the same words in the same order.

    Blanks are spaces, tabs, line ends and empty lines; words that grow together or fall apart are a change of words.
    """
    words: dict[int, tuple[list[str], list[str]]] = {}
    for row in rows:
        if row.hunk is not None:
            old, new = words.setdefault(row.hunk, ([], []))
            old.extend((row.before or "").split())
            new.extend((row.after or "").split())
    return frozenset(hunk for hunk, (old, new) in words.items() if old == new)


def quiet_rows(rows: Sequence[DiffRow], hunks: Collection[int]) -> Sequence[DiffRow]:
    """Return the rows with those of some changes as if nothing had changed there; both sides keep their own words."""
    if not hunks:
        return rows
    return [
        DiffLine("context", row.before, row.after, row.before_line, row.after_line) if row.hunk in hunks else row
        for row in rows
    ]


def side_by_side_rows(rows: Sequence[DiffRow]) -> Sequence[DiffRow]:
    """Return the rows as they stand beside each other: lines that are gone next to those that came in their place.

    Such a pair is a row of the kind ``replaced``; it has no marked words, because all of them differ.
    """
    if not any(row.kind == "deleted" for row in rows):
        return rows
    result: list[DiffRow] = []
    at = 0
    while at < len(rows):
        if rows[at].kind != "deleted":
            result.append(rows[at])
            at += 1
            continue
        middle = at
        while middle < len(rows) and rows[middle].kind == "deleted" and rows[middle].hunk == rows[at].hunk:
            middle += 1
        end = middle
        while end < len(rows) and rows[end].kind == "added" and rows[end].hunk == rows[at].hunk:
            end += 1
        both = min(middle - at, end - middle)
        for old, new in zip(rows[at : at + both], rows[middle : middle + both], strict=True):
            result.append(DiffLine("replaced", old.before, new.after, old.before_line, new.after_line, hunk=old.hunk))
        result.extend(rows[at + both : middle])
        result.extend(rows[middle + both : end])
        at = end
    return result
