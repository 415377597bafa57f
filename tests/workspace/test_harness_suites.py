"""The suite of a harness folder: run on copies, red and green for a draft, and what deciding on that draft does."""

from __future__ import annotations

from pathlib import Path

import pytest

from honeyguide.harnesses.changes.gate import gate
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import NotFound, PolicyRefused, Unsupported, Untrusted
from honeyguide.workspace import ModelRef, Origin, Workspace
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_reviewing import HarnessReviewing
from honeyguide.workspace.harness_views import Harnesses
from tests.fakes.harness_folders import write_folder

pytestmark = pytest.mark.anyio
PRACTICE = ModelRef("practice", "practice")
SUITE = """\
cases:
  - name: greets by name
    input: "Hello, I am Maria. I want my money back for order AB-12345."
    checks: [{regex: {pattern: "^\\\\W*(hello|hi|dear) maria", flags: i}}]
"""
PROMPT = "You do the task you are given.\nBegin by greeting the person by the name they gave.\n"
BY = Origin.here("test")


@pytest.fixture
async def harness(core, tmp_path: Path) -> tuple[Workspace, Path, str]:
    """A trusted harness with a suite and a linked problem, in an empty workspace."""
    workspace = Workspace(core)
    folder = tmp_path / "desk"
    made = Harnesses(HarnessHome.of(core))
    await made.init(folder, "desk", "answers", "You do the task you are given.", BY)
    folder.with_name("desk.eval.yaml").write_text(SUITE)
    await made.trust(folder, BY)
    added = await workspace.add_feedback(str(folder), "The answer must greet the customer by name.")
    await workspace.link_feedback(added.item.id, "greets by name")
    return workspace, folder, added.item.id


def drafted(folder: Path, prompt: str = PROMPT, id: str = "prop_1") -> str:
    opened = Harness.open(folder)
    what = Proposal.model_validate(
        {
            "rationale": "greet people",
            "target": {"signal": "success_rate", "expect": "increase"},
            "yaml_changes": [{"path": "system_prompt", "value": prompt}],
            "code_changes": [],
        }
    )
    judged = gate(opened.spec, opened.document.data, what)
    row = QueuedProposal(
        id, opened.identity, opened.version, f"key-{id}", "pending", "manual", what.rationale,
        "2026-03-01T12:00:00.000Z", what.to_json(), judged.to_json(),
    )  # fmt: skip
    Queue(opened.ours).add(row)
    return id


async def state_of(workspace: Workspace, id: str) -> str:
    return (await workspace.show_feedback(id)).item.state.value


def files_of(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


async def test_the_suite_runs_on_copies_and_leaves_nothing_in_the_folder(harness):
    workspace, folder, id = harness
    before = files_of(folder)
    view = await workspace.harness_suite(folder)
    assert view.cases[0].evidence == (id,)
    outcome = await workspace.eval_harness(folder, model=PRACTICE)
    assert [case.status.value for case in outcome.cases] == ["fail"]
    assert files_of(folder) == before
    with pytest.raises(PolicyRefused, match="costs money"):
        await workspace.eval_harness(folder)


async def test_red_then_green_for_a_draft_resolves_when_it_is_applied_and_a_rollback_opens_it_again(harness):
    workspace, folder, id = harness
    draft = drafted(folder)
    before = files_of(folder)
    record = await workspace.prove_harness(folder, draft, model=PRACTICE)
    assert (record.finding, record.comparison.improved) == ("verified_improvement", (id,))
    assert record.invocations == record.planned == 2
    assert files_of(folder) == before
    assert await state_of(workspace, id) == "targeted"
    deciding = HarnessReviewing(HarnessHome.of(workspace._core))
    await deciding.apply(folder, draft, BY)
    assert await state_of(workspace, id) == "resolved"
    await deciding.rollback(folder, draft, BY)
    assert await state_of(workspace, id) == "open"


async def test_a_rejected_draft_and_one_that_proves_nothing_leave_it_open(harness):
    workspace, folder, id = harness
    worse = drafted(folder, "You do the task you are given. Be brief.\n", "prop_2")
    record = await workspace.prove_harness(folder, worse, model=PRACTICE)
    assert record.finding == "rejected"
    assert await state_of(workspace, id) == "open"
    draft = drafted(folder)
    await workspace.prove_harness(folder, draft, model=PRACTICE)
    assert await state_of(workspace, id) == "targeted"
    await HarnessReviewing(HarnessHome.of(workspace._core)).reject(folder, draft, "not like this", BY)
    assert await state_of(workspace, id) == "open"


async def test_what_cannot_be_run_is_said(harness):
    workspace, folder, _ = harness
    suite = folder.with_name("desk.eval.yaml")
    suite.write_text(SUITE.replace("- name", "- draft: true\n    name"))
    with pytest.raises(PolicyRefused, match="Nobody has finished"):
        await workspace.eval_harness(folder, model=PRACTICE)
    suite.unlink()
    with pytest.raises(NotFound, match="no eval suite"):
        await workspace.eval_harness(folder, model=PRACTICE)
    suite.write_text(SUITE)
    coded = write_folder(folder.with_name("coded"))
    coded.with_name("coded.eval.yaml").write_text(SUITE)
    with pytest.raises(Untrusted):
        await workspace.eval_harness(coded, model=PRACTICE)
    await workspace.add_target(coded / "harness.yaml", kind="harness", name="coded")
    with pytest.raises(Unsupported, match="beside its folder"):
        await workspace.suite("harness:coded")
