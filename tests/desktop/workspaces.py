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


def make_proposed(path: Path, sample: Path) -> Path:
    """Make a copy of the sample in which quick runs on several targets have ended, the newest with a proposal."""
    shutil.copytree(sample, path)

    async def run() -> None:
        async with await Workspace.open(path) as workspace:
            for target in ("planner", "coder", "qualityRules"):
                await workspace.evolve(target, RunOptions(preset="quick"), origin=Origin.here("command line"))

    asyncio.run(run())
    return path
