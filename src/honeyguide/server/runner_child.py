"""The process that carries out runs, from inside: told what to do on standard input, answering on standard output.

It opens the workspace like every other program does; leases and the journal keep all of them in step. When standard
input ends without a goodbye, the server was killed, and so is this: what was paid for is kept, and runs are resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import signal
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.server.answers import encoded
from honeyguide.server.runners import WAY, error_to_json, serve_by_itself
from honeyguide.workspace import Origin, ProgressEvent, RunOptions, TargetKind, TargetRef, Workspace

NICENESS = 5
"""Runs give way to whoever reads and decides (POSIX)."""


def main(arguments: list[str]) -> int:
    """Carry out runs of the workspace in ``arguments`` until told to stop."""
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, signal.SIG_IGN)  # the server is told to stop, and tells us
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    answers = os.dup(1)
    os.dup2(2, 1)  # whatever prints, prints beside the answers
    asyncio.run(_Child(Path(arguments[0]), answers).run())
    return 0


class _Child:
    def __init__(self, folder: Path, answers: int) -> None:
        self._folder = folder
        self._answers = os.fdopen(answers, "wb")
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        loop = asyncio.get_running_loop()
        inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

        def listen() -> None:
            for line in sys.stdin.buffer:
                message = json.loads(line)
                loop.call_soon_threadsafe(inbox.put_nowait, message)
                if "stop" in message:
                    return
            os._exit(1)

        threading.Thread(target=listen, daemon=True, name="inbox").start()
        async with await Workspace.open(self._folder) as workspace:
            service = asyncio.create_task(serve_by_itself(workspace), name="autonomous service")
            while "stop" not in (message := await inbox.get()):
                task = asyncio.create_task(self._carry_out(workspace, message))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            service.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await service
            for uuid in workspace.active_runs():
                await workspace.cancel_run(uuid)
            if self._tasks:
                await asyncio.wait(self._tasks)

    async def _carry_out(self, workspace: Workspace, message: dict[str, Any]) -> None:
        number = message["number"]

        def tell(event: ProgressEvent) -> None:
            self._say(number=number, uuid=event.uuid, progress=event.to_json())

        try:
            options = replace(RunOptions.from_json(message["options"]), posted_baseline=message["posted"])
            ref = TargetRef(TargetKind(message["kind"]), message["name"])
            uuid = await workspace.start_run(ref, options, origin=Origin.here(WAY), on_progress=tell)
        except Exception as error:  # noqa: BLE001 - the outermost edge of a task: it reports
            self._say(number=number, error=error_to_json(error))
            return
        self._say(number=number, uuid=uuid)
        try:
            result = await workspace.wait_run(uuid)
        except Exception as error:  # noqa: BLE001 - the outermost edge of a run: it reports
            self._say(uuid=uuid, error=error_to_json(error))
        else:
            self._say(uuid=uuid, result=result.to_json())

    def _say(self, **message: Any) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._answers.write(encoded(message) + b"\n")
            self._answers.flush()
