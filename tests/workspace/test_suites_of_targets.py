"""A suite of a persona: planned, run, proved red and green in a run, and what that does to a reported problem."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.kernel.errors import InvalidInput, NotFound, PolicyRefused, Unsupported
from honeyguide.workspace import Origin, RunOptions, Workspace

pytestmark = pytest.mark.anyio
PLANNER = "persona-system-prompt:planner"
COMPLAINT = "The answer must greet the customer by name."
RULE = "Begin by greeting the person by the name they gave."
SUITE = """\
cases:
  - name: greets by name
    input: "Hello, I am Maria. I want my money back for order AB-12345."
    checks: [{regex: {pattern: "^\\\\W*(hello|hi|dear) maria", flags: i}}]
  - name: speaks of the refund
    input: I would like a refund.
    checks: [{contains: {text: refund, ignore_case: true}}]
"""


@pytest.fixture
async def reported(workspace: Workspace, tmp_path: Path) -> str:
    """Attach the suite, report the problem and link it; returns its id."""
    file = tmp_path / "planner.eval.yaml"
    file.write_text(SUITE)
    await workspace.attach_suite(PLANNER, file)
    added = await workspace.add_feedback(PLANNER, COMPLAINT)
    await workspace.link_feedback(added.item.id, "greets by name")
    return added.item.id


async def proposed(workspace: Workspace, text: str, **options: object) -> tuple[str, dict[str, object]]:
    given = RunOptions(preset="quick", candidate_text=text, allow_safe=True, **options)  # type: ignore[arg-type]
    result = await workspace.evolve(PLANNER, given)
    return result.uuid, result.to_json()


async def text_of(workspace: Workspace) -> str:
    return (await workspace.target(PLANNER)).text


async def state_of(workspace: Workspace, id: str) -> str:
    return (await workspace.show_feedback(id)).item.state.value


async def test_a_suite_is_looked_at_for_free_and_its_results_are_bound_to_the_text(workspace, reported):
    view = await workspace.suite(PLANNER)
    assert [case.name for case in view.cases] == ["greets by name", "speaks of the refund"]
    assert view.cases[0].evidence == (reported,)
    assert (view.calls, view.costs_money, view.verdict[0].value) == (2, False, "Unverified")
    outcome = await workspace.eval_suite(PLANNER, RunOptions())
    assert [case.status.value for case in outcome.cases] == ["fail", "pass"]
    assert (await workspace.suite(PLANNER)).verdict[:2] == ("Failing", True)
    view.path.write_text(view.path.read_text() + "# a remark\n")
    assert (await workspace.suite(PLANNER)).verdict[0] == "Stale"
    assert (await workspace.eval_suite(PLANNER, RunOptions(), case="speaks of the refund")).is_clean
    with pytest.raises(InvalidInput):
        await workspace.eval_suite(PLANNER, RunOptions(), case="no such case")


async def test_the_suite_is_part_of_the_plan_and_a_draft_blocks_it(workspace, reported, tmp_path):
    plan = (await workspace.plan(PLANNER, RunOptions(preset="quick"))).to_json()
    assert {"name": "suite", "calls": {"low": 0, "high": 4}} in plan["stages"]
    draft = tmp_path / "draft.eval.yaml"
    draft.write_text("cases:\n  - {name: a, draft: true, input: x, checks: [{contains: y}]}\n")
    await workspace.attach_suite(PLANNER, draft)
    plan = (await workspace.plan(PLANNER, RunOptions(preset="quick"))).to_json()
    assert not plan["ready"]
    assert "DRAFT_SUITE" in [reason["code"] for reason in plan["reasons"]]
    with pytest.raises(PolicyRefused, match="Nobody has finished"):
        await proposed(workspace, "Anything else.")


async def test_red_then_green_resolves_when_accepted_and_a_rollback_opens_it_again(workspace, reported, tmp_path):
    uuid, data = await proposed(workspace, f"{(await text_of(workspace)).rstrip()}\n\n{RULE}")
    assert data["suite"]["outcome"] == "verified_improvement"
    assert data["suite"]["targetEvidenceIds"] == [reported]
    assert await state_of(workspace, reported) == "targeted"
    shown = (await workspace.run(uuid)).to_json()["suite"]
    assert [case["status"] for case in shown["current"]["cases"]] == ["fail", "pass"]
    assert [case["status"] for case in shown["proposal"]["cases"]] == ["pass", "pass"]
    assert shown["receipt_state"] == {"stale": False, "reasons": []}
    page = (await workspace.export_run(uuid, tmp_path / "proof.html")).read_text()
    assert "<h2>Eval suite</h2>" in page and reported in page
    await workspace.accept(uuid, note="red, then green")
    assert await state_of(workspace, reported) == "resolved"
    await workspace.rollback(PLANNER)
    assert await state_of(workspace, reported) == "open"


async def test_what_a_person_chose_or_worded_themselves_was_not_proved(workspace, reported):
    uuid, _ = await proposed(workspace, f"{(await text_of(workspace)).rstrip()}\n\n{RULE}")
    await workspace.accept(
        uuid, note="in my words", edited_text=f"{(await text_of(workspace)).rstrip()}\n\nGreet people by name."
    )
    assert await state_of(workspace, reported) == "open"


async def test_a_rejected_proposal_and_a_suite_that_changed_leave_it_open(workspace, reported):
    uuid, _ = await proposed(workspace, f"{(await text_of(workspace)).rstrip()}\n\n{RULE}")
    await workspace.reject(uuid)
    assert await state_of(workspace, reported) == "open"
    uuid, _ = await proposed(workspace, f"{(await text_of(workspace)).rstrip()}\n\n{RULE} ")
    assert await state_of(workspace, reported) == "targeted"
    path = (await workspace.suite(PLANNER)).path
    path.write_text(path.read_text().replace("refund, ignore", "money, ignore"))
    assert (await workspace.run(uuid)).suite["receipt_state"]["stale"]
    await workspace.accept(uuid, note="the suite is another one by now")
    assert await state_of(workspace, reported) == "open"


async def test_a_text_that_breaks_a_guardrail_is_refused_before_the_unseen_cases_are_opened(workspace, tmp_path):
    file = tmp_path / "planner.eval.yaml"
    file.write_text("cases:\n  - {name: short, input: I would like a refund., checks: [{length: 400}]}\n")
    await workspace.attach_suite(PLANNER, file)
    live = await text_of(workspace)
    file.write_text("cases:\n  - {name: never, input: I would like a refund., checks: [{equals: nothing}]}\n")
    await workspace.attach_suite(PLANNER, file)
    _, data = await proposed(workspace, f"{live.rstrip()}\n\n{RULE}")
    assert data["outcome"] == "skipped-gates"
    assert data["verification"] is None
    assert data["gateResults"][-1]["gate"] == "suite"


async def test_the_state_follows_from_the_run_after_a_crash(folder, workspace, reported):
    uuid, _ = await proposed(workspace, f"{(await text_of(workspace)).rstrip()}\n\n{RULE}")
    await workspace._deciding.accept(uuid, note="and then the power went", hunks=None, edited_text=None,
                                     origin=Origin.here("test"))  # fmt: skip
    assert await state_of(workspace, reported) == "targeted"
    await workspace.close()
    again = await Workspace.open(folder)
    try:
        assert await state_of(again, reported) == "resolved"
    finally:
        await again.close()


async def test_what_cannot_be_attached_is_said(workspace, tmp_path):
    bad = tmp_path / "bad.eval.yaml"
    bad.write_text("cases:\n  - name: a\n    inputt: x\n")
    with pytest.raises(InvalidInput, match=r"bad\.eval\.yaml:3:5"):
        await workspace.attach_suite(PLANNER, bad)
    code = tmp_path / "suite.eval.ts"
    code.write_text("export default [];\n")
    with pytest.raises(Unsupported):
        await workspace.attach_suite(PLANNER, code)
    with pytest.raises(NotFound):
        await workspace.detach_suite(PLANNER)
    with pytest.raises(NotFound):
        await workspace.eval_suite(PLANNER, RunOptions())
    flow = tmp_path / "flow.md"
    flow.write_text("---\nengine: practice\n---\nSay hello.\n")
    await workspace.add_target(flow, kind="flow", name="hello")
    with pytest.raises(Unsupported, match="beside"):
        await workspace.suite("flow:hello")
    assert await workspace.flow_of("flow:hello") == flow
    assert await workspace.flow_of(PLANNER) is None
