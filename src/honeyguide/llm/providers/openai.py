"""OpenAI's Chat Completions, and every server that speaks them (Ollama, LM Studio, …), through the official SDK."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, ClassVar

from honeyguide.llm.connections import Connection, HeaderListener
from honeyguide.llm.protocol import Message, ModelReply, ModelRequest, StopReason, Usage
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing
from honeyguide.llm.providers.sdk_client import Body, SdkClient, Sent
from honeyguide.llm.providers.sdk_errors import bad_answer, count, readable
from honeyguide.llm.tools import ToolCall

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_STOPS = {
    "stop": StopReason.END,
    "length": StopReason.MAX_TOKENS,
    "tool_calls": StopReason.TOOL_USE,
    "content_filter": StopReason.REFUSAL,
}


_LIMITS = ("max_tokens", "max_completion_tokens")


class _Client(SdkClient["AsyncOpenAI"]):
    optional_parameters: ClassVar = {
        "json_schema": "This server offers no JSON schema; JSON mode is used.",
        "response_format": "This server offers no JSON mode; replies are read as text.",
        "temperature": "This model takes no temperature; it is left to the provider.",
        "max_tokens": "This model calls the length limit max_completion_tokens.",
        "max_completion_tokens": "This server calls the length limit max_tokens.",
    }

    def body(self, request: ModelRequest) -> Body:
        return openai_body(request, self.connection.is_official, self.without(request.model.model))

    def carries(self, parameter: str, body: Body) -> bool:
        if parameter == "json_schema":
            return bool(body.get("response_format", {}).get("type") == "json_schema")
        return parameter in body

    def is_refused(self, parameter: str, words: str) -> bool:
        if parameter in _LIMITS:
            return all(name in words for name in _LIMITS)  # else the number is refused, not the name
        return parameter in words


class OpenAIProvider:
    """One address that speaks Chat Completions."""

    def __init__(self, connection: Connection, on_headers: HeaderListener | None = None) -> None:
        self.connection = connection
        self._client = _Client(connection, _build, on_headers)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``."""

        async def send(sdk: AsyncOpenAI, body: Body, seconds: float) -> Sent:
            from openai import Timeout

            timeout = Timeout(seconds, connect=self.connection.connect_timeout)
            raw = await sdk.chat.completions.with_raw_response.create(**body, timeout=timeout)
            return raw.headers, raw.parse()

        completion, latency = await self._client.call(request, send)
        return self._client.without_key(self._read(completion, latency))

    def preview(self, request: ModelRequest) -> Outgoing:
        """As ``Provider.preview``."""
        url = f"{self.connection.base_url}/chat/completions"
        return Outgoing(url, self._client.body(request), self._client.notes(request.model.model))

    async def list_models(self) -> list[ModelListing]:
        """As ``Provider.list_models``."""

        async def send(sdk: AsyncOpenAI) -> list[ModelListing]:
            return [ModelListing(model.id) async for model in sdk.models.list()]

        return await self._client.ask(send)

    async def close(self) -> None:
        """As ``Provider.close``."""
        await self._client.close()

    def _read(self, completion: Any, latency_ms: int) -> ModelReply:
        choices: Any = getattr(completion, "choices", None)
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        if message is None:
            raise bad_answer(self.connection)
        refusal = getattr(message, "refusal", None)
        content = getattr(message, "content", None)
        usage = getattr(completion, "usage", None)
        reported = getattr(usage, "cost", None)
        is_reported = isinstance(reported, int | float) and not isinstance(reported, bool) and 0 <= reported < math.inf
        stop = _STOPS.get(str(getattr(choices[0], "finish_reason", "")), StopReason.OTHER)
        return ModelReply(
            text=readable(content if isinstance(content, str) else str(refusal or ""), self.connection),
            tool_calls=_calls(getattr(message, "tool_calls", None)),
            stop_reason=StopReason.REFUSAL if refusal and not content else stop,
            usage=_usage(usage),
            cost_usd=float(reported) if is_reported and reported is not None else None,
            cost_is_reported=is_reported,
            latency_ms=latency_ms,
        )


def openai_body(request: ModelRequest, is_official: bool, without: frozenset[str] = frozenset()) -> Body:
    """Return the JSON body of a Chat Completions call; the stable prefix comes first, so that servers can cache it."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": request.system}] if request.system else []
    for message in request.messages:
        messages += _turn(message)
    body: Body = {"model": request.model.model, "messages": messages}
    names = ("max_completion_tokens", "max_tokens") if is_official else ("max_tokens", "max_completion_tokens")
    limit = next((name for name in names if name not in without), names[0])
    body[limit] = request.max_tokens
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {"name": t.name, "description": t.description, "parameters": dict(t.parameters)},
            }
            for t in request.tools
        ]
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.response_schema is not None and "response_format" not in without:
        body["response_format"] = (
            {"type": "json_object"}
            if "json_schema" in without
            else {"type": "json_schema", "json_schema": {"name": "reply", "schema": dict(request.response_schema)}}
        )
    return body


def _turn(message: Message) -> list[dict[str, Any]]:
    """Return a turn as Chat Completions spells it: each result of a tool is a message of its own, and comes first."""
    turns: list[dict[str, Any]] = [
        {"role": "tool", "tool_call_id": r.call_id, "content": r.content} for r in message.tool_results
    ]
    if message.content or not (message.tool_results or message.tool_calls):
        turns.append({"role": message.role, "content": message.content})
    if message.tool_calls:
        if not message.content:
            turns.append({"role": message.role, "content": None})
        turns[-1]["tool_calls"] = [
            {
                "id": c.id,
                "type": "function",
                "function": {"name": c.name, "arguments": json.dumps(dict(c.arguments), ensure_ascii=False)},
            }
            for c in message.tool_calls
        ]
    return turns


def _calls(calls: Any) -> tuple[ToolCall, ...]:
    """Return what the model asks for; arguments that are no JSON object are handed on as they came."""
    found = []
    for call in calls if isinstance(calls, list) else ():
        function = getattr(call, "function", None)
        text = str(getattr(function, "arguments", "") or "{}")
        try:
            arguments = json.loads(text)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            arguments = {"_unreadable": text}
        found.append(ToolCall(str(getattr(call, "id", "")), str(getattr(function, "name", "")), arguments))
    return tuple(found)


def _build(connection: Connection, key: str) -> AsyncOpenAI:
    import openai

    return openai.AsyncOpenAI(
        api_key=key,
        base_url=connection.base_url,
        max_retries=0,
        http_client=openai.DefaultAsyncHttpxClient(**connection.http_options()),
    )


def _usage(usage: Any) -> Usage:
    """Tokens with the cached part taken out of the input, as the Messages API counts them."""
    prompt, output = count(usage, "prompt_tokens"), count(usage, "completion_tokens")
    cached = count(getattr(usage, "prompt_tokens_details", None), "cached_tokens")
    return Usage(
        input_tokens=None if prompt is None else max(0, prompt - (cached or 0)),
        output_tokens=output,
        cache_read_tokens=cached,
    )
