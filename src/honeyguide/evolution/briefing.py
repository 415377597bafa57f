"""What a request means for those who work on it: limits, what to keep, and the facts that the log begins with."""

from __future__ import annotations

from typing import Any

from honeyguide.evals.examples import Dataset
from honeyguide.evolution.gates import longest_allowed_growth
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.requests import EvolutionRequest
from honeyguide.prompts import locks, variables


def text_limits(request: EvolutionRequest) -> TextLimits:
    """Return how long a new text may be, for the mutator to be told."""
    growth = longest_allowed_growth(request.live, request.gates)
    share = f"{request.gates.max_growth_ratio:.0%}"
    return TextLimits(
        request.gates.size_limit(request.target.kind),
        growth,
        f"the present text has {len(request.live)}; {share} more is the limit",
    )


def keep_of(request: EvolutionRequest) -> Keep:
    """Return what a new text has to keep, for the mutator to be told."""
    found = variables.names(request.live, request.dialect, request.not_variables)
    placed = locks.places(request.locked, request.live)
    return Keep(found, tuple(request.live[start:end] for _, start, end in placed))


def request_facts(request: EvolutionRequest) -> dict[str, Any]:
    return {
        "target": str(request.target),
        "live": request.live_sha256,
        "seed": request.seed,
        "preset": request.preset.value,
        "min_delta": request.min_delta,
        "allow_safe": request.allow_safe,
        "ablate": request.ablate,
        "gates": request.gates.to_json(),
        "given": request.candidate is not None,
    }


def split_counts(dataset: Dataset) -> dict[str, int]:
    return {
        "train": len(dataset.train), "validation": len(dataset.validation), "holdout": len(dataset.holdout)
    }  # fmt: skip
