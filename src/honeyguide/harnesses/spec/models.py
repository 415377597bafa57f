"""The fields of ``harness.yaml``, in the order in which the version hash takes them. Validated here, once."""

from __future__ import annotations

import json
import math
import re
from datetime import datetime
from typing import Any, Literal

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.references import (
    BuiltinGuardrail,
    BuiltinTool,
    Guardrail,
    Hook,
    McpServer,
    Part,
    Tool,
    Validator,
)

_PATH = re.compile(r"[^.\[\]]+(?:\[\*\])?(?:\.[^.\[\]]+(?:\[\*\])?)*")
_METRIC = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,127}")
_NAME = re.compile(r"[a-zA-Z0-9_-]+")
_CONTROLLED = frozenset(
    {
        "model", "messages", "system", "input", "tools", "functions", "max_tokens", "max_completion_tokens",
        "max_output_tokens", "temperature", "stream", "stream_options", "n",
    }
)  # fmt: skip
DelegationMode = Literal["on_start", "on_verify_fail", "model_choice"]
DEFAULT_MUTABLE = (
    "system_prompt", "loop.max_turns", "loop.policy", "context.strategy", "tools", "memory.entries", "delegation",
)  # fmt: skip


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


class MemoryEntry(Part):
    """One lesson that stands in every prompt."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]{0,63}$")
    kind: Literal["fact", "rule", "example"]
    title: str = Field(min_length=1, max_length=200)
    content: str = Field(min_length=1, max_length=4000)
    source: str | None = Field(default=None, max_length=200)
    evidence: str | None = Field(default=None, max_length=1000)
    created_at: str | None = None
    pinned: bool = False

    @field_validator("title", "content")
    @classmethod
    def _not_blank(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("memory entry must not be blank")
        return value

    @field_validator("created_at")
    @classmethod
    def _is_moment(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                datetime.fromisoformat(value)
            except ValueError as error:
                raise ValueError(f"memory entry created_at must be an ISO 8601 timestamp (got {value!r})") from error
        return value


class Memory(Part):
    """Lessons and their budgets."""

    enabled: bool = True
    max_entries: int = Field(default=24, ge=0, le=200)
    max_entry_chars: int = Field(default=600, ge=1, le=4000)
    prompt_budget_chars: int = Field(default=6000, ge=1, le=40000)
    selection: Literal["all", "relevant"] = "all"
    max_selected: int = Field(default=8, ge=1, le=200)
    entries: list[MemoryEntry] = Field(default_factory=list)

    @model_validator(mode="after")
    def _within_budgets(self) -> Memory:
        seen: set[str] = set()
        for entry in self.entries:
            if entry.id in seen:
                raise ValueError(f"duplicate memory entry id '{entry.id}'")
            seen.add(entry.id)
            if len(entry.content) > self.max_entry_chars:
                raise ValueError(
                    f"memory entry '{entry.id}' content is {len(entry.content)} characters;"
                    f" memory.max_entry_chars is {self.max_entry_chars}"
                )
        if self.selection == "relevant" and sum(e.pinned for e in self.entries) > self.max_selected:
            raise ValueError(f"more entries are pinned than memory.max_selected ({self.max_selected}) allows")
        if len(self.entries) > self.max_entries:
            raise ValueError(f"memory holds {len(self.entries)} entries; memory.max_entries is {self.max_entries}")
        if (size := len(self.rendered())) > self.prompt_budget_chars:
            raise ValueError(
                f"the rendered memory section is {size} characters;"
                f" memory.prompt_budget_chars is {self.prompt_budget_chars}"
            )
        return self

    def rendered(self) -> str:
        """Return the lessons as the prompt holds them, without a heading."""
        lines = (f"- [{e.kind}] {' '.join(e.title.split())}: {' '.join(e.content.split())}" for e in self.entries)
        return "\n".join(lines)


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


class Redaction(Part):
    """What never stands in a journal."""

    keys: list[str] = Field(default_factory=list)
    paths: list[str] = Field(default_factory=list)
    patterns: list[str] = Field(default_factory=list)

    @field_validator("keys")
    @classmethod
    def _clean_keys(cls, values: list[str]) -> list[str]:
        cleaned = [value.strip() for value in values]
        if any(not value for value in cleaned) or len({v.casefold() for v in cleaned}) != len(cleaned):
            raise ValueError("redaction keys must be unique (case-insensitive) and not empty")
        return cleaned

    @field_validator("paths")
    @classmethod
    def _dotted(cls, values: list[str]) -> list[str]:
        for value in values:
            if not _PATH.fullmatch(value):
                raise ValueError(f"invalid redaction path {value!r}; use dot-separated keys and [*]")
        if len(set(values)) != len(values):
            raise ValueError("redaction paths must be unique")
        return values

    @field_validator("patterns")
    @classmethod
    def _compile(cls, values: list[str]) -> list[str]:
        for value in values:
            try:
                re.compile(value)
            except (re.error, RecursionError) as error:
                raise ValueError(f"invalid redaction regex {value!r}: {error}") from error
        return values


class Retention(Part):
    """How long journals are kept."""

    days: int | None = Field(default=None, gt=0)
    max_runs: int | None = Field(default=None, gt=0)
    max_bytes: int | None = Field(default=None, gt=0)

    @model_validator(mode="after")
    def _says_something(self) -> Retention:
        if self.days is None and self.max_runs is None and self.max_bytes is None:
            raise ValueError("retention must set days, max_runs, or max_bytes")
        return self


class Logging(Part):
    """The journal."""

    trace_dir: str = "./.hiveloom/traces"
    level: Literal["journal", "summary"] = "journal"
    redact: Redaction = Field(default_factory=Redaction)
    retention: Retention | None = None
    snapshot_files: bool = False

    @field_validator("level", mode="before")
    @classmethod
    def _renamed(cls, value: Any) -> Any:
        return {"full": "journal", "tool_calls_only": "summary"}.get(value, value) if isinstance(value, str) else value

    @field_validator("redact", mode="before")
    @classmethod
    def _bare_list(cls, value: Any) -> Any:
        return {"patterns": value} if isinstance(value, list) else value

    @model_validator(mode="after")
    def _own_folder(self) -> Logging:
        if self.retention is not None and self.trace_dir.strip() in {"", ".", "./"}:
            raise ValueError("logging.retention requires a dedicated trace_dir, not the harness root")
        return self


class Confinement(Part):
    """What child processes may do."""

    mode: Literal["auto", "off", "require"] = "auto"
    network: bool = False
    writable: bool = True
    hide_home: bool = True
    env_passthrough: list[str] = Field(default_factory=list)
    timeout_seconds: int = Field(default=30, gt=0)
    max_output_bytes: int = Field(default=1048576, gt=0)
    max_memory_mb: int = Field(default=2048, ge=0)
    max_processes: int = Field(default=0, ge=0)

    @field_validator("mode", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value


class Egress(Part):
    """What may leave in a model request."""

    mode: Literal["redact", "block", "off"] = "redact"
    detect_credentials: bool = True
    patterns: list[str] = Field(default_factory=list)

    @field_validator("mode", mode="before")
    @classmethod
    def _off(cls, value: Any) -> Any:
        return "off" if value is False else value


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


class HarnessSpec(Part):
    """A whole ``harness.yaml``; the first field is written ``version`` in the hashed text."""

    schema_version: str = "0.2.0"
    name: str
    id: str = ""
    description: str
    extensions: list[str] = Field(default_factory=list)
    model: Model = Field(default_factory=Model)
    system_prompt: str
    tools: list[Tool] = Field(default_factory=list)
    mcp_servers: list[McpServer] = Field(default_factory=list)
    skills: list[str] = Field(default_factory=list)
    playbooks: list[Playbook] = Field(default_factory=list)
    hooks: list[Hook] = Field(default_factory=list)
    context: Context = Field(default_factory=Context)
    memory: Memory = Field(default_factory=Memory)
    guardrails: list[Guardrail] = Field(default_factory=list)
    loop: Loop = Field(default_factory=Loop)
    verify: Verify = Field(default_factory=Verify)
    logging: Logging = Field(default_factory=Logging)
    confinement: Confinement = Field(default_factory=Confinement)
    egress: Egress = Field(default_factory=Egress)
    delegation: Delegation = Field(default_factory=Delegation)
    evolution: Evolution = Field(default_factory=Evolution)

    @model_validator(mode="before")
    @classmethod
    def _legacy_version(cls, value: Any) -> Any:
        if not isinstance(value, dict) or "version" not in value:
            return value
        data = dict(value)
        legacy = data.pop("version")
        if "schema_version" in data and data["schema_version"] != legacy:
            raise ValueError("conflicting version and schema_version values; keep only schema_version")
        data.setdefault("schema_version", legacy)
        return data

    @field_validator("name")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value.strip():
            raise ValueError("name must not be empty")
        return value

    @model_validator(mode="after")
    def _has_cost_ceiling(self) -> HarnessSpec:
        """A spec without a cost guardrail gets one of 1.00 USD."""
        builtins = [g for g in self.guardrails if isinstance(g, BuiltinGuardrail)]
        if not any(g.builtin == "max_cost_usd" for g in builtins):
            self.guardrails.append(BuiltinGuardrail.model_validate({"builtin": "max_cost_usd", "value": 1.0}))
        for guardrail in builtins:
            cap = catalogue.GUARDRAIL_CAPS.get(guardrail.builtin)
            value = guardrail.parameters.get("value")
            if cap is not None and not (isinstance(value, int | float) and 0 < value <= cap):
                raise ValueError(f"{guardrail.builtin}.value must be greater than 0 and at most {cap}")
        return self

    @model_validator(mode="after")
    def _names_fit(self) -> HarnessSpec:
        servers = [server.name for server in self.mcp_servers]
        for name in servers:
            if not _NAME.fullmatch(name) or "__" in name:
                raise ValueError(f"mcp server name {name!r} must match [a-zA-Z0-9_-]+ and hold no '__'")
        if len(set(servers)) != len(servers):
            raise ValueError("duplicate mcp server name")
        names = [playbook.name for playbook in self.playbooks]
        if len(set(names)) != len(names):
            raise ValueError("duplicate playbook name")
        if sum(playbook.entry for playbook in self.playbooks) > 1:
            raise ValueError("at most one playbook may set entry: true")
        available = self.tool_names | catalogue.ALWAYS_THERE
        listed = [(f"playbook '{p.name}'", set(p.tools or [])) for p in self.playbooks]
        steps = [step for step in self.loop.steps if isinstance(step, Step)]
        listed += [(f"sequential step '{s.id}'", set(s.tools or []) | set(s.require_tool_calls)) for s in steps]
        for owner, tools in listed:
            if unknown := sorted(name for name in tools - available if not name.startswith("mcp__")):
                raise ValueError(f"{owner} lists unknown tool(s): {', '.join(unknown)}")
        if self.playbooks and any(step.tools is not None or step.require_tool_calls for step in steps):
            raise ValueError("structured step tool constraints cannot be combined with playbooks")
        return self

    @property
    def identity(self) -> str:
        """What runs, labels and proposals are kept under: the id, or the name where there is none."""
        return self.id or self.name

    @property
    def tool_names(self) -> frozenset[str]:
        """The names under which the declared tools are called."""
        return frozenset(t.builtin if isinstance(t, BuiltinTool) else t.function for t in self.tools)
