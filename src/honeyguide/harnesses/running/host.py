"""Talks to the process that runs a folder's code: one call at a time, each with a time limit, no secrets inside."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.spec.borders import Confinement
from honeyguide.kernel import processes

_ALWAYS: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "SYSTEMDRIVE", "COMSPEC", "PATHEXT")
STARTING_SECONDS: Final = 20.0


def own_command() -> list[str]:
    """Return how this program starts the child: a frozen one has no interpreter beside it and starts itself."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "run-harness-code"]
    return [sys.executable, "-I", str(Path(__file__).with_name("child.py"))]


class CodeFailed(Exception):
    """The folder's code raised, did not answer in time, or its process died; the message is for the model to read."""


class CodeHost:
    """The child process of one run; started at the first call, ended with the run.

    It is another process with its own memory limit, a throw-away home and none of our environment, so that keys and
    memory of this program are out of its reach. It is no sandbox: it can read files of the user and open connections.
    """

    def __init__(
        self, root: Path, confinement: Confinement, environ: Mapping[str, str], command: Sequence[str] | None = None
    ) -> None:
        """
        Args:
            command: how the child is started, where not as ``own_command`` says; it gets the folder and the memory
                limit in MB.
        """
        self._root = root
        self._limits = confinement
        self._environ = environ
        self._command = list(command or own_command())
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes] = queue.Queue()
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._number = 0
        self._lock = threading.Lock()

    def call(self, kind: str, file: str, function: str, **given: Any) -> Any:
        """Return what the child answers (blocking). Raises CodeFailed."""
        with self._lock:
            is_fresh = self._process is None or self._process.poll() is not None
            process = self._started()
            self._number += 1
            request = {"id": self._number, "kind": kind, "file": file, "function": function, **given}
            seconds = self._limits.timeout_seconds + (STARTING_SECONDS if is_fresh else 0)
            try:
                assert process.stdin is not None
                process.stdin.write(json.dumps(request, default=str).encode() + b"\n")
                process.stdin.flush()
                line = self._answers.get(timeout=seconds)
            except queue.Empty:
                self._end()
                raise CodeFailed(f"{function} did not finish within {self._limits.timeout_seconds}s") from None
            except OSError:
                line = b""
            if not line:
                code = process.poll()
                self._end()
                raise CodeFailed(f"the process that runs {file} ended (exit {code})")
            try:
                answer = json.loads(line)
            except ValueError:
                self._end()
                raise CodeFailed(f"{function} answered with more than may be read") from None
            if not answer["ok"]:
                raise CodeFailed(str(answer["error"])[:2000])
            return answer["value"]

    def close(self) -> None:
        """End the child and everything it started."""
        with self._lock:
            self._end()
            if self._home is not None:
                self._home.cleanup()
                self._home = None

    def environment(self) -> dict[str, str]:
        """Return what a child sees: a few harmless variables, those the spec passes through, and a home of its own."""
        if self._home is None:
            self._home = tempfile.TemporaryDirectory(prefix="honeyguide-run-")
        names = {*_ALWAYS, *self._limits.env_passthrough}
        env = {name: self._environ[name] for name in names if name in self._environ}
        if self._limits.hide_home or "HOME" not in self._environ:
            env["HOME"] = env["USERPROFILE"] = self._home.name
        else:
            env["HOME"] = self._environ["HOME"]
        env |= {"TMPDIR": self._home.name, "TEMP": self._home.name, "PYTHONDONTWRITEBYTECODE": "1"}
        return env

    def _started(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self._end()
            argv = [*self._command, str(self._root), str(self._limits.max_memory_mb)]
            self._process = processes.start(
                argv, cwd=self._root, env=self.environment(), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            self._answers = queue.Queue()
            threading.Thread(target=_pump, args=(self._process, self._answers), daemon=True).start()
        return self._process

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            for pipe in (process.stdin,):
                if pipe is not None:
                    try:
                        pipe.close()
                    except OSError:
                        continue
            processes.end(process, grace=0.5)


def run_command(
    host: CodeHost, argv: Sequence[str], root: Path, seconds: float, most_bytes: int
) -> tuple[int | None, str]:
    """Run an allowlisted command in the folder; return its exit code (``None``: out of time) and its output."""
    finished = processes.run(argv, cwd=root, env=host.environment(), timeout=seconds)
    output = (finished.stdout + finished.stderr)[:most_bytes]
    return finished.exit_code, output.decode("utf-8", "backslashreplace")


def shell_argv(command: str) -> list[str]:
    """Return how a command line is handed to the system's shell."""
    return ["cmd", "/C", command] if os.name == "nt" else ["/bin/sh", "-c", command]


def _pump(process: subprocess.Popen[bytes], answers: queue.Queue[bytes]) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        answers.put(line)
    answers.put(b"")
    process.stdout.close()
