"""The judge: a model that grades one answer in three dimensions, or says nothing.

overall = clamp(length penalty x (0.5 correctness + 0.3 procedure + 0.2 conciseness)), each dimension being the judge's
0 to 10 divided by ten and clamped to [0, 1]. Whatever goes wrong on the way makes the verdict unscored, never 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from honeyguide.evals.examples import Example
from honeyguide.evals.judge_prompt import FEEDBACK_KEY, JUDGE_SCHEMA, JUDGE_SYSTEM, SCORE_KEYS, judge_message
from honeyguide.evals.length_penalty import LengthPenalty
from honeyguide.evals.verdicts import JudgeScore, Verdict
from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import InvalidInput, ModelError
from honeyguide.llm.parsing.verdicts import parse_verdict
from honeyguide.llm.protocol import Message, ModelClient, ModelRef, ModelRequest, ModelRole, StopReason

SPELLINGS: Final[Mapping[str, tuple[str, ...]]] = {"procedure": ("procedureFollowing",)}
"""Other names under which judges return a score."""
TOP_SCORE: Final = 10.0
WEIGHT_TOLERANCE: Final = 1e-6
MAX_FEEDBACK: Final = 2000
"""Characters of feedback that are kept; a judge is asked for three sentences."""


@dataclass(frozen=True, slots=True)
class JudgeWeights:
    """What each dimension counts; none negative, together 1."""

    correctness: float = 0.5
    procedure: float = 0.3
    conciseness: float = 0.2

    def __post_init__(self) -> None:
        parts = (self.correctness, self.procedure, self.conciseness)
        if not all(math.isfinite(part) for part in parts):
            raise InvalidInput("The judge's weights must be numbers.")
        if abs(sum(parts) - 1.0) > WEIGHT_TOLERANCE:
            raise InvalidInput(f"The judge's weights sum to {sum(parts):g}; they must sum to 1.")
        if min(parts) < 0:
            raise InvalidInput("The judge's weights must be non-negative.")


def grade(numbers: Mapping[str, float], length: int, weights: JudgeWeights, penalty: LengthPenalty) -> JudgeScore:
    """Return the score for three numbers from 0 to 10 (others are clamped) and an answer of ``length`` characters."""
    correctness, procedure, conciseness = (_clamp(numbers[key] / TOP_SCORE) for key in SCORE_KEYS)
    weighted = weights.correctness * correctness + weights.procedure * procedure + weights.conciseness * conciseness
    factor = penalty.factor(length)
    return JudgeScore(correctness, procedure, conciseness, weighted, factor, _clamp(weighted * factor))


@dataclass(frozen=True, slots=True)
class Judge:
    """Grades answers with one model.

    Attributes:
        max_tokens: room for the reply, with reasoning for models that write some first.
    """

    client: ModelClient
    model: ModelRef
    weights: JudgeWeights = field(default_factory=JudgeWeights)
    penalty: LengthPenalty = field(default_factory=LengthPenalty)
    max_tokens: int = 1024
    temperature: float | None = None

    @property
    def prompt_hash(self) -> str:
        """SHA-256 over all that shapes a verdict except the model; for receipts."""
        return fingerprint(
            {
                "system": JUDGE_SYSTEM,
                "schema": JUDGE_SCHEMA,
                "message": judge_message(Example("", "", ""), ""),
                "weights": [self.weights.correctness, self.weights.procedure, self.weights.conciseness],
                "penalty": [self.penalty.target, self.penalty.tolerance, self.penalty.floor],
                "max_tokens": self.max_tokens,
                "temperature": self.temperature,
            }
        )

    def request(
        self, example: Example, actual: str, repetition: int = 0, context: str | None = None, *, swapped: bool = False
    ) -> ModelRequest:
        """Return the request that ``score`` sends."""
        return ModelRequest(
            model=self.model,
            messages=(Message("user", judge_message(example, actual, context, swapped=swapped)),),
            system=JUDGE_SYSTEM,
            max_tokens=self.max_tokens,
            role=ModelRole.JUDGE,
            repetition=repetition,
            response_schema=JUDGE_SCHEMA,
            temperature=self.temperature,
        )

    async def score(
        self, example: Example, actual: str, repetition: int = 0, context: str | None = None, *, swapped: bool = False
    ) -> Verdict:
        """Grade ``actual``. ``swapped`` shows the answer before the expectation (the judge's exam asks for it).

        Raises:
            BudgetExceeded, Interrupted: the run has to stop.
        """
        try:
            reply = await self.client.complete(self.request(example, actual, repetition, context, swapped=swapped))
        except ModelError as error:
            return Verdict(None, unscored_reason=f"judge-failed: {error.code}")
        truncated = reply.stop_reason is StopReason.MAX_TOKENS
        found = parse_verdict(reply.text, SCORE_KEYS, aliases=SPELLINGS, feedback=(FEEDBACK_KEY,), truncated=truncated)
        if found is None or not all(map(math.isfinite, found.numbers.values())):
            reason = "judge-truncated" if truncated else "judge-unparseable"
            if reply.stop_reason is StopReason.REFUSAL:
                reason = "judge-refused"
            return Verdict(None, unscored_reason=reason, raw=reply.text)
        return Verdict(
            grade(found.numbers, len(actual), self.weights, self.penalty),
            feedback=found.feedback[:MAX_FEEDBACK],
            raw=reply.text,
        )


def _clamp(value: float) -> float:
    return min(1.0, max(0.0, value))
