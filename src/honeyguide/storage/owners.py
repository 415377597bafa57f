"""Who owns a lease: a process by id, host and start, so that a reused process id is not taken for the owner."""

from __future__ import annotations

import os
import platform
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from honeyguide.kernel import processes
from honeyguide.kernel.errors import HoneyguideError


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """A process of one host.

    Attributes:
        pid: its id.
        host: the host's name.
        start: when it began, in the system's own spelling; empty when the system does not tell.
    """

    pid: int
    host: str
    start: str


def this_process() -> ProcessIdentity:
    """Return the identity of the running process (also right after a fork)."""
    return _identity(os.getpid())


def is_alive(owner: ProcessIdentity) -> bool | None:
    """Say whether ``owner`` still runs; ``None`` when it lives on another host and nobody here can know."""
    if owner.host != platform.node():
        return None
    start = process_start(owner.pid)
    if start is None:
        return False
    return not owner.start or not start or start == owner.start


def process_start(pid: int) -> str | None:
    """Return when process ``pid`` began, ``""`` when that cannot be told, ``None`` when there is no such process."""
    if sys.platform == "win32":
        return _windows_start(pid)
    if Path("/proc/self/stat").exists():
        return _linux_start(pid)
    return _posix_start(pid)


@lru_cache(maxsize=4)
def _identity(pid: int) -> ProcessIdentity:
    return ProcessIdentity(pid, platform.node(), process_start(pid) or "")


def _linux_start(pid: int) -> str | None:
    """Clock ticks since boot (field 22 of proc(5) stat) with the boot id; a zombie counts as gone."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    after_name = stat[stat.rindex(b")") + 2 :].split()
    if after_name[0] in (b"Z", b"X"):
        return None
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()[:8]
    except OSError:
        boot = ""
    return f"{boot}:{after_name[19].decode('ascii')}"


def _posix_start(pid: int) -> str | None:
    try:
        answer = processes.run(
            ["ps", "-o", "stat=,lstart=", "-p", str(pid)], timeout=5, env={"LC_ALL": "C", **os.environ}
        )
    except HoneyguideError:
        return "" if _exists(pid) else None
    state, _, start = answer.stdout.decode("ascii", "backslashreplace").strip().partition(" ")
    return None if not state or state.startswith("Z") else start.strip()


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _windows_start(pid: int) -> str | None:
    if sys.platform == "win32":
        import ctypes
        from ctypes import wintypes

        kernel32 = ctypes.WinDLL("kernel32", use_last_error=True)
        query_limited_information, still_active, access_denied = 0x1000, 259, 5
        kernel32.OpenProcess.restype = wintypes.HANDLE
        handle = kernel32.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return "" if ctypes.get_last_error() == access_denied else None
        try:
            code = wintypes.DWORD()
            if kernel32.GetExitCodeProcess(wintypes.HANDLE(handle), ctypes.byref(code)) and code.value != still_active:
                return None
            times = [wintypes.FILETIME() for _ in range(4)]
            if not kernel32.GetProcessTimes(wintypes.HANDLE(handle), *(ctypes.byref(t) for t in times)):
                return ""
            return f"{times[0].dwHighDateTime}:{times[0].dwLowDateTime}"
        finally:
            kernel32.CloseHandle(wintypes.HANDLE(handle))
    raise AssertionError("asked on Windows only")
