"""A trace as the view shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from honeyguide.desktop.theme.code_words import detector_words
from honeyguide.desktop.theme.outcomes import kind_wording
from honeyguide.desktop.widgets.trace_view import TraceFacts

if TYPE_CHECKING:
    from honeyguide.workspace import TraceDetail


def facts_of(detail: TraceDetail) -> TraceFacts:
    """Return what the view shows of a trace."""
    trace = detail.trace
    payload = trace.payload
    tools = [(call.tool, _said(call.args), _said(call.result), call.ok) for call in payload.tool_calls]
    corrections = [(row.id, row.span or detector_words(row.detector), row.state) for row in detail.corrections]
    return TraceFacts(
        id=trace.id or 0,
        title=detail.title or "",
        outcome=trace.outcome.value,
        created_at=trace.created_at,
        conversation=trace.conversation,
        source=trace.facts.source,
        targets=tuple(f"{target_words(link.target)}{'' if link.exact else ' ?'}" for link in detail.links),
        input=payload.input,
        output=payload.output,
        tools=tuple(tools),
        corrections=tuple(corrections),
        siblings=detail.siblings,
        tokens=(payload.tokens.input, payload.tokens.output),
    )


def target_words(reference: str) -> str:
    """Return a target as a person calls it: ``persona Support`` for ``persona-system-prompt:Support``."""
    kind, colon, name = reference.partition(":")
    return f"{kind_wording(kind).words} {name}" if colon else reference


def _said(value: object) -> str:
    return (
        value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False, default=str)
    )
