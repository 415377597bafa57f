"""Notes which children a run has, so that none outlives it: not when it ends, and not when this program is killed.

A guard, a small shell process, holds the other end of a pipe: when this program dies, however it dies, the pipe ends,
and the guard ends the groups that are still there. Should it be killed too, the next start ends what is noted.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from honeyguide.versions.atomic import write_atomically

FILE = "children.json"
GRACE_SECONDS = 2.0
"""Between TERM and KILL."""
_HAS_PROC: bool = Path("/proc/self/stat").exists()


_GUARD = """trap '' TERM HUP INT
live=' '
while read -r what pid; do
  case "$what" in
    +) live="$live$pid " ;;
    -) live="${live%% $pid *} ${live#* $pid }" ;;
  esac
done
set -- $live
[ $# -gt 0 ] || exit 0
for pid; do kill -s TERM -- "-$pid" 2>/dev/null; done
sleep 2
for pid; do kill -s KILL -- "-$pid" 2>/dev/null; done
"""


class Children:
    """A run's children, kept in its folder while they live."""

    def __init__(self, folder: Path | None) -> None:
        """``folder``: where they are noted; ``None`` leaves them to the guard alone."""
        self._path = None if folder is None else folder / FILE
        self._living: dict[int, str] = {}
        self._lock = threading.Lock()
        self._guard: subprocess.Popen[bytes] | None = None

    def started(self, process: subprocess.Popen[bytes]) -> None:
        """Note a child, with when it was started: a process id alone may be another program's by then."""
        with self._lock:
            self._living[process.pid] = started_at(process.pid)
            self._tell_guard(f"+ {process.pid}")
            self._write()

    def ended(self, process: subprocess.Popen[bytes]) -> None:
        """Forget a child that is gone."""
        with self._lock:
            if self._living.pop(process.pid, None) is not None:
                self._tell_guard(f"- {process.pid}")
            self._write()

    def _tell_guard(self, line: str) -> None:
        if os.name != "posix":
            return
        if self._guard is None:
            self._guard = subprocess.Popen(
                ["/bin/sh", "-c", _GUARD], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                start_new_session=True,
            )  # fmt: skip
        pipe = self._guard.stdin
        assert pipe is not None
        with contextlib.suppress(BrokenPipeError):
            pipe.write(line.encode() + b"\n")
            pipe.flush()
        if not self._living:
            with contextlib.suppress(BrokenPipeError):
                pipe.close()
            self._guard.wait()
            self._guard = None

    def _write(self) -> None:
        if self._path is None:
            return
        if not self._living:
            self._path.unlink(missing_ok=True)
            return
        data = [{"pid": pid, "started": when} for pid, when in self._living.items()]
        write_atomically(self._path, json.dumps(data).encode())


def end_leftovers(folder: Path, *, grace: float = GRACE_SECONDS) -> int:
    """End the groups of the children that are noted in ``folder``; returns how many still had a member."""
    path = folder / FILE
    try:
        noted = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return 0
    ended = 0
    for child in noted if isinstance(noted, list) else []:
        pid, when = child.get("pid"), child.get("started")
        # The leader may be gone and what it started live on: its id stays taken as long as its group has a member.
        if isinstance(pid, int) and pid > 1 and when and started_at(pid) in (when, "") and _has_members(pid):
            end_group(pid, grace=grace)
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


def end_group(pid: int, *, grace: float = GRACE_SECONDS) -> None:
    """End a process group that is not our child's: TERM, and KILL after ``grace`` seconds."""
    if sys.platform == "win32":
        subprocess.run(["taskkill", "/T", "/F", "/PID", str(pid)], check=False, capture_output=True)
        return
    with contextlib.suppress(ProcessLookupError, PermissionError):
        if grace:
            os.killpg(pid, signal.SIGTERM)
            until = time.monotonic() + grace
            while time.monotonic() < until and _has_members(pid):
                time.sleep(0.02)
        os.killpg(pid, signal.SIGKILL)


def _has_members(pid: int) -> bool:
    """Say whether a process group has a living member."""
    if sys.platform == "win32":
        return started_at(pid) != ""
    if not _HAS_PROC:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, 0)
            return True
        return False
    for folder in Path("/proc").iterdir():
        if not folder.name.isdigit():
            continue
        try:
            fields = (folder / "stat").read_text(encoding="ascii", errors="surrogateescape").rpartition(")")[2].split()
        except OSError:
            continue
        if fields[2] == str(pid) and fields[0] not in ("Z", "X"):
            return True
    return False
