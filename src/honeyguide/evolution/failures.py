"""Which answers of a candidate the mutator is shown: the weakest, and not the same ones for every child."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from honeyguide.evals.examples import CheckSpec, Example
from honeyguide.evals.verdicts import Evaluation
from honeyguide.evolution.candidates import Measurement
from honeyguide.evolution.mutation import Failure
from honeyguide.kernel.choice import sample

GOOD_ENOUGH = 0.95
"""Answers with at least this score are no failures."""
SHOWN = 4
POOL = 10
"""Children after the first draw from so many of the weakest, so that siblings look at different cases."""


def failures_for(
    measurement: Measurement,
    examples: Sequence[Example],
    feedback: Callable[[str], str],
    seed: int,
    generation: int,
    child: int,
) -> tuple[Failure, ...]:
    """Return up to ``SHOWN`` failures, the weakest first. ``feedback`` filters what the judge said."""
    by_id = {example.id: example for example in examples}
    weak = [e for e in measurement.weakest() if measurement.scores[e.example_id] < GOOD_ENOUGH]
    if child == 0 or len(weak) <= SHOWN:
        chosen = weak[:SHOWN]
    else:
        drawn = sample(seed, weak[:POOL], SHOWN, "failures", generation, child)
        chosen = [e for e in weak if e in drawn]
    return tuple(shown_as_failure(e, by_id[e.example_id], feedback) for e in chosen)


def shown_as_failure(evaluation: Evaluation, example: Example, feedback: Callable[[str], str]) -> Failure:
    """Return an answer as the mutator is shown it. ``feedback`` filters what the judge said."""
    expectation = example.expected or "; ".join(_demand(check) for check in example.checks)
    return Failure(example.input, evaluation.actual, expectation, feedback(evaluation.verdict.feedback))


def _demand(check: CheckSpec) -> str:
    return check.name or f"{check.kind}: {check.value}"
