"""The evidence of a proposal that is not decided yet goes on: the same process, nothing charged for having looked."""

from __future__ import annotations

import json

import pytest

from honeyguide.evals.betting import Stakes, e_values
from honeyguide.evals.examples import Example
from honeyguide.kernel.errors import Conflict, InvalidInput
from honeyguide.workspace import RunOptions, Workspace
from honeyguide.workspace.opening import make_folder, open_core
from honeyguide.workspace.sample import compose_history

pytestmark = pytest.mark.anyio


async def undecided(workspace: Workspace) -> str:
    """A quick run measures 17 of the unseen cases once: too few to prove a small gain."""
    live = (await workspace.target("writer")).text
    found = await workspace.evolve("writer", RunOptions(preset="quick", candidate_text=live + " ", min_delta=-1))
    assert (found.outcome, found.payload["verification"]["outcome"]) == ("proposed", "inconclusive")
    return found.uuid


async def test_the_rest_of_the_holdout_continues_the_same_evidence(workspace):
    uuid = await undecided(workspace)
    before = (await workspace.run(uuid)).verification
    outlook = await workspace.proof_outlook(uuid)
    assert (outlook.measured, outlook.repeats) == (17, 1)
    assert outlook.fresh == 31 - 17
    after = (await workspace.continue_proof(uuid)).verification
    assert after["n"] == 31
    assert (after["evidence"]["look"], after["evidence"]["bar"]) == (1, before["evidence"]["bar"])
    assert after["stakes"] == before["stakes"]
    pairs = json.loads((workspace.path / "runs" / uuid / "evidence.json").read_text(encoding="utf-8"))["pairs"]
    stakes = Stakes.from_json(after["stakes"]["gain"])
    path = e_values([pair["difference"] for pair in pairs], 0.0, stakes)
    assert max(path) == pytest.approx(after["evidence"]["e_value"])
    assert max(path[:17]) == pytest.approx(before["evidence"]["e_value"])
    assert len(await workspace.run_evidence(uuid)) == 31


async def test_what_was_paid_for_is_kept_and_counted(workspace):
    uuid = await undecided(workspace)
    before = (await workspace.run(uuid)).attempt.calls
    detail = await workspace.continue_proof(uuid)
    outlook_calls = 2 * 2 * 14
    assert before < detail.attempt.calls <= before + outlook_calls
    assert detail.status == "proposed"
    assert not detail.receipt["stale"]


async def test_more_verdicts_are_a_new_look_with_its_bar(workspace):
    uuid = await undecided(workspace)
    calls = (await workspace.run(uuid)).attempt.calls
    after = await workspace.continue_proof(uuid, repeats=2)
    assert after.verification["repeats"] == 2
    assert (after.verification["evidence"]["look"], after.verification["evidence"]["bar"]) == (2, 120)
    assert after.attempt.calls - calls <= 2 * 2 * 17 + 2 * 2 * 2 * 14


async def test_without_new_cases_it_says_what_to_do(workspace):
    uuid = await undecided(workspace)
    await workspace.continue_proof(uuid)
    if (await workspace.run(uuid)).verification["outcome"] == "inconclusive":
        with pytest.raises(Conflict, match="no unseen cases beyond the 31"):
            await workspace.continue_proof(uuid)
        with pytest.raises(InvalidInput, match="out of bounds"):
            await workspace.continue_proof(uuid, repeats=17)


async def test_history_that_came_since_continues_the_evidence_without_what_the_search_saw(tmp_path):
    path = tmp_path / "workspace"
    make_folder(path, sample=True)
    async with Workspace(open_core(path, create=True)) as workspace:
        history = [trace for trace in compose_history() if trace.persona_id == "writer"]
        await workspace._history.import_recorded(history[:100])
        uuid = await undecided(workspace)
        await workspace.continue_proof(uuid)  # what was left of the holdout
        measured = len(await workspace.run_evidence(uuid))
        with pytest.raises(Conflict, match="no unseen cases"):
            await workspace.continue_proof(uuid)
        seen = {example.input for example in await developed(workspace, uuid)}
        await workspace._history.import_recorded(history[100:])
        outlook = await workspace.proof_outlook(uuid)
        assert outlook.fresh > 3
        before = (await workspace.run(uuid)).verification
        after = await workspace.continue_proof(uuid)
        rows = await workspace.run_evidence(uuid)
        assert after.verification["n"] == len(rows) == measured + outlook.fresh
        assert after.verification["evidence"]["look"] == before["evidence"]["look"] == 1
        assert not seen & {row.input for row in rows}, "a case that the search saw proves nothing"


async def developed(workspace: Workspace, uuid: str) -> list[Example]:
    known = (await workspace.run(uuid)).attempt.dataset_hash
    dataset = await workspace._core.store.read(lambda unit: unit.datasets.load(known))
    return [*dataset.train, *dataset.validation]


async def test_a_decided_run_has_no_open_evidence(workspace):
    uuid = await undecided(workspace)
    await workspace.reject(uuid, reason="not now")
    with pytest.raises(Conflict, match="not open"):
        await workspace.continue_proof(uuid)
