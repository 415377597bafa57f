"""References inside a spec: a builtin with inline parameters, or ``path.py:function``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag, field_validator, model_validator

from honeyguide.harnesses.spec import catalogue


class Part(BaseModel):
    """A mapping of the spec. Unknown keys are kept as extras: they are problems, never losses."""

    model_config = ConfigDict(extra="allow", frozen=False)


class CodeRef(Part):
    """``relative/path.py:function``."""

    code: str

    @field_validator("code")
    @classmethod
    def _has_both_parts(cls, value: str) -> str:
        if value.count(":") != 1 or value.endswith(":") or value.startswith(":"):
            raise ValueError(f"code hook must be 'relative/path.py:function_name' (got {value!r})")
        return value

    @property
    def file(self) -> str:
        """The file, relative to the folder."""
        return self.code.rpartition(":")[0]

    @property
    def function(self) -> str:
        """The function's name."""
        return self.code.rpartition(":")[2]


class BuiltinRef(Part):
    """A builtin by name; extra keys are its parameters."""

    known: ClassVar[Mapping[str, catalogue.Builtin]] = {}
    noun: ClassVar[str] = "builtin"
    builtin: str

    @model_validator(mode="after")
    def _is_known(self) -> BuiltinRef:
        entry = self.known.get(self.builtin)
        if entry is None:
            raise ValueError(
                f"unknown {self.noun} builtin '{self.builtin}' (valid: {', '.join(sorted(self.known))})."
                " If it comes from an extension pack, hiveloom itself has to run it."
            )
        problems = catalogue.parameter_problems(self.builtin, entry, self.parameters)
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def parameters(self) -> dict[str, Any]:
        """The inline parameters, in document order."""
        return dict(self.model_extra or {})


class BuiltinTool(BuiltinRef):
    """A built-in tool."""

    known = catalogue.TOOLS
    noun = "tool"
    deferred: bool | None = None


class CodeTool(CodeRef):
    """A function that the model may call."""

    description: str
    deferred: bool | None = None


class BuiltinGuardrail(BuiltinRef):
    """A built-in guardrail."""

    known = catalogue.GUARDRAILS
    noun = "guardrail"


class CodeGuardrail(CodeRef):
    """A guardrail of the folder."""

    description: str | None = None


class BuiltinValidator(BuiltinRef):
    """A built-in validator."""

    known = catalogue.VALIDATORS
    noun = "validator"


class CodeValidator(CodeRef):
    """A validator of the folder."""

    description: str | None = None


def _known_event(value: str) -> str:
    if value not in catalogue.EVENTS:
        raise ValueError(f"unknown event '{value}' (valid: {', '.join(catalogue.EVENTS)})")
    return value


class BuiltinHook(BuiltinRef):
    """A built-in event handler."""

    known = catalogue.HOOKS
    noun = "hook"
    event: str
    _event = field_validator("event")(_known_event)


class CodeHook(CodeRef):
    """An event handler of the folder."""

    event: str
    description: str | None = None
    _event = field_validator("event")(_known_event)


def _shape(value: object) -> str | None:
    if isinstance(value, BuiltinRef) or (isinstance(value, Mapping) and "builtin" in value):
        return "builtin"
    if isinstance(value, CodeRef) or (isinstance(value, Mapping) and "code" in value):
        return "code"
    return None


_pick = Discriminator(
    _shape,
    custom_error_type="ref_shape",
    custom_error_message="an entry names either a 'builtin' or a 'code' function",
)
Tool = Annotated[Annotated[BuiltinTool, Tag("builtin")] | Annotated[CodeTool, Tag("code")], _pick]
Guardrail = Annotated[Annotated[BuiltinGuardrail, Tag("builtin")] | Annotated[CodeGuardrail, Tag("code")], _pick]
Validator = Annotated[Annotated[BuiltinValidator, Tag("builtin")] | Annotated[CodeValidator, Tag("code")], _pick]
Hook = Annotated[Annotated[BuiltinHook, Tag("builtin")] | Annotated[CodeHook, Tag("code")], _pick]
AnyRef = BuiltinRef | CodeRef


class McpStdio(Part):
    """A tool server started as a child process."""

    name: str
    transport: str
    command: str
    args: list[str] = Field(default_factory=list)
    env: dict[str, str] = Field(default_factory=dict)
    env_from_host_env: dict[str, str] = Field(default_factory=dict)
    cwd: str | None = None
    tools: list[str] | None = None
    deferred: bool = False
    timeout_seconds: float = Field(default=30.0, gt=0, le=600)


class McpHttp(Part):
    """A tool server reached over HTTP."""

    name: str
    transport: str
    url: str
    headers: dict[str, str] = Field(default_factory=dict)
    header_env: dict[str, str] = Field(default_factory=dict)
    tools: list[str] | None = None
    deferred: bool = False
    timeout_seconds: float = Field(default=30.0, gt=0, le=600)


def _transport(value: object) -> str | None:
    named = value.get("transport") if isinstance(value, Mapping) else getattr(value, "transport", None)
    return named if named in ("stdio", "http") else None


McpServer = Annotated[
    Annotated[McpStdio, Tag("stdio")] | Annotated[McpHttp, Tag("http")],
    Discriminator(
        _transport,
        custom_error_type="transport",
        custom_error_message="'transport' must be written out as 'stdio' or 'http'",
    ),
]
