"""Deleting traces so that they are gone: with their corrections, the examples and answers that quote them."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, exists, func, select, update

from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.fulltext import FullTextIndex
from honeyguide.storage.records import Forgotten
from honeyguide.storage.settings import SettingsRepository
from honeyguide.storage.tables import (
    AttemptRow,
    ConversationRow,
    CorrectionRow,
    DatasetRow,
    EvaluationRow,
    ExampleRow,
    ExecutionTraceRow,
    ForgottenRow,
    PromptInForceRow,
    PromptTextRow,
    TraceFactsRow,
)
from honeyguide.storage.trace_import import key_hash
from honeyguide.storage.work import Work

KEY = "forgetting.unfinished"


class Forgetting:
    """The part of a deletion that is one transaction; ``Store.forget`` then rewrites the file."""

    def __init__(self, work: Work, index: FullTextIndex) -> None:
        self._work = work
        self._session = work.session
        self._index = index
        self._settings = SettingsRepository(work)

    def traces(self, ids: Sequence[int]) -> Forgotten:
        """Delete traces by id; unknown ids are passed over. Their keys stay as hashes: no import revives them."""
        total = Forgotten()
        for start in range(0, len(ids), 500):
            total = _plus(total, self._part(ids[start : start + 500]))
        if total.traces:
            self.begin()
            self._sweep()
            self._work.event("traces:deleted", traces=total.traces)
            self._work.decision("trace", total.traces, "deleted")
        return total

    @property
    def is_unfinished(self) -> bool:
        """Whether something was deleted and the file was not rewritten since."""
        return self._settings.get(KEY) is not None

    def begin(self) -> None:
        """Note that the file is to be rewritten."""
        self._settings.put(KEY, True)

    def end(self) -> None:
        """Note that the file was rewritten."""
        self._settings.remove(KEY)

    def rewrite_index(self, *, first: bool) -> bool:
        """Do a part of rewriting the search index; returns whether more is to be done."""
        return self._index.rewrite(self._session, first=first)

    def _part(self, ids: Sequence[int]) -> Forgotten:
        session = self._session
        present = list(session.scalars(select(ExecutionTraceRow.id).where(ExecutionTraceRow.id.in_(ids))))
        if not present:
            return Forgotten()
        keys = session.execute(
            select(TraceFactsRow.source, TraceFactsRow.source_key).where(TraceFactsRow.trace_id.in_(present))
        ).all()
        if keys:
            at = self._work.now()
            session.execute(
                insert_on_conflict(ForgottenRow).on_conflict_do_nothing(),
                [{"key_hash": key_hash(source, key), "at": at} for source, key in keys],
            )
        corrections = session.scalar(select(func.count(CorrectionRow.id)).where(CorrectionRow.trace_id.in_(present)))
        examples, evaluations, hashes, runs = self._evidence(present)
        self._index.remove(session, present)
        session.execute(delete(ExecutionTraceRow).where(ExecutionTraceRow.id.in_(present)))
        return Forgotten(len(present), corrections or 0, examples, evaluations, tuple(hashes), tuple(runs))

    def _evidence(self, trace_ids: Sequence[int]) -> tuple[int, int, list[str], list[str]]:
        """Delete the examples made from the traces and the answers given to them."""
        session = self._session
        of_traces = ExampleRow.trace_id.in_(trace_ids)
        per_dataset = session.execute(
            select(ExampleRow.dataset_hash, func.count()).where(of_traces).group_by(ExampleRow.dataset_hash)
        ).all()
        example_ids = select(ExampleRow.example_id).where(of_traces)
        answered = EvaluationRow.example_id.in_(example_ids)
        runs = set(session.scalars(select(EvaluationRow.attempt_uuid).where(answered).distinct()))
        hashes = [dataset_hash for dataset_hash, _ in per_dataset]
        runs.update(session.scalars(select(AttemptRow.uuid).where(AttemptRow.dataset_hash.in_(hashes))))
        evaluations = self._work.change(delete(EvaluationRow).where(answered))
        for dataset_hash, count in per_dataset:
            self._work.change(
                update(DatasetRow)
                .where(DatasetRow.dataset_hash == dataset_hash)
                .values(removed=DatasetRow.removed + count)
            )
        examples = self._work.change(delete(ExampleRow).where(of_traces))
        return examples, evaluations, hashes, sorted(runs)

    def _sweep(self) -> None:
        """Remove what nothing refers to any more."""
        has_trace = exists().where(TraceFactsRow.conversation == ConversationRow.key)
        self._work.change(delete(ConversationRow).where(~has_trace))
        in_force = exists().where(PromptInForceRow.sha256 == PromptTextRow.sha256)
        self._work.change(delete(PromptTextRow).where(~in_force))


def _plus(left: Forgotten, right: Forgotten) -> Forgotten:
    return Forgotten(
        left.traces + right.traces,
        left.corrections + right.corrections,
        left.examples + right.examples,
        left.evaluations + right.evaluations,
        tuple(sorted({*left.dataset_hashes, *right.dataset_hashes})),
        tuple(sorted({*left.run_uuids, *right.run_uuids})),
    )
