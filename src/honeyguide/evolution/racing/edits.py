"""A rewrite as line edits that can be switched on one by one, in any combination.

A model rewrites a whole text; only what it changed is of interest, and each change is worth its own trial. An edit
remembers the lines that stood before it, nearest first, so that it finds its place when other edits are off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from honeyguide.evolution.racing.relevance import words

ANCHORS = 40
"""How many preceding lines an edit remembers."""
SAME_LINE = 0.6
"""A line that comes where another goes replaces it when they are at least this similar (0 to 1)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One line replaced, inserted, deleted or moved.

    Attributes:
        part: which part of the text, from 0.
        old: the line that goes; ``None`` for an insertion.
        new: the line that comes; ``None`` for a deletion. A move has both, equal.
        before: the lines that stood before it, nearest first.
    """

    part: int
    old: str | None
    new: str | None
    before: tuple[str, ...] = ()

    @property
    def is_move(self) -> bool:
        return self.old is not None and self.old == self.new

    @property
    def is_rewording(self) -> bool:
        """Whether it says nearly the same in other words."""
        if self.old is None or self.new is None or self.is_move:
            return False
        return says_the_same(self.old, self.new)

    @property
    def key(self) -> tuple[int, str | None, str | None, str | None]:
        """What makes two edits the same; the place counts only where nothing else tells moves apart."""
        return self.part, self.old, self.new, (self.before[0] if self.before else "") if self.is_move else None


def says_the_same(one: str, other: str) -> bool:
    """Whether one line has all the words of the other, so that they differ by added words or order alone."""
    a, b = words(one), words(other)
    return bool(a and b) and (a <= b or b <= a)


def edits_between(part: int, old_text: str, new_text: str) -> list[Edit]:
    """Return what turns ``old_text`` into ``new_text``, line by line, in the order of the text."""
    old, new = old_text.split("\n"), new_text.split("\n")
    found: list[Edit] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        gone, come = old[i1:i2], new[j1:j2]
        before = tuple(reversed(old[max(0, i1 - ANCHORS) : i1]))
        for k in range(max(len(gone), len(come))):
            line_gone = gone[k] if k < len(gone) else None
            line_come = come[k] if k < len(come) else None
            place = (*reversed(come[:k]), *before)
            if line_gone is not None and line_come is not None and not _is_replacement(line_gone, line_come):
                found.append(Edit(part, line_gone, None, before))
                found.append(Edit(part, None, line_come, (line_gone, *place)))
            else:
                found.append(Edit(part, line_gone, line_come, place))
    return _with_moves([e for e in found if (e.old or "").strip() or (e.new or "").strip()], set(old), set(new))


def _is_replacement(gone: str, come: str) -> bool:
    return says_the_same(gone, come) or SequenceMatcher(None, gone, come, autojunk=False).ratio() >= SAME_LINE


def _with_moves(edits: list[Edit], old: set[str], new: set[str]) -> list[Edit]:
    """A line that leaves one place and appears at another has moved; a line that is there already is no news."""
    leaving = {e.old for e in edits if e.old is not None}
    result = []
    for edit in edits:
        gone, come = edit.old, edit.new
        if come is not None and come in old and come != gone:
            if come in leaving:
                result.append(Edit(edit.part, come, come, edit.before))
            come = None
        if gone is not None and gone in new and come != gone:
            gone = None
        if gone is not None or (come is not None and come.strip()):
            result.append(Edit(edit.part, gone, come if come is None or come.strip() else None, edit.before))
    return list(dict.fromkeys(result))


def apply(parts: Sequence[str], edits: Sequence[Edit]) -> tuple[str, ...]:
    """Return ``parts`` with ``edits`` made in their order. An edit whose old line is not there inserts its new one."""
    lines = [part.split("\n") for part in parts]
    for edit in edits:
        _make(lines[edit.part], edit)
    return tuple("\n".join(part) for part in lines)


def _make(lines: list[str], edit: Edit) -> None:
    at = lines.index(edit.old) if edit.old is not None and edit.old in lines else None
    if edit.is_move:
        if at is not None:
            del lines[at]
            lines.insert(_place(lines, edit.before), edit.new or "")
        return
    if edit.new is None:
        if at is not None and len(lines) > 1:
            del lines[at]
        return
    if edit.new in lines:
        if at is not None:
            del lines[at]
        return
    if at is not None:
        lines[at] = edit.new
    else:
        lines.insert(_place(lines, edit.before), edit.new)


def _place(lines: list[str], before: Sequence[str]) -> int:
    for anchor in before:
        if anchor.strip() and anchor in lines:
            return lines.index(anchor) + 1
    return 0 if not before else len(lines)
