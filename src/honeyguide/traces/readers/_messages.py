"""Chat messages in every spelling that exports use, as one kind of record.

Understood: OpenAI chat and Responses items, OpenTelemetry parts, Anthropic blocks, Gemini parts, LangChain
messages (plain and serialised), OpenInference's nested form, Inspect.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from honeyguide.traces.readers._values import compact, embedded, list_of, object_of, objects_of, some_text, text_of

_ROLES = {
    "system": "system",
    "developer": "system",
    "systemmessage": "system",
    "user": "user",
    "human": "user",
    "humanmessage": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "bot": "assistant",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "functionmessage": "tool",
}
_TEXT_TYPES = {"text", "input_text", "output_text", "refusal", "summary_text"}
_MEDIA = {"image", "image_url", "input_image", "audio", "input_audio", "file", "input_file", "document", "blob", "uri"}


@dataclass(frozen=True, slots=True)
class Call:
    """A request to use a tool; ``id`` joins it to its ``Answer`` and may be empty."""

    id: str
    name: str
    args: Any = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What a tool gave back."""

    id: str
    result: Any = None
    is_error: bool | None = None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message; ``role`` is system, user, assistant or tool. ``weight`` 0 marks one that is no target."""

    role: str
    text: str = ""
    calls: tuple[Call, ...] = ()
    answers: tuple[Answer, ...] = ()
    reasoning: str = ""
    weight: float | None = None


def messages_of(value: object, default_role: str = "user") -> list[Message]:
    """Return the messages in ``value``: a list, one message, an object that holds some, or plain text."""
    return list(_messages(embedded(value), default_role))


def text_in(value: object) -> str:
    """Return the readable text of a message's content: its text parts joined, media named."""
    return _content(embedded(value)).text


def last_said(value: object, role: str) -> str:
    """Return the last text of ``role`` in ``value``, or ``value`` itself as text when no message is in it."""
    if value in (None, {}, [], ""):
        return ""
    said = [message.text for message in messages_of(value, role) if message.role == role and message.text]
    return said[-1] if said else compact(value)


def _messages(value: Any, default_role: str) -> Iterator[Message]:
    if value is None or value == "":
        return
    if isinstance(value, str):
        yield Message(default_role, value)
    elif isinstance(value, list):
        if len(value) == 2 and all(isinstance(part, str) for part in value) and value[0].lower() in _ROLES:
            yield Message(_ROLES[value[0].lower()], value[1])
            return
        for item in value:
            yield from _messages(item, default_role)
    elif isinstance(value, dict):
        found = message_of(value, default_role)
        if found is not None:
            yield found
        else:
            yield from _inside(value, default_role)


def _inside(value: dict[str, Any], default_role: str) -> Iterator[Message]:
    """Yield from an object that is no message itself: a request, a response, a generation, named inputs."""
    for name in ("messages", "input_messages", "output_messages", "choices", "generations", "contents", "candidates"):
        if isinstance(value.get(name), list) and value[name]:
            yield from _messages(value[name], default_role)
            return
    for name in (
        "message",
        "output",
        "completion",
        "input",
        "prompt",
        "text",
        "content",
        "question",
        "query",
        "answer",
    ):
        if value.get(name) not in (None, "", [], {}):
            yield from _messages(embedded(value[name]), default_role)
            return
    if value:
        texts = [item for item in value.values() if isinstance(item, str) and item]
        yield Message(default_role, texts[0] if len(value) == 1 and texts else compact(value))


def message_of(value: dict[str, Any], default_role: str = "user") -> Message | None:
    """Return one message, or ``None`` when the object is none."""
    if value.get("type") == "constructor" and isinstance(value.get("kwargs"), dict):
        names = [name for name in list_of(value.get("id")) if isinstance(name, str)]
        return message_of({"role": names[-1] if names else default_role, **value["kwargs"]}, default_role)
    if isinstance(value.get("message"), dict) and "role" not in value:
        return message_of(value["message"], default_role)
    item_type = text_of(value.get("type"))
    if item_type in ("function_call", "custom_tool_call"):
        args = embedded(value.get("arguments", value.get("input")))
        return Message("assistant", calls=(Call(_id(value, "call_id", "id"), text_of(value.get("name")), args),))
    if item_type == "reasoning" and "role" not in value:
        summary = _content(value.get("summary") or value.get("content"))
        return Message("assistant", reasoning=summary.text or summary.reasoning)
    if item_type.endswith("_call"):
        return Message("assistant", calls=(Call(_id(value, "call_id", "id"), item_type.removesuffix("_call"), value),))
    if item_type.endswith("_call_output"):
        return Message("tool", answers=(Answer(_id(value, "call_id", "id"), embedded(value.get("output"))),))
    role = _ROLES.get(text_of(value.get("role") or value.get("type")).lower().replace("_", ""))
    if role is None or not ({"role", "content", "parts", "tool_calls", "data"} & value.keys()):
        return None
    data = object_of(value.get("data"))
    if "content" not in value and "content" in data:
        value = {**data, **value}
    content = _content(value.get("content") if value.get("content") is not None else value.get("parts"))
    calls = content.calls + tuple(_calls(value))
    answers = content.answers
    text = content.text
    if role == "user" and answers and not text:
        role = "tool"
    elif role == "tool" and not answers:
        error = value.get("error")
        status = value.get("status")
        is_error = True if error or status == "error" else False if status == "success" else None
        answers = (
            Answer(_id(value, "tool_call_id", "id"), text or compact(value.get("content")), is_error, _name(value)),
        )
        text = ""
    reasoning = text_of(value.get("reasoning_content") or value.get("reasoning")) or content.reasoning
    weight = value.get("weight")
    return Message(role, text, calls, answers, reasoning, weight if isinstance(weight, int | float) else None)


@dataclass(frozen=True, slots=True)
class _Content:
    text: str = ""
    calls: tuple[Call, ...] = ()
    answers: tuple[Answer, ...] = ()
    reasoning: str = ""


def _content(value: Any) -> _Content:
    if isinstance(value, str):
        return _Content(value)
    if isinstance(value, dict):
        value = [value]
    texts: list[str] = []
    calls: list[Call] = []
    answers: list[Answer] = []
    thoughts: list[str] = []
    for part in list_of(value):
        if isinstance(part, str):
            texts.append(part)
            continue
        if not isinstance(part, dict):
            continue
        kind = text_of(part.get("type"))
        if kind in ("tool_use", "tool_call"):
            args = part.get("input") if kind == "tool_use" else part.get("arguments", part.get("args"))
            calls.append(Call(_id(part, "id"), text_of(part.get("name")), embedded(args)))
        elif kind in ("tool_result", "tool_call_response"):
            result = next((part[k] for k in ("content", "response", "result") if part.get(k) is not None), None)
            failed = part.get("is_error")
            answers.append(
                Answer(
                    _id(part, "tool_use_id", "id"), _plain_result(result), failed if isinstance(failed, bool) else None
                )
            )
        elif kind in ("thinking", "reasoning"):
            thoughts.append(text_of(part.get("thinking") or part.get("reasoning") or part.get("content")))
        elif isinstance(part.get("functionCall"), dict):
            call = part["functionCall"]
            calls.append(Call(_id(call, "id"), text_of(call.get("name")), call.get("args")))
        elif isinstance(part.get("functionResponse"), dict):
            response = part["functionResponse"]
            answers.append(Answer(_id(response, "id"), response.get("response"), None, text_of(response.get("name"))))
        elif kind in _TEXT_TYPES or not kind:
            text = part.get("text", part.get("content", part.get("refusal")))
            if isinstance(text, dict):
                text = text.get("value")
            if isinstance(text, str):
                texts.append(text)
        elif kind in _MEDIA:
            texts.append(f"[{kind.removeprefix('input_').removesuffix('_url')}]")
    return _Content("\n".join(t for t in texts if t), tuple(calls), tuple(answers), "\n".join(t for t in thoughts if t))


def _plain_result(value: Any) -> Any:
    """A tool's result that is only text parts becomes its text."""
    if isinstance(value, list) and value and all(isinstance(p, dict) and p.get("type") in _TEXT_TYPES for p in value):
        return "\n".join(text_of(part.get("text")) for part in value)
    return value


def _calls(value: dict[str, Any]) -> Iterator[Call]:
    for call in objects_of(value.get("tool_calls")):
        inner = object_of(call.get("tool_call")) or call
        function = inner.get("function")
        if isinstance(function, dict):
            yield Call(_id(inner, "id"), text_of(function.get("name")), embedded(function.get("arguments")))
        else:
            args = next((inner[k] for k in ("args", "arguments", "input") if k in inner), None)
            yield Call(_id(inner, "id"), text_of(function or inner.get("name")), embedded(args))
    single = value.get("function_call")
    if isinstance(single, dict):
        yield Call("", text_of(single.get("name")), embedded(single.get("arguments")))


def _id(value: dict[str, Any], *names: str) -> str:
    return next((found for name in names if (found := some_text(value.get(name)))), "")


def _name(value: dict[str, Any]) -> str:
    return text_of(value.get("name"))
