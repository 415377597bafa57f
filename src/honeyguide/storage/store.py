"""The store: one writer thread, two readers, and everything that keeps several processes in step.

``read`` and ``write`` take a function that receives a ``Unit`` (all repositories over one transaction) and return
what it returns. ``read_now`` and ``write_now`` do the same without an event loop, from any thread.
"""

from __future__ import annotations

import asyncio
import getpass
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from honeyguide.kernel.clock import Clock, SystemClock
from honeyguide.kernel.errors import Conflict, InternalError
from honeyguide.kernel.ids import IdFactory, new_uuid
from honeyguide.storage import engine as connections
from honeyguide.storage import integrity, schema
from honeyguide.storage.fulltext import Fts5Index, FullTextIndex
from honeyguide.storage.leasing import Lease
from honeyguide.storage.records import Actor, EventRecord, Forgotten, ImportCounts
from honeyguide.storage.trace_import import BATCH
from honeyguide.storage.transactions import Surroundings, Transactions
from honeyguide.storage.unit import Unit
from honeyguide.storage.watching import EventWatcher, State, StateMark
from honeyguide.traces.records import Trace

T = TypeVar("T")
BREATH_SECONDS = 0.02
"""Pause between two batches of an import, in which other processes get the write lock."""


def current_actor(way: str = "python") -> Actor:
    """Return an actor with the present user of the operating system."""
    try:
        return Actor(way, getpass.getuser())
    except (OSError, KeyError, ImportError):
        return Actor(way, "")


class Store:
    """An open database of a workspace.

    Attributes:
        path: the database file.
        instance: id of this opening; ``origin`` of its events and owner of its leases.
        backup: the copy that was made before the tables were updated at this opening, if any.
    """

    def __init__(self, path: Path, *, clock: Clock, new_id: IdFactory, actor: Actor, index: FullTextIndex) -> None:
        """For ``Store.open`` only."""
        self.path = path
        self.instance = new_id()
        self.backup: Path | None = None
        self._index = index
        self._transactions = Transactions(path, Surroundings(clock, new_id, actor, self.instance, index))
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="honeyguide-store-writer")
        self._readers = ThreadPoolExecutor(connections.READERS, thread_name_prefix="honeyguide-store-reader")
        self._inside = threading.local()
        self._guard = threading.Lock()
        self._wakers: set[Callable[[], None]] = set()
        self._mark: StateMark | None = None
        self._closed = False

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        create: bool = False,
        clock: Clock | None = None,
        new_id: IdFactory = new_uuid,
        actor: Actor | None = None,
        migrations: Path = schema.MIGRATIONS,
        index: FullTextIndex | None = None,
    ) -> Store:
        """Open the database at ``path``: make it (with ``create``), bring it up to date after a backup, check it.

        Raises:
            NotFound: there is none, and it shall not be made.
            Unreadable: it is damaged, or may not be opened.
            Unsupported: it was written by a newer version, or the file system cannot hold it.
            Locked: it needs new tables while another process works in it, or it stays busy.
        """
        path = path.absolute()
        if not create:
            connections.require_file(path)
        connections.prepare_file(path)
        connections.switch_on_wal(path)
        store = cls(
            path,
            clock=clock or SystemClock(),
            new_id=new_id,
            actor=actor or current_actor(),
            index=index or Fts5Index(),
        )
        try:
            store.backup = store._transactions.bring_up_to_date(migrations)
            if store.read_now(lambda unit: integrity.check_if_due(unit, path)):
                store.write_now(integrity.note_checked)
        except BaseException:
            store.close()
            raise
        return store

    # --- work

    async def read(self, fn: Callable[[Unit], T]) -> T:
        """Run ``fn`` on one state of the data, in a reader thread; it cannot change anything."""
        return await asyncio.wrap_future(self._submit(self._readers, lambda: self._transactions.read(fn)))

    async def write(self, fn: Callable[[Unit], T], *, actor: Actor | None = None, durable: bool = False) -> T:
        """Run ``fn`` in one short transaction, in the writer thread; all of it is stored, or nothing.

        Args:
            actor: who causes the change, when not the store's own actor.
            durable: return only when the disk has it, so that even a power cut cannot undo it.

        Raises:
            Locked: other processes kept the database busy for a minute.
        """
        return await asyncio.wrap_future(self._submit(self._writer, lambda: self._write(fn, actor, durable)))

    def read_now(self, fn: Callable[[Unit], T]) -> T:
        """``read`` for code without an event loop; waits in the calling thread."""
        return self._submit(self._readers, lambda: self._transactions.read(fn)).result()

    def write_now(self, fn: Callable[[Unit], T], *, actor: Actor | None = None, durable: bool = False) -> T:
        """``write`` for code without an event loop; waits in the calling thread."""
        return self._submit(self._writer, lambda: self._write(fn, actor, durable)).result()

    async def run_in_reader(self, fn: Callable[[], T]) -> T:
        """Run a function that needs no transaction in a reader thread."""
        return await asyncio.wrap_future(self._submit(self._readers, fn))

    # --- long work

    async def import_traces(
        self,
        traces: Sequence[Trace],
        *,
        replace_known: bool = False,
        on_stored: Callable[[ImportCounts], None] | None = None,
    ) -> ImportCounts:
        """Store many traces in short transactions with a breath between them (see ``TraceImport.store``).

        ``on_stored`` is called with each batch's counts. Cancelling stops between two batches.
        """
        total = ImportCounts()
        for start in range(0, len(traces), BATCH):
            counts = await self.write(_storing(traces[start : start + BATCH], replace_known))
            total = total.plus(counts)
            if on_stored is not None:
                on_stored(counts)
            await asyncio.sleep(BREATH_SECONDS)
        return total

    async def forget(self, trace_ids: Sequence[int], *, actor: Actor | None = None) -> Forgotten:
        """Delete traces so that they are gone from the file: rows, index, free pages, write-ahead log."""
        forgotten = await self.write(lambda unit: unit.forgetting.traces(trace_ids), actor=actor)
        compacted = await self.finish_forgetting() if forgotten.traces else False
        return replace(forgotten, compacted=compacted)

    async def forget_with(self, fn: Callable[[Unit], T], *, actor: Actor | None = None) -> T:
        """Run a deletion of another kind (``unit.feedback.forget``) and then rewrite the file."""

        def delete(unit: Unit) -> T:
            unit.forgetting.begin()
            return fn(unit)

        result = await self.write(delete, actor=actor)
        await self.finish_forgetting()
        return result

    async def finish_forgetting(self) -> bool:
        """Rewrite index and file after a deletion, where that is still to be done (a process died before).

        Call it once after opening. Returns whether the file was rewritten and its log emptied; ``False`` while another
        process reads all the time: then the next call does it.
        """
        if not await self.read(lambda unit: unit.forgetting.is_unfinished):
            return False
        more = await self.write(lambda unit: unit.forgetting.rewrite_index(first=True))
        while more:
            await asyncio.sleep(BREATH_SECONDS)
            more = await self.write(lambda unit: unit.forgetting.rewrite_index(first=False))
        if not await self.compact():
            return False
        await self.write(lambda unit: unit.forgetting.end())
        return True

    async def compact(self) -> bool:
        """Rewrite the file without what was deleted, and empty the write-ahead log.

        Returns ``False`` when another process was reading all the time, so that the log could not be emptied; deleted
        pages are overwritten with zeros in the file itself in any case.
        """
        return await asyncio.wrap_future(self._submit(self._writer, self._transactions.compact))

    def back_up(self, target: Path) -> Path:
        """Copy the database to a new file, consistent even while others write. Raises Unreadable."""
        return schema.back_up(self.path, target)

    def check(self) -> None:
        """Check the whole file and its search index thoroughly. Raises Unreadable when something is wrong."""
        self.write_now(lambda unit: integrity.check_fully(unit, self.path, self._index))

    # --- other processes

    def watcher(self, *, since: int | None = None, include_own: bool = False) -> EventWatcher:
        """Return a cursor on the log of changes for code without an event loop; ``poll`` it, then ``close`` it."""
        return EventWatcher(self, since=since, include_own=include_own)

    def state(self) -> State | None:
        """Return which state the data is in, without waiting; always from the same thread. ``None``: ask otherwise."""
        with self._guard:
            if self._closed:
                return None
            if self._mark is None:
                self._mark = StateMark(self.path)
            return self._mark.now()

    async def watch(
        self, *, since: int | None = None, include_own: bool = False, interval: float = 0.5
    ) -> AsyncIterator[tuple[EventRecord, ...]]:
        """Yield changes as they come, in order, until the store closes.

        Args:
            since: id of the last event that is known; ``None`` begins with what happens from now on.
            include_own: also this store's own changes, which come at once and not after ``interval``.
            interval: seconds between two looks for foreign changes.
        """
        loop = asyncio.get_running_loop()
        woken = asyncio.Event()

        def wake() -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(woken.set)

        watcher = await self.run_in_reader(lambda: self.watcher(since=since, include_own=include_own))
        with self._guard:
            self._wakers.add(wake)
        try:
            while not self._closed:
                try:
                    batch = await self.run_in_reader(watcher.poll)
                except Conflict:
                    return  # closed meanwhile
                if batch:
                    yield batch
                    continue
                try:
                    await asyncio.wait_for(woken.wait(), interval)
                except TimeoutError:
                    continue
                woken.clear()
        finally:
            with self._guard:
                self._wakers.discard(wake)
            watcher.close()

    def events_since(self, after_id: int, *, limit: int = 1000) -> tuple[EventRecord, ...]:
        """Return changes with a greater id, in order, whoever made them."""
        return self.read_now(lambda unit: unit.events.since(after_id, limit=limit))

    @asynccontextmanager
    async def lease(self, name: str) -> AsyncIterator[Lease]:
        """Hold a lease while the block runs, with a heartbeat. Raises Locked when another process holds it."""
        await self.write(lambda unit: unit.leases.acquire(name))
        lease = Lease(self, name)
        try:
            async with lease:
                yield lease
        finally:
            if not self._closed:
                await asyncio.shield(self.write(lambda unit: unit.leases.release(name)))

    # --- the end

    def close(self) -> None:
        """Finish what was begun, give back leases, close every connection. May be called twice."""
        with self._guard:
            if self._closed:
                return
            ready = self._transactions.is_ready
            goodbye = self._writer.submit(self._transactions.say_goodbye) if ready else None
            self._closed = True
            wakers = list(self._wakers)
            if self._mark is not None:
                self._mark.close()
        for wake in wakers:
            wake()
        self._readers.shutdown(wait=True)
        self._writer.shutdown(wait=True)
        self._transactions.dispose()
        if goodbye is not None:
            goodbye.result()

    async def aclose(self) -> None:
        """``close`` without stopping the event loop."""
        await asyncio.to_thread(self.close)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- inside

    def _submit(self, executor: ThreadPoolExecutor, fn: Callable[[], T]) -> Future[T]:
        if getattr(self._inside, "active", False):
            raise InternalError("The store was called from inside its own transaction.", hint="Use the unit at hand.")
        with self._guard:
            if self._closed:
                raise Conflict("The workspace is closed.")
            return executor.submit(self._flagged, fn)

    def _flagged(self, fn: Callable[[], T]) -> T:
        self._inside.active = True
        try:
            return fn()
        finally:
            self._inside.active = False

    def _write(self, fn: Callable[[Unit], T], actor: Actor | None, durable: bool) -> T:
        result = self._transactions.write(fn, actor, durable=durable)
        with self._guard:
            wakers = list(self._wakers)
        for wake in wakers:
            wake()
        return result


def _storing(part: Sequence[Trace], replace_known: bool) -> Callable[[Unit], ImportCounts]:
    return lambda unit: unit.trace_import.store(part, replace_known=replace_known)
