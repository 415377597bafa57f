"""Assessment: did an applied change do what it predicted, and did the success rate hold?

The verdict is hiveloom's. Beside it stands what that verdict leaves out: runs of the same case compared pair by pair,
p-values corrected for how many changes are looked at, and a gain of the success rate that the change did not aim at.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from honeyguide.harnesses.evidence.exact_tests import (
    benjamini_hochberg,
    binomial_two_sided,
    detectable_change,
    fisher_exact,
    runs_needed,
    welch_p,
)
from honeyguide.harnesses.evidence.metrics import Metric
from honeyguide.harnesses.evidence.pairing import LEAST_PAIRS, Pairs, cells_of, pairs_of
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.signal import Population
from honeyguide.harnesses.evidence.statistics import Labels

ALPHA: Final = 0.05
MIN_RUNS: Final = 5
MOST: Final = 12


@dataclass(frozen=True, slots=True)
class Measure:
    """One quantity before and after; ``up`` and ``down`` count pairs."""

    quantity: str
    before: float | None = None
    after: float | None = None
    before_n: int = 0
    after_n: int = 0
    before_count: int | None = None
    after_count: int | None = None
    test: str = "none"
    pairs: int = 0
    up: int | None = None
    down: int | None = None
    p_value: float = 1.0

    @property
    def moved(self) -> str:
        """``increase``, ``decrease``, or ``none`` when the difference may be chance."""
        if self.before is None or self.after is None or self.p_value > ALPHA or self.before == self.after:
            return "none"
        return "increase" if self.after > self.before else "decrease"

    @property
    def sentence(self) -> str:
        if self.before is None or self.after is None:
            return f"{self.quantity}: not measurable yet"
        if self.before_count is not None:
            values = f"{self.before_count}/{self.before_n} -> {self.after_count}/{self.after_n}"
        else:
            values = f"{self.before:.3g} (n={self.before_n}) -> {self.after:.3g} (n={self.after_n})"
        paired = f", {self.pairs} pairs" if self.pairs else ""
        return f"{self.quantity}: {values} ({self.test}{paired}, p={self.p_value:.3g})"

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "quantity": self.quantity,
            "before": self.before,
            "after": self.after,
            "before_n": self.before_n,
            "after_n": self.after_n,
            "before_count": self.before_count,
            "after_count": self.after_count,
            "test": self.test,
            "pairs": self.pairs,
            "improved_pairs": self.up,
            "worsened_pairs": self.down,
            "p_value": self.p_value,
        }


@dataclass(frozen=True, slots=True)
class Assessment:
    """One applied change, judged.

    Attributes:
        paired_success: the success rate on runs of the same case.
        q_value: of the success rate, corrected over all changes assessed together.
    """

    evolution: Mapping[str, Any]
    target: str
    expect: str
    by: float | None
    implicit: bool
    verdict: str
    target_measure: Measure
    success: Measure
    paired_success: Measure
    basis: str
    runs_needed: int | None
    summary: str
    q_value: float = 1.0

    @property
    def success_change(self) -> str:
        """``gained``, ``lost`` or ``unclear``: paired evidence where there is some, corrected for chance."""
        measure = self.paired_success if self.paired_success.pairs else self.success
        if self.q_value > ALPHA or measure.moved == "none":
            return "unclear"
        return "gained" if measure.moved == "increase" else "lost"

    def to_json(self) -> dict[str, Any]:
        """Return one entry of ``harness assess --json``."""
        evolution = self.evolution
        changes = evolution.get("changes") or {}
        return {
            "evolution_id": evolution.get("evolution_id"),
            "proposal_id": evolution.get("proposal_id"),
            "old_version": evolution["old_version_hash"],
            "new_version": evolution["new_version_hash"],
            "counter": evolution.get("counter"),
            "created_at": evolution.get("created_at"),
            "rationale": evolution.get("rationale") or "",
            "changed_paths": [*(changes.get("paths") or []), *(changes.get("code") or [])],
            "target": self.target,
            "expect": self.expect,
            "predicted_by": self.by,
            "implicit_target": self.implicit,
            "verdict": self.verdict,
            "target_measure": self.target_measure.to_json(),
            "success": self.success.to_json(),
            "runs_needed": self.runs_needed,
            "decision": evolution.get("decision"),
            "summary": self.summary,
            "paired_success": {**self.paired_success.to_json(), "basis": self.basis},
            "success_q_value": self.q_value,
            "success_change": self.success_change,
        }


def assess_all(
    evolutions: Sequence[Mapping[str, Any]],
    runs: Sequence[RunSummary],
    labels: Labels,
    metrics: Sequence[Metric] = (),
    *,
    min_runs: int = MIN_RUNS,
) -> list[Assessment]:
    """Assess the newest applied changes (newest first), those that only took another back left out."""
    wanted = [e for e in evolutions if not (e.get("changes") or {}).get("revert_of")][:MOST]
    found = [assess(evolution, runs, labels, metrics, min_runs=min_runs) for evolution in wanted]
    p_values = [(a.paired_success if a.paired_success.pairs else a.success).p_value for a in found]
    return [replace(a, q_value=q) for a, q in zip(found, benjamini_hochberg(p_values), strict=True)]


def assess(
    evolution: Mapping[str, Any],
    runs: Sequence[RunSummary],
    labels: Labels,
    metrics: Sequence[Metric] = (),
    *,
    min_runs: int = MIN_RUNS,
) -> Assessment:
    """Assess one applied change against the runs of its old and its new version."""
    before = Population.of(runs, labels, evolution["old_version_hash"])
    after = Population.of(runs, labels, evolution["new_version_hash"])
    cells = cells_of(metrics)
    matched = pairs_of(before.runs, after.runs, cells)
    eval_pairs = matched.pairs if matched.basis == "eval case" else ()
    target, expect, by, implicit = _target(evolution)
    was, now = ({r.run_id: r.run_id not in side.failed for r in side.runs} for side in (before, after))
    success = _rate("success_rate", was, now, eval_pairs)
    measure = success if target == "success_rate" else _target_measure(target, before, after, metrics, eval_pairs)
    base = 0.5 if measure.before is None else min(max(measure.before, 0.0), 1.0)
    change = by if by and not target.startswith("metric:") else 0.10
    needed = runs_needed(base, min(change, 1.0))
    verdict, note = _verdict(len(after.runs), min_runs, success, measure, target, expect, by, base, before, needed)
    summary = f"{verdict}: {note} {measure.sentence}"
    if target != "success_rate":
        summary += f"; {success.sentence}"
    return Assessment(
        evolution=evolution,
        target=target,
        expect=expect,
        by=by,
        implicit=implicit,
        verdict=verdict,
        target_measure=measure,
        success=success,
        paired_success=_paired(was, now, matched),
        basis=matched.basis,
        runs_needed=needed if verdict in ("inconclusive", "pending") else None,
        summary=summary,
    )


def _verdict(
    after_n: int, min_runs: int, success: Measure, measure: Measure, target: str, expect: str, by: float | None,
    base: float, before: Population, needed: int,
) -> tuple[str, str]:  # fmt: skip
    is_metric = target.startswith("metric:")
    detectable = detectable_change(base, min(len(before.runs), after_n))
    if after_n < min_runs:
        return "pending", f"{after_n} run(s) of the new version; {min_runs} needed to assess."
    if success.moved == "decrease":
        return "regressed", "The success rate fell significantly, whatever the target did."
    if measure.moved == expect:
        return "confirmed", f"{target} moved as predicted ({expect})."
    if measure.moved != "none":
        return "refuted", f"{target} moved significantly the other way."
    if by and not is_metric and detectable <= by:
        return "refuted", f"A change of {by:.0%} would have shown at this size ({detectable:.0%}); none did."
    change = by if by and not is_metric else 0.10
    return "inconclusive", (
        f"No significant change; about {needed} runs per version would detect a {change:.0%} change."
    )


def _target(evolution: Mapping[str, Any]) -> tuple[str, str, float | None, bool]:
    prediction = evolution.get("prediction") or {}
    target = prediction.get("target") if isinstance(prediction, Mapping) else None
    if isinstance(target, Mapping) and target.get("signal") and target.get("expect"):
        by = target.get("by")
        return str(target["signal"]), str(target["expect"]), by if isinstance(by, int | float) else None, False
    expectations = prediction.get("objective_expectations") if isinstance(prediction, Mapping) else None
    for expectation in expectations or []:
        if isinstance(expectation, Mapping) and expectation.get("metric"):
            expect = str(expectation.get("expected_change") or "increase")
            return f"metric:{expectation['metric']}", expect, None, False
    return "success_rate", "increase", None, True


def _target_measure(
    target: str,
    before: Population,
    after: Population,
    metrics: Sequence[Metric],
    pairs: Sequence[tuple[str, str]],
) -> Measure:
    if target.startswith("metric:"):
        name = target.partition(":")[2]
        values = {m.run_id: m.value for m in metrics if m.name == name}
        left, right = (
            {r.run_id: values[r.run_id] for r in side.runs if r.run_id in values} for side in (before, after)
        )
        return _mean(target, left, right, pairs)
    was, now = ({run.run_id: _carries(run, target) for run in side.runs} for side in (before, after))
    return _rate(f"share of runs with {target}", was, now, pairs)


def _carries(run: RunSummary, target: str) -> bool:
    family, _, rest = target.partition(":")
    if family == "status":
        return run.status == rest
    if family == "friction":
        category, _, component = rest.partition("@")
        return any(f.category == category and component in ("", f.component) for f in run.friction)
    return target in run.features


def _rate(
    quantity: str, before: Mapping[str, bool], after: Mapping[str, bool], pairs: Sequence[tuple[str, str]]
) -> Measure:
    k, m = sum(before.values()), sum(after.values())
    measure = Measure(
        quantity,
        before=k / len(before) if before else None,
        after=m / len(after) if after else None,
        before_n=len(before),
        after_n=len(after),
        before_count=k,
        after_count=m,
    )
    if not before or not after:
        return measure
    usable = [(left, right) for left, right in pairs if left in before and right in after]
    if len(usable) >= LEAST_PAIRS:
        up = sum(not before[left] and after[right] for left, right in usable)
        down = sum(before[left] and not after[right] for left, right in usable)
        p = binomial_two_sided(up, up + down)
        return replace(measure, test="mcnemar", pairs=len(usable), up=up, down=down, p_value=p)
    return replace(measure, test="fisher", p_value=fisher_exact(k, len(before) - k, m, len(after) - m))


def _paired(before: Mapping[str, bool], after: Mapping[str, bool], matched: Pairs) -> Measure:
    left = {a: before[a] for a, _ in matched.pairs if a in before}
    right = {b: after[b] for _, b in matched.pairs if b in after}
    measure = _rate("success_rate on the same cases", left, right, matched.pairs)
    return measure if measure.test == "mcnemar" else Measure("success_rate on the same cases")


def _mean(
    quantity: str, before: Mapping[str, float], after: Mapping[str, float], pairs: Sequence[tuple[str, str]]
) -> Measure:
    measure = Measure(
        quantity,
        before=sum(before.values()) / len(before) if before else None,
        after=sum(after.values()) / len(after) if after else None,
        before_n=len(before),
        after_n=len(after),
    )
    if not before or not after:
        return measure
    usable = [(left, right) for left, right in pairs if left in before and right in after]
    if len(usable) >= LEAST_PAIRS:
        up = sum(after[right] > before[left] for left, right in usable)
        down = sum(after[right] < before[left] for left, right in usable)
        p = binomial_two_sided(up, up + down)
        return replace(measure, test="sign", pairs=len(usable), up=up, down=down, p_value=p)
    if len(before) < 2 or len(after) < 2:
        return measure
    return replace(measure, test="welch", p_value=welch_p(list(before.values()), list(after.values())))
