"""The one object that every front end talks to: window, command line, HTTP, MCP, Python.

What one of them can do, the others can do with the same words, because it is the same method. Coroutines hop to
worker threads for everything that waits; a method without ``async`` may be called from any thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

from honeyguide.evals.replay import ReplayRow
from honeyguide.evolution.requests import Trigger
from honeyguide.kernel.clock import Clock, iso
from honeyguide.kernel.errors import NotFound
from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.llm import ModelRef, ModelRole
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import SERVER
from honeyguide.traces.archive import ExpiryReport
from honeyguide.traces.recorder import TraceRecorder
from honeyguide.workspace import places
from honeyguide.workspace.core import Core
from honeyguide.workspace.corrections import Corrections
from honeyguide.workspace.deciding import Deciding
from honeyguide.workspace.doctor import diagnose_installation
from honeyguide.workspace.events import Listener, WorkspaceEvent, event_of
from honeyguide.workspace.exporting import review_page
from honeyguide.workspace.history import History
from honeyguide.workspace.holding import held
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.importing.reading import Stop
from honeyguide.workspace.judging import JudgeExam, Judging
from honeyguide.workspace.mining import Mining, write_file
from honeyguide.workspace.models import Models
from honeyguide.workspace.opening import make_folder, open_core
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.preparing import costs_money
from honeyguide.workspace.reviewing import Reviewing, RunKey
from honeyguide.workspace.running import OnProgress, Running
from honeyguide.workspace.sample import compose_history
from honeyguide.workspace.service import EvolutionService, OnTick
from honeyguide.workspace.targets import Targets
from honeyguide.workspace.version_history import Versions
from honeyguide.workspace.views.corrections import CorrectionDetail, CorrectionRow, DetectorRow
from honeyguide.workspace.views.doctor import DoctorReport
from honeyguide.workspace.views.models import KeyPlace, ModelsReport, ModelTest
from honeyguide.workspace.views.options import RunOptions
from honeyguide.workspace.views.pages import Page
from honeyguide.workspace.views.runs import (
    AcceptCheck,
    CallRow,
    CandidateRow,
    DatasetReport,
    EvidenceRow,
    PlanReport,
    ProgressEvent,
    RunDetail,
    RunFilter,
    RunPage,
    RunResult,
    RunTableRow,
    StatusReport,
    TryResult,
)
from honeyguide.workspace.views.service import DaemonStatus, TickReport
from honeyguide.workspace.views.targets import LockRow, TargetDetail, TargetRow
from honeyguide.workspace.views.traces import (
    TRACES_SHOWN,
    ArchiveReport,
    ImportReport,
    TraceDetail,
    TraceQuery,
    TraceRow,
)
from honeyguide.workspace.views.versions import DiffView, VersionDetail, VersionList, VersionRow, WatchReport

Name = str | TargetRef


class Workspace:
    """An open workspace. Make one with ``create`` or ``open``; ``close`` it, or use it in ``async with``."""

    def __init__(self, core: Core) -> None:
        """For ``create`` and ``open`` only."""
        self._core = core
        homes = Homes(core)
        mining = Mining(core, homes)
        self._homes = homes
        self._mining = mining
        self._targets = Targets(core, homes)
        self._versions = Versions(core, homes)
        self._judging = Judging(core)
        self._running = Running(core, homes, mining, self._judging)
        self._service = EvolutionService(core, homes, self._running)
        self._deciding = Deciding(core, homes)
        self._reviewing = Reviewing(core, homes)
        self._history = History(core)
        self._corrections = Corrections(core)
        self._models = Models(core)

    # --- life

    @classmethod
    async def create(
        cls, path: Path, *, sample: bool = False, clock: Clock | None = None, ids: IdFactory = new_uuid
    ) -> Workspace:
        """Make a workspace in a folder and open it; with ``sample``, it holds the sample's agent and its history.

        Raises:
            Conflict: there is one already.
            Unwritable: the folder cannot be made.
        """
        path = await asyncio.to_thread(lambda: path.expanduser().absolute())
        await asyncio.to_thread(make_folder, path, sample=sample)
        core = await asyncio.to_thread(lambda: open_core(path, create=True, clock=clock, new_id=ids))
        workspace = cls(core)
        if sample:
            await workspace._history.import_recorded(await asyncio.to_thread(lambda: list(compose_history())))
        return workspace

    @classmethod
    async def open(cls, path: Path, *, clock: Clock | None = None, ids: IdFactory = new_uuid) -> Workspace:
        """Open a workspace; an old one is brought up to date after a backup, and what a crash left is repaired.

        Raises:
            NotFound: there is none.
            Unreadable, Unsupported: it is damaged, or of a newer version.
            Locked: another process holds it.
        """
        core = await asyncio.to_thread(lambda: open_core(path, create=False, clock=clock, new_id=ids))
        workspace = cls(core)
        await core.store.finish_forgetting()
        await workspace._deciding.recover()
        await core.store.write(lambda unit: unit.attempts.sweep())
        return workspace

    @staticmethod
    def default_path() -> Path:
        """Return the workspace that is used when none is named."""
        return places.default_path()

    @staticmethod
    def last_opened() -> Path | None:
        """Return the workspace that was opened last, if it is still there."""
        return places.last_opened()

    @staticmethod
    def remember(path: Path) -> None:
        """Note that this workspace was opened last."""
        places.remember(path)

    @staticmethod
    async def doctor(path: Path) -> DoctorReport:
        """Say what works here and what does not; needs no workspace."""
        return await diagnose_installation(path)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._core.layout.root

    async def close(self) -> None:
        """Stop running work (it can be resumed) and close everything, in order."""
        await self._running.close()
        await self._history.close()
        await self._core.close()

    async def __aenter__(self) -> Workspace:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    # --- settings and events

    def setting(self, key: str) -> Any:
        """Return a setting, or its default. Raises InvalidInput for an unknown key."""
        return self._core.settings.get(key)

    def settings(self) -> dict[str, Any]:
        """Return every setting with its value."""
        return self._core.settings.all()

    async def set_setting(self, key: str, value: Any) -> None:
        """Set a setting; ``None`` goes back to the default. Raises InvalidInput, Unwritable."""
        await self._core.in_thread(lambda: self._core.settings.set(key, value))
        if key.startswith("models."):
            await self._core.renew_registry()
        await self._core.store.write(lambda unit: unit.events.append("setting:changed", key))

    def subscribe(self, listener: Listener) -> Callable[[], None]:
        """Call ``listener`` on the loop's thread for every change of any process; returns what ends it."""
        return self._core.hub.subscribe(listener)

    async def events(self, after_id: int = 0, *, limit: int = 1000) -> list[WorkspaceEvent]:
        """Return stored changes with a greater id, in order."""
        store = self._core.store
        records = await store.read(lambda unit: unit.events.since(after_id, limit=limit))
        return [event_of(record, store.instance) for record in records]

    async def last_event_id(self) -> int:
        """Return the id of the newest change."""
        return await self._core.store.read(lambda unit: unit.events.last_id())

    # --- targets

    async def resolve(self, name: Name) -> TargetRef:
        """Return the target that ``NAME`` or ``KIND:NAME`` means. Raises InvalidInput, NotFound."""
        return await self._homes.resolve(name)

    async def targets(self) -> list[TargetRow]:
        """Return every target."""
        return await self._targets.rows()

    async def target(self, name: Name) -> TargetDetail:
        """Return one target with its live text."""
        return await self._targets.detail(name)

    async def add_target(
        self, path: Path, *, kind: str | None = None, name: str | None = None, span: str | None = None,
        encoding: str | None = None,
    ) -> TargetRow:  # fmt: skip
        """Register a text that lives in its own file."""
        return await self._targets.add(path, kind=kind, name=name, span=span, encoding=encoding)

    async def remove_target(self, name: Name) -> None:
        """Forget a registered target; its file stays as it is."""
        await self._targets.remove(name)

    async def lock(self, name: Name, text: str) -> LockRow:
        """Lock a passage of a target's text."""
        return await self._targets.lock(name, text)

    async def unlock(self, name: Name, lock_id: str) -> None:
        """Remove a lock."""
        await self._targets.unlock(name, lock_id)

    async def target_names_for_api(self) -> dict[str, Any]:
        """Return personas, sections and the default schema, as the HTTP API lists them."""
        return await self._targets.for_api()

    def active_prompt(self, kind: str | TargetKind, name: str) -> str:
        """Return what an agent loads now: the deployed override, else what it ships with; live after a deploy.

        Raises:
            NotFound, InvalidInput: no such target.
        """
        if kind not in set(TargetKind):
            raise NotFound(f"{kind!r} is not a kind of target.", hint="See 'honeyguide targets list'.")
        return self._homes.live_text(TargetRef(TargetKind(kind), name))

    # --- history

    def recorder(self) -> TraceRecorder:
        """Return what an agent records with; from any thread, no event loop needed."""
        return self._history.recorder()

    async def import_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        encoding: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
        cancel: Stop | None = None,
    ) -> ImportReport:
        """Import files and folders; secrets are replaced before anything is stored, and nothing is doubled."""
        return await self._history.import_traces(
            paths, source=source, mapping=mapping, encoding=encoding, progress=progress, cancel=cancel
        )

    async def watch_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        on_report: Callable[[ImportReport], None],
    ) -> None:
        """Import, then stay and import what is written later, until the task is cancelled."""
        await self._history.watch_traces(paths, source=source, mapping=mapping, on_report=on_report)

    async def traces(self, query: TraceQuery | None = None) -> Page[TraceRow]:
        """Return a part of the list of traces."""
        return await self._history.traces(query)

    async def trace(self, trace_id: int) -> TraceDetail:
        """Return one trace. Raises NotFound."""
        return await self._history.trace(trace_id)

    async def search_traces(self, words: str, limit: int = TRACES_SHOWN) -> Page[TraceRow]:
        """Return traces that hold all words, the best first."""
        return await self._history.search_traces(words, limit)

    async def export_traces(self, path: Path, query: TraceQuery | None = None) -> int:
        """Write traces as JSON lines; return how many."""
        return await self._history.export_traces(path, query)

    async def delete_traces(self, ids: Sequence[int]) -> int:
        """Delete traces for good, with everything that quotes them; return how many."""
        return await self._history.delete_traces(ids)

    async def mark_never_send(self, ids: Sequence[int], value: bool = True) -> int:
        """Mark traces so that no model may see them, or lift the mark."""
        return await self._history.mark_never_send(ids, value)

    async def archive_traces(self) -> ArchiveReport:
        """Keep a copy of every session that its program will delete."""
        return await self._history.archive_traces()

    async def expiring_sessions(self) -> ExpiryReport:
        """Say how many sessions their program deletes within a week and have no copy."""
        return await self._history.expiring_sessions()

    async def corrections(
        self, state: str | None = None, limit: int = 100, *, offset: int = 0, detector: str | None = None,
        target: TargetRef | None = None,
    ) -> Page[CorrectionRow]:  # fmt: skip
        """Return a part of the list of corrections, newest first."""
        return await self._corrections.list(state, limit, offset=offset, detector=detector, target=target)

    async def correction(self, correction_id: int) -> CorrectionDetail:
        """Return one correction with the answer it is about. Raises NotFound."""
        return await self._corrections.show(correction_id)

    async def confirm_correction(self, correction_id: int, edit: str | None = None) -> CorrectionRow:
        """A person says yes, in their own words when ``edit`` is given: it becomes an example."""
        return await self._corrections.confirm(correction_id, edit)

    async def dismiss_correction(self, correction_id: int) -> CorrectionRow:
        """A person says no."""
        return await self._corrections.dismiss(correction_id)

    async def detector_precision(self) -> tuple[DetectorRow, ...]:
        """Return how often each detector was right, and which switched themselves off."""
        return await self._corrections.detectors()

    # --- models

    async def models(self) -> ModelsReport:
        """Return roles, providers and where keys are; opens no connection."""
        return await self._models.report()

    async def test_models(self, name: str | None = None) -> list[ModelTest]:
        """Ask a model, or every role's, one short question and explain what failed."""
        return await self._models.test(name)

    async def list_models(self, provider: str) -> list[str]:
        """Ask a provider which models it offers. Raises ModelError, InvalidInput."""
        return await self._models.list_models(provider)

    async def set_key(self, provider: str, key: str, *, where: str = "keyring") -> KeyPlace:
        """Keep a key in the system's key ring, or (``session``) in memory only."""
        return await self._models.set_key(provider, key, where=where)

    async def forget_key(self, provider: str) -> bool:
        """Remove a key from the key ring and this session."""
        return await self._models.forget_key(provider)

    async def use_model(self, role: str, model: str) -> ModelsReport:
        """Choose the model of a role."""
        return await self._models.use(role, model)

    async def add_model_file(self, path: Path) -> ModelRef:
        """Make a model file on this computer known by its name."""
        return await self._models.add_file(path)

    async def judge_exam(self, cases: Path | None = None, *, is_confirmed: bool = False) -> JudgeExam:
        """Let the judge grade cases that a person graded. Raises NotFound, InvalidInput, PolicyRefused."""
        return await self._judging.exam(cases, is_confirmed=is_confirmed)

    async def last_judge_exam(self) -> JudgeExam | None:
        """Return the last exam; ``None`` when there was none."""
        return await self._judging.last_exam()

    async def replay(
        self, trace_ids: Sequence[int], left: str, right: str, options: RunOptions | None = None
    ) -> tuple[ReplayRow, ...]:
        """Run past inputs on two texts, side by side."""
        return await self._judging.replay(trace_ids, left, right, options or RunOptions())

    # --- datasets and runs

    async def build_dataset(self, target: Name, *, seed: int = 1, out: Path | None = None) -> DatasetReport:
        """Build a target's dataset and write its rows to ``out`` when given; nothing is sent anywhere."""
        return await self._mining.report(target, seed=seed, out=out)

    async def plan(self, target: Name, options: RunOptions) -> PlanReport:
        """Say what a run would do and cost; calls nothing."""
        return await self._running.plan(target, options)

    async def preview_requests(self, target: Name, options: RunOptions) -> list[dict[str, Any]]:
        """Return a run's first requests exactly as they would leave; sends nothing."""
        return await self._running.preview_requests(target, options)

    def costs_money(self, options: RunOptions) -> bool:
        """Say whether a run with these options is paid for."""
        return costs_money(self._core, options)

    def model_for(self, role: ModelRole) -> ModelRef:
        """Return the model of a role."""
        return self._core.model_for(role)

    async def evolve(
        self,
        target: Name,
        options: RunOptions,
        *,
        on_progress: OnProgress | None = None,
        origin: Origin | None = None,
        trigger: Trigger | None = None,
    ) -> RunResult:
        """Run to the end. Cancelling the caller stops the run; what was paid for is kept and ``resume_run`` goes on.

        Raises:
            PolicyRefused: it costs money and ``options`` is not confirmed.
            NoKey, Locked, InvalidInput, NotFound, Interrupted.
        """
        return await self._running.evolve(
            target, options, origin=origin or Origin.here(), on_progress=on_progress, trigger=trigger
        )

    async def start_run(
        self, target: Name, options: RunOptions, *, origin: Origin | None = None, on_progress: OnProgress | None = None
    ) -> str:
        """Begin a run in the background and return its id; follow it with ``subscribe`` (``run:progress``)."""
        return await self._running.start(target, options, origin=origin or Origin.here(), on_progress=on_progress)

    async def wait_run(self, uuid: str) -> RunResult:
        """Wait for a run that was started here. Raises NotFound."""
        return await self._running.wait(uuid)

    async def resume_run(
        self, uuid: str, *, on_progress: OnProgress | None = None, origin: Origin | None = None
    ) -> RunResult:
        """Go on with an interrupted run; no call is paid twice."""
        return await self._running.resume(uuid, origin=origin or Origin.here(), on_progress=on_progress)

    async def cancel_run(self, uuid: str) -> None:
        """Stop a run before its next call, also one of another process."""
        await self._running.cancel(uuid)

    def pause_run(self, uuid: str) -> None:
        """Hold a run of this process before its next call."""
        self._running.pause(uuid)

    def continue_run(self, uuid: str) -> None:
        """Let a paused run go on."""
        self._running.go_on(uuid)

    def is_paused(self, uuid: str) -> bool:
        """Say whether a run of this process is held."""
        return self._running.is_paused(uuid)

    def active_runs(self) -> tuple[str, ...]:
        """Return the ids of the runs of this process."""
        return self._running.active()

    def last_progress(self, uuid: str) -> ProgressEvent | None:
        """Return where a run of this process stood last."""
        return self._running.last_progress(uuid)

    # --- review

    async def runs(self, wanted: RunFilter | None = None) -> RunPage:
        """Return runs, and the attempts that made none beside them."""
        return await self._reviewing.page(wanted or RunFilter())

    async def run_rows(self, wanted: RunFilter | None = None) -> Page[RunTableRow]:
        """Return one screen of the run table: runs and attempts in one list, newest first."""
        return await self._reviewing.rows(wanted or RunFilter())

    async def run_rows_of(self, uuids: Sequence[str]) -> dict[str, RunTableRow]:
        """Return the rows with these ids."""
        return await self._reviewing.many(uuids)

    async def run_keys(self, *, after: RunKey | None = None, limit: int = 5000) -> tuple[RunKey, ...]:
        """Return a chunk of the thin index of the run table."""
        return await self._reviewing.keys(after=after, limit=limit)

    async def run(self, uuid: str) -> RunDetail:
        """Return one run with its proof."""
        return await self._reviewing.detail(uuid)

    async def run_diff(self, uuid: str) -> DiffView:
        """Return what a proposal changes."""
        return await self._reviewing.diff(uuid)

    async def run_evidence(self, uuid: str) -> list[EvidenceRow]:
        """Return every unseen case with both answers."""
        return await self._reviewing.evidence(uuid)

    async def run_candidates(self, uuid: str) -> list[CandidateRow]:
        """Return the candidates of a run."""
        return await self._reviewing.candidates(uuid)

    async def run_journal(self, uuid: str, *, limit: int = 100, offset: int = 0) -> Page[CallRow]:
        """Return a page of a run's model calls."""
        return await self._reviewing.journal(uuid, limit=limit, offset=offset)

    async def run_status(
        self, *, kind: str | None = None, name: str | None = None, since: str | None = None
    ) -> StatusReport:
        """Count runs by state."""
        return await self._reviewing.status(kind=kind, name=name, since=since)

    async def try_prompt(self, uuid: str, text: str) -> TryResult:
        """Answer an input with the live text and with the proposed one."""
        return await self._reviewing.try_prompt(uuid, text)

    async def export_run(self, uuid: str, path: Path) -> Path:
        """Write a page with the whole proof, to hand to a colleague. Raises NotFound, Unwritable."""
        detail = await self.run(uuid)
        diff = await self.run_diff(uuid) if detail.run is not None else None
        evidence = await self.run_evidence(uuid)
        page = review_page(detail, diff, evidence, iso(self._core.clock.now()))
        await self._core.in_thread(lambda: write_file(path, page.encode()))
        return path

    # --- decisions

    async def can_accept(
        self, uuid: str, *, hunks: Sequence[int] | None = None, edited_text: str | None = None
    ) -> AcceptCheck:
        """Say what accepting would do and whether it may be done; changes nothing."""
        return await self._deciding.check(uuid, hunks=hunks, edited_text=edited_text)

    async def accept(
        self,
        uuid: str,
        *,
        note: str | None = None,
        hunks: Sequence[int] | None = None,
        edited_text: str | None = None,
        origin: Origin | None = None,
    ) -> RunDetail:
        """Accept a proposal and deploy it; ``failed`` with its reason when the deploy began and threw.

        Raises:
            NotFound, Conflict, Stale, Locked, PolicyRefused, GateRefused.
        """
        await self._deciding.accept(
            uuid, note=note, hunks=hunks, edited_text=edited_text, origin=origin or Origin.here()
        )
        return await self.run(uuid)

    async def reject(self, uuid: str, *, reason: str | None = None, origin: Origin | None = None) -> RunDetail:
        """Reject a proposal. Raises NotFound, Conflict."""
        await self._deciding.reject(uuid, reason=reason, origin=origin or Origin.here())
        return await self.run(uuid)

    async def retry(self, uuid: str, *, origin: Origin | None = None) -> RunDetail:
        """Try a failed deploy once more. Raises NotFound, Conflict, Stale, Locked."""
        await self._deciding.retry(uuid, origin=origin or Origin.here())
        return await self.run(uuid)

    # --- versions

    async def versions(self, target: Name) -> VersionList:
        """Return the versions of a target."""
        return await self._versions.list(target)

    async def version(self, target: Name, n: int) -> VersionDetail:
        """Return one version with its text."""
        return await self._versions.show(target, n)

    async def version_diff(self, target: Name, m: int, n: int) -> DiffView:
        """Compare two versions."""
        return await self._versions.diff(target, m, n)

    async def backup(self, target: Name, *, note: str | None = None, origin: Origin | None = None) -> VersionRow:
        """Store the live text as a version."""
        return await self._versions.backup(target, note=note, origin=origin or Origin.here())

    async def rollback(
        self, target: Name, *, to: int | None = None, note: str | None = None, origin: Origin | None = None
    ) -> VersionRow:
        """Bring an earlier version back, as a new one."""
        return await self._versions.rollback(target, to=to, note=note, origin=origin or Origin.here())

    async def watch(self, target: Name) -> WatchReport:
        """Say for each deployment whether it helped."""
        return await self._versions.watch(target)

    # --- by itself

    async def daemon_status(self) -> DaemonStatus:
        """Say whether the autonomous service is on, who runs it, what it did last and what it waits for."""
        return await self._service.status()

    async def run_daemon(
        self, *, once: bool = False, idle_while_off: bool = False, on_tick: OnTick | None = None
    ) -> TickReport | None:
        """Run the autonomous service: one look with ``once``, else until the caller is cancelled. Never deploys.

        Args:
            idle_while_off: inside another program: wait while it is switched off or another program runs it.

        Raises:
            PolicyRefused: it is switched off.
            Locked: another program runs it.
        """
        return await self._service.run(once=once, idle_while_off=idle_while_off, on_tick=on_tick)

    def serving(self) -> AbstractAsyncContextManager[object]:
        """Be the one HTTP server of this workspace while the block runs. Raises Locked, saying who it is already."""
        return held(self._core.store, SERVER, "Another server already serves this workspace")
