"""Traces in the store: what a recorder writes, and what everybody else asks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from sqlalchemy import func, select, update

from honeyguide.kernel.errors import NotFound
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage import trace_query, trace_rows
from honeyguide.storage.conversations import ConversationsRepository
from honeyguide.storage.fulltext import FullTextIndex, excerpt
from honeyguide.storage.mapping import fetch
from honeyguide.storage.records import ALL_TRACES, SearchPage, TraceFilter, TraceHit, TraceLink, TracePage, TraceRow
from honeyguide.storage.tables import ExecutionTraceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.text import moment
from honeyguide.storage.trace_facets import TraceFacets, facets
from honeyguide.storage.work import Work
from honeyguide.traces.outcomes import guard
from honeyguide.traces.records import PERSON, Trace, TraceOutcome, TracePayload

RECORDER = "recorder"
"""The source of traces that this program records itself (``TraceFacts.source``)."""
_T, _F = ExecutionTraceRow, TraceFactsRow


class TracesRepository:
    """Reads and writes traces one by one; many at once go through ``TraceImport``."""

    def __init__(self, work: Work, index: FullTextIndex) -> None:
        self._work = work
        self._session = work.session
        self._index = index

    # --- writing

    def insert(self, trace: Trace) -> Trace:
        """Store a trace and return it with its id. A missing moment is now, a missing source key a new id."""
        facts = trace.facts if trace.facts.source_key else replace(trace.facts, source_key=self._work.new_id())
        trace = replace(
            trace,
            facts=facts,
            created_at=moment(trace.created_at) if trace.created_at else self._work.now(),
            finalized_at=moment(trace.finalized_at) if trace.finalized_at else None,
        )
        trace = replace(trace, id=trace_rows.write_new(self._session, [trace])[0])
        ConversationsRepository(self._work).see([trace])
        self._index.add(self._session, [trace_rows.search_text(trace.id, trace.payload)])
        self._work.event("trace:stored", trace.id, outcome=trace.outcome.value)
        return trace

    def update(self, trace_id: int, trace: Trace, expected: TraceOutcome) -> bool:
        """Replace a trace if its outcome is still ``expected``; say whether that was so. Links to targets stay."""
        present = select(_T.outcome).where(_T.id == trace_id)
        if self._session.scalar(present) != expected.value:
            return False
        if trace.outcome is not expected:
            guard(expected, trace.outcome, trace_id)
        was_open = expected is TraceOutcome.PENDING
        is_recording = was_open and trace.facts.source == RECORDER
        trace_rows.write_again(self._session, trace_id, trace, keep_source_copy=not is_recording)
        if trace.outcome is TraceOutcome.PENDING:
            self._work.event("trace:appended", trace_id)
            return True
        self._index.put(self._session, [trace_rows.search_text(trace_id, trace.payload)])
        name = "trace:ended" if was_open else f"trace:{trace.outcome.value}"
        self._work.event(name, trace_id, outcome=trace.outcome.value)
        return True

    def mark_corrected(self, trace_id: int, feedback: str) -> Trace:
        """Note that a person was not satisfied, and what they said (redacted). A pending trace ends with it.

        Raises:
            NotFound: there is no such trace.
            Conflict: it is marked already.
        """
        trace = self.require(trace_id)
        payload = replace(trace.payload, correction_feedback=feedback)
        facts = replace(trace.facts, outcome_detail="corrected", outcome_evidence="person")
        return self._settle(replace(trace, payload=payload, facts=facts), TraceOutcome.CORRECTED)

    def take_back(
        self, trace_id: int, before: TraceOutcome, detail: str | None, evidence: str, finalized_at: str | None
    ) -> Trace:
        """Give a trace the outcome it had before a person marked it: that person takes their word back.

        Raises:
            NotFound: there is no such trace.
        """
        trace = self.require(trace_id)
        facts = replace(trace.facts, outcome_detail=detail, outcome_evidence=evidence)
        restored = replace(trace, outcome=before, facts=facts, finalized_at=finalized_at)
        trace_rows.write_again(self._session, trace_id, restored, keep_source_copy=True)
        self._index.put(self._session, [trace_rows.search_text(trace_id, restored.payload)])
        self._work.event(f"trace:{before.value}", trace_id, outcome=before.value)
        return restored

    def mark_verified(self, trace_id: int, evidence: str) -> Trace:
        """Note positive evidence and what it is. Raises NotFound, or Conflict when the outcome does not allow it."""
        trace = self.require(trace_id)
        facts = replace(trace.facts, outcome_evidence=evidence)
        return self._settle(replace(trace, facts=facts), TraceOutcome.VERIFIED)

    def confirm(self, wanted: TraceFilter) -> list[int]:
        """Note that a person found answers good, of those whose end is not known. Returns which there were.

        An answer that a rating or a check spoke against is taken only where ``wanted`` names it by its id.
        """
        open_ones = replace(wanted, outcomes=(TraceOutcome.PENDING,), unsaid=wanted.ids is None)
        found = list(self._session.scalars(trace_query.matching_ids(open_ones)))
        return [self.mark_verified(trace_id, PERSON).id for trace_id in found]

    def unconfirm(self, trace_ids: Sequence[int]) -> int:
        """Take that word back; traces that no person found good are passed over. Returns how many there were."""
        found = self.query(TraceFilter(ids=trace_ids, outcomes=(TraceOutcome.VERIFIED,)), limit=len(trace_ids))
        said = [trace for trace in found if trace.facts.outcome_evidence == PERSON]
        for trace in said:
            self.take_back(trace.id, TraceOutcome.PENDING, trace.facts.outcome_detail, "", None)
        return len(said)

    def link(self, trace_id: int, links: Iterable[TraceLink]) -> int:
        """Link a trace to targets; an inferred link never replaces an exact one. Returns how many changed."""
        created_at = self._session.scalar(select(_T.created_at).where(_T.id == trace_id))
        if created_at is None:
            raise _unknown(trace_id)
        changed = trace_rows.write_links(self._session, trace_id, created_at, links)
        if changed:
            self._work.event("trace:linked", trace_id, links=changed)
        return changed

    def set_never_send(self, wanted: TraceFilter, never_send: bool) -> int:
        """Mark traces so that no model may see them, or lift the mark. Returns how many there are."""
        ids = trace_query.matching_ids(wanted)
        changed = self._work.change(update(_F).where(_F.trace_id.in_(ids)).values(never_send=never_send))
        self._work.event("trace:marked", never_send=never_send, traces=changed)
        return changed

    # --- reading

    def get(self, trace_id: int) -> Trace | None:
        """Return one trace."""
        found = trace_rows.read_traces(self._session, trace_rows.select_traces().where(_T.id == trace_id))
        return found[0] if found else None

    def require(self, trace_id: int) -> Trace:
        """Return one trace. Raises NotFound."""
        trace = self.get(trace_id)
        if trace is None:
            raise _unknown(trace_id)
        return trace

    def by_key(self, source: str, source_key: str) -> Trace | None:
        """Return the trace that a source knows by this key."""
        statement = trace_rows.select_traces().where(_F.source == source, _F.source_key == source_key)
        found = trace_rows.read_traces(self._session, statement)
        return found[0] if found else None

    def query(self, wanted: TraceFilter = ALL_TRACES, *, limit: int = 100, offset: int = 0) -> list[Trace]:
        """Return whole traces, newest first."""
        statement = trace_query.narrowed(trace_rows.select_traces(), wanted, facts_joined=True)
        statement = trace_query.newest_first(statement).limit(limit).offset(offset)
        return trace_rows.read_traces(self._session, statement)

    def page(self, wanted: TraceFilter = ALL_TRACES, *, limit: int = 100, offset: int = 0) -> TracePage:
        """Return whole traces, newest first, with the count of all that match."""
        return TracePage(tuple(self.query(wanted, limit=limit, offset=offset)), self.count(wanted))

    def rows(self, wanted: TraceFilter = ALL_TRACES, *, limit: int = 100, offset: int = 0) -> list[TraceRow]:
        """Return lines for a table, newest first, without reading any payload."""
        statement = trace_query.narrowed(trace_query.select_rows(), wanted, facts_joined=True)
        return fetch(self._session, trace_query.newest_first(statement).limit(limit).offset(offset), TraceRow)

    def count(self, wanted: TraceFilter = ALL_TRACES) -> int:
        """Return how many traces match."""
        return self._session.scalar(trace_query.narrowed(select(func.count(_T.id)), wanted, facts_joined=False)) or 0

    def last_id(self) -> int:
        """Return the id of the trace that was stored last; 0 when there is none. Ids rise and are never used again."""
        return self._session.scalar(select(func.max(_T.id))) or 0

    def outcome_counts(self, wanted: TraceFilter = ALL_TRACES) -> dict[TraceOutcome, int]:
        """Return how many of each outcome match, all five keys present; ``wanted.outcomes`` plays no part."""
        statement = trace_query.narrowed(
            select(_T.outcome, func.count(_T.id)), replace(wanted, outcomes=()), facts_joined=False
        )
        counts = dict.fromkeys(TraceOutcome, 0)
        for outcome, count in self._session.execute(statement.group_by(_T.outcome)):
            counts[TraceOutcome(outcome)] = count
        return counts

    def facets(self, wanted: TraceFilter, words: str = "", refs: Sequence[TargetRef] = ()) -> TraceFacets:
        """Return how many traces each value of outcome, source and target would leave, among those that hold words."""
        return facets(self._session, wanted, self._index.matching(words), tuple(refs))

    def search(self, words: str, wanted: TraceFilter = ALL_TRACES, *, limit: int = 50, offset: int = 0) -> SearchPage:
        """Find traces that hold all of ``words``; with many finds the newest come first, else the best."""
        among = None if trace_query.is_everything(wanted) else trace_query.matching_ids(wanted)
        matches = self._index.search(self._session, words, among=among, limit=limit, offset=offset)
        statement = trace_query.select_rows().where(_T.id.in_(matches.ids))
        rows = {row.id: row for row in fetch(self._session, statement, TraceRow)}
        texts = {
            trace_id: trace_rows.read_payload(stored)
            for trace_id, stored in self._session.execute(select(_T.id, _T.trace_json).where(_T.id.in_(matches.ids)))
        }
        hits = [TraceHit(rows[i], _excerpt(texts[i], i, words)) for i in matches.ids if i in rows]
        return SearchPage(tuple(hits), matches.total)

    def links(self, trace_id: int) -> tuple[TraceTargetRow, ...]:
        """Return the link rows of a trace (storage's own use)."""
        return tuple(self._session.scalars(select(TraceTargetRow).where(TraceTargetRow.trace_id == trace_id)))

    # --- inside

    def _settle(self, trace: Trace, outcome: TraceOutcome) -> Trace:
        before = trace.outcome
        settled = replace(
            trace, outcome=guard(before, outcome, trace.id), finalized_at=trace.finalized_at or self._work.now()
        )
        self.update(trace.id, settled, before)
        return settled


def _excerpt(payload: TracePayload, trace_id: int, words: str) -> str:
    text = trace_rows.search_text(trace_id, payload)
    return excerpt((text.input, text.output, text.feedback, text.tools), words)


def _unknown(trace_id: int) -> NotFound:
    return NotFound(f"There is no trace {trace_id}.", hint="See: honeyguide traces list")
