"""A real HTTP server on a loopback port, in a thread of the test, and a small reader of event streams."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2 as httpx

from honeyguide.server.serving import Serving, serve
from honeyguide.server.tokens import read_token
from honeyguide.workspace import Workspace

PERSONA = "persona-system-prompt"


@dataclass
class RunningServer:
    """A server at work.

    Attributes:
        workspace: its open workspace; call it through ``ask`` only.
    """

    url: str
    token: str
    workspace: Workspace
    loop: asyncio.AbstractEventLoop
    main: asyncio.Task[None]
    thread: threading.Thread
    errors: list[BaseException] = field(default_factory=list)

    @property
    def auth(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def client(self, **headers: str) -> httpx.Client:
        return httpx.Client(base_url=self.url, headers=headers, timeout=60)

    def ask(self, coroutine: Any) -> Any:
        """Run a coroutine of the server's workspace on its loop."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(60)

    def stop(self) -> None:
        self.loop.call_soon_threadsafe(self.main.cancel)
        self.thread.join(30)
        assert not self.thread.is_alive()


def start_server(folder: Path, *, runs_apart: bool = False, **options: Any) -> RunningServer:
    """Open the workspace and serve it at a free port; without the process for runs unless a test is about that."""
    ready = threading.Event()
    found: dict[str, Any] = {}
    errors: list[BaseException] = []

    async def main() -> None:
        workspace = await Workspace.open(folder)
        found["workspace"] = workspace

        def on_ready(serving: Serving) -> None:
            found["url"] = serving.url
            ready.set()

        try:
            await serve(workspace, port=0, runs_apart=runs_apart, on_ready=on_ready, **options)
        finally:
            await workspace.close()

    async def outer() -> None:
        found["loop"] = asyncio.get_running_loop()
        found["main"] = asyncio.create_task(main())
        try:
            await found["main"]
        except asyncio.CancelledError:
            pass
        except BaseException as error:
            errors.append(error)
            ready.set()

    thread = threading.Thread(target=lambda: asyncio.run(outer()), name="server of the test")
    thread.start()
    assert ready.wait(60)
    if errors:
        thread.join()
        raise errors[0]
    token = read_token(options.get("token_file"))
    return RunningServer(found["url"], token, found["workspace"], found["loop"], found["main"], thread, errors)


@dataclass(frozen=True)
class Event:
    """One event of a stream."""

    id: str
    name: str
    data: Any


def events_of(response: httpx.Response) -> Iterator[Event | str]:
    """Yield the events of a stream as the standard says, and its comments as text."""
    fields: dict[str, str] = {}
    for line in response.iter_lines():
        if line.startswith(":"):
            yield line[1:].strip()
        elif line:
            name, _, value = line.partition(":")
            fields[name] = (
                f"{fields[name]}\n{value.removeprefix(' ')}"
                if name == "data" and name in fields
                else value.removeprefix(" ")
            )
        elif fields:
            yield Event(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
            fields = {}


def run_body(client: httpx.Client, name: str = "writer", kind: str = PERSONA, **more: Any) -> dict[str, Any]:
    """Return a body for ``POST /run`` as a client makes it: from ``/baseline``."""
    base = client.get("/api/evolution/baseline", params={"kind": kind, "name": name}).json()
    return {"targetKind": kind, "targetName": name, **base, "preset": "quick", **more}


def proposed(client: httpx.Client) -> dict[str, Any]:
    """Return the one run that waits for a person."""
    (run,) = client.get("/api/evolution/runs", params={"status": "proposed"}).json()["runs"]
    return dict(run)
