"""What a run leaves for those who review it: its generations, its finalists, and the answers before and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from honeyguide.evals.examples import Dataset
from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.compose import ComposeResult
from honeyguide.evolution.gates.results import GateResult
from honeyguide.evolution.requests import EvolutionRequest, stored_results


@dataclass(frozen=True, slots=True)
class Trial:
    """A finalist before the gates.

    Attributes:
        delta: its gain on development data.
        gates: what every gate said.
    """

    id: str
    text: str
    delta: float
    gates: tuple[GateResult, ...]


def artifacts_of(
    request: EvolutionRequest,
    composed: ComposeResult | None,
    dataset: Dataset | None,
    trials: Sequence[Trial],
    ablation: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the contract's ``artifacts``; ``paretoFrontSize`` is the schema stage's where there was one."""
    front = 0
    if composed is not None:
        front = len(composed.schema_stage.front if composed.schema_stage else composed.instruction_stage.front)
    return {
        "runSeed": request.seed,
        "generations": request.settings.instruction.generations,
        "paretoFrontSize": front,
        "exampleCount": len(dataset) if dataset is not None else 0,
        "history": [record.to_json() for record in composed.generations] if composed else [],
        "finalists": [{"id": t.id, "delta": round(t.delta, 6), "gateResults": stored_results(t.gates)} for t in trials],
        **({"texts": [str(text.target) for text in request.texts]} if request.texts else {}),
        "structure": composed.schema_note if composed else "",
        "stopReason": composed.instruction_stage.stop_reason if composed else "",
        **({} if ablation is None else {"ablation": dict(ablation)}),
    }


def evidence_of(composed: ComposeResult | None, trial: Trial | None) -> tuple[Mapping[str, Any], ...]:
    """Return per validation example the answers and scores of the live text and of the text that was tried."""
    if composed is None or trial is None:
        return ()
    after = next((f.measurement for f in composed.finalists if f.candidate.id == trial.id), None)
    if after is None:
        return ()
    by_id = {e.example_id: e for e in after.evaluations}
    return tuple(
        {"example_id": e.example_id, "baseline": _side(e), "candidate": _side(by_id.get(e.example_id))}
        for e in composed.instruction_stage.live.evaluations
    )


def _side(evaluation: Evaluation | None) -> dict[str, Any] | None:
    if evaluation is None:
        return None
    verdict = evaluation.verdict
    return {
        "answer": evaluation.actual,
        "score": verdict.overall,
        "feedback": verdict.feedback,
        "unscored_reason": verdict.unscored_reason,
    }
