"""Compare two texts line by line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from honeyguide.versions.diff.align import Change, align, slide
from honeyguide.versions.diff.limits import DEFAULT_LIMITS, Cancelled, Limits, Work, never

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_OPENER = re.compile(r"\s*(?:#{1,6}\s|[-*+]\s|\d+[.)]\s|<[A-Za-z/])")


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two texts and where they differ; the base of hunks, rows, merge and summary.

    Attributes:
        before, after: the lines of both texts, each with its line end, so that joining them gives the text back.
        changes: the changed runs, as line indices, in order and never touching each other.
        limits: the guard rails it was made under.
        ignores_blanks: whether lines that differ only in blanks or line ends count as equal.
    """

    before: tuple[str, ...]
    after: tuple[str, ...]
    changes: tuple[Change, ...]
    limits: Limits = DEFAULT_LIMITS
    ignores_blanks: bool = False


def split_lines(text: str) -> list[str]:
    """Return the lines of ``text`` with their ends (LF, CRLF or CR); ``"".join`` of them is ``text``."""
    return _LINE.findall(text)


def compare(
    before: str,
    after: str,
    *,
    ignore_blanks: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    cancelled: Cancelled = never,
) -> Comparison:
    """Compare two texts by lines.

    Args:
        ignore_blanks: take lines that differ only in blanks or line ends for equal. For looking only: hunks of such
            a comparison can not be applied.

    Raises:
        Interrupted: ``cancelled`` said so.
    """
    left, right = split_lines(before), split_lines(after)
    seen_left, seen_right = (_without_blanks(left), _without_blanks(right)) if ignore_blanks else (left, right)
    changes = align(seen_left, seen_right, Work(limits, cancelled))
    changes = slide(changes, seen_left, seen_right, _cut_score)
    return Comparison(tuple(left), tuple(right), tuple(changes), limits, ignore_blanks)


def compare_pieces(before: Sequence[str], after: Sequence[str], *, limits: Limits = DEFAULT_LIMITS) -> Comparison:
    """Compare two texts given in as many pieces: each compares as it does alone, and no change reaches over its end."""
    lines_before: list[str] = []
    lines_after: list[str] = []
    changes: list[Change] = []
    for one, other in zip(before, after, strict=True):
        found = compare(one, other, limits=limits)
        left, right = len(lines_before), len(lines_after)
        changes += [
            Change(c.before_start + left, c.before_end + left, c.after_start + right, c.after_end + right)
            for c in found.changes
        ]
        lines_before += found.before
        lines_after += found.after
    return Comparison(tuple(lines_before), tuple(lines_after), tuple(changes), limits)


def _without_blanks(lines: list[str]) -> list[str]:
    return [" ".join(line.split()) for line in lines]


def _cut_score(lines: Sequence[str], at: int) -> int:
    """Prefer cuts after an empty line, then before a heading, list item or tag, then at the ends of the text."""
    if at in (0, len(lines)):
        return 3
    score = 0
    if not lines[at - 1].strip():
        score += 3
    if _OPENER.match(lines[at]):
        score += 2
    if not lines[at].strip():
        score -= 1
    return score
