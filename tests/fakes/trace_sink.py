"""A trace store of one SQLite table, as plain as the recorder's port: insert, compare-and-update, get."""

from __future__ import annotations

import json
import sqlite3
import threading
from dataclasses import replace
from pathlib import Path

from honeyguide.traces.jsonl import row_to_trace, trace_to_row
from honeyguide.traces.records import Trace, TraceOutcome


class SqliteTraceSink:
    """Keeps traces as JSON rows; may be used from any thread."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._db = sqlite3.connect(path, check_same_thread=False)
        self._db.execute("CREATE TABLE traces (id INTEGER PRIMARY KEY, outcome TEXT NOT NULL, row TEXT NOT NULL)")
        self._db.commit()

    def insert(self, trace: Trace) -> int:
        with self._lock, self._db:
            cursor = self._db.execute(
                "INSERT INTO traces (outcome, row) VALUES (?, ?)",
                (trace.outcome.value, json.dumps(trace_to_row(trace))),
            )
            assert cursor.lastrowid is not None
            return cursor.lastrowid

    def update(self, trace_id: int, trace: Trace, expected: TraceOutcome) -> bool:
        with self._lock, self._db:
            cursor = self._db.execute(
                "UPDATE traces SET outcome = ?, row = ? WHERE id = ? AND outcome = ?",
                (trace.outcome.value, json.dumps(trace_to_row(trace)), trace_id, expected.value),
            )
            return cursor.rowcount == 1

    def get(self, trace_id: int) -> Trace | None:
        with self._lock:
            found = self._db.execute("SELECT row FROM traces WHERE id = ?", (trace_id,)).fetchone()
        return replace(row_to_trace(json.loads(found[0])), id=trace_id) if found else None

    def close(self) -> None:
        self._db.close()
