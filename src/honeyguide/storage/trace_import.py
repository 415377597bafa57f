"""Traces in bulk: what is known is recognised by its source's key, and the newer, more complete copy wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import select, tuple_

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.storage import trace_rows
from honeyguide.storage.conversations import ConversationsRepository
from honeyguide.storage.fulltext import FullTextIndex
from honeyguide.storage.records import ImportCounts
from honeyguide.storage.tables import ExecutionTraceRow, ForgottenRow, TraceFactsRow
from honeyguide.storage.text import moment
from honeyguide.storage.work import Work
from honeyguide.traces.records import Trace, TraceOutcome

BATCH = 400
"""Traces a transaction; short enough that a recorder in another process does not wait noticeably."""

SET_BY_PEOPLE = (TraceOutcome.CORRECTED, TraceOutcome.VERIFIED)
_T, _F = ExecutionTraceRow, TraceFactsRow


class TraceImport:
    """Stores a batch in the present transaction. ``Store.import_traces`` cuts a long list into batches."""

    def __init__(self, work: Work, index: FullTextIndex) -> None:
        self._work = work
        self._session = work.session
        self._index = index

    def store(self, traces: Sequence[Trace], *, replace_known: bool = False) -> ImportCounts:
        """Store traces, each with a source key.

        A trace whose (source, source_key) is known is left alone when it says the same, updated when the new copy
        holds more (or as much and is newer), and left alone otherwise. An outcome that a person set here stays, and
        so does "never send". A deleted trace stays away.

        Args:
            replace_known: take the new copy in any case, e.g. after the redaction rules have changed.
        """
        prepared = [self._prepared(trace) for trace in traces]
        known = self._known(prepared)
        prepared = [
            _at_its_moment(trace, known) if not said.created_at else trace
            for said, trace in zip(traces, prepared, strict=True)
        ]
        forgotten = self._forgotten(prepared)
        tally = _Tally()
        new: dict[tuple[str, str], Trace] = {}
        for trace in prepared:
            key = (trace.facts.source, trace.facts.source_key)
            if key_hash(*key) in forgotten:
                tally.forgotten += 1
            elif key in known:
                self._meet(trace, known, key, replace_known, tally)
            elif key in new:  # twice in one batch
                tally.known += 1
                new[key] = max(new[key], trace, key=_rank)
            else:
                new[key] = trace
        ids = trace_rows.write_new(self._session, list(new.values()))
        added = [replace(trace, id=number) for trace, number in zip(new.values(), ids, strict=True)]
        written = [*added, *tally.updated]
        ConversationsRepository(self._work).see(written)
        self._index.put(self._session, [trace_rows.search_text(t.id, t.payload) for t in tally.updated])
        self._index.add(self._session, [trace_rows.search_text(t.id, t.payload) for t in added])
        if written:
            self._work.event("traces:imported", imported=len(added), updated=len(tally.updated))
        numbers = {key: entry.trace_id for key, entry in known.items()} | dict(zip(new, ids, strict=True))
        ordered = (numbers.get((t.facts.source, t.facts.source_key), 0) for t in prepared)
        return ImportCounts(len(added), tally.known, len(tally.updated), tally.forgotten, tuple(ordered))

    def _meet(
        self,
        trace: Trace,
        known: dict[tuple[str, str], _Known],
        key: tuple[str, str],
        replace_known: bool,
        tally: _Tally,
    ) -> None:
        """A trace that stands there already: leave it, or let the new copy take its place."""
        old = known[key]
        if not self._wins(trace, old, replace_known):
            tally.known += 1
            return
        merged = replace(self._merged(trace, old), id=old.trace_id)
        trace_rows.write_over(self._session, old.trace_id, merged)
        tally.updated.append(merged)
        known[key] = _Known.of(merged)

    def _prepared(self, trace: Trace) -> Trace:
        facts = trace.facts if trace.facts.source_key else replace(trace.facts, source_key=self._work.new_id())
        return replace(
            trace,
            facts=facts,
            created_at=moment(trace.created_at) if trace.created_at else self._work.now(),
            finalized_at=moment(trace.finalized_at) if trace.finalized_at else None,
        )

    def _known(self, traces: Sequence[Trace]) -> dict[tuple[str, str], _Known]:
        keys = list({(t.facts.source, t.facts.source_key) for t in traces})
        found: dict[tuple[str, str], _Known] = {}
        statement = select(
            _F.source, _F.source_key, _F.trace_id, _F.content_hash, _F.completeness, _F.never_send,
            _T.outcome, _T.finalized_at, _T.created_at,
        ).join(_T, _T.id == _F.trace_id)  # fmt: skip
        for start in range(0, len(keys), 300):
            part = keys[start : start + 300]
            for row in self._session.execute(statement.where(tuple_(_F.source, _F.source_key).in_(part))):
                found[row.source, row.source_key] = _Known(*row[2:])
        return found

    def _forgotten(self, traces: Sequence[Trace]) -> set[str]:
        hashes = [key_hash(t.facts.source, t.facts.source_key) for t in traces]
        return {
            found
            for start in range(0, len(hashes), 500)
            for found in self._session.scalars(
                select(ForgottenRow.key_hash).where(ForgottenRow.key_hash.in_(hashes[start : start + 500]))
            )
        }

    @staticmethod
    def _wins(trace: Trace, old: _Known, replace_known: bool) -> bool:
        if trace_rows.content_hash(trace, trace_rows.payload_text(trace.payload)) == old.content_hash:
            return False
        return replace_known or _rank(trace) > (old.completeness, old.finalized_at or old.created_at)

    def _merged(self, trace: Trace, old: _Known) -> Trace:
        """Keep what was said here, by a person, above what a source says."""
        if old.never_send and not trace.facts.never_send:
            trace = replace(trace, facts=replace(trace.facts, never_send=True))
        said = TraceOutcome(old.outcome)
        if said in SET_BY_PEOPLE and trace.outcome is not said:
            stored = self._session.scalar(select(_T.trace_json).where(_T.id == old.trace_id)) or ""
            feedback = trace_rows.read_payload(stored).correction_feedback
            payload = trace.payload
            if payload.correction_feedback is None:
                payload = replace(payload, correction_feedback=feedback)
            trace = replace(trace, outcome=said, payload=payload)
        return trace


def _at_its_moment(trace: Trace, known: dict[tuple[str, str], _Known]) -> Trace:
    """Give a trace whose source names no moment the one at which it first came in: the same copy stays the same."""
    old = known.get((trace.facts.source, trace.facts.source_key))
    return trace if old is None else replace(trace, created_at=old.created_at)


def key_hash(source: str, source_key: str) -> str:
    """Return the hash under which a deleted trace is remembered."""
    return sha256_hex(f"{source}\0{source_key}")


def _rank(trace: Trace) -> tuple[int, str]:
    text = trace_rows.payload_text(trace.payload)
    return trace_rows.completeness(trace, text), trace.finalized_at or trace.created_at


@dataclass(slots=True)
class _Tally:
    known: int = 0
    forgotten: int = 0
    updated: list[Trace] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Known:
    """What decides whether a stored copy stays."""

    trace_id: int
    content_hash: str
    completeness: int
    never_send: bool
    outcome: str
    finalized_at: str | None
    created_at: str

    @classmethod
    def of(cls, trace: Trace) -> _Known:
        text = trace_rows.payload_text(trace.payload)
        return cls(
            trace.id,
            trace_rows.content_hash(trace, text),
            trace_rows.completeness(trace, text),
            trace.facts.never_send,
            trace.outcome.value,
            trace.finalized_at,
            trace.created_at,
        )
