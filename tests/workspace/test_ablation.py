"""A run that was asked to takes its change apart: what earns nothing is left out, or offered for leaving out."""

from __future__ import annotations

import pytest

from honeyguide.workspace import RunOptions

pytestmark = pytest.mark.anyio


async def test_each_change_of_a_given_text_says_what_it_is_worth_and_stays(workspace):
    live = (await workspace.target("writer")).text
    lines = live.splitlines()
    given = "\n".join([f"{lines[0]} Think of the whole.", *lines[1:], "- Every text starts with a title."])
    options = RunOptions(candidate_text=given, ablate=True, allow_safe=True)
    planned = (await workspace.plan("writer", options)).plan.calls
    result = await workspace.evolve("writer", options)
    run = await workspace.run(result.uuid)
    assert run.run.winner_text == given, "a person's text is proven as it is"
    view = await workspace.run_diff(result.uuid)
    assert [(hunk["n"], hunk["earns"]) for hunk in view.to_json()["hunks"]] == [(1, False), (2, True)]
    assert view.idle == (1,)
    assert result.payload["spend"]["calls"] <= planned.high
    check = await workspace.can_accept(result.uuid, hunks=[2])
    assert "Think of the whole" not in check.text


async def test_a_found_text_is_proven_without_what_earns_nothing(workspace):
    options = RunOptions(seed=1, ablate=True)
    planned = (await workspace.plan("writer", options)).plan
    assert [stage.name for stage in planned.stages] == ["schema", "instruction", "ablation", "verification"]
    whole = await workspace.evolve("writer", RunOptions(seed=1))
    result = await workspace.evolve("writer", options)
    found = (await workspace.run(result.uuid)).to_json()["artifacts"]["ablation"]
    assert found["hunks"] and all(hunk["n"] >= 24 for hunk in found["hunks"])
    assert not [hunk for hunk in found["leftOut"] if hunk["earns"] or hunk["longer"] <= 0]
    assert len(result.run.winner_text) <= len(whole.run.winner_text)
    assert (len(result.run.winner_text) < len(whole.run.winner_text)) is bool(found["leftOut"])
    assert result.payload["verification"]["outcome"] == "verified_improvement"
    assert result.payload["spend"]["calls"] <= planned.calls.high


async def test_without_room_in_the_budget_the_change_is_proven_whole(workspace):
    live = (await workspace.target("writer")).text
    given = "\n".join([f"{live.splitlines()[0]} Think.", *live.splitlines()[1:], "- Every text starts with a title."])
    result = await workspace.evolve(
        "writer", RunOptions(candidate_text=given, ablate=True, allow_safe=True, max_calls=370)
    )
    assert result.payload["verification"]["n"] == 31
    assert (await workspace.run_diff(result.uuid)).worth == {}
