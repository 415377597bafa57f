"""The closed loop: a proposal, its proof, the decision, and the way back."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput, NotFound, PolicyRefused, Stale
from honeyguide.prompts.targets import TargetKind
from honeyguide.workspace import ModelRef, ModelRole, RunDetail, RunFilter, RunOptions, Workspace

pytestmark = pytest.mark.anyio
QUICK_GAIN = RunOptions(seed=1)
KINDS = {
    "writer": (TargetKind.PERSONA, "personas/writer.json"),
    "coreLoop": (TargetKind.SECTION, "behavioral-overrides/coreLoop.json"),
    "search_orders": (TargetKind.TOOL, "tool-overrides/search_orders.json"),
    "release-notes": (TargetKind.SKILL, "skill-overrides/release-notes.md"),
}


async def proposal(workspace: Workspace, target: str = "writer") -> RunDetail:
    result = await workspace.evolve(target, QUICK_GAIN)
    assert result.outcome == "proposed", result.payload["reason"]
    return await workspace.run(result.uuid)


@pytest.mark.parametrize("target", KINDS)
async def test_each_kind_is_proposed_deployed_and_rolled_back(workspace, target):
    kind, file = KINDS[target]
    before = workspace.active_prompt(kind, target)
    run = await proposal(workspace, target)
    assert run.verification["delta"] > 0
    accepted = await workspace.accept(run.uuid, note="as measured")
    override = workspace.path / file
    assert accepted.status == "deployed"
    assert workspace.active_prompt(kind, target) == accepted.run.winner_text != before
    assert override.stat().st_mode & 0o777 == 0o600
    row = await workspace.rollback(target)
    assert not override.exists()
    assert row.removed
    assert workspace.active_prompt(kind, target) == before
    assert [v.origin for v in (await workspace.versions(target)).versions] == ["found", "accepted", "restored"]


async def test_overrides_have_the_shapes_of_the_contract(workspace):
    persona = await proposal(workspace)
    await workspace.accept(persona.uuid, note="ok")
    section = await proposal(workspace, "coreLoop")
    await workspace.accept(section.uuid, note="ok")
    written = json.loads((workspace.path / "personas" / "writer.json").read_text(encoding="utf-8"))
    assert list(written) == ["id", "name", "description", "icon", "systemPrompt"]
    assert written["systemPrompt"] == persona.run.winner_text
    written = json.loads((workspace.path / "behavioral-overrides" / "coreLoop.json").read_text(encoding="utf-8"))
    assert list(written) == ["section", "text", "runUuid", "deployedAt"]
    assert (written["text"], written["runUuid"]) == (section.run.winner_text, section.uuid)


async def test_a_second_deploy_keeps_the_one_before_as_bak(workspace):
    first = await proposal(workspace)
    await workspace.accept(first.uuid, note="ok")
    file = workspace.path / "personas" / "writer.json"
    before = file.read_bytes()
    result = await workspace.evolve(
        "writer", RunOptions(candidate_text=first.run.winner_text + "\n- Be kind.", min_delta=-1, allow_safe=True)
    )
    await workspace.accept(result.uuid, note="a word more")
    assert Path(f"{file}.bak").read_bytes() == before


async def test_deploy_and_rollback_are_announced(workspace):
    run = await proposal(workspace)
    last = await workspace.last_event_id()
    await workspace.accept(run.uuid, note="ok")
    await workspace.rollback("writer")
    told = [event for event in await workspace.events(last) if event.kind == "persona:reloaded"]
    assert [event.subject for event in told] == ["persona-system-prompt:writer"] * 2


async def test_the_prompt_that_needs_no_change_is_left_alone(workspace):
    result = await workspace.evolve("planner", QUICK_GAIN)
    assert result.outcome == "skipped-delta"
    page = await workspace.runs(RunFilter(name="planner"))
    assert not page.runs
    assert [attempt.record.state for attempt in page.attempts] == ["skipped-delta"]


@pytest.mark.parametrize(("preset", "races"), [("efficient", True), ("quick", False)])
async def test_the_preset_of_a_run_says_whether_it_races(workspace, preset, races):
    options = RunOptions(preset=preset)
    planned = (await workspace.plan("writer", options)).plan.calls
    result = await workspace.evolve("writer", options)
    decisions = (workspace.path / "runs" / result.uuid / "decisions.jsonl").read_text(encoding="utf-8")
    assert any(json.loads(line)["decision"] == "reflection" for line in decisions.splitlines()) is races
    assert planned.low <= result.payload["spend"]["calls"] <= planned.high


async def test_the_same_seed_decides_the_same(folder, tmp_path):
    decided = []
    for number in range(2):
        copy = shutil.copytree(folder, tmp_path / f"copy-{number}")
        workspace = await Workspace.open(copy)
        result = await workspace.evolve("writer", RunOptions(seed=4, concurrency=1 + 7 * number))
        await workspace.close()
        decisions = (copy / "runs" / result.uuid / "decisions.jsonl").read_bytes()
        decided.append((decisions, result.run.winner_text, result.payload["verification"]))
    assert decided[0] == decided[1]


async def test_a_live_text_that_changed_meanwhile_is_not_overwritten(workspace):
    run = await proposal(workspace)
    file = workspace.path / "personas" / "writer.json"
    file.parent.mkdir(exist_ok=True)
    theirs = json.dumps({"id": "writer", "systemPrompt": "Mine."}).encode()
    file.write_bytes(theirs)
    with pytest.raises(Stale):
        await workspace.accept(run.uuid, note="ok")
    assert file.read_bytes() == theirs
    assert (await workspace.run(run.uuid)).status == "proposed"


async def test_only_a_proposed_run_can_be_decided(workspace):
    run = await proposal(workspace)
    await workspace.reject(run.uuid, reason="not now")
    for decide in (workspace.accept, workspace.reject):
        with pytest.raises(Conflict, match='status "rejected"'):
            await decide(run.uuid)
    with pytest.raises(Conflict, match="only failed runs"):
        await workspace.retry(run.uuid)
    with pytest.raises(NotFound):
        await workspace.accept("no-such-run")


async def test_a_deploy_that_throws_fails_and_can_be_tried_again(workspace):
    run = await proposal(workspace)
    blocked = workspace.path / "personas"
    blocked.write_text("a file where a folder has to be", encoding="utf-8")
    failed = await workspace.accept(run.uuid, note="ok")
    assert failed.status == "failed"
    assert failed.run.failure_reason
    blocked.unlink()
    retried = await workspace.retry(run.uuid)
    assert retried.status == "deployed"
    assert workspace.active_prompt("persona-system-prompt", "writer") == run.run.winner_text


async def test_a_selection_of_changes_is_judged_again_and_deployed(workspace):
    run = await proposal(workspace)
    view = await workspace.run_diff(run.uuid)
    chosen = [hunk.n for hunk in view.hunks[:-1]]
    check = await workspace.can_accept(run.uuid, hunks=chosen)
    assert check.is_selection
    accepted = await workspace.accept(run.uuid, hunks=chosen, note="not the last")
    assert workspace.active_prompt("persona-system-prompt", "writer") == check.text
    assert "selected by the reviewer" in accepted.run.user_note


async def test_an_edit_that_breaks_a_rule_is_refused(workspace):
    run = await proposal(workspace)
    with pytest.raises(GateRefused, match=r"growth|size"):
        await workspace.accept(run.uuid, edited_text=run.run.winner_text * 4, note="longer")
    assert (await workspace.run(run.uuid)).status == "proposed"
    with pytest.raises(InvalidInput, match="none of the changes"):
        await workspace.accept(run.uuid, hunks=[], note="nothing")


async def test_a_text_written_by_hand_goes_through_the_same_proof(workspace):
    live = workspace.active_prompt("persona-system-prompt", "coder")
    better = live.replace("- Always be the best you can be.", "- Write a test that fails before the change.")
    result = await workspace.evolve("coder", RunOptions(candidate_text=better))
    assert result.outcome == "proposed"
    assert result.payload["verification"]["outcome"] == "verified_improvement"
    worse = "Write something."
    result = await workspace.evolve("support", RunOptions(candidate_text=worse))
    assert result.outcome in ("skipped-gates", "skipped-delta")


async def test_a_paid_run_needs_a_persons_agreement(workspace):
    paid = RunOptions(models={ModelRole.EXECUTOR: ModelRef.parse("anthropic:claude-haiku-4-5")})
    assert workspace.costs_money(paid)
    with pytest.raises(PolicyRefused, match="nobody confirmed") as refusal:
        await workspace.evolve("writer", paid)
    assert refusal.value.details["plan"]["calls"]["high"] > 0


async def test_a_plan_calls_nothing_and_bounds_what_follows(workspace):
    plan = (await workspace.plan("writer", QUICK_GAIN)).to_json()
    assert plan["ready"]
    result = await workspace.evolve("writer", QUICK_GAIN)
    assert result.payload["spend"]["calls"] <= plan["calls"]["high"]


async def test_a_ceiling_on_calls_is_never_exceeded(workspace):
    result = await workspace.evolve("writer", RunOptions(max_calls=60))
    assert 0 < result.payload["spend"]["calls"] <= 60


async def test_evidence_and_journal_can_be_read_back(workspace, tmp_path):
    run = await proposal(workspace)
    evidence = await workspace.run_evidence(run.uuid)
    assert len(evidence) == run.verification["n"]
    counts = [sum(row.verdict == verdict for row in evidence) for verdict in ("better", "worse")]
    assert counts == [run.verification["wins"], run.verification["losses"]]
    journal = await workspace.run_journal(run.uuid, limit=5)
    assert len(journal.items) == 5 < journal.total
    page = await workspace.export_run(run.uuid, tmp_path / "run.html")
    assert run.verification["label"] in page.read_text(encoding="utf-8")


async def test_a_receipt_says_when_its_sealed_cases_are_gone(workspace):
    run = await proposal(workspace)
    case = next(row for row in await workspace.run_evidence(run.uuid) if row.trace_id is not None)
    await workspace.delete_traces([case.trace_id])
    assert "The sealed examples changed since." in (await workspace.run(run.uuid)).receipt["reasons"]


async def test_a_receipt_goes_stale_with_the_text_it_was_made_for(workspace):
    run = await proposal(workspace)
    assert run.receipt == {"stale": False, "reasons": []}
    file = workspace.path / "base" / "personas" / "writer.json"
    file.write_text(file.read_text(encoding="utf-8").replace("plain words", "short words"), encoding="utf-8")
    assert (await workspace.run(run.uuid)).receipt["stale"]


@pytest.mark.parametrize("name", ["../../x", "a/b", ".hidden", "nul\0"])
async def test_names_that_could_leave_the_folder_are_refused(workspace, name):
    with pytest.raises(InvalidInput):
        await workspace.evolve(name, QUICK_GAIN)


async def test_an_unknown_target_is_not_found(workspace):
    with pytest.raises(NotFound, match="no target called"):
        await workspace.target("nobody")
