"""Running the HTTP server: one for each workspace, on a socket that is bound before anything is promised."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import uvicorn

from honeyguide.kernel.errors import Conflict, InvalidInput, PolicyRefused
from honeyguide.server.access import Access, is_loopback
from honeyguide.server.app import make_app
from honeyguide.server.live_runs import LiveRuns
from honeyguide.server.runner_process import RunnerApart
from honeyguide.server.runners import Runner, RunnerHere
from honeyguide.server.tokens import read_token
from honeyguide.workspace import Workspace
from honeyguide.workspace.loading import load_runs

DEFAULT_HOST, DEFAULT_PORT = "127.0.0.1", 3737
LONGEST_GOODBYE = 5
"""Seconds that open requests get to end when the server stops."""
KEEP_CONNECTION = 30
"""Seconds that an idle connection is kept: readers that ask every few seconds keep theirs."""
BACKLOG = 2048


@dataclass(frozen=True, slots=True)
class Serving:
    """A server that answers now.

    Attributes:
        url: where; the port is the real one, also when 0 was asked for.
    """

    url: str
    workspace: Path


async def serve(
    workspace: Workspace,
    *,
    host: str = DEFAULT_HOST,
    port: int = DEFAULT_PORT,
    token_file: Path | None = None,
    trust_loopback: bool = False,
    runs_apart: bool = True,
    on_ready: Callable[[Serving], None] = lambda serving: None,
) -> None:
    """Serve the workspace until cancelled; then end streams, stop runs (each can be resumed) and close the socket.

    Args:
        runs_apart: carry out runs, and the autonomous service, in a process of their own.

    Raises:
        Locked: another server serves this workspace.
        Conflict: the port is taken.
        PolicyRefused: other computers could reach it and no token was named.
    """
    access = access_for(workspace, host, token_file, trust_loopback)
    async with workspace.serving():
        stopping = asyncio.Event()
        listening = bind(host, port)
        runner: Runner = RunnerApart(workspace) if runs_apart else RunnerHere(workspace)
        live = LiveRuns(workspace, runner)
        try:
            await asyncio.to_thread(load_runs)  # at the first request it would hold up all others
            async with running(make_app(workspace, access, live, stopping), listening, stopping, live.stop):
                on_ready(Serving(url_of(listening, host), workspace.path))
                await asyncio.Event().wait()
        finally:
            await asyncio.shield(runner.close())
            listening.close()


def access_for(workspace: Workspace, host: str, token_file: Path | None, trust_loopback: bool) -> Access:
    """Return who may ask what. A bind that other computers reach needs a token that somebody chose on purpose."""
    access = Access(
        host=host,
        token=read_token(token_file) if token_file is not None or is_loopback(host) else None,
        trust_loopback=trust_loopback,
        origins=tuple(workspace.setting("server.origins")),
        hosts=tuple(workspace.setting("server.hosts")),
    )
    if trust_loopback and not access.is_local:
        raise PolicyRefused(
            f"{host} can be reached from other computers; --trust-loopback is for 127.0.0.1 alone.",
            hint="Leave it out, or bind to 127.0.0.1.",
        )
    return access


@contextlib.asynccontextmanager
async def running(
    app: Any, listening: socket.socket, stopping: asyncio.Event, stop: Callable[[], Any]
) -> AsyncIterator[None]:
    """Run an ASGI application while the block runs. ``stop`` ends what would keep requests open."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        lifespan="auto",
        timeout_keep_alive=KEEP_CONNECTION,
        timeout_graceful_shutdown=LONGEST_GOODBYE,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listening]), name="http server")
    try:
        started = asyncio.create_task(server.has_started.wait())
        await asyncio.wait((started, task), return_when=asyncio.FIRST_COMPLETED)
        started.cancel()
        if task.done():
            await task
        yield
    finally:
        stopping.set()
        await asyncio.shield(_stopped(server, task, stop))


async def _stopped(server: uvicorn.Server, task: asyncio.Task[None], stop: Callable[[], Any]) -> None:
    await stop()
    server.should_exit = True
    await task


class _Server(uvicorn.Server):
    """Signals belong to the program, which cancels ``serve``.

    Attributes:
        has_started: set when connections are taken.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.has_started = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.has_started.set()

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


def bind(host: str, port: int) -> socket.socket:
    """Return a bound socket. Raises Conflict when the port is taken, InvalidInput for a host that is not here."""
    try:
        found = socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except (OSError, OverflowError) as error:
        raise InvalidInput(f"{host} is no address of this computer.", hint="Use 127.0.0.1.") from error
    try:
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except OSError as error:
        listening.close()
        raise Conflict(
            f"Nothing can be served at {host}, port {port}: {error.strerror}.", hint="Choose another --port."
        ) from error
    return listening


def url_of(listening: socket.socket, host: str) -> str:
    """Return the address of a bound socket."""
    name = f"[{host.strip('[]')}]" if ":" in host else host
    return f"http://{name}:{listening.getsockname()[1]}"
