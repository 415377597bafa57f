"""Traces in the store: what a recorder writes, and what everybody else asks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from sqlalchemy import func, select, update

from honeyguide.kernel.clock import parse_iso
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.storage import trace_query, trace_rows
from honeyguide.storage.conversations import ConversationsRepository
from honeyguide.storage.fulltext import FullTextIndex, excerpt
from honeyguide.storage.mapping import fetch
from honeyguide.storage.records import ALL_TRACES, SearchPage, TraceFilter, TraceHit, TraceLink, TracePage, TraceRow
from honeyguide.storage.tables import ExecutionTraceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.text import moment
from honeyguide.storage.work import Work
from honeyguide.traces.records import (
    HarnessContext,
    ReasoningStep,
    TokenCounts,
    ToolCall,
    Trace,
    TraceOutcome,
    TracePayload,
)

ALLOWED: Final[Mapping[TraceOutcome, frozenset[TraceOutcome]]] = {
    TraceOutcome.PENDING: frozenset(TraceOutcome) - {TraceOutcome.PENDING},
    TraceOutcome.SUCCESS: frozenset({TraceOutcome.CORRECTED, TraceOutcome.VERIFIED}),
    TraceOutcome.VERIFIED: frozenset({TraceOutcome.CORRECTED}),
    TraceOutcome.ABANDONED: frozenset({TraceOutcome.CORRECTED}),
    TraceOutcome.CORRECTED: frozenset({TraceOutcome.CORRECTED}),
}
"""From which outcome to which: what a person said last stands above everything."""

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
        trace = replace(trace, id=trace_rows.write_new(self._session, trace))
        ConversationsRepository(self._work).see([trace])
        self._index.put(self._session, [trace_rows.search_text(trace.id, trace.payload)])
        self._work.event("trace:stored", trace.id, outcome=trace.outcome.value)
        return trace

    def append(
        self,
        trace_id: int,
        *,
        reasoning: Sequence[ReasoningStep] = (),
        tool_calls: Sequence[ToolCall] = (),
        artifacts: Sequence[str] = (),
    ) -> bool:
        """Add to the payload; artifacts are kept once, in the order they first came. ``False`` for an unknown id."""
        stored = self._session.scalar(select(_T.trace_json).where(_T.id == trace_id))
        if stored is None:
            return False
        payload = trace_rows.read_payload(stored)
        payload = replace(
            payload,
            reasoning=(*payload.reasoning, *reasoning),
            tool_calls=(*payload.tool_calls, *tool_calls),
            artifacts=tuple(dict.fromkeys((*payload.artifacts, *artifacts))),
        )
        self._write_payload(trace_id, payload, index=False)
        self._work.event("trace:appended", trace_id)
        return True

    def finalize(
        self,
        trace_id: int,
        *,
        outcome: TraceOutcome,
        output: str,
        reasoning: Sequence[ReasoningStep] | None = None,
        tool_calls: Sequence[ToolCall] | None = None,
        artifacts: Sequence[str] | None = None,
        tokens: TokenCounts | None = None,
        harness: HarnessContext | None = None,
        correction_feedback: str | None = None,
        tags: Sequence[str] | None = None,
        cost_usd: float | None = None,
        duration_ms: int | None = None,
        outcome_detail: str | None = None,
        outcome_evidence: str | None = None,
    ) -> Trace | None:
        """End a pending trace. Parts that are ``None`` stay; an empty one replaces. ``None`` for an unknown id.

        Raises:
            Conflict: the trace has ended already, or ``outcome`` is pending.
        """
        trace = self.get(trace_id)
        if trace is None:
            return None
        if trace.outcome is not TraceOutcome.PENDING or outcome is TraceOutcome.PENDING:
            raise _not_allowed(trace_id, trace.outcome, outcome)
        now = self._work.now()
        given: dict[str, Any] = {
            "reasoning": _tuple(reasoning),
            "tool_calls": _tuple(tool_calls),
            "artifacts": _tuple(artifacts),
            "tokens": tokens,
            "harness": harness,
            "correction_feedback": correction_feedback,
            "tags": _tuple(tags),
        }
        payload = replace(trace.payload, output=output, **{k: v for k, v in given.items() if v is not None})
        if duration_ms is None:
            duration_ms = max(0, round((parse_iso(now) - parse_iso(trace.created_at)).total_seconds() * 1000))
        facts = replace(
            trace.facts,
            outcome_detail=trace.facts.outcome_detail if outcome_detail is None else outcome_detail,
            outcome_evidence=trace.facts.outcome_evidence if outcome_evidence is None else outcome_evidence,
        )
        ended = replace(
            trace,
            payload=payload,
            outcome=outcome,
            cost_usd=trace.cost_usd if cost_usd is None else cost_usd,
            duration_ms=duration_ms,
            finalized_at=now,
            facts=facts,
        )
        self._work.change(
            update(_T)
            .where(_T.id == trace_id)
            .values(
                outcome=outcome.value,
                finalized_at=now,
                duration_ms=duration_ms,
                cost_usd=ended.cost_usd or 0.0,
            )
        )
        self._write_payload(trace_id, payload, index=True, whole=ended)
        self._work.event("trace:finalized", trace_id, outcome=outcome.value)
        return ended

    def mark_corrected(self, trace_id: int, feedback: str) -> Trace:
        """Note that a person was not satisfied, and what they said. A pending trace ends with it.

        What an import compares (the source's own copy) stays as it was.

        Raises:
            NotFound: there is no such trace.
        """
        return self._settle(trace_id, TraceOutcome.CORRECTED, feedback)

    def mark_verified(self, trace_id: int) -> Trace:
        """Note positive evidence. Raises NotFound, or Conflict when the outcome does not allow it."""
        return self._settle(trace_id, TraceOutcome.VERIFIED, None)

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

    def outcome_counts(self, wanted: TraceFilter = ALL_TRACES) -> dict[TraceOutcome, int]:
        """Return how many of each outcome match, all five keys present; ``wanted.outcomes`` plays no part."""
        statement = trace_query.narrowed(
            select(_T.outcome, func.count(_T.id)), replace(wanted, outcomes=()), facts_joined=False
        )
        counts = dict.fromkeys(TraceOutcome, 0)
        for outcome, count in self._session.execute(statement.group_by(_T.outcome)):
            counts[TraceOutcome(outcome)] = count
        return counts

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

    def _settle(self, trace_id: int, outcome: TraceOutcome, feedback: str | None) -> Trace:
        trace = self.require(trace_id)
        if outcome not in ALLOWED[trace.outcome]:
            raise _not_allowed(trace_id, trace.outcome, outcome)
        finalized = trace.finalized_at or self._work.now()
        payload = trace.payload if feedback is None else replace(trace.payload, correction_feedback=feedback)
        settled = replace(trace, payload=payload, outcome=outcome, finalized_at=finalized)
        self._work.change(update(_T).where(_T.id == trace_id).values(outcome=outcome.value, finalized_at=finalized))
        self._write_payload(trace_id, payload, index=feedback is not None)
        self._work.event(f"trace:{outcome.value}", trace_id)
        return settled

    def _write_payload(self, trace_id: int, payload: TracePayload, *, index: bool, whole: Trace | None = None) -> None:
        self._work.change(update(_T).where(_T.id == trace_id).values(trace_json=trace_rows.payload_text(payload)))
        facts: dict[str, Any] = {"tool_calls": len(payload.tool_calls)}
        if whole is not None:
            facts = trace_rows.facts_columns(whole)
        self._work.change(update(_F).where(_F.trace_id == trace_id).values(**facts))
        if index:
            self._index.put(self._session, [trace_rows.search_text(trace_id, payload)])


def _excerpt(payload: TracePayload, trace_id: int, words: str) -> str:
    text = trace_rows.search_text(trace_id, payload)
    return excerpt((text.input, text.output, text.feedback, text.tools), words)


def _tuple(items: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if items is None else tuple(items)


def _unknown(trace_id: int) -> NotFound:
    return NotFound(f"There is no trace {trace_id}.", hint="See: honeyguide traces list")


def _not_allowed(trace_id: int, old: TraceOutcome, new: TraceOutcome) -> Conflict:
    return Conflict(
        f"Trace {trace_id} is {old.value}; it cannot become {new.value}.",
        details={"trace": trace_id, "outcome": old.value},
    )
