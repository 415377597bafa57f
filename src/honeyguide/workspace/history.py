"""What the agent did: recording, importing, watching, deleting, archiving; ``browsing`` reads what is stored."""

from __future__ import annotations

import asyncio
import io
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Literal

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Unreadable, Unsupported
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage import StoredTraces, Unit
from honeyguide.storage.records import AttemptFilter, TraceFilter
from honeyguide.traces.archive import ExpiryReport
from honeyguide.traces.jsonl import SOURCE_NAME, write_rows
from honeyguide.traces.preparing import Rules
from honeyguide.traces.readers import source as reader_named
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.recorder import TraceRecorder
from honeyguide.traces.records import Trace
from honeyguide.workspace import archiving, quotes
from honeyguide.workspace.browsing import Browsing
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.importing.reading import Stop
from honeyguide.workspace.importing.run import ImportRun, Progress, with_rules
from honeyguide.workspace.importing.watching import watch_paths
from honeyguide.workspace.linking import Linking
from honeyguide.workspace.views.traces import (
    ArchiveReport,
    ImportReport,
    TablePreviewView,
    TraceQuery,
)

PROGRESS_SECONDS = 0.25
"""How often progress is told at most."""


class History(Browsing):
    """The traces of a workspace; ``Browsing`` holds what only reads them."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._stops: set[_EitherStop] = set()
        self._idle = asyncio.Event()
        self._idle.set()

    # --- recording and importing

    def recorder(self) -> TraceRecorder:
        """Return what an agent records with; from any thread, no event loop needed."""
        core = self._core
        return TraceRecorder(StoredTraces(core.store), core.redactor(), clock=core.clock, new_id=core.new_id)

    async def import_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        encoding: str | None = None,
        progress: Progress | None = None,
        cancel: Stop | None = None,
        processes: int | None = None,
        target: str | TargetRef | None = None,
    ) -> ImportReport:
        """Import files and folders; secrets are replaced before anything is stored, and what is known is not doubled.

        Traces are then linked to the targets whose text or folder they show (see ``Linking.recognise``).

        Args:
            target: what all of them speak about, when the person who imports says so.
            mapping: column to field, for tables.
            encoding: the code page of files that are not UTF-8, as a person named it.
            progress: told bytes done, bytes in all and the file at hand, on the loop's thread.
            cancel: set (as a ``threading.Event``), the import ends within two seconds; so does cancelling the task.
            processes: how many readers to spawn; chosen by size when ``None``.

        Raises:
            NotFound, Unreadable, Unsupported: files were named and not one of them could be read.
            InvalidInput: a mapping without a table.
            NotFound, InvalidInput: the target.
            Interrupted: cancelled; whole conversations that were read stay.
        """
        stop = _EitherStop(cancel)
        homes = Homes(self._core)
        ref = None if target is None else await homes.resolve(target)
        rules = await self._rules(source, mapping, encoding)
        run = ImportRun(self._core.store, rules, stop, _on_loop(progress), processes, ref)
        report = await self._to_its_end(stop, lambda: run.files(paths))
        if report.imported or report.updated:
            await Linking(self._core, homes).recognise()
        return report

    async def trace_sources(self) -> tuple[str, ...]:
        """Return the names of what can be imported; the recorder's own format and the sample are among them."""
        from honeyguide.traces.readers import sources

        return await self._core.in_thread(lambda: tuple(sources()))

    async def preview_table(
        self, path: Path, mapping: Mapping[str, str] | None = None, encoding: str | None = None
    ) -> TablePreviewView:
        """Return the columns of a table, what each is taken for, and the first rows. Raises as ``preview_table``."""

        def work() -> TablePreviewView:
            from honeyguide.workspace.importing.previewing import preview_table

            return preview_table(path, mapping, encoding)

        return await self._core.in_thread(work)

    async def table_doubt(self, path: Path) -> Literal["", "columns", "target"]:
        """Return what a person should say before a file is imported as a table. Raises as ``table_doubt``."""
        from honeyguide.workspace.importing.previewing import table_doubt

        return await self._core.in_thread(lambda: table_doubt(path))

    async def import_recorded(self, traces: Iterable[Trace]) -> ImportReport:
        """Import traces that are at hand, like a file of them: redacted, with corrections found, nothing doubled."""
        lines = await self._core.in_thread(lambda: b"".join(write_rows(traces)))
        rules = await self._rules(SOURCE_NAME, None, None)
        run = ImportRun(self._core.store, rules)
        found = reader_named(SOURCE_NAME).read(io.BytesIO(lines), ReadContext(SOURCE_NAME))
        return await self._core.in_thread(lambda: run.conversations(found, SOURCE_NAME))

    async def watch_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        target: str | TargetRef | None = None,
        on_report: Callable[[ImportReport], None],
    ) -> None:
        """Import, then stay and import what is written later, until the task is cancelled or the workspace closes.

        ``on_report`` is called at first, and whenever something came in or a file could not be read.
        """
        report = await self.import_traces(paths, source=source, mapping=mapping, target=target)
        on_report(report)
        stop = _EitherStop(None)
        self._begin(stop)
        try:
            async with aclosing(watch_paths(paths, stop)) as changes:
                async for changed in changes:
                    report = await self._import_changed(changed, source, mapping, target)
                    if report.imported or report.updated or report.unreadable:
                        on_report(report)
        finally:
            self._finish(stop)

    async def keep_up(self, on_report: Callable[[ImportReport], None] = lambda report: None) -> None:
        """Do what the settings ask for by itself: archive sessions, watch folders. Ends when there is nothing to watch.

        A front end that stays open runs it in a task, and anew when one of the two settings changes.
        """
        settings = self._core.settings
        if settings.get("history.archive"):
            await self.archive_traces()
        present = await self._core.in_thread(lambda: _present(settings.get("history.watch_folders")))
        if present:
            await self.watch_traces(present, on_report=on_report)

    async def close(self) -> None:
        """Stop imports and watches; call it before the store is closed."""
        for stop in tuple(self._stops):
            stop.set()
        await self._idle.wait()

    # --- changing

    async def link_traces(self, target: str | TargetRef, query: TraceQuery, ids: Sequence[int] | None = None) -> int:
        """Note that traces speak about a target, as a person says; return how many are new.

        Args:
            query: which of them; paging does not matter.
            ids: only these.

        Raises:
            InvalidInput, NotFound: the target, or a filter that says nothing.
        """
        wanted = replace(await self._filter(query), ids=None if ids is None else list(dict.fromkeys(ids)))
        if query.text and query.text.strip():
            raise InvalidInput("A search cannot be linked as a whole.", hint="Name the traces that it found.")
        return await Linking(self._core, Homes(self._core)).link(target, wanted)

    async def unlink_traces(self, target: str | TargetRef, ids: Sequence[int]) -> int:
        """Take traces away from a target; return how many were linked to it. Raises InvalidInput, NotFound."""
        return await Linking(self._core, Homes(self._core)).unlink(target, ids)

    async def confirm_traces(self, query: TraceQuery, ids: Sequence[int] | None = None) -> list[int]:
        """Note that a person found answers good, of those whose end is not known; return which there were.

        Args:
            query: which of them; paging does not matter.
            ids: only these.

        Raises:
            InvalidInput, NotFound: a filter that says nothing.
        """
        wanted = replace(await self._filter(query), ids=None if ids is None else list(dict.fromkeys(ids)))
        if query.text and query.text.strip():
            raise InvalidInput("A search cannot be confirmed as a whole.", hint="Name the traces that it found.")
        return await self._core.store.write(lambda unit: unit.traces.confirm(wanted))

    async def unsaid_traces(self) -> int:
        """Return of how many answers nobody and nothing said whether they were good."""
        return await self._core.store.read(lambda unit: unit.traces.count(TraceFilter(unsaid=True)))

    async def unconfirm_traces(self, ids: Sequence[int]) -> int:
        """Take that word back; return how many traces it was said of."""
        return await self._core.store.write(lambda unit: unit.traces.unconfirm(list(dict.fromkeys(ids))))

    async def mark_never_send(self, ids: Sequence[int], value: bool = True) -> int:
        """Mark traces so that no model may see them, or lift the mark; return how many there are."""
        wanted = TraceFilter(ids=list(dict.fromkeys(ids)))
        return await self._core.store.write(lambda unit: unit.traces.set_never_send(wanted, value))

    async def delete_traces(self, ids: Sequence[int]) -> int:
        """Delete traces for good: from the database, from run folders and archives that quote them.

        Unknown ids are passed over; a later import does not bring a deleted trace back. Returns how many were deleted.

        Raises:
            Conflict: a run that is under way works with one of them.
        """
        core = self._core
        wanted = list(dict.fromkeys(ids))

        def read(unit: Unit) -> list[Trace]:
            _refuse_while_used(unit, wanted)
            return unit.traces.query(TraceFilter(ids=wanted), limit=len(wanted))

        doomed = await core.store.read(read) if wanted else []
        if not doomed:
            return 0
        forgotten = await core.store.forget([trace.id for trace in doomed])
        await core.in_thread(lambda: quotes.remove_quotes(core.layout, forgotten.run_uuids, doomed))
        left_out = await core.in_thread(lambda: archiving.remove_copies(core.layout, doomed))
        if left_out:
            await core.store.write(lambda unit: archiving.leave_out(unit, left_out))
        return forgotten.traces

    # --- archives

    async def archive_traces(self) -> ArchiveReport:
        """Keep a compressed, redacted copy of every session that its program will delete. Raises Unwritable."""
        return await self._core.in_thread(lambda: archiving.archive_sessions(self._core))

    async def expiring_sessions(self) -> ExpiryReport:
        """Say how many sessions their program deletes within a week and have no copy; looks at folders only."""
        return await self._core.in_thread(lambda: archiving.expiring(self._core))

    # --- inside

    async def _rules(self, source: str, mapping: Mapping[str, str] | None, encoding: str | None) -> Rules:
        core = self._core
        personal = bool(core.settings.get("privacy.replace_personal"))
        plain = Rules(core.redaction_key, personal, source=source, mapping=dict(mapping or {}), encoding=encoding)
        return await core.store.read(lambda unit: with_rules(unit, plain))

    async def _to_its_end(self, stop: _EitherStop, work: Callable[[], ImportReport]) -> ImportReport:
        """Run an import in a thread; cancelling the caller stops it and waits until it has stopped."""
        self._begin(stop)
        task = asyncio.ensure_future(self._core.in_thread(work))
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            stop.set()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()
            raise
        finally:
            self._finish(stop)

    async def _import_changed(
        self, paths: Sequence[Path], source: str, mapping: Mapping[str, str] | None, target: str | TargetRef | None
    ) -> ImportReport:
        """Import files that changed; one that went away again, or is no history, is passed over."""
        try:
            return await self.import_traces(paths, source=source, mapping=mapping, target=target)
        except (NotFound, Unreadable, Unsupported):
            return ImportReport()

    def _begin(self, stop: _EitherStop) -> None:
        self._stops.add(stop)
        self._idle.clear()

    def _finish(self, stop: _EitherStop) -> None:
        stop.set()
        self._stops.discard(stop)
        if not self._stops:
            self._idle.set()


class _EitherStop:
    """Set by us, or by the one who gave ``other``."""

    def __init__(self, other: Stop | None) -> None:
        self._own = threading.Event()
        self._other = other

    def set(self) -> None:
        """Stop."""
        self._own.set()

    def is_set(self) -> bool:
        """Whether somebody wants to stop."""
        return self._own.is_set() or (self._other is not None and self._other.is_set())


def _on_loop(progress: Progress | None) -> Progress:
    """Return what tells ``progress`` on the present loop's thread, not too often, the end always."""
    if progress is None:
        return lambda done, total, path: None
    loop = asyncio.get_running_loop()
    tell = progress
    told = [float("-inf"), -1.0]

    def throttled(done: int, total: int, path: str) -> None:
        now = time.monotonic()
        if (now - told[0] >= PROGRESS_SECONDS or done >= total) and done != told[1]:
            told[0], told[1] = now, done
            loop.call_soon_threadsafe(tell, done, total, path)

    return throttled


def _present(folders: Sequence[str]) -> list[Path]:
    return [path for folder in folders if (path := Path(folder).expanduser()).exists()]


def _refuse_while_used(unit: Unit, ids: Sequence[int]) -> None:
    wanted = set(ids)
    for attempt in unit.attempts.list(AttemptFilter(states=("running",)), limit=1000):
        if attempt.dataset_hash is None or unit.datasets.get(attempt.dataset_hash) is None:
            continue
        dataset = unit.datasets.load(attempt.dataset_hash)
        examples = (*dataset.train, *dataset.validation, *dataset.holdout)
        if any(example.metadata.get("traceId") in wanted for example in examples):
            raise Conflict(
                f"The run {attempt.uuid} works with one of these traces.",
                hint="Wait until it has ended, or cancel it, then delete them.",
                details={"run": attempt.uuid},
            )
