"""Workspaces for tests of the window: made once, copied for each test."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

from honeyguide.workspace import Origin, RunOptions, Workspace


def make_sample(path: Path) -> Path:
    """Make a workspace with the sample's agent and history."""

    async def make() -> None:
        await (await Workspace.create(path, sample=True)).close()

    asyncio.run(make())
    return path


DROPPED = ("Think about the whole picture", "Always be the best", "Remember that quality")
ADDED = (
    "- Ask for the order number when the message holds none.",
    "- Answer in the language in which the customer wrote.",
    "- End with the next step and when it happens.",
)


def better_text(live: str) -> str:
    """Return a text with better answers: what says nothing goes, what was missed comes."""
    kept = [line for line in live.splitlines() if not any(words in line for words in DROPPED)]
    return "\n".join([*kept, *ADDED])


def make_proposed(path: Path, sample: Path) -> Path:
    """Make a copy of the sample in which runs have ended, the newest with a proven proposal for ``support``."""
    shutil.copytree(sample, path)

    async def run() -> None:
        async with await Workspace.open(path) as workspace:
            for target in ("planner", "coder"):
                await workspace.evolve(target, RunOptions(preset="quick"), origin=Origin.here("command line"))
            text = better_text(workspace.active_prompt("persona-system-prompt", "support"))
            result = await workspace.evolve(
                "support", RunOptions(candidate_text=text), origin=Origin.here("command line")
            )
            assert result.outcome == "proposed", result.payload

    asyncio.run(run())
    return path
