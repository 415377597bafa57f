"""Runs of two versions matched case by case: the same evaluation case, or else the same input."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from honeyguide.harnesses.evidence.metrics import Metric
from honeyguide.harnesses.evidence.runs import TASK_CHARACTERS, RunSummary

LEAST_PAIRS: Final = 5
Cell = tuple[str, str, int]
"""Evaluation, case, repetition."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of run ids (older version, newer version), and what makes them pairs."""

    pairs: tuple[tuple[str, str], ...] = ()
    basis: str = ""


def cells_of(metrics: Iterable[Metric]) -> dict[str, Cell]:
    """Return run id to the evaluation case it ran, as far as an evaluator said."""
    return {m.run_id: (m.eval_id or m.source, m.case_key, m.repetition) for m in metrics if m.case_key is not None}


def pairs_of(before: Sequence[RunSummary], after: Sequence[RunSummary], cells: Mapping[str, Cell]) -> Pairs:
    """Match runs by evaluation case where that gives enough pairs, else by input; the newest run of a case counts."""
    by_case = _matched(
        {cells[r.run_id]: r.run_id for r in _oldest_first(before) if r.run_id in cells},
        {cells[r.run_id]: r.run_id for r in _oldest_first(after) if r.run_id in cells},
    )
    if len(by_case) >= LEAST_PAIRS:
        return Pairs(by_case, "eval case")
    by_input = _matched(_inputs(before), _inputs(after))
    return Pairs(by_input, "same input") if by_input else Pairs()


def _inputs(runs: Sequence[RunSummary]) -> dict[tuple[str, int], str]:
    """Return (input, how often it had been seen) to run id; inputs that were cut off tell nothing."""
    seen: dict[str, int] = {}
    found: dict[tuple[str, int], str] = {}
    for run in _oldest_first(runs):
        if run.task and len(run.task) < TASK_CHARACTERS:
            number = seen.get(run.task, 0)
            seen[run.task] = number + 1
            found[run.task, number] = run.run_id
    return found


def _matched(left: Mapping[Any, str], right: Mapping[Any, str]) -> tuple[tuple[str, str], ...]:
    shared = sorted(set(left) & set(right), key=str)
    return tuple((left[key], right[key]) for key in shared)


def _oldest_first(runs: Sequence[RunSummary]) -> list[RunSummary]:
    return sorted(runs, key=lambda run: (run.finished_at or "", run.run_id))
