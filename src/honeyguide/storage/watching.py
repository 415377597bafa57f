"""Noticing what changed, whoever did it: SQLite's ``data_version`` says that, the log of changes says what."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.storage.engine import connect
from honeyguide.storage.failures import translated
from honeyguide.storage.records import EventRecord

if TYPE_CHECKING:
    from honeyguide.storage.store import Store

MOST_AT_ONCE = 1000


@dataclass(frozen=True, slots=True)
class State:
    """A state of the data, named by the log of changes: equal names, equal data.

    Attributes:
        newest: id of the newest event of any kind.
        newest_run: id of the newest event that changed the public run table.
    """

    newest: int
    newest_run: int


class StateMark:
    """Says which state the data is in without waiting for anybody: on a connection of its own, in microseconds.

    Only for one thread. A look at an unchanged file touches shared memory alone; readers never wait for a writer (WAL).
    """

    def __init__(self, path: Path) -> None:
        self._connection = connect(path, read_only=True)
        self._connection.execute("PRAGMA busy_timeout=0")
        self._seen_version = -1
        self._state = State(0, 0)

    def now(self) -> State | None:
        """Return the state, every change included that was stored before this call; ``None`` when it cannot be told."""
        ask = self._connection.execute
        try:
            version = ask("PRAGMA data_version").fetchone()[0]
            if version != self._seen_version:
                before = self._state
                newest = ask("SELECT max(id) FROM events").fetchone()[0] or 0
                changed = "SELECT max(id) FROM events WHERE id > ? AND name >= 'run:' AND name < 'run;'"
                newest_run = ask(changed, (before.newest,)).fetchone()[0] or before.newest_run
                self._state, self._seen_version = State(newest, newest_run), version
        except sqlite3.Error:
            return None
        return self._state

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class EventWatcher:
    """A cursor on the log of changes. Looking costs microseconds while nothing has changed.

    Attributes:
        last_id: id of the last event that was handed out or passed over.
    """

    def __init__(self, store: Store, *, since: int | None, include_own: bool) -> None:
        self._store = store
        self._except = None if include_own else store.instance
        self._lock = threading.Lock()
        self._connection = connect(store.path, read_only=True)
        self._seen_version = -1
        self.last_id = self._last_id() if since is None else since

    def poll(self) -> tuple[EventRecord, ...]:
        """Return what changed since the last call, in order; empty when nothing did. Safe from any thread."""
        with self._lock, translated(str(self._store.path)):
            version = self._connection.execute("PRAGMA data_version").fetchone()[0]
            if version == self._seen_version:
                return ()
            newest = self._last_id()
            events = self._events()
            if len(events) < MOST_AT_ONCE:
                self._seen_version = version
                self.last_id = max(newest, self.last_id)
            if events:
                self.last_id = max(self.last_id, events[-1].id) if len(events) < MOST_AT_ONCE else events[-1].id
            return events

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def _last_id(self) -> int:
        row = self._connection.execute("SELECT max(id) FROM events").fetchone()
        return int(row[0] or 0)

    def _events(self) -> tuple[EventRecord, ...]:
        statement = "SELECT id, at, name, subject, data, origin, way FROM events WHERE id > ?"
        values: list[object] = [self.last_id]
        if self._except is not None:
            statement += " AND origin != ?"
            values.append(self._except)
        rows = self._connection.execute(f"{statement} ORDER BY id LIMIT {MOST_AT_ONCE}", values).fetchall()
        return tuple(
            EventRecord(number, at, name, subject, json.loads(data), origin, way)
            for number, at, name, subject, data, origin, way in rows
        )
