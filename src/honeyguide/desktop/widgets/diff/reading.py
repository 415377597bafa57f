"""The changes as sentences: for screen readers, for the list beside the picture, and for tests."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.diff.marks import Located
from honeyguide.desktop.widgets.diff.rows import DiffRow, Side

MOST_ROWS = 40
"""Rows of one change that are read out."""


@dataclass(frozen=True, slots=True)
class ReadChange:
    """One change: its number, where it stands, and what it does in words."""

    hunk: int
    before_line: int | None
    after_line: int | None
    words: str


def read_changes(
    rows: Sequence[DiffRow], included: Collection[int] | None = None, marks: Located | None = None
) -> list[ReadChange]:
    """Return every change in words.

    Args:
        included: the ticked changes; ``None`` when there is nothing to tick.
        marks: complaints of checks and locks, read with the change they stand in.
    """
    groups: dict[int, list[tuple[int, DiffRow]]] = {}
    for number, row in enumerate(rows):
        if row.hunk is not None:
            groups.setdefault(row.hunk, []).append((number, row))
    total = len(groups)
    return [_read(hunk, place, total, members, included, marks or {}) for place, (hunk, members) in
            enumerate(groups.items(), start=1)]  # fmt: skip


def blanks_note(hidden: int, wanted: int, *, is_open: bool) -> str:
    """Return what is said of changes that are not shown because only blanks differ.

    Args:
        hidden: how many there are, at least 1. ``wanted``: how many of them are ticked.
        is_open: they belong to a proposal that can be deployed yet.
    """
    translate = QCoreApplication.translate
    if not is_open:
        return translate(
            "DiffReading", "Changes of blanks only, not shown here: {n}. They are part of the change all the same."
        ).format(n=hidden)
    if hidden == 1:
        said = translate("DiffReading", "1 change of blanks only is not shown; it is deployed all the same.")
        return said if wanted else translate("DiffReading", "1 change of blanks only is not shown; it is left out.")
    if wanted == hidden:
        said = translate("DiffReading", "{n} changes of blanks only are not shown; they are deployed all the same.")
    else:
        said = translate(
            "DiffReading", "{n} changes of blanks only are not shown; {wanted} of them are deployed all the same."
        )
    return said.format(n=hidden, wanted=wanted)


def _read(
    hunk: int,
    place: int,
    total: int,
    members: list[tuple[int, DiffRow]],
    included: Collection[int] | None,
    marks: Located,
) -> ReadChange:
    translate = QCoreApplication.translate
    before = next((row.before_line for _, row in members if row.before_line is not None), None)
    after = next((row.after_line for _, row in members if row.after_line is not None), None)
    line = after if after is not None else before
    head = translate("DiffReading", "Change {n} of {total}, line {line}").format(n=place, total=total, line=line)
    if included is not None:
        head += ", " + (
            translate("DiffReading", "included") if hunk in included else translate("DiffReading", "left out")
        )
    parts = [head + "."]
    parts += [_row(row) for _, row in members[:MOST_ROWS]]
    if len(members) > MOST_ROWS:
        parts.append(translate("DiffReading", "And {n} more lines.").format(n=len(members) - MOST_ROWS))
    parts += _said(members, marks)
    return ReadChange(hunk, before, after, "\n".join(parts))


def _row(row: DiffRow) -> str:
    translate = QCoreApplication.translate
    old, new = one_line(row.before or "", 400), one_line(row.after or "", 400)
    if row.kind == "added":
        return translate("DiffReading", "New: “{text}”").format(text=new)
    if row.kind == "deleted":
        return translate("DiffReading", "Gone: “{text}”").format(text=old)
    if old == new:
        return translate("DiffReading", "Only blanks or the line end differ: “{text}”").format(text=new)
    return translate("DiffReading", "Was: “{old}” Becomes: “{new}”").format(old=old, new=new)


def _said(members: list[tuple[int, DiffRow]], marks: Located) -> Iterator[str]:
    translate = QCoreApplication.translate
    for number, _ in members:
        for side in Side:
            for part in marks.get((number, side), ()):
                if part.first:
                    kind = (
                        translate("DiffReading", "Locked")
                        if part.mark.kind == "lock"
                        else translate("DiffReading", "Check")
                    )
                    yield f"{kind}: {one_line(part.mark.words, 400)}"
