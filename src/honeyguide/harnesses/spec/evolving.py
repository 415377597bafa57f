"""Fields of ``harness.yaml`` on other harnesses and on its own evolution."""

from __future__ import annotations

import math
import re
from typing import Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec.references import Part

_METRIC = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
DelegationMode = Literal["on_start", "on_verify_fail", "model_choice"]
DEFAULT_MUTABLE = (
    "system_prompt", "loop.max_turns", "loop.policy", "context.strategy", "tools", "memory.entries", "delegation",
)  # fmt: skip


class Delegation(Part):
    """Handing work to other harnesses."""

    enabled: bool = False
    directory: Literal["local"] = "local"
    when: list[DelegationMode] = Field(default_factory=lambda: list[DelegationMode](["model_choice"]))
    min_peer_success_rate: float = Field(default=0.0, ge=0.0, le=1.0)
    min_peer_runs: int = Field(default=0, ge=0)
    max_depth: int = Field(default=2, ge=1, le=5)
    budget_share: float = Field(default=0.5, ge=0.0, le=1.0)
    exclude: list[str] = Field(default_factory=list)

    @field_validator("when")
    @classmethod
    def _once_each(cls, value: list[str]) -> list[str]:
        if len(set(value)) != len(value):
            raise ValueError("delegation.when must not repeat a mode")
        return value


class AutoPropose(Part):
    """Drafting by itself after failing runs; never applying."""

    enabled: bool = False
    min_failures: int = Field(default=5, ge=1)
    cooldown_hours: float = Field(default=24.0, ge=1 / 60)
    model: str | None = None


class Reflect(Part):
    """Drafting lessons after runs."""

    enabled: bool = False
    on: Literal["failure", "any"] = "failure"
    max_lessons: int = Field(default=1, ge=1, le=3)
    cooldown_minutes: float = Field(default=30.0, ge=1.0)
    model: str | None = None


class TraceExcerpts(Part):
    """Which journal events may reach the proposing model."""

    enabled: bool = False
    max_incidents: int = Field(default=5, ge=1, le=20)
    before_events: int = Field(default=2, ge=0, le=10)
    after_events: int = Field(default=2, ge=0, le=10)
    max_event_bytes: int = Field(default=2048, ge=128, le=16384)
    max_bytes: int = Field(default=32768, ge=1024, le=262144)
    max_tokens: int = Field(default=8192, ge=256, le=65536)


class Objective(Part):
    """A metric that changes are judged by."""

    metric: str
    direction: Literal["maximize", "minimize"]
    source: str | None = None
    scope: Literal["case", "run", "eval"] | None = None
    unit: str | None = None
    floor: float | None = None
    ceiling: float | None = None

    @field_validator("metric")
    @classmethod
    def _named(cls, value: str) -> str:
        if not _METRIC.fullmatch(value):
            raise ValueError("objective metric must match [A-Za-z][A-Za-z0-9_.-]{0,127}")
        return value

    @field_validator("source", "unit")
    @classmethod
    def _stripped(cls, value: str | None) -> str | None:
        if value is None:
            return None
        if not value.strip() or len(value.strip()) > 128:
            raise ValueError("objective source and unit need 1 to 128 characters")
        return value.strip()

    @model_validator(mode="after")
    def _bounds(self) -> Objective:
        for bound in (self.floor, self.ceiling):
            if bound is not None and not math.isfinite(bound):
                raise ValueError("objective floor and ceiling must be finite")
        if self.floor is not None and self.ceiling is not None and self.floor > self.ceiling:
            raise ValueError("objective floor cannot exceed ceiling")
        return self


class Evolution(Part):
    """What may change, and how changes are drafted."""

    enabled: bool = True
    mutable: list[str] = Field(default_factory=lambda: list(DEFAULT_MUTABLE))
    frozen: list[str] = Field(default_factory=lambda: ["guardrails", "model"])
    auto_propose: AutoPropose = Field(default_factory=AutoPropose)
    reflect: Reflect = Field(default_factory=Reflect)
    trace_excerpts: TraceExcerpts = Field(default_factory=TraceExcerpts)
    objectives: list[Objective] = Field(default_factory=list, max_length=10)

    @field_validator("objectives")
    @classmethod
    def _unique(cls, value: list[Objective]) -> list[Objective]:
        names = [objective.metric for objective in value]
        if doubled := sorted({name for name in names if names.count(name) > 1}):
            raise ValueError("evolution objective metric names must be unique: " + ", ".join(doubled))
        return value
