"""Traces as rows: the columns of ``execution_traces``, one JSON object per line, in and out.

``trace_json`` is written as text, as the seed's table holds it, and read as text or as an object. What goes beyond the
seed's columns stands under ``facts``; a row without it is fine.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.clock import iso, parse_iso
from honeyguide.traces.records import (
    PromptInForce,
    TokenCounts,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
    payload_from_json,
    payload_to_json,
)

SOURCE_NAME = "trace-jsonl"


def trace_to_row(trace: Trace) -> dict[str, Any]:
    """Return the row of ``trace``; ``trace_json`` is JSON text."""
    return {
        "id": trace.id,
        "session_id": trace.session_id,
        "persona_id": trace.persona_id,
        "workspace_id": trace.workspace_id,
        "model": trace.model,
        "task_shape": trace.task_shape,
        "outcome": trace.outcome.value,
        "trace_json": json.dumps(payload_to_json(trace.payload), ensure_ascii=False),
        "cost_usd": trace.cost_usd,
        "duration_ms": trace.duration_ms,
        "created_at": trace.created_at,
        "finalized_at": trace.finalized_at,
        "facts": asdict(trace.facts),
    }


def write_rows(traces: Iterable[Trace]) -> Iterator[bytes]:
    """Yield one line of UTF-8 JSON per trace, each with its line end."""
    for trace in traces:
        yield json.dumps(trace_to_row(trace), ensure_ascii=False).encode("utf-8") + b"\n"


def row_to_trace(row: Mapping[str, Any]) -> Trace:
    """Read a row tolerantly: a broken payload is empty, zeros that mean "not known" become ``None``.

    An outcome that is none of the five becomes ``pending`` with the unknown word as ``outcome_detail``.
    """
    payload = _payload(row.get("trace_json", row.get("payload")))
    outcome, detail = _outcome(row.get("outcome"))
    created = _moment(row.get("created_at")) or ""
    facts = _facts(row.get("facts"))
    if not facts.source_key:
        facts = TraceFacts(
            source=SOURCE_NAME,
            source_key=fingerprint([row.get("id"), row.get("session_id"), created, payload.input])[:32],
            conversation=_text(row.get("session_id")) or "",
            outcome_detail=detail,
            outcome_evidence="person" if outcome is TraceOutcome.CORRECTED else "",
        )
    return Trace(
        payload=payload,
        outcome=outcome,
        session_id=_text(row.get("session_id")),
        persona_id=_text(row.get("persona_id")),
        workspace_id=_text(row.get("workspace_id")),
        model=_text(row.get("model")),
        task_shape=_text(row.get("task_shape")),
        cost_usd=_positive(row.get("cost_usd")),
        duration_ms=_milliseconds(row.get("duration_ms")),
        created_at=created,
        finalized_at=_moment(row.get("finalized_at")),
        facts=facts,
    )


def _payload(data: object) -> TracePayload:
    if isinstance(data, str):
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            return TracePayload()
    payload = payload_from_json(data)
    tokens = payload.tokens
    if not tokens.input and not tokens.output:  # an agent that ran used tokens: both 0 means nobody counted
        payload = replace(payload, tokens=TokenCounts(None, None, tokens.cache_read, tokens.cache_write))
    return payload


def _outcome(value: object) -> tuple[TraceOutcome, str | None]:
    if isinstance(value, str):
        try:
            return TraceOutcome(value), None
        except ValueError:
            return TraceOutcome.PENDING, f"unknown outcome: {value[:40]}"
    return TraceOutcome.PENDING, "unknown"


def _facts(data: object) -> TraceFacts:
    if not isinstance(data, Mapping):
        return TraceFacts()
    prompts = data.get("prompts")
    return TraceFacts(
        source=_text(data.get("source")) or SOURCE_NAME,
        source_key=_text(data.get("source_key")) or "",
        conversation=_text(data.get("conversation")) or "",
        turn=data["turn"] if isinstance(data.get("turn"), int) else 0,
        project=_text(data.get("project")),
        prompts=tuple(
            PromptInForce(str(p.get("kind")), str(p.get("name")), _text(p.get("sha256")), p.get("exact") is True)
            for p in (prompts if isinstance(prompts, list) else ())
            if isinstance(p, Mapping)
        ),
        outcome_detail=_text(data.get("outcome_detail")),
        outcome_evidence=_text(data.get("outcome_evidence")) or "",
        never_send=data.get("never_send") is True,
    )


def _moment(value: object) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return iso(parse_iso(value))
    except ValueError:
        return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _positive(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None


def _milliseconds(value: object) -> int | None:
    known = _positive(value)
    return None if known is None else int(known)
