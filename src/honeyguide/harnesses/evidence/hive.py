"""Hiveloom's own database, read and never written: labels, metrics, applied changes and proposals of one harness.

They count for runs whose journals stand in the folder. A database in write-ahead mode is read as a file that nobody
changes, or, while a log or journal stands beside it, from a copy, so that not even a lock or an index is left there.
"""

from __future__ import annotations

import json
import logging
import shutil
import sqlite3
import tempfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.labels import OUTCOMES, Label
from honeyguide.harnesses.evidence.metrics import Metric, parse_metric
from honeyguide.kernel.errors import InvalidInput

_WAL: Final = 2
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class HiveRecords:
    """What the database knows of one harness.

    Attributes:
        path: the database; ``None`` where there is none.
        evolutions: applied changes, newest first, in the shape of our own record.
        proposals: those that wait there, as plain data.
        problem: why it could not be read; empty when it could.
    """

    path: Path | None = None
    labels: tuple[Label, ...] = ()
    metrics: tuple[Metric, ...] = ()
    evolutions: tuple[Mapping[str, Any], ...] = ()
    proposals: tuple[Mapping[str, Any], ...] = ()
    problem: str = ""

    def to_json(self) -> dict[str, Any] | None:
        """Return what was found, counted; ``None`` where there is no database."""
        if self.path is None:
            return None
        return {
            "path": str(self.path),
            "outcomes": len(self.labels),
            "metrics": len(self.metrics),
            "evolutions": len(self.evolutions),
            "proposals": len(self.proposals),
            "problem": self.problem or None,
        }


def hive_path(environ: Mapping[str, str]) -> Path | None:
    """Return where hiveloom keeps its database, if one is there."""
    if named := environ.get("HIVELOOM_DB"):
        path = Path(named)
    elif home := environ.get("HIVELOOM_HOME"):
        path = Path(home, "hive.db")
    elif home := environ.get("HOME") or environ.get("USERPROFILE"):
        path = Path(home, ".hiveloom", "hive.db")
    else:
        return None
    path = path.expanduser()
    return path if path.is_file() else None


def read_hive(path: Path | None, key: str, runs: Collection[str], versions: Collection[str]) -> HiveRecords:
    """Read what a database knows of the harness ``key``; whatever is wrong with it is said in the result.

    Args:
        runs: ids of the runs whose journals are here; labels and metrics of others are left out.
        versions: version hashes known here; applied changes between others belong to another copy of the folder.
    """
    if path is None:
        return HiveRecords()
    try:
        with _opened(path) as database:
            labels = tuple(_labels(database, set(runs)))
            metrics = tuple(_metrics(database, set(runs)))
            evolutions = tuple(_evolutions(database, key, set(versions)))
            proposals = tuple(_proposals(database, key))
    except (sqlite3.Error, OSError) as error:
        _log.warning("hiveloom's database %s cannot be read and is left out: %s.", path, error)
        return HiveRecords(path, problem=f"it cannot be read: {error}")
    return HiveRecords(path, labels, metrics, evolutions, proposals)


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    beside = [path.with_name(path.name + suffix) for suffix in ("-wal", "-journal")]
    with tempfile.TemporaryDirectory(prefix="honeyguide-hive-") as place:
        if any(file.is_file() and file.stat().st_size for file in beside):
            copy = Path(place, path.name)
            for file in (path, *beside):
                if file.is_file():
                    shutil.copyfile(file, copy.with_name(file.name))
            address = copy.as_uri()
        else:
            with path.open("rb") as stream:
                head = stream.read(20)
            address = path.resolve().as_uri() + ("?immutable=1" if _WAL in head[18:20] else "?mode=ro")
        database = sqlite3.connect(address, uri=True, timeout=5)
        try:
            database.row_factory = sqlite3.Row
            yield database
        finally:
            database.close()


def _rows(database: sqlite3.Connection, table: str, where: str = "1", *values: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table; a table that an older database does not have holds none."""
    known = {row["name"] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if table in known:
        yield from map(dict, database.execute(f"SELECT rowid AS number, * FROM {table} WHERE {where}", values))  # noqa: S608


def _labels(database: sqlite3.Connection, runs: set[str]) -> Iterator[Label]:
    for row in _rows(database, "run_outcomes"):
        if row["run_id"] in runs and row["outcome"] in OUTCOMES:
            said = (str(row.get(name) or "") for name in ("source", "detail", "recorded_at"))
            yield Label(row["run_id"], row["outcome"], *said)


def _metrics(database: sqlite3.Connection, runs: set[str]) -> Iterator[Metric]:
    evaluations = {row["eval_run_id"]: row["eval_id"] for row in _rows(database, "eval_runs")}
    cells = {row["run_id"]: row for row in _rows(database, "eval_cells")}
    for row in _rows(database, "run_metrics"):
        if row["run_id"] not in runs:
            continue
        cell = cells.get(row["run_id"], {})
        case = {
            "eval_id": evaluations.get(cell.get("eval_run_id"), ""),
            "case_key": cell.get("case_key"),
            "repetition": cell.get("repetition"),
        }
        try:
            yield parse_metric({**row, **case, "metadata": _object(row.get("metadata_json")) or {}})
        except InvalidInput as error:
            _log.warning("hiveloom's database: a metric is left out: %s", error.message)


def _evolutions(database: sqlite3.Connection, key: str, versions: set[str]) -> Iterator[dict[str, Any]]:
    names = ("old_version_hash", "new_version_hash", "counter", "rationale", "created_at", "proposal_id")
    for row in sorted(_rows(database, "evolutions", "harness_name = ?", key), key=lambda r: -int(r["number"])):
        if versions & {row["old_version_hash"], row["new_version_hash"]}:
            yield {name: row.get(name) for name in names} | {
                "evolution_id": row["number"],
                "prediction": _object(row.get("prediction_json")),
                "changes": _object(row.get("changes_json")),
                "decided_by": {"who": "hiveloom", "how": "hiveloom"},
            }


def _proposals(database: sqlite3.Connection, key: str) -> Iterator[dict[str, Any]]:
    names = ("id", "harness_name", "spec_version_hash", "dedup_key", "status", "trigger", "rationale", "created_at")
    for row in _rows(database, "proposals", "harness_name = ? AND status = 'pending'", key):
        proposal, gate = _object(row.get("proposal_json")), _object(row.get("gate_json"))
        if proposal is not None and all(isinstance(row.get(name), str) for name in names if name != "rationale"):
            yield {name: row[name] for name in names} | {
                "rationale": str(row.get("rationale") or ""),
                "proposal": proposal,
                "gate": gate or {},
                "evidence": _object(row.get("evidence_json")),
            }


def _object(text: object) -> dict[str, Any] | None:
    try:
        value = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
