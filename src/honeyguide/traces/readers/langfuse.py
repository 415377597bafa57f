"""Langfuse exports: a downloaded trace, a list of them, API pages, or a table of observations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from honeyguide.traces import health
from honeyguide.traces.conversations import Conversation
from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._documents import items, look
from honeyguide.traces.readers._messages import Message, last_said, messages_of
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

_TYPES = {"GENERATION": _spans.LLM, "TOOL": _spans.TOOL, "AGENT": _spans.AGENT}
_CACHE_READ = ("cache_read_input_tokens", "input_cached_tokens", "input_cache_read", "prompt_details.cache_read")
_OBSERVATION_TYPES = {
    *_TYPES, "SPAN", "EVENT", "CHAIN", "RETRIEVER", "EVALUATOR", "GUARDRAIL", "EMBEDDING",
}  # fmt: skip


class LangfuseSource:
    """The trace's own input and output are often empty; then its generations say what was asked and answered."""

    name = "langfuse"

    def sniff(self, head: bytes, name_hint: str) -> float:
        for value in look(head).objects():
            inner = object_of(value.get("trace"))
            if inner and ("observations" in value or {"sessionId", "projectId", "scores"} & inner.keys()):
                return 0.95
            if "observations" in value and {"id", "name", "timestamp"} & value.keys():
                return 0.9
            if text_of(value.get("type")) in _OBSERVATION_TYPES and {"traceId", "parentObservationId"} & value.keys():
                return 0.9
            for entry in objects_of(value.get("data"))[:3]:
                if "observations" in entry or "parentObservationId" in entry:
                    return 0.85
        return 0.0

    def read(self, stream: BinaryIO, context: ReadContext) -> Iterator[Conversation]:
        yield from conversations_of(_all_spans(stream, context), self.name, context)


def _all_spans(stream: BinaryIO, context: ReadContext) -> Iterator[Span]:
    for item in items(stream, context, inside=("data", "traces")):
        value = item.data
        if isinstance(value.get("trace"), dict):
            observations = objects_of(value.get("observations") or object_of(value["trace"]).get("observations"))
            yield from _trace(value["trace"], observations, objects_of(value.get("scores")), item.line)
        elif isinstance(value.get("observations"), list) and "type" not in value:
            yield from _trace(value, objects_of(value["observations"]), [], item.line)
        elif text_of(value.get("type")) in _OBSERVATION_TYPES and some_text(value.get("traceId")):
            yield _observation(value, text_of(value["traceId"]), None, None, item.line)
        elif "sessionId" in value or ("timestamp" in value and "input" in value):
            yield from _trace(value, [], [], item.line)
        else:
            context.health.note(health.UNKNOWN_TYPE, item.line, example=text_of(value.get("type")))


def _trace(
    trace: dict[str, Any], observations: list[dict[str, Any]], more_scores: list[dict[str, Any]], line: int | None
) -> Iterator[Span]:
    trace_id = some_text(trace.get("id")) or content_key(trace)
    session = some_text(trace.get("sessionId"))
    scores = _scores(trace.get("scores"), "scores") + _scores(more_scores, "scores")
    scores += _scores(trace.get("corrections"), "corrections", "CORRECTION")
    seconds = number(trace.get("latency"))
    starts = [found for o in observations if (found := moment(o.get("startTime")))]
    failed = next((_failure(o) for o in observations if not o.get("parentObservationId") and _failure(o)), None)
    yield Span(
        id=f"{trace_id}/trace",
        trace=trace_id,
        name=text_of(trace.get("name")),
        start=moment(trace.get("timestamp")) or min(starts, default=None),
        duration_ms=None if seconds is None else round(seconds * 1000),
        input=last_said(trace.get("input"), "user"),
        output=last_said(trace.get("output"), "assistant"),
        cost=number(trace.get("totalCost")),
        failed=failed,
        conversation=session,
        scores=tuple(_unique(scores)),
        line=line,
    )
    for observation in observations:
        yield _observation(observation, trace_id, f"{trace_id}/trace", session, line)


def _observation(value: dict[str, Any], trace_id: str, root: str | None, session: str | None, line: int | None) -> Span:
    kind = _TYPES.get(text_of(value.get("type")), _spans.OTHER)
    usage = {**object_of(embedded(value.get("usage"))), **object_of(embedded(value.get("usageDetails")))}
    start, end = moment(value.get("startTime")), moment(value.get("endTime"))
    failed = _failure(value)
    name = text_of(value.get("name"))
    prompt = some_text(value.get("promptName"))
    version = some_text(value.get("promptVersion"))
    is_call = kind == _spans.LLM
    tool = None
    if kind == _spans.TOOL:
        result = embedded(value.get("output"))
        tool = ToolCall(name, embedded(value.get("input")), result, False if failed else None, timestamp=start)
    costs = object_of(embedded(value.get("costDetails")))
    priced = (value.get("totalCost"), value.get("calculatedTotalCost"), costs.get("total"))
    cost = next((found for part in priced if (found := number(part)) is not None), None)
    return Span(
        id=some_text(value.get("id")) or name,
        trace=trace_id,
        parent=some_text(value.get("parentObservationId")) or root,
        kind=kind,
        name=name,
        start=start,
        end=end,
        model=some_text(value.get("model")) or some_text(value.get("providedModelName")),
        asked=tuple(_generation_input(value)) if is_call else (),
        answered=tuple(messages_of(value.get("output"), "assistant")) if is_call else (),
        input="" if is_call else last_said(value.get("input"), "user"),
        output="" if is_call else last_said(value.get("output"), "assistant"),
        tokens=TokenCounts(
            whole(usage.get("input", value.get("promptTokens"))),
            whole(usage.get("output", value.get("completionTokens"))),
            _first(
                usage, "cache_read_input_tokens", "input_cached_tokens", "input_cache_read", "prompt_details.cache_read"
            ),
            _first(usage, "cache_creation_input_tokens", "input_cache_creation"),
        ),
        cost=cost,
        tool=tool,
        failed=failed if kind != _spans.TOOL else None,
        conversation=session or some_text(value.get("sessionId")),
        agent=name if kind == _spans.AGENT else None,
        scores=tuple(_scores(value.get("scores"), f"observation {name} scores")),
        named_prompts=(PromptInForce("generic", f"{prompt}@{version}" if version else prompt, exact=True),)
        if prompt
        else (),
        line=line,
    )


def _generation_input(value: dict[str, Any]) -> list[Message]:
    """The instructions stand apart from the messages where the Responses API was called."""
    found = messages_of(value.get("input"))
    parameters = object_of(embedded(value.get("modelParameters")))
    asked = object_of(embedded(value.get("input")))
    instructions = text_of(asked.get("instructions") or parameters.get("instructions"))
    return [Message("system", instructions), *found] if instructions else found


def _failure(value: dict[str, Any]) -> str | None:
    if text_of(value.get("level")) != "ERROR":
        return None
    return text_of(value.get("statusMessage")) or "unnamed"


def _scores(value: Any, where: str, default_type: str = "") -> list[Score]:
    found: list[Score] = []
    for index, entry in enumerate(objects_of(value)):
        source = text_of(entry.get("source")).upper()
        kind = text_of(entry.get("dataType")).upper() or default_type
        text = text_of(entry.get("stringValue"))
        is_correction = kind == "CORRECTION"
        value_ = None if is_correction or kind in ("CATEGORICAL", "TEXT") else number(entry.get("value"))
        found.append(
            Score(
                name=text_of(entry.get("name")) or ("correction" if is_correction else "score"),
                value=value_,
                label="" if is_correction else text,
                comment=text_of(entry.get("comment")),
                human=source == "ANNOTATION" or (is_correction and source in ("", "ANNOTATION")),
                correction=text or text_of(entry.get("value")) if is_correction else "",
                where=f"{where}[{index}]",
            )
        )
    return found


def _unique(scores: list[Score]) -> Iterator[Score]:
    seen: set[tuple[object, ...]] = set()
    for score in scores:
        key = (score.name, score.value, score.label, score.comment, score.correction)
        if key not in seen:
            seen.add(key)
            yield score


def _first(usage: dict[str, Any], *names: str) -> int | None:
    return next((found for name in names if (found := whole(usage.get(name))) is not None), None)


SOURCE = LangfuseSource()
