"""Child processes in a group of their own, so that nothing they start outlives them.

POSIX: a new session, ended by TERM and, after a grace time, KILL to the whole group.
Windows: a new process group, ended by ``taskkill /T``.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from honeyguide.kernel.errors import NotFound, Unreadable

OUTPUT_LIMIT = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Finished:
    """What a child left behind.

    Attributes:
        exit_code: the child's own; negative for a signal; ``None`` when it was ended by the time limit.
        stdout, stderr: at most ``OUTPUT_LIMIT`` bytes each, undecoded.
        timed_out: whether the time limit ended it.
    """

    exit_code: int | None
    stdout: bytes
    stderr: bytes
    timed_out: bool


def start(
    argv: Sequence[str],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    stdin: int | None = subprocess.DEVNULL,
    stdout: int | None = subprocess.PIPE,
    stderr: int | None = subprocess.PIPE,
) -> subprocess.Popen[bytes]:
    """Start ``argv`` in its own group. Raises NotFound when the program does not exist."""
    flags = 0
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP
    try:
        return subprocess.Popen(
            list(argv),
            cwd=cwd,
            env=dict(env) if env is not None else None,
            stdin=stdin,
            stdout=stdout,
            stderr=stderr,
            start_new_session=sys.platform != "win32",
            creationflags=flags,
        )
    except FileNotFoundError as error:
        raise NotFound(f"The program {argv[0]!r} was not found.", hint="Install it or correct the path.") from error
    except PermissionError as error:
        raise Unreadable(f"The program {argv[0]!r} may not be started: {error.strerror}.") from error


def end(process: subprocess.Popen[bytes], *, grace: float = 3.0) -> None:
    """End the whole group: TERM, then KILL after ``grace`` seconds. Safe to call on a finished child."""
    _signal_group(process, hard=False)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=grace)
    _signal_group(process, hard=True)
    process.wait(timeout=grace)


def run(
    argv: Sequence[str],
    *,
    input: bytes | None = None,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    timeout: float,
    grace: float = 3.0,
    on_start: Callable[[subprocess.Popen[bytes]], None] = lambda process: None,
) -> Finished:
    """Run ``argv`` to its end or to the time limit (seconds), feeding ``input``; nothing of its group stays alive.

    ``on_start`` is given the child at once: to note it, or to ``end`` it from another thread.
    """
    process = start(argv, cwd=cwd, env=env, stdin=subprocess.PIPE if input is not None else subprocess.DEVNULL)
    on_start(process)
    assert process.stdout is not None and process.stderr is not None
    readers = [_Reader(process.stdout), _Reader(process.stderr)]
    feeder = threading.Thread(target=_feed, args=(process, input), daemon=True)
    feeder.start()
    # A waiting thread is told at once; Popen.wait with a time limit looks only every 50 ms.
    waiter = threading.Thread(target=process.wait, daemon=True)
    waiter.start()
    timed_out = False
    try:
        waiter.join(timeout)
        timed_out = waiter.is_alive()
        if timed_out:
            end(process, grace=grace)
    finally:
        # A child may leave others behind that hold its pipes open: they end with it.
        _signal_group(process, hard=True)
        feeder.join(grace)
        outputs = [reader.finish(grace) for reader in readers]
    return Finished(None if timed_out else process.returncode, outputs[0], outputs[1], timed_out)


class _Reader(threading.Thread):
    """Reads one pipe to its end and keeps the first ``OUTPUT_LIMIT`` bytes."""

    def __init__(self, pipe: IO[bytes]) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._kept = bytearray()
        self.start()

    def run(self) -> None:
        while chunk := self._pipe.read1(65_536):  # type: ignore[attr-defined]
            self._kept += chunk[: OUTPUT_LIMIT - len(self._kept)]

    def finish(self, seconds: float) -> bytes:
        self.join(seconds)
        if not self.is_alive():
            self._pipe.close()
        return bytes(self._kept)


def _feed(process: subprocess.Popen[bytes], input: bytes | None) -> None:
    if process.stdin is None:
        return
    with contextlib.suppress(BrokenPipeError, OSError):
        process.stdin.write(input or b"")
    with contextlib.suppress(BrokenPipeError, OSError):
        process.stdin.close()


def _signal_group(process: subprocess.Popen[bytes], *, hard: bool) -> None:
    if sys.platform == "win32":
        if process.poll() is None:
            subprocess.run(["taskkill", "/T", *(["/F"] if hard else []), "/PID", str(process.pid)], check=False)
        return
    try:
        os.killpg(process.pid, signal.SIGKILL if hard else signal.SIGTERM)
    except (ProcessLookupError, PermissionError):
        return
