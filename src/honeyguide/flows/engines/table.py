"""The command line of each agent program: defaults, isolation, and how frontmatter becomes flags.

Later wins: the program's defaults and the configuration, then isolation, then the frontmatter.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from honeyguide.kernel.errors import InvalidInput, Unsupported

API: Final = "api"
PRACTICE: Final = "practice"
MODEL_ENGINES: Final = (API, PRACTICE)
"""Engines that need no other program."""
FREE_ENGINES: Final = (PRACTICE,)
_MAX_TOKENS: Final = ("max-tokens", "max_tokens", "maxTokens")
_CONTROL: Final = frozenset(("engine", "tool", "description", "route", "evolve", "context_window"))
_JOINED: Final = frozenset(
    ("allowed-tools", "allowedTools", "disallowed-tools", "disallowedTools", "tools", "add-dir", "betas", "mcp-config",
     "plugin-dir")
)  # fmt: skip
"""Flags that take their value with ``=``, and a list as several of them."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """One program.

    Attributes:
        subcommand: what stands before all flags.
        defaults: flags that make it print and end.
        isolation: flags that keep the person's own settings and sessions out.
        max_tokens: the name of its flag; ``None`` when it has none; ``""`` as it is written.
        has_temperature: whether it takes one.
        positionals: position to flag, where the prompt is not simply the last argument.
        system: how it takes a system prompt: ``flags``, ``repeat``, ``codex``, ``gemini`` or not at all.
        isolated_home: an environment variable that is pointed at a private folder in isolation.
    """

    name: str
    subcommand: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    isolation: Mapping[str, Any] = field(default_factory=dict)
    max_tokens: str | None = "max-tokens"
    has_temperature: bool = True
    positionals: Mapping[int, str] = field(default_factory=dict)
    system: str = ""
    isolated_home: str = ""


ADAPTERS: Final[Mapping[str, Adapter]] = {
    adapter.name: adapter
    for adapter in (
        Adapter("claude", (), {"print": True}, {"safe-mode": True, "no-session-persistence": True}, system="flags"),
        Adapter(
            "codex", ("exec",), {},
            {"ignore-user-config": True, "ephemeral": True, "config": ["project_doc_max_bytes=0"]},
            max_tokens="max-output-tokens", system="codex", isolated_home="CODEX_HOME",
        ),
        Adapter("gemini", (), {}, {"extensions": "none"}, max_tokens="max-output-tokens", system="gemini"),
        Adapter(
            "copilot", (), {"silent": True}, {"no-custom-instructions": True, "disable-builtin-mcps": True},
            max_tokens="max-completion-tokens", positionals={1: "prompt"},
        ),
        Adapter("droid", ("exec",)),
        Adapter("opencode", ("run",), {}, {"pure": True}),
        Adapter(
            "pi", (), {"print": True},
            {"no-extensions": True, "no-skills": True, "no-prompt-templates": True, "no-context-files": True,
             "no-session": True},
            max_tokens=None, has_temperature=False, system="repeat",
        ),
        Adapter(
            "cursor-agent", (), {"print": True, "output-format": "text"}, max_tokens=None, has_temperature=False
        ),
        Adapter("agy", (), {"print": True}, max_tokens=None, has_temperature=False),
    )
}  # fmt: skip


def adapter_for(engine: str) -> Adapter:
    """Return what is known of a program; a plain one for a name that is not in the table."""
    return ADAPTERS.get(engine) or Adapter(engine, max_tokens="")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """How a program is started.

    Attributes:
        argv: everything, program and prompt included.
        env: what is added to the environment.
        files: (placeholder in argv or env, content) of files that have to be written first.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Flags:
    """Flags before the positional arguments, and where positions go."""

    argv: tuple[str, ...]
    positionals: Mapping[int, str]
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, str], ...] = ()


SYSTEM_FILE: Final = "\0system\0"
"""Stands for the path of the file that holds a system prompt."""


def flags_for(
    engine: str,
    fields: Mapping[str, Any],
    *,
    config: Mapping[str, Any] | None = None,
    isolated: bool | None = None,
) -> Flags:
    """Return the flags of ``engine`` for a frontmatter.

    Args:
        config: flags that the configuration files give this program.
        isolated: overrules ``_isolated``.

    Raises:
        Unsupported: a system prompt for a program that takes none.
        InvalidInput: a flag that cannot be one.
    """
    adapter = adapter_for(engine)
    keep_out = isolated if isolated is not None else fields.get("_isolated", True) is not False
    merged: dict[str, Any] = {**adapter.defaults, **(config or {})}
    if keep_out:
        _merge(merged, adapter.isolation)
    system = _system(adapter, fields)
    for key, value in system.flags:
        _merge(merged, {key: value})
    own = {key: value for key, value in fields.items() if not _is_control(key)}
    for key, value in own.items():
        if isinstance(adapter.isolation.get(key), list) and keep_out:
            _merge(merged, {key: value})
        else:
            merged[key] = value
    argv = [*_subcommand(adapter, fields)]
    for key, value in merged.items():
        argv.extend(_spelled(adapter, key, value))
    if any("\0" in part for part in argv if SYSTEM_FILE not in part):
        raise InvalidInput("A flag holds a NUL character.", hint="Remove it.")
    positionals = {**adapter.positionals, **_positionals(fields)}
    return Flags(tuple(argv), positionals, system.env, system.files)


def command_line(
    engine: str,
    prompt: str,
    fields: Mapping[str, Any],
    *,
    arguments: Sequence[str] = (),
    config: Mapping[str, Any] | None = None,
    isolated: bool | None = None,
) -> CommandLine:
    """Return how ``engine`` is started on ``prompt``; ``arguments`` are further positions, from 2 on."""
    flags = flags_for(engine, fields, config=config, isolated=isolated)
    argv = [engine, *flags.argv]
    for number, value in enumerate((prompt, *arguments), start=1):
        flag = flags.positionals.get(number)
        argv.extend([_dashed(flag), value] if flag else [value])
    return CommandLine(tuple(argv), flags.env, flags.files)


@dataclass(frozen=True, slots=True)
class _System:
    flags: tuple[tuple[str, Any], ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    files: tuple[tuple[str, str], ...] = ()


def _system(adapter: Adapter, fields: Mapping[str, Any]) -> _System:
    replaced, appended = fields.get("_system-prompt"), _texts(fields.get("_append-system-prompt"))
    if replaced is None and not appended:
        return _System()
    if replaced is not None and not isinstance(replaced, str):
        raise InvalidInput("_system-prompt must be a text.")
    joined = "\n\n".join(appended)
    if adapter.system in ("flags", "repeat"):
        flags: list[tuple[str, Any]] = [("system-prompt", replaced)] if replaced is not None else []
        if appended:
            flags.append(("append-system-prompt", joined if adapter.system == "flags" else appended))
        return _System(tuple(flags))
    if adapter.system == "codex":
        config = [f"model_instructions_file={SYSTEM_FILE}"] if replaced is not None else []
        config += [f"developer_instructions={joined}"] if appended else []
        files = ((SYSTEM_FILE, replaced),) if replaced is not None else ()
        return _System((("config", config),), {}, files)
    if adapter.system == "gemini" and replaced is not None and not appended:
        return _System((), {"GEMINI_SYSTEM_MD": SYSTEM_FILE}, ((SYSTEM_FILE, replaced),))
    raise Unsupported(
        f"{adapter.name} takes no system prompt of this kind.", hint="Put it into the prompt, or use another engine."
    )


def _texts(value: Any) -> list[str]:
    items = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise InvalidInput("_append-system-prompt must be a text or a list of texts.")
    return list(items)


def _merge(target: dict[str, Any], values: Mapping[str, Any]) -> None:
    """Later values win; lists of isolation are added to, so that they cannot be switched off by a list."""
    for key, value in values.items():
        known = target.get(key)
        if isinstance(known, list) or isinstance(value, list):
            before = known if isinstance(known, list) else [known] if known is not None else []
            target[key] = [*before, *(value if isinstance(value, list) else [value])]
        else:
            target[key] = value


def _is_control(key: str) -> bool:
    return key.startswith("_") or key in _CONTROL or bool(re.fullmatch(r"\$\d+", key))


def _subcommand(adapter: Adapter, fields: Mapping[str, Any]) -> tuple[str, ...]:
    own = fields.get("_subcommand")
    if own is None:
        return adapter.subcommand
    return tuple(str(item) for item in (own if isinstance(own, list) else [own]))


def _positionals(fields: Mapping[str, Any]) -> dict[int, str]:
    return {int(key[1:]): str(value) for key, value in fields.items() if re.fullmatch(r"\$\d{1,3}", key) and value}


def _spelled(adapter: Adapter, key: str, value: Any) -> list[str]:
    if value is None or value is False:
        return []
    if key in _MAX_TOKENS and adapter.max_tokens != "":
        if adapter.max_tokens is None:
            return []
        key = adapter.max_tokens
    if key == "temperature" and not adapter.has_temperature:
        return []
    flag = _dashed(key)
    if value is True:
        return [flag]
    if key in _JOINED:
        items = value if isinstance(value, list) else [part.strip() for part in str(value).split(",")]
        return [f"{flag}={_text(item)}" for item in items if _text(item)]
    if isinstance(value, list):
        return [part for item in value for part in (flag, _text(item))]
    return [flag, _text(value)]


def _dashed(key: str) -> str:
    if key.startswith("-"):
        return key
    return f"-{key}" if len(key) == 1 else f"--{key}"


def _text(value: Any) -> str:
    """Spell a value as the other tool does."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    if isinstance(value, Mapping):
        return "[object Object]"
    return str(value)
