"""Runs: planned, started, followed, stopped, resumed. One run a target at a time, over all processes."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from honeyguide.evals.examples import Dataset
from honeyguide.evolution.requests import Trigger
from honeyguide.kernel.errors import Conflict, Interrupted, Locked, NotFound, PolicyRefused
from honeyguide.llm import (
    Cancellation,
    ModelRole,
)
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.records import AttemptRecord
from honeyguide.workspace.core import Core
from honeyguide.workspace.evidence_marks import SEEN, evidence_mark
from honeyguide.workspace.homes import Home
from honeyguide.workspace.judging import Judging
from honeyguide.workspace.mining import Mining
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import (
    costs_money,
    models_for,
    request_for,
    require_keys,
    stored_options,
)
from honeyguide.workspace.proved_feedback import ProvedFeedback
from honeyguide.workspace.run_execution import Execution, Prepared, notes_on
from honeyguide.workspace.run_planning import Planning
from honeyguide.workspace.run_watching import ActiveRun, OnProgress, Watching
from honeyguide.workspace.suites import Suites
from honeyguide.workspace.together import ABOUT, BASELINES, Together
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import PlanReport, ProgressEvent, RunResult

NOTES = "notes"
"""Under this name the notes on a run stand in its attempt's options."""


class Running:
    """Starts runs and keeps hold of them."""

    def __init__(
        self, core: Core, together: Together, mining: Mining, judging: Judging, suites: Suites, proved: ProvedFeedback
    ) -> None:
        self._core = core
        self._together = together
        self._mining = mining
        self._judging = judging
        self._active: dict[str, ActiveRun] = {}
        self._planning = Planning(core, together, mining, suites, judging)
        self._watching = Watching(core)
        self._execution = Execution(core, suites, proved, self._watching)

    # --- before

    async def plan(self, name: str | TargetRef, options: RunOptions) -> PlanReport:
        """As ``Planning.plan``."""
        return await self._planning.plan(name, options)

    async def preview_requests(self, name: str | TargetRef, options: RunOptions) -> list[dict[str, Any]]:
        """As ``Planning.preview_requests``."""
        return await self._planning.preview_requests(name, options)

    # --- at work

    async def evolve(
        self,
        name: str | TargetRef,
        options: RunOptions,
        *,
        origin: Origin,
        on_progress: OnProgress | None = None,
        trigger: Trigger | None = None,
    ) -> RunResult:
        """Run to the end. Cancelling the calling task stops the run; what was paid for is kept."""
        uuid = await self.start(name, options, origin=origin, on_progress=on_progress, trigger=trigger)
        return await self._finish(uuid)

    async def start(
        self,
        name: str | TargetRef,
        options: RunOptions,
        *,
        origin: Origin,
        on_progress: OnProgress | None = None,
        trigger: Trigger | None = None,
    ) -> str:
        """Begin a run in the background and return its id.

        Raises:
            PolicyRefused: it costs money and nobody agreed to that.
            NoKey: a model needs a key.
            Locked: another run works on the target.
        """
        group = await self._together.group(name, options)
        options = group.stored(options)
        home = group.lead
        models = models_for(self._core, options)
        if costs_money(self._core, options) and not options.is_confirmed:
            report = await self.plan(home.ref, options)
            raise PolicyRefused(
                "This run costs money and nobody confirmed it.",
                hint="Confirm the plan first.",
                details={"plan": report.to_json()},
            )
        await require_keys(self._core, models)
        await self._judging.require_passed(models[ModelRole.JUDGE])
        request = await request_for(self._core, group, options, trigger=trigger)
        dataset = await self._mining.dataset(group.refs, options.seed)
        about = await self._mining.about(group.refs, dataset)
        request = replace(request, about=about)
        prepared = await self._execution.prepared(group, options, models, request, dataset)
        seen = await self._core.store.read(lambda unit: evidence_mark(unit, home.ref))
        fingerprints = {str(own.ref): await self._live_fingerprint(own) for own in group.homes}
        record = AttemptRecord(
            uuid=self._core.new_id(),
            target_kind=home.ref.kind.value,
            target_name=home.ref.name,
            seed=options.seed,
            options={
                **stored_options(options, request.live),
                SEEN: seen,
                NOTES: notes_on(prepared),
                **({BASELINES: fingerprints, ABOUT: about} if group.joined is not None else {}),
            },
            model=models.text,
            baseline_sha256=fingerprints[str(home.ref)],
        )
        return await self._launch(record, prepared, origin, on_progress, is_resumed=False)

    async def resume(self, uuid: str, *, origin: Origin, on_progress: OnProgress | None = None) -> RunResult:
        """Go on with an interrupted run; no call is paid twice. Raises NotFound, Conflict, Locked."""
        await self._core.store.write(lambda unit: unit.attempts.sweep())
        record = await self._core.store.read(lambda unit: unit.attempts.require(uuid))
        if record.state == "running":
            raise Conflict(f"Run {uuid} is running.", hint="Wait for it, or cancel it.")
        options = RunOptions.from_json(record.options)
        ref = TargetRef(TargetKind(record.target_kind), record.target_name or "")
        group = await self._together.group(ref, options)
        models = models_for(self._core, options)
        await require_keys(self._core, models)
        request = await request_for(self._core, group, options, live=str(record.options.get("live", group.live)))
        dataset = await self._dataset_of(record, group.refs, options)
        about = {name: tuple(numbers) for name, numbers in record.options.get(ABOUT, {}).items()}
        request = replace(request, about=about)
        prepared = await self._execution.prepared(group, options, models, request, dataset)
        await self._launch(record, prepared, origin, on_progress, is_resumed=True)
        return await self._finish(uuid)

    async def wait(self, uuid: str) -> RunResult:
        """Return the result of a run of this process. Raises NotFound."""
        active = self._active.get(uuid)
        if active is None or active.task is None:
            raise NotFound(f"Run {uuid} does not run here.", hint="See 'honeyguide runs show'.")
        return await asyncio.shield(active.task)

    async def cancel(self, uuid: str) -> None:
        """Stop a run before its next call, also one of another process. Raises NotFound, Conflict."""
        active = self._active.get(uuid)
        if active is not None:
            active.cancel.request()
            return
        await self._core.store.write(lambda unit: unit.attempts.request_cancel(uuid))

    def pause(self, uuid: str) -> None:
        """Hold a run of this process before its next call. Raises NotFound."""
        self._require(uuid).may_go.clear()

    def go_on(self, uuid: str) -> None:
        """Let a paused run go on. Raises NotFound."""
        self._require(uuid).may_go.set()

    def is_paused(self, uuid: str) -> bool:
        """Say whether a run of this process is held."""
        active = self._active.get(uuid)
        return active is not None and not active.may_go.is_set()

    def active(self) -> tuple[str, ...]:
        """Return the ids of the runs of this process."""
        return tuple(self._active)

    def last_progress(self, uuid: str) -> ProgressEvent | None:
        """Return where a run of this process stood last."""
        active = self._active.get(uuid)
        return active.last if active else None

    def progress_so_far(self, uuid: str) -> tuple[ProgressEvent, ...]:
        """Return the steps of a run of this process that told of a candidate, oldest first."""
        active = self._active.get(uuid)
        return tuple(active.tried) if active else ()

    async def close(self) -> None:
        """Stop every run of this process and wait for it; each can be resumed."""
        tasks = [active.task for active in self._active.values() if active.task is not None]
        for active in self._active.values():
            active.cancel.request()
            active.may_go.set()
        if tasks:
            await asyncio.wait(tasks, timeout=10)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await self._watching.close()

    # --- inside

    async def _launch(
        self,
        record: AttemptRecord,
        prepared: Prepared,
        origin: Origin,
        on_progress: OnProgress | None,
        *,
        is_resumed: bool,
    ) -> str:
        group = prepared.group
        taken = {ref: other for other in self._active.values() for ref in (other.ref, *other.others)}
        ref = next((ref for ref in group.refs if ref in taken), None)
        if ref is not None:
            same = taken[ref]
            raise Locked(
                f"Process {os.getpid()} works on {ref.name} already, in run {same.uuid}.",
                hint="Wait until it is done, or cancel it.",
                details={"run": same.uuid, "pid": os.getpid()},
            )
        active = ActiveRun(
            record.uuid, group.lead.ref, Cancellation(), asyncio.Event(), on_progress, others=group.refs[1:]
        )
        active.may_go.set()
        began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._active[record.uuid] = active
        active.task = asyncio.create_task(
            self._execution.carry_out(active, record, prepared, origin, began, is_resumed=is_resumed),
            name=f"run {record.uuid}",
        )
        active.task.add_done_callback(lambda task: self._forget(record.uuid, task, began))
        await began
        return record.uuid

    def _forget(self, uuid: str, task: asyncio.Task[RunResult], began: asyncio.Future[None]) -> None:
        self._active.pop(uuid, None)
        error = None if task.cancelled() else task.exception()
        if not began.done():
            began.set_exception(error or Interrupted("The run was stopped before it began."))

    async def _finish(self, uuid: str) -> RunResult:
        active = self._active.get(uuid)
        if active is None or active.task is None:
            return await self._stored_result(uuid)
        try:
            return await asyncio.shield(active.task)
        except asyncio.CancelledError:
            active.cancel.request()
            active.may_go.set()
            await asyncio.wait([active.task], timeout=10)
            raise

    async def _stored_result(self, uuid: str) -> RunResult:
        attempt, run = await self._core.store.read(lambda unit: (unit.attempts.require(uuid), unit.runs.get(uuid)))
        return RunResult(uuid, {"outcome": attempt.state, "reason": attempt.reason, "spend": {}}, run)

    async def _dataset_of(self, record: AttemptRecord, refs: Sequence[TargetRef], options: RunOptions) -> Dataset:
        known = record.dataset_hash
        if known is not None:
            stored = await self._core.store.read(lambda unit: unit.datasets.get(known))
            if stored is not None and not stored.removed:
                return await self._core.store.read(lambda unit: unit.datasets.load(known))
        return await self._mining.dataset(refs, options.seed)

    async def _live_fingerprint(self, home: Home) -> str:
        files = self._core.deployer(*home.trusted)
        return await self._core.in_thread(lambda: files.live_fingerprint(home.live))

    def _require(self, uuid: str) -> ActiveRun:
        active = self._active.get(uuid)
        if active is None:
            raise NotFound(f"Run {uuid} does not run here.", hint="It may run in another program.")
        return active
