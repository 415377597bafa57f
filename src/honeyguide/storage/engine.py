"""Connections to the database file: one that writes, a few that only read, and what each of them is told at birth."""

from __future__ import annotations

import os
import sqlite3
import sys
import time
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import QueuePool

from honeyguide.kernel.errors import NotFound, Unsupported
from honeyguide.storage.failures import is_busy, translated, translated_os
from honeyguide.storage.text import json_text

BUSY_TIMEOUT_SECONDS = 5.0
"""How long SQLite itself waits for a lock."""
PATIENCE_SECONDS = 60.0
"""How long a write waits in all: another process may be importing, or rewriting the file after a deletion."""
READERS = 2

_EVERY_CONNECTION = ("PRAGMA foreign_keys=ON", "PRAGMA cache_size=-16000", "PRAGMA temp_store=MEMORY")
_WRITER = ("PRAGMA secure_delete=ON", "PRAGMA synchronous=NORMAL", "PRAGMA journal_size_limit=67108864")
_READER = ("PRAGMA query_only=ON",)


def prepare_file(path: Path) -> bool:
    """Create the database file and its folder, for their owner alone. Returns whether the file is new.

    Raises:
        Unreadable: folder or file cannot be made.
    """
    with translated_os(path):
        if not path.parent.exists():
            path.parent.mkdir(parents=True, mode=0o700)
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if sys.platform != "win32" and path.stat().st_mode & 0o077:
                path.chmod(0o600)
            return path.stat().st_size == 0
    return True


def connect(path: Path, *, read_only: bool) -> sqlite3.Connection:
    """Open one connection. Transactions are begun by us, never by the driver."""
    mode = "ro" if read_only else "rw"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        uri=True,
        isolation_level=None,
        check_same_thread=False,
        timeout=BUSY_TIMEOUT_SECONDS,
        cached_statements=512,
    )
    for pragma in (*_EVERY_CONNECTION, *(_READER if read_only else _WRITER)):
        connection.execute(pragma).close()
    return connection


def switch_on_wal(path: Path) -> None:
    """Make the write-ahead log the file's mode.

    Raises:
        Unsupported: the file system cannot (a network share, for example).
    """
    with translated(str(path)):
        connection = connect(path, read_only=False)
        try:
            mode = _patiently(lambda: connection.execute("PRAGMA journal_mode=WAL").fetchone()[0])
        finally:
            connection.close()
    if mode != "wal":
        raise Unsupported(
            f"{path.parent} cannot hold a workspace: its file system lacks what several programs at once need.",
            hint="Keep the workspace on a local disk, not on a network share.",
        )


def writing_engine(path: Path) -> Engine:
    """Return the engine with the one connection that writes; each transaction begins with the write lock."""
    engine = _engine(path, read_only=False, size=1)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        _patiently(lambda: connection.exec_driver_sql("BEGIN IMMEDIATE"))

    return engine


def reading_engine(path: Path, size: int = READERS) -> Engine:
    """Return the engine with the connections that only read; each transaction sees one state of the data."""
    engine = _engine(path, read_only=True, size=size)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    return engine


def _engine(path: Path, *, read_only: bool, size: int) -> Engine:
    return create_engine(
        "sqlite+pysqlite://",
        creator=lambda: connect(path, read_only=read_only),
        poolclass=QueuePool,
        pool_size=size,
        max_overflow=0,
        pool_timeout=PATIENCE_SECONDS,
        json_serializer=json_text,
    )


def _patiently(attempt: Any) -> Any:
    """Run ``attempt`` again while the database is busy, for at most ``PATIENCE_SECONDS`` in all."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return attempt()
        except (DBAPIError, sqlite3.Error) as error:
            if not is_busy(error) or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)


def require_file(path: Path) -> None:
    """Raise NotFound unless a database file stands at ``path``."""
    if not path.is_file():
        raise NotFound(f"There is no workspace database at {path}.", hint="Make one with: honeyguide init DIR")
