"""The judge that runs the candidate: the only thing that may drive the instruction search.

A judge that reads the candidate's text and compares it with an expected answer measures nothing; so the search asks
for this class by type, and there is no way around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from honeyguide.evals.checks import CheckRegistry, CheckReport
from honeyguide.evals.examples import Example, ExpectationRole
from honeyguide.evals.executor import PromptExecutor
from honeyguide.evals.judge import Judge
from honeyguide.evals.standard_checks import STANDARD_CHECKS
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict

CHECKS_INCONCLUSIVE: Final = "checks-inconclusive"


@dataclass(frozen=True, slots=True)
class RunningJudge:
    """Runs a candidate on an example and grades what it answered.

    Where an example has checks they outrank the judge: correctness is the share of them that passed, and the
    overall score never exceeds it. An example with nothing but checks is graded by them alone, at no judge's cost.

    Attributes:
        feedback_filter: what of the judge's feedback is passed on; scores are never touched by it.
    """

    executor: PromptExecutor
    judge: Judge
    checks: CheckRegistry = STANDARD_CHECKS
    feedback_filter: Callable[[str], str] | None = None

    def filtered(self, feedback_filter: Callable[[str], str]) -> RunningJudge:
        """Return the same judge with its feedback passed through ``feedback_filter``."""
        return replace(self, feedback_filter=feedback_filter)

    async def evaluate(
        self, prompt_text: str, schema_text: str | None, example: Example, repetition: int = 0
    ) -> Evaluation:
        """Return the answer of ``prompt_text`` (with the rendered schema, when given) to ``example``, graded.

        Raises:
            InvalidInput: the example's checks cannot be run.
            BudgetExceeded, Interrupted: the run has to stop.
        """
        answer = await self.executor.run(prompt_text, schema_text, example, repetition)
        if answer.failure:
            return Evaluation(example.id, "", Verdict(None, unscored_reason=answer.failure), repetition)
        verdict = await self.verdict(example, answer.text, repetition)
        if self.feedback_filter is not None and verdict.feedback:
            verdict = replace(verdict, feedback=self.feedback_filter(verdict.feedback))
        return Evaluation(example.id, answer.text, verdict, repetition)

    async def verdict(self, example: Example, actual: str, repetition: int = 0) -> Verdict:
        """Grade an answer that exists already."""
        report = self.checks.run_all(example.checks, actual)
        share = report.share
        if example.role is ExpectationRole.CHECKS:
            if share is None:
                return Verdict(None, unscored_reason=CHECKS_INCONCLUSIVE, raw=report.complaints)
            return Verdict(_score_of_checks(share), feedback=report.complaints)
        if share == 0.0:
            return Verdict(_score_of_checks(0.0), feedback=report.complaints)
        verdict = await self.judge.score(example, actual, repetition)
        return (
            verdict if share is None or verdict.score is None else self._ranked(verdict, verdict.score, report, share)
        )

    def _ranked(self, verdict: Verdict, score: JudgeScore, report: CheckReport, share: float) -> Verdict:
        weights = self.judge.weights
        weighted = (
            weights.correctness * share + weights.procedure * score.procedure + weights.conciseness * score.conciseness
        )
        overall = min(share, weighted * score.length_penalty)
        return Verdict(
            replace(score, correctness=share, weighted=weighted, overall=overall),
            feedback=" ".join(part for part in (report.complaints, verdict.feedback) if part),
            raw=verdict.raw,
        )


def _score_of_checks(share: float) -> JudgeScore:
    return JudgeScore(share, share, share, share, 1.0, share)
