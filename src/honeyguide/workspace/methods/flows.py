"""Flows: markdown files that run on an agent program, changed only with proof and by a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.workspace.origins import Origin
from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.flows.importing import ImportedRuns
    from honeyguide.flows.jobs import Job
    from honeyguide.flows.plans import FlowPlan
    from honeyguide.flows.runs import FlowRun
    from honeyguide.flows.tidying import Pruned
    from honeyguide.suites import SuiteOutcome
    from honeyguide.workspace.flow_options import FlowOptions, OnFlowEvent
    from honeyguide.workspace.views.flows import FlowList, FlowRunDetail, FlowRunResult


def _nothing(kind: str, data: Mapping[str, Any]) -> None:
    return None


class FlowMethods(Parts):
    """A part of the façade."""

    async def flow_of(self, target: str) -> Path | None:
        """Return the file of a flow that is named by its path, or as a target; ``None`` for what is no flow."""
        return await self._flows.path_of(target)

    async def plan_flow(self, path: Path, options: FlowOptions | None = None) -> FlowPlan:
        """Say what a proposal would do and cost; free, and nothing is run. Raises NotFound, InvalidInput."""
        from honeyguide.workspace.flow_options import FlowOptions

        return await self._flows.plan(path, options or FlowOptions())

    async def run_flow(
        self,
        path: Path,
        arguments: Sequence[str] = (),
        *,
        stdin: str | None = None,
        engine: str | None = None,
        no_evolve: bool = False,
        allow_nested: bool = False,
        origin: Origin | None = None,
    ) -> FlowRunResult:
        """Run a flow once on its engine; afterwards, what its policy says. Raises NotFound, InvalidInput."""
        return await self._flows.running.run(
            path, arguments, stdin=stdin, engine=engine, no_evolve=no_evolve, allow_nested=allow_nested,
            origin=origin or Origin.here(),
        )  # fmt: skip

    async def eval_flow(
        self,
        path: Path,
        options: FlowOptions | None = None,
        *,
        case: str | None = None,
        on_event: OnFlowEvent = _nothing,
        origin: Origin | None = None,
    ) -> SuiteOutcome:
        """Run a flow's suite on a copy of its repository. Raises PolicyRefused, Untrusted, Locked."""
        from honeyguide.workspace.flow_options import FlowOptions

        return await self._flows.evaluate(
            path, options or FlowOptions(), case=case, report=on_event, origin=origin or Origin.here()
        )

    async def propose_flow(
        self,
        path: Path,
        options: FlowOptions | None = None,
        *,
        on_event: OnFlowEvent = _nothing,
        origin: Origin | None = None,
    ) -> FlowRun:
        """Make a proposal; the flow stays as it is. Raises PolicyRefused, Locked, Conflict, Untrusted."""
        from honeyguide.workspace.flow_options import FlowOptions

        return await self._flows.propose(
            path, options or FlowOptions(), report=on_event, origin=origin or Origin.here()
        )

    async def flow_runs(self, path: Path | None = None) -> FlowList:
        """Return proposals, newest first."""
        return await self._flows.runs(path)

    async def flow_run(self, run_id: str) -> FlowRunDetail:
        """Return one proposal with its proof, looked at anew. Raises NotFound."""
        return await self._flows.show(run_id)

    async def apply_flow(
        self, run_id: str, *, approve_capabilities: bool = False, note: str = "", origin: Origin | None = None
    ) -> FlowRun:
        """Make a proposal live. Raises Conflict, Stale, CapabilityRefused, Locked."""
        return await self._flows.apply(
            run_id, approve_capabilities=approve_capabilities, note=note, origin=origin or Origin.here()
        )

    async def rollback_flow(self, run_id: str, *, origin: Origin | None = None) -> FlowRun:
        """Bring back what was live before a proposal. Raises Conflict, Stale, Locked."""
        return await self._flows.roll_back(run_id, origin=origin or Origin.here())

    async def reject_flow(self, run_id: str, *, reason: str = "", origin: Origin | None = None) -> FlowRun:
        """Turn a proposal down. Raises Conflict, Locked."""
        return await self._flows.reject(run_id, reason=reason, origin=origin or Origin.here())

    async def prune_flows(self, days: float = 30, *, confirmed: bool = False, origin: Origin | None = None) -> Pruned:
        """Remove old proposals that were not applied. Raises PolicyRefused."""
        return await self._flows.prune(days, confirmed=confirmed, origin=origin or Origin.here())

    async def import_flow_runs(self, folder: Path, *, origin: Origin | None = None) -> ImportedRuns:
        """Take over runs and feedback that mdflow wrote, to look at. Raises NotFound."""
        return await self._flows.import_runs(folder, origin=origin or Origin.here())

    async def queue_flow(self, path: Path, *, origin: Origin | None = None) -> Job:
        """Begin a proposal in the background. Raises NotFound, InvalidInput."""
        return await self._flows.jobs.enqueue(path, origin=origin or Origin.here())

    async def flow_jobs(self) -> list[Job]:
        """Return background jobs, newest first."""
        return await self._flows.jobs.all()

    async def flow_job(self, job_id: str) -> tuple[Job, str]:
        """Return a background job and what it printed. Raises NotFound."""
        return await self._flows.jobs.one(job_id)

    async def cancel_flow_job(self, job_id: str) -> Job:
        """Stop a background job. Raises NotFound, Conflict."""
        return await self._flows.jobs.cancel(job_id)

    async def finish_flow_job(
        self, job_id: str, *, run_id: str | None, exit_code: int, error: str | None = None
    ) -> Job:
        """Note how a background job ended; called by its own process."""
        return await self._flows.jobs.finish(job_id, run_id=run_id, exit_code=exit_code, error=error)
