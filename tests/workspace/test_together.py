"""Several texts accepted as one: whatever cuts an acceptance short, all are live or none, and the run says which."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from honeyguide.kernel.errors import GateRefused, Interrupted, InvalidInput, Locked
from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import run_lease
from honeyguide.versions import VersionStore
from honeyguide.workspace import RunOptions, Workspace
from honeyguide.workspace.core import Core
from tests.fakes.disks import FailingDisk

pytestmark = pytest.mark.anyio
SUPPORT = TargetRef(TargetKind.PERSONA, "support")
ORDERS = TargetRef(TargetKind.TOOL, "search_orders")
BOTH = Joined((SUPPORT, ORDERS))


def live(workspace: Workspace) -> tuple[str, ...]:
    return tuple(workspace.active_prompt(ref.kind, ref.name) for ref in BOTH.refs)


async def proposed(workspace: Workspace) -> str:
    persona, tool = live(workspace)
    persona = persona.replace("- Always be the best you can be.\n", "- Ask for the order number first.\n")
    tool = tool.replace("Think about the whole picture at all times.\n", "since is an ISO date.\n")
    options = RunOptions(candidate_text=BOTH.join([persona, tool]), together=("search_orders",), allow_safe=True)
    result = await workspace.evolve("support", options)
    assert result.outcome == "proposed", result.payload["reason"]
    return result.uuid


class Gone(BaseException):
    """The process was killed."""


async def test_cut_short_anywhere_the_next_open_finds_all_or_nothing(workspace, tmp_path, monkeypatch):
    uuid, before = await proposed(workspace), live(workspace)
    await workspace.close()
    seen = set()
    for step in (1, 16, 32, 48, 56, 64, 72, 80, 96):
        folder = Path(shutil.copytree(workspace.path, tmp_path / f"at-{step}"))
        opened = await Workspace.open(folder)

        def vanish() -> None:
            raise Gone

        disk = FailingDisk(step, vanish, lasting=True)
        with monkeypatch.context() as patched:
            patched.setattr(
                Core, "version_store", property(lambda core, d=disk: VersionStore(core.layout.versions, disk=d))
            )
            try:
                await opened.accept(uuid, note="both")
                died = False
            except Gone:
                died = True
            await opened.close()
        again = await Workspace.open(folder)
        detail = await again.run(uuid)
        after = tuple(str(text["after"]) for text in detail.texts)
        deployed = detail.status == "deployed"
        assert live(again) == (after if deployed else before), f"step {step}"
        assert detail.status in ("deployed", "proposed")
        assert [text["version"] is not None for text in detail.texts] == [deployed] * 2
        if not deployed:
            assert (await again.accept(uuid, note="again")).status == "deployed"
            assert live(again) == after
        await again.close()
        seen.add((died, deployed))
    assert (True, False) in seen
    assert (True, True) in seen


async def test_an_edit_of_one_text_is_checked_by_the_rules_of_its_own_target(workspace):
    uuid = await proposed(workspace)
    diff = await workspace.run_diff(uuid)
    tool = diff.texts[1].view.after
    long = diff.with_texts({str(ORDERS): tool + " Look twice." * 30})
    check = await workspace.can_accept(uuid, edited_text=long)
    assert not check.allowed
    assert "search_orders" in check.reason
    with pytest.raises(GateRefused):
        await workspace.accept(uuid, note="x", edited_text=long)
    with pytest.raises(InvalidInput, match="each once"):
        await workspace.can_accept(uuid, edited_text=tool)
    own = diff.with_texts({str(ORDERS): tool.replace("An empty", "Also an empty")})
    accepted = await workspace.accept(uuid, note="my words", edited_text=own)
    assert accepted.status == "deployed"
    assert live(workspace) == tuple(diff.wordings(own).values())


async def test_every_file_of_an_acceptance_is_told_beforehand(workspace):
    check = await workspace.can_accept(await proposed(workspace))
    assert [file.target for file in check.files] == [str(ref) for ref in BOTH.refs]
    assert [Path(file.path).name for file in check.files] == ["support.json", "search_orders.json"]
    assert all(file.is_written and file.sha_before != file.sha_after for file in check.files)
    assert set(check.tells) == {"persona:reloaded", "tool:reloaded"}


async def test_a_locked_passage_of_any_text_stays(workspace):
    uuid = await proposed(workspace)
    await workspace.lock("search_orders", "Finds orders of the shop.")
    diff = await workspace.run_diff(uuid)
    assert [text.view.locks for text in diff.texts] == [(), ((0, 25),)]
    gone = diff.with_texts({str(ORDERS): diff.texts[1].view.after.replace("Finds orders of the shop.", "Finds them.")})
    assert not (await workspace.can_accept(uuid, edited_text=gone)).allowed


async def test_a_run_holds_every_target_that_it_works_on(workspace):
    async with workspace._core.store.lease(run_lease(ORDERS.kind.value, ORDERS.name)):
        plan = await workspace.plan("support", RunOptions(together=("search_orders",)))
        assert [reason.message for reason in plan.plan.reasons] == ["Another run works on search_orders."]
    first = await workspace.start_run("support", RunOptions(together=("search_orders",)))
    with pytest.raises(Locked, match="search_orders"):
        await workspace.start_run("search_orders", RunOptions())
    await workspace.cancel_run(first)


async def test_a_resumed_run_works_on_the_same_texts(workspace):
    await workspace.join_targets("support", ["search_orders"])
    uuid = await workspace.start_run("support", RunOptions(seed=3))
    await workspace.cancel_run(uuid)
    with pytest.raises(Interrupted, match=r"[Ss]topped"):
        await workspace.wait_run(uuid)
    await workspace.part_targets("support")
    result = await workspace.resume_run(uuid)
    twin = await workspace.evolve("support", RunOptions(seed=3, together=("search_orders",)))
    texts = [(await workspace.run_diff(one.uuid)).after for one in (result, twin)]
    assert texts[0] == texts[1]
    read = [(workspace.path / "runs" / one.uuid / "decisions.jsonl").read_bytes() for one in (result, twin)]
    assert read[0] == read[1]


async def test_each_child_of_the_generational_search_changes_one_text(workspace):
    sizes = {"gepa": {"microScreenSize": 6, "miniEvalSize": 6, "anchorEvalSize": 10}}
    options = RunOptions(
        preset="thorough", population=4, generations=2, schema_generations=0, sizes=sizes, together=("search_orders",)
    )
    result = await workspace.evolve("support", options)
    rows = {row.id: row for row in await workspace.run_candidates(result.uuid)}
    changed = set()
    for row in rows.values():
        if row.parent is None:
            continue
        pairs = zip(BOTH.split(rows[row.parent].text), BOTH.split(row.text), strict=True)
        different = [place for place, (one, other) in enumerate(pairs) if one != other]
        assert len(different) <= 1
        changed |= set(different)
    assert changed == {0, 1}


async def test_a_text_learns_from_the_history_that_speaks_about_it(workspace):
    result = await workspace.evolve("support", RunOptions(together=("search_orders",)))
    attempt = (await workspace.run(result.uuid)).attempt
    about = list(attempt.options["about"].values())
    assert [0] in about
    assert [1] in about
    journal = await workspace.run_journal(result.uuid, limit=5000)
    asked = [call.request for call in journal.items if call.role == "mutator"]
    tools = [request for request in asked if "kind: tool-description" in request]
    assert tools
    assert all("greet me by name" not in request and "[[OTHER TEXT" in request for request in tools)


async def test_the_page_of_the_proof_and_the_list_of_runs_hold_several_texts(workspace, tmp_path):
    uuid = await proposed(workspace)
    page = (await workspace.export_run(uuid, tmp_path / "proof.html")).read_text(encoding="utf-8")
    assert [f"<h3>{ref}</h3>" in page for ref in BOTH.refs] == [True, True]
    assert "since is an ISO date." in page
    rows = (await workspace.run_rows()).items
    assert rows[0].change.startswith(("Rewords", "Adds", "Drops"))
