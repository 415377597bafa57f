"""What every model looks like to the rest of the program: one request, one reply, one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol

from honeyguide.kernel.canonical import fingerprint
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.tools import ToolCall, ToolResult, ToolSpec


class ModelRole(StrEnum):
    """What a call is for; each role may have its own model."""

    EXECUTOR = "executor"
    JUDGE = "judge"
    MUTATOR = "mutator"
    MAINTAINER = "maintainer"


@dataclass(frozen=True, slots=True)
class ModelRef:
    """A model by provider and name, written ``PROVIDER:MODEL``."""

    provider: str
    model: str

    @classmethod
    def parse(cls, text: str) -> ModelRef:
        """Read ``PROVIDER:MODEL``; ``practice`` alone is ``practice:practice``. Raises InvalidInput."""
        provider, colon, model = text.strip().partition(":")
        if provider == "practice" and not colon:
            model = "practice"
        if not provider or not model:
            raise InvalidInput(
                f"{text!r} does not name a model.",
                hint="Write PROVIDER:MODEL, for example anthropic:claude-haiku-4-5.",
            )
        return cls(provider, model)

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation with a model.

    Attributes:
        tool_calls: what the assistant asked for in this turn.
        tool_results: what the user's turn answers to earlier calls.
    """

    role: Literal["user", "assistant"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()

    def content_for_hash(self) -> list[Any]:
        """Return what decides a reply: role and text, and calls and results where there are some."""
        parts: list[Any] = [self.role, self.content]
        if self.tool_calls or self.tool_results:
            parts += [[c.to_json() for c in self.tool_calls], [r.to_json() for r in self.tool_results]]
        return parts


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """Everything that decides a reply.

    Attributes:
        model: which model is asked.
        messages: the conversation, oldest first.
        system: the stable prefix (instructions); cached by providers that can.
        max_tokens: the longest reply that is accepted.
        role: what the call is for; not part of the hash.
        repetition: which sample this is; the same request with another number is another sample.
        response_schema: a JSON schema the reply should keep, where the provider can; else text parsing.
        temperature: ``None`` leaves it to the provider.
        tools: what the model may call; the caller carries the calls out.
    """

    model: ModelRef
    messages: tuple[Message, ...]
    system: str = ""
    max_tokens: int = 1024
    role: ModelRole = ModelRole.EXECUTOR
    repetition: int = 0
    response_schema: Mapping[str, Any] | None = None
    temperature: float | None = None
    tools: tuple[ToolSpec, ...] = ()

    @property
    def request_hash(self) -> str:
        """SHA-256 over provider, model, parameters, system, messages, repetition, and tools where there are some."""
        tools = {"tools": [tool.to_json() for tool in self.tools]} if self.tools else {}
        return fingerprint(
            {
                **tools,
                "provider": self.model.provider,
                "model": self.model.model,
                "system": self.system,
                "messages": [m.content_for_hash() for m in self.messages],
                "max_tokens": self.max_tokens,
                "temperature": self.temperature,
                "response_schema": self.response_schema,
                "repetition": self.repetition,
            }
        )


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the provider reported them; ``None`` when it did not."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


class StopReason(StrEnum):
    """Why the reply ended."""

    END = "end"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    REFUSAL = "refusal"
    TOOL_USE = "tool_use"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model answered.

    Attributes:
        cost_usd: price of the call in US dollars; ``None`` when the price is unknown, 0.0 when it is free.
        cost_is_reported: whether the provider stated the price; otherwise it is estimated from the table.
        latency_ms: time from sending to the whole reply; not part of any decision.
        replayed: whether it came from the journal and cost nothing now.
        tool_calls: what the model asks to be called.
    """

    text: str
    stop_reason: StopReason = StopReason.END
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    cost_is_reported: bool = False
    latency_ms: int = 0
    replayed: bool = False
    tool_calls: tuple[ToolCall, ...] = ()


class ModelClient(Protocol):
    """Anything that answers a request: a provider, or a layer around one."""

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the reply. Raises ModelError (never scored), BudgetExceeded, or Interrupted."""
        ...
