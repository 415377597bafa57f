"""What the window remembers between two starts: geometry, page, columns, filters, half-typed words.

Kept per workspace in the user's state folder, never in the workspace: it says how one person looks at things.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import tempfile
from pathlib import Path
from typing import Any

from platformdirs import PlatformDirs
from PySide6.QtCore import QObject, QTimer

_SAVE_MS = 400
_log = logging.getLogger(__name__)


def state_folder() -> Path:
    """Return where the window keeps its own things."""
    return PlatformDirs("honeyguide", appauthor=False).user_state_path / "window"


def scratch_folder() -> Path:
    """Return a folder for a workspace that is thrown away."""
    return Path(tempfile.mkdtemp(prefix="honeyguide-")) / "workspace"


def memory_file(workspace: Path) -> Path:
    """Return the file for one workspace."""
    name = hashlib.sha256(str(workspace.expanduser().absolute()).encode()).hexdigest()[:16]
    return state_folder() / f"{name}.json"


class Memory(QObject):
    """A small table of JSON values, written a moment after a change and when it is closed."""

    def __init__(self, path: Path | None, parent: QObject | None = None) -> None:
        """``None`` keeps everything in memory alone."""
        super().__init__(parent)
        self._path = path
        self._values: dict[str, Any] = {}
        if path is not None:
            with contextlib.suppress(OSError, ValueError):
                stored = json.loads(path.read_text(encoding="utf-8"))
                self._values = stored if isinstance(stored, dict) else {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SAVE_MS)
        self._timer.timeout.connect(self.save)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value."""
        return self._values.get(key, default)

    def text(self, key: str, default: str = "") -> str:
        """Return a value that is a text."""
        value = self._values.get(key)
        return value if isinstance(value, str) else default

    def table(self, key: str) -> dict[str, Any]:
        """Return a value that is a table; an empty one otherwise."""
        value = self._values.get(key)
        return dict(value) if isinstance(value, dict) else {}

    def set(self, key: str, value: Any) -> None:
        """Remember a value; ``None`` forgets it."""
        if value is None:
            if self._values.pop(key, None) is None:
                return
        elif self._values.get(key) == value:
            return
        else:
            self._values[key] = value
        self._timer.start()

    def save(self) -> None:
        """Write now. A folder that cannot be written costs the memory, not the work: it is logged."""
        self._timer.stop()
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            scratch = self._path.with_suffix(".new")
            scratch.write_text(json.dumps(self._values, ensure_ascii=False, indent=1), encoding="utf-8")
            scratch.replace(self._path)
        except OSError as error:
            _log.info("The window cannot remember its state: %s", error)
