"""Fields of ``harness.yaml`` on what the model is asked: the model itself and what stays in its context."""

from __future__ import annotations

import json
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.references import Part

_CONTROLLED = frozenset(
    {
        "model", "messages", "system", "input", "tools", "functions", "max_tokens", "max_completion_tokens",
        "max_output_tokens", "temperature", "stream", "stream_options", "n",
    }
)  # fmt: skip
DelegationMode = Literal["on_start", "on_verify_fail", "model_choice"]


class Model(Part):
    """Who answers."""

    provider: str = "claude"
    id: str = "claude-haiku-4-5"
    max_tokens: int = Field(default=4096, gt=0, le=1_000_000)
    temperature: float | None = Field(default=None, ge=0.0, le=1.0)
    params: dict[str, Any] = Field(default_factory=dict)

    @field_validator("params")
    @classmethod
    def _not_controlled(cls, value: dict[str, Any]) -> dict[str, Any]:
        taken = _CONTROLLED.intersection(value)
        if taken:
            raise ValueError(f"model.params cannot set {sorted(taken)}: these fields are controlled by the harness")
        if len(json.dumps(value, default=str)) > 64 * 1024:
            raise ValueError("model.params is larger than 64 KiB")
        return value


class Compaction(Part):
    """When and how the conversation is shortened."""

    trigger_at_pct: int = Field(default=80, ge=1, le=100)
    method: str = "summarize"
    max_tokens: int | None = Field(default=None, ge=1)

    @field_validator("method")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in catalogue.COMPACTIONS:
            raise ValueError(f"unknown compaction method '{value}' (valid: {', '.join(catalogue.COMPACTIONS)})")
        return value


class ToolResults(Part):
    """How much of a tool's result stands in the conversation."""

    max_inline_bytes: int = Field(default=16384, ge=0, le=10_000_000)
    preview_head_bytes: int = Field(default=2048, ge=0)
    preview_tail_bytes: int = Field(default=1024, ge=0)
    transforms: bool = True

    @model_validator(mode="after")
    def _preview_is_smaller(self) -> ToolResults:
        preview = self.preview_head_bytes + self.preview_tail_bytes
        if self.max_inline_bytes and preview >= self.max_inline_bytes:
            raise ValueError(
                f"preview_head_bytes + preview_tail_bytes ({preview}) must be below"
                f" max_inline_bytes ({self.max_inline_bytes})"
            )
        return self


class Context(Part):
    """What the model gets to see."""

    max_input_tokens: int = Field(default=30000, gt=0, le=1_000_000)
    strategy: Literal["rolling", "full", "summary"] = "rolling"
    compaction: Compaction = Field(default_factory=Compaction)
    pinned: list[str] = Field(default_factory=lambda: ["system_prompt", "task_statement"])
    tool_results: ToolResults = Field(default_factory=ToolResults)
