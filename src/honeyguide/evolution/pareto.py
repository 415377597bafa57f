"""Who is worth keeping: nobody is better in everything, or nobody is better on some example."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")

TIE = 1e-9
"""Scores closer than this count as equal."""


def front(items: Sequence[T], gains: Callable[[T], Sequence[float]]) -> list[T]:
    """Return the items that no other item dominates, in their order. ``gains`` gives numbers to be high.

    An item is dominated when another is at least as good in every number and better in one. Equal items stay
    together. For something to be low (complexity), give its negative.
    """
    values = [tuple(gains(item)) for item in items]
    return [
        item for item, mine in zip(items, values, strict=True) if not any(_dominates(other, mine) for other in values)
    ]


def example_winners(scores: Mapping[str, Mapping[str, float]]) -> dict[str, int]:
    """Return for each candidate on how many examples it has the best score; ties count for all who share it.

    Args:
        scores: candidate id -> example id -> score. Examples that not every candidate has are left out, so that
            nobody wins by being the only one measured.
    """
    if not scores:
        return {}
    shared = set.intersection(*(set(row) for row in scores.values()))
    wins = dict.fromkeys(scores, 0)
    for example in sorted(shared):
        best = max(row[example] for row in scores.values())
        for candidate, row in scores.items():
            if row[example] >= best - TIE:
                wins[candidate] += 1
    return wins


def _dominates(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(a >= b - TIE for a, b in zip(one, other, strict=True)) and any(
        a > b + TIE for a, b in zip(one, other, strict=True)
    )
