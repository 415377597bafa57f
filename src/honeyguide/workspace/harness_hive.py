"""What hiveloom's own database holds about a folder, and bringing it into the folder, so that it travels."""

from __future__ import annotations

from pathlib import Path

from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.labels import Labels
from honeyguide.harnesses.evidence.metrics import Metrics
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import NotFound
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_records import hive_of, missing_evolutions, waiting_in_the_hive
from honeyguide.workspace.views.harnesses import HarnessDocument


async def look_into_hive(home: HarnessHome, path: Path, *, keep: bool = False) -> HarnessDocument:
    """Say what the database adds to a folder; with ``keep`` write it into the folder's own records.

    The database itself is never written.

    Raises:
        NotFound: there is no such database.
        Unwritable, Locked: the folder's records cannot be written.
    """

    def work() -> HarnessDocument:
        harness = Harness.open(path)
        runs = ingest(harness.trace_dir).of(harness.identity)
        hive = hive_of(harness, runs, home.environ)
        if hive.path is None:
            raise NotFound(
                "hiveloom has no database here.", hint="Set HIVELOOM_DB (the file) or HIVELOOM_HOME (its folder)."
            )
        labels, metrics, queue = Labels(harness.ours), Metrics(harness.ours), Queue(harness.ours)
        told, known = labels.all(), {metric.idempotency_key for metric in metrics.all()}
        new_labels = [
            label
            for label in hive.labels
            if label.run_id not in told or told[label.run_id].recorded_at < label.recorded_at
        ]
        new_metrics = [metric for metric in hive.metrics if metric.idempotency_key not in known]
        new_evolutions = missing_evolutions(queue.evolutions(), hive)
        new_proposals = waiting_in_the_hive(queue, hive)
        if keep:
            ids = {run.run_id for run in runs}
            for label in new_labels:
                labels.record(label, ids)
            metrics.record(new_metrics, ids, home.now)
            for row in reversed(new_evolutions):
                queue.record_evolution({k: v for k, v in row.items() if k != "evolution_id"})
            for proposal in new_proposals:
                queue.add(proposal)
        added = {
            "outcomes": len(new_labels),
            "metrics": len(new_metrics),
            "evolutions": len(new_evolutions),
            "proposals": len(new_proposals),
        }
        return HarnessDocument({"ok": not hive.problem, "hive": hive.to_json(), "kept": keep, "only_there": added})

    return await home.in_thread(work)
