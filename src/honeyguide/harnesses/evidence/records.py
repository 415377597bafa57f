"""Append-only records of a folder (labels, metrics, applied changes): one JSON object a line, beside the journals.

They travel with the folder. Two copies of a folder merge by taking the lines of both. A damaged line is named and
passed over.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from honeyguide.kernel.errors import Locked, Unreadable, Unwritable

LOCK_SECONDS = 10.0
_log = logging.getLogger(__name__)


class RecordFile:
    """One such file. Adding is safe from several processes; what was added stays."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> list[dict[str, Any]]:
        """Return all records, oldest first. Raises Unreadable."""
        try:
            raw = self.path.read_bytes()
        except FileNotFoundError:
            return []
        except OSError as error:
            raise Unreadable(f"{self.path.name} cannot be read: {error.strerror}.") from error
        records = []
        for number, line in enumerate(raw.split(b"\n"), start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except ValueError:
                record = None
            if isinstance(record, dict):
                records.append(record)
            else:
                _log.warning("%s: line %d is damaged and passed over.", self.path.name, number)
        return records

    def add(self, records: Sequence[Mapping[str, Any]]) -> None:
        """Append records, all or none, durably. Raises Unwritable, Locked."""
        lines = b"".join(json.dumps(dict(r), ensure_ascii=True).encode("ascii") + b"\n" for r in records)
        with self.locked():
            self._append(lines)

    def _append(self, lines: bytes) -> None:
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as error:
            raise _unwritable(self.path, error) from error
        end = os.lseek(descriptor, 0, os.SEEK_END)
        try:
            if end:
                os.lseek(descriptor, end - 1, os.SEEK_SET)
                lines = lines if os.read(descriptor, 1) == b"\n" else b"\n" + lines
            os.write(descriptor, lines)
            os.fsync(descriptor)
        except OSError as error:
            os.ftruncate(descriptor, end)
            raise _unwritable(self.path, error) from error
        finally:
            os.close(descriptor)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock, over all processes; the same process may take it again. Raises Locked, Unwritable."""
        with folder_lock(self.path.parent):
            yield


_locks: dict[Path, FileLock] = {}


@contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder of records. Raises Locked, Unwritable."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise _unwritable(folder, error) from error
    path = folder.resolve() / ".lock"
    lock = _locks.setdefault(path, FileLock(path, timeout=LOCK_SECONDS, mode=0o600))
    try:
        lock.acquire()
    except Timeout as error:
        raise Locked(f"Another program is changing {folder.parent.name}.", hint="Try again in a moment.") from error
    except OSError as error:
        raise _unwritable(path, error) from error
    try:
        yield
    finally:
        lock.release()


def _unwritable(path: Path, error: OSError) -> Unwritable:
    return Unwritable(f"{path.name} cannot be written: {error.strerror}.", hint="Make the folder writable.")
