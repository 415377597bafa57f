"""Running the MCP server: over the standard streams of a program that starts us, or over loopback HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from mcp.server.transport_security import TransportSecuritySettings

from honeyguide.kernel.errors import PolicyRefused
from honeyguide.server.access import is_loopback
from honeyguide.server.app import guards
from honeyguide.server.bodies import MOST_BYTES
from honeyguide.server.mcp_server import make_mcp_server, telling_changes
from honeyguide.server.serving import Serving, access_for, bind, running, url_of
from honeyguide.workspace import Workspace

DEFAULT_PORT = 3738
PATH = "/mcp"


async def serve_mcp_stdio(workspace: Workspace) -> None:
    """Speak MCP on standard input and output until the other side closes them."""
    server = make_mcp_server(workspace)
    async with telling_changes(server, workspace):
        await server.run_stdio_async()


async def serve_mcp_http(
    workspace: Workspace,
    *,
    host: str = "127.0.0.1",
    port: int = DEFAULT_PORT,
    token_file: Path | None = None,
    on_ready: Callable[[Serving], None] = lambda serving: None,
) -> None:
    """Speak MCP over HTTP at ``/mcp`` until cancelled. Only this computer can reach it.

    Raises:
        PolicyRefused: the bind is not loopback.
        Conflict: the port is taken.
    """
    if not is_loopback(host):
        raise PolicyRefused(f"MCP over HTTP is for this computer alone, not for {host}.", hint="Bind to 127.0.0.1.")
    access = access_for(workspace, host, token_file, trust_loopback=False)
    server = make_mcp_server(workspace)
    app = server.streamable_http_app(
        streamable_http_path=PATH,
        max_request_body_size=MOST_BYTES,
        transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),  # our guard stands before
    )
    app.user_middleware[:0] = guards(access)
    stopping = asyncio.Event()

    async def nothing() -> None:
        return None

    listening = bind(host, port)
    try:
        async with telling_changes(server, workspace), running(app, listening, stopping, nothing):
            on_ready(Serving(url_of(listening, host) + PATH, workspace.path))
            await asyncio.Event().wait()
    finally:
        listening.close()
