"""Metric evidence for objectives: aggregates by series and cohort, never mixed, with what is missing counted.

A series is a source, scope, unit and recorded direction; a cohort a version with the models asked for and answering.
The evaluator's metadata is no part of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, Final

from honeyguide.harnesses.evidence.metrics import Metric
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.spec.evolving import Objective
from honeyguide.kernel.canonical import canonical_json, fingerprint, sha256_hex

MOST_OBSERVATIONS: Final = 2000
MOST_SERIES: Final = 5
MOST_COHORTS: Final = 5
MOST_NAMES: Final = 10
COHORT_FIELDS: Final = (
    "behavior_hash", "requested_provider", "requested_model", "effective_provider", "effective_model",
)  # fmt: skip
_Seen = tuple[Metric, RunSummary]


def metric_evidence(
    objectives: Sequence[Objective],
    metrics: Sequence[Metric],
    runs: Sequence[RunSummary],
    version: str | None,
    *,
    across: Sequence[str] = (),
) -> dict[str, Any] | None:
    """Return the evidence for ``objectives``, or ``None`` when there are none.

    Args:
        version: aggregates are of this version; ``None`` takes all.
        across: earlier versions whose runs of the same cases are compared with this one, pair by pair.
    """
    if not objectives:
        return None
    by_id = {run.run_id: run for run in runs}
    scope = [run for run in runs if version in (None, run.version)]
    populations: dict[str, int] = {}
    for run in scope:
        populations[cohort_id(run)] = populations.get(cohort_id(run), 0) + 1
    wanted = None if version is None else {version, *across}
    seen = [(m, by_id[m.run_id]) for m in metrics if m.run_id in by_id]
    in_pairs = [pair for pair in seen if wanted is None or pair[1].version in wanted]
    in_scope = [pair for pair in seen if version in (None, pair[1].version)]
    data: dict[str, Any] = {
        "selection_rules": {
            "version": version,
            "max_observations_per_objective": MOST_OBSERVATIONS,
            "max_series_per_objective": MOST_SERIES,
            "max_cohorts_per_series": MOST_COHORTS,
            "max_fingerprints_per_cohort": MOST_NAMES,
            "max_run_ids_per_cohort": MOST_NAMES,
            "max_pair_comparisons_per_series": MOST_NAMES,
            "cohort_fields": list(COHORT_FIELDS),
            "pairing": "eval case_key plus repetition",
            "private_metric_metadata_included": False,
        },
        "objectives": [_objective(o, in_scope, in_pairs, populations, len(scope)) for o in objectives],
    }
    return {**data, "digest": fingerprint(data)}


def has_observations(evidence: Mapping[str, Any] | None) -> bool:
    """Say whether any objective was observed."""
    return evidence is not None and any(o["observation_count"] for o in evidence["objectives"])


def broken_bounds(evidence: Mapping[str, Any] | None) -> dict[str, list[str]]:
    """Return objective to what breaks its floor or ceiling, in words."""
    found: dict[str, list[str]] = {}
    for objective in evidence["objectives"] if evidence else ():
        for series in objective["series"]:
            for cohort in series["cohorts"]:
                found.setdefault(objective["metric"], []).extend(cohort["constraint_violations"])
    return {metric: said for metric, said in found.items() if said}


def mismatched_directions(evidence: Mapping[str, Any] | None) -> list[str]:
    """Return the objectives whose observations were recorded with the other direction."""
    objectives = evidence["objectives"] if evidence else ()
    return [o["metric"] for o in objectives if any(not s["direction_matches_objective"] for s in o["series"])]


def cohort_id(run: RunSummary) -> str:
    """Return the id of the cohort a run belongs to."""
    return "cohort_" + sha256_hex(canonical_json(_cohort(run)))[:12]


def _cohort(run: RunSummary) -> dict[str, str]:
    return {
        "behavior_hash": run.version,
        "requested_provider": run.requested_provider,
        "requested_model": run.requested_model,
        "effective_provider": run.effective_provider,
        "effective_model": run.effective_model,
    }


def _objective(
    objective: Objective,
    scope: Sequence[_Seen],
    for_pairs: Sequence[_Seen],
    populations: Mapping[str, int],
    eligible: int,
) -> dict[str, Any]:
    own = _newest(objective, scope)
    kept = own[:MOST_OBSERVATIONS]
    compared = _newest(objective, for_pairs)[:MOST_OBSERVATIONS]
    names = sorted({m.series for m, _ in kept})
    return {
        "metric": objective.metric,
        "direction": objective.direction,
        "source": objective.source,
        "scope": objective.scope,
        "unit": objective.unit,
        "floor": objective.floor,
        "ceiling": objective.ceiling,
        "observation_count": len(kept),
        "eligible_run_count": eligible,
        "missing_value_count": max(0, eligible - len({m.run_id for m, _ in kept})),
        "observations_truncated": len(own) > MOST_OBSERVATIONS,
        "series_count": len(names),
        "series_truncated": len(names) > MOST_SERIES,
        "series": [_series(objective, name, kept, compared, populations) for name in names[:MOST_SERIES]],
    }


def _newest(objective: Objective, seen: Sequence[_Seen]) -> list[_Seen]:
    own = [
        (m, run)
        for m, run in seen
        if m.name == objective.metric
        and objective.source in (None, m.source)
        and objective.scope in (None, m.scope)
        and objective.unit in (None, m.unit)
    ]
    return sorted(own, key=lambda pair: (pair[1].finished_at or "", pair[0].sequence), reverse=True)


def _series(
    objective: Objective,
    name: tuple[str, str, str, str],
    kept: Sequence[_Seen],
    compared: Sequence[_Seen],
    populations: Mapping[str, int],
) -> dict[str, Any]:
    cohorts: dict[str, list[_Seen]] = {}
    for metric, run in kept:
        if metric.series == name:
            cohorts.setdefault(cohort_id(run), []).append((metric, run))
    chosen = sorted(cohorts)[:MOST_COHORTS]
    source, scope, unit, direction = name
    return {
        "source": source,
        "scope": scope,
        "unit": unit,
        "recorded_direction": direction,
        "direction_matches_objective": direction == objective.direction,
        "cohort_count": len(cohorts),
        "cohorts": [_aggregate(objective, c, cohorts[c], populations.get(c, len(cohorts[c]))) for c in chosen],
        "cohorts_truncated": len(cohorts) > MOST_COHORTS,
        "paired_comparisons": _comparisons(objective, [pair for pair in compared if pair[0].series == name]),
    }


def _aggregate(objective: Objective, cohort: str, seen: Sequence[_Seen], population: int) -> dict[str, Any]:
    values = [metric.value for metric, _ in seen]
    run_ids = sorted({run.run_id for _, run in seen})
    prints = sorted({run.execution_fingerprint for _, run in seen if run.execution_fingerprint})
    broken = []
    if objective.floor is not None and min(values) < objective.floor:
        broken.append(f"observed min {min(values)} is below floor {objective.floor}")
    if objective.ceiling is not None and max(values) > objective.ceiling:
        broken.append(f"observed max {max(values)} is above ceiling {objective.ceiling}")
    return {
        "cohort_id": cohort,
        **_cohort(seen[0][1]),
        "sample_count": len(values),
        "observed_run_count": len(run_ids),
        "population_count": population,
        "missing_value_count": max(0, population - len(run_ids)),
        "mean": sum(values) / len(values),
        "min": min(values),
        "max": max(values),
        "execution_fingerprint_count": len(prints),
        "execution_fingerprints": prints[:MOST_NAMES],
        "fingerprints_truncated": len(prints) > MOST_NAMES,
        "evidence_run_ids": run_ids[:MOST_NAMES],
        "run_ids_truncated": len(run_ids) > MOST_NAMES,
        "hard_constraint_violated": bool(broken),
        "constraint_violations": broken,
    }


def _comparisons(objective: Objective, seen: Sequence[_Seen]) -> list[dict[str, Any]]:
    cohorts: dict[str, dict[tuple[str, int], list[float]]] = {}
    for metric, run in seen:
        if metric.case_key is not None:
            cell = (metric.case_key, metric.repetition)
            cohorts.setdefault(cohort_id(run), {}).setdefault(cell, []).append(metric.value)
    rows = []
    sign = 1 if objective.direction == "maximize" else -1
    for left_id, right_id in combinations(sorted(cohorts), 2):
        left = {cell: sum(v) / len(v) for cell, v in cohorts[left_id].items()}
        right = {cell: sum(v) / len(v) for cell, v in cohorts[right_id].items()}
        shared = sorted(left.keys() & right.keys())
        if not shared:
            continue
        delta = sum(right[c] - left[c] for c in shared) / len(shared)
        keys = [f"{case}:{repetition}" for case, repetition in shared]
        rows.append(
            {
                "left_cohort_id": left_id,
                "right_cohort_id": right_id,
                "sample_count": len(shared),
                "missing_value_count": len(left.keys() | right.keys()) - len(shared),
                "left_mean": sum(left[c] for c in shared) / len(shared),
                "right_mean": sum(right[c] for c in shared) / len(shared),
                "mean_delta": delta,
                "mean_directional_improvement": delta * sign,
                "pair_keys": keys[:MOST_NAMES],
                "pair_keys_truncated": len(keys) > MOST_NAMES,
            }
        )
    return rows[:MOST_NAMES]
