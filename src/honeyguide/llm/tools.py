"""Tools in a conversation: what a model may call, what it calls, what came back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """One tool that is offered; ``parameters`` is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})

    def to_json(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "input_schema": dict(self.parameters)}


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One call that a model asks for."""

    id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        return {"id": self.id, "name": self.name, "arguments": dict(self.arguments)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ToolCall:
        """Read what ``to_json`` wrote. Raises KeyError, TypeError."""
        return cls(str(data["id"]), str(data["name"]), dict(data["arguments"]))

    def redacted(self, redact: Callable[[str], str]) -> ToolCall:
        """Return the call with every text in its arguments redacted."""
        return replace(self, arguments=redacted_value(dict(self.arguments), redact))


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What came of a call."""

    call_id: str
    content: str
    is_error: bool = False

    def to_json(self) -> dict[str, Any]:
        return {"call_id": self.call_id, "content": self.content, "is_error": self.is_error}


def calls_json(calls: Sequence[ToolCall]) -> list[dict[str, Any]]:
    """Return calls as plain data."""
    return [call.to_json() for call in calls]


def redacted_value(value: Any, redact: Callable[[str], str]) -> Any:
    """Return plain data with every text redacted; names of members stay."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Mapping):
        return {key: redacted_value(item, redact) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_value(item, redact) for item in value]
    return value
