"""Which engine a flow runs on: command line, environment, file name, frontmatter, configuration, default; the first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from honeyguide.flows.engines.table import ADAPTERS, MODEL_ENGINES
from honeyguide.kernel.errors import InvalidInput

DEFAULT_ENGINE: Final = "pi"
ENVIRONMENT: Final = "MDFLOW_ENGINE"
_TOKEN = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]*")
_STAMPS: Final = frozenset(("_mdflow_version", "_compat"))


@dataclass(frozen=True, slots=True)
class EngineChoice:
    """An engine and who chose it.

    Attributes:
        source: ``cli``, ``env``, ``filename``, ``frontmatter``, ``config`` or ``default``.
        notes: what a person should know about the choice.
    """

    engine: str
    source: str
    notes: tuple[str, ...] = ()

    def is_document(self, fields: Mapping[str, Any]) -> bool:
        """Whether the file is a document to print rather than a flow: nothing in it says that it is one."""
        return self.source in ("env", "config", "default") and set(fields) <= _STAMPS


def choose_engine(
    path: PurePath,
    fields: Mapping[str, Any],
    *,
    cli: str | None = None,
    environ: Mapping[str, str] | None = None,
    config: str | None = None,
    is_installed: Callable[[str], bool] = lambda name: False,
) -> EngineChoice:
    """Return the engine of a flow. Raises InvalidInput for a name that cannot be a program's."""
    notes: list[str] = []
    if cli is not None:
        return EngineChoice(_checked(cli, "the command line", path), "cli")
    named = (environ or {}).get(ENVIRONMENT)
    if named:
        return EngineChoice(_checked(named, ENVIRONMENT, path), "env")
    parts = path.name.split(".")
    if len(parts) >= 3 and parts[-1].lower() == "md":
        token = parts[-2]
        if token in ADAPTERS or token in MODEL_ENGINES or is_installed(token):
            return EngineChoice(_checked(token, "the file name", path), "filename")
        notes.append(f"{token!r} in the file name is no engine that is known here.")
    for key in ("engine", "tool", "_tool"):
        if key in fields and fields[key] is not None:
            if key != "engine":
                notes.append(f"{key!r} is an old name; write 'engine'.")
            return EngineChoice(_checked(fields[key], "the frontmatter", path), "frontmatter", tuple(notes))
    if config is not None:
        return EngineChoice(_checked(config, "the configuration", path), "config", tuple(notes))
    return EngineChoice(DEFAULT_ENGINE, "default", tuple(notes))


def _checked(value: Any, where: str, path: PurePath) -> str:
    if not isinstance(value, str) or not _TOKEN.fullmatch(value):
        shown = "empty" if value == "" else repr(value)
        raise InvalidInput(
            f"{path.name}: the engine from {where} is {shown}; that is no name of a program.",
            hint="Use letters, digits, dots, underscores and hyphens.",
        )
    return value
