"""Drafting, reviewing and applying changes of harness folders, for the front ends."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from honeyguide.evals.examples import Example
from honeyguide.evolution.plan import Reason
from honeyguide.harnesses.changes.applying import Approval, apply, code_diff, roll_back, spec_diff
from honeyguide.harnesses.changes.automatic import (
    AUTO,
    REFLECT,
    draft_is_due,
    lesson_key,
    lesson_proposal,
    read_lessons,
    reflection_is_due,
    reflection_request,
)
from honeyguide.harnesses.changes.drafting import Draft, DraftFailed, draft, plan_draft, require_allowed
from honeyguide.harnesses.changes.gate import GateResult, gate
from honeyguide.harnesses.changes.proof import prove, replayable_inputs, unproven
from honeyguide.harnesses.changes.proposal import Proposal, SpecChange
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.evidence.assessment import assess_all
from honeyguide.harnesses.evidence.labels import outcomes_of
from honeyguide.harnesses.evidence.plain_words import PlainWords
from honeyguide.harnesses.evidence.report import Attempt, Report, attempt_of, build_report, nothing_to_evolve
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.harnesses.running.runner import RunPorts, run_harness
from honeyguide.harnesses.running.support import model_ref, unsupported_parts
from honeyguide.harnesses.spec.references import BuiltinGuardrail
from honeyguide.kernel.errors import BudgetExceeded, GateRefused, HoneyguideError, InvalidInput, PolicyRefused
from honeyguide.llm import ModelClient, ModelRef, ModelReply, ModelRequest, ModelRole, RunModels
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harnesses import Opened, open_records
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.harnesses import HarnessDocument

CALLS_A_RUN = 8
"""Model calls that one replayed run takes at most, for the plan."""
SWITCHES = ("HONEYGUIDE_EVOLVE", "MDFLOW_EVOLVE")
"""Environment variables that switch everything automatic off at once."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class EvolveOptions:
    """What a person may say about drafting.

    Attributes:
        notes: findings of their own, beside what the journals show.
        replay: how many recorded inputs are run again on both states; 0 leaves the proposal unproven.
        confirmed: whether the cost was agreed to.
    """

    model: ModelRef | None = None
    notes: tuple[str, ...] = ()
    replay: int = 0
    max_usd: float | None = None
    max_calls: int | None = None
    confirmed: bool = False
    trigger: str = "manual"


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


class HarnessEvolving:
    """Everything that changes a harness by way of a proposal."""

    def __init__(self, home: HarnessHome) -> None:
        self.home = home

    # --- drafting

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
        if known is not None:
            return Evolved(HarnessDocument(known.to_json(report.version)), known.id)
        await self._require_agreement(opened, report, options)
        progress("Asking the strong model for a change …")
        models = self._models(options)
        try:
            ref = self._mutator(harness, options)
            drafted = await self._drafted(opened, report, models, ref)
            proof = await self._proof(opened, drafted.gate, models, options, progress)
            spend = models.budget.spend.to_json()
        finally:
            models.journal.close()
        row = self._row(opened, report, drafted.proposal, drafted.gate, options.trigger, proof, spend)
        if drafted.gate.is_empty:
            if options.trigger == "manual":
                said = "; ".join(f"{r.path}: {r.reason}" for r in drafted.gate.rejected[:5]) or "it proposes no change"
                raise GateRefused(f"Nothing of the draft passes the gate: {said}.", details={"calls": drafted.calls})
            row = self._refused(row, "nothing passed the gate")
        stored, is_new = queue.add(row)
        return Evolved(HarnessDocument(stored.to_json(report.version)), stored.id, is_new, drafted.calls, dict(spend))

    async def after_run(self, path: Path, outcome: RunOutcome) -> list[str]:
        """Draft by itself where the harness asks for it; never raises, never changes a run's result.

        Returns the ids of what was queued.
        """
        queued: list[str] = []
        if any(self.home.environ.get(name, "").casefold() == "off" for name in SWITCHES):
            return queued
        try:
            harness = Harness.open(path)
            evolution = harness.spec.evolution
            failed = not outcome.is_success
            if evolution.auto_propose.enabled:
                queued += await self._auto_draft(path, failed)
            if evolution.reflect.enabled:
                queued += await self._reflect(path, failed)
        except (HoneyguideError, OSError, ValueError) as error:
            _log.warning("Drafting after the run did not work: %s", error)
        return queued

    async def _auto_draft(self, path: Path, failed: bool) -> list[str]:
        opened = await self.home.in_thread(lambda: open_records(path, self.home.state))
        harness = opened.harness
        queue = Queue(harness.ours)
        version = harness.version
        if not draft_is_due(harness.spec.evolution, failed, queue, opened.runs, version, self.home.clock.now()):
            return []
        named = harness.spec.evolution.auto_propose.model
        options = EvolveOptions(model=_ref(named), trigger=AUTO, confirmed=True)
        try:
            evolved = await self.evolve(path, options)
        except DraftFailed as error:
            report = self._build_report(opened, options)
            row = self._row(opened, report, Proposal(rationale="no usable draft"), GateResult(), AUTO, None, {})
            queue.put(self._refused(row, error.message))
            raise
        return [evolved.proposal_id] if evolved.is_new else []

    async def _reflect(self, path: Path, failed: bool) -> list[str]:
        opened = await self.home.in_thread(lambda: open_records(path, self.home.state))
        harness, spec = opened.harness, opened.harness.spec
        queue = Queue(harness.ours)
        if not reflection_is_due(spec.evolution, failed, queue, self.home.clock.now()):
            return []
        options = EvolveOptions(model=_ref(spec.evolution.reflect.model), trigger=REFLECT)
        report = self._build_report(opened, options)
        models = self._models(options)
        try:
            ref = self._mutator(harness, options)
            reply = await models.client(ref).complete(reflection_request(spec, report, ref))
        finally:
            models.journal.close()
        queued = [
            self.queue_lesson(opened, lesson, REFLECT)[1]
            for lesson in read_lessons(reply.text, spec.evolution.reflect.max_lessons)
        ]
        queued = [id for id in queued if id]
        if not queued:
            marker = self._row(opened, report, Proposal(rationale="no lesson"), GateResult(), REFLECT, None, {})
            queue.put(self._refused(marker, "no lesson"))
        return queued

    def queue_lesson(self, opened: Opened, entry: dict[str, Any], trigger: str) -> tuple[str, str]:
        """Queue one lesson for review; return what became of it and the proposal's id."""
        harness = opened.harness
        proposal = lesson_proposal(entry, trigger)
        judged = gate(harness.spec, harness.document.data, proposal, self._inputs(opened))
        if not judged.accepted:
            return f"refused ({judged.rejected[0].reason})", ""
        report = self._build_report(opened, EvolveOptions())
        row = self._row(opened, report, proposal, judged, trigger, unproven("lessons are not replayed"), {})
        row = replace(row, dedup_key=lesson_key(str(entry.get("content"))), evidence=None)
        stored, is_new = Queue(harness.ours).add(row)
        return ("queued" if is_new else "queued already"), stored.id

    # --- the queue

    async def proposals(self, path: Path, status: str | None = None) -> HarnessDocument:
        """List proposals, newest first."""

        def work() -> HarnessDocument:
            harness = self._recovered(path)
            live = harness.version
            rows = [row.to_json(live) for row in Queue(harness.ours).all(status)]
            return HarnessDocument({"ok": True, "harness_key": harness.identity, "proposals": rows, "total": len(rows)})

        return await self.home.in_thread(work)

    async def proposal(self, path: Path, id: str) -> HarnessDocument:
        """Return one proposal with the diffs it makes. Raises NotFound."""

        def work() -> HarnessDocument:
            harness = self._recovered(path)
            row = Queue(harness.ours).get(id)
            data = row.to_json(harness.version)
            data["diff"], data["code_diffs"] = self._diffs(harness, row)
            return HarnessDocument(data)

        return await self.home.in_thread(work)

    async def apply(
        self,
        path: Path,
        id: str,
        origin: Origin,
        *,
        code: Sequence[str] = (),
        capabilities: Sequence[str] = (),
    ) -> HarnessDocument:
        """Apply a proposal, or the approved part of it. Raises NotFound, Conflict, Stale, Locked, GateRefused."""

        def work() -> HarnessDocument:
            harness = self._recovered(path)
            was_trusted = self.home.trust.state(harness).is_trusted
            queue = Queue(harness.ours)
            row = queue.require_pending(id)
            approval = Approval(frozenset(code), frozenset(capabilities))
            done = apply(
                harness, row, queue, self.home.deployer(harness.root), origin.for_files, self.home.now, approval
            )
            if was_trusted:
                self.home.trust.trust(Harness.open(path), self.home.now, origin.user)
            return HarnessDocument(done.to_json())

        return await self.home.in_thread(work)

    async def reject(self, path: Path, id: str, reason: str, origin: Origin) -> HarnessDocument:
        """Reject a proposal. Raises NotFound, Conflict."""

        def work() -> HarnessDocument:
            harness = self._recovered(path)
            by = {"who": origin.user, "how": origin.way}
            row = Queue(harness.ours).reject(id, reason, self.home.now, by)
            return HarnessDocument({"ok": True, "proposal_id": row.id, "status": row.status, "reason": reason})

        return await self.home.in_thread(work)

    async def rollback(self, path: Path, version: str | None, origin: Origin) -> HarnessDocument:
        """Go back to a version, to the one before a proposal was applied, or before the newest applied change.

        Raises:
            NotFound: no state of it is kept.
            Conflict: it is live already.
        """

        def work() -> HarnessDocument:
            harness = self._recovered(path)
            queue = Queue(harness.ours)
            wanted = version or ""
            if not wanted or wanted.startswith("prop_"):
                made = [
                    str(e["old_version_hash"])
                    for e in queue.evolutions()
                    if (e["proposal_id"] == wanted if wanted else e["new_version_hash"] == harness.version)
                ]
                wanted = made[0] if made else ""
            if not wanted:
                kept = ", ".join(dict.fromkeys(s.version for s in Snapshots(harness.ours).all())) or "none"
                raise InvalidInput("Say which version to go back to.", hint=f"Kept are: {kept}.")
            was_trusted = self.home.trust.state(harness).is_trusted
            done = roll_back(harness, wanted, queue, self.home.deployer(harness.root), origin.for_files, self.home.now)
            if was_trusted:
                self.home.trust.trust(Harness.open(path), self.home.now, origin.user)
            return HarnessDocument(done.to_json())

        return await self.home.in_thread(work)

    # --- inside

    async def _report(self, path: Path, options: EvolveOptions) -> tuple[Opened, Report]:
        def work() -> tuple[Opened, Report]:
            self._recovered(path)
            opened = open_records(path, self.home.state)
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
        found = assess_all(queue.evolutions(), opened.runs, outcomes_of(opened.labels), opened.metrics)
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
            redact=self.home.redact,
        )

    async def _require_agreement(self, opened: Opened, report: Report, options: EvolveOptions) -> None:
        refs = [self._mutator(opened.harness, options)]
        if options.replay:
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
            replayable_inputs(opened.harness, list(report.runs), outcomes_of(opened.labels), options.replay)
            if options.replay
            else []
        )
        replays = (2 * len(inputs), 2 * len(inputs) * CALLS_A_RUN)
        guardrails = [g for g in opened.harness.spec.guardrails if isinstance(g, BuiltinGuardrail)]
        limit = min(float(g.parameters["value"]) for g in guardrails if g.builtin == "max_cost_usd")
        free = not self.home.registry().costs_money(model_ref(opened.harness.spec)) if inputs else True
        usd = (0.0, 0.0 if free else 2 * len(inputs) * limit)
        reasons: list[Reason] = []
        if options.replay and not inputs:
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
        judged: GateResult,
        models: RunModels,
        options: EvolveOptions,
        progress: Callable[[str], None],
    ) -> dict[str, Any]:
        harness = opened.harness
        if not options.replay:
            return unproven("no budget was given to run recorded inputs again (--replay)")
        if parts := unsupported_parts(harness.spec):
            return unproven(f"the runner does not support: {', '.join(parts)}")
        try:
            self.home.trust.require(harness)
        except HoneyguideError as error:
            return unproven(error.message)
        own = [run for run in opened.runs if run.version == harness.version]
        inputs = await self.home.in_thread(
            lambda: replayable_inputs(harness, own, outcomes_of(opened.labels), options.replay)
        )
        ref = model_ref(harness.spec)

        async def rerun(copy: Harness, text: str, repetition: int) -> RunOutcome:
            client = _BudgetWatch(models.client(ref))
            ports = RunPorts(client, ref, self.home.registry().quote(ref), self.home.clock, self.home.environ)
            outcome = await run_harness(copy, copy.spec, text, ports)
            if client.refused is not None:
                raise client.refused
            return outcome

        return await prove(
            harness, judged, inputs, rerun, progress=lambda done, total: progress(f"Replayed {done} of {total} inputs")
        )

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

    def _recovered(self, path: Path) -> Harness:
        harness = Harness.open(path)
        if harness.ours.exists() and any(harness.ours.glob("proposals/*.json")):
            self.home.deployer(harness.root).recover()
            Queue(harness.ours).recover(lambda: Harness.open(path).version, self.home.now)
        return Harness.open(path)

    def _diffs(self, harness: Harness, row: QueuedProposal) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        accepted = [SpecChange.model_validate(change) for change in row.gate.get("accepted") or []]
        code = {c["file"]: c["source"] for c in row.gate.get("code_changes") or []}
        try:
            diff = spec_diff(harness, accepted) if accepted and row.status == "pending" else None
        except InvalidInput:
            diff = None
        return diff, {file: code_diff(harness, file, source) for file, source in code.items()}


def _least(*limits: Any) -> Any:
    known = [limit for limit in limits if limit is not None]
    return min(known) if known else None


def _ref(named: str | None) -> ModelRef | None:
    """Read a model as a spec names it (``provider/model``, or a plain id of Anthropic)."""
    if not named:
        return None
    if ":" in named:
        return ModelRef.parse(named)
    provider, slash, model = named.partition("/")
    return ModelRef("anthropic" if provider == "claude" else provider, model) if slash else ModelRef("anthropic", named)


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
