"""The process that carries out runs, as the server sees it: started beside the server, spoken to in lines of JSON.

A run works hard for seconds at a time. In a process of its own it keeps no reader waiting, and what goes wrong in it
takes no server down. It ends when the server does, however that ends.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import IO, Any

from honeyguide.kernel import processes
from honeyguide.kernel.errors import InternalError, NotFound
from honeyguide.server.answers import encoded
from honeyguide.server.runners import OnProgress, error_from_json
from honeyguide.workspace import ProgressEvent, RunOptions, TargetRef, Workspace

COMMAND = "run-for-server"
"""How the program starts itself as this process; not a command for people."""
GOODBYE_SECONDS = 8.0


class RunnerApart:
    """Starts the process at once, so that it is ready for the first run, and again when it died."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._loop = asyncio.get_running_loop()
        self._numbers = itertools.count(1)
        self._asked: dict[int, asyncio.Future[str]] = {}
        self._ends: dict[str, asyncio.Future[Mapping[str, Any]]] = {}
        self._told: dict[int | str, OnProgress] = {}
        self._listeners: list[threading.Thread] = []
        self._speaking = asyncio.Lock()
        self._process = self._started()

    async def start(self, ref: TargetRef, options: RunOptions, on_progress: OnProgress) -> str:
        """As ``Runner.start``."""
        number = next(self._numbers)
        answer: asyncio.Future[str] = self._loop.create_future()
        self._asked[number] = answer
        self._told[number] = on_progress
        about = {
            "number": number, "kind": ref.kind.value, "name": ref.name, "options": options.to_json(),
            "posted": options.posted_baseline,
        }  # fmt: skip
        try:
            async with self._speaking:  # a long text waits for the process to read it, and the loop does not
                if self._process.poll() is not None:
                    self._process = self._started()
                await asyncio.to_thread(self._say, about)
            return await answer
        finally:
            self._asked.pop(number, None)
            self._told.pop(number, None)

    async def wait(self, uuid: str) -> Mapping[str, Any]:
        """As ``Runner.wait``."""
        end = self._ends.get(uuid)
        if end is None:
            raise NotFound(f"Run {uuid} does not run here.", hint="See 'honeyguide runs show'.")
        try:
            return await asyncio.shield(end)
        finally:
            if end.done():
                self._ends.pop(uuid, None)

    async def close(self) -> None:
        """As ``Runner.close``."""
        with contextlib.suppress(InternalError):
            self._say({"stop": True})
        await asyncio.to_thread(self._end)

    # --- inside

    def _end(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(GOODBYE_SECONDS)
        processes.end(self._process)
        for listener in self._listeners:
            listener.join()

    def _started(self) -> subprocess.Popen[bytes]:
        process = processes.start(
            [*own_program(), COMMAND, str(self._workspace.path)], stdin=subprocess.PIPE, stderr=None
        )
        assert process.stdout is not None
        listener = threading.Thread(target=self._listen, args=(process, process.stdout), daemon=True, name="runs apart")
        listener.start()
        self._listeners.append(listener)
        return process

    def _say(self, message: Mapping[str, Any]) -> None:
        stream = self._process.stdin
        assert stream is not None
        try:
            stream.write(encoded(message) + b"\n")
            stream.flush()
        except (OSError, ValueError) as error:
            raise InternalError("The process that carries out runs has ended.", hint="Try again.") from error

    def _listen(self, process: subprocess.Popen[bytes], stream: IO[bytes]) -> None:
        with stream:
            for line in stream:
                self._on_loop(self._hear, json.loads(line))
        process.wait()
        with contextlib.suppress(OSError):
            if process.stdin is not None:
                process.stdin.close()
        self._on_loop(self._lost, process)

    def _on_loop(self, fn: Any, *args: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(fn, *args)

    def _hear(self, message: Mapping[str, Any]) -> None:
        if "progress" in message:
            on_progress = self._told.get(message.get("number", 0)) or self._told.get(message["uuid"])
            if on_progress is not None:
                on_progress(ProgressEvent(message["uuid"], **message["progress"]))
        elif "number" in message:
            self._answered(message)
        elif (end := self._ends.get(message["uuid"])) is not None and not end.done():
            self._told.pop(message["uuid"], None)
            if "error" in message:
                end.set_exception(error_from_json(message["error"]))
            else:
                end.set_result(message["result"])

    def _answered(self, message: Mapping[str, Any]) -> None:
        answer = self._asked.get(message["number"])
        if answer is None or answer.done():
            return  # nobody waits any more; the run goes on and is told by the database
        if "error" in message:
            answer.set_exception(error_from_json(message["error"]))
            return
        uuid = message["uuid"]
        self._ends[uuid] = self._loop.create_future()
        self._told[uuid] = self._told[message["number"]]
        answer.set_result(uuid)

    def _lost(self, process: subprocess.Popen[bytes]) -> None:
        if process is not self._process:
            return
        lost = InternalError("The process that carried out the run ended.", hint="Go on with 'honeyguide runs resume'.")
        waiting: list[asyncio.Future[Any]] = [*self._asked.values(), *self._ends.values()]
        for future in waiting:
            if not future.done():
                future.set_exception(lost)
                future.exception()  # not everybody waits
        self._told.clear()


def own_program() -> list[str]:
    """Return how this program is started once more."""
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "honeyguide"]
