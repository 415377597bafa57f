"""A span by the OpenTelemetry GenAI conventions, all three generations at once.

Current: ``gen_ai.input.messages`` and friends on the span or on one event. Before: an event for each message.
Before that: ``gen_ai.prompt`` and ``gen_ai.completion``, as JSON text or indexed (``gen_ai.prompt.0.content``).
"""

from __future__ import annotations

from typing import Any

from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._messages import Message, messages_of, text_in
from honeyguide.traces.readers._otlp_envelope import RawEvent, RawSpan
from honeyguide.traces.readers._spans import Score, Span
from honeyguide.traces.readers._values import compact, embedded, number, some_text, text_of, whole
from honeyguide.traces.records import PromptInForce, TokenCounts, ToolCall

_MODEL_CALLS = {"chat", "generate_content", "text_completion", "completion", "embeddings", "response", "message"}
_AGENT_CALLS = {"invoke_agent", "create_agent", "invoke_workflow"}
_MESSAGE_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}


def span_of(raw: RawSpan) -> Span:
    """Return ``raw`` in neutral words."""
    attributes = dict(raw.attributes)
    for event in raw.events:
        if event.name == "gen_ai.client.inference.operation.details":
            attributes.update(event.attributes)
    kind = _kind(attributes)
    asked, answered = _asked(attributes, raw.events), _answered(attributes, raw.events)
    system = _instructions(attributes)
    if system and kind != _spans.AGENT:
        asked = [Message("system", system), *asked]
    if kind == _spans.OTHER and (asked or answered) and "gen_ai.operation.name" not in attributes:
        kind = _spans.LLM
    error = text_of(attributes.get("error.type"))
    scores = tuple(_score(event) for event in raw.events if event.name.startswith("gen_ai.evaluation"))
    failed = None
    if (raw.is_error or error) and not scores:
        failed = ": ".join(part for part in (error, raw.message) if part) or "unnamed"
    agent = some_text(attributes.get("gen_ai.agent.name"))
    prompt = some_text(attributes.get("gen_ai.prompt.name"))
    links = (PromptInForce("generic", prompt, exact=True),) if prompt else ()
    return Span(
        id=raw.id,
        trace=raw.trace,
        parent=raw.parent,
        kind=kind,
        name=raw.name,
        start=raw.start,
        end=raw.end,
        duration_ms=raw.duration_ms,
        model=some_text(attributes.get("gen_ai.response.model")) or some_text(attributes.get("gen_ai.request.model")),
        asked=tuple(asked) if kind != _spans.TOOL else (),
        answered=tuple(answered) if kind != _spans.TOOL else (),
        input=_own_text(attributes, "input", asked),
        output=_own_text(attributes, "output", answered),
        tokens=_tokens(attributes),
        cost=_cost(attributes),
        tool=_tool(raw, attributes, failed) if kind == _spans.TOOL else None,
        failed=failed if kind != _spans.TOOL else None,
        conversation=some_text(attributes.get("gen_ai.conversation.id")) or some_text(attributes.get("session.id")),
        agent=agent,
        scores=scores,
        named_prompts=links,
        line=raw.line,
    )


def _kind(attributes: dict[str, Any]) -> str:
    operation = text_of(attributes.get("gen_ai.operation.name"))
    if operation in _MODEL_CALLS or (not operation and "gen_ai.request.model" in attributes):
        return _spans.LLM
    if operation in _AGENT_CALLS:
        return _spans.AGENT
    if operation == "execute_tool" or (not operation and "gen_ai.tool.name" in attributes):
        return _spans.TOOL
    return _spans.OTHER


def _asked(attributes: dict[str, Any], events: tuple[RawEvent, ...]) -> list[Message]:
    found = messages_of(attributes.get("gen_ai.input.messages"))
    if found:
        return found
    found = [
        message
        for event in events
        if event.name in _MESSAGE_EVENTS
        for message in messages_of({"role": _MESSAGE_EVENTS[event.name], "content": None, **event.attributes})
    ]
    if found:
        return found
    indexed = _indexed(attributes, "gen_ai.prompt")
    if indexed:
        return indexed
    for event in events:
        if event.name == "gen_ai.content.prompt":
            return messages_of(event.attributes.get("gen_ai.prompt"))
    return messages_of(attributes.get("gen_ai.prompt"))


def _answered(attributes: dict[str, Any], events: tuple[RawEvent, ...]) -> list[Message]:
    found = messages_of(attributes.get("gen_ai.output.messages"), "assistant")
    if found:
        return found
    for event in events:
        if event.name == "gen_ai.choice":
            inner = embedded(event.attributes.get("message"))
            nested = {k.removeprefix("message."): v for k, v in event.attributes.items() if k.startswith("message.")}
            found.extend(messages_of(inner or {"role": "assistant", "content": None, **nested}, "assistant"))
        elif event.name == "gen_ai.content.completion":
            found.extend(messages_of(event.attributes.get("gen_ai.completion"), "assistant"))
    if found:
        return found
    return _indexed(attributes, "gen_ai.completion") or messages_of(attributes.get("gen_ai.completion"), "assistant")


def _indexed(attributes: dict[str, Any], prefix: str) -> list[Message]:
    """Return the messages of ``prefix.0.role``, ``prefix.0.content``, ``prefix.0.tool_calls.0.name`` and so on."""
    rows: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        if not name.startswith(prefix + "."):
            continue
        index, _, rest = name.removeprefix(prefix + ".").partition(".")
        if index.isdigit() and rest:
            rows.setdefault(int(index), {})[rest] = value
    found: list[Message] = []
    for _, row in sorted(rows.items()):
        calls: dict[str, dict[str, Any]] = {}
        for name, value in row.items():
            if name.startswith("tool_calls."):
                number_, _, part = name.removeprefix("tool_calls.").partition(".")
                calls.setdefault(number_, {})[part] = value
        default = "assistant" if prefix.endswith("completion") else "user"
        message = {
            "role": row.get("role") or default,
            "content": row.get("content"),
            "tool_calls": list(calls.values()),
        }
        if "tool_call_id" in row:
            message["tool_call_id"] = row["tool_call_id"]
        found.extend(messages_of(message, default))
    return found


def _instructions(attributes: dict[str, Any]) -> str:
    value = embedded(attributes.get("gen_ai.system_instructions"))
    return text_in(value) if value else ""


def _own_text(attributes: dict[str, Any], name: str, messages: list[Message]) -> str:
    """The non-standard ``input``/``output`` attributes repeat the messages; they count only when there are none."""
    if messages:
        return ""
    value = attributes.get(name)
    return "" if value is None else text_in(value) or compact(value)


def _tokens(attributes: dict[str, Any]) -> TokenCounts:
    def first(*names: str) -> int | None:
        return next((n for name in names if (n := whole(attributes.get(f"gen_ai.usage.{name}"))) is not None), None)

    return TokenCounts(
        first("input_tokens", "prompt_tokens"),
        first("output_tokens", "completion_tokens"),
        first("cache_read.input_tokens", "cache_read_input_tokens", "input_tokens.cached"),
        first("cache_creation.input_tokens", "cache_creation_input_tokens"),
    )


def _cost(attributes: dict[str, Any]) -> float | None:
    names = ("gen_ai.usage.total_cost", "gen_ai.usage.cost", "gen_ai.cost.total_cost")
    return next((found for name in names if (found := number(attributes.get(name))) is not None), None)


def _tool(raw: RawSpan, attributes: dict[str, Any], failed: str | None) -> ToolCall:
    result = embedded(attributes.get("gen_ai.tool.call.result", attributes.get("output")))
    return ToolCall(
        tool=text_of(attributes.get("gen_ai.tool.name")) or raw.name,
        args=embedded(attributes.get("gen_ai.tool.call.arguments", attributes.get("input"))),
        result=failed if failed and result is None else result,
        ok=False if failed else None,
        duration_ms=raw.duration_ms,
        timestamp=raw.start,
    )


def _score(event: RawEvent) -> Score:
    data = event.attributes
    evaluator = text_of(data.get("gen_ai.evaluation.evaluator.type") or data.get("gen_ai.evaluation.source")).lower()
    return Score(
        name=text_of(data.get("gen_ai.evaluation.name")) or "score",
        value=number(data.get("gen_ai.evaluation.score.value")),
        label=text_of(data.get("gen_ai.evaluation.score.label")),
        comment=text_of(data.get("gen_ai.evaluation.explanation")),
        human=evaluator == "human",
        where=f"event {event.name}",
    )
