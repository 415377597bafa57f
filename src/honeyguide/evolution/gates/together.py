"""The gates on texts that change together: each text passes every gate by itself, with its own limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from honeyguide.evolution.gates.results import GateInput, GateOptions, GateResult, GateScores, failed
from honeyguide.evolution.gates.running import run_gates
from honeyguide.prompts.targets import TargetRef

ONE_SCORE = "regression"
"""The gate that looks at the score of all texts together, and so says the same of each."""


@dataclass(frozen=True, slots=True)
class GatedText:
    """One of several texts for the gates.

    Attributes:
        begins: where it begins in the joined text, so that a place in it can be pointed at there.
    """

    target: TargetRef
    given: GateInput
    options: GateOptions = field(default_factory=GateOptions)
    begins: int = 0


def run_gates_together(texts: Sequence[GatedText], scores: GateScores | None = None) -> tuple[GateResult, ...]:
    """Return what every gate says of all texts: failed where it failed for one of them.

    ``detail`` holds what it said of each text, under ``texts`` by target; ``where`` is a place in the joined text.
    """
    by_text = [run_gates(text.given, text.options, scores) for text in texts]
    return tuple(_merged(texts, results) for results in zip(*by_text, strict=True))


def not_whole(reason: str) -> tuple[GateResult, ...]:
    """Return what is said of a joined text that does not fall into its texts again."""
    return (failed("request-marks", reason),)


def _merged(texts: Sequence[GatedText], results: Sequence[GateResult]) -> GateResult:
    first = results[0]
    if first.gate == ONE_SCORE:
        return first
    named = list(zip(texts, results, strict=True))
    by_target = {
        str(text.target): {"verdict": found.verdict, "reason": found.reason, "detail": dict(found.detail)}
        for text, found in named
    }
    failures = [(text, found) for text, found in named if not found.passed]
    told = failures or named
    where = next(
        ((found.where[0] + text.begins, found.where[1] + text.begins) for text, found in failures if found.where), None
    )
    reason = first.reason
    if failures or len({found.reason for found in results}) > 1:
        reason = " ".join(f"{text.target.name}: {found.reason}" for text, found in told)
    return replace(
        first, verdict="fail" if failures else "pass", reason=reason, detail={"texts": by_target}, where=where
    )
