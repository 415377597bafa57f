"""Statistics of a harness for each version hash: hiveloom's keys and values, and what they leave open.

A run that never finished counts as neither success nor failure. A run whose model somebody changed from outside is
held out of its version, because it did not run what the hash stands for.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from honeyguide.evals.statistics import wilson_interval
from honeyguide.harnesses.evidence.friction import Friction, template_of
from honeyguide.harnesses.evidence.runs import RunSummary

MOST_SIGNATURES: Final = 10
RECENT: Final = 5
Labels = Mapping[str, str]
"""Run id to ``success`` or ``failure``, as the world said later."""
Redact = Callable[[str], str]


def statistics(
    runs: Sequence[RunSummary],
    key: str,
    name: str,
    labels: Labels,
    *,
    trace_dir: str = "",
    include_friction: bool = False,
    redact: Redact = str,
) -> dict[str, Any]:
    """Return the body of ``harness stats --json`` for the runs of one harness.

    Args:
        trace_dir: what the paths of journals begin with.
        redact: the current policy, for texts that are shown.
    """
    finished = [run for run in runs if run.is_finished]
    successes = sum(run.is_success for run in finished)
    data: dict[str, Any] = {
        "ok": True,
        "harness_key": key,
        "harness_name": name,
        "total_runs": len(runs),
        "success_rate": _share(successes, len(finished)),
        "avg_cost_usd": _mean([run.cost_usd for run in finished]),
        "avg_turns": _mean([run.turns for run in finished]),
        "versions": version_rows(runs, labels),
        "failure_signatures": failure_signatures(runs, redact=redact),
        "playbooks": playbook_rows(runs),
        "model_paths": model_path_rows(runs),
        "recent_failures": [failure_row(run, trace_dir, redact) for run in recent_failures(runs)],
        "outcomes": outcome_summary(runs, key, labels),
        "incomplete_runs": len(runs) - len(finished),
        "swapped_runs": sum(run.off_spec_swap for run in runs),
        **_spread(finished, successes),
    }
    if include_friction:
        data["friction"] = friction_summary(runs)
    return data


def version_rows(runs: Sequence[RunSummary], labels: Labels) -> list[dict[str, Any]]:
    """Return one row a version: most runs first, of equals the earlier one; fully swapped versions last."""
    groups: dict[str, list[RunSummary]] = {}
    for run in runs:
        groups.setdefault(run.version, []).append(run)
    rows = []
    for number, (version, all_runs) in enumerate(groups.items()):
        own = [run for run in all_runs if not run.off_spec_swap]
        finished = [run for run in own if run.is_finished]
        successes = sum(run.is_success for run in finished)
        rows.append(
            {
                "version": version,
                "runs": len(own),
                "successes": successes,
                "success_rate": _share(successes, len(finished)),
                "avg_cost_usd": _mean([run.cost_usd for run in finished]),
                "avg_turns": _mean([run.turns for run in finished]),
                "swapped_runs": len(all_runs) - len(own),
                "incomplete_runs": len(own) - len(finished),
                "order": number + 1,
                "labelled_failures": sum(labels.get(run.run_id) == "failure" for run in own),
                **_spread(finished, successes),
            }
        )
    return sorted(rows, key=lambda row: (row["runs"] == 0, -row["runs"], row["order"]))


def timeline(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the rows of versions in the order in which they were first run."""
    return sorted(rows, key=lambda row: row["order"])


def failure_signatures(runs: Sequence[RunSummary], *, redact: Redact = str) -> dict[str, Any]:
    """Return the commonest complaints, guardrail triggers and final states; verdicts are counted by distinct runs."""
    verdicts: dict[str, tuple[set[str], str]] = {}
    guardrails: Counter[tuple[str, str]] = Counter()
    for run in runs:
        for verdict in run.verdicts:
            if not verdict.passed and verdict.feedback:
                entry = verdicts.setdefault(template_of(verdict.feedback), (set(), verdict.feedback))
                entry[0].add(run.run_id)
        guardrails.update((t.guardrail, t.kind) for t in run.triggers)
    statuses = Counter(run.status for run in runs if run.is_failure)
    by_count = sorted(verdicts.items(), key=lambda item: -len(item[1][0]))[:MOST_SIGNATURES]
    return {
        "verdicts": [{"feedback": t, "count": len(ids), "example": redact(example)} for t, (ids, example) in by_count],
        "guardrails": [
            {"guardrail": name, "kind": kind, "count": count}
            for (name, kind), count in sorted(guardrails.items(), key=lambda item: (-item[1], item[0]))[
                :MOST_SIGNATURES
            ]
        ],
        "statuses": [{"status": status, "count": count} for status, count in _commonest(statuses)],
    }


def recent_failures(runs: Sequence[RunSummary], count: int = RECENT) -> list[RunSummary]:
    """Return the newest failed runs, newest first."""
    failed = [run for run in runs if run.is_failure]
    return sorted(failed, key=lambda run: run.finished_at or "", reverse=True)[:count]


def failure_row(run: RunSummary, trace_dir: str = "", redact: Redact = str) -> dict[str, Any]:
    """Return one run as ``recent_failures`` holds it."""
    return {
        "run_id": run.run_id,
        "harness_name": run.harness_name,
        "harness_id": run.harness_id,
        "harness_key": run.key,
        "harness_version_hash": run.version,
        "status": run.status,
        "turns": run.turns,
        "cost_usd": run.cost_usd,
        "duration_seconds": run.duration_seconds,
        "started_at": run.started_at,
        "finished_at": run.finished_at,
        "reason": redact(run.reason),
        "trace_path": f"{trace_dir}/{run.trace}" if trace_dir and run.trace else run.trace,
        "trace_pruned_at": None,
        "parent_run_id": run.parent_run_id,
        "lineage_kind": run.lineage_kind,
        "forked_at_seq": run.forked_at_seq,
        "model_path": run.model_path,
        "off_spec_swap": int(run.off_spec_swap),
        "task": None if run.task is None else redact(run.task),
        "output": None if run.output is None else redact(run.output),
        "requested_provider": run.requested_provider,
        "requested_model": run.requested_model,
        "effective_provider": run.effective_provider,
        "effective_model": run.effective_model,
        "execution_fingerprint": run.execution_fingerprint,
        "failed_verifications": [
            {"verifier": v.verifier, "feedback": redact(v.feedback)} for v in run.verdicts if not v.passed
        ],
        "guardrail_triggers": [
            {"guardrail": t.guardrail, "kind": t.kind, "reason": redact(t.reason)} for t in run.triggers
        ],
    }


def playbook_rows(runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """Return one row a playbook; costs and turns are averaged over visits."""
    visits: dict[str, list[tuple[RunSummary, bool]]] = {}
    for run in runs:
        for visit in run.visits:
            visits.setdefault(visit.playbook, []).append((run, visit.ok))
    rows = []
    for playbook, made in visits.items():
        entered = {run.run_id: run for run, ok in made if ok}
        rows.append(
            {
                "playbook": playbook,
                "runs": len(entered),
                "success_rate": _share(sum(r.is_success for r in entered.values()), len(entered)),
                "refusals": sum(not ok for _, ok in made),
                "avg_cost_usd": _mean([run.cost_usd for run, _ in made]),
                "avg_turns": _mean([run.turns for run, _ in made]),
            }
        )
    return sorted(rows, key=lambda row: (-row["runs"], row["playbook"]))


def model_path_rows(runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """Return one row for each version and path of models, where the model changed within a run."""
    groups: dict[tuple[str, str], list[RunSummary]] = {}
    for run in runs:
        if ">" in run.model_path:
            groups.setdefault((run.version, run.model_path), []).append(run)
    rows = [
        {
            "version": version,
            "model_path": path,
            "runs": len(group),
            "successes": sum(run.is_success for run in group),
            "success_rate": _share(sum(run.is_success for run in group), len(group)),
            "avg_cost_usd": _mean([run.cost_usd for run in group]),
        }
        for (version, path), group in groups.items()
    ]
    return sorted(rows, key=lambda row: -row["runs"])


def outcome_summary(runs: Iterable[RunSummary], key: str, labels: Labels) -> dict[str, Any]:
    """Return how many runs the world labelled, and how."""
    given = Counter(labels[run.run_id] for run in runs if run.run_id in labels)
    total = sum(given.values())
    return {
        "harness_key": key,
        "labelled_runs": total,
        "successes": given["success"],
        "failures": given["failure"],
        "outcome_success_rate": _share(given["success"], total),
    }


def friction_summary(runs: Sequence[RunSummary]) -> dict[str, Any]:
    """Return the friction counted by category, most events first."""
    events = [friction for run in runs for friction in run.friction]
    categories: dict[str, list[Friction]] = {}
    for one in events:
        categories.setdefault(one.category, []).append(one)

    def counted(rows: Sequence[Friction]) -> dict[str, int]:
        recovered = sum(row.recovered for row in rows)
        return {
            "events": len(rows),
            "runs": len({row.run_id for row in rows}),
            "recovered": recovered,
            "unrecovered": len(rows) - recovered,
        }

    ordered = sorted(categories.items(), key=lambda item: (-len(item[1]), item[0]))
    return {**counted(events), "categories": [{"category": name, **counted(rows)} for name, rows in ordered]}


def friction_rows(
    runs: Sequence[RunSummary],
    *,
    category: str | None = None,
    component: str | None = None,
    recovered: bool | None = None,
    model: str | None = None,
    version: str | None = None,
    limit: int = 100,
) -> list[dict[str, Any]]:
    """Return friction, newest first, as ``harness friction --json`` lists it."""
    rows = [
        (one, run)
        for run in runs
        for one in run.friction
        if (category is None or one.category == category)
        and (component is None or one.component == component)
        and (recovered is None or one.recovered == recovered)
        and (model is None or run.model == model)
        and (version is None or run.version == version)
    ]
    rows.sort(key=lambda item: (item[0].timestamp, item[0].seq), reverse=True)
    return [one.to_json(run.status, run.model) for one, run in rows[:limit]]


def _spread(finished: Sequence[RunSummary], successes: int) -> dict[str, Any]:
    """What averages hide: interval, medians, tails, the price of a success, and when all this was."""
    costs = sorted(run.cost_usd for run in finished)
    seconds = sorted(run.duration_seconds for run in finished)
    interval = wilson_interval(successes, len(finished))
    starts = [run.started_at for run in finished if run.started_at]
    ends = [run.finished_at for run in finished if run.finished_at]
    return {
        "finished_runs": len(finished),
        "success_rate_ci": [interval.low, interval.high] if finished else None,
        "median_cost_usd": quantile(costs, 0.5),
        "p95_cost_usd": quantile(costs, 0.95),
        "cost_per_success_usd": math.fsum(costs) / successes if successes else None,
        "median_duration_seconds": quantile(seconds, 0.5),
        "p95_duration_seconds": quantile(seconds, 0.95),
        "first_run_at": min(starts, default=None),
        "last_run_at": max(ends, default=None),
    }


def quantile(ordered: Sequence[float], q: float) -> float | None:
    """Return the quantile of sorted values by linear interpolation; ``None`` for none."""
    if not ordered:
        return None
    at = q * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (at - low)


def _commonest(counts: Counter[str]) -> list[tuple[str, int]]:
    """Return the counts, highest first; ties stand in the order in which hiveloom prints them, last name first."""
    return sorted(sorted(counts.items(), reverse=True), key=lambda item: -item[1])


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else 0.0
