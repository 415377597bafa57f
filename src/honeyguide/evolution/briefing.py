"""What a request means for those who work on it: limits, what to keep, and the facts that the log begins with."""

from __future__ import annotations

from typing import Any

from honeyguide.evals.examples import Dataset
from honeyguide.evolution.gates import longest_allowed_growth
from honeyguide.evolution.mutation import Keep, TextLimits
from honeyguide.evolution.requests import EvolutionRequest, TextRequest
from honeyguide.evolution.wholes import TextRules
from honeyguide.prompts import locks, variables


def rules_of(request: EvolutionRequest) -> tuple[TextRules, ...]:
    """Return what each text has to keep to, for the mutator to be told."""
    return tuple(TextRules(text.target, _limits(text), _keep(text)) for text in request.single_texts)


def _limits(text: TextRequest) -> TextLimits:
    growth = longest_allowed_growth(text.live, text.gates)
    share = f"{text.gates.max_growth_ratio:.0%}"
    return TextLimits(
        text.gates.size_limit(text.target.kind),
        growth,
        f"the present text has {len(text.live)}; {share} more is the limit",
    )


def _keep(text: TextRequest) -> Keep:
    found = variables.names(text.live, text.dialect, text.not_variables)
    placed = locks.places(text.locked, text.live)
    return Keep(found, tuple(text.live[start:end] for _, start, end in placed))


def request_facts(request: EvolutionRequest) -> dict[str, Any]:
    together = {"together": [str(text.target) for text in request.texts]} if request.texts else {}
    return {
        "target": str(request.target),
        **together,
        "live": request.live_sha256,
        "seed": request.seed,
        "preset": request.preset.value,
        "min_delta": request.min_delta,
        "allow_safe": request.allow_safe,
        "ablate": request.ablate,
        "gates": request.gate_facts,
        "given": request.candidate is not None,
    }


def split_counts(dataset: Dataset) -> dict[str, int]:
    return {
        "train": len(dataset.train), "validation": len(dataset.validation), "holdout": len(dataset.holdout)
    }  # fmt: skip
