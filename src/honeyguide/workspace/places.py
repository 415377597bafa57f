"""Which workspace is meant when none is named: the last one opened, else the default one."""

from __future__ import annotations

import json
from pathlib import Path

from platformdirs import PlatformDirs

from honeyguide.versions import write_atomically

_DIRS = "honeyguide"
_FILE = "last-workspace.json"


def user_dirs() -> PlatformDirs:
    """Return the platform's folders for this user."""
    return PlatformDirs(_DIRS, appauthor=False)


def default_path() -> Path:
    """Return the default workspace, in the user's data folder; it need not exist."""
    return user_dirs().user_data_path / "workspace"


def last_opened() -> Path | None:
    """Return the workspace that was opened last, if it is still there."""
    try:
        stored = json.loads((user_dirs().user_state_path / _FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    path = Path(stored["path"]) if isinstance(stored, dict) and isinstance(stored.get("path"), str) else None
    return path if path is not None and (path / "honeyguide.db").exists() else None


def remember(path: Path) -> None:
    """Note that this workspace was opened last. Raises Unwritable."""
    folder = user_dirs().user_state_path
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(folder / _FILE, json.dumps({"path": str(path.absolute())}).encode())
