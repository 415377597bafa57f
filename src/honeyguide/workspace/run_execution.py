"""Carrying one attempt out: its ceilings, its models, the engine, and what is kept of what came of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial

from honeyguide import __version__
from honeyguide.evals.examples import Dataset
from honeyguide.evals.memorisation import learn
from honeyguide.evolution.orchestrator import run_once
from honeyguide.evolution.requests import EvolutionRequest, OrchestratorResult, RunPorts
from honeyguide.kernel.errors import HoneyguideError, Interrupted, PolicyRefused
from honeyguide.llm import (
    ModelClient,
    ModelRole,
    RunModels,
    Spend,
)
from honeyguide.storage import StoredAttempt, run_lease
from honeyguide.storage.records import AttemptRecord
from honeyguide.workspace.core import Core
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import (
    ROLES,
    Models,
    goes_in_batches,
    judge_for,
    plan_for,
)
from honeyguide.workspace.proved_feedback import ProvedFeedback
from honeyguide.workspace.run_files import write_result_files
from honeyguide.workspace.run_models import run_models
from honeyguide.workspace.run_watching import ActiveRun, PausableClient, Watching
from honeyguide.workspace.suites import Suites
from honeyguide.workspace.together import Group
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.runs import PRACTICE, RunResult, is_practice

BATCHED_EVALUATIONS = 1000
"""Evaluations under way at once when their calls go out in batches: all that a holdout usually has."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything that one execution needs."""

    group: Group
    options: RunOptions
    models: Models
    request: EvolutionRequest
    dataset: Dataset
    max_calls: int
    max_usd: float | None


class Execution:
    """Carries attempts out, from the lease to the result."""

    def __init__(self, core: Core, suites: Suites, proved: ProvedFeedback, watching: Watching) -> None:
        self._core = core
        self._suites = suites
        self._proved = proved
        self._watching = watching

    async def prepared(
        self, group: Group, options: RunOptions, models: Models, request: EvolutionRequest, dataset: Dataset
    ) -> Prepared:
        """Return what an execution needs, its ceilings among it. Raises PolicyRefused for a suite that refuses it."""
        stage, of_suite = await self._suites.stage_and_reasons(group.lead)
        if of_suite:
            raise PolicyRefused(of_suite[0].message, details={"reason_code": of_suite[0].code})
        plan = await self._core.in_thread(lambda: plan_for(self._core, request, dataset, models, suite=stage))
        await self._core.in_thread(lambda: learn((*dataset.train, *dataset.validation)))
        settings = self._core.settings
        ceilings = [c for c in (options.max_calls, settings.get("limits.calls_per_run")) if c is not None]
        monies = [m for m in (options.max_usd, settings.get("limits.usd_per_run")) if m is not None]
        return Prepared(
            group, options, models, request, dataset,
            max_calls=min(ceilings) if ceilings else max(int(plan.calls.high), 1),
            max_usd=min(monies) if monies else None,
        )  # fmt: skip

    async def carry_out(
        self, active: ActiveRun, record: AttemptRecord, prepared: Prepared, origin: Origin,
        began: asyncio.Future[None], *, is_resumed: bool,
    ) -> RunResult:  # fmt: skip
        """Run to the end and return the result.

        Args:
            began: told when the run holds its lease and stands in the database.
        """
        store = self._core.store
        async with self._settled(record.uuid), self._leases(prepared.group):
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
                        on_wait=partial(self._watching.waits, active),
                    ) as models,
                    self._watching.heard(active),
                ):
                    active.spend = lambda: models.spend
                    ports = await self._ports(sink, prepared, models, active)
                    result = await run_once(
                        prepared.request,
                        ports,
                        active.cancel,
                        lambda progress: self._watching.tell(active, progress),
                    )
                    await models.sync()
                    spend = models.spend
            except HoneyguideError as error:
                await self._watching.note_failure(active, error)
                raise
            except asyncio.CancelledError:
                await asyncio.shield(self._watching.note_failure(active, Interrupted("The run was stopped.")))
                raise
            await self._core.in_thread(lambda: write_result_files(self._core.layout, record.uuid, result))
            await self._watching.keep_calls(active)
        if isinstance(result.error, Interrupted):
            raise result.error
        return await self._result(record.uuid, result, prepared, spend)

    # --- inside

    async def _ports(self, sink: StoredAttempt, prepared: Prepared, models: RunModels, active: ActiveRun) -> RunPorts:
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
        suite = await self._suites.proof(
            prepared.group.lead, prepared.models, lambda role: clients[role], prepared.group.joined
        )
        if suite is not None:
            await self._proved.begin(active.uuid, suite.evidence)

        return RunPorts(
            judge=judge_for(clients, prepared.models, prepared.group.joined),
            mutator=clients[ModelRole.MUTATOR],
            mutator_model=prepared.models[ModelRole.MUTATOR],
            dataset=dataset,
            sink=sink,
            # Replies that wait in the journal are paid for, but this start has yet to come to them: a resumed run
            # has to have as much left at each step as it would have had undisturbed, or it would decide differently.
            calls_left=lambda: prepared.max_calls - models.spend.calls + models.journal.unasked,
            claim_look=sink.claim_look,
            receipt_parts={"program": __version__, **_names(prepared.group)},
            prover=judge_for(provers, prepared.models, prepared.group.joined) if in_batches else None,
            prover_concurrency=BATCHED_EVALUATIONS,
            suite=suite,
        )

    @asynccontextmanager
    async def _leases(self, group: Group) -> AsyncIterator[None]:
        """Hold every target of the run; in one order, so that of two runs one gets all and the other is told."""
        async with AsyncExitStack() as held:
            for name in sorted(run_lease(ref.kind.value, ref.name) for ref in group.refs):
                await held.enter_async_context(self._core.store.lease(name))
            yield

    @asynccontextmanager
    async def _settled(self, uuid: str) -> AsyncIterator[None]:
        """However the run ends, the problems that it worked on stand as its end says."""
        try:
            yield
        finally:
            await asyncio.shield(self._proved.settle(uuid))

    async def _result(self, uuid: str, result: OrchestratorResult, prepared: Prepared, spend: Spend) -> RunResult:
        run = await self._core.store.read(lambda unit: unit.runs.get(uuid))
        payload = {**result.to_json(), "spend": spend.to_json()}
        if is_practice(prepared.models.text):
            payload["model"] = PRACTICE
        if notes := notes_on(prepared):
            payload["notes"] = notes
        return RunResult(uuid, payload, run, result.error.exit_code if result.error is not None else 0)


def _names(group: Group) -> dict[str, str]:
    return {} if group.joined is None else {"together": ", ".join(str(ref) for ref in group.refs)}


def notes_on(prepared: Prepared) -> list[str]:
    """Return what whoever reads the result has to know about how it came about."""
    notes = []
    if prepared.models.grades_itself:
        notes.append("The model graded its own answers.")
    posted = prepared.options.posted_baseline
    if posted is not None and posted != prepared.request.single_texts[0].live:
        notes.append("The posted baseline differs from the live text; the live text was used.")
    return notes
