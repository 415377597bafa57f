"""Targets in their own files: changed in place, every other byte kept, edits of others never lost."""

from __future__ import annotations

import os

import pytest

from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput, NotFound, Stale
from honeyguide.workspace import RunOptions, TargetKind, Workspace

pytestmark = pytest.mark.anyio
SKILL = (
    b"\xef\xbb\xbf---\r\nname: shop-notes   # ours\r\ndescription: 'Write notes: short ones'\r\n---\r\n"
    b"# Notes\r\n\r\nBe kind.\r\nAnswer {{question}} fully.\r\n\r\n"
    + b"Write for the people who use the product, not for those who build it.\r\n" * 8
    + b"\r\n"
)


@pytest.fixture
async def skill(workspace, tmp_path):
    file = tmp_path / "skills" / "shop-notes" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(SKILL)
    file.chmod(0o640)
    row = await workspace.add_target(file)
    assert (row.ref.kind, row.ref.name) == (TargetKind.SKILL, "shop-notes")
    return file


async def proposed(workspace: Workspace, text: str, **options: object) -> str:
    """Prove a text against the few traces that speak about the file; it is proposed with a note needed."""
    await teach(workspace)
    result = await workspace.evolve(
        "shop-notes", RunOptions(candidate_text=text, allow_safe=True, min_delta=-1, **options)
    )
    assert result.outcome == "proposed", result.payload
    return result.uuid


async def teach(workspace: Workspace) -> None:
    recorder = workspace.recorder()
    from honeyguide.traces.records import PromptInForce

    for number in range(30):
        with recorder.start(
            f"Please write note number {number} about the {number * 7}th lamp in the warehouse.",
            prompts=[PromptInForce("skill-body", "shop-notes", exact=True)],
            conversation=f"note-{number}",
        ) as run:
            run.finish(f"Added: lamp {number}.\nFixed: shelf {number * 3}.\nSee #{number + 10}.")


async def text_of(workspace: Workspace) -> str:
    return (await workspace.target("shop-notes")).text


async def test_only_the_span_changes_and_comes_back(workspace, skill):
    text = await text_of(workspace)
    new = text.replace(
        "Be kind.", "Group the entries as Added, Changed and Fixed.\nKeep the issue number of each entry."
    )
    uuid = await proposed(workspace, new, gate_options={})
    check = await workspace.can_accept(uuid)
    assert check.path == str(skill)
    detail = await workspace.accept(uuid, note="ok")
    assert detail.status == "deployed", detail.run.failure_reason
    written = skill.read_bytes()
    lines = b"Group the entries as Added, Changed and Fixed.\r\nKeep the issue number of each entry."
    assert written == SKILL.replace(b"Be kind.", lines)
    assert skill.stat().st_mode & 0o777 == 0o640
    assert not skill.with_name("SKILL.md.bak").exists()
    await workspace.rollback("shop-notes")
    assert skill.read_bytes() == SKILL


async def test_a_dropped_variable_is_refused(workspace, skill):
    text = await text_of(workspace)
    await teach(workspace)
    result = await workspace.evolve("shop-notes", RunOptions(candidate_text=text.replace("{{question}}", "it")))
    assert result.outcome == "skipped-gates"
    assert result.payload["gateResults"][-1]["gate"] == "variables"


async def test_an_edit_by_hand_after_the_run_is_not_overwritten(workspace, skill):
    uuid = await proposed(workspace, (await text_of(workspace)).replace("kind", "brief"))
    theirs = SKILL.replace(b"fully", b"in full")
    skill.write_bytes(theirs)
    with pytest.raises(Stale):
        await workspace.accept(uuid, note="ok")
    assert skill.read_bytes() == theirs
    versions = (await workspace.versions("shop-notes")).versions
    assert versions == () or versions[-1].origin in ("found", "edited-outside")


async def test_a_change_of_others_is_merged_when_it_does_not_touch(workspace, skill):
    uuid = await proposed(workspace, (await text_of(workspace)).replace("Be kind.", "Be brief."))
    skill.write_bytes(SKILL + b"One line more.\r\n")
    merged = await workspace.merge_run(uuid)
    assert merged.is_clean
    assert merged.has_changed
    detail = await workspace.accept(uuid, edited_text=merged.text, onto=merged.live_sha256, note="ok")
    assert detail.status == "deployed"
    assert skill.read_bytes() == SKILL.replace(b"kind", b"brief") + b"One line more.\r\n"


async def test_a_change_of_the_same_line_is_left_to_the_person(workspace, skill):
    uuid = await proposed(workspace, (await text_of(workspace)).replace("Be kind.", "Be brief."))
    skill.write_bytes(SKILL.replace(b"Be kind.", b"Be loud."))
    merged = await workspace.merge_run(uuid)
    assert (merged.is_clean, merged.text, len(merged.conflicts)) == (False, None, 1)


async def test_a_link_stays_and_its_target_changes(workspace, skill, tmp_path):
    link = tmp_path / "skills" / "linked.md"
    link.symlink_to(skill)
    await workspace.remove_target("shop-notes")
    await workspace.add_target(link, kind="skill-body", name="shop-notes")
    uuid = await proposed(workspace, (await text_of(workspace)).replace("kind", "brief"))
    detail = await workspace.accept(uuid, note="ok")
    assert detail.status in ("deployed", "failed")
    assert link.is_symlink()
    if detail.status == "deployed":
        assert b"Be brief." in skill.read_bytes()


async def test_a_locked_passage_has_to_stay(workspace, skill):
    text = await text_of(workspace)
    row = await workspace.lock("shop-notes", "Be kind.")
    await teach(workspace)
    result = await workspace.evolve("shop-notes", RunOptions(candidate_text=text.replace("Be kind.", "Be brief.")))
    assert result.payload["gateResults"][-1]["gate"] == "locked"
    await workspace.unlock("shop-notes", row.id)
    assert (await workspace.target("shop-notes")).locks == ()


async def test_a_passage_that_is_not_there_cannot_be_locked(workspace, skill):
    with pytest.raises(InvalidInput, match="does not hold"):
        await workspace.lock("shop-notes", "Be rude.")


async def test_an_edit_before_accept_is_checked_like_any_text(workspace, skill):
    text = await text_of(workspace)
    uuid = await proposed(workspace, text.replace("kind", "brief"))
    with pytest.raises(GateRefused, match="variables"):
        await workspace.accept(uuid, edited_text=text.replace("{{question}}", ""), note="ok")


async def test_a_target_is_added_once_and_its_file_stays_when_it_is_removed(workspace, skill):
    with pytest.raises(Conflict):
        await workspace.add_target(skill)
    await workspace.remove_target("shop-notes")
    assert skill.read_bytes() == SKILL
    with pytest.raises(NotFound):
        await workspace.target("shop-notes")


async def test_what_belongs_to_the_workspace_cannot_be_removed(workspace):
    with pytest.raises(InvalidInput, match="belongs to the workspace"):
        await workspace.remove_target("coder")


async def test_a_name_that_two_kinds_share_has_to_be_spelled_out(workspace, tmp_path):
    file = tmp_path / "coder.md"
    file.write_text("Another coder.", encoding="utf-8")
    await workspace.add_target(file, kind="generic", name="coder")
    with pytest.raises(InvalidInput, match="Several"):
        await workspace.target("coder")
    assert (await workspace.target("generic:coder")).text == "Another coder."


async def test_a_file_that_is_not_there_or_unreadable_is_named(workspace, tmp_path):
    with pytest.raises(NotFound, match=r"gone\.md"):
        await workspace.add_target(tmp_path / "gone.md")
    if os.name == "posix":
        odd = tmp_path / "odd.md"
        odd.write_bytes(b"caf\xe9 \xff\xfe")
        with pytest.raises(Exception, match=r"(?i)utf-8"):
            await workspace.add_target(odd)


async def test_what_is_no_variable_is_said_once(workspace, skill):
    text = await text_of(workspace)
    await teach(workspace)
    assert await workspace.exclude_variable("shop-notes", "{{question}}") == ("{{question}}",)
    assert (await workspace.target("shop-notes")).variables == ()
    result = await workspace.evolve("shop-notes", RunOptions(candidate_text=text.replace("{{question}}", "it")))
    gates = {gate["gate"]: gate["verdict"] for gate in result.payload["gateResults"]}
    assert gates.get("variables", "pass") == "pass"
    with pytest.raises(InvalidInput, match="no variable"):
        await workspace.exclude_variable("shop-notes", "{{answer}}")
