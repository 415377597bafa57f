"""A span by the OpenInference conventions (Phoenix and its instrumentations)."""

from __future__ import annotations

from typing import Any

from honeyguide.traces.conversations import PromptText
from honeyguide.traces.readers import _spans
from honeyguide.traces.readers._messages import Message, messages_of
from honeyguide.traces.readers._otlp_envelope import RawSpan
from honeyguide.traces.readers._spans import Score, Span
from honeyguide.traces.readers._values import compact, embedded, number, some_text, text_of, whole
from honeyguide.traces.records import TokenCounts, ToolCall

_KINDS = {"LLM": _spans.LLM, "AGENT": _spans.AGENT, "TOOL": _spans.TOOL}


def is_openinference(raw: RawSpan) -> bool:
    """Say whether the span uses these conventions."""
    return "openinference.span.kind" in raw.attributes or any(n.startswith("llm.") for n in raw.attributes)


def span_of(raw: RawSpan) -> Span:
    """Return ``raw`` in neutral words."""
    data = raw.attributes
    name = text_of(data.get("openinference.span.kind")).upper()
    kind = _KINDS.get(name, _spans.LLM if not name and "llm.model_name" in data else _spans.OTHER)
    asked = _list(data, "llm.input_messages") if kind == _spans.LLM else []
    answered = _list(data, "llm.output_messages", "assistant") if kind == _spans.LLM else []
    if kind == _spans.LLM and not asked:
        asked = messages_of(data.get("input.value"))
    if kind == _spans.LLM and not answered:
        answered = messages_of(data.get("output.value"), "assistant")
    failed = _failure(raw)
    template = some_text(data.get("llm.prompt_template.template"))
    version = text_of(data.get("llm.prompt_template.version"))
    prompts = (PromptText("generic", f"template {version}".strip(), template),) if template else ()
    return Span(
        id=raw.id,
        trace=raw.trace,
        parent=raw.parent,
        kind=kind,
        name=raw.name,
        start=raw.start,
        end=raw.end,
        duration_ms=raw.duration_ms,
        model=next(
            (
                m
                for n in ("llm.response.model_name", "llm.model_name", "llm.request.model_name")
                if (m := some_text(data.get(n)))
            ),
            None,
        ),
        asked=tuple(asked),
        answered=tuple(answered),
        input=_value(data, "input.value", "user"),
        output=_value(data, "output.value", "assistant"),
        tokens=_tokens(data),
        cost=number(data.get("llm.cost.total")),
        tool=_tool(raw, failed) if kind == _spans.TOOL else None,
        failed=failed if kind in (_spans.LLM, _spans.AGENT, _spans.OTHER) else None,
        check_failed=(raw.name or "guardrail") if name == "GUARDRAIL" and raw.is_error else None,
        conversation=some_text(data.get("session.id")),
        agent=some_text(data.get("agent.name")) or (raw.name if kind == _spans.AGENT else None),
        scores=tuple(_scores(data)),
        prompts=prompts,
        line=raw.line,
    )


def _failure(raw: RawSpan) -> str | None:
    if not raw.is_error or text_of(raw.attributes.get("openinference.span.kind")).upper() in ("GUARDRAIL", "EVALUATOR"):
        return None
    exception = next((e.attributes for e in raw.events if e.name == "exception"), raw.attributes)
    kind, said = text_of(exception.get("exception.type")), text_of(exception.get("exception.message"))
    return ": ".join(part for part in (kind, said or raw.message) if part) or "unnamed"


def _list(data: dict[str, Any], prefix: str, default_role: str = "user") -> list[Message]:
    """Return the messages of ``prefix.0.message.role``, ``….contents.0.message_content.text`` and so on.

    ``message.content`` and ``message.contents`` both occur, also side by side with the same text.
    """
    whole_list = data.get(prefix)
    if whole_list:
        return messages_of(whole_list, default_role)
    rows: dict[int, dict[str, Any]] = {}
    for name, value in data.items():
        if name.startswith(prefix + "."):
            index, _, rest = name.removeprefix(prefix + ".").partition(".")
            if index.isdigit():
                rows.setdefault(int(index), {})[rest.removeprefix("message.")] = value
    found: list[Message] = []
    for _, row in sorted(rows.items()):
        parts: dict[int, dict[str, Any]] = {}
        calls: dict[int, dict[str, Any]] = {}
        for name, value in row.items():
            head, _, rest = name.partition(".")
            number_, _, field = rest.partition(".")
            if head == "contents" and number_.isdigit():
                parts.setdefault(int(number_), {})[field.removeprefix("message_content.")] = value
            elif head == "tool_calls" and number_.isdigit():
                calls.setdefault(int(number_), {})[field.removeprefix("tool_call.")] = value
        message: dict[str, Any] = {
            "role": row.get("role") or default_role,
            "content": row.get("content") if row.get("content") is not None else [parts[i] for i in sorted(parts)],
            "tool_calls": [
                {
                    "id": calls[i].get("id"),
                    "function": {
                        "name": calls[i].get("function.name"),
                        "arguments": calls[i].get("function.arguments"),
                    },
                }
                for i in sorted(calls)
            ],
        }
        for name in ("tool_call_id", "name"):
            if name in row:
                message[name] = row[name]
        found.extend(messages_of(message, default_role))
    return found


def _value(data: dict[str, Any], name: str, role: str) -> str:
    found = messages_of(data.get(name), role)
    people = [message.text for message in found if message.role == role and message.text]
    return people[-1] if people else compact(data.get(name))


def _tokens(data: dict[str, Any]) -> TokenCounts:
    def count(name: str) -> int | None:
        return whole(data.get(f"llm.token_count.{name}"))

    return TokenCounts(
        count("prompt"), count("completion"), count("prompt_details.cache_read"), count("prompt_details.cache_write")
    )


def _tool(raw: RawSpan, failed: str | None) -> ToolCall:
    data = raw.attributes
    args = data.get("tool.parameters", data.get("input.value"))
    return ToolCall(
        tool=text_of(data.get("tool.name")) or raw.name,
        args=embedded(args),
        result=embedded(data.get("output.value")) if data.get("output.value") is not None else failed,
        ok=False if failed else None,
        duration_ms=raw.duration_ms,
        timestamp=raw.start,
    )


def _scores(data: dict[str, Any]) -> list[Score]:
    rows: dict[str, dict[str, Any]] = {}
    for name, value in data.items():
        if name.startswith("annotations."):
            index, _, field = name.removeprefix("annotations.").partition(".")
            rows.setdefault(index, {})[field.removeprefix("annotation.")] = value
    return [
        Score(
            name=text_of(row.get("name")) or "annotation",
            value=number(row.get("score")),
            label=text_of(row.get("label")),
            comment=text_of(row.get("explanation")),
            human=text_of(row.get("annotator_kind")).upper() == "HUMAN",
            where=f"annotations.{index}",
        )
        for index, row in rows.items()
    ]
