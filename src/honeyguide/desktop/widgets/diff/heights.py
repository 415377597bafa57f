"""The heights of thousands of bands, of which most are only estimated: sums and lookups in logarithmic time.

A Fenwick tree (Fenwick 1994).
"""

from __future__ import annotations

from collections.abc import Sequence


class Heights:
    """Heights in whole pixels."""

    def __init__(self, heights: Sequence[int] = ()) -> None:
        self._heights = list(heights)
        count = len(self._heights)
        self._tree = [0, *self._heights]
        for at in range(1, count + 1):
            above = at + (at & -at)
            if above <= count:
                self._tree[above] += self._tree[at]
        self._top_bit = 1 << (count.bit_length() - 1) if count else 0
        self.total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, at: int) -> int:
        return self._heights[at]

    def set(self, at: int, height: int) -> int:
        """Change one height; return by how much."""
        by = height - self._heights[at]
        if by:
            self._heights[at] = height
            self.total += by
            node = at + 1
            while node <= len(self._heights):
                self._tree[node] += by
                node += node & -node
        return by

    def top(self, at: int) -> int:
        """Return the sum of all heights before ``at``."""
        total = 0
        while at > 0:
            total += self._tree[at]
            at -= at & -at
        return total

    def at(self, y: int) -> int:
        """Return the band that covers ``y``: the first one above, the last one below everything; -1 without any."""
        if not self._heights:
            return -1
        if y <= 0:
            return 0
        place, rest, bit = 0, y, self._top_bit
        while bit:
            following = place + bit
            if following <= len(self._heights) and self._tree[following] <= rest:
                place = following
                rest -= self._tree[following]
            bit >>= 1
        return min(place, len(self._heights) - 1)
