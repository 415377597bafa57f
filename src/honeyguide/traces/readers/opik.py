"""Opik exports: ``{"trace": …, "spans": […]}``, traces with their spans inside, or lists of either."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers._messages import last_said, messages_of
from honeyguide.traces.readers._spans import Score, Span, conversations_of
from honeyguide.traces.readers._values import (
    content_key,
    embedded,
    moment,
    number,
    object_of,
    objects_of,
    some_text,
    text_of,
    whole,
)
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import PromptInForce, TokenCounts, ToolCall

_KINDS = {"llm": _spans.LLM, "tool": _spans.TOOL}
_OWN_NAMES = {"feedback_scores", "thread_id", "total_estimated_cost", "error_info"}


class OpikSource:
    """Scores given in the user interface are a person's; those of the online scoring are a judge's."""

    name = "opik"

    def sniff(self, head: bytes, name_hint: str) -> float:
        for value in look(head).objects():
            trace = object_of(value.get("trace")) or value
            own = _OWN_NAMES & trace.keys()
            if own and "start_time" in trace and "run_type" not in trace:
                return 0.9 if "spans" in value or "trace" in value else 0.7
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        yield from conversations_of(_all_spans(stream, context), self.name, context)


def _all_spans(stream: BinaryIO, context: ReadContext) -> Iterator[Span]:
    for item in items(stream, context, inside=("traces", "content", "data")):
        trace = object_of(item.data.get("trace")) or item.data
        if "trace_id" in trace and "type" in trace:
            yield _span(dict(trace), text_of(trace["trace_id"]), item.line)
        elif "start_time" in trace or "input" in trace:
            yield from _trace(dict(trace), objects_of(item.data.get("spans")), item.line)
        else:
            context.health.note(health.UNKNOWN_TYPE, item.line, example=", ".join(list(item.data)[:2]))


def _trace(trace: dict[str, Any], spans: list[dict[str, Any]], line: int | None) -> Iterator[Span]:
    trace_id = some_text(trace.get("id")) or content_key(trace)
    start, end = moment(trace.get("start_time")), moment(trace.get("end_time"))
    duration = number(trace.get("duration"))
    yield Span(
        id=f"{trace_id}/trace",
        trace=trace_id,
        name=text_of(trace.get("name")),
        start=start,
        end=end,
        duration_ms=None if duration is None else round(duration),
        input=last_said(trace.get("input"), "user"),
        output=last_said(trace.get("output"), "assistant"),
        tokens=_tokens(trace.get("usage")),
        cost=number(trace.get("total_estimated_cost")),
        failed=_failure(trace),
        conversation=some_text(trace.get("thread_id")),
        scores=tuple(_scores(trace.get("feedback_scores"))),
        line=line,
    )
    for span in spans:
        yield _span(span, trace_id, line)


def _span(span: dict[str, Any], trace_id: str, line: int | None) -> Span:
    kind = _KINDS.get(text_of(span.get("type")), _spans.OTHER)
    is_call = kind == _spans.LLM
    failed = _failure(span)
    start = moment(span.get("start_time"))
    name = text_of(span.get("name"))
    tool = None
    if kind == _spans.TOOL:
        result = embedded(span.get("output"))
        tool = ToolCall(name, embedded(span.get("input")), result or failed, False if failed else None, timestamp=start)
    prompts = objects_of(object_of(span.get("metadata")).get("opik_prompts"))
    return Span(
        id=text_of(span.get("id")) or name,
        trace=trace_id,
        parent=some_text(span.get("parent_span_id")) or f"{trace_id}/trace",
        kind=kind,
        name=name,
        start=start,
        end=moment(span.get("end_time")),
        model=some_text(span.get("model")),
        asked=tuple(messages_of(span.get("input"))) if is_call else (),
        answered=tuple(messages_of(span.get("output"), "assistant")) if is_call else (),
        tokens=_tokens(span.get("usage")),
        cost=number(span.get("total_estimated_cost")),
        tool=tool,
        failed=failed if kind != _spans.TOOL else None,
        check_failed=name if text_of(span.get("type")) == "guardrail" and failed else None,
        scores=tuple(_scores(span.get("feedback_scores"))),
        named_prompts=tuple(
            PromptInForce("generic", text_of(p.get("name")), exact=True) for p in prompts if p.get("name")
        ),
        line=line,
    )


def _tokens(value: Any) -> TokenCounts:
    usage = object_of(value)

    def first(*names: str) -> int | None:
        return next((found for name in names if (found := whole(usage.get(name))) is not None), None)

    return TokenCounts(
        first("prompt_tokens", "original_usage.input_tokens"),
        first("completion_tokens", "original_usage.output_tokens"),
        first("original_usage.cache_read_input_tokens", "original_usage.prompt_tokens_details.cached_tokens"),
        first("original_usage.cache_creation_input_tokens"),
    )


def _failure(value: dict[str, Any]) -> str | None:
    info = object_of(value.get("error_info"))
    if not info:
        return None
    kind, said = text_of(info.get("exception_type")), text_of(info.get("message"))
    return ": ".join(part for part in (kind, said) if part) or "unnamed"


def _scores(value: Any) -> list[Score]:
    return [
        Score(
            name=text_of(entry.get("name")) or "score",
            value=number(entry.get("value")),
            label=text_of(entry.get("category_name")),
            comment=text_of(entry.get("reason")),
            human=text_of(entry.get("source")) == "ui",
            where=f"feedback_scores[{index}]",
        )
        for index, entry in enumerate(objects_of(value))
    ]


SOURCE = OpikSource()
