"""The gate on scores: a candidate may not be worse than the baseline by more than is tolerated."""

from __future__ import annotations

from typing import Any

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed, passed

_TOLERANCE = 1e-9


def regression(text: GateInput, options: GateOptions, scores: GateScores | None) -> GateResult:
    """The limit is inclusive. Called only when there are scores on the same examples."""
    if scores is None:
        return passed("regression", "Not measured.")
    change = scores.candidate - scores.baseline
    numbers: dict[str, Any] = {
        "baseline": scores.baseline, "candidate": scores.candidate, "delta": change, "max": options.max_regression
    }  # fmt: skip
    if change < options.max_regression - _TOLERANCE:
        limit = f"{options.max_regression * 100:+.2f}"
        return failed("regression", f"The score fell by {-change * 100:.2f} points; {limit} is the limit.", **numbers)
    return passed("regression", f"The score changed by {change * 100:+.2f} points.", **numbers)
