"""Find which old line became which new line inside one changed block."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rapidfuzz.distance import Indel

from honeyguide.versions.diff.limits import Work
from honeyguide.versions.diff.words import split_words

_LONG = 2000
"""Characters from which two lines are compared by their words in any order, which costs less than an alignment."""


def pair_lines(before: Sequence[str], after: Sequence[str], work: Work) -> list[tuple[int, int]]:
    """Return pairs of indices, rising on both sides, of lines that are versions of each other.

    Raises:
        Interrupted: the comparison was cancelled.
    """
    if not before or not after:
        return []
    if len(before) == len(after) == 1:
        return [(0, 0)]
    if len(before) * len(after) <= work.limits.pairing_cells:
        return _best_pairs(before, after, work)
    return _window_pairs(before, after, work)


def similarity(one: str, other: str, least: float) -> float:
    """Return how alike two lines are, in [0, 1]; 0 when below ``least``. Blank lines are like nothing."""
    one, other = one.strip(), other.strip()
    if not one or not other:
        return 0.0
    if max(len(one), len(other)) <= _LONG:
        return float(Indel.normalized_similarity(one, other, score_cutoff=least))
    left, right = Counter(split_words(one)), Counter(split_words(other))
    shared = sum(len(word) * count for word, count in (left & right).items())
    share = 2 * shared / (len(one) + len(other))
    return min(share, 1.0) if share >= least else 0.0


def _best_pairs(before: Sequence[str], after: Sequence[str], work: Work) -> list[tuple[int, int]]:
    """The order-keeping pairing with the highest summed similarity."""
    least = work.limits.min_similarity
    rows, columns = len(before), len(after)
    likeness = []
    for line in before:
        work.check()
        likeness.append([similarity(line, other, least) for other in after])
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            alone = max(best[i + 1][j], best[i][j + 1])
            best[i][j] = max(alone, likeness[i][j] + best[i + 1][j + 1]) if likeness[i][j] else alone
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while i < rows and j < columns:
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _window_pairs(before: Sequence[str], after: Sequence[str], work: Work) -> list[tuple[int, int]]:
    """Each old line takes the most similar of the next few new lines."""
    pairs: list[tuple[int, int]] = []
    start = 0
    for i, line in enumerate(before):
        work.check()
        # A block that was rewritten whole keeps its proportions, so the window follows the diagonal.
        start = max(start, i * len(after) // len(before) - work.limits.window)
        best, place = 0.0, -1
        for j in range(start, min(start + 2 * work.limits.window, len(after))):
            likeness = similarity(line, after[j], work.limits.min_similarity)
            if likeness > best:
                best, place = likeness, j
        if place >= 0:
            pairs.append((i, place))
            start = place + 1
    return pairs
