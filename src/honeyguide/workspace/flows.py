"""Flows for the front ends: plan, evaluate, propose, show, apply, go back, tidy up; and foreign runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from honeyguide.flows.applying import apply, receipt_state, reject, roll_back
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.evaluating import evaluate
from honeyguide.flows.fingerprints import suite_hash
from honeyguide.flows.importing import ImportedRuns, import_runs
from honeyguide.flows.plans import ACCESS_NOTICE, FlowPlan, make_plan
from honeyguide.flows.proposing import propose
from honeyguide.flows.runs import FlowRun
from honeyguide.flows.tidying import Pruned, prune, recover
from honeyguide.kernel.errors import PolicyRefused
from honeyguide.prompts.targets import TargetKind
from honeyguide.suites import SuiteOutcome
from honeyguide.workspace.core import Core
from honeyguide.workspace.feedback import Feedbacks, flow_path
from honeyguide.workspace.flow_desk import open_desk, tell_once, trust_suite
from honeyguide.workspace.flow_jobs import FlowJobs
from honeyguide.workspace.flow_models import in_own_loop
from honeyguide.workspace.flow_options import NOTICE, FlowOptions, OnFlowEvent
from honeyguide.workspace.flow_running import FlowRunning
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.flows import FlowList, FlowRow, FlowRunDetail


class Flows:
    """Everything that can be done with flows in a workspace.

    Attributes:
        jobs: work in the background.
        running: runs of flows.
    """

    def __init__(self, core: Core, homes: Homes, feedback: Feedbacks) -> None:
        self._core = core
        self._homes = homes
        self._feedback = feedback
        self.jobs = FlowJobs(core, feedback)
        self.running = FlowRunning(core, feedback, self.jobs)

    # --- free

    async def plan(self, path: Path, options: FlowOptions) -> FlowPlan:
        """Say what a proposal would do and cost. Raises NotFound, InvalidInput."""
        desk = self._desk(Origin.here())
        return await self._core.in_thread(lambda: _plan(desk, path, options))

    async def path_of(self, name: str) -> Path | None:
        """Return the file of a flow that is named by its path, or as a target; ``None`` for what is no flow."""
        path = flow_path(name)
        if path is not None:
            return path
        ref = await self._homes.resolve(name)
        home = await self._homes.home(ref) if ref.kind is TargetKind.FLOW else None
        return None if home is None or home.record is None else Path(home.record.path)

    async def runs(self, path: Path | None = None) -> FlowList:
        """Return proposals, newest first; only those of one flow when ``path`` is given."""

        def work() -> FlowList:
            desk = self._desk(Origin.here())
            flow_id = desk.look(path).place.flow_id if path is not None else None
            runs, damaged = desk.runs.all(flow_id)
            return FlowList(tuple(FlowRow(run) for run in runs), tuple(damaged))

        return await self._core.in_thread(work)

    async def show(self, run_id: str) -> FlowRunDetail:
        """Return one proposal with its proof, looked at anew. Raises NotFound."""
        return await self._core.in_thread(lambda: _detail(self._desk(Origin.here()), run_id))

    # --- paid

    async def evaluate(
        self, path: Path, options: FlowOptions, *, case: str | None, report: OnFlowEvent, origin: Origin
    ) -> SuiteOutcome:
        """Run a flow's suite on the flow as it is. Raises PolicyRefused, Untrusted, Locked."""
        desk = self._desk(origin)
        told = self._here(report)
        plan = await self._core.in_thread(lambda: self._begun(desk, path, options, told, is_suite_alone=True))
        return await in_own_loop(
            self._core, lambda: evaluate(desk, plan, confirmed=options.is_confirmed, case=case, report=told)
        )

    async def propose(self, path: Path, options: FlowOptions, *, report: OnFlowEvent, origin: Origin) -> FlowRun:
        """Make a proposal. Cancelling the caller stops it. Raises PolicyRefused, Locked, Conflict."""
        desk = self._desk(origin)
        told = self._here(report)
        plan = await self._core.in_thread(lambda: self._begun(desk, path, options, told, is_suite_alone=False))
        try:
            return await in_own_loop(
                self._core, lambda: propose(desk, plan, confirmed=options.is_confirmed, report=told)
            )
        finally:
            await self._feedback.refresh(origin)

    # --- decisions

    async def apply(self, run_id: str, *, approve_capabilities: bool, note: str, origin: Origin) -> FlowRun:
        """Make a proposal live. Raises Conflict, Stale, CapabilityRefused, Locked."""
        desk = self._desk(origin)
        return await self._decided(
            lambda: apply(desk, run_id, approve_capabilities=approve_capabilities, note=note), origin
        )

    async def roll_back(self, run_id: str, *, origin: Origin) -> FlowRun:
        """Bring back what was live before. Raises Conflict, Stale, Locked."""
        desk = self._desk(origin)
        return await self._decided(lambda: roll_back(desk, run_id), origin)

    async def reject(self, run_id: str, *, reason: str, origin: Origin) -> FlowRun:
        """Turn a proposal down. Raises Conflict, Locked."""
        desk = self._desk(origin)
        return await self._decided(lambda: reject(desk, run_id, reason=reason), origin)

    # --- tidying

    async def prune(self, days: float, *, confirmed: bool, origin: Origin) -> Pruned:
        """Remove old proposals that were not applied. Raises PolicyRefused when nobody confirmed it."""
        desk = self._desk(origin)
        if not confirmed:
            would = await self._core.in_thread(lambda: prune(desk, days, dry=True))
            raise PolicyRefused(
                f"{len(would.runs)} run(s) and {len(would.jobs)} job(s) would be removed, and nobody confirmed it.",
                hint="Add --yes.",
                details=would.to_json(),
            )
        pruned = await self._core.in_thread(lambda: prune(desk, days))
        await self._feedback.refresh(origin)
        return pruned

    async def recover(self) -> int:
        """Close what a crash left; returns how many runs. Called when the workspace is opened."""
        desk = self._desk(Origin.here())
        if not desk.home.runs.is_dir():
            return 0
        recovered = await self._core.in_thread(lambda: recover(desk))
        if recovered:
            await self._feedback.refresh(Origin.here())
        return len(recovered)

    async def import_runs(self, folder: Path, *, origin: Origin) -> ImportedRuns:
        """Take over runs and feedback that mdflow wrote, to look at. Raises NotFound."""
        desk = self._desk(origin)
        report = await self._core.in_thread(lambda: import_runs(desk, folder))
        if report.feedback:
            await self._feedback.refresh(origin)
        return report

    def _desk(self, origin: Origin) -> FlowDesk:
        return open_desk(self._core, origin)

    def _begun(
        self, desk: FlowDesk, path: Path, options: FlowOptions, report: OnFlowEvent, *, is_suite_alone: bool
    ) -> FlowPlan:
        """Plan what is about to be paid; keep the person's trust, and say once what the suite may do."""
        plan = _plan(desk, path, options)
        suite = plan.view.suite
        may_run = (plan.ready or is_suite_alone) and (options.is_confirmed or plan.is_free)
        if suite is None or suite.problem is not None or not may_run:
            return plan
        digest = suite_hash(suite.path, plan.view.place.root)
        if options.trusts_suite and suite.is_code:
            trust_suite(self._core, digest)
        if tell_once(self._core, digest):
            report(NOTICE, {"message": f"{suite.path.name} runs for the first time. {ACCESS_NOTICE}"})
        return plan

    async def _decided(self, work: Callable[[], FlowRun], origin: Origin) -> FlowRun:
        try:
            return await self._core.in_thread(work)
        finally:
            await self._feedback.refresh(origin)

    def _here(self, report: OnFlowEvent) -> OnFlowEvent:
        """Return a listener that may be called in any thread and calls ``report`` in this loop."""
        loop = asyncio.get_running_loop()

        def told(kind: str, data: Mapping[str, Any]) -> None:
            loop.call_soon_threadsafe(report, kind, data)

        return told


def _plan(desk: FlowDesk, path: Path, options: FlowOptions) -> FlowPlan:
    return make_plan(
        desk, path, engine=options.engine, is_automatic=options.is_automatic, only=options.feedback or None,
        candidates=options.candidates, search=options.search,
    )  # fmt: skip


def _detail(desk: FlowDesk, run_id: str) -> FlowRunDetail:
    run = desk.runs.get(run_id)
    recorded, changed, problem = (None, (), "") if run.is_imported else receipt_state(desk, run)
    journal, is_whole = desk.runs.events(run.id)
    doubts = desk.runs.read_json(run.id, "doubts.json") if run.is_imported else None
    return FlowRunDetail(
        run=run,
        decision=desk.runs.read_json(run.id, "decision.json"),
        before=_text(desk, run.id, "current.md"),
        after=_text(desk, run.id, "proposal.md"),
        diff=_text(desk, run.id, "proposal.diff"),
        current=desk.runs.read_json(run.id, "current-results.json"),
        proposal=desk.runs.read_json(run.id, "proposal-results.json"),
        receipt=recorded.to_json() if recorded else None,
        receipt_changed=None if problem else changed,
        receipt_problem=problem,
        journal=tuple(journal),
        journal_is_whole=is_whole,
        doubts=tuple(doubts) if isinstance(doubts, list) else (),
    )


def _text(desk: FlowDesk, run_id: str, name: str) -> str:
    return (desk.runs.read(run_id, name) or b"").decode("utf-8", "backslashreplace")
