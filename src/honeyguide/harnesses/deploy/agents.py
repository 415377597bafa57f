"""Harnesses as MCP tools for other agents: one ``run_NAME`` each, and a list with how well each one does."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer

RunText = Callable[[Path, str], Awaitable[RunOutcome]]
Fitness = Callable[[Path], dict[str, Any]]
"""Returns total_runs, success_rate, avg_cost_usd, avg_turns of a folder."""
LISTS = (
    "List every harness this server offers: its run_* tool, how many runs it has, its success rate, its average cost"
    " and turns. Use it to pick the right one."
)


@dataclass(frozen=True, slots=True)
class Offered:
    """One harness that is served."""

    path: Path
    name: str
    description: str

    @property
    def tool(self) -> str:
        """The name of its tool."""
        return "run_" + re.sub(r"[^a-zA-Z0-9_-]", "_", self.name)


def offer(paths: Sequence[Path], require: Callable[[Harness], None], warn: Callable[[str], None]) -> list[Offered]:
    """Return the folders that can be served; broken and untrusted ones are named in a warning and left out."""
    found: list[Offered] = []
    for path in paths:
        try:
            harness = Harness.open(path)
            require(harness)
        except HoneyguideError as error:
            warn(f"{path} is left out: {error.message}")
            continue
        one = Offered(harness.root, harness.spec.name, harness.spec.description)
        if any(other.tool == one.tool for other in found):
            warn(f"{path} is left out: another harness is called {one.tool} already")
            continue
        found.append(one)
    return found


def build_server(offered: Sequence[Offered], run: RunText, fitness: Fitness, **settings: Any) -> MCPServer[Any]:
    """Return the MCP server; its transport is the caller's choice."""
    from mcp.server.mcpserver import MCPServer

    server: MCPServer[Any] = MCPServer("honeyguide-harnesses", **settings)
    for one in offered:
        said = f"{one.description} (harness '{one.name}'; returns a verified, structured result)"
        server.add_tool(_runner(one, run), name=one.tool, description=said, structured_output=True)

    def list_harnesses() -> dict[str, Any]:
        rows = [{"tool": o.tool, "name": o.name, "description": o.description, **fitness(o.path)} for o in offered]
        return {"harnesses": rows}

    server.add_tool(list_harnesses, name="list_harnesses", description=LISTS, structured_output=True)
    return server


def _runner(one: Offered, run: RunText) -> Callable[[str], Awaitable[dict[str, Any]]]:
    async def run_tool(input: str) -> dict[str, Any]:
        try:
            outcome = await run(one.path, input)
        except HoneyguideError as error:
            return result_of("error", "", error.message)
        return result_of(
            outcome.status,
            outcome.output,
            outcome.reason,
            cost_usd=outcome.cost_usd,
            turns=outcome.turns,
            run_id=outcome.run_id,
            verdicts=[dict(v) for v in outcome.verdicts],
            artifacts=[{"kind": a.get("kind"), "data": a.get("data")} for a in outcome.data.get("artifacts") or ()],
        )

    return run_tool


def result_of(
    status: str,
    output: str,
    reason: str,
    *,
    cost_usd: float = 0.0,
    turns: int = 0,
    run_id: str = "",
    verdicts: Sequence[dict[str, Any]] = (),
    artifacts: Sequence[dict[str, Any]] = (),
) -> dict[str, Any]:
    """Return what a delegated task gives back."""
    result: dict[str, Any] = {
        "status": status,
        "output": output,
        "reason": reason,
        "cost_usd": cost_usd,
        "turns": turns,
        "run_id": run_id,
        "verdicts": list(verdicts),
    }
    return result | ({"_hiveloom": {"artifacts": list(artifacts)}} if artifacts else {})
