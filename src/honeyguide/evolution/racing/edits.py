"""A rewrite as edits of single pieces that can be switched on one by one, in any combination.

A model rewrites a whole text; only what it changed is of interest, and each change is worth its own trial. A piece is
a line, or a sentence of a paragraph (``pieces``). An edit remembers the pieces that stood before it, nearest first, so
that it finds its place when other edits are off.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from honeyguide.evolution.racing.pieces import GOES_ON, bare, goes_on, joined, pieces
from honeyguide.evolution.racing.relevance import words

ANCHORS = 40
"""How many preceding pieces an edit remembers."""
SAME_LINE = 0.6
"""A piece that comes where another goes replaces it when they are at least this similar (0 to 1)."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One piece replaced, inserted, deleted or moved.

    Attributes:
        part: which part of the text, from 0.
        old: the piece that goes; ``None`` for an insertion.
        new: the piece that comes; ``None`` for a deletion. A move has both, equal.
        before: the pieces that stood before it, nearest first.
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


def clash(a: Edit, b: Edit) -> bool:
    """Whether two edits replace the same line, or bring lines of which one holds all words of the other."""
    if a.part != b.part:
        return False
    if a.old is not None and a.old == b.old:
        return True
    return a.new is not None and b.new is not None and says_the_same(a.new, b.new)


def edits_between(part: int, old_text: str, new_text: str) -> list[Edit]:
    """Return what turns ``old_text`` into ``new_text``, piece by piece, in the order of the text.

    That a sentence now begins a line, or no longer does, is no edit.
    """
    old = list(pieces(old_text))
    as_before = {bare(piece): piece for piece in reversed(old)}
    new = [as_before.get(bare(piece), piece) for piece in pieces(new_text)]
    found: list[Edit] = []
    for i1, i2, j1, j2 in _changes(old, new):
        before = list(reversed(old[max(0, i1 - ANCHORS) : i1]))
        for gone, come in _pairs(old[i1:i2], new[j1:j2]):
            found.append(Edit(part, gone, come, tuple(before)))
            before = [piece for piece in (come, gone) if piece is not None] + before
    return _with_moves([e for e in found if (e.old or "").strip() or (e.new or "").strip()], set(old), set(new))


def _changes(old: list[str], new: list[str]) -> Iterator[tuple[int, int, int, int]]:
    """Yield the ranges of ``old`` and of ``new`` that differ; what is alike at both ends needs no comparison."""
    least = min(len(old), len(new))
    first = next((i for i in range(least) if old[i] != new[i]), least)
    last = next((i for i in range(least - first) if old[-1 - i] != new[-1 - i]), least - first)
    matcher = SequenceMatcher(None, old[first : len(old) - last], new[first : len(new) - last], autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            yield first + i1, first + i2, first + j1, first + j2


def _pairs(gone: list[str], come: list[str]) -> list[tuple[str | None, str | None]]:
    """Return what becomes what, in order: each piece that goes with the first one like it that comes."""
    found: list[tuple[str | None, str | None]] = []
    next_come = 0
    for old in gone:
        match = next((i for i in range(next_come, len(come)) if _is_replacement(old, come[i])), None)
        if match is None:
            found.append((old, None))
        else:
            found += [(None, new) for new in come[next_come:match]]
            found.append((old, come[match]))
            next_come = match + 1
    return found + [(None, new) for new in come[next_come:]]


def _is_replacement(gone: str, come: str) -> bool:
    return says_the_same(gone, come) or SequenceMatcher(None, gone, come, autojunk=False).ratio() >= SAME_LINE


def _with_moves(edits: list[Edit], old: set[str], new: set[str]) -> list[Edit]:
    """A piece that leaves one place and appears at another has moved; one that is there already is no news."""
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
    """Return ``parts`` with ``edits`` made in their order. An edit whose old piece is not there inserts its new one."""
    split = [Split(pieces(part)) for part in parts]
    for edit in edits:
        split[edit.part].make(edit)
    return tuple(joined(part.pieces) for part in split)


class Split:
    """The pieces of one part, while edits are made in it.

    Attributes:
        pieces: in order.
    """

    __slots__ = ("_present", "pieces")

    def __init__(self, given: Sequence[str], present: Iterable[str] | None = None) -> None:
        """``present``: the different ones among ``given``, where they are known already."""
        self.pieces = list(given)
        self._present = set(given if present is None else present)

    def make(self, edit: Edit) -> None:
        """Make ``edit``."""
        split, present, new = self.pieces, self._present, edit.new
        if edit.old is None and new is not None:  # most are like this
            if new not in present:
                self._insert(edit, new)
            return
        at = split.index(edit.old) if edit.old is not None and edit.old in present else None
        if edit.is_move:
            if at is not None:
                self._remove(at)
                self._insert(edit, new or "")
        elif new is None:
            if at is not None and sum(map(bool, split)) > 1:
                self._remove(at)
        elif new in present:
            if at is not None:
                self._remove(at)
        elif at is not None:
            split[at] = new if goes_on(split[at]) == goes_on(new) else _joined_like(new, split[at])
            self._present = set(split)
        else:
            self._insert(edit, new)

    def _insert(self, edit: Edit, new: str) -> None:
        """Behind the nearest piece that stood before it, a line behind the whole line of it."""
        split, present = self.pieces, self._present
        at = 0 if not edit.before else len(split)
        for anchor in edit.before:
            if anchor in present and anchor.strip():
                at = split.index(anchor) + 1
                break
        if not new.startswith(GOES_ON):
            while at < len(split) and split[at].startswith(GOES_ON):
                at += 1
        split.insert(at, new)
        present.add(new)

    def _remove(self, at: int) -> None:
        """Take a piece out. A sentence that went on after it keeps its line: nothing stands for what began it."""
        split = self.pieces
        if at + 1 < len(split) and goes_on(split[at + 1]) and not goes_on(split[at]):
            split[at] = ""
        else:
            del split[at]
        self._present = set(split)


def _joined_like(piece: str, other: str) -> str:
    return f"{GOES_ON} {piece}" if goes_on(other) else bare(piece)
