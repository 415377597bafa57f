"""Flows for the front ends: run, plan, evaluate, propose, show, apply, go back, tidy up; jobs and foreign runs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from honeyguide.flows.after_run import NextStep, after_run
from honeyguide.flows.applying import apply, receipt_state, reject, roll_back
from honeyguide.flows.desk import FlowDesk, FlowView
from honeyguide.flows.engines.running import ACTIVE_FLOW, EngineCall
from honeyguide.flows.engines.table import MODEL_ENGINES, PRACTICE
from honeyguide.flows.evaluating import evaluate
from honeyguide.flows.fingerprints import suite_hash
from honeyguide.flows.importing import ImportedRuns, import_runs
from honeyguide.flows.jobs import Job, JobBook
from honeyguide.flows.plans import FlowPlan, make_plan
from honeyguide.flows.proposing import propose
from honeyguide.flows.rendering import RenderSite, fill_in, takes_input
from honeyguide.flows.runs import FlowRun
from honeyguide.flows.tidying import Pruned, prune, recover
from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unsupported
from honeyguide.suites import SuiteOutcome
from honeyguide.workspace.core import Core
from honeyguide.workspace.feedback import Feedbacks
from honeyguide.workspace.flow_desk import open_desk, trust_suite
from honeyguide.workspace.flow_models import in_own_loop
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.flows import FlowList, FlowRow, FlowRunDetail, FlowRunResult

OnFlowEvent = Callable[[str, Mapping[str, Any]], None]
RUN_TIMEOUT_MS = 3_600_000
CHARS_PER_TOKEN = 4


@dataclass(frozen=True, slots=True)
class FlowOptions:
    """What a person can say about a plan, an evaluation or a proposal.

    Attributes:
        engine: instead of the flow's own.
        feedback: ids of the problems to work on; empty for all open ones.
        candidates: how many proposals may be tried.
        is_confirmed: whether the person agreed to what it costs.
        trusts_suite: whether the person has read the code suite and trusts it as it is.
        is_automatic: whether nobody asked for this run.
    """

    engine: str | None = None
    feedback: tuple[str, ...] = ()
    candidates: int = 1
    is_confirmed: bool = False
    trusts_suite: bool = False
    is_automatic: bool = False


class Flows:
    """Everything that can be done with flows in a workspace."""

    def __init__(self, core: Core, feedback: Feedbacks) -> None:
        self._core = core
        self._feedback = feedback

    # --- free

    async def plan(self, path: Path, options: FlowOptions) -> FlowPlan:
        """Say what a proposal would do and cost. Raises NotFound, InvalidInput."""
        desk = self._desk(Origin.here())
        return await self._core.in_thread(lambda: _plan(desk, path, options))

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
        plan = await self._core.in_thread(lambda: self._trusted_plan(desk, path, options))
        told = self._here(report)
        return await in_own_loop(
            self._core, lambda: evaluate(desk, plan, confirmed=options.is_confirmed, case=case, report=told)
        )

    async def propose(self, path: Path, options: FlowOptions, *, report: OnFlowEvent, origin: Origin) -> FlowRun:
        """Make a proposal. Cancelling the caller stops it. Raises PolicyRefused, Locked, Conflict."""
        desk = self._desk(origin)
        plan = await self._core.in_thread(lambda: self._trusted_plan(desk, path, options))
        told = self._here(report)
        try:
            return await in_own_loop(
                self._core, lambda: propose(desk, plan, confirmed=options.is_confirmed, report=told)
            )
        finally:
            await self._feedback.refresh(origin)

    async def run(
        self,
        path: Path,
        arguments: Sequence[str],
        *,
        stdin: str | None,
        engine: str | None,
        no_evolve: bool,
        allow_nested: bool,
        origin: Origin,
    ) -> FlowRunResult:
        """Run a flow once on its engine, and do afterwards what its policy says. Raises NotFound, InvalidInput."""
        desk = self._desk(origin)
        if desk.environ.get(ACTIVE_FLOW) and not allow_nested:
            raise PolicyRefused(
                "A flow started this; a flow inside a flow would spend without being asked.",
                hint="Add --allow-nested if it is meant.",
                details={"reason_code": "NESTED_FLOW"},
            )
        view = await self._core.in_thread(lambda: desk.look(path, engine=engine))
        if view.document.is_workflow:
            raise Unsupported(
                "Workflows of several steps are not run here.", hint="Run the steps as flows of their own."
            )
        if view.choice.is_document(view.document.fields):
            return FlowRunResult(view.document.body, "", 0, "", is_document=True)
        values: dict[str, Any] = {f"_{n}": value for n, value in enumerate(arguments, start=1)}
        values["_args"] = "\n".join(f"{n}. {value}" for n, value in enumerate(arguments, start=1))
        values["_stdin"] = stdin or ""
        values.setdefault("_1", "")
        result = await in_own_loop(self._core, lambda: _run_once(desk, view, values, stdin, arguments))
        after = await self._core.in_thread(
            lambda: after_run(desk, view, given=values, exit_code=result.exit_code, no_evolve=no_evolve)
        )
        if after.observed is not None:
            await self._feedback.refresh(origin)
        job = await self.enqueue(path, origin=origin) if after.step is NextStep.PROPOSE else None
        return replace(result, after=after, job=job.to_json() if job else None, notes=view.choice.notes)

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

    # --- jobs

    async def enqueue(self, path: Path, *, origin: Origin) -> Job:
        """Begin a proposal in the background, or return the one that is at work. The flow stays as it is."""

        def work() -> Job:
            desk = self._desk(origin)
            view = desk.look(path)
            program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "honeyguide"]
            command = [
                *program, "--workspace", str(self._core.layout.root), "flow", "propose", str(view.place.path), "--yes",
                "--automatic", "--job", "{job}", "--json",
            ]  # fmt: skip
            job = JobBook(desk.home, desk.clock).enqueue(view.place.flow_id, view.place.path, command, desk.environ)
            desk.on_change("flow:job-queued", {"runId": job.id})
            return job

        return await self._core.in_thread(work)

    async def jobs(self) -> list[Job]:
        """Return the background jobs, newest first."""
        return await self._core.in_thread(self._book().all)

    async def job(self, job_id: str) -> tuple[Job, str]:
        """Return a job and what it printed. Raises NotFound."""
        book = self._book()
        return await self._core.in_thread(lambda: (book.get(job_id), book.log(job_id)))

    async def cancel_job(self, job_id: str) -> Job:
        """Stop a job. Raises NotFound, Conflict."""
        return await self._core.in_thread(lambda: self._book().cancel(job_id))

    async def finish_job(self, job_id: str, *, run_id: str | None, exit_code: int, error: str | None = None) -> Job:
        """Note how a job ended; by its own process."""
        desk = self._desk(Origin.here())

        def work() -> Job:
            job = self._book().finish(job_id, run_id=run_id, exit_code=exit_code, error=error)
            desk.on_change("flow:job-finished", {"runId": job.id, "status": job.status.value, "run": run_id or ""})
            return job

        return await self._core.in_thread(work)

    async def job_timeout(self, job_id: str) -> float:
        """Return how many seconds a job may take."""
        return (await self.job(job_id))[0].timeout_s

    def _book(self) -> JobBook:
        desk = self._desk(Origin.here())
        return JobBook(desk.home, desk.clock)

    def _desk(self, origin: Origin) -> FlowDesk:
        return open_desk(self._core, origin)

    def _trusted_plan(self, desk: FlowDesk, path: Path, options: FlowOptions) -> FlowPlan:
        plan = _plan(desk, path, options)
        suite = plan.view.suite
        if options.trusts_suite and suite is not None and suite.is_code:
            trust_suite(self._core, suite_hash(suite.path, plan.view.place.root))
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
        candidates=options.candidates,
    )  # fmt: skip


async def _run_once(
    desk: FlowDesk, view: FlowView, values: Mapping[str, Any], stdin: str | None, arguments: Sequence[str]
) -> FlowRunResult:
    document, name = view.document, view.choice.engine
    cwd = await asyncio.to_thread(_working_folder, document.fields.get("_cwd"))
    site = RenderSite(
        root=view.place.root, folder=view.place.path.parent, cwd=cwd, home=desk.person_home, fetch=desk.fetch,
        env=dict(desk.environ),
    )  # fmt: skip
    prompt = await asyncio.to_thread(fill_in, document, values, site)
    most = document.fields.get("_max_prompt_tokens")
    if isinstance(most, int) and len(prompt) > most * CHARS_PER_TOKEN:
        raise InvalidInput(f"The prompt has about {len(prompt) // CHARS_PER_TOKEN} tokens; the flow allows {most}.")
    limit = document.fields.get("_max_runtime_ms")
    folder = desk.home.root / "flow-runs" / view.place.flow_id
    access = desk.models.open(folder) if name in MODEL_ENGINES and desk.models is not None else None
    given = stdin if stdin is not None else " ".join(arguments) or None
    is_beside = name == PRACTICE or not takes_input(document)
    try:
        engine = desk.engine(name, view, access=access, model=view.model)
        attempt = await engine.run(
            EngineCall(
                prompt=prompt,
                message=given if name in MODEL_ENGINES and is_beside else None,
                cwd=cwd,
                timeout_ms=limit if isinstance(limit, int) and limit > 0 else RUN_TIMEOUT_MS,
                fields=document.fields,
                repetition=int(desk.clock.now().timestamp() * 1000) if name in MODEL_ENGINES else 0,
            )
        )
    finally:
        if access is not None:
            await access.close()
    code = 124 if attempt.timed_out else attempt.exit_code if attempt.exit_code is not None else 1
    return FlowRunResult(attempt.stdout, attempt.stderr, code, name, timed_out=attempt.timed_out)


def _working_folder(named: Any) -> Path:
    return Path(str(named)).expanduser() if named else Path.cwd()


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
