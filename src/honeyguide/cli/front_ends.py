"""The other front ends as the command line calls them; the entry point puts them in, so that none imports another."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.errors import Unsupported


def _no_window(workspace: Path, smoke: bool) -> int:
    raise Unsupported("This program was started without its window.", hint="Start 'honeyguide'.")


def _no_pictures(workspace: Path, folder: Path) -> list[Path]:
    return []


async def _no_server(*_: object, **__: object) -> None:
    raise Unsupported("This program was started without its servers.", hint="Start 'honeyguide'.")


def _no_token(file: Path | None) -> str:
    raise Unsupported("This program was started without its servers.", hint="Start 'honeyguide'.")


@dataclass(frozen=True, slots=True)
class FrontEnds:
    """What can be opened from the command line.

    Attributes:
        window: opens the window on a workspace (with ``smoke``: walks through every page) and returns the exit code.
        pictures: draws every page of a workspace into a folder without a screen and returns the files.
        serve: serves the HTTP API of an open workspace until cancelled.
        token: returns the token in a file, or this user's own.
        mcp_stdio, mcp_http: speak MCP for an open workspace.
    """

    window: Callable[[Path, bool], int] = _no_window
    pictures: Callable[[Path, Path], list[Path]] = _no_pictures
    serve: Callable[..., Awaitable[None]] = _no_server
    token: Callable[[Path | None], str] = _no_token
    mcp_stdio: Callable[..., Awaitable[None]] = _no_server
    mcp_http: Callable[..., Awaitable[None]] = _no_server
