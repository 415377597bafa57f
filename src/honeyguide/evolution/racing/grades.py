"""One grade for one answer: what a judge says at different times of the same answer to the same question.

A judge that errs pulls the score of a nearly perfect text down, because there is more that can be graded wrongly than
rightly. Where an answer comes again word for word (labels, structured answers), its verdicts are repeats of one
measurement, and their middle is a better one. It costs no call. Answers that never come again keep their verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from honeyguide.evals.verdicts import Evaluation, JudgeScore
from honeyguide.evolution.candidates import Measurement

MOST_REPEATS = 15
"""Verdicts of one answer that are kept; more would not change the middle."""


@dataclass(slots=True)
class Grades:
    """The verdicts so far, by example and answer."""

    _known: dict[tuple[str, str], list[tuple[JudgeScore, tuple[str, ...]]]] = field(default_factory=dict)

    def settle(self, evaluation: Evaluation, kinds: Iterable[str]) -> tuple[float | None, tuple[str, ...]]:
        """Take in an evaluation; return the overall score and the kinds of failure on which its verdicts agree."""
        kinds, score = tuple(kinds), evaluation.verdict.score
        if score is None:
            return None, kinds
        known = self._known.setdefault((evaluation.example_id, evaluation.actual), [])
        if len(known) < MOST_REPEATS:
            known.append((score, kinds))
        if len(known) < 3:
            return score.overall, kinds
        counts = Counter([kind for _, found in known for kind in found])
        agreed = tuple(kind for kind, count in counts.items() if 2 * count > len(known))
        return median(one.overall for one, _ in known), agreed

    def settled(self, measurement: Measurement) -> Measurement:
        """Return ``measurement`` with the middle of all verdicts of each answer in place of its own."""
        return Measurement(tuple(map(self._settled, measurement.evaluations)))

    def _settled(self, evaluation: Evaluation) -> Evaluation:
        known = self._known.get((evaluation.example_id, evaluation.actual))
        if evaluation.verdict.score is None or known is None or len(known) < 3:
            return evaluation
        return replace(evaluation, verdict=replace(evaluation.verdict, score=_middle([score for score, _ in known])))


def _middle(scores: Sequence[JudgeScore]) -> JudgeScore:
    return JudgeScore(
        median(s.correctness for s in scores),
        median(s.procedure for s in scores),
        median(s.conciseness for s in scores),
        median(s.weighted for s in scores),
        median(s.length_penalty for s in scores),
        median(s.overall for s in scores),
    )
