"""Which file holds which command, so that one call loads the files it needs and a person waits for no others."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final

import typer

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
    """Return the arguments with the command that a file alone stands for: a review is opened."""
    word = _named(arguments)
    is_review = word is not None and word.endswith(".honeyguide-review")
    if word is None or not is_review:
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
