"""Who carries runs out for the HTTP server: this process (``RunnerHere``), or one of its own (``runner_process``)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from honeyguide.kernel import errors
from honeyguide.kernel.errors import HoneyguideError, InternalError
from honeyguide.workspace import Origin, ProgressEvent, RunOptions, TargetRef, Workspace

OnProgress = Callable[[ProgressEvent], None]
WAY = "http"
_log = logging.getLogger("honeyguide.server")


class Runner(Protocol):
    """Carries out runs, and the autonomous service."""

    async def start(self, ref: TargetRef, options: RunOptions, on_progress: OnProgress) -> str:
        """Begin a run and return its id; progress may be told before it returns. Raises as ``Workspace.start_run``."""
        ...

    async def wait(self, uuid: str) -> Mapping[str, Any]:
        """Return the result payload of a run that was started here. Raises what ended it, or NotFound."""
        ...

    async def close(self) -> None:
        """Stop what is under way; every run can be resumed."""
        ...


class RunnerHere:
    """Carries out everything on the loop of the server."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._service = asyncio.create_task(serve_by_itself(workspace), name="autonomous service")

    async def start(self, ref: TargetRef, options: RunOptions, on_progress: OnProgress) -> str:
        """As ``Runner.start``."""
        return await self._workspace.start_run(ref, options, origin=Origin.here(WAY), on_progress=on_progress)

    async def wait(self, uuid: str) -> Mapping[str, Any]:
        """As ``Runner.wait``."""
        return (await self._workspace.wait_run(uuid)).to_json()

    async def close(self) -> None:
        """As ``Runner.close``; the runs themselves end with the workspace."""
        self._service.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._service


async def serve_by_itself(workspace: Workspace) -> None:
    """Run the autonomous service while it is switched on and nobody else runs it."""
    with contextlib.suppress(HoneyguideError):
        await workspace.run_daemon(idle_while_off=True)


def error_to_json(error: Exception) -> dict[str, Any]:
    """Return an error as it is told to another process; what nobody foresaw is logged here and told by its type."""
    if not isinstance(error, HoneyguideError):
        _log.error("a run ended unexpectedly", exc_info=error)
        return {"kind": "InternalError", "message": f"The run failed: {type(error).__name__}."}
    kind = next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == errors.__name__)
    return {"kind": kind, "message": error.message, "hint": error.hint, "details": error.details}


def error_from_json(told: Mapping[str, Any]) -> HoneyguideError:
    """Return the error that another process told of."""
    kind = getattr(errors, str(told["kind"]), InternalError)
    found: HoneyguideError = kind(told["message"], hint=told.get("hint", ""), details=told.get("details"))
    return found
