"""The guards of an improvement: no slice of the examples, and not correctness, may have got worse.

A slice is the examples that share a language, a task shape or a persona. One with enough pairs has *fallen* when its
differences show harm: an exact sign test with Holm's correction over all slices (S. Holm, Scandinavian Journal of
Statistics 6, 1979), or a betting process that reaches 1/alpha.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.evals.betting import e_values, grid_stakes
from honeyguide.evals.statistics import SignCounts, mean, sign_counts, sign_test

SLICE_KEYS: Final = ("language", "taskShape", "personaId")
LEAST_IN_SLICE: Final = 12
"""Pairs a slice needs before anything is said of it."""


@dataclass(frozen=True, slots=True)
class SliceResult:
    """One slice.

    Attributes:
        key, value: e.g. ``language`` and ``de``.
        delta: mean difference within the slice.
        enough: whether it has pairs enough to be judged.
        fell: whether it got significantly worse.
    """

    key: str
    value: str
    n: int
    delta: float
    counts: SignCounts
    p_worse: float
    enough: bool
    fell: bool

    def to_json(self) -> dict[str, Any]:
        """Return the slice as plain data."""
        return {
            "key": self.key,
            "value": self.value,
            "n": self.n,
            "delta": self.delta,
            "wins": self.counts.wins,
            "ties": self.counts.ties,
            "losses": self.counts.losses,
            "p_worse": self.p_worse,
            "enough": self.enough,
            "fell": self.fell,
        }


def slice_results(
    differences: Sequence[float], metadata: Sequence[Mapping[str, Any]], *, alpha: float = 0.05
) -> tuple[SliceResult, ...]:
    """Return every slice that ``metadata`` tells apart, in order of key and value.

    A key whose examples all share one value makes no slice of its own.
    """
    groups: dict[tuple[str, str], list[float]] = {}
    for key in SLICE_KEYS:
        values = [data.get(key) for data in metadata]
        if len({value for value in values if isinstance(value, str)}) < 2:
            continue
        for difference, value in zip(differences, values, strict=True):
            if isinstance(value, str):
                groups.setdefault((key, value), []).append(difference)
    judged = {name: _p_worse(ds) for name, ds in groups.items() if len(ds) >= LEAST_IN_SLICE}
    by_sign = _holm(judged, alpha)
    return tuple(
        _result(name, ds, name in judged, name in judged and (name in by_sign or harm_shown(ds, alpha)))
        for name, ds in sorted(groups.items())
    )


def harm_shown(differences: Sequence[float], alpha: float) -> bool:
    """Say whether these differences show a loss at all: the process on -d against 0 reaches 1/alpha."""
    return max(e_values([-d for d in differences], 0.0, grid_stakes()), default=1.0) >= 1.0 / alpha


def has_fallen(differences: Sequence[float], alpha: float, tolerated: float) -> bool:
    """Say whether a guarded measure fell: significantly, or by more than ``tolerated`` in the mean."""
    if not differences:
        return False
    return mean(differences) < -tolerated or _p_worse(differences) <= alpha or harm_shown(differences, alpha)


def _result(name: tuple[str, str], differences: list[float], enough: bool, fell: bool) -> SliceResult:
    counts = sign_counts(differences)
    return SliceResult(*name, len(differences), mean(differences), counts, _p_worse(differences), enough, fell)


def _p_worse(differences: Sequence[float]) -> float:
    counts = sign_counts(differences)
    return sign_test(counts.losses, counts.wins)


def _holm(p_values: Mapping[tuple[str, str], float], alpha: float) -> set[tuple[str, str]]:
    fallen: set[tuple[str, str]] = set()
    for rank, (name, p) in enumerate(sorted(p_values.items(), key=lambda item: (item[1], item[0]))):
        if p > alpha / (len(p_values) - rank):
            break
        fallen.add(name)
    return fallen
