"""What one line of a journal holds, and how it is spelled."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from honeyguide.llm.protocol import Message, ModelReply, ModelRequest, StopReason, Usage
from honeyguide.llm.tools import ToolCall, calls_json

FORMAT = 1
"""Version of the line format; a higher one is not read."""
_ENCODER = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """One line.

    Attributes:
        kind: a paid reply, an attempt that failed, a batch that was handed in, or a line nobody can read.
        request: the request as it was sent, as plain data.
        at: when it was written; not part of any decision.
        cost_usd: ``None`` when the price is not known.
        maybe_usd: what a failed attempt may have cost at worst; ``None`` when the price is not known.
    """

    kind: Literal["reply", "failed", "batch", "damaged"]
    request_hash: str = ""
    role: str = ""
    model: str = ""
    request: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    stop_reason: str = StopReason.END.value
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = 0.0
    cost_is_reported: bool = False
    latency_ms: int = 0
    at: str = ""
    failure: str = ""
    message: str = ""
    maybe_usd: float | None = 0.0
    maybe_tokens: int = 0
    batch_id: str = ""
    batch_hashes: tuple[str, ...] = ()

    def to_reply(self) -> ModelReply:
        """Return the reply as it was when it was paid for."""
        return ModelReply(
            text=self.text,
            tool_calls=self.tool_calls,
            stop_reason=StopReason(self.stop_reason),
            usage=self.usage,
            cost_usd=self.cost_usd,
            cost_is_reported=self.cost_is_reported,
            latency_ms=self.latency_ms,
        )


@dataclass(frozen=True, slots=True)
class JournalTotals:
    """Sums over a journal.

    Attributes:
        calls: replies and failed attempts.
        usd: what the replies cost; ``None`` as soon as one price is unknown.
        maybe_usd, maybe_tokens: worst case of attempts that may have been charged without a reply.
    """

    calls: int = 0
    usd: float | None = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    maybe_usd: float = 0.0
    maybe_tokens: int = 0

    @property
    def tokens(self) -> int:
        """All tokens that a ceiling counts."""
        return self.input_tokens + self.output_tokens + self.maybe_tokens

    def plus(self, entry: JournalEntry) -> JournalTotals:
        """Return the sums with one more entry."""
        if entry.kind == "reply":
            usd = None if self.usd is None or entry.cost_usd is None else self.usd + entry.cost_usd
            return JournalTotals(
                self.calls + 1,
                usd,
                self.input_tokens + total_input(entry.usage),
                self.output_tokens + (entry.usage.output_tokens or 0),
                self.maybe_usd,
                self.maybe_tokens,
            )
        if entry.kind == "failed":
            return replace(
                self,
                calls=self.calls + 1,
                maybe_usd=self.maybe_usd + (entry.maybe_usd or 0.0),
                maybe_tokens=self.maybe_tokens + entry.maybe_tokens,
            )
        return self


def total_input(usage: Usage) -> int:
    """Return all tokens the model read: uncached, written to the cache, and read from it."""
    return (usage.input_tokens or 0) + (usage.cache_read_tokens or 0) + (usage.cache_write_tokens or 0)


def request_data(request: ModelRequest) -> dict[str, Any]:
    """Return a request as plain data, for the journal and the outbox."""
    data: dict[str, Any] = {
        "system": request.system,
        "messages": [_message_data(message) for message in request.messages],
        "max_tokens": request.max_tokens,
        "repetition": request.repetition,
    }
    if request.temperature is not None:
        data["temperature"] = request.temperature
    if request.response_schema is not None:
        data["response_schema"] = dict(request.response_schema)
    if request.tools:
        data["tools"] = [tool.to_json() for tool in request.tools]
    return data


def _message_data(message: Message) -> dict[str, Any]:
    data: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        data["tool_calls"] = calls_json(message.tool_calls)
    if message.tool_results:
        data["tool_results"] = [result.to_json() for result in message.tool_results]
    return data


def reply_entry(request: ModelRequest, reply: ModelReply, at: str, request_hash: str) -> JournalEntry:
    """Return the entry of a paid reply."""
    return JournalEntry(
        kind="reply",
        request_hash=request_hash,
        role=request.role.value,
        model=str(request.model),
        request=request_data(request),
        text=reply.text,
        tool_calls=reply.tool_calls,
        stop_reason=reply.stop_reason.value,
        usage=reply.usage,
        cost_usd=reply.cost_usd,
        cost_is_reported=reply.cost_is_reported,
        latency_ms=reply.latency_ms,
        at=at,
    )


def failure_entry(
    request: ModelRequest, kind: str, message: str, at: str, maybe_usd: float | None, maybe_tokens: int
) -> JournalEntry:
    """Return the entry of an attempt without a reply; the request's text is left to the entry that has one."""
    return JournalEntry(
        kind="failed",
        request_hash=request.request_hash,
        role=request.role.value,
        model=str(request.model),
        at=at,
        failure=kind,
        message=message,
        maybe_usd=maybe_usd,
        maybe_tokens=maybe_tokens,
    )


def to_line(entry: JournalEntry) -> bytes:
    """Return the entry as one line of ASCII JSON with its line end."""
    data: dict[str, Any] = {"v": FORMAT, "kind": entry.kind}
    if entry.kind == "batch":
        data |= {"batch": entry.batch_id, "hashes": list(entry.batch_hashes)}
    else:
        data |= {"hash": entry.request_hash, "role": entry.role, "model": entry.model, "at": entry.at}
    if entry.kind == "reply":
        usage = entry.usage
        data |= {
            "request": entry.request,
            "text": entry.text,
            "stop_reason": entry.stop_reason,
            "usage": {
                "input": usage.input_tokens,
                "output": usage.output_tokens,
                "cache_read": usage.cache_read_tokens,
                "cache_write": usage.cache_write_tokens,
            },
            "usd": entry.cost_usd,
            "usd_is_reported": entry.cost_is_reported,
            "latency_ms": entry.latency_ms,
        }
        if entry.tool_calls:
            data["tool_calls"] = calls_json(entry.tool_calls)
    elif entry.kind == "failed":
        data |= {
            "failure": entry.failure,
            "message": entry.message,
            "maybe_usd": entry.maybe_usd,
            "maybe_tokens": entry.maybe_tokens,
        }
    return _ENCODER.encode(data).encode("ascii") + b"\n"


def parse_entry(line: bytes) -> JournalEntry:
    """Read one line. Raises ValueError when it is not an entry of this format."""
    data = json.loads(line)
    if not isinstance(data, dict) or data.get("v") != FORMAT:
        raise ValueError("not a journal line of this format")
    try:
        return _READERS[data["kind"]](data)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError("an incomplete journal line") from error


def _read_reply(data: dict[str, Any]) -> JournalEntry:
    usage = data["usage"]
    bytes.fromhex(data["hash"])
    return JournalEntry(
        kind="reply",
        request_hash=data["hash"],
        role=data["role"],
        model=data["model"],
        request=data["request"],
        text=data["text"],
        tool_calls=tuple(ToolCall.from_json(call) for call in data.get("tool_calls", ())),
        stop_reason=StopReason(data["stop_reason"]).value,
        usage=Usage(usage["input"], usage["output"], usage["cache_read"], usage["cache_write"]),
        cost_usd=data["usd"],
        cost_is_reported=data["usd_is_reported"],
        latency_ms=data["latency_ms"],
        at=data["at"],
    )


def _read_failure(data: dict[str, Any]) -> JournalEntry:
    return JournalEntry(
        kind="failed",
        request_hash=data["hash"],
        role=data["role"],
        model=data["model"],
        at=data["at"],
        failure=data["failure"],
        message=data["message"],
        maybe_usd=data["maybe_usd"],
        maybe_tokens=data["maybe_tokens"],
    )


def _read_batch(data: dict[str, Any]) -> JournalEntry:
    return JournalEntry(kind="batch", batch_id=data["batch"], batch_hashes=tuple(data["hashes"]))


_READERS = {"reply": _read_reply, "failed": _read_failure, "batch": _read_batch}
