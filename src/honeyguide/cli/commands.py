"""Which file holds which command, so that one call loads the files it needs and a person waits for no others."""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Final

import typer

from honeyguide.kernel.errors import NotFound

FILES: Final = {
    "start": ("init", "doctor"),
    "demo": ("demo",),
    "evolve": ("plan", "evolve"),
    "datasets": ("dataset",),
    "service": ("serve", "mcp", "daemon"),
    "desktop_entry": ("desktop-entry",),
    "open_review": ("open",),
    "updates": ("updates",),
    "targets": ("targets",),
    "traces": ("traces",),
    "corrections": ("corrections",),
    "models": ("models",),
    "judge": ("judge",),
    "runs": ("runs",),
    "versions": ("versions",),
    "feedback": ("feedback",),
    "suites": ("suites",),
    "flows": ("flow",),
    "harness": ("harness",),
}
"""File to its commands, in the order in which ``--help`` lists them. A file adds several by ``register``, or one by
``app``."""
_VALUED: Final = "--workspace"


def add_commands(app: typer.Typer, arguments: Sequence[str]) -> None:
    """Add the command that the arguments name; all of them where none is named, as for ``--help`` or a typing error."""
    wanted = _named(arguments)
    files = [file for file, names in FILES.items() if wanted in names] or list(FILES)
    for file in files:
        module = import_module(f"honeyguide.cli.{file}")
        if hasattr(module, "register"):
            module.register(app)
        else:
            app.add_typer(module.app, name=FILES[file][0])


def with_command(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with the command that a file alone stands for: a review is opened.

    Raises:
        NotFound: a path, known by its dot or its separator, that is not there.
    """
    word = _named(arguments)
    if word is None or not any(sign in word for sign in (".", "/", os.sep)):
        return list(arguments)
    if not Path(word).exists():
        raise NotFound(f"{word} does not exist.", hint="Check the path; 'honeyguide --help' lists the commands.")
    if not word.endswith(".honeyguide-review"):
        return list(arguments)
    at = list(arguments).index(word)
    return [*arguments[:at], "open", *arguments[at:]]


def _named(arguments: Sequence[str]) -> str | None:
    """Return the first word that is neither an option nor the value of one."""
    words = iter(arguments)
    for word in words:
        if word == _VALUED:
            next(words, None)
        elif not word.startswith("-"):
            return word
    return None
