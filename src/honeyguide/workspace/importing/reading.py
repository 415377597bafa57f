"""Who reads the files: this thread for small inputs, spawned processes for big ones.

A spawned reader writes nothing: ending it at any moment loses no more than the batch it was making.
"""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

from honeyguide.traces.preparing import FileEnd, Message, Rules, prepare_file, serve
from honeyguide.traces.readers.detect import UNREADABLE, FileReport

SPAWN_ABOVE_BYTES = 2_000_000
"""Smaller inputs are read about as soon as a process starts, and end within two seconds when cancelled."""
MOST_PROCESSES = 4
POLL_SECONDS = 0.2
"""How often a wait looks whether the import was cancelled."""

Deliver = Callable[[Path, Message], None]
"""Called in any thread with each message about a file; returns when it is dealt with."""


class Stop(Protocol):
    """A wish to stop, such as ``threading.Event``."""

    def is_set(self) -> bool:
        """Whether somebody wants to stop."""
        ...


def read_files(
    paths: Sequence[Path], total_bytes: int, rules: Rules, deliver: Deliver, stop: Stop, *, processes: int | None = None
) -> None:
    """Read all files and hand every message to ``deliver``; returns early once ``stop`` is set.

    Args:
        processes: how many to spawn; chosen by size when not given, 0 reads in this thread.

    Raises:
        Whatever ``deliver`` raises, after all readers have ended.
    """
    count = _processes(len(paths), total_bytes) if processes is None else min(processes, len(paths))
    if count == 0:
        for path in paths:
            if stop.is_set():
                return
            prepare_file(path, rules, _to(deliver, path), stop.is_set)
        return
    _Crew(paths, rules, deliver, stop).work(count)


def _processes(files: int, total_bytes: int) -> int:
    if total_bytes < SPAWN_ABOVE_BYTES:
        return 0
    return min(files, os.cpu_count() or 1, MOST_PROCESSES)


def _to(deliver: Deliver, path: Path) -> Callable[[Message], None]:
    return lambda message: deliver(path, message)


class _Crew:
    """Several spawned readers, each driven by a thread that hands it one file after another."""

    def __init__(self, paths: Sequence[Path], rules: Rules, deliver: Deliver, stop: Stop) -> None:
        self._waiting: Iterator[Path] = iter(paths)
        self._lock = threading.Lock()
        self._rules = rules
        self._deliver = deliver
        self._stop = stop
        self._failure: BaseException | None = None

    def work(self, count: int) -> None:
        """Read everything with ``count`` processes."""
        threads = [threading.Thread(target=self._drive, name=f"honeyguide-import-{n}") for n in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failure is not None:
            raise self._failure

    def _drive(self) -> None:
        reader: _Reader | None = None
        try:
            while (path := self._next()) is not None:
                reader = reader or _Reader(self._rules)
                if not self._read(reader, path):
                    reader.end()
                    reader = None
        except BaseException as error:  # noqa: BLE001 - the edge of a thread: handed to the one who waits for it
            self._failure = self._failure or error
        finally:
            if reader is not None:
                reader.end()

    def _next(self) -> Path | None:
        with self._lock:
            return None if self._is_over() else next(self._waiting, None)

    def _is_over(self) -> bool:
        return self._stop.is_set() or self._failure is not None

    def _read(self, reader: _Reader, path: Path) -> bool:
        """Pass on the messages about one file; say whether the reader lives."""
        try:
            reader.connection.send(str(path))
            while True:
                while not reader.connection.poll(POLL_SECONDS):
                    if self._is_over():
                        return False
                message: Message = reader.connection.recv()
                if self._is_over():
                    return False
                self._deliver(path, message)
                if isinstance(message, FileEnd):
                    return True
        except (EOFError, ConnectionError):
            report = FileReport(path)
            report.health.note(UNREADABLE)
            report.message = f"{path} could not be read: the process that read it ended unexpectedly."
            self._deliver(path, FileEnd(report, {}))
            return False


class _Reader:
    """One spawned process and the pipe to it."""

    def __init__(self, rules: Rules) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection: Connection
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, rules), name="honeyguide-import", daemon=True)
        self._process.start()
        theirs.close()

    def end(self) -> None:
        """End the process now; it has nothing to finish."""
        with suppress(OSError):
            self.connection.close()
        self._process.terminate()
        self._process.join(2.0)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()
        self._process.close()
