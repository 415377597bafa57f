"""Going on with the evidence of a proposal that could not be decided yet.

More unseen cases continue the same betting process: its pairs keep their order, its stakes and its look stay, so
nothing is charged for having looked (anytime-valid; ``docs/verification.md``). More verdicts for each case are another
measurement and a new look, with the bar that goes with it; verdicts that the run's journal holds are not paid again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from honeyguide import __version__
from honeyguide.evals.examples import Dataset, Example
from honeyguide.evals.findings import Finding, StakePlan, Thresholds
from honeyguide.evals.looks import measurement_key
from honeyguide.evals.measuring import PairEvidence, TextUnderTest
from honeyguide.evals.receipts import Receipt
from honeyguide.evals.splitting import conversation_of
from honeyguide.evals.verdicts import Evaluation
from honeyguide.evals.verification import VerificationOptions, VerificationRecord
from honeyguide.evals.verifying import assess, receipt_for, verify
from honeyguide.evolution.decision import AttemptOutcome, Decision, decide, with_suite
from honeyguide.evolution.instruction_search import calls_for
from honeyguide.evolution.wholes import Whole
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, InvalidInput, PolicyRefused
from honeyguide.llm import Cancellation, ModelClient, ModelRole, Spend
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import keep_verification, run_lease
from honeyguide.storage.datasets import holdout_hash
from honeyguide.storage.evaluations import HOLDOUT
from honeyguide.storage.records import AttemptRecord, RunRecord
from honeyguide.storage.run_sink import BASELINE, CANDIDATE
from honeyguide.storage.verifications import STAKES
from honeyguide.workspace.core import Core
from honeyguide.workspace.judging import Judging
from honeyguide.workspace.mining import Mining
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import ROLES, Models, costs_money, judge_for, models_for, require_keys
from honeyguide.workspace.run_files import index_calls, write_evidence
from honeyguide.workspace.run_models import run_models, spend_figures
from honeyguide.workspace.together import joined_of, refs_of_attempt
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.proof import ProofOutlook

OPEN_FINDINGS = frozenset({Finding.INCONCLUSIVE.value, Finding.REGRESSION_SAFE.value})
MOST_REPEATS = 16
OnCase = Callable[[int, int], None]
"""Called after each case with: cases done, cases planned."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A proposal with what its proof rests on."""

    attempt: AttemptRecord
    run: RunRecord
    options: RunOptions
    ref: TargetRef
    proof: dict[str, Any]
    dataset: Dataset
    measured: tuple[PairEvidence, ...]
    fresh: tuple[Example, ...]

    @property
    def repeats(self) -> int:
        return int(self.proof["repeats"])

    @property
    def look(self) -> int:
        return int(self.proof["evidence"]["look"])

    def with_fresh(self) -> Dataset:
        """The run's dataset with the cases that came since in its holdout."""
        known = {example.id for example in self.dataset.holdout}
        return replace(
            self.dataset, holdout=(*self.dataset.holdout, *(e for e in self.fresh if e.id not in known)), drops=()
        )


class Continuing:
    """Says whether the evidence of a proposal can go on, and goes on with it."""

    def __init__(self, core: Core, mining: Mining, judging: Judging) -> None:
        self._core = core
        self._mining = mining
        self._judging = judging

    async def outlook(self, uuid: str) -> ProofOutlook:
        """Say what could be measured further and at how many calls; calls nothing. Raises NotFound, Conflict."""
        found = await self._load(uuid)
        cases = [pair.example for pair in found.measured]
        more = min(max(found.proof.get("more_repeats") or 2 * found.repeats, found.repeats + 1), MOST_REPEATS)
        return ProofOutlook(
            uuid=uuid,
            measured=len(found.measured),
            fresh=len(found.fresh),
            fresh_calls=_calls(found.fresh, found.repeats),
            repeats=found.repeats,
            more_repeats=more,
            repeats_calls=_calls(cases, more - found.repeats),
            advice=str(found.proof.get("advice", "")),
            more_examples=found.proof.get("more_examples"),
            costs_money=costs_money(self._core, found.options),
        )

    async def go_on(
        self,
        uuid: str,
        *,
        repeats: int | None,
        is_confirmed: bool,
        origin: Origin,
        on_case: OnCase | None = None,
    ) -> None:
        """Measure the cases that came since, or every case with ``repeats`` verdicts, and conclude anew.

        Raises:
            NotFound, Conflict: there is no such proposal, it is decided, or there is nothing more to measure.
            InvalidInput: fewer verdicts than it has.
            PolicyRefused: it costs money and nobody agreed to that, or the judge did not pass its exam.
            Locked: a run works on the target.
            Interrupted: it was stopped; what was paid for is in the run's journal.
        """
        found = await self._load(uuid)
        wanted = found.repeats if repeats is None else repeats
        if not found.repeats <= wanted <= MOST_REPEATS:
            raise InvalidInput(
                f"{wanted} verdicts per case are out of bounds.", hint=f"Use {found.repeats + 1} to {MOST_REPEATS}."
            )
        if wanted == found.repeats and not found.fresh:
            raise Conflict(
                f"There are no unseen cases beyond the {len(found.measured)} that were measured.",
                hint=f"Import more history, or ask for more verdicts per case: --repeats {2 * found.repeats}.",
            )
        models = models_for(self._core, found.options)
        if costs_money(self._core, found.options) and not is_confirmed:
            outlook = await self.outlook(uuid)
            raise PolicyRefused(
                "Going on costs money and nobody confirmed it.", hint="Add --yes.", details=outlook.to_json()
            )
        await require_keys(self._core, models)
        await self._judging.require_passed(models[ModelRole.JUDGE])
        async with AsyncExitStack() as held:
            for name in sorted(run_lease(ref.kind.value, ref.name) for ref in refs_of_attempt(found.attempt)):
                await held.enter_async_context(self._core.store.lease(name))
            await self._measure(found, wanted, models, origin, on_case)

    async def _measure(
        self, found: _Open, repeats: int, models: Models, origin: Origin, on_case: OnCase | None
    ) -> None:
        uuid, dataset = found.attempt.uuid, found.with_fresh()
        cases = [*(pair.example for pair in found.measured), *found.fresh]
        is_same = repeats == found.repeats
        todo = _calls(found.fresh, repeats) if is_same else _calls(cases, repeats)
        cancel = Cancellation()
        try:
            async with run_models(
                self._core, uuid, cancel, max_calls=max(todo, 1),
                max_usd=self._core.settings.get("limits.usd_per_run"), on_top=True,
            ) as opened:  # fmt: skip
                clients: dict[ModelRole, ModelClient] = {role: opened.client(models[role]) for role in ROLES}
                look = found.look if is_same else await self._new_look(found, repeats, cases)
                options = VerificationOptions(
                    thresholds=Thresholds(min_delta=max(found.options.min_delta, 0.0)),
                    repeats=repeats, look=look, seed=found.options.seed, concurrency=found.options.concurrency,
                )  # fmt: skip
                before, after = TextUnderTest(found.run.baseline_text), TextUnderTest(found.run.winner_text)
                judge = judge_for(clients, models, joined_of(found.run))
                receipt = receipt_for(
                    before, after, cases, judge, (), options, _kept_parts(found) | {"dataset": dataset.dataset_hash}
                )
                stakes = StakePlan.from_json(found.proof[STAKES])
                measured = found.measured if is_same else ()
                earlier = VerificationRecord(
                    assess(measured, len(measured), stakes, options, receipt=receipt), tuple(measured), stakes
                )
                record = await verify(
                    before, after, cases, judge, (), options, cancellation=cancel, earlier=earlier, receipt=receipt,
                    progress=None if on_case is None else lambda done, planned, evidence: on_case(done, planned),
                )  # fmt: skip
                await opened.sync()
                spend = opened.spend
        finally:
            await index_calls(self._core, uuid)
        await self._keep(found, dataset, record, spend, origin)

    async def _keep(
        self, found: _Open, dataset: Dataset, record: VerificationRecord, spend: Spend, origin: Origin
    ) -> None:
        uuid, verification = found.attempt.uuid, record.verification
        decision = _decision(found, record)

        def keep(unit: Any) -> None:
            saved = unit.datasets.save(dataset, found.ref)
            figures = keep_verification(unit, uuid, holdout_hash(dataset), record)
            unit.runs.remeasured(uuid, round(verification.delta or 0.0, 6))
            unit.attempts.finish(
                uuid, "proposed", decision.reason, dataset_hash=saved.dataset_hash, needs_note=decision.needs_note,
                can_accept=decision.can_accept, **figures, **spend_figures(spend),
            )  # fmt: skip
            if decision.outcome is AttemptOutcome.SKIPPED_GATES:
                unit.runs.reject(uuid, f"verification failure: {decision.reason}")

        await self._core.store.write(keep, actor=origin.for_store, durable=True)
        await self._core.in_thread(lambda: write_evidence(self._core.layout, uuid, record))

    async def _new_look(self, found: _Open, repeats: int, cases: Sequence[Example]) -> int:
        key = measurement_key(sha256_hex(found.run.baseline_text), sha256_hex(found.run.winner_text), repeats)
        ids, uuid = [case.id for case in cases], found.attempt.uuid
        look = await self._core.store.write(lambda unit: unit.verifications.take_look(key, ids, uuid))
        return int(look.number)

    async def _load(self, uuid: str) -> _Open:
        def read(unit: Any) -> tuple[Any, ...]:
            attempt, run = unit.attempts.require(uuid), unit.runs.get(uuid)
            stored = unit.verifications.get(uuid)
            sides = [unit.evaluations.of(uuid, HOLDOUT, side) for side in (BASELINE, CANDIDATE)]
            return attempt, run, stored, sides

        attempt, run, stored, sides = await self._core.store.read(read)
        proof = {} if stored is None else dict(stored.details)
        if run is None or run.status != "proposed" or stored is None or proof.get("outcome") not in OPEN_FINDINGS:
            raise Conflict(
                f"The evidence of run {uuid} is not open.",
                hint="Only a proposal that is not proven yet can be measured further.",
            )
        known = attempt.dataset_hash
        if STAKES not in proof or known is None:
            raise Conflict(
                f"Run {uuid} was measured by a version that did not keep its stakes.", hint="Start a new run."
            )
        dataset = await self._core.store.read(lambda unit: unit.datasets.load(known))
        options = RunOptions.from_json(attempt.options)
        ref = TargetRef(TargetKind(attempt.target_kind), attempt.target_name or "")
        measured = _pairs(dataset, *sides, repeats=int(proof["repeats"]))
        now = await self._mining.dataset(refs_of_attempt(attempt), options.seed)
        return _Open(attempt, run, options, ref, proof, dataset, measured, _fresh(dataset, now, measured))


def _fresh(dataset: Dataset, now: Dataset, measured: Sequence[PairEvidence]) -> tuple[Example, ...]:
    """Return what no stage of the run has seen: the rest of its holdout, and holdout conversations that came since."""
    known = {pair.example.id for pair in measured}
    developed = [*dataset.train, *dataset.validation]
    ids, conversations = {e.id for e in developed}, {conversation_of(e) for e in developed}
    found: dict[str, Example] = {}
    for example in (*dataset.holdout, *now.holdout):
        is_seen = example.id in ids or conversation_of(example) in conversations
        if example.id not in known and not is_seen:
            found.setdefault(example.id, example)
    return tuple(found.values())


def _pairs(
    dataset: Dataset, before: Sequence[Evaluation], after: Sequence[Evaluation], *, repeats: int
) -> tuple[PairEvidence, ...]:
    """Return the measured pairs in the order in which they were measured. Those of deleted traces are gone."""
    examples = {example.id: example for example in dataset.holdout}
    sides: tuple[dict[str, list[Evaluation]], ...] = ({}, {})
    for side, evaluations in zip(sides, (before, after), strict=True):
        for evaluation in sorted(evaluations, key=lambda e: e.repetition):
            if evaluation.repetition < repeats:
                side.setdefault(evaluation.example_id, []).append(evaluation)
    order = dict.fromkeys(evaluation.example_id for evaluation in before)
    return tuple(
        PairEvidence(examples[name], tuple(sides[0][name]), tuple(sides[1][name]))
        for name in order
        if name in examples and name in sides[0] and name in sides[1]
    )


def _decision(found: _Open, record: VerificationRecord) -> Decision:
    verification, whole = record.verification, Whole(joined_of(found.run))
    decision = decide(
        verification.outcome, verification.because,
        live=whole.applied(found.run.baseline_text), candidate=whole.applied(found.run.winner_text),
        allow_safe=found.options.allow_safe, reason=verification.reason,
    )  # fmt: skip
    for gate in json.loads(found.run.gate_reasons_json):
        if gate["gate"] == "suite":
            decision = with_suite(decision, Finding(gate["detail"]["outcome"]), gate["reason"])
    if decision.outcome is AttemptOutcome.SKIPPED_DELTA:  # it is a proposal already; a person decides what it is worth
        return Decision(AttemptOutcome.PROPOSED, decision.reason, needs_note=True)
    return decision


def _kept_parts(found: _Open) -> dict[str, str]:
    """Return the parts of the first receipt that more evidence does not change."""
    parts = Receipt.from_json(found.proof["receipt"]).parts if found.proof.get("receipt") else {}
    kept = {name: parts[name] for name in ("development", "gates", "together") if name in parts}
    return {**kept, "program": __version__}


def _calls(cases: Sequence[Example], repeats: int) -> int:
    return 2 * repeats * sum(calls_for(case) for case in cases)
