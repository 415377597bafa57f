"""Ceilings of a day and of a workspace hold for everything that calls a model, whatever it is."""

from __future__ import annotations

import asyncio
import json

import pytest

from honeyguide.workspace import RunOptions, TraceQuery, Workspace
from honeyguide.workspace.core import Core

pytestmark = pytest.mark.anyio
LIMITS = ("limits.calls_per_day", "limits.calls_in_all")


async def calls_of(workspace: Workspace) -> int:
    core: Core = workspace._core
    return (await core.store.read(lambda unit: unit.spend.total())).calls


@pytest.mark.parametrize("limit", LIMITS)
async def test_runs_at_the_same_time_stay_under_the_ceiling_together(workspace, limit):
    await workspace.set_setting(limit, 60)
    results = await asyncio.gather(
        *(workspace.evolve(target, RunOptions(preset="quick", concurrency=8)) for target in ("writer", "coreLoop")),
        return_exceptions=True,
    )
    assert any("ceiling" in str(getattr(result, "payload", result)) for result in results)
    made = 0
    for journal in (workspace.path / "runs").glob("*/journal.jsonl"):
        kinds = [json.loads(line)["kind"] for line in journal.read_bytes().splitlines()]
        made += sum(kind in ("reply", "failed") for kind in kinds)
    assert 0 < made <= 60
    assert await calls_of(workspace) == made


@pytest.mark.parametrize("limit", LIMITS)
async def test_replays_and_the_model_test_count_too(workspace, limit):
    await workspace.set_setting(limit, 5)
    (tested,) = await workspace.test_models("practice")
    assert tested.ok
    assert await calls_of(workspace) == 1
    ids = [row.id for row in (await workspace.traces(TraceQuery(target="writer", limit=4))).items]
    rows = await workspace.replay(ids, "Write texts.", "Write short texts.")
    assert rows[-1].right.answer.failure == "not-run: budget"
    assert await calls_of(workspace) == 5
    (refused,) = await workspace.test_models("practice")
    assert (refused.ok, refused.kind) == (False, "budget")


async def test_tokens_of_a_run_have_a_ceiling(workspace):
    await workspace.set_setting("limits.tokens_per_run", 10)
    ids = [row.id for row in (await workspace.traces(TraceQuery(target="writer", limit=1))).items]
    (row,) = await workspace.replay(ids, "Write texts.", "Write short texts.")
    assert row.left.answer.failure == row.right.answer.failure == "not-run: budget"
