"""Where the failures of one version come from: features that separate them, mechanisms, what was lost to what.

Counting only; no model is asked. A feature that separates failures is a place to look, not a cause.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Literal

from honeyguide.evals.statistics import Interval, wilson_interval
from honeyguide.harnesses.evidence.exact_tests import benjamini_hochberg, detectable_change, fisher_exact, runs_needed
from honeyguide.harnesses.evidence.levers import family_of, levers_of
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.signal_words import headline_of
from honeyguide.harnesses.evidence.statistics import Labels
from honeyguide.harnesses.spec.evolving import Evolution

MOST_RUNS: Final = 2000
MOST_ROWS: Final = 12
LEAST_SUPPORT: Final = 2
ADDRESSABLE: Final = ("guardrail", "limits", "process", "tooling")
_FAMILIES: Final = (
    "tool_error", "step_violation", "step", "tool", "spilled", "memory", "playbook", "delegation", "notes", "input",
    "model", "friction",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Population:
    """The finished runs of a version that ran what its hash stands for, newest first, split by outcome."""

    runs: tuple[RunSummary, ...]
    failed: frozenset[str]
    labels: Labels = field(default_factory=dict)

    @classmethod
    def of(cls, runs: Iterable[RunSummary], labels: Labels, version: str | None = None) -> Population:
        """Return the newest ``MOST_RUNS`` that count; a run labelled a failure is one whatever its status."""
        kept = [
            run
            for run in runs
            if run.is_finished and run.finished_at and not run.off_spec_swap and version in (None, run.version)
        ]
        kept.sort(key=lambda run: run.finished_at or "", reverse=True)
        newest = tuple(kept[:MOST_RUNS])
        failed = {r.run_id for r in newest if not r.is_success or labels.get(r.run_id) == "failure"}
        return cls(newest, frozenset(failed), labels)


@dataclass(frozen=True, slots=True)
class FeatureSignal:
    """One feature's association with failure, with the other names of the same set of runs."""

    feature: str
    failures_with: int
    successes_with: int
    failures_without: int
    successes_without: int
    p_value: float
    q_value: float
    levers: tuple[str, ...]
    addressable: bool
    aliases: tuple[str, ...]

    @property
    def rate_with(self) -> float:
        """Failure rate of the runs that have it."""
        return _share(self.failures_with, self.failures_with + self.successes_with)

    @property
    def rate_without(self) -> float:
        """Failure rate of the others."""
        return _share(self.failures_without, self.failures_without + self.successes_without)

    @property
    def direction(self) -> Literal["risk", "protective"]:
        return "risk" if self.rate_with >= self.rate_without else "protective"

    @property
    def strength(self) -> Literal["strong", "suggestive", "weak"]:
        if self.q_value <= 0.1 and self.p_value <= 0.05:
            return "strong"
        return "suggestive" if self.p_value <= 0.1 else "weak"

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "feature": self.feature,
            "family": family_of(self.feature),
            "direction": self.direction,
            "failures_with": self.failures_with,
            "successes_with": self.successes_with,
            "failures_without": self.failures_without,
            "successes_without": self.successes_without,
            "failure_rate_with": self.rate_with,
            "failure_rate_without": self.rate_without,
            "p_value": self.p_value,
            "q_value": self.q_value,
            "strength": self.strength,
            "levers": list(self.levers),
            "addressable": self.addressable,
            "aliases": list(self.aliases),
        }


@dataclass(frozen=True, slots=True)
class SignalMap:
    """Where the evidence for one version points, and how strongly. ``details`` are the parts of the public shape."""

    key: str
    version: str | None
    verdict: str
    signals: tuple[FeatureSignal, ...]
    interval: Interval
    details: Mapping[str, Any]
    headline: tuple[str, ...] = ()

    @property
    def targets(self) -> tuple[str, ...]:
        """Every name that a proposal may aim at."""
        return tuple(self.details["targets"])

    def to_json(self) -> dict[str, Any]:
        """Return the body of ``harness signal --json``."""
        return {
            "ok": True,
            "harness_name": self.key,
            "version": self.version,
            "verdict": self.verdict,
            "headline": list(self.headline),
            "quality": self.details["quality"],
            "loss": self.details["loss"],
            "signals": [signal.to_json() for signal in self.signals],
            "failure_features": self.details["failure_features"],
            "mechanisms": self.details["mechanisms"],
            "statuses": self.details["statuses"],
            "targets": list(self.targets),
        }


def locate_signal(
    runs: Sequence[RunSummary], key: str, version: str | None, labels: Labels, evolution: Evolution | None = None
) -> SignalMap:
    """Return where the failures of ``version`` come from, as far as its runs can tell."""
    population = Population.of(runs, labels, version)
    failed = [run for run in population.runs if run.run_id in population.failed]
    passed = [run for run in population.runs if run.run_id not in population.failed]
    signals = _contrast(failed, passed, evolution)
    statuses = dict(Counter(run.status for run in failed).most_common())
    details: dict[str, Any] = {
        "quality": _quality(population, len(passed)),
        "loss": _loss(failed, labels),
        "failure_features": _failure_features(failed, evolution),
        "mechanisms": _mechanisms(runs, version, labels, len(failed), evolution),
        "statuses": statuses,
    }
    details["targets"] = _targets(statuses, signals, details)
    verdict = _verdict(population, len(failed), len(passed), signals)
    interval = wilson_interval(len(passed), len(population.runs))
    found = SignalMap(key, version, verdict, tuple(signals), interval, details)
    return replace(found, headline=tuple(headline_of(found)))


def _contrast(
    failed: Sequence[RunSummary], passed: Sequence[RunSummary], evolution: Evolution | None
) -> list[FeatureSignal]:
    members: dict[str, set[str]] = {}
    for run in (*failed, *passed):
        for feature in run.features:
            members.setdefault(feature, set()).add(run.run_id)
    failed_ids = {run.run_id for run in failed}
    groups: dict[frozenset[str], list[str]] = {}
    for feature, ids in members.items():
        groups.setdefault(frozenset(ids), []).append(feature)
    tables: list[tuple[list[str], int, int]] = []
    for group, names in groups.items():
        a = len(group & failed_ids)
        b = len(group) - a
        is_everywhere = a == len(failed) and b == len(passed)
        if a + b >= LEAST_SUPPORT and not is_everywhere:
            tables.append((sorted(names, key=_specific_first), a, b))
    p_values = [fisher_exact(a, b, len(failed) - a, len(passed) - b) for _, a, b in tables]
    signals = []
    for (names, a, b), p, q in zip(tables, p_values, benjamini_hochberg(p_values), strict=True):
        levers, reachable = levers_of(names[0], evolution)
        signals.append(
            FeatureSignal(names[0], a, b, len(failed) - a, len(passed) - b, p, q, levers, reachable, tuple(names[1:]))
        )
    signals.sort(key=lambda s: (s.p_value, -abs(s.rate_with - s.rate_without)))
    return signals[:MOST_ROWS]


def _specific_first(feature: str) -> tuple[int, int, str]:
    family = family_of(feature)
    rank = _FAMILIES.index(family) if family in _FAMILIES else len(_FAMILIES)
    return rank, 0 if "@" in feature or family != "friction" else 1, feature


def _quality(population: Population, successes: int) -> dict[str, Any]:
    n = len(population.runs)
    rate = _share(successes, n)
    interval = wilson_interval(successes, n)
    return {
        "runs": n,
        "failures": n - successes,
        "successes": successes,
        "success_rate": rate,
        "success_rate_ci": [interval.low, interval.high],
        "detectable_change": detectable_change(rate, n),
        "runs_per_version_for_10_points": runs_needed(rate, 0.10),
        "avg_cost_usd": _share(sum(run.cost_usd for run in population.runs), n),
        "avg_turns": _share(sum(run.turns for run in population.runs), n),
        "unindexed_runs": 0,
    }


def loss_class(run: RunSummary, label: str | None) -> str:
    """Return what a failed run was lost to; the first that fits."""
    features = run.features

    def has(*prefixes: str) -> bool:
        return any(feature.startswith(prefixes) for feature in features)

    if run.status == "error" or has("friction:provider_error"):
        return "provider"
    if run.status == "guardrail_halt":
        return "guardrail"
    if run.status in ("max_turns", "truncated"):
        return "limits"
    if run.status == "step_failed" or has("step_violation:", "step:"):
        return "process"
    if has("tool_error:", "friction:tool_error", "friction:retry"):
        return "tooling"
    return "content" if run.status == "verify_failed" or label == "failure" else "other"


def _loss(failed: Sequence[RunSummary], labels: Labels) -> dict[str, Any]:
    classes = Counter(loss_class(run, labels.get(run.run_id)) for run in failed)
    return {
        "failed_runs": len(failed),
        "classes": dict(classes.most_common()),
        "addressable_share": _share(sum(classes[name] for name in ADDRESSABLE), len(failed)),
        "content_share": _share(classes["content"], len(failed)),
    }


def _failure_features(failed: Sequence[RunSummary], evolution: Evolution | None) -> list[dict[str, Any]]:
    counts = Counter(feature for run in failed for feature in run.features)
    rows = []
    for feature, count in sorted(counts.items(), key=lambda item: (-item[1], _specific_first(item[0]))):
        if feature.startswith(("model:", "input:")):
            continue
        levers, reachable = levers_of(feature, evolution)
        rows.append(
            {
                "feature": feature,
                "failed_runs": count,
                "share_of_failures": count / len(failed),
                "levers": list(levers),
                "addressable": reachable,
            }
        )
    return rows[:MOST_ROWS]


def _mechanisms(
    runs: Sequence[RunSummary], version: str | None, labels: Labels, failures: int, evolution: Evolution | None
) -> list[dict[str, Any]]:
    groups: dict[tuple[str, str], list[tuple[RunSummary, bool]]] = {}
    for run in runs:
        if run.off_spec_swap or version not in (None, run.version):
            continue
        for one in run.friction:
            groups.setdefault((one.category, one.component), []).append((run, one.recovered))
    rows: list[dict[str, Any]] = []
    for (category, component), events in groups.items():
        failed = {run.run_id for run, _ in events if run.is_failure or labels.get(run.run_id) == "failure"}
        levers, reachable = levers_of(f"friction:{category}", evolution)
        rows.append(
            {
                "target": f"friction:{category}" + (f"@{component}" if component else ""),
                "category": category,
                "component": component,
                "events": len(events),
                "runs": len({run.run_id for run, _ in events}),
                "failed_runs": len(failed),
                "recovered_events": sum(recovered for _, recovered in events),
                "share_of_failures": _share(len(failed), failures),
                "levers": list(levers),
                "addressable": reachable,
            }
        )
    rows.sort(key=lambda row: (row["category"], row["component"]), reverse=True)  # ties as hiveloom prints them
    rows.sort(key=lambda row: (-row["failed_runs"], -row["events"]))
    return rows[:MOST_ROWS]


def _targets(statuses: Mapping[str, int], signals: Sequence[FeatureSignal], details: Mapping[str, Any]) -> list[str]:
    targets = ["success_rate", *(f"status:{status}" for status in statuses)]
    for signal in signals:
        targets += [signal.feature, *signal.aliases]
    targets += [row["target"] for row in details["mechanisms"]]
    targets += [row["feature"] for row in details["failure_features"]]
    return list(dict.fromkeys(targets))


def _verdict(population: Population, failures: int, passes: int, signals: Sequence[FeatureSignal]) -> str:
    if not population.runs:
        return "no_runs"
    if not failures:
        return "no_failures"
    if failures < LEAST_SUPPORT or passes < LEAST_SUPPORT:
        return "underpowered"
    strengths = {signal.strength for signal in signals}
    return "actionable" if "strong" in strengths else "suggestive" if "suggestive" in strengths else "diffuse"


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
