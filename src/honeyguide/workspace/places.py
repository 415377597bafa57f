"""Which workspace is meant when none is named: the last one opened, else the default one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from platformdirs import PlatformDirs

from honeyguide.versions import write_atomically

_DIRS = "honeyguide"
_FILE = "last-workspace.json"
_MOST_RECENT = 10


def user_dirs() -> PlatformDirs:
    """Return the platform's folders for this user."""
    return PlatformDirs(_DIRS, appauthor=False)


def default_path() -> Path:
    """Return the default workspace, in the user's data folder; it need not exist."""
    return user_dirs().user_data_path / "workspace"


def last_opened() -> Path | None:
    """Return the workspace that was opened last, if it is still there."""
    known = _stored().get("path")
    path = Path(known) if isinstance(known, str) else None
    return path if path is not None and (path / "honeyguide.db").exists() else None


def recently_opened() -> list[Path]:
    """Return the workspaces opened lately that are still there, the last one first; at most ten."""
    paths = [Path(name) for name in _stored().get("recent", ()) if isinstance(name, str)]
    return [path for path in paths if (path / "honeyguide.db").exists()]


def remember(path: Path) -> None:
    """Note that this workspace was opened last. Raises Unwritable."""
    folder = user_dirs().user_state_path
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    here = str(path.absolute())
    stored = _stored()
    before = [stored.get("path"), *(stored.get("recent") or ())]
    recent = list(dict.fromkeys([here, *(name for name in before if isinstance(name, str))]))[:_MOST_RECENT]
    write_atomically(folder / _FILE, json.dumps({"path": here, "recent": recent}).encode())


def _stored() -> dict[str, Any]:
    try:
        stored = json.loads((user_dirs().user_state_path / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return stored if isinstance(stored, dict) else {}
