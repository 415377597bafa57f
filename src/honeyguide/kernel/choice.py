"""Random choices as a hash of (seed, decision path): no generator, so any decision can be replayed alone.

Two runs with the same seed take the same decisions whatever finished first, and a resumed run needs
no saved state. SHA-256 is far from the bottleneck: every decision stands before a model call.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
Step = str | int
_SCALE = float(1 << 53)
_SCALE_OF_EIGHT = float(1 << 32)
_EIGHT = struct.Struct(">8I")


def unit(seed: int, *path: Step) -> float:
    """Return a number in [0, 1) that depends only on ``seed`` and ``path``."""
    text = "\x1f".join((str(seed), *(f"{type(step).__name__[0]}{step}" for step in path)))
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / _SCALE


def units(seed: int, count: int, *path: Step) -> list[float]:
    """Return ``count`` numbers in [0, 1), 32 bits each, for many small choices of one decision; a hash gives eight."""
    text = "\x1f".join((str(seed), *(f"{type(step).__name__[0]}{step}" for step in path))).encode(
        "utf-8", "surrogatepass"
    )
    found: list[float] = []
    for block in range((count + 7) // 8):
        digest = hashlib.sha256(b"%d\x1f%b" % (block, text)).digest()
        found.extend(number / _SCALE_OF_EIGHT for number in _EIGHT.unpack(digest))
    return found[:count]


def index(seed: int, count: int, *path: Step) -> int:
    """Return an index in ``range(count)``. Raises ValueError for an empty range."""
    if count <= 0:
        raise ValueError("cannot choose from nothing")
    return min(int(unit(seed, *path) * count), count - 1)


def choose(seed: int, items: Sequence[T], *path: Step) -> T:
    """Return one of ``items``."""
    return items[index(seed, len(items), *path)]


def weighted(seed: int, items: Sequence[T], weights: Sequence[float], *path: Step) -> T:
    """Return one of ``items`` with probability proportional to its weight (all >= 0, sum > 0)."""
    total = sum(weights)
    if total <= 0 or len(items) != len(weights):
        raise ValueError("weights must match the items and have a positive sum")
    mark = unit(seed, *path) * total
    for item, weight in zip(items, weights, strict=True):
        mark -= weight
        if mark < 0:
            return item
    return items[-1]


def shuffled(seed: int, items: Sequence[T], *path: Step) -> list[T]:
    """Return ``items`` in an order given by the hash of each position."""
    order = sorted(range(len(items)), key=lambda i: unit(seed, *path, i))
    return [items[i] for i in order]


def sample(seed: int, items: Sequence[T], count: int, *path: Step) -> list[T]:
    """Return at most ``count`` different items, in shuffled order."""
    return shuffled(seed, items, *path)[: max(count, 0)]
