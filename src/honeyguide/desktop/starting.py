"""The short way to the window: when nothing but the window is asked for, the command line is not imported.

It and the workspace take over a second to import; this way the window stands first and they follow in a thread.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from platformdirs import PlatformDirs

VARIABLE = "HONEYGUIDE_WORKSPACE"


def wanted_window(arguments: Sequence[str], environ: Mapping[str, str] | None = None) -> tuple[Path, bool] | None:
    """Return the workspace and whether it is the smoke run, when only the window is asked for; else ``None``.

    The workspace is chosen as the command line chooses it: option, environment, last one opened, default one.
    """
    chosen: Path | None = None
    smoke = False
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--smoke":
            smoke = True
        elif word == "--workspace" and rest and not rest[0].startswith("-"):
            chosen = Path(rest.pop(0))
        elif word.startswith("--workspace="):
            chosen = Path(word.partition("=")[2])
        else:
            return None
    named = (os.environ if environ is None else environ).get(VARIABLE)
    return chosen or (Path(named) if named else _last_or_default()), smoke


def handed_file(arguments: Sequence[str]) -> tuple[list[str], Path | None]:
    """Return the arguments for the window, and the file at their end that it is to open, when there is one.

    A path is known by its dot or its separator, which no command has, and by being there. A folder that is a workspace
    is opened as one, in its own window. Exported reviews are pages: ``honeyguide open`` shows them.
    """
    rest = list(arguments)
    word = rest[-1] if rest else ""
    is_path = not word.startswith("-") and any(sign in word for sign in (".", "/", os.sep))
    if not is_path or rest[-2:-1] == ["--workspace"] or word.endswith(".honeyguide-review"):
        return rest, None
    path = Path(os.path.abspath(word))  # noqa: PTH100 - without following links: the name is what a person knows
    try:
        if not path.exists():
            return rest, None
        if (path / "honeyguide.db").exists():
            return (["--workspace", str(path)] if len(rest) == 1 else rest), None
    except (OSError, ValueError):
        return rest, None
    return rest[:-1], path


def _last_or_default() -> Path:
    """As ``Workspace.last_opened`` and ``default_path``, whose import is what this module avoids; a test compares."""
    folders = PlatformDirs("honeyguide", appauthor=False)
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        stored = json.loads((folders.user_state_path / "last-workspace.json").read_text(encoding="utf-8"))
        last = Path(stored["path"])
        if (last / "honeyguide.db").exists():
            return last
    return folders.user_data_path / "workspace"
