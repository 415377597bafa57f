"""Running the gates, in their order: the first seed's seven, then ours."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.evolution.gates.carrier import carrier_limits
from honeyguide.evolution.gates.keeping import locked_passages, no_new_capabilities, same_variables
from honeyguide.evolution.gates.leaks import no_memorised_cases, no_secrets
from honeyguide.evolution.gates.leftovers import balanced_fences, no_placeholders, no_todos
from honeyguide.evolution.gates.length import growth, non_empty, size
from honeyguide.evolution.gates.marks import no_chat, no_leftovers, no_reasoning, no_request_marks
from honeyguide.evolution.gates.regression import regression
from honeyguide.evolution.gates.results import Gate, GateInput, GateOptions, GateResult, GateScores

ON_TEXT: tuple[Gate, ...] = (non_empty, size, growth, balanced_fences, no_placeholders, no_todos)
"""The seed's gates that need no scores."""
OURS: tuple[Gate, ...] = (
    same_variables,
    locked_passages,
    no_new_capabilities,
    no_secrets,
    no_memorised_cases,
    no_leftovers,
    no_reasoning,
    no_chat,
    no_request_marks,
    carrier_limits,
)


def run_gates(
    text: GateInput, options: GateOptions | None = None, scores: GateScores | None = None
) -> tuple[GateResult, ...]:
    """Return what every gate says; ``regression`` speaks only when there are scores."""
    seeds = ON_TEXT if scores is None else (*ON_TEXT, regression)
    return tuple(gate(text, options or GateOptions(), scores) for gate in (*seeds, *OURS))


def first_failure(results: Sequence[GateResult]) -> GateResult | None:
    """Return the first gate that failed, in order, or ``None`` when all passed."""
    return next((result for result in results if not result.passed), None)


def up_to_first_failure(results: Sequence[GateResult]) -> tuple[GateResult, ...]:
    """Return the results that are stored with a run: up to and including the first failure."""
    for count, result in enumerate(results, start=1):
        if not result.passed:
            return tuple(results[:count])
    return tuple(results)
