"""Runs: planned, started, followed, stopped, resumed. One run a target at a time, over all processes."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from honeyguide import __version__
from honeyguide.evals.examples import Dataset
from honeyguide.evals.memorisation import learn
from honeyguide.evolution.orchestrator import run_once
from honeyguide.evolution.plan import Reason
from honeyguide.evolution.requests import EvolutionRequest, OrchestratorResult, Progress, RunPorts, Trigger
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, Interrupted, Locked, NotFound, PolicyRefused
from honeyguide.llm import (
    Cancellation,
    ModelClient,
    ModelReply,
    ModelRequest,
    ModelRole,
    RunModels,
    Spend,
)
from honeyguide.llm.journal import redacted
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import StoredAttempt, run_lease
from honeyguide.storage.records import AttemptRecord
from honeyguide.workspace.core import Core
from honeyguide.workspace.events import WorkspaceEvent
from honeyguide.workspace.evidence_marks import SEEN, evidence_mark
from honeyguide.workspace.homes import Home, Homes
from honeyguide.workspace.judging import Judging
from honeyguide.workspace.mining import Mining
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import (
    ROLES,
    Models,
    costs_money,
    goes_in_batches,
    judge_for,
    models_for,
    plan_for,
    request_for,
    require_keys,
    stored_options,
)
from honeyguide.workspace.proved_feedback import ProvedFeedback
from honeyguide.workspace.run_files import index_calls, write_result_files
from honeyguide.workspace.run_models import run_models, spend_figures
from honeyguide.workspace.suites import Suites
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import PRACTICE, PlanReport, ProgressEvent, RunResult, is_practice

OnProgress = Callable[[ProgressEvent], None]
STORE_PROGRESS_EVERY = 0.4
"""Seconds between two stored states of a run; its own process is told at once."""
LOOK_FOR_CANCEL_EVERY = 0.5
BATCHED_EVALUATIONS = 1000
"""Evaluations under way at once when their calls go out in batches: all that a holdout usually has."""
NOTES = "notes"
"""Under this name the notes on a run stand in its attempt's options."""
STORED_DETAILS = ("stage", "generation", "done", "planned", "calls", "usd")


@dataclass(slots=True)
class ActiveRun:
    """A run of this process.

    Attributes:
        may_go: cleared while the run is paused.
        spend: says what it took so far, in all its starts; ``None`` until its journal is open.
    """

    uuid: str
    ref: TargetRef
    cancel: Cancellation
    may_go: asyncio.Event
    on_progress: OnProgress | None
    task: asyncio.Task[RunResult] | None = None
    last: ProgressEvent | None = None
    stored_at: float = 0.0
    phase: str = ""
    spend: Callable[[], Spend] | None = None


@dataclass(frozen=True, slots=True)
class _Prepared:
    """Everything that one execution needs."""

    home: Home
    options: RunOptions
    models: Models
    request: EvolutionRequest
    dataset: Dataset
    max_calls: int
    max_usd: float | None


class PausableClient:
    """Waits before each call while its run is paused."""

    def __init__(self, inner: ModelClient, may_go: asyncio.Event, cancel: Cancellation) -> None:
        self._inner = inner
        self._may_go = may_go
        self._cancel = cancel

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``. Raises Interrupted when the run is stopped while it is paused."""
        while not self._may_go.is_set():
            self._cancel.check()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._may_go.wait(), LOOK_FOR_CANCEL_EVERY)
        return await self._inner.complete(request)


class Running:
    """Starts runs and keeps hold of them."""

    def __init__(
        self, core: Core, homes: Homes, mining: Mining, judging: Judging, suites: Suites, proved: ProvedFeedback
    ) -> None:
        self._core = core
        self._homes = homes
        self._mining = mining
        self._judging = judging
        self._suites = suites
        self._proved = proved
        self._active: dict[str, ActiveRun] = {}
        self._storing: set[asyncio.Task[None]] = set()

    # --- before

    async def plan(self, name: str | TargetRef, options: RunOptions) -> PlanReport:
        """Return what a run would do and cost; calls nothing."""
        home = await self._homes.home(name)
        models = models_for(self._core, options)
        request = await request_for(self._core, home, options)
        dataset = await self._mining.dataset(home.ref, options.seed)
        stage, of_suite = await self._suites.stage_and_reasons(home)
        reasons = (*await self._reasons(home, models), *of_suite, *await self._mining.advice(home.ref, dataset))
        in_batches = goes_in_batches(self._core, options)
        plan = await self._core.in_thread(
            lambda: plan_for(self._core, request, dataset, models, reasons, in_batches=in_batches, suite=stage)
        )
        return PlanReport(
            target=str(home.ref),
            plan=plan,
            models=models.names,
            examples={
                "train": len(dataset.train),
                "validation": len(dataset.validation),
                "holdout": len(dataset.holdout),
            },
            dropped=dataset.dropped,
            costs_money=costs_money(self._core, options),
        )

    async def preview_requests(self, name: str | TargetRef, options: RunOptions) -> list[dict[str, Any]]:
        """Return the first requests of a run, exactly as they would leave; nothing is sent."""
        home = await self._homes.home(name)
        models = models_for(self._core, options)
        dataset = await self._mining.dataset(home.ref, options.seed)
        examples = [*dataset.train, *dataset.validation, *dataset.holdout]
        if not examples:
            return []
        redact = self._core.outgoing_redactor().text
        judge = judge_for({role: _NoClient() for role in ROLES}, models)
        requests = [
            judge.executor.request(home.text, None, examples[0].input),
            judge.judge.request(examples[0], "(the answer of the model above stands here)"),
        ]
        shown = []
        for request in requests:
            sent = self._core.registry.provider(request.model).preview(redacted(request, redact))
            text = json.dumps(dict(sent.body), ensure_ascii=False, indent=2)
            shown.append(
                {
                    "model": str(request.model),
                    "role": request.role.value,
                    "url": sent.url,
                    "notes": list(sent.notes),
                    "text": text,
                }
            )
        return shown

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
        home = await self._homes.home(name)
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
        request = await request_for(self._core, home, options, trigger=trigger)
        dataset = await self._mining.dataset(home.ref, options.seed)
        prepared = await self._prepared(home, options, models, request, dataset)
        seen = await self._core.store.read(lambda unit: evidence_mark(unit, home.ref))
        record = AttemptRecord(
            uuid=self._core.new_id(),
            target_kind=home.ref.kind.value,
            target_name=home.ref.name,
            seed=options.seed,
            options={**stored_options(options, request.live), SEEN: seen, NOTES: _notes_on(prepared)},
            model=models.text,
            baseline_sha256=await self._live_fingerprint(home),
        )
        return await self._launch(record, prepared, origin, on_progress, is_resumed=False)

    async def resume(self, uuid: str, *, origin: Origin, on_progress: OnProgress | None = None) -> RunResult:
        """Go on with an interrupted run; no call is paid twice. Raises NotFound, Conflict, Locked."""
        await self._core.store.write(lambda unit: unit.attempts.sweep())
        record = await self._core.store.read(lambda unit: unit.attempts.require(uuid))
        if record.state == "running":
            raise Conflict(f"Run {uuid} is running.", hint="Wait for it, or cancel it.")
        options = RunOptions.from_json(record.options)
        home = await self._homes.home(TargetRef(TargetKind(record.target_kind), record.target_name or ""))
        models = models_for(self._core, options)
        await require_keys(self._core, models)
        request = await request_for(self._core, home, options, live=str(record.options.get("live", home.text)))
        dataset = await self._dataset_of(record, home.ref, options)
        prepared = await self._prepared(home, options, models, request, dataset)
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
        await asyncio.gather(*tasks, *self._storing, return_exceptions=True)

    # --- inside

    async def _prepared(
        self, home: Home, options: RunOptions, models: Models, request: EvolutionRequest, dataset: Dataset
    ) -> _Prepared:
        stage, of_suite = await self._suites.stage_and_reasons(home)
        if of_suite:
            raise PolicyRefused(of_suite[0].message, details={"reason_code": of_suite[0].code})
        plan = await self._core.in_thread(lambda: plan_for(self._core, request, dataset, models, suite=stage))
        await self._core.in_thread(lambda: learn((*dataset.train, *dataset.validation)))
        settings = self._core.settings
        ceilings = [c for c in (options.max_calls, settings.get("limits.calls_per_run")) if c is not None]
        monies = [m for m in (options.max_usd, settings.get("limits.usd_per_run")) if m is not None]
        return _Prepared(
            home, options, models, request, dataset,
            max_calls=min(ceilings) if ceilings else max(int(plan.calls.high), 1),
            max_usd=min(monies) if monies else None,
        )  # fmt: skip

    async def _launch(
        self,
        record: AttemptRecord,
        prepared: _Prepared,
        origin: Origin,
        on_progress: OnProgress | None,
        *,
        is_resumed: bool,
    ) -> str:
        same = next((other for other in self._active.values() if other.ref == prepared.home.ref), None)
        if same is not None:
            raise Locked(
                f"This program already works on {prepared.home.ref.name}, in run {same.uuid}.",
                hint="Wait until it is done, or cancel it.",
                details={"run": same.uuid, "pid": os.getpid()},
            )
        active = ActiveRun(record.uuid, prepared.home.ref, Cancellation(), asyncio.Event(), on_progress)
        active.may_go.set()
        began: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._active[record.uuid] = active
        active.task = asyncio.create_task(
            self._execute(active, record, prepared, origin, began, is_resumed=is_resumed), name=f"run {record.uuid}"
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

    async def _execute(
        self, active: ActiveRun, record: AttemptRecord, prepared: _Prepared, origin: Origin,
        began: asyncio.Future[None], *, is_resumed: bool,
    ) -> RunResult:  # fmt: skip
        store = self._core.store
        async with self._settled(record.uuid), store.lease(run_lease(record.target_kind, record.target_name)):
            if is_resumed:
                await store.write(lambda unit: unit.attempts.resume(record.uuid), actor=origin.for_store)
            else:
                await store.write(lambda unit: unit.attempts.start(record), actor=origin.for_store)
            sink = StoredAttempt(store, record.uuid, active.ref)
            await sink.keep_dataset(prepared.dataset)
            if not began.done():
                began.set_result(None)
            try:
                async with (
                    run_models(
                        self._core,
                        active.uuid,
                        active.cancel,
                        max_calls=prepared.max_calls,
                        max_usd=prepared.max_usd,
                    ) as models,
                    self._heard(active),
                ):
                    active.spend = lambda: models.spend
                    ports = await self._ports(sink, prepared, models, active)
                    result = await run_once(
                        prepared.request,
                        ports,
                        active.cancel,
                        lambda progress: self._told(active, progress),
                    )
                    await models.sync()
                    spend = models.spend
            except HoneyguideError as error:
                await self._failed(active, error)
                raise
            except asyncio.CancelledError:
                await asyncio.shield(self._failed(active, Interrupted("The run was stopped.")))
                raise
            await self._core.in_thread(lambda: write_result_files(self._core.layout, record.uuid, result))
            await self._keep_calls(active)
        if isinstance(result.error, Interrupted):
            raise result.error
        return await self._result(record.uuid, result, prepared, spend)

    async def _ports(self, sink: StoredAttempt, prepared: _Prepared, models: RunModels, active: ActiveRun) -> RunPorts:
        clients: dict[ModelRole, ModelClient] = {
            role: PausableClient(models.client(prepared.models[role]), active.may_go, active.cancel) for role in ROLES
        }

        async def dataset() -> Dataset:
            return prepared.dataset

        in_batches = goes_in_batches(self._core, prepared.options)
        provers: dict[ModelRole, ModelClient] = {
            role: PausableClient(models.client(prepared.models[role], batch=True), active.may_go, active.cancel)
            for role in (ModelRole.EXECUTOR, ModelRole.JUDGE)
            if in_batches
        }
        suite = await self._suites.proof(prepared.home, prepared.models, lambda role: clients[role])
        if suite is not None:
            await self._proved.begin(active.uuid, suite.evidence)

        return RunPorts(
            judge=judge_for(clients, prepared.models),
            mutator=clients[ModelRole.MUTATOR],
            mutator_model=prepared.models[ModelRole.MUTATOR],
            dataset=dataset,
            sink=sink,
            # Replies that wait in the journal are paid for, but this start has yet to come to them: a resumed run
            # has to have as much left at each step as it would have had undisturbed, or it would decide differently.
            calls_left=lambda: prepared.max_calls - models.spend.calls + models.journal.unasked,
            claim_look=sink.claim_look,
            receipt_parts={"program": __version__},
            prover=judge_for(provers, prepared.models) if in_batches else None,
            prover_concurrency=BATCHED_EVALUATIONS,
            suite=suite,
        )

    @asynccontextmanager
    async def _settled(self, uuid: str) -> AsyncIterator[None]:
        """However the run ends, the problems that it worked on stand as its end says."""
        try:
            yield
        finally:
            await asyncio.shield(self._proved.settle(uuid))

    @asynccontextmanager
    async def _heard(self, active: ActiveRun) -> AsyncIterator[None]:
        """Listen for the wish to stop that another process leaves in the database."""

        async def listen() -> None:
            while True:
                await asyncio.sleep(LOOK_FOR_CANCEL_EVERY)
                if await self._core.store.read(lambda unit: unit.attempts.is_cancel_requested(active.uuid)):
                    active.cancel.request()
                    active.may_go.set()

        task = asyncio.create_task(listen(), name=f"cancel of {active.uuid}")
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _told(self, active: ActiveRun, progress: Progress) -> None:
        event = ProgressEvent(active.uuid, progress.phase.value, progress.message, progress.detail)
        active.last = event
        if active.on_progress is not None:
            active.on_progress(event)
        data = {"target": str(active.ref), **event.to_json()}
        now = iso(self._core.clock.now())
        self._core.hub.tell(WorkspaceEvent(0, now, "run:progress", active.uuid, data))
        due = time.monotonic() - active.stored_at >= STORE_PROGRESS_EVERY or event.phase != active.phase
        if due:
            active.stored_at, active.phase = time.monotonic(), event.phase
            task = asyncio.get_running_loop().create_task(self._store_progress(active, event))
            self._storing.add(task)
            task.add_done_callback(self._storing.discard)

    async def _store_progress(self, active: ActiveRun, event: ProgressEvent) -> None:
        detail = dict(event.detail or {})
        stored: dict[str, Any] = {"message": event.message}
        stored |= {key: detail[key] for key in STORED_DETAILS if key in detail}
        figures = _figures(active)  # a process that dies leaves them behind

        def store(unit: Any) -> None:
            unit.attempts.progress(active.uuid, event.phase, stored, **figures)

        with contextlib.suppress(Conflict):  # the run ended, or the workspace was closed meanwhile
            await self._core.store.write(store)

    async def _failed(self, active: ActiveRun, error: HoneyguideError) -> None:
        def note(unit: Any) -> None:
            known = unit.attempts.get(active.uuid)
            if known is not None and known.state == "running":
                state = "interrupted" if isinstance(error, Interrupted) else "failed"
                unit.attempts.finish(active.uuid, state, error.message)

        await self._core.store.write(note)
        await self._keep_calls(active)

    async def _keep_calls(self, active: ActiveRun) -> None:
        """Store what was paid for, whatever came of it: the index of the calls and the figures of the attempt."""
        if active.spend is None:
            return
        await index_calls(self._core, active.uuid)
        figures = _figures(active)
        await self._core.store.write(lambda unit: unit.attempts.note(active.uuid, **figures))

    async def _result(self, uuid: str, result: OrchestratorResult, prepared: _Prepared, spend: Spend) -> RunResult:
        run = await self._core.store.read(lambda unit: unit.runs.get(uuid))
        payload = {**result.to_json(), "spend": spend.to_json()}
        if is_practice(prepared.models.text):
            payload["model"] = PRACTICE
        if notes := _notes_on(prepared):
            payload["notes"] = notes
        return RunResult(uuid, payload, run, result.error.exit_code if result.error is not None else 0)

    async def _stored_result(self, uuid: str) -> RunResult:
        attempt, run = await self._core.store.read(lambda unit: (unit.attempts.require(uuid), unit.runs.get(uuid)))
        return RunResult(uuid, {"outcome": attempt.state, "reason": attempt.reason, "spend": {}}, run)

    async def _reasons(self, home: Home, models: Models) -> tuple[Reason, ...]:
        found = [
            Reason("no-key", f"No key is known for {ref.provider}.")
            for ref in {ref.provider: ref for ref in models.by_role.values()}.values()
            if not await self._core.in_thread(partial(self._core.registry.has_key, ref))
        ]
        lease = run_lease(home.ref.kind.value, home.ref.name)
        held = await self._core.store.read(
            lambda unit: (h := unit.leases.holder(lease)) is not None and unit.leases.is_live(h)
        )
        if held:
            found.append(Reason("locked", "Another run works on this target."))
        if models.grades_itself:
            found.append(Reason("grades-itself", "The model would grade its own answers.", blocks=False))
        return tuple(found)

    async def _dataset_of(self, record: AttemptRecord, ref: TargetRef, options: RunOptions) -> Dataset:
        known = record.dataset_hash
        if known is not None:
            stored = await self._core.store.read(lambda unit: unit.datasets.get(known))
            if stored is not None and not stored.removed:
                return await self._core.store.read(lambda unit: unit.datasets.load(known))
        return await self._mining.dataset(ref, options.seed)

    async def _live_fingerprint(self, home: Home) -> str:
        files = self._core.deployer(*home.trusted)
        return await self._core.in_thread(lambda: files.live_fingerprint(home.live))

    def _require(self, uuid: str) -> ActiveRun:
        active = self._active.get(uuid)
        if active is None:
            raise NotFound(f"Run {uuid} does not run here.", hint="It may run in another program.")
        return active


def _notes_on(prepared: _Prepared) -> list[str]:
    """Return what whoever reads the result has to know about how it came about."""
    notes = []
    if prepared.models.grades_itself:
        notes.append("The model graded its own answers.")
    posted = prepared.options.posted_baseline
    if posted is not None and posted != prepared.request.live:
        notes.append("The posted baseline differs from the live text; the live text was used.")
    return notes


def _figures(active: ActiveRun) -> dict[str, Any]:
    """Return what a run took in all its starts; nothing before its first call."""
    return {} if active.spend is None else spend_figures(active.spend())


class _NoClient:
    """Stands where no call may be made."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        raise Conflict("A preview makes no call.")
