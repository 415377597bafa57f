"""What hiveloom 1.3 has built in: tools, guardrails, validators, hooks, and the parameters they take."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "float": (int, float), "int": (int,), "str": (str,), "bool": (bool,), "list": (list,),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Parameter:
    """One inline parameter of a builtin; ``type`` is one of float, int, str, bool, list."""

    type: str
    required: bool = False


@dataclass(frozen=True, slots=True)
class Builtin:
    """One builtin.

    Attributes:
        tags: what it can do (``read``, ``write``, ``network``, ``exec``, ``dangerous``, …).
    """

    parameters: Mapping[str, Parameter]
    tags: frozenset[str] = frozenset()


def _builtin(*tags: str, **parameters: Parameter) -> Builtin:
    return Builtin(parameters, frozenset(tags))


def _needs(type: str) -> Parameter:
    return Parameter(type, required=True)


TOOLS: Final[Mapping[str, Builtin]] = {
    "file_read": _builtin("read", "file"),
    "file_write": _builtin("write", "file"),
    "load_skill": _builtin("read", "skills"),
    "shell": _builtin("exec", "dangerous", commands=Parameter("list")),
    "http_get": _builtin("network", "read", hosts=Parameter("list")),
    "notes": _builtin("write", "memory", "context", max_notes=Parameter("int"), max_note_bytes=Parameter("int")),
    "recall_runs": _builtin(
        "read", "memory", limit=Parameter("int"), include_output=Parameter("bool"), scope=Parameter("str")
    ),
    "propose_memory": _builtin("write", "memory", max_per_run=Parameter("int")),
}
GUARDRAILS: Final[Mapping[str, Builtin]] = {
    "max_cost_usd": _builtin("budget", value=_needs("float")),
    "max_wall_clock_seconds": _builtin("budget", "time", value=_needs("int")),
    "max_turns_hard_cap": _builtin("budget", value=_needs("int")),
    "tool_allowlist": _builtin("safety"),
    "no_network_write": _builtin("safety", "network"),
    "regex_output_filter": _builtin("safety", "output", pattern=_needs("str")),
}
VALIDATORS: Final[Mapping[str, Builtin]] = {
    "output_schema": _builtin("schema", schema_file=_needs("str")),
    "regex_match": _builtin("regex", pattern=_needs("str")),
    "file_exists": _builtin("file", path=_needs("str")),
    "command_succeeds": _builtin("exec", command=_needs("str"), timeout=Parameter("int")),
    "grounded_references": _builtin(
        "grounding", output_path=_needs("str"), evidence_paths=_needs("list"), normalize=Parameter("str")
    ),
}
HOOKS: Final[Mapping[str, Builtin]] = {"strip_json_fence": _builtin("output")}
POLICIES: Final = ("react", "plan_then_act", "sequential_steps", "best_of_n")
COMPACTIONS: Final = ("summarize", "truncate_oldest")
EVENTS: Final = (
    "run_started", "context_assemble", "before_model_call", "before_provider_request", "after_provider_response",
    "after_model_response", "before_tool_call", "after_tool_call", "playbook_enter", "playbook_exit",
    "before_verification", "before_compaction", "verification", "run_finished",
)  # fmt: skip
PROVIDERS: Final = (
    "claude", "deepseek", "fireworks", "gemini", "groq", "mistral", "moonshot", "ollama", "openai", "openrouter",
    "together", "vllm", "xai",
)  # fmt: skip
GUARDRAIL_CAPS: Final[Mapping[str, float]] = {
    "max_cost_usd": 10_000.0, "max_wall_clock_seconds": 86_400, "max_turns_hard_cap": 10_000,
}  # fmt: skip
ALWAYS_THERE: Final = frozenset({"switch_playbook", "search_tools", "read_tool_result", "search_tool_result"})
"""Tools that the runtime adds by itself."""
EXTRA_ARGUMENTS_ALLOWED: Final = frozenset(
    {"diff", "echo", "grep", "head", "ls", "printf", "pwd", "sort", "tail", "uniq", "wc"}
)
"""Programs to which an allowlist may let the model add arguments."""


def parameter_problems(name: str, builtin: Builtin, given: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with the inline parameters of a builtin, in words."""
    problems = []
    for key in given:
        if key not in builtin.parameters:
            allowed = ", ".join(sorted(builtin.parameters)) or "none"
            problems.append(f"'{name}' has no parameter '{key}' (allowed: {allowed})")
    for key, parameter in builtin.parameters.items():
        if key not in given:
            if parameter.required:
                problems.append(f"'{name}' requires parameter '{key}'")
            continue
        value = given[key]
        fits = isinstance(value, _TYPES[parameter.type]) and (parameter.type == "bool" or not isinstance(value, bool))
        if not fits:
            problems.append(f"'{name}' parameter '{key}' must be {parameter.type}, got {type(value).__name__}")
    if name == "shell" and isinstance(given.get("commands"), list):
        for number, rule in enumerate(given["commands"]):
            try:
                shell_rule(rule)
            except ValueError as error:
                problems.append(f"shell commands[{number}]: {error}")
    return problems


def shell_rule(rule: object) -> tuple[tuple[str, ...], bool]:
    """Return the words of an allowlisted command and whether the model may add arguments. Raises ValueError."""
    extra: object = False
    if isinstance(rule, str):
        words: object = shlex.split(rule)
    elif isinstance(rule, Mapping):
        words, extra = rule.get("argv"), rule.get("allow_extra_args", False)
    else:
        raise ValueError("shell command rules must be strings or mappings")
    if not (isinstance(words, list) and words and all(isinstance(word, str) and word for word in words)):
        raise ValueError("shell command rules need a non-empty argv list")
    if not isinstance(extra, bool):
        raise ValueError("shell command rule allow_extra_args must be boolean")
    if extra and words[0] not in EXTRA_ARGUMENTS_ALLOWED:
        safe = ", ".join(sorted(EXTRA_ARGUMENTS_ALLOWED))
        raise ValueError(f"'{words[0]}' may not take arguments of the model's choice (only: {safe})")
    return tuple(words), extra
