"""Anthropic's Messages API, and servers that speak it, through the official SDK."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from honeyguide.llm.connections import Connection, HeaderListener
from honeyguide.llm.protocol import Message, ModelReply, ModelRequest, StopReason, Usage
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing
from honeyguide.llm.providers.sdk_client import Body, SdkClient, Sent
from honeyguide.llm.providers.sdk_errors import bad_answer, count, readable
from honeyguide.llm.tools import ToolCall

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

_STOPS = {
    "end_turn": StopReason.END,
    "max_tokens": StopReason.MAX_TOKENS,
    "model_context_window_exceeded": StopReason.MAX_TOKENS,
    "stop_sequence": StopReason.STOP_SEQUENCE,
    "tool_use": StopReason.TOOL_USE,
    "refusal": StopReason.REFUSAL,
}


class _Client(SdkClient["AsyncAnthropic"]):
    optional_parameters: ClassVar = {
        "output_config": "This server offers no structured output; replies are read as text.",
        "temperature": "This model takes no temperature; it is left to the provider.",
        "cache_control": "This server has no prompt cache to ask for.",
    }

    def body(self, request: ModelRequest) -> Body:
        return anthropic_body(request, self.without(request.model.model))

    def carries(self, parameter: str, body: Body) -> bool:
        if parameter == "cache_control":
            return any(parameter in block for block in body.get("system", ()))
        return parameter in body


class AnthropicProvider:
    """One address that speaks the Messages API."""

    def __init__(self, connection: Connection, on_headers: HeaderListener | None = None) -> None:
        self.connection = connection
        self._client = _Client(connection, _build, on_headers)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``."""

        async def send(sdk: AsyncAnthropic, body: Body, seconds: float) -> Sent:
            from anthropic import Timeout

            timeout = Timeout(seconds, connect=self.connection.connect_timeout)
            raw = await sdk.messages.with_raw_response.create(**_arguments(body), timeout=timeout)
            return raw.headers, await raw.parse()

        message, latency = await self._client.call(request, send)
        return self.read(message, latency)

    def read(self, message: Any, latency_ms: int = 0) -> ModelReply:
        """Return a message of the SDK as a reply. Raises ModelError when it is none."""
        content = getattr(message, "content", None)
        if not isinstance(content, list):
            raise bad_answer(self.connection)
        pieces = [getattr(block, "text", None) for block in content if getattr(block, "type", "") == "text"]
        usage = getattr(message, "usage", None)
        made = ModelReply(
            text=readable("".join(piece for piece in pieces if isinstance(piece, str)), self.connection),
            tool_calls=tuple(_call(block) for block in content if getattr(block, "type", "") == "tool_use"),
            stop_reason=_STOPS.get(str(getattr(message, "stop_reason", "")), StopReason.OTHER),
            usage=Usage(
                input_tokens=count(usage, "input_tokens"),
                output_tokens=count(usage, "output_tokens"),
                cache_read_tokens=count(usage, "cache_read_input_tokens"),
                cache_write_tokens=count(usage, "cache_creation_input_tokens"),
            ),
            latency_ms=latency_ms,
        )
        return self._client.without_key(made)

    def preview(self, request: ModelRequest) -> Outgoing:
        """As ``Provider.preview``."""
        url = f"{self.connection.base_url}/v1/messages"
        return Outgoing(url, self._client.body(request), self._client.notes(request.model.model))

    async def list_models(self) -> list[ModelListing]:
        """As ``Provider.list_models``."""

        async def send(sdk: AsyncAnthropic) -> list[ModelListing]:
            return [_listing(model) async for model in sdk.models.list(limit=100)]

        return await self._client.ask(send)

    async def submit_batch(self, requests: Mapping[str, ModelRequest]) -> str:
        """Hand ``requests`` (by custom id) in as one Message Batch; return the batch's id."""
        items: list[Any] = [
            {"custom_id": name, "params": self._client.body(request)} for name, request in requests.items()
        ]

        async def send(sdk: AsyncAnthropic) -> str:
            return (await sdk.messages.batches.create(requests=items)).id

        return await self._client.ask(send)

    async def batch_has_ended(self, batch_id: str) -> bool:
        """Say whether a batch has its results."""

        async def send(sdk: AsyncAnthropic) -> bool:
            return (await sdk.messages.batches.retrieve(batch_id)).processing_status == "ended"

        return await self._client.ask(send)

    async def batch_results(self, batch_id: str) -> Mapping[str, ModelReply | str]:
        """Return the replies of an ended batch by custom id; for one that failed, how (``errored``, ``expired``, …)."""

        async def send(sdk: AsyncAnthropic) -> dict[str, ModelReply | str]:
            results: dict[str, ModelReply | str] = {}
            async for item in await sdk.messages.batches.results(batch_id):
                result = item.result
                results[item.custom_id] = self.read(result.message) if result.type == "succeeded" else result.type
            return results

        return await self._client.ask(send, seconds=600.0)

    async def cancel_batch(self, batch_id: str) -> None:
        """Ask for a batch to be stopped; what it has finished stays there."""

        async def send(sdk: AsyncAnthropic) -> None:
            await sdk.messages.batches.cancel(batch_id)

        await self._client.ask(send)

    async def close(self) -> None:
        """As ``Provider.close``."""
        await self._client.close()


def anthropic_body(request: ModelRequest, without: frozenset[str] = frozenset()) -> Body:
    """Return the JSON body of a Messages call.

    The stable prefix is marked for the provider's prompt cache; the provider leaves out what is too short for it.
    """
    body: Body = {
        "model": request.model.model,
        "max_tokens": request.max_tokens,
        "messages": [{"role": message.role, "content": _content(message)} for message in request.messages],
    }
    if request.system:
        block: dict[str, Any] = {"type": "text", "text": request.system}
        if "cache_control" not in without:
            block["cache_control"] = {"type": "ephemeral"}
        body["system"] = [block]
    if request.tools:
        body["tools"] = [tool.to_json() for tool in request.tools]
    if request.temperature is not None and "temperature" not in without:
        body["temperature"] = request.temperature
    if request.response_schema is not None and "output_config" not in without:
        body["output_config"] = {"format": {"type": "json_schema", "schema": dict(request.response_schema)}}
    return body


def _content(message: Message) -> str | list[dict[str, Any]]:
    """Return a turn's content: plain text, or blocks where tools are part of it."""
    if not message.tool_calls and not message.tool_results:
        return message.content
    blocks: list[dict[str, Any]] = [
        {"type": "tool_result", "tool_use_id": r.call_id, "content": r.content, "is_error": r.is_error}
        for r in message.tool_results
    ]
    if message.content:
        blocks.append({"type": "text", "text": message.content})
    blocks += [{"type": "tool_use", "id": c.id, "name": c.name, "input": dict(c.arguments)} for c in message.tool_calls]
    return blocks


def _call(block: Any) -> ToolCall:
    arguments = getattr(block, "input", None)
    return ToolCall(
        str(getattr(block, "id", "")),
        str(getattr(block, "name", "")),
        dict(arguments) if isinstance(arguments, Mapping) else {},
    )


def _arguments(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body as arguments of the SDK, which has none for the temperature."""
    arguments = {name: value for name, value in body.items() if name != "temperature"}
    if "temperature" in body:
        arguments["extra_body"] = {"temperature": body["temperature"]}
    return arguments


def _build(connection: Connection, key: str) -> AsyncAnthropic:
    import anthropic

    return anthropic.AsyncAnthropic(
        api_key=key,
        base_url=connection.base_url,
        max_retries=0,
        http_client=anthropic.DefaultAsyncHttpxClient(**connection.http_options()),
    )


def _listing(model: Any) -> ModelListing:
    retires = getattr(model, "retires_at", None)
    lifecycle = getattr(model, "lifecycle", None) or "active"
    note = "" if lifecycle == "active" else lifecycle + (f", retires {retires:%Y-%m-%d}" if retires else "")
    return ModelListing(model.id, getattr(model, "display_name", "") or "", note)
