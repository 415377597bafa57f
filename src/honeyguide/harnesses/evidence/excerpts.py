"""Bounded windows of journal events around incidents, for the proposing model; only where a harness opted in.

Identity and hash chain are verified first; the current redaction policy comes before anything is cut, hashed or
counted. A journal that is missing, pruned or does not hold leaves its summary. Incidents are chosen for diversity:
each kind of trouble and each run once, newest first, before any of them a second time.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.labels import Label
from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.statistics import recent_failures
from honeyguide.harnesses.spec.evolving import TraceExcerpts
from honeyguide.kernel.canonical import canonical_json
from honeyguide.traces.readers.hiveloom import read_journal
from honeyguide.traces.readers.protocol import ReadContext

BYTES_PER_TOKEN: Final = 4
SHORT_SUMMARY: Final = 128
_CONSIDERED: Final = 200


@dataclass(frozen=True, slots=True)
class Incident:
    """Something that went wrong, as the index knows it."""

    id: str
    run: RunSummary
    category: str
    timestamp: str
    summary: str
    source: str
    component: str | None = None
    recovered: bool = False
    seq: int | None = None
    friction_id: str | None = None


@dataclass(frozen=True, slots=True)
class Excerpts:
    """What was admitted under the budget.

    Attributes:
        packets: for the request only; they are never stored.
    """

    rules: Mapping[str, Any]
    packets: tuple[Mapping[str, Any], ...] = ()
    dropped: int = 0
    size: int = 0
    digest: str = field(default="")

    def receipt(self) -> dict[str, Any]:
        """Return what a proposal keeps: rules, ids, budgets and a digest, no payload."""
        return {
            "selection_rules": dict(self.rules),
            "run_ids": [p["run_id"] for p in self.packets],
            "friction_ids": [p["friction_id"] for p in self.packets if p["friction_id"] is not None],
            "incident_ids": [p["incident_id"] for p in self.packets],
            "packet_sources": [p["source"] for p in self.packets],
            "serialized_bytes": self.size,
            "estimated_tokens": math.ceil(self.size / BYTES_PER_TOKEN),
            "dropped_incidents": self.dropped,
            "digest": self.digest,
        }


def build_excerpts(
    runs: Sequence[RunSummary],
    labels: Mapping[str, Label],
    trace_dir: Path,
    config: TraceExcerpts,
    redactor: Redactor,
) -> Excerpts:
    """Return the packets for the runs of one version."""
    incidents = incidents_of(runs, labels, max(5, config.max_incidents))
    chosen = diverse(incidents, config.max_incidents)
    budget = min(config.max_bytes, config.max_tokens * BYTES_PER_TOKEN)
    packets: list[Mapping[str, Any]] = []
    dropped = len(incidents) - len(chosen)
    for incident in chosen:
        packet = _packet(incident, trace_dir, config, redactor)
        if _size([*packets, packet]) > budget:
            packet = packet | {
                "events": [],
                "summary": packet["summary"][:SHORT_SUMMARY],
                "fallback_reason": packet["fallback_reason"] or "event window omitted by budget",
            }
        if _size([*packets, packet]) > budget:
            dropped += 1
        else:
            packets.append(packet)
    encoded = canonical_json(packets).encode("utf-8", "surrogatepass")
    rules = {name: getattr(config, name) for name in TraceExcerpts.model_fields}
    return Excerpts(rules, tuple(packets), dropped, len(encoded), hashlib.sha256(encoded).hexdigest())


def incidents_of(runs: Sequence[RunSummary], labels: Mapping[str, Label], recent: int) -> list[Incident]:
    """Return the incidents of these runs, newest first: friction, failures the world named, failed runs without either.

    Of friction at most ``recent`` times as many as kinds, so that no kind crowds out the others.
    """
    by_id = {run.run_id: run for run in runs}
    friction = sorted(
        ((f, run) for run in runs for f in run.friction),
        key=lambda item: (item[0].timestamp, item[0].seq),
        reverse=True,
    )
    found: list[Incident] = []
    kinds: dict[tuple[str, str], int] = {}
    for one, run in friction[: _CONSIDERED * 10]:
        kind = (one.category, one.component)
        kinds[kind] = kinds.get(kind, 0) + 1
        if kinds[kind] <= recent and len(found) < _CONSIDERED:
            found.append(
                Incident(
                    f"friction:{one.id}", run, one.category, one.timestamp, one.summary, "friction",
                    one.component or None, one.recovered, one.seq, one.id,
                )
            )  # fmt: skip
    named = [label for label in labels.values() if label.outcome == "failure" and label.run_id in by_id]
    for label in sorted(named, key=lambda item: item.recorded_at, reverse=True)[:recent]:
        summary = label.detail or "external outcome was failure"
        found.append(
            Incident(
                f"outcome:{label.run_id}", by_id[label.run_id], "external_outcome", label.recorded_at, summary,
                "run_outcome",
            )
        )  # fmt: skip
    seeded = {incident.run.run_id for incident in found}
    for run in recent_failures(runs, recent):
        if run.run_id not in seeded:
            summary = run.reason or run.status
            found.append(
                Incident(f"failure:{run.run_id}", run, "final_failure", run.finished_at or "", summary, "run_status")
            )
    return sorted(found, key=lambda incident: (incident.timestamp, incident.id), reverse=True)


def diverse(incidents: Sequence[Incident], count: int) -> list[Incident]:
    """Return ``count`` incidents that cover as many kinds and runs as can be, unrecovered ones first, newest first."""
    left = sorted(incidents, key=lambda incident: incident.recovered)  # stable: newest first within each
    chosen: list[Incident] = []
    kinds: dict[tuple[str, str | None], int] = {}
    seen: dict[str, int] = {}
    while left and len(chosen) < count:
        best = min(
            range(len(left)),
            key=lambda i: (
                kinds.get((left[i].category, left[i].component), 0),
                seen.get(left[i].run.run_id, 0),
                left[i].recovered,
                i,
            ),
        )
        incident = left.pop(best)
        kind = (incident.category, incident.component)
        kinds[kind] = kinds.get(kind, 0) + 1
        seen[incident.run.run_id] = seen.get(incident.run.run_id, 0) + 1
        chosen.append(incident)
    return sorted(chosen, key=lambda incident: (incident.timestamp, incident.id), reverse=True)


def _packet(incident: Incident, trace_dir: Path, config: TraceExcerpts, redactor: Redactor) -> dict[str, Any]:
    events, omitted, digest, fallback = _window(incident, trace_dir, config, redactor)
    return {
        "incident_id": incident.id,
        "run_id": incident.run.run_id,
        "friction_id": incident.friction_id,
        "category": incident.category,
        "component": incident.component,
        "recovered": incident.recovered,
        "incident_seq": incident.seq,
        "timestamp": incident.timestamp or None,
        "summary": redactor.text(incident.summary),
        "source": incident.source,
        "events": events,
        "omitted_event_count": omitted,
        "journal_sha256": digest,
        "fallback_reason": fallback,
    }


def _window(
    incident: Incident, trace_dir: Path, config: TraceExcerpts, redactor: Redactor
) -> tuple[list[dict[str, Any]], int, str, str | None]:
    path = trace_dir / incident.run.trace
    if not incident.run.trace or not path.is_file():
        return [], 0, "", "raw journal file is missing"
    try:
        with path.open("rb") as stream:
            journal = read_journal(stream, ReadContext(name=incident.run.trace))
    except OSError as error:
        return [], 0, "", f"journal could not be read: {type(error).__name__}"
    if not journal.chain.ok:
        return [], 0, "", f"invalid journal chain: {journal.chain.reason}"
    run = journal.runs.get(incident.run.run_id)
    if run is None or set(journal.runs) != {incident.run.run_id}:
        return [], 0, "", "journal run identity does not match the index"
    digest = hashlib.sha256()
    clean: list[dict[str, Any]] = []
    for event in run.events:
        one = {
            "seq": event.seq or 0,
            "type": event.type,
            "timestamp": event.timestamp or None,
            "payload": redactor.payload(dict(event.payload)),
        }
        digest.update(_encoded(one) + b"\n")
        clean.append(one)
    at = incident.seq if incident.seq is not None else clean[-1]["seq"]
    near = [one for one in clean if at - config.before_events <= one["seq"] <= at + config.after_events]
    return [_bounded(one, config.max_event_bytes) for one in near], len(clean) - len(near), digest.hexdigest(), None


def _bounded(event: Mapping[str, Any], limit: int) -> dict[str, Any]:
    encoded = _encoded(event["payload"])
    digest = hashlib.sha256(encoded).hexdigest()
    payload = event["payload"]
    is_cut = len(encoded) > limit
    if is_cut:
        payload = {
            "_truncated": True,
            "_preview": whole_characters(encoded[:limit]),
            "_sha256": digest,
            "_original_bytes": len(encoded),
        }
    return {
        **event,
        "payload": payload,
        "payload_sha256": digest,
        "payload_bytes": len(encoded),
        "truncated": is_cut,
    }


def whole_characters(data: bytes) -> str:
    """Return UTF-8 bytes as text without a character that was cut in two at the end."""
    for end in range(len(data), max(-1, len(data) - 5), -1):
        try:
            return data[:end].decode("utf-8")
        except UnicodeDecodeError:
            continue
    return data.decode("utf-8", "backslashreplace")


def _encoded(value: Any) -> bytes:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return text.encode("utf-8", "backslashreplace")


def _size(packets: Sequence[Mapping[str, Any]]) -> int:
    return len(_encoded(list(packets)))
