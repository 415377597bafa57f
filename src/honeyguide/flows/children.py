"""Notes which children a run has, so that the next start can end those that outlived a crash."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

from honeyguide.versions.atomic import write_atomically

FILE = "children.json"
_HAS_PROC: bool = Path("/proc/self/stat").exists()


class Children:
    """A run's children, kept in its folder while they live."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._living: dict[int, str] = {}
        self._lock = threading.Lock()

    def started(self, process: subprocess.Popen[bytes]) -> None:
        """Note a child, with when it was started: a process id alone may be another program's by then."""
        with self._lock:
            self._living[process.pid] = started_at(process.pid)
            self._write()

    def ended(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a child that is gone."""
        with self._lock:
            self._living.pop(process.pid, None)
            self._write()

    def _write(self) -> None:
        if not self._living:
            self._path.unlink(missing_ok=True)
            return
        data = [{"pid": pid, "started": when} for pid, when in self._living.items()]
        write_atomically(self._path, json.dumps(data).encode())


def end_leftovers(folder: Path) -> int:
    """End the groups of the children that are noted in ``folder`` and still live; returns how many."""
    path = folder / FILE
    try:
        noted = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return 0
    ended = 0
    for child in noted if isinstance(noted, list) else []:
        pid, when = child.get("pid"), child.get("started")
        if isinstance(pid, int) and pid > 1 and when and started_at(pid) == when:
            _end_group(pid)
            ended += 1
    path.unlink(missing_ok=True)
    return ended


def started_at(pid: int) -> str:
    """Return when a process was started, in the system's own spelling; empty when it is gone or nobody can say."""
    if _HAS_PROC:
        try:
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="surrogateescape")
        except OSError:
            return ""
        fields = stat.rpartition(")")[2].split()
        return "" if fields[0] == "Z" else fields[19]
    if os.name == "posix":
        shown = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
        return shown.stdout.decode("ascii", "backslashreplace").strip()
    return ""


def _end_group(pid: int) -> None:
    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
