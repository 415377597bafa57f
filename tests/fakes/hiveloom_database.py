"""A database as hiveloom 1.3 keeps it, with the tables that are read."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

SCHEMA = """
CREATE TABLE evolutions (harness_name TEXT, old_version_hash TEXT, new_version_hash TEXT, counter INTEGER,
    rationale TEXT, created_at TEXT, proposal_id TEXT, prediction_json TEXT, changes_json TEXT, decision_json TEXT);
CREATE TABLE proposals (id TEXT PRIMARY KEY, harness_name TEXT, spec_version_hash TEXT, dedup_key TEXT, status TEXT,
    trigger TEXT, rationale TEXT, proposal_json TEXT, gate_json TEXT, evidence_json TEXT, apply_result_json TEXT,
    created_at TEXT, resolved_at TEXT);
CREATE TABLE run_outcomes (run_id TEXT PRIMARY KEY, outcome TEXT, source TEXT, detail TEXT, recorded_at TEXT);
CREATE TABLE run_metrics (id INTEGER PRIMARY KEY AUTOINCREMENT, idempotency_key TEXT NOT NULL UNIQUE,
    run_id TEXT NOT NULL, name TEXT NOT NULL, value REAL NOT NULL, direction TEXT NOT NULL, unit TEXT NOT NULL,
    source TEXT NOT NULL, scope TEXT NOT NULL, metadata_json TEXT NOT NULL, recorded_at TEXT NOT NULL);
"""


class HiveloomDatabase:
    """Writes rows as hiveloom would; ``connection`` stays open until ``close``, as while hiveloom runs."""

    def __init__(self, path: Path, *, wal: bool = True) -> None:
        self.path = path
        self.connection = sqlite3.connect(path)
        if wal:
            self.connection.execute("PRAGMA journal_mode = wal")
        self.connection.executescript(SCHEMA)

    def outcome(self, run_id: str, outcome: str, at: str = "2026-04-01T00:00:00+00:00") -> None:
        self._insert("run_outcomes", run_id=run_id, outcome=outcome, source="external", detail="", recorded_at=at)

    def metric(self, run_id: str, name: str, value: float) -> None:
        self._insert(
            "run_metrics", idempotency_key=f"metric_{run_id}_{name}", run_id=run_id, name=name, value=value,
            direction="maximize", unit="ratio", source="t", scope="run", metadata_json="{}",
            recorded_at="2026-04-01T00:00:00+00:00",
        )  # fmt: skip

    def evolution(self, key: str, old: str, new: str, counter: int = 1) -> None:
        prediction = {"target": {"signal": "status:verify_failed", "expect": "decrease"}}
        self._insert(
            "evolutions", harness_name=key, old_version_hash=old, new_version_hash=new, counter=counter,
            rationale="there", created_at="2026-03-01T10:00:00+00:00", proposal_id=None,
            prediction_json=json.dumps(prediction), changes_json=json.dumps({"paths": ["system_prompt"], "code": []}),
        )  # fmt: skip

    def proposal(self, id: str, key: str, version: str, proposal: dict[str, Any], status: str = "pending") -> None:
        self._insert(
            "proposals", id=id, harness_name=key, spec_version_hash=version, dedup_key="k", status=status,
            trigger="manual", rationale="drafted there", proposal_json=json.dumps(proposal),
            gate_json=json.dumps({"accepted": proposal["yaml_changes"], "rejected": [], "code_changes": []}),
            created_at="2026-03-01T10:00:00+00:00",
        )  # fmt: skip

    def close(self) -> None:
        self.connection.close()

    def _insert(self, table: str, **values: Any) -> None:
        names, marks = ", ".join(values), ", ".join("?" * len(values))
        self.connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))
        self.connection.commit()
