"""How a trace stands in its rows, and how it is read back from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, delete, insert, select, update
from sqlalchemy.orm import Session

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.fulltext import SearchText
from honeyguide.storage.mapping import AnySelect
from honeyguide.storage.records import TraceLink
from honeyguide.storage.tables import ExecutionTraceRow, PromptInForceRow, TraceFactsRow, TraceTargetRow
from honeyguide.storage.text import first_line, json_text
from honeyguide.traces.records import (
    PromptInForce,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
    payload_from_json,
    payload_to_json,
)

RESULT_CAP = 2_000
"""Characters of a tool's result that are searchable."""

_KINDS = frozenset(TargetKind)
_T, _F = ExecutionTraceRow, TraceFactsRow


def select_traces() -> AnySelect:
    """Return the select that ``read_traces`` reads."""
    return select(
        _T.id,
        _T.session_id,
        _T.persona_id,
        _T.workspace_id,
        _T.model,
        _T.task_shape,
        _T.outcome,
        _T.trace_json,
        _T.cost_usd,
        _T.duration_ms,
        _T.created_at,
        _T.finalized_at,
        _F.source,
        _F.source_key,
        _F.conversation,
        _F.turn,
        _F.project,
        _F.outcome_detail,
        _F.outcome_evidence,
        _F.never_send,
        _F.cost_known,
        _F.duration_known,
    ).outerjoin(_F, _F.trace_id == _T.id)


def read_traces(session: Session, statement: AnySelect) -> list[Trace]:
    """Run a statement made from ``select_traces`` and return the traces with their prompts in force."""
    rows = session.execute(statement).all()
    prompts = _prompts(session, [row.id for row in rows])
    return [_trace(row, prompts.get(row.id, ())) for row in rows]


def write_new(session: Session, traces: Sequence[Trace]) -> list[int]:
    """Insert complete traces (moments normalised, source keys set); return their ids in the same order."""
    if not traces:
        return []
    texts = [payload_text(trace.payload) for trace in traces]
    rows = [_public_columns(trace, text) for trace, text in zip(traces, texts, strict=True)]
    ids = list(session.scalars(insert(_T).returning(_T.id, sort_by_parameter_order=True), rows))
    session.execute(
        insert(_F),
        [
            {"trace_id": number, **facts_columns(trace, text)}
            for number, trace, text in zip(ids, traces, texts, strict=True)
        ],
    )
    prompts = [_prompt_row(number, p) for number, trace in zip(ids, traces, strict=True) for p in trace.facts.prompts]
    if prompts:
        session.execute(insert(PromptInForceRow), prompts)
    links = [
        _link_row(number, trace.created_at, link)
        for number, trace in zip(ids, traces, strict=True)
        for link in links_of(trace)
    ]
    if links:
        session.execute(insert(TraceTargetRow), links)
    return ids


def write_again(session: Session, trace_id: int, trace: Trace, *, keep_source_copy: bool) -> None:
    """Replace the rows of a trace; its prompts and links stay.

    Args:
        keep_source_copy: a person changed it here; what an import compares stays the source's own copy.
    """
    text = payload_text(trace.payload)
    facts = facts_columns(trace, text)
    if keep_source_copy:
        del facts["content_hash"], facts["completeness"]
    for table, key, row in ((_T, _T.id, _public_columns(trace, text)), (_F, _F.trace_id, facts)):
        statement = update(table).where(key == trace_id).values(**row)
        session.execute(statement, execution_options={"synchronize_session": False})


def write_over(session: Session, trace_id: int, trace: Trace) -> None:
    """Replace what is stored of a trace by another copy from its source, prompts and their links included."""
    write_again(session, trace_id, trace, keep_source_copy=False)
    session.execute(delete(PromptInForceRow).where(PromptInForceRow.trace_id == trace_id))
    named_by_source = TraceTargetRow.how.in_(("prompt", "persona"))
    session.execute(delete(TraceTargetRow).where(TraceTargetRow.trace_id == trace_id, named_by_source))
    if trace.facts.prompts:
        session.execute(insert(PromptInForceRow), [_prompt_row(trace_id, prompt) for prompt in trace.facts.prompts])
    write_links(session, trace_id, trace.created_at, links_of(trace))


def links_of(trace: Trace) -> list[TraceLink]:
    """Return the targets that a trace names itself, each once, an exact link before an inferred one."""
    found: dict[TargetRef, TraceLink] = {}
    named = [(prompt.kind, prompt.name, "prompt", prompt.exact) for prompt in trace.facts.prompts]
    if trace.persona_id:
        named.append((TargetKind.PERSONA.value, trace.persona_id, "persona", True))
    for kind, name, how, exact in named:
        if kind not in _KINDS:
            continue
        ref = TargetRef(TargetKind(kind), name)
        if ref not in found or (exact and not found[ref].exact):
            found[ref] = TraceLink(ref, how, exact)
    return list(found.values())


def write_links(session: Session, trace_id: int, created_at: str, links: Iterable[TraceLink]) -> int:
    """Link a trace to targets; an exact link is never replaced by an inferred one. Returns how many changed."""
    changed = 0
    for link in links:
        known = session.get(TraceTargetRow, (trace_id, link.ref.kind.value, link.ref.name))
        if known is None:
            session.add(TraceTargetRow(**_link_row(trace_id, created_at, link)))
        elif (link.exact and not known.exact) or known.created_at != created_at:
            known.exact, known.created_at = link.exact or known.exact, created_at
            known.how = link.how if link.exact else known.how
        else:
            continue
        session.flush()
        changed += 1
    return changed


def facts_columns(trace: Trace, text: str) -> dict[str, Any]:
    """Return the values of ``trace_facts`` for a trace whose payload is written as ``text``."""
    facts = trace.facts
    return {
        "source": facts.source,
        "source_key": facts.source_key,
        "conversation": trace.conversation,
        "turn": facts.turn,
        "project": facts.project,
        "outcome_detail": facts.outcome_detail,
        "outcome_evidence": facts.outcome_evidence,
        "never_send": facts.never_send,
        "cost_known": trace.cost_usd is not None,
        "duration_known": trace.duration_ms is not None,
        "preview": first_line(trace.payload.input),
        "tool_calls": len(trace.payload.tool_calls),
        "content_hash": content_hash(trace, text),
        "completeness": completeness(trace, text),
    }


def payload_text(payload: TracePayload) -> str:
    """Return the payload as it stands in ``trace_json``."""
    return json_text(payload_to_json(payload))


def read_payload(text: str) -> TracePayload:
    """Read ``trace_json`` tolerantly: what cannot be read is an empty payload."""
    try:
        return payload_from_json(json.loads(text))
    except (ValueError, RecursionError):
        return TracePayload()


def content_hash(trace: Trace, text: str) -> str:
    """Return a hash of everything that a source says of a trace (not of what a person marked on it)."""
    facts = trace.facts
    said = [
        text,
        [trace.outcome.value, facts.outcome_detail, facts.outcome_evidence],
        [trace.session_id, trace.persona_id, trace.workspace_id, trace.model, trace.task_shape],
        [trace.cost_usd, trace.duration_ms, trace.created_at, trace.finalized_at],
        [facts.conversation, facts.turn, facts.project],
        [[p.kind, p.name, p.sha256, p.exact] for p in facts.prompts],
    ]
    return sha256_hex(json.dumps(said, separators=(",", ":")))


def completeness(trace: Trace, text: str) -> int:
    """Return how much a copy holds: one that ended outranks one that did not, then the longer one wins."""
    return len(text) + (1 << 40 if trace.outcome is not TraceOutcome.PENDING else 0)


def search_text(trace_id: int, payload: TracePayload) -> SearchText:
    """Return what of a trace is searchable: input, output, feedback, and tools with the beginning of their results."""
    tools = "\n".join(f"{call.tool} {_shown(call.args)} {_shown(call.result)}" for call in payload.tool_calls)
    return SearchText(trace_id, payload.input, payload.output, payload.correction_feedback or "", tools)


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return (value if isinstance(value, str) else json_text(value))[:RESULT_CAP]


def _prompt_row(trace_id: int, prompt: PromptInForce) -> dict[str, Any]:
    return {
        "trace_id": trace_id,
        "kind": prompt.kind,
        "name": prompt.name,
        "sha256": prompt.sha256,
        "exact": prompt.exact,
    }


def _link_row(trace_id: int, created_at: str, link: TraceLink) -> dict[str, Any]:
    return {
        "trace_id": trace_id,
        "target_kind": link.ref.kind.value,
        "target_name": link.ref.name,
        "how": link.how,
        "exact": link.exact,
        "created_at": created_at,
    }


def _public_columns(trace: Trace, text: str) -> dict[str, Any]:
    return {
        "session_id": trace.session_id,
        "persona_id": trace.persona_id,
        "workspace_id": trace.workspace_id,
        "model": trace.model,
        "task_shape": trace.task_shape,
        "outcome": trace.outcome.value,
        "trace_json": text,
        "cost_usd": trace.cost_usd or 0.0,
        "duration_ms": trace.duration_ms or 0,
        "created_at": trace.created_at,
        "finalized_at": trace.finalized_at,
    }


def _trace(row: Row[*tuple[Any, ...]], prompts: Sequence[PromptInForce]) -> Trace:
    known = row.source is not None
    return Trace(
        id=row.id,
        payload=read_payload(row.trace_json),
        outcome=TraceOutcome(row.outcome),
        session_id=row.session_id,
        persona_id=row.persona_id,
        workspace_id=row.workspace_id,
        model=row.model,
        task_shape=row.task_shape,
        cost_usd=row.cost_usd if not known or row.cost_known else None,
        duration_ms=row.duration_ms if not known or row.duration_known else None,
        created_at=row.created_at,
        finalized_at=row.finalized_at,
        facts=TraceFacts(
            source=row.source,
            source_key=row.source_key,
            conversation=row.conversation,
            turn=row.turn,
            project=row.project,
            prompts=tuple(prompts),
            outcome_detail=row.outcome_detail,
            outcome_evidence=row.outcome_evidence,
            never_send=row.never_send,
        )
        if known
        else TraceFacts(source="unknown", source_key=str(row.id)),
    )


def _prompts(session: Session, ids: Sequence[int]) -> dict[int, tuple[PromptInForce, ...]]:
    found: dict[int, tuple[PromptInForce, ...]] = {}
    table = PromptInForceRow
    for start in range(0, len(ids), 500):
        part = ids[start : start + 500]
        statement = select(table.trace_id, table.kind, table.name, table.sha256, table.exact)
        for row in session.execute(statement.where(table.trace_id.in_(part)).order_by(table.id)):
            prompt = PromptInForce(row.kind, row.name, row.sha256, row.exact)
            found[row.trace_id] = (*found.get(row.trace_id, ()), prompt)
    return found
