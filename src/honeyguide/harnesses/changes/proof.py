"""Proof before the queue: recorded inputs run again on the present and the proposed state, in private copies.

An input counts 1 where the run ends in success, 0 where it ends otherwise, and nothing where the model could not be
reached. Code that nobody approved is not run, so changes of code and of capabilities are left out and named.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.evals.findings import LABELS, Finding, StakePlan, Thresholds, conclude, weigh
from honeyguide.evals.statistics import bootstrap_interval, mean, sign_counts, sign_test
from honeyguide.harnesses.changes.editing import with_values
from honeyguide.harnesses.changes.files import private_copy
from honeyguide.harnesses.changes.gate import GateResult
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.statistics import Labels
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.kernel.choice import unit
from honeyguide.kernel.errors import BudgetExceeded
from honeyguide.traces.readers.hiveloom import read_journal
from honeyguide.traces.readers.protocol import ReadContext

UNPROVEN: Final = "unproven"
_UNSCORED: Final = frozenset({"error", "stopped"})
Rerun = Callable[[Harness, str, int], Awaitable[RunOutcome]]
"""Runs an input on a folder; the number tells repetitions apart."""


@dataclass(frozen=True, slots=True)
class Replayable:
    """A recorded input, and whether its run had failed."""

    run_id: str
    input: str
    had_failed: bool


def unproven(reason: str) -> dict[str, Any]:
    """Return what a proposal says that nobody measured."""
    return {"state": UNPROVEN, "label": "Unproven", "because": reason}


def replayable_inputs(
    harness: Harness, runs: Sequence[RunSummary], labels: Labels, count: int, seed: int = 1
) -> list[Replayable]:
    """Return different inputs of these runs, failing and passing ones in turn, in an order given by a hash."""
    found: dict[str, Replayable] = {}
    for run in reversed(runs):
        if run.is_finished and run.status not in _UNSCORED and run.chain != "broken":
            text = recorded_input(harness.trace_dir, run)
            if text and text not in found:
                failed = run.is_failure or labels.get(run.run_id) == "failure"
                found[text] = Replayable(run.run_id, text, failed)
        if len(found) >= 4 * count:
            break
    ordered = sorted(found.values(), key=lambda one: unit(seed, "replay", one.run_id))
    failing = [one for one in ordered if one.had_failed]
    passing = [one for one in ordered if not one.had_failed]
    chosen: list[Replayable] = []
    while (failing or passing) and len(chosen) < count:
        for group in (failing, passing):
            if group and len(chosen) < count:
                chosen.append(group.pop(0))
    return chosen


def recorded_input(trace_dir: Path, run: RunSummary) -> str:
    """Return the whole input of a run from its journal; empty when it is gone or was no text."""
    path = trace_dir / run.trace
    if not run.trace or not path.is_file():
        return ""
    with path.open("rb") as stream:
        found = read_journal(stream, ReadContext(name=run.trace)).runs.get(run.run_id)
    value = found.started.payload.get("input") if found is not None and found.started is not None else None
    return value if isinstance(value, str) else ""


async def prove(
    harness: Harness,
    judged: GateResult,
    inputs: Sequence[Replayable],
    rerun: Rerun,
    *,
    thresholds: Thresholds | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, Any]:
    """Run every input on both states, within the budget of ``rerun``, and conclude."""
    thresholds = thresholds or Thresholds()
    needing = {capability.path for capability in judged.capabilities}
    changes = [(c.path, c.value) for c in judged.accepted if c.path not in needing]
    left_out = sorted({*needing, *(c.file for c in judged.code_changes)})
    if not changes:
        return unproven("what is left of it needs an approval before it may be run") | {"left_out": left_out}
    pairs: list[tuple[Replayable, float | None, float | None]] = []
    trials: list[dict[str, Any]] = []
    stopped = ""
    text = with_values(harness.document.text, changes)
    with private_copy(harness) as present, private_copy(harness, text) as proposed:
        for number, one in enumerate(inputs):
            try:
                now, then = [await rerun(side, one.input, number) for side in (present, proposed)]
            except BudgetExceeded:
                stopped = "budget"
                break
            pairs.append((one, _score(now), _score(then)))
            trials.append(_trial(one, now, then))
            progress(number + 1, len(inputs))
    return _concluded(pairs, len(inputs), thresholds, stopped) | {"left_out": left_out, "trials": trials}


def _score(outcome: RunOutcome) -> float | None:
    return None if outcome.status in _UNSCORED else float(outcome.is_success)


def _trial(one: Replayable, now: RunOutcome, then: RunOutcome) -> dict[str, Any]:
    """Return how one input went on both sides; it is named by its run, for a proposal keeps no payload."""
    return {"run_id": one.run_id, "had_failed": one.had_failed, "current": now.status, "proposal": then.status}


def _concluded(
    pairs: Sequence[tuple[Replayable, float | None, float | None]], planned: int, thresholds: Thresholds, stopped: str
) -> dict[str, Any]:
    scored = [(one, a, b) for one, a, b in pairs if a is not None and b is not None]
    if not scored:
        return unproven("no input could be run on both states within the budget")
    differences = [b - a for _, a, b in scored]
    evidence = weigh(differences, StakePlan.learn([], thresholds), thresholds)
    missing = 1 - len(scored) / len(pairs)
    conclusion = conclude(len(scored), evidence, thresholds, unscored_share=missing)
    counts = sign_counts(differences)
    interval = bootstrap_interval(differences, 1)
    harmed = [one.run_id for one, a, b in scored if not one.had_failed and b < a]
    return {
        "state": "measured",
        "outcome": conclusion.finding.value,
        "label": LABELS[conclusion.finding],
        "because": conclusion.because,
        "n": len(scored),
        "planned": planned,
        "repeats": 1,
        "baseline": mean([a for _, a, _ in scored]),
        "candidate": mean([b for _, _, b in scored]),
        "delta": mean(differences),
        "interval": [interval.low, interval.high],
        "confidence": 0.95,
        "p_value": min(1.0, 1 / evidence.gain),
        "sign_p": sign_test(counts.wins, counts.losses),
        "unscored": len(pairs) - len(scored),
        "wins": counts.wins,
        "ties": counts.ties,
        "losses": counts.losses,
        "run_ids": [one.run_id for one, _, _ in scored],
        "no_longer_passing": harmed,
        "stopped": stopped,
    }


def is_worse(proof: dict[str, Any] | None) -> bool:
    """Say whether the proof shows harm."""
    return bool(proof) and (proof or {}).get("outcome") == Finding.REJECTED.value
