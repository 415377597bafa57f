"""Harness folders for the front ends: look at them, count their runs, label them, set values, trust them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.going_back import set_values
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.evidence.assessment import MIN_RUNS, assess_all
from honeyguide.harnesses.evidence.labels import Label, Labels, outcomes_of
from honeyguide.harnesses.evidence.metrics import Metrics, parse_metric
from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import friction_rows, friction_summary, statistics, timeline
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.scaffold import make_folder
from honeyguide.workspace.harness_hive import look_into_hive
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_overview import overview_of
from honeyguide.workspace.harness_records import records_of
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.harnesses import (
    HarnessDocument,
    HarnessOverview,
)


class Harnesses:
    """Reads and records; nothing here runs a harness or asks a model."""

    def __init__(self, home: HarnessHome) -> None:
        self.home = home

    async def init(self, path: Path, name: str, description: str, prompt: str, origin: Origin) -> HarnessDocument:
        """Make a new folder, and trust it: its maker wrote it. Raises Conflict, InvalidInput."""

        def work() -> HarnessDocument:
            written = make_folder(path, name, description, prompt)
            harness = Harness.open(path)
            self.home.trust.trust(harness, self.home.now, origin.user)
            return HarnessDocument({**harness.to_json(), "created": written})

        return await self.home.in_thread(work)

    async def validate(self, path: Path) -> HarnessDocument:
        """Say what is wrong with a folder, where, and what to do; executes nothing."""
        return await self.home.in_thread(lambda: HarnessDocument(Harness.open(path).to_json()))

    async def hash(self, path: Path) -> HarnessDocument:
        """Return the hashes of a folder, and when two states that hash alike differ all the same."""

        def work() -> HarnessDocument:
            harness = Harness.open(path)
            found = harness.fingerprints
            others = {
                s.fingerprint
                for s in Snapshots(harness.ours).all()
                if s.version == found.hash and s.fingerprint not in ("", found.fingerprint)
            }
            disagrees = (
                "Files that the version hash does not cover changed since this version was first seen."
                if others
                else None
            )
            return HarnessDocument({**found.to_json(), "evolved": harness.document.evolved, "disagreement": disagrees})

        return await self.home.in_thread(work)

    async def stats(self, path: Path, *, include_friction: bool = False) -> HarnessDocument:
        """Return the statistics for each version."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            harness = opened.harness
            data = statistics(
                opened.runs,
                harness.identity,
                harness.spec.name,
                outcomes_of(opened.labels),
                trace_dir=str(harness.trace_dir),
                include_friction=include_friction,
                redact=Redactor(harness.spec.logging.redact).text,
            )
            data["live_version"] = harness.version
            data["timeline"] = [row["version"] for row in timeline(data["versions"])]
            data["journals"] = opened.ingested.to_json()
            data["hive"] = opened.hive.to_json()
            return HarnessDocument(data)

        return await self.home.in_thread(work)

    async def friction(self, path: Path, *, limit: int = 100, **wanted: Any) -> HarnessDocument:
        """List friction, newest first; ``wanted`` is category, component, recovered, model, version."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            rows = friction_rows(opened.runs, limit=limit, **wanted)
            return HarnessDocument(
                {
                    "ok": True,
                    "harness_key": opened.harness.identity,
                    "count": len(rows),
                    "friction": rows,
                    "summary": friction_summary(opened.runs),
                }
            )

        return await self.home.in_thread(work)

    async def signal(self, path: Path, *, version: str | None = None) -> HarnessDocument:
        """Say where the failures of a version (the live one) come from."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            harness = opened.harness
            found = locate_signal(
                opened.runs,
                harness.identity,
                version or harness.version,
                outcomes_of(opened.labels),
                harness.spec.evolution,
            )
            return HarnessDocument(found.to_json())

        return await self.home.in_thread(work)

    async def assess(self, path: Path, *, min_runs: int = MIN_RUNS) -> HarnessDocument:
        """Say of each applied change whether it did what it predicted."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            found = assess_all(
                opened.evolutions, opened.runs, outcomes_of(opened.labels), opened.metrics, min_runs=min_runs
            )
            return HarnessDocument({"ok": True, "assessments": [a.to_json() for a in found]})

        return await self.home.in_thread(work)

    async def label(self, path: Path, run_id: str, outcome: str, *, source: str, detail: str) -> HarnessDocument:
        """Record what the world said of a run. Raises InvalidInput, NotFound."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            label = Label(run_id, outcome, source, detail, self.home.now)
            known = {run.run_id for run in opened.runs}
            return HarnessDocument(Labels(opened.harness.ours).record(label, known).to_json())

        return await self.home.in_thread(work)

    async def record_metrics(self, path: Path, batch: Sequence[Mapping[str, Any]]) -> HarnessDocument:
        """Record numbers for runs; all or none. Raises InvalidInput, NotFound, Conflict."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            known = {run.run_id for run in opened.runs}
            parsed = [parse_metric(item) for item in batch]
            found = Metrics(opened.harness.ours).record(parsed, known, self.home.now)
            return HarnessDocument(
                {
                    "ok": True,
                    "harness_key": opened.harness.identity,
                    "received": found.received,
                    "inserted": found.inserted,
                    "duplicates": found.duplicates,
                }
            )

        return await self.home.in_thread(work)

    async def metrics(self, path: Path, *, name: str | None = None, run_id: str | None = None) -> HarnessDocument:
        """List recorded numbers, newest run first."""

        def work() -> HarnessDocument:
            opened = records_of(self.home, path)
            runs = {run.run_id: run for run in opened.runs}
            rows = [
                {
                    "id": m.sequence,
                    "idempotency_key": m.idempotency_key,
                    "run_id": m.run_id,
                    "name": m.name,
                    "value": m.value,
                    "direction": m.direction,
                    "unit": m.unit,
                    "source": m.source,
                    "scope": m.scope,
                    "recorded_at": m.recorded_at,
                    "run_finished_at": runs[m.run_id].finished_at,
                    "behavior_hash": runs[m.run_id].version,
                    "model": runs[m.run_id].model,
                    "metadata": dict(m.metadata),
                }
                for m in opened.metrics
                if m.run_id in runs and name in (None, m.name) and run_id in (None, m.run_id)
            ]
            rows.sort(key=lambda row: (row["run_finished_at"] or "", row["id"]), reverse=True)
            return HarnessDocument(
                {"ok": True, "harness_key": opened.harness.identity, "metrics": rows, "total": len(rows)}
            )

        return await self.home.in_thread(work)

    async def set(self, path: Path, changes: Sequence[tuple[str, Any]], origin: Origin) -> HarnessDocument:
        """Set values by hand; comments, layout and the counter stay. Raises InvalidInput, Stale, Locked."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            was_trusted = self.home.trust.state(harness).is_trusted
            old, new = set_values(harness, changes, self.home.deployer(harness.root), origin.for_files, self.home.now)
            after = Harness.open(path)
            if was_trusted:
                self.home.trust.trust(after, self.home.now, origin.user)
            return HarnessDocument(
                {
                    "ok": True,
                    "path": str(after.file),
                    "changed": [name for name, _ in changes],
                    "old_version_hash": old,
                    "new_version_hash": new,
                    "evolved": after.document.evolved,
                }
            )

        return await self.home.in_thread(work)

    async def hive(self, path: Path, *, keep: bool = False) -> HarnessDocument:
        """Say what hiveloom's own database adds; ``keep`` writes it into the folder. Raises NotFound, Unwritable."""
        return await look_into_hive(self.home, path, keep=keep)

    async def trust(self, path: Path, origin: Origin, *, forget: bool = False) -> HarnessDocument:
        """Trust the folder's code as it is now, or no longer."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            if forget:
                count = self.home.trust.forget(harness)
                return HarnessDocument(
                    {"ok": True, "directory": str(harness.root), "action": "forgotten", "states": count}
                )
            state = self.home.trust.trust(harness, self.home.now, origin.user)
            return HarnessDocument(
                {"ok": True, "directory": str(harness.root), "action": "trusted", "digest": state.digest}
            )

        return await self.home.in_thread(work)

    async def register(self, path: Path) -> HarnessDocument:
        """Put a folder on the list of harnesses to serve. Raises Conflict."""
        entry = await self.home.in_thread(lambda: self.home.registered.add(Harness.open(path)))
        return HarnessDocument({"ok": True, **entry.to_json()})

    async def unregister(self, path: Path) -> HarnessDocument:
        """Take a folder off the list. Raises NotFound."""
        await self.home.in_thread(lambda: self.home.registered.remove(path))
        return HarnessDocument({"ok": True, "path": str(path), "removed": True})

    async def registered(self) -> HarnessDocument:
        """List the registered folders; broken ones say why."""
        entries = await self.home.in_thread(self.home.registered.entries)
        rows = [entry.to_json() for entry in entries]
        return HarnessDocument({"ok": True, "harnesses": rows, "total": len(rows)})

    async def overview(self, path: Path) -> HarnessOverview:
        """Return everything the harness page shows."""
        return await self.home.in_thread(lambda: overview_of(self.home, path))
