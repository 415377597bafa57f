"""Everything the page of one harness folder shows, gathered from its records."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.evidence.labels import outcomes_of
from honeyguide.harnesses.evidence.report import clusters_of, nothing_to_evolve
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import statistics, timeline
from honeyguide.harnesses.spec.evolving import Evolution
from honeyguide.harnesses.spec.frozen import ALWAYS_FROZEN, is_frozen, is_mutable
from honeyguide.harnesses.spec.paths import covered_by_any
from honeyguide.harnesses.spec.reading import Document
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_records import records_of, waiting_in_the_hive
from honeyguide.workspace.views.harnesses import (
    HarnessClusterRow,
    HarnessLine,
    HarnessOverview,
    HarnessProposalRow,
    HarnessVersionRow,
)


def overview_of(home: HarnessHome, path: Path) -> HarnessOverview:
    """Return everything the harness page shows (blocking). Raises as opening does."""
    opened = records_of(home, path)
    harness = opened.harness
    queue = Queue(harness.ours)
    rows_waiting = [*queue.all(), *waiting_in_the_hive(queue, opened.hive)]
    labels = outcomes_of(opened.labels)
    live = harness.version
    own = [run for run in opened.runs if run.version == live]
    rows = timeline(statistics(opened.runs, harness.identity, harness.spec.name, labels)["versions"])
    signal = locate_signal(opened.runs, harness.identity, live, labels, harness.spec.evolution)
    has_failures = any(run.is_failure or labels.get(run.run_id) == "failure" for run in own)
    return HarnessOverview(
        path=str(harness.root),
        name=harness.spec.name,
        identity=harness.identity,
        description=harness.spec.description,
        version=live,
        fingerprint=harness.fingerprints.fingerprint,
        evolved=harness.document.evolved,
        is_valid=harness.checked.is_valid,
        is_trusted=home.trust.state(harness).is_trusted,
        problems=tuple(p.to_json() for p in harness.problems),
        timeline=tuple(_version_row(row, live) for row in rows),
        clusters=tuple(HarnessClusterRow(c.kind, c.signature, c.count) for c in clusters_of(own)),
        proposals=tuple(proposal_row(row, live) for row in rows_waiting),
        lines=tuple(lines_of(harness.document, harness.spec.evolution)),
        headline=signal.headline,
        nothing="" if has_failures else nothing_to_evolve(opened.runs, live),
        journals=opened.ingested.to_json(),
    )


def proposal_row(row: QueuedProposal, live: str) -> HarnessProposalRow:
    """Return a queued proposal as a row of the queue."""
    gate = row.gate
    proof = row.proof or {}
    return HarnessProposalRow(
        id=row.id,
        status=row.status,
        rationale=row.rationale,
        created_at=row.created_at,
        trigger=row.trigger,
        is_stale=row.is_stale(live),
        proof=str(proof.get("label") or proof.get("state") or "unproven"),
        changes=len(gate.get("accepted") or []),
        code_files=len(gate.get("code_changes") or []),
        capability_changes=len(gate.get("capability_changes") or []),
    )


def _version_row(row: Mapping[str, Any], live: str) -> HarnessVersionRow:
    interval = row["success_rate_ci"]
    return HarnessVersionRow(
        version=row["version"],
        is_live=row["version"] == live,
        runs=row["runs"],
        successes=row["successes"],
        success_rate=row["success_rate"],
        interval=None if interval is None else (interval[0], interval[1]),
        cost_per_success_usd=row["cost_per_success_usd"],
        first_run_at=row["first_run_at"],
        last_run_at=row["last_run_at"],
        incomplete_runs=row["incomplete_runs"],
    )


def lines_of(document: Document, evolution: Evolution) -> list[HarnessLine]:
    """Return the lines of a spec, each with whether proposals may change it, by the deepest path on or above it."""
    owners: dict[int, str] = {}
    for path, (line, _) in document.places.items():
        if path and len(path) >= len(owners.get(line, "")):
            owners[line] = path
    lines, current = [], ""
    for number, text in enumerate(document.text.removesuffix("\n").split("\n"), start=1):
        current = owners.get(number, current)
        lock = "fixed"
        if current and is_frozen_here(current, evolution):
            lock = "frozen"
        elif current and is_mutable(current, evolution):
            lock = "mutable"
        lines.append(HarnessLine(number, text, lock))
    return lines


def is_frozen_here(path: str, evolution: Evolution) -> bool:
    """Say whether a line's own path is frozen or below something frozen; its parents' headings are not."""
    return is_frozen(path, evolution) and covered_by_any(path, (*ALWAYS_FROZEN, *evolution.frozen))
