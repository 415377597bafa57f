"""The fields of ``harness.yaml``, in the order in which the version hash takes them. Validated here, once."""

from __future__ import annotations

import re
from typing import Any

from pydantic import Field, field_validator, model_validator

from honeyguide.harnesses.spec import catalogue
from honeyguide.harnesses.spec.borders import Confinement, Egress, Logging
from honeyguide.harnesses.spec.context import Context, Model
from honeyguide.harnesses.spec.evolving import Delegation, Evolution
from honeyguide.harnesses.spec.loop import Loop, Playbook, Step, Verify
from honeyguide.harnesses.spec.memory import Memory
from honeyguide.harnesses.spec.references import BuiltinGuardrail, BuiltinTool, Guardrail, Hook, McpServer, Part, Tool

_NAME = re.compile(r"[a-zA-Z0-9_-]+")


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
