"""Drafting changes of harness folders: the plan, the strong model, the gate, the proof, the queue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from honeyguide.evals.examples import Example
from honeyguide.evolution.plan import Reason
from honeyguide.harnesses.changes.drafting import Draft, draft, plan_draft, require_allowed
from honeyguide.harnesses.changes.gate import GateResult, gate
from honeyguide.harnesses.changes.proof import UNPROVEN, prove, replayable_inputs, unproven
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.evidence.assessment import assess_all
from honeyguide.harnesses.evidence.labels import outcomes_of
from honeyguide.harnesses.evidence.plain_words import PlainWords
from honeyguide.harnesses.evidence.report import Attempt, Report, attempt_of, build_report, nothing_to_evolve
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.ports import RunPorts
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.harnesses.running.runner import run_harness
from honeyguide.harnesses.running.support import model_ref, unsupported_parts
from honeyguide.harnesses.spec.references import BuiltinGuardrail
from honeyguide.kernel.errors import BudgetExceeded, GateRefused, HoneyguideError, PolicyRefused
from honeyguide.llm import ModelClient, ModelRef, ModelReply, ModelRequest, ModelRole, RunModels
from honeyguide.workspace.harness_proof_state import with_receipt
from honeyguide.workspace.harness_records import Opened, records_of, waiting_in_the_hive
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.harness_reviewing import HarnessReviewing
from honeyguide.workspace.views.harnesses import HarnessDocument

CALLS_A_RUN: Final = 8
"""Model calls that one replayed run takes at most, for the plan."""
PROOF_INPUTS: Final = 10
"""Recorded inputs that are run again where a budget is given and nothing else is said."""


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """What a person may say about drafting.

    Attributes:
        notes: findings of their own, beside what the journals show.
        replay: how many recorded inputs are run again on both states; 0 leaves the proposal unproven. Not given, it
            is ``PROOF_INPUTS`` where a budget is, and none where none is.
        confirmed: whether the cost was agreed to.
    """

    model: ModelRef | None = None
    notes: tuple[str, ...] = ()
    replay: int | None = None
    max_usd: float | None = None
    max_calls: int | None = None
    confirmed: bool = False
    trigger: str = "manual"

    @property
    def inputs(self) -> int:
        """How many recorded inputs are run again."""
        if self.replay is not None:
            return self.replay
        return PROOF_INPUTS if self.max_usd is not None or self.max_calls is not None else 0


@dataclass(frozen=True, slots=True)
class Evolved:
    """What drafting came to: nothing to do, a proposal that waited already, or a new one.

    Attributes:
        document: the public shape.
        proposal_id: empty when there is nothing.
        is_new: whether it was drafted now.
    """

    document: HarnessDocument
    proposal_id: str = ""
    is_new: bool = False
    calls: int = 0
    spend: dict[str, Any] = field(default_factory=dict)


class HarnessDrafting(HarnessReviewing):
    """Drafts proposals; what is drafted waits for a person."""

    async def plan(self, path: Path, options: EvolveOptions) -> dict[str, Any]:
        """Return what drafting would take, as a range of calls and money; asks no model."""
        opened, report = await self._report(path, options)
        return await self.home.in_thread(lambda: self._plan(opened, report, options))

    async def evolve(
        self, path: Path, options: EvolveOptions, *, progress: Callable[[str], None] = lambda said: None
    ) -> Evolved:
        """Draft a proposal from the failures of the live version and queue it.

        The same state of failure is paid for once: a proposal that waits for it is returned.

        Raises:
            PolicyRefused: evolution is switched off, or the cost is not agreed to.
            GateRefused: nothing of the draft passes the gate.
            ModelError, BudgetExceeded: no usable draft.
        """
        opened, report = await self._report(path, options)
        harness = opened.harness
        require_allowed(harness.spec)
        if report.is_empty:
            reason = nothing_to_evolve(opened.runs, report.version)
            return Evolved(HarnessDocument({"ok": True, "changed": False, "reason": reason}))
        queue = Queue(harness.ours)
        known = queue.pending_for(harness.identity, report.version, report.dedup_key)
        if known is None:
            state = (report.version, report.dedup_key)
            theirs = waiting_in_the_hive(queue, opened.hive)
            known = next((row for row in theirs if (row.spec_version_hash, row.dedup_key) == state), None)
        if known is not None:
            known = await self._proven(opened, report, known, options, progress)
            return Evolved(HarnessDocument(known.to_json(report.version)), known.id)
        await self._require_agreement(opened, report, options)
        progress("Asking the strong model for a change …")
        models = self._models(options)
        try:
            ref = self._mutator(harness, options)
            drafted = await self._drafted(opened, report, models, ref)
            proof = await self._proof(opened, drafted.proposal, drafted.gate, models, options, progress)
            spend = models.budget.spend.to_json()
        finally:
            await models.close()
        row = self._row(opened, report, drafted.proposal, drafted.gate, options.trigger, proof, spend)
        if drafted.gate.is_empty:
            if options.trigger == "manual":
                said = "; ".join(f"{r.path}: {r.reason}" for r in drafted.gate.rejected[:5]) or "it proposes no change"
                raise GateRefused(f"Nothing of the draft passes the gate: {said}.", details={"calls": drafted.calls})
            row = self._refused(row, "nothing passed the gate")
        stored, is_new = queue.add(row)
        return Evolved(HarnessDocument(stored.to_json(report.version)), stored.id, is_new, drafted.calls, dict(spend))

    async def _proven(
        self,
        opened: Opened,
        report: Report,
        known: QueuedProposal,
        options: EvolveOptions,
        progress: Callable[[str], None],
    ) -> QueuedProposal:
        """Return a proposal that waits, with a proof if it had none and there is a budget for one now."""
        harness = opened.harness
        if not options.inputs or (known.proof or {}).get("state", UNPROVEN) != UNPROVEN:
            return known
        await self._require_agreement(opened, report, options)
        models = self._models(options)
        try:
            judged = gate(harness.spec, harness.document.data, known.parsed)
            proof = await self._proof(opened, known.parsed, judged, models, options, progress)
        finally:
            models.journal.close()
        return Queue(harness.ours).put(replace(known, proof=proof))

    async def _report(self, path: Path, options: EvolveOptions) -> tuple[Opened, Report]:
        def work() -> tuple[Opened, Report]:
            recovered(self.home, path)
            opened = records_of(self.home, path)
            return opened, self._build_report(opened, options)

        return await self.home.in_thread(work)

    def _build_report(self, opened: Opened, options: EvolveOptions) -> Report:
        harness = opened.harness
        return build_report(
            harness.spec,
            harness.version,
            opened.runs,
            opened.labels,
            opened.metrics,
            harness.trace_dir,
            history=self._history(opened),
            notes=options.notes,
            words=PlainWords.of(harness.spec, harness.root, harness.fingerprints),
        )

    def _history(self, opened: Opened) -> list[Attempt]:
        queue = Queue(opened.harness.ours)
        found = assess_all(opened.evolutions, opened.runs, outcomes_of(opened.labels), opened.metrics)
        attempts = [attempt_of(assessment) for assessment in found]
        for row in queue.all("rejected"):
            paths = tuple(c["path"] for c in row.proposal.get("yaml_changes") or [])
            if paths:
                reason = str((row.apply_result or {}).get("reason") or "")
                attempts.append(
                    Attempt("rejected", row.rationale, paths, {"reason": reason[:300]}, row.spec_version_hash)
                )
        return attempts

    def _mutator(self, harness: Harness, options: EvolveOptions) -> ModelRef:
        return options.model or self.home.model_for(ModelRole.MUTATOR)

    def _models(self, options: EvolveOptions) -> RunModels:
        folder = self.home.state / "calls"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / f"{self.home.new_id()}.jsonl"
        return RunModels.open(
            self.home.registry(),
            path,
            max_calls=_least(options.max_calls, self.home.max_calls),
            max_usd=_least(options.max_usd, self.home.max_usd),
            max_tokens=self.home.max_tokens,
            shared=self.home.ledgers(),
            redact=self.home.redact,
        )

    async def _require_agreement(self, opened: Opened, report: Report, options: EvolveOptions) -> None:
        refs = [self._mutator(opened.harness, options)]
        if options.inputs:
            refs.append(model_ref(opened.harness.spec))
        registry = self.home.registry()
        if options.confirmed or not any(registry.costs_money(ref) for ref in refs):
            return
        plan = await self.home.in_thread(lambda: self._plan(opened, report, options))
        raise PolicyRefused(
            "Drafting asks a model that costs money, and nobody agreed to that.",
            hint="Look at the plan, then add --yes.",
            details={"plan": plan},
        )

    def _plan(self, opened: Opened, report: Report, options: EvolveOptions) -> dict[str, Any]:
        ref = self._mutator(opened.harness, options)
        inputs = (
            replayable_inputs(opened.harness, list(report.runs), outcomes_of(opened.labels), options.inputs)
            if options.inputs
            else []
        )
        replays = (2 * len(inputs), 2 * len(inputs) * CALLS_A_RUN)
        guardrails = [g for g in opened.harness.spec.guardrails if isinstance(g, BuiltinGuardrail)]
        limit = min(float(g.parameters["value"]) for g in guardrails if g.builtin == "max_cost_usd")
        free = not self.home.registry().costs_money(model_ref(opened.harness.spec)) if inputs else True
        usd = (0.0, 0.0 if free else 2 * len(inputs) * limit)
        reasons: list[Reason] = []
        if options.inputs and not inputs:
            reasons.append(Reason("no-inputs", "No recorded input can be run again.", blocks=False))
        plan = plan_draft(
            opened.harness.spec, report, ref, self.home.registry().quote(ref), replays=replays, replay_usd=usd,
            reasons=reasons,
        )  # fmt: skip
        return {"ok": True, **plan.to_json(), "model": str(ref)}

    async def _drafted(self, opened: Opened, report: Report, models: RunModels, ref: ModelRef) -> Draft:
        inputs = await self.home.in_thread(lambda: self._inputs(opened))
        return await draft(opened.harness, report, models.client(ref), ref, inputs)

    def _inputs(self, opened: Opened) -> list[Example]:
        return [
            Example(run.run_id, run.task, "", rejected=run.output, conversation=run.run_id)
            for run in opened.runs
            if run.task
        ]

    async def _proof(
        self,
        opened: Opened,
        proposal: Proposal,
        judged: GateResult,
        models: RunModels,
        options: EvolveOptions,
        progress: Callable[[str], None],
    ) -> dict[str, Any]:
        harness = opened.harness
        if not options.inputs:
            return unproven("no budget was given to run recorded inputs again (--max-usd, --max-calls or --replay)")
        if parts := unsupported_parts(harness.spec):
            return unproven(f"the runner does not support: {', '.join(parts)}")
        try:
            self.home.trust.require(harness)
        except HoneyguideError as error:
            return unproven(error.message)
        own = [run for run in opened.runs if run.version == harness.version]
        inputs = await self.home.in_thread(
            lambda: replayable_inputs(harness, own, outcomes_of(opened.labels), options.inputs)
        )
        ref = model_ref(harness.spec)

        async def rerun(copy: Harness, text: str, repetition: int) -> RunOutcome:
            client = _BudgetWatch(models.client(ref))
            ports = RunPorts(client, ref, self.home.registry().quote(ref), self.home.clock, self.home.environ)
            outcome = await run_harness(copy, copy.spec, text, ports)
            if client.refused is not None:
                raise client.refused
            return outcome

        proof = await prove(
            harness, judged, inputs, rerun, progress=lambda done, total: progress(f"Replayed {done} of {total} inputs")
        )
        return with_receipt(proof, harness, proposal, inputs)

    def _row(
        self,
        opened: Opened,
        report: Report,
        proposal: Proposal,
        judged: GateResult,
        trigger: str,
        proof: dict[str, Any] | None,
        spend: dict[str, Any],
    ) -> QueuedProposal:
        return QueuedProposal(
            id=f"prop_{self.home.new_id().replace('-', '')[:16]}",
            harness_name=opened.harness.identity,
            spec_version_hash=report.version,
            dedup_key=report.dedup_key,
            status="pending",
            trigger=trigger,
            rationale=proposal.rationale,
            created_at=self.home.now,
            proposal=proposal.to_json(),
            gate=judged.to_json(),
            evidence=report.receipt(),
            proof=proof,
            drafted_at_version=report.version,
            spend=spend or None,
        )

    def _refused(self, row: QueuedProposal, reason: str) -> QueuedProposal:
        return replace(row, status="rejected", resolved_at=self.home.now, apply_result={"reason": reason})


def _least(*limits: Any) -> Any:
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


class _BudgetWatch:
    """Remembers that the budget of a replay is used up: then a run ended for that reason, not by its own doing."""

    def __init__(self, inner: ModelClient) -> None:
        self._inner = inner
        self.refused: BudgetExceeded | None = None

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``."""
        try:
            return await self._inner.complete(request)
        except BudgetExceeded as error:
            self.refused = error
            raise
