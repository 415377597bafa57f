"""What the orchestrator hands over is stored whole at the end of an attempt."""

from __future__ import annotations

import asyncio
import json

import pytest

from honeyguide.evals.examples import Dataset, Example
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.evolution.decision import AttemptOutcome
from honeyguide.evolution.metering import Spend
from honeyguide.evolution.requests import OrchestratorResult, RunRecord
from honeyguide.kernel.errors import BudgetExceeded, HoneyguideError, Unreachable
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import StoredAttempt
from honeyguide.storage.records import AttemptRecord

CODER = TargetRef(TargetKind.PERSONA, "coder")
ARTIFACTS = {
    "runSeed": 1,
    "history": [
        {
            "stage": "instruction",
            "generation": 0,
            "candidates": [
                {"id": "g0-baseline", "parent": None, "strategy": "baseline", "generation": 0, "text": "old"},
            ],
            "front": ["g0-baseline"],
            "best": "g0-baseline",
        },
        {
            "stage": "instruction",
            "generation": 1,
            "candidates": [
                {"id": "g1-m0", "parent": "g0-baseline", "strategy": "tighten-format", "generation": 1, "text": "new",
                 "scores": {"overall": 0.8}},
            ],
            "front": ["g1-m0"],
            "best": "g1-m0",
        },
    ],
    "finalists": [{"id": "g1-m0", "gateResults": [{"gate": "size", "verdict": "pass"}]}],
}  # fmt: skip


def run_record(status: str = "proposed", note: str | None = None, **fields) -> RunRecord:
    return RunRecord(
        target_kind="persona-system-prompt",
        target_name="coder",
        baseline_text="old",
        winner_text="new",
        winner_schema={"name": "s"},
        delta_accuracy=0.125,
        gate_verdict="pass" if status == "proposed" else "fail",
        gate_reasons=({"gate": "size", "verdict": "pass", "reason": "ok"},),
        status=status,
        artifacts=ARTIFACTS,
        user_note=note,
        **fields,
    )


def result(outcome: AttemptOutcome, reason: str = "because", **fields) -> OrchestratorResult:
    return OrchestratorResult(outcome, reason, artifacts=ARTIFACTS, spend=Spend(40, 4, 900, 80, 0.25), **fields)


@pytest.fixture
def attempt(store) -> StoredAttempt:
    store.write_now(lambda unit: unit.attempts.start(AttemptRecord("u1", "persona-system-prompt", "coder")))
    return StoredAttempt(store, "u1", CODER)


def hand_over(attempt: StoredAttempt, ended: OrchestratorResult, run: RunRecord | None = None) -> None:
    async def both() -> None:
        if run is not None:
            await attempt.store_run(run)
        await attempt.close_attempt(ended)

    asyncio.run(both())


def test_a_proposal_is_stored_with_its_figures_candidates_and_lineage(store, attempt):
    hand_over(attempt, result(AttemptOutcome.PROPOSED), run_record(needs_note=True))
    run = store.read_now(lambda unit: unit.runs.require("u1"))
    row = store.read_now(lambda unit: unit.attempts.require("u1"))
    line = store.read_now(lambda unit: unit.candidates.lineage("u1", "g1-m0"))
    assert (run.status, json.loads(run.winner_schema_json or ""), run.delta_accuracy) == (
        "proposed",
        {"name": "s"},
        0.125,
    )
    assert json.loads(run.artifacts_json or "") == ARTIFACTS
    assert (row.shown_state, row.needs_note, row.can_accept, row.calls, row.replayed_calls, row.cost_usd) == (
        "proposed", True, True, 40, 4, 0.25,
    )  # fmt: skip
    assert [(c.candidate_id, c.on_front, c.is_finalist) for c in line] == [
        ("g0-baseline", True, False), ("g1-m0", True, True),
    ]  # fmt: skip


def test_a_run_that_the_gates_refused_is_stored_as_rejected(store, attempt):
    hand_over(
        attempt, result(AttemptOutcome.SKIPPED_GATES), run_record("rejected", "gate failure: size", can_accept=False)
    )
    run = store.read_now(lambda unit: unit.runs.require("u1"))
    row = store.read_now(lambda unit: unit.attempts.require("u1"))
    assert (run.status, run.user_note) == ("rejected", "gate failure: size")
    assert (row.shown_state, row.can_accept) == ("skipped-gates", False)


@pytest.mark.parametrize(
    ("outcome", "error", "state"),
    [
        (AttemptOutcome.SKIPPED_DELTA, None, "skipped-delta"),
        (AttemptOutcome.SKIPPED_TRIGGER, None, "skipped-trigger"),
        (AttemptOutcome.ABORTED, BudgetExceeded("no more"), "aborted"),
        (AttemptOutcome.ABORTED, Unreachable("no answer"), "failed"),
    ],
)
def test_an_attempt_without_a_run_leaves_no_row_in_the_public_table(
    store, attempt, outcome: AttemptOutcome, error: HoneyguideError | None, state: str
):
    hand_over(attempt, result(outcome, "why", error=error))
    row = store.read_now(lambda unit: unit.attempts.require("u1"))
    assert (row.shown_state, row.reason) == (state, "why")
    assert store.read_now(lambda unit: unit.runs.get("u1")) is None


def test_a_process_that_dies_before_the_end_leaves_nothing_of_the_run(store, attempt):
    asyncio.run(attempt.store_run(run_record()))
    assert store.read_now(lambda unit: unit.runs.get("u1")) is None
    assert store.write_now(lambda unit: unit.attempts.sweep()) == ("u1",)


def test_the_dataset_is_kept_with_the_attempt_and_a_look_is_counted(store, attempt):
    examples = tuple(Example(f"e{n}", f"q{n}", "a") for n in range(3))
    sealed = Dataset(examples[:1], examples[1:2], examples[2:], seed=1)

    async def work() -> list[int]:
        await attempt.keep_dataset(sealed)
        return [await attempt.claim_look(m, ["e2"]) for m in ("a", "a", "b")]

    assert asyncio.run(work()) == [1, 1, 2]
    assert store.read_now(lambda unit: unit.attempts.require("u1")).dataset_hash == sealed.dataset_hash


def test_verification_and_its_answers_are_stored_for_the_review(store, attempt):
    from honeyguide.evals.findings import Finding, Thresholds
    from honeyguide.evals.measuring import PairEvidence
    from honeyguide.evals.receipts import Receipt
    from honeyguide.evals.statistics import Interval
    from honeyguide.evals.verification import StakePlan, Verification, VerificationRecord

    example = Example("e1", "q", "a")
    score = JudgeScore(0.5, 0.5, 0.5, 0.5, 1.0, 0.5)
    pair = PairEvidence(
        example,
        (Evaluation("e1", "before", Verdict(score)),),
        (Evaluation("e1", "after", Verdict(None, unscored_reason="judge-failed")),),
    )
    found = Verification(
        outcome=Finding.INCONCLUSIVE, reason="too-few-examples", because="Too few.", n=1, planned=1, repeats=1,
        baseline=0.5, candidate=0.6, delta=0.1, interval=Interval(-0.1, 0.3), confidence=0.95, p_value=1.0, sign_p=0.5,
        noise_floor=None, unscored=1, verdicts=2, wins=1, ties=0, losses=0, e_value=1.0, safety_e_value=1.0,
        harm_e_value=1.0, bar=40.0, look=1, correctness_delta=None, unscored_reasons={"judge-failed": 1}, slices=(),
        smallest_lift=None, more_examples=None, more_repeats=None, receipt=Receipt({"seed": "1"}),
    )  # fmt: skip
    record = VerificationRecord(found, (pair,), StakePlan.learn([0.1, -0.1], Thresholds()))
    sealed = Dataset((), (), (example,), seed=1)
    asyncio.run(attempt.keep_dataset(sealed))
    hand_over(attempt, result(AttemptOutcome.PROPOSED, verification=record), run_record())

    stored = store.read_now(lambda unit: unit.verifications.get("u1"))
    assert (stored.outcome, stored.label, stored.interval_low, stored.n) == ("inconclusive", found.label, -0.1, 1)
    told = json.loads(json.dumps(found.to_json()))
    assert stored.details == told | {"stakes": stored.details["stakes"]}
    assert stored.receipt == found.receipt.digest
    (row,) = store.read_now(lambda unit: unit.evaluations.evidence("u1", "baseline", "candidate"))
    assert (row.before, row.after, row.score_before, row.score_after, row.unscored) == ("before", "after", 0.5, None, 1)
    assert store.read_now(lambda unit: unit.attempts.require("u1")).finding == "inconclusive"
