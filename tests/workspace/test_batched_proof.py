"""The proof can go out in Message Batches: the search asks one by one, the holdout is handed in at once."""

from __future__ import annotations

import json

import pytest

from honeyguide.workspace import ModelRef, ModelRole, RunOptions, Workspace
from tests.fakes.model_server import ModelServer

pytestmark = pytest.mark.anyio
CLAUDE = ModelRef("anthropic", "claude-haiku-4-5")
TEXT = "Write texts. Every text starts with a title."


def answered(message: str) -> str:
    if "[[ACTUAL" not in message:
        return "Title: News\nThe news comes first."
    return json.dumps({"correctness": 8, "procedure": 8, "conciseness": 8, "feedback": ""})


@pytest.mark.parametrize("batch", [True, False])
async def test_the_holdout_is_handed_in_at_once_where_that_was_chosen(workspace: Workspace, batch: bool) -> None:
    with ModelServer(answered) as server:
        await workspace.set_setting("models.base_urls", {"anthropic": server.url})
        await workspace.set_setting("runs.batch_verification", batch)
        options = RunOptions(
            preset="quick", candidate_text=TEXT, min_delta=-1, allow_safe=True, models=dict.fromkeys(ModelRole, CLAUDE)
        )
        result = await workspace.evolve("writer", options)
        assert result.payload["verification"]["n"] > 0, result.payload
        sizes = [len(found["requests"]) for found in server.batches.values()]
    assert bool(sizes) is batch
    if batch:
        measured = result.payload["verification"]["n"] + result.payload["verification"]["unscored"]
        assert max(sizes) >= measured  # not in dribs and drabs


async def test_the_plan_counts_the_proof_at_the_price_of_batches(workspace: Workspace) -> None:
    options = RunOptions(preset="quick", models=dict.fromkeys(ModelRole, CLAUDE))
    plain = await workspace.plan("writer", options)
    batched = await workspace.plan("writer", RunOptions(preset="quick", models=options.models, batch=True))
    assert plain.plan.calls == batched.plan.calls
    assert plain.plan.usd is not None
    assert batched.plan.usd is not None
    assert batched.plan.usd.high < plain.plan.usd.high
    assert batched.plan.usd.low == plain.plan.usd.low  # a proof is not certain to be made
