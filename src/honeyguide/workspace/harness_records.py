"""A folder with all its records, read once: journals, labels, metrics, applied changes; and what hiveloom holds of it.

What stands in the folder comes first; the database only adds what the folder does not say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.evidence.hive import HiveRecords, hive_path, read_hive
from honeyguide.harnesses.evidence.ingestion import INDEX_NAME, Ingested, ingest
from honeyguide.harnesses.evidence.labels import Label, Labels
from honeyguide.harnesses.evidence.metrics import Metric, Metrics
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.workspace.harness_home import HarnessHome


@dataclass(frozen=True, slots=True)
class Opened:
    """A folder with all its records.

    Attributes:
        evolutions: applied changes, newest first.
        hive: what hiveloom's database holds; ``labels``, ``metrics`` and ``evolutions`` have it already.
    """

    harness: Harness
    ingested: Ingested
    labels: Mapping[str, Label]
    metrics: tuple[Metric, ...]
    evolutions: Sequence[Mapping[str, Any]] = ()
    hive: HiveRecords = field(default_factory=HiveRecords)

    @property
    def runs(self) -> tuple[RunSummary, ...]:
        """The runs of this harness."""
        return self.ingested.of(self.harness.identity)


def open_records(path: Path, state: Path, environ: Mapping[str, str] | None = None) -> Opened:
    """Open a folder and ingest its journals (blocking). Raises NotFound, Unreadable, InvalidInput.

    Args:
        state: where is remembered what was read, so that looking at a folder writes nothing into it.
        environ: says where hiveloom's database is; without it, none is read.
    """
    harness = Harness.open(path)
    index = state / "indexes" / f"{sha256_hex(str(harness.trace_dir))[:16]}-{INDEX_NAME}"
    ingested = ingest(harness.trace_dir, index)
    labels, metrics = Labels(harness.ours).all(), Metrics(harness.ours).all()
    evolutions = Queue(harness.ours).evolutions()
    hive = hive_of(harness, ingested.of(harness.identity), environ or {})
    for label in hive.labels:
        if label.run_id not in labels or labels[label.run_id].recorded_at < label.recorded_at:
            labels[label.run_id] = label
    known = {metric.idempotency_key for metric in metrics}
    metrics += [metric for metric in hive.metrics if metric.idempotency_key not in known]
    evolutions += missing_evolutions(evolutions, hive)
    evolutions.sort(key=lambda row: str(row.get("created_at")), reverse=True)
    return Opened(harness, ingested, labels, tuple(metrics), evolutions, hive)


def records_of(home: HarnessHome, path: Path) -> Opened:
    """Open a folder from a home, hiveloom's database included (blocking). Raises as ``open_records``."""
    return open_records(path, home.state, home.environ)


def hive_of(harness: Harness, runs: Sequence[RunSummary], environ: Mapping[str, str]) -> HiveRecords:
    """Return what hiveloom's database adds to a folder with these runs."""
    versions = {harness.version, *(run.version for run in runs)}
    return read_hive(hive_path(environ), harness.identity, {run.run_id for run in runs}, versions)


def missing_evolutions(known: Sequence[Mapping[str, Any]], hive: HiveRecords) -> list[dict[str, Any]]:
    """Return the applied changes that only hiveloom's database holds."""
    steps = {(row.get("old_version_hash"), row.get("new_version_hash"), row.get("counter")) for row in known}
    return [
        dict(row)
        for row in hive.evolutions
        if (row["old_version_hash"], row["new_version_hash"], row["counter"]) not in steps
    ]


def waiting_in_the_hive(queue: Queue, hive: HiveRecords) -> list[QueuedProposal]:
    """Return the proposals that wait in hiveloom's database and that our queue does not know, newest first."""
    known = {row.id for row in queue.all()}
    rows = [QueuedProposal(**row) for row in hive.proposals if row["id"] not in known]
    return sorted(rows, key=lambda row: (row.created_at, row.id), reverse=True)


def known_proposal(harness: Harness, id: str, environ: Mapping[str, str]) -> QueuedProposal:
    """Return a proposal of our queue, or one that waits in hiveloom's database. Raises NotFound."""
    queue = Queue(harness.ours)
    theirs = waiting_in_the_hive(queue, hive_of(harness, (), environ))
    return next((row for row in theirs if row.id == id), None) or queue.get(id)
