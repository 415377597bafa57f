"""One command's way from the arguments to its answer: open the workspace, run, translate errors, close."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from honeyguide.cli.front_ends import FrontEnds
from honeyguide.kernel.errors import NotFound
from honeyguide.workspace import Origin, Workspace

T = TypeVar("T")
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Events = Annotated[bool, typer.Option("--events", help="Print one JSON object a line while it runs.")]
WORKSPACE_VARIABLE = "HONEYGUIDE_WORKSPACE"


@dataclass(slots=True)
class Invocation:
    """What holds for one call of the command line.

    Attributes:
        workspace: the ``--workspace`` option.
        front_ends: what else can be opened.
    """

    workspace: Path | None = None
    front_ends: FrontEnds = field(default_factory=FrontEnds)


_invocation = Invocation()


def begin(front_ends: FrontEnds) -> None:
    """Start a call of the command line."""
    _invocation.workspace = None
    _invocation.front_ends = front_ends


def front_ends() -> FrontEnds:
    """Return what else can be opened."""
    return _invocation.front_ends


def choose_workspace(path: Path | None) -> None:
    """Remember the ``--workspace`` option."""
    _invocation.workspace = path


def workspace_path() -> Path:
    """Return the workspace: option, else environment, else the last one opened, else the default one."""
    if _invocation.workspace is not None:
        return _invocation.workspace
    named = os.environ.get(WORKSPACE_VARIABLE)
    if named:
        return Path(named)
    return Workspace.last_opened() or Workspace.default_path()


def origin() -> Origin:
    """Return who decides and how."""
    return Origin.here("command line")


def run_with_workspace(work: Callable[[Workspace], Awaitable[T]]) -> T:
    """Open the workspace, do ``work``, close it; Ctrl+C cancels the work and what was paid for is kept."""
    return run_async(lambda: _with_workspace(work))


def run_async(work: Callable[[], Awaitable[T]]) -> T:
    """Run a coroutine to its end. TERM is taken like Ctrl+C."""

    async def main() -> T:
        task = asyncio.ensure_future(work())
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError):
            loop.add_signal_handler(signal.SIGTERM, task.cancel)
        return await task

    return asyncio.run(main())


async def _with_workspace(work: Callable[[Workspace], Awaitable[T]]) -> T:
    path = workspace_path()
    try:
        workspace = await Workspace.open(path)
    except NotFound as error:
        raise NotFound(
            f"There is no workspace at {path}.",
            hint="Make one with 'honeyguide init DIR' (add --sample to try it), or name one with --workspace.",
        ) from error
    Workspace.remember(path)
    try:
        return await work(workspace)
    finally:
        await workspace.close()
