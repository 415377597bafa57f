"""Fields of ``harness.yaml`` on the turns of a run and how its end is verified."""

from __future__ import annotations

import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.references import Part, Validator

_NAME = re.compile(r"[a-zA-Z0-9_-]+")


class Step(Part):
    """One step of ``sequential_steps``."""

    id: str = Field(min_length=1, max_length=100, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]*$")
    instruction: str = Field(min_length=1, max_length=5000)
    tools: list[str] | None = Field(default=None, max_length=1000)
    require_tool_calls: list[str] = Field(default_factory=list, max_length=1000)
    max_model_calls: int | None = Field(default=None, ge=1, le=1000)
    max_tool_calls: int | None = Field(default=None, ge=1, le=10000)

    @model_validator(mode="after")
    def _tools_fit(self) -> Step:
        if not self.instruction.strip():
            raise ValueError("step instruction must not be blank")
        for names in (self.tools or [], self.require_tool_calls):
            if any(not name.strip() for name in names) or len(set(names)) != len(names):
                raise ValueError("step tool names must be unique and not blank")
        if self.tools is not None and (missing := sorted(set(self.require_tool_calls) - set(self.tools))):
            raise ValueError(f"step '{self.id}' requires tools it does not list: {', '.join(missing)}")
        return self


class Loop(Part):
    """How the run goes round."""

    policy: str = "react"
    steps: list[str | Step] = Field(default_factory=list)
    attempts: int = Field(default=3, ge=1, le=16)
    max_turns: int = Field(default=20, gt=0, le=1000)
    on_tool_error: Literal["retry_once", "surface_to_model", "abort"] = "retry_once"
    tool_execution: Literal["sequential", "parallel"] = "sequential"
    require_verification: bool = True

    @model_validator(mode="after")
    def _fits(self) -> Loop:
        if self.policy not in catalogue.POLICIES:
            raise ValueError(f"unknown loop policy '{self.policy}' (valid: {', '.join(catalogue.POLICIES)})")
        if self.policy == "sequential_steps" and not self.steps:
            raise ValueError("loop.policy 'sequential_steps' requires a non-empty loop.steps")
        ids = [step.id for step in self.steps if isinstance(step, Step)]
        if len(set(ids)) != len(ids):
            raise ValueError("structured sequential step ids must be unique")
        return self


class OnFail(Part):
    """What follows a failed verification."""

    action: Literal["retry_with_feedback", "abort"] = "retry_with_feedback"
    max_retries: int = Field(default=2, ge=0, le=100)


class Verify(Part):
    """What an output must pass."""

    validators: list[Validator] = Field(default_factory=list)
    on_fail: OnFail = Field(default_factory=OnFail)


class Playbook(Part):
    """A mode with its own prompt, tools and validators."""

    name: str
    description: str
    prompt: str | None = None
    tools: list[str] | None = None
    validators: list[Validator] = Field(default_factory=list)
    model: str | None = None
    model_provider: str | None = None
    on_enter: str | None = None
    on_exit: str | None = None
    entry: bool = False

    @field_validator("name")
    @classmethod
    def _plain(cls, value: str) -> str:
        if not _NAME.fullmatch(value):
            raise ValueError(f"playbook name {value!r} must match [a-zA-Z0-9_-]+")
        return value
