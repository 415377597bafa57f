"""Answers and verdicts, and the table that shows them before and after."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Any

from sqlalchemy import insert, select

from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.storage.records import EvidenceRow
from honeyguide.storage.tables import AttemptRow, EvaluationRow, ExampleRow
from honeyguide.storage.work import Work

HOLDOUT = "holdout"
_E = EvaluationRow


class EvaluationsRepository:
    """Keeps each answer once, by attempt, stage, candidate, example and repetition."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def save(self, attempt_uuid: str, stage: str, candidate_id: str, evaluations: Iterable[Evaluation]) -> int:
        """Store evaluations; those already there are left as they are. Returns how many are new."""
        known = {
            (example, repetition)
            for example, repetition in self._session.execute(
                select(_E.example_id, _E.repetition).where(
                    _E.attempt_uuid == attempt_uuid, _E.stage == stage, _E.candidate_id == candidate_id
                )
            )
        }
        rows: list[dict[str, Any]] = []
        for item in evaluations:
            if (item.example_id, item.repetition) in known:
                continue
            known.add((item.example_id, item.repetition))
            rows.append({"attempt_uuid": attempt_uuid, "stage": stage, "candidate_id": candidate_id} | _columns(item))
        if rows:
            self._session.execute(insert(_E), rows)
            self._work.event("evaluations:stored", attempt_uuid, stage=stage, evaluations=len(rows))
        return len(rows)

    def of(self, attempt_uuid: str, stage: str, candidate_id: str) -> tuple[Evaluation, ...]:
        """Return the evaluations of one candidate in one stage, in the order they were stored."""
        statement = select(_E).where(
            _E.attempt_uuid == attempt_uuid, _E.stage == stage, _E.candidate_id == candidate_id
        )
        return tuple(_evaluation(row) for row in self._session.scalars(statement.order_by(_E.id)))

    def evidence(
        self, attempt_uuid: str, baseline_id: str, candidate_id: str, *, stage: str = HOLDOUT
    ) -> tuple[EvidenceRow, ...]:
        """Return both answers and scores for each example that both were asked, in the dataset's order."""
        before = _by_example(self.of(attempt_uuid, stage, baseline_id))
        after = _by_example(self.of(attempt_uuid, stage, candidate_id))
        statement = (
            select(ExampleRow)
            .join(AttemptRow, AttemptRow.dataset_hash == ExampleRow.dataset_hash)
            .where(AttemptRow.uuid == attempt_uuid)
            .order_by(ExampleRow.split, ExampleRow.position)
        )
        return tuple(
            _evidence(row, before[row.example_id], after[row.example_id])
            for row in self._session.scalars(statement)
            if row.example_id in before and row.example_id in after
        )


def _by_example(evaluations: Sequence[Evaluation]) -> dict[str, list[Evaluation]]:
    found: dict[str, list[Evaluation]] = {}
    for item in evaluations:
        found.setdefault(item.example_id, []).append(item)
    return found


def _evidence(row: ExampleRow, before: Sequence[Evaluation], after: Sequence[Evaluation]) -> EvidenceRow:
    return EvidenceRow(
        example_id=row.example_id,
        trace_id=row.trace_id,
        input=row.input,
        expected=row.expected,
        role=row.role,
        before=before[0].actual,
        after=after[0].actual,
        score_before=_mean(before),
        score_after=_mean(after),
        feedback_before=before[0].verdict.feedback,
        feedback_after=after[0].verdict.feedback,
        unscored=sum(item.verdict.score is None for item in (*before, *after)),
    )


def _mean(evaluations: Sequence[Evaluation]) -> float | None:
    scores = [item.verdict.overall for item in evaluations if item.verdict.overall is not None]
    return fmean(scores) if scores else None


def _columns(item: Evaluation) -> dict[str, Any]:
    verdict, score = item.verdict, item.verdict.score
    names = ("overall", "weighted", "correctness", "procedure", "conciseness", "length_penalty")
    return {
        "example_id": item.example_id,
        "repetition": item.repetition,
        "actual": item.actual,
        "feedback": verdict.feedback,
        "unscored_reason": verdict.unscored_reason,
        "raw": verdict.raw,
        **{name: None if score is None else getattr(score, name) for name in names},
    }


def _evaluation(row: EvaluationRow) -> Evaluation:
    score = None
    if row.overall is not None:
        score = JudgeScore(
            correctness=row.correctness or 0.0,
            procedure=row.procedure or 0.0,
            conciseness=row.conciseness or 0.0,
            weighted=row.weighted or 0.0,
            length_penalty=row.length_penalty or 0.0,
            overall=row.overall,
        )
    verdict = Verdict(score, row.feedback, row.unscored_reason, row.raw)
    return Evaluation(row.example_id, row.actual, verdict, row.repetition)
