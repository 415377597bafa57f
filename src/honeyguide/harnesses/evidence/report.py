"""The failures of one version, clustered: what a proposal is drafted from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.evidence.assessment import Assessment
from honeyguide.harnesses.evidence.excerpts import Excerpts, build_excerpts
from honeyguide.harnesses.evidence.friction import template_of
from honeyguide.harnesses.evidence.labels import Label, outcomes_of
from honeyguide.harnesses.evidence.metrics import Metric
from honeyguide.harnesses.evidence.objectives import has_observations, metric_evidence
from honeyguide.harnesses.evidence.plain_words import PlainWords
from honeyguide.harnesses.evidence.redaction import Redactor
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.signal import Population, SignalMap, locate_signal
from honeyguide.harnesses.evidence.statistics import (
    failure_signatures,
    friction_summary,
    outcome_summary,
    playbook_rows,
    recent_failures,
)
from honeyguide.harnesses.spec.models import HarnessSpec

MOST_HISTORY: Final = 12
MOST_EARLIER_VERSIONS: Final = 4
DETAIL_CHARACTERS: Final = 300


@dataclass(frozen=True, slots=True)
class Cluster:
    """Failures that share a signature; ``kind`` is verdict, guardrail, status or friction."""

    kind: str
    signature: str
    count: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A change that was tried before, and what came of it."""

    outcome: str
    rationale: str = ""
    changed_paths: tuple[str, ...] = ()
    measured: Mapping[str, Any] = field(default_factory=dict)
    version_hash: str = ""

    def to_json(self) -> dict[str, Any]:
        return {
            "outcome": self.outcome,
            "rationale": self.rationale[:DETAIL_CHARACTERS],
            "changed_paths": list(self.changed_paths),
            "measured": dict(self.measured),
            "version_hash": self.version_hash,
        }


@dataclass(frozen=True, slots=True)
class Report:
    """Everything known about the failures of one version.

    Attributes:
        runs: the finished and unfinished runs of this version.
        failed: ids of the failed ones, those that the world called failures included.
        excerpts: ``None`` unless the harness opted in.
        words: what may be said of complaints and names without the opt-in; ``None`` with it.
        metrics: ``None`` without objectives.
    """

    key: str
    version: str
    runs: tuple[RunSummary, ...]
    failed: frozenset[str]
    clusters: tuple[Cluster, ...]
    signal: SignalMap
    labels: Mapping[str, Label]
    history: tuple[Attempt, ...] = ()
    notes: tuple[str, ...] = ()
    excerpts: Excerpts | None = None
    metrics: Mapping[str, Any] | None = None
    words: PlainWords | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to evolve from. What recovered by itself in a successful run is no failure."""
        return not self.failed and not self.notes and not has_observations(self.metrics)

    @property
    def dedup_key(self) -> str:
        """12 hex digits that stand for this state of failure: signatures, notes and what was tried before.

        Neither counts nor excerpts are in it: the same failures again are the same state.
        """
        parts = {
            "analyst_notes": list(self.notes),
            "attempt_history": [attempt.to_json() for attempt in self.history],
            "evidence": {},
            "signatures": sorted(f"{c.kind}:{c.signature}" for c in self.clusters),
        }
        return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:12]

    def receipt(self) -> dict[str, Any] | None:
        """Return what a proposal keeps of its evidence: ids, rules, budgets, aggregates and digests."""
        receipt: dict[str, Any] = {} if self.excerpts is None else self.excerpts.receipt()
        if self.metrics is not None:
            receipt["metric_history"] = dict(self.metrics)
            receipt.setdefault("digest", self.metrics["digest"])
        return receipt or None


def build_report(
    spec: HarnessSpec,
    version: str,
    runs: Sequence[RunSummary],
    labels: Mapping[str, Label],
    metrics: Sequence[Metric],
    trace_dir: Path,
    *,
    history: Sequence[Attempt] = (),
    notes: Sequence[str] = (),
    words: PlainWords | None = None,
) -> Report:
    """Return the report for ``version``; ``runs`` are all runs of the harness.

    Args:
        words: the folder's own words; with the opt-in for excerpts they are not needed.
    """
    key = spec.identity
    own = tuple(run for run in runs if run.version == version)
    outcomes = outcomes_of(labels)
    redactor = Redactor(spec.logging.redact)
    wants_excerpts = spec.evolution.trace_excerpts.enabled
    failed = {run.run_id for run in own if run.is_failure or outcomes.get(run.run_id) == "failure"}
    earlier = list(dict.fromkeys(run.version for run in reversed(runs) if run.version != version))
    return Report(
        key=key,
        version=version,
        runs=own,
        failed=frozenset(failed),
        clusters=tuple(clusters_of(own)),
        signal=locate_signal(runs, key, version, outcomes, spec.evolution),
        labels={run_id: label for run_id, label in labels.items() if run_id in {r.run_id for r in own}},
        history=tuple(history[:MOST_HISTORY]),
        notes=tuple(notes),
        excerpts=build_excerpts(own, labels, trace_dir, spec.evolution.trace_excerpts, redactor)
        if wants_excerpts
        else None,
        metrics=metric_evidence(
            spec.evolution.objectives, metrics, runs, version, across=earlier[:MOST_EARLIER_VERSIONS]
        ),
        words=None if wants_excerpts else words or PlainWords.of(spec),
    )


def clusters_of(runs: Sequence[RunSummary]) -> list[Cluster]:
    """Return the clusters of these runs: verdicts, guardrails, final states, friction."""
    found = failure_signatures(runs)
    clusters = [Cluster("verdict", v["feedback"], v["count"]) for v in found["verdicts"]]
    clusters += [Cluster("guardrail", f"{g['guardrail']} ({g['kind']})", g["count"]) for g in found["guardrails"]]
    clusters += [Cluster("status", s["status"], s["count"]) for s in found["statuses"]]
    clusters += [Cluster("friction", c["category"], c["events"]) for c in friction_summary(runs)["categories"]]
    return clusters


def for_the_model(report: Report, redactor: Redactor) -> dict[str, Any]:
    """Return the report as it is sent: counts and templates; words of journals only where opted in."""
    population = Population.of(report.runs, outcomes_of(report.labels), report.version)
    named = [label for label in report.labels.values() if label.outcome == "failure"]
    said, name = _masks(report.words)
    data: dict[str, Any] = {
        "version": report.version,
        "runs": len(report.runs),
        "failed_runs": len(report.failed),
        "success_rate": report.signal.details["quality"]["success_rate"],
        "clusters": [
            {"kind": c.kind, "signature": said(redactor.text(c.signature)), "count": c.count} for c in report.clusters
        ],
        "recent_failures": [_failure(run, redactor, said, name) for run in recent_failures(report.runs)],
        "playbooks": [row | {"playbook": name(row["playbook"])} for row in playbook_rows(report.runs)],
        "outcomes": outcome_summary(population.runs, report.key, outcomes_of(report.labels)),
        "called_failures": [
            {"run_id": label.run_id, "said": redactor.text(label.detail)[:DETAIL_CHARACTERS]} for label in named[:5]
        ],
        "friction": friction_summary(report.runs),
        "recent_successes": [
            {"run_id": run.run_id, "turns": run.turns, "cost_usd": run.cost_usd}
            for run in [r for r in reversed(report.runs) if r.is_success][:2]
        ],
    }
    if report.excerpts is not None:
        data["incidents"] = [dict(packet) for packet in report.excerpts.packets]
    if report.metrics is not None:
        data["metrics"] = dict(report.metrics)
    return data


def signal_for_the_model(report: Report) -> dict[str, Any]:
    """Return the signal map as it is sent."""
    signal = report.signal.to_json()
    return signal if report.words is None else report.words.signal(signal)


def _masks(words: PlainWords | None) -> tuple[Callable[[str], str], Callable[[str], str]]:
    return (str, str) if words is None else (words.text, words.name)


def _failure(
    run: RunSummary, redactor: Redactor, said: Callable[[str], str], name: Callable[[str], str]
) -> dict[str, Any]:
    return {
        "run_id": run.run_id,
        "status": name(run.status),
        "turns": run.turns,
        "cost_usd": run.cost_usd,
        "failed_verifiers": sorted({name(v.verifier) for v in run.verdicts if not v.passed}),
        "verdicts": sorted(
            {said(redactor.text(template_of(v.feedback)))[:DETAIL_CHARACTERS] for v in run.verdicts if not v.passed}
        ),
        "guardrails": sorted({name(f"{t.guardrail} ({t.kind})") for t in run.triggers}),
        "features": [name(feature) for feature in run.features],
    }


def attempt_of(assessment: Assessment) -> Attempt:
    """Return an applied change as an attempt, with what was measured."""
    data = assessment.to_json()
    return Attempt(
        outcome=assessment.verdict,
        rationale=str(data["rationale"]),
        changed_paths=tuple(data["changed_paths"]),
        measured={
            "target": f"{assessment.target} expected to {assessment.expect}",
            "target_measure": assessment.target_measure.sentence,
            "success": assessment.success.sentence,
            "success_change": assessment.success_change,
        },
        version_hash=str(data["new_version"]),
    )


def nothing_to_evolve(runs: Sequence[RunSummary], version: str) -> str:
    """Return why there is nothing to evolve from, as a person reads it."""
    earlier = sum(run.is_failure for run in runs if run.version != version)
    there = f" ({earlier} on earlier versions)" if earlier else ""
    return f"no failures recorded for the current harness version{there} — re-run the harness to collect fresh ones"
