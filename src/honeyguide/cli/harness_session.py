"""A harness command's way to its answer: with the open workspace where there is one, else without."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from honeyguide.cli import session
from honeyguide.kernel.errors import NotFound
from honeyguide.workspace import Workspace
from honeyguide.workspace.harness_views import Harnesses, HarnessEvolving, HarnessHome, HarnessRunning, HarnessServing

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Both:
    """The parts of the application that know harnesses."""

    harnesses: Harnesses
    evolving: HarnessEvolving
    running: HarnessRunning
    serving: HarnessServing

    @classmethod
    def at(cls, home: HarnessHome) -> Both:
        """Return the parts that work from one home."""
        evolving = HarnessEvolving(home)
        running = HarnessRunning(home, evolving)
        return cls(Harnesses(home), evolving, running, HarnessServing(home, running))


def with_harnesses(work: Callable[[Both], Awaitable[T]]) -> T:
    """Do ``work``, in the workspace that was asked for, or the last one, or none."""
    return session.run_async(lambda: _work(work))


async def _work(work: Callable[[Both], Awaitable[T]]) -> T:
    path = session.workspace_path()
    try:
        workspace = await Workspace.open(path)
    except NotFound:
        if path not in (Workspace.last_opened(), Workspace.default_path()):
            raise  # it was named, so it is missed
        home = HarnessHome.alone()
        try:
            return await work(Both.at(home))
        finally:
            await home.close()
    try:
        return await work(Both.at(HarnessHome.of_workspace(workspace)))
    finally:
        await workspace.close()


def print_line(data: Mapping[str, Any]) -> None:
    """Print one JSON object as a line."""
    line = json.dumps(dict(data), ensure_ascii=False, separators=(",", ":"), default=str)
    sys.stdout.write(line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n")
    sys.stdout.flush()
