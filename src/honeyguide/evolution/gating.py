"""The gates on the text of a request, which may be several texts joined."""

from __future__ import annotations

from collections.abc import Sequence

from honeyguide.evals.examples import Example
from honeyguide.evolution.gates import GateInput, GateResult, GateScores, run_gates
from honeyguide.evolution.gates.together import GatedText, not_whole, run_gates_together
from honeyguide.evolution.requests import EvolutionRequest, TextRequest
from honeyguide.kernel.errors import InvalidInput


def judge_text(
    request: EvolutionRequest, text: str, training: Sequence[Example], scores: GateScores | None = None
) -> tuple[GateResult, ...]:
    """Return what every gate says of ``text``: of each of its texts against the rules of its own target.

    Args:
        training: what the search saw, for ``memorised``.
    """
    if not request.texts:
        own = request.single_texts[0]
        return run_gates(_given(own, text, training), own.gates, scores)
    joined = request.whole.joined
    assert joined is not None
    try:
        texts, begins = joined.split(text), joined.begins(text)
    except InvalidInput as error:
        return not_whole(error.message)
    return run_gates_together(
        [
            GatedText(own.target, _given(own, candidate, training), own.gates, begin)
            for own, candidate, begin in zip(request.texts, texts, begins, strict=True)
        ],
        scores,
    )


def _given(own: TextRequest, text: str, training: Sequence[Example]) -> GateInput:
    return GateInput(
        kind=own.target.kind,
        candidate=text,
        baseline=own.live,
        dialect=own.dialect,
        not_variables=own.not_variables,
        locked=own.locked,
        training=tuple(training),
        carrier_checks=own.carrier_checks,
    )
