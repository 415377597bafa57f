"""An attempt as the orchestrator's sink: what it hands over is stored in one transaction at its end.

A process that dies before that leaves a running attempt without a living owner; it is resumed on its journal and
hands over the same again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from honeyguide.kernel.errors import BudgetExceeded, Interrupted
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage.datasets import holdout_hash
from honeyguide.storage.evaluations import HOLDOUT
from honeyguide.storage.records import CandidateRecord, RunDraft
from honeyguide.storage.text import json_text
from honeyguide.storage.unit import Unit

if TYPE_CHECKING:  # the engine brings numpy with it, which an agent that only records does not need
    from honeyguide.evals.examples import Dataset
    from honeyguide.evals.verification import VerificationRecord
    from honeyguide.evolution.requests import OrchestratorResult, RunRecord
    from honeyguide.storage.store import Store

ABORTED = "aborted"
KEPT_OF_RESULT = ("gateResults", "composeSummary")
"""Parts of the result payload that stand nowhere else; an ended attempt's ``progress`` holds them."""

BASELINE = "baseline"
CANDIDATE = "candidate"
"""Under these ids the two sides of a verification are stored as evaluations."""


class StoredAttempt:
    """``evolution.RunSink`` for one attempt that was started with ``AttemptsRepository.start`` or ``resume``."""

    def __init__(self, store: Store, uuid: str, ref: TargetRef) -> None:
        self.uuid = uuid
        self.ref = ref
        self._store = store
        self._run: RunRecord | None = None
        self._dataset: Dataset | None = None

    async def keep_dataset(self, dataset: Dataset) -> Dataset:
        """Store the attempt's dataset and return it; call it from ``RunPorts.dataset``."""
        self._dataset = dataset

        def keep(unit: Unit) -> None:
            record = unit.datasets.save(dataset, self.ref)
            unit.attempts.note(self.uuid, dataset_hash=record.dataset_hash)

        await self._store.write(keep)
        return dataset

    async def claim_look(self, measurement: str, examples: Sequence[str]) -> int:
        """``RunPorts.claim_look``: enter a look into the ledger and return its number."""
        look = await self._store.write(lambda unit: unit.verifications.take_look(measurement, examples, self.uuid))
        return look.number

    async def store_run(self, run: RunRecord) -> None:
        """Keep the run until the attempt ends; both are stored together."""
        self._run = run

    async def close_attempt(self, result: OrchestratorResult) -> None:
        """Store what came of the attempt: run, verification, answers, candidates, figures."""
        await self._store.write(lambda unit: self._close(unit, result), durable=True)

    def _close(self, unit: Unit, result: OrchestratorResult) -> None:
        payload = result.to_json()
        figures: dict[str, Any] = {
            "calls": result.spend.calls,
            "replayed_calls": result.spend.replayed_calls,
            "input_tokens": result.spend.input_tokens,
            "output_tokens": result.spend.output_tokens,
            "cost_usd": result.spend.usd,
            "failed_gate": next((gate.gate for gate in result.gate_results if not gate.passed), None),
            "progress": {key: payload[key] for key in KEPT_OF_RESULT},
        }
        unit.candidates.save(self.uuid, candidates_of(result.artifacts))
        if result.verification is not None:
            sealed = holdout_hash(self._dataset) if self._dataset is not None else ""
            figures |= keep_verification(unit, self.uuid, sealed, result.verification)
        run = self._run or result.run
        if run is not None:
            rejected_because = (run.user_note or "") if run.status == "rejected" else None
            unit.runs.create(self._draft(run), rejected_because=rejected_because)
            figures |= {"delta": run.delta_accuracy, "needs_note": run.needs_note, "can_accept": run.can_accept}
            figures["gate_verdict"] = run.gate_verdict
        unit.attempts.finish(self.uuid, state_of(result), result.reason or None, **figures)

    def _draft(self, run: RunRecord) -> RunDraft:
        return RunDraft(
            run_uuid=self.uuid,
            target_kind=run.target_kind,
            target_name=run.target_name,
            baseline_text=run.baseline_text,
            winner_text=run.winner_text,
            delta_accuracy=run.delta_accuracy,
            gate_verdict=run.gate_verdict,
            gate_reasons_json=json_text([dict(reason) for reason in run.gate_reasons]),
            winner_schema_json=None if run.winner_schema is None else json_text(dict(run.winner_schema)),
            artifacts_json=json_text(dict(run.artifacts)),
        )


def keep_verification(unit: Unit, uuid: str, holdout: str, record: VerificationRecord) -> dict[str, Any]:
    """Store a verification with its answers; return the figures of its attempt."""
    found = record.verification
    unit.verifications.save(uuid, CANDIDATE, holdout, found, record.stakes)
    before = [evaluation for pair in record.pairs for evaluation in pair.baseline]
    after = [evaluation for pair in record.pairs for evaluation in pair.candidate]
    unit.evaluations.save(uuid, HOLDOUT, BASELINE, before)
    unit.evaluations.save(uuid, HOLDOUT, CANDIDATE, after)
    interval = found.interval
    return {
        "finding": found.outcome.value,
        "delta": found.delta,
        "interval_low": None if interval is None else interval.low,
        "interval_high": None if interval is None else interval.high,
    }


def state_of(result: OrchestratorResult) -> str:
    """Return the attempt's state: the outcome, or ``failed`` where an error other than a stop or a budget ended it."""
    stopped = (BudgetExceeded, Interrupted)
    if result.outcome.value == ABORTED and result.error is not None and not isinstance(result.error, stopped):
        return "failed"
    return result.outcome.value


def candidates_of(artifacts: Mapping[str, Any]) -> list[CandidateRecord]:
    """Return the candidates in the ``history`` of a run's artifacts."""
    finalists = {item["id"]: item.get("gateResults", ()) for item in artifacts.get("finalists", ())}
    found: dict[tuple[str, str], CandidateRecord] = {}
    for generation in artifacts.get("history", ()):
        front = set(generation["front"])
        for item in generation["candidates"]:
            found[generation["stage"], item["id"]] = CandidateRecord(
                stage=generation["stage"],
                candidate_id=item["id"],
                text=item["text"],
                parent_id=item.get("parent"),
                strategy=item.get("strategy"),
                generation=item.get("generation", generation["generation"]),
                schema=item.get("schema"),
                scores=item.get("scores") or {},
                complexity=item.get("complexity"),
                on_front=item["id"] in front,
                is_finalist=item["id"] in finalists,
                gate_results=tuple(finalists.get(item["id"], ())),
            )
    return list(found.values())
