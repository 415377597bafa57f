"""Traces that the OpenAI Agents SDK exports: ``trace`` and ``trace.span`` items."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers._messages import messages_of
from honeyguide.traces.readers._spans import Span, conversations_of
from honeyguide.traces.readers._values import embedded, moment, object_of, some_text, text_of, whole
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import TokenCounts, ToolCall

_KINDS = {"generation": _spans.LLM, "response": _spans.LLM, "function": _spans.TOOL, "agent": _spans.AGENT}


class OpenAIAgentsSource:
    """A ``response`` span holds an id and usage only: its text stays with the vendor, which the health report says."""

    name = "openai-agents"

    def sniff(self, head: bytes, name_hint: str) -> float:
        kinds = {text_of(value.get("object")) for value in look(head).objects()}
        for value in look(head).objects():
            kinds |= {text_of(inner.get("object")) for inner in value.get("data") or () if isinstance(inner, dict)}
        return 0.95 if "trace.span" in kinds else 0.8 if "trace" in kinds else 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        groups: dict[str, str] = {}
        spans: list[Span] = []
        for item in items(stream, context, inside=("data", "items", "spans")):
            kind = text_of(item.data.get("object"))
            if kind == "trace":
                group = some_text(item.data.get("group_id"))
                if group:
                    groups[text_of(item.data.get("id"))] = group
                spans.append(
                    Span(
                        text_of(item.data.get("id")),
                        text_of(item.data.get("id")),
                        name=_title(item.data),
                        line=item.line,
                    )
                )
            elif kind == "trace.span":
                spans.append(_span(item.data, item.line, context))
            else:
                context.health.note(health.UNKNOWN_TYPE, item.line, example=kind)
        yield from conversations_of(_rooted(spans, groups), self.name, context)


def _rooted(spans: list[Span], groups: dict[str, str]) -> Iterator[Span]:
    """Hang parentless spans under their trace, give it their time, and name the conversation."""
    times: dict[str, list[str]] = {}
    for span in spans:
        times.setdefault(span.trace, []).extend(moment for moment in (span.start, span.end) if moment)
    known = {span.id for span in spans if span.id == span.trace}
    for span in spans:
        named = groups.get(span.trace)
        if span.id == span.trace:
            seen = times[span.trace]
            yield replace(span, conversation=named, start=min(seen, default=None), end=max(seen, default=None))
        else:
            parent = span.parent or (span.trace if span.trace in known else None)
            yield replace(span, conversation=named, parent=parent)


def _span(value: dict[str, Any], line: int | None, context: ReadContext) -> Span:
    data = object_of(value.get("span_data"))
    kind = text_of(data.get("type"))
    usage = object_of(data.get("usage"))
    error = object_of(value.get("error"))
    said = text_of(error.get("message")) or ("unnamed" if error else "")
    start, end = moment(value.get("started_at")), moment(value.get("ended_at"))
    if kind == "response" and data.get("input") is None:
        context.health.note(health.NO_TEXT, line, example="response span: the text is kept by the vendor")
    details = object_of(usage.get("input_tokens_details"))
    tool = None
    if kind == "function":
        tool = ToolCall(
            text_of(data.get("name")),
            embedded(data.get("input")),
            embedded(data.get("output")) if data.get("output") is not None else said or None,
            False if error else None,
            timestamp=start,
        )
    return Span(
        id=text_of(value.get("id")),
        trace=text_of(value.get("trace_id")),
        parent=some_text(value.get("parent_id")),
        kind=_KINDS.get(kind, _spans.OTHER),
        name=text_of(data.get("name")) or kind,
        start=start,
        end=end,
        model=some_text(data.get("model")),
        asked=tuple(messages_of(data.get("input"))) if kind in ("generation", "response") else (),
        answered=tuple(messages_of(data.get("output"), "assistant")) if kind in ("generation", "response") else (),
        tokens=TokenCounts(
            whole(usage.get("input_tokens", usage.get("prompt_tokens"))),
            whole(usage.get("output_tokens", usage.get("completion_tokens"))),
            whole(details.get("cached_tokens")),
        ),
        tool=tool,
        failed=said if error and kind not in ("function", "guardrail") else None,
        check_failed=f"guardrail {text_of(data.get('name'))}".strip() if data.get("triggered") is True else None,
        agent=text_of(data.get("name")) or None if kind == "agent" else None,
        textless=kind == "response",
        line=line,
    )


def _title(value: dict[str, Any]) -> str:
    return text_of(value.get("workflow_name"))


SOURCE = OpenAIAgentsSource()
