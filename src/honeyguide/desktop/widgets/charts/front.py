"""Which of many points no other one beats in both directions, and how the axes of the trade-off are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.models.candidates import Candidate

NO_SCORE = frozenset({"chars", "complexity", "generation", "calls"})
"""The axes that hold for a text whatever it was measured on."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Something to plot. ``more_is_better``: which end of it is good."""

    id: str
    title: str
    more_is_better: bool = True


def axes_of(candidates: Iterable[Candidate]) -> list[Axis]:
    """Return what can be plotted: the scores that occur, then size, complexity, generation and calls."""
    translate = QCoreApplication.translate
    words = {
        "overall": translate("ParetoChart", "Score"),
        "correctness": translate("ParetoChart", "Correctness"),
        "procedure": translate("ParetoChart", "Procedure followed"),
        "procedureFollowing": translate("ParetoChart", "Procedure followed"),
        "conciseness": translate("ParetoChart", "Conciseness"),
        "accuracy": translate("ParetoChart", "Accuracy"),
    }
    seen = {name: None for row in candidates for name in row.scores}
    names = ["overall", *(name for name in seen if name != "overall")]
    axes = [Axis(name, words.get(name, name)) for name in names]
    axes += [
        Axis("chars", translate("ParetoChart", "Characters"), more_is_better=False),
        Axis("complexity", translate("ParetoChart", "Complexity"), more_is_better=False),
        Axis("generation", translate("ParetoChart", "Generation")),
        Axis("calls", translate("ParetoChart", "Calls made"), more_is_better=False),
    ]
    return axes


def value_of(candidate: Candidate, axis: str) -> float | None:
    """Return where a candidate stands on an axis; ``None`` where that is not known."""
    if axis == "overall":
        return candidate.overall
    if axis in NO_SCORE:
        value = getattr(candidate, axis)
        return None if value is None else float(value)
    return candidate.scores.get(axis)


def front_of(points: Sequence[tuple[float, float]], *, x_more: bool = True, y_more: bool = True) -> list[int]:
    """Return the indices of the points that no other one beats, from left to right.

    A point is beaten by one that is at least as good on both axes and better on one; of equal points the first stays.
    """
    signed = [(x if x_more else -x, y if y_more else -y, -index) for index, (x, y) in enumerate(points)]
    best = float("-inf")
    front: list[int] = []
    for _, y, negative in sorted(signed, reverse=True):
        if y > best:
            best = y
            front.append(-negative)
    return sorted(front, key=lambda index: points[index])
