"""Align two sequences of tokens (lines or words): which runs changed, which stayed.

A true longest common subsequence (Hyyrö's bit-parallel algorithm, from ``rapidfuzz``) inside blocks that its bit
table can hold; larger blocks are cut at tokens that occur exactly once on both sides (patience diff, Bram Cohen).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import chain, pairwise
from typing import NamedTuple, cast

from rapidfuzz.distance import Indel

from honeyguide.versions.diff.limits import Work

_MAX_CUTS = 8
"""How often a block is cut at anchors before the rest is taken as replaced."""


class Change(NamedTuple):
    """``before[before_start:before_end]`` became ``after[after_start:after_end]``; one of the two may be empty.

    A named tuple, not a dataclass: a long text makes tens of thousands of them.
    """

    before_start: int
    before_end: int
    after_start: int
    after_end: int


def align(before: Sequence[str], after: Sequence[str], work: Work) -> list[Change]:
    """Return the changed runs in order; between two of them at least one token is equal.

    Raises:
        Interrupted: the comparison was cancelled.
    """
    known = {token: number for number, token in enumerate(dict.fromkeys(chain(before, after)))}
    left, right = list(map(known.__getitem__, before)), list(map(known.__getitem__, after))
    found: list[Change] = []
    stack = [(0, len(left), 0, len(right), 0)]
    while stack:
        b0, b1, a0, a1, cuts = stack.pop()
        while b0 < b1 and a0 < a1 and left[b0] == right[a0]:
            b0, a0 = b0 + 1, a0 + 1
        while b0 < b1 and a0 < a1 and left[b1 - 1] == right[a1 - 1]:
            b1, a1 = b1 - 1, a1 - 1
        if b0 == b1 and a0 == a1:
            continue
        if b0 == b1 or a0 == a1:
            found.append(Change(b0, b1, a0, a1))
        elif work.affords((b1 - b0) * (a1 - a0)):
            found.extend(_exact(left[b0:b1], right[a0:a1], b0, a0))
        else:
            anchors = _anchors(left, right, b0, b1, a0, a1) if cuts < _MAX_CUTS else []
            if not anchors:
                found.append(Change(b0, b1, a0, a1))
                continue
            edges = [(b0 - 1, a0 - 1), *anchors, (b1, a1)]
            stack.extend(
                (lb + 1, rb, la + 1, ra, cuts + 1)
                for (lb, la), (rb, ra) in pairwise(edges)
                if rb > lb + 1 or ra > la + 1
            )
    return joined(sorted(found))


def joined(changes: list[Change]) -> list[Change]:
    """Return ``changes`` with those that follow each other directly made one."""
    result: list[Change] = []
    for change in changes:
        last = result[-1] if result else None
        if last and last.before_end == change.before_start and last.after_end == change.after_start:
            result[-1] = Change(last.before_start, change.before_end, last.after_start, change.after_end)
        else:
            result.append(change)
    return result


def slide(
    changes: list[Change], before: Sequence[str], after: Sequence[str], cut_score: Callable[[Sequence[str], int], int]
) -> list[Change]:
    """Move pure insertions and deletions along equal tokens to where their edges read best.

    Args:
        cut_score: how good a cut before token ``i`` of a sequence is; higher is better. Of equal places the last wins.
    """
    result: list[Change] = []
    for position, change in enumerate(changes):
        b0, b1, a0, a1 = change
        if (b0 == b1) == (a0 == a1):
            result.append(change)
            continue
        tokens, start, end = (after, a0, a1) if b0 == b1 else (before, b0, b1)
        last = result[-1] if result else None
        following = changes[position + 1] if position + 1 < len(changes) else None
        up = min(b0 - last.before_end, a0 - last.after_end) - 1 if last else min(b0, a0)
        if following:
            down = min(following.before_start - b1, following.after_start - a1) - 1
        else:
            down = min(len(before) - b1, len(after) - a1)
        lowest = 0
        while -lowest < up and tokens[start + lowest - 1] == tokens[end + lowest - 1]:
            lowest -= 1
        highest = 0
        while highest < down and tokens[start + highest] == tokens[end + highest]:
            highest += 1
        shift = max(
            range(lowest, highest + 1),
            key=lambda by: (cut_score(tokens, start + by) + cut_score(tokens, end + by), by),
        )
        result.append(Change(b0 + shift, b1 + shift, a0 + shift, a1 + shift))
    return result


def _exact(left: list[int], right: list[int], b0: int, a0: int) -> list[Change]:
    changes: list[Change] = []
    operations = cast("list[tuple[str, int, int, int, int]]", Indel.opcodes(left, right).as_list())
    start_left = start_right = 0
    for tag, i0, i1, j0, j1 in (*operations, ("equal", len(left), len(left), len(right), len(right))):
        if tag == "equal":
            if i0 > start_left or j0 > start_right:
                changes.append(Change(b0 + start_left, b0 + i0, a0 + start_right, a0 + j0))
            start_left, start_right = i1, j1
    return changes


def _anchors(left: list[int], right: list[int], b0: int, b1: int, a0: int, a1: int) -> list[tuple[int, int]]:
    """Return the longest run of positions, rising on both sides, of tokens that occur once on each side."""
    once_left = {token for token, count in Counter(left[b0:b1]).items() if count == 1}
    once = {token for token, count in Counter(right[a0:a1]).items() if count == 1 and token in once_left}
    if not once:
        return []
    place = {left[i]: i for i in range(b0, b1) if left[i] in once}
    pairs = [(place[right[j]], j) for j in range(a0, a1) if right[j] in once]
    ends: list[int] = []
    chain: list[int] = []
    previous: list[int] = []
    for number, (i, _) in enumerate(pairs):
        at = bisect_left(ends, i)
        previous.append(chain[at - 1] if at else -1)
        if at == len(ends):
            ends.append(i)
            chain.append(number)
        else:
            ends[at] = i
            chain[at] = number
    rising: list[tuple[int, int]] = []
    number = chain[-1]
    while number >= 0:
        rising.append(pairs[number])
        number = previous[number]
    return rising[::-1]
