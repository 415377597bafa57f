"""From a reported problem to a proposal: what is spent, what is said, what stays as it was."""

from __future__ import annotations

import asyncio
import subprocess
import time
from pathlib import Path

import pytest

from honeyguide.flows.proposing import propose
from honeyguide.flows.runs import RunStatus
from honeyguide.kernel.errors import Conflict, Locked, PolicyRefused
from tests.flows.conftest import FLOW, Bench

S = RunStatus


def _ready(bench: Bench, reply: str | None = "Say GREEN.", **case: object) -> str:
    item = bench.complain()
    bench.green(item.id, **case)
    if reply is not None:
        bench.engine.reply(reply)
    return item.id


def test_red_then_green_is_a_verified_improvement_and_the_flow_stays_as_it_is(bench):
    id = _ready(bench)
    run = bench.propose()
    assert run.status is S.VERIFIED_IMPROVEMENT
    assert (run.planned_invocations, run.actual_invocations) == (3, 3)
    assert run.target_evidence_ids == (id,)
    assert bench.flow.read_text() == FLOW
    assert bench.desk.feedback.get(id).state == "targeted"
    assert len(bench.engine.calls) == 3
    assert bench.artifact(run, "decision.json")["current"] == "0/1"
    assert bench.artifact(run, "decision.json")["proposal"] == "1/1"


def test_the_journal_tells_the_steps_in_order_and_its_hashes_fit(bench):
    _ready(bench)
    run = bench.propose()
    events, is_whole = bench.desk.runs.events(run.id)
    assert [event["type"] for event in events] == [
        "planned", "artifact.evidence.json", "artifact.plan.json", "artifact.receipt.json", "verifying",
        "artifact.current-results.json", "drafting", "proposed", "verifying", "artifact.capability-diff.json",
        "artifact.proposal-results.json", "artifact.decision.json", "verified_improvement",
    ]  # fmt: skip
    assert is_whole
    path = bench.desk.home.run(run.id) / "events.jsonl"
    path.write_bytes(path.read_bytes().replace(b"drafting", b"thinking"))
    assert bench.desk.runs.events(run.id)[1] is False


def test_files_of_a_run_are_private_and_its_copies_of_the_repository_are_gone(bench):
    _ready(bench)
    folder = bench.desk.home.run(bench.propose().id)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir() if path.is_file()} == {0o600}
    assert not list((folder / "workspaces").iterdir())
    diff = (folder / "proposal.diff").read_text()
    assert "-Say BLUE." in diff and "+Say GREEN." in diff
    assert str(bench.root) not in diff


def test_green_before_and_after_is_safe_and_claims_nothing(bench):
    bench.write(FLOW.replace("BLUE", "GREEN"))
    item = bench.complain("be polite")
    bench.green()
    bench.engine.reply("Please say GREEN.")
    run = bench.propose()
    assert run.status is S.REGRESSION_SAFE
    assert run.target_evidence_ids == ()
    said = " ".join([run.reason, *[str(data) for _, data in bench.told], str(bench.artifact(run, "decision.json"))])
    assert not any(word in said.lower() for word in ("fixed", "improved", "better"))
    assert bench.state(item) == "targeted"


# promise 7: whatever goes wrong, the evidence is open again


@pytest.mark.parametrize(
    ("setting", "text", "status", "calls", "code"),
    [
        ("reply.txt", '{"body": "Say RED."}', S.REJECTED, 3, "regressed"),
        ("reply.txt", "Here is my advice: say GREEN.", S.INCONCLUSIVE, 2, "reply-invalid"),
        ("reply.txt", '{"body": 5}', S.INCONCLUSIVE, 2, "reply-invalid"),
        ("reply.txt", "```\nSay GREEN.\n```\nor\n```\nSay RED.\n```", S.INCONCLUSIVE, 2, "reply-invalid"),
        ("reply.txt", '{"body": "Say BLUE."}', S.INCONCLUSIVE, 2, "identical"),
        ("maintainer-exit", "2", S.INCONCLUSIVE, 2, "maintainer-failed"),
        ("reply.txt", '{"body": "---\\nengine: sh\\n---\\nSay GREEN."}', S.VERIFIED_IMPROVEMENT, 3, "red-green"),
        ("reply.txt", '{"body": "Say GREEN. !`touch ../pwned`"}', S.CAPABILITY_REJECTED, 2, "capability-added"),
        ("reply.txt", '{"body": "Say GREEN. {{ \'!\' }}`touch ../x`"}', S.CAPABILITY_REJECTED, 2, "capability-added"),
    ],
)  # fmt: skip
def test_what_does_not_hold_leaves_the_evidence_open(bench, setting, text, status, calls, code):
    id = _ready(bench, None)
    bench.engine.set(setting, text)
    run = bench.propose()
    assert (run.status, run.actual_invocations, run.reason_code) == (status, calls, code)
    assert len(bench.engine.calls) == calls
    if status is not S.VERIFIED_IMPROVEMENT:
        assert bench.desk.feedback.get(id).state == "open"
    assert bench.artifact(run, "decision.json")["reasonCode"] == code
    assert bench.flow.read_text() == FLOW
    assert not (bench.repo / "pwned").exists()


def test_a_provider_failure_of_the_flow_is_no_evidence(bench):
    id = _ready(bench)
    bench.engine.set("exit", "1")
    bench.engine.set("stderr", "HTTP 429 too many requests")
    run = bench.propose()
    assert (run.status, run.reason_code, run.actual_invocations) == (S.INCONCLUSIVE, "current-inconclusive", 1)
    assert bench.desk.feedback.get(id).state == "open"


def test_a_flow_that_takes_too_long_is_no_evidence_and_nothing_of_it_stays_alive(bench):
    id = _ready(bench, timeout_ms=300)
    bench.engine.set("sleep", "30")
    started = time.monotonic()
    run = bench.propose()
    assert time.monotonic() - started < 10
    assert (run.status, run.actual_invocations) == (S.INCONCLUSIVE, 1)
    assert bench.desk.feedback.get(id).state == "open"
    pid = bench.engine.calls[0]["pid"]
    assert not Path(f"/proc/{pid}").exists()


def test_a_maintainer_that_takes_too_long_ends_the_run(bench):
    bench.write(FLOW.replace("description: answers with a colour", "evolve: {maintainer: {timeout-ms: 300}}"))
    _ready(bench)
    bench.engine.set("maintainer-sleep", "30")
    run = bench.propose()
    assert (run.status, run.reason_code, run.actual_invocations) == (S.INCONCLUSIVE, "maintainer-failed", 2)


@pytest.mark.parametrize(
    ("says", "status", "code"),
    [
        # current: three times red; proposal: mixed
        (["RED", "RED", "RED", "GREEN", "GREEN", "RED"], S.INCONCLUSIVE, "proposal-flaky"),
        (["RED", "GREEN", "RED", "GREEN", "GREEN", "GREEN"], S.INCONCLUSIVE, "current-flaky"),
        (["RED", "RED", "RED", "GREEN", "GREEN", "GREEN"], S.VERIFIED_IMPROVEMENT, "red-green"),
    ],
)
def test_mixed_trials_mint_no_proof_even_when_the_quorum_passes(bench, says, status, code):
    id = _ready(bench, repetitions=3, quorum=2)
    bench.engine.set("say.txt", "\n".join(says))
    run = bench.propose()
    assert (run.status, run.reason_code) == (status, code)
    assert bench.desk.feedback.get(id).state == ("targeted" if status is S.VERIFIED_IMPROVEMENT else "open")


def test_a_suite_edited_during_drafting_ends_the_run_and_keeps_the_proposal(bench):
    _ready(bench)
    bench.engine.set("touch", str(bench.suite))
    run = bench.propose()
    assert (run.status, run.reason_code) == (S.INCONCLUSIVE, "inputs-changed")
    assert "suiteHash" in run.reason
    assert bench.desk.runs.read(run.id, "proposal.md") == FLOW.replace("BLUE", "GREEN").encode()


def test_a_flow_without_frontmatter_cannot_be_given_one(bench):
    bench.write("Say BLUE.\n")
    bench.desk = bench.desk.__class__(
        **{**_fields(bench.desk), "environ": {**bench.desk.environ, "MDFLOW_ENGINE": "claude"}}
    )
    id = _ready(bench, "---\ndangerously-skip-permissions: true\n---\nSay GREEN.")
    run = bench.propose()
    assert (run.status, run.reason_code) == (S.REJECTED, "frontmatter-changed")
    assert bench.desk.feedback.get(id).state == "open"


def _fields(desk: object) -> dict[str, object]:
    return {name: getattr(desk, name) for name in type(desk).__dataclass_fields__}  # type: ignore[attr-defined]


def test_a_paid_proposal_without_consent_makes_no_call_and_no_run(bench):
    id = _ready(bench)
    with pytest.raises(PolicyRefused) as caught:
        bench.propose(confirmed=False)
    assert caught.value.details["plan"]["plannedInvocations"] == 3
    assert bench.engine.calls == []
    assert bench.runs == []
    assert bench.desk.feedback.get(id).state == "open"


def test_two_proposals_for_one_flow_do_not_run_at_once(bench):
    _ready(bench)
    flow_id = bench.desk.look(bench.flow).place.flow_id
    with bench.desk.home.locked(flow_id, "another proposal"), pytest.raises(Locked):
        bench.propose()
    assert bench.engine.calls == []


def test_a_plan_that_was_overtaken_is_refused_before_any_call(bench):
    _ready(bench)
    plan = bench.plan()
    bench.suite.write_text(bench.suite.read_text() + "# edited\n")
    with pytest.raises(Conflict, match="suiteHash"):
        asyncio.run(propose(bench.desk, plan, confirmed=True))
    assert bench.engine.calls == []


def test_the_maintainer_sees_problem_failure_and_answer_but_no_frontmatter_and_no_suite(bench):
    bench.write(FLOW.replace("engine: claude", "engine: claude\n_env: {TOKEN: hunter2}"))
    _ready(bench)
    bench.propose()
    asked = bench.engine.asked
    assert "blue is wrong, must be green" in asked
    assert "Say BLUE." in asked
    assert "answer: BLUE" in asked
    assert "GREEN" in asked
    assert "hunter2" not in asked
    assert "cases:" not in asked


def test_a_problem_that_no_case_shows_red_is_told_to_the_maintainer_all_the_same(bench):
    bench.write(FLOW.replace("BLUE", "GREEN"))
    _ready(bench, "Please say GREEN.")
    bench.propose()
    assert "feedback: blue is wrong, must be green" in bench.engine.asked


def test_trailing_spaces_after_the_fence_do_not_leak_the_frontmatter(bench):
    bench.write("---  \nengine: claude\n_env: {TOKEN: hunter2}\n---\nSay BLUE.\n")
    _ready(bench)
    run = bench.propose()
    assert run.status is S.VERIFIED_IMPROVEMENT
    assert "hunter2" not in bench.engine.asked
    proposal = bench.desk.runs.read(run.id, "proposal.md")
    assert proposal == b"---  \nengine: claude\n_env: {TOKEN: hunter2}\n---\nSay GREEN.\n"


def test_bom_shebang_crlf_and_hard_breaks_survive(bench):
    before = "\ufeff#!/usr/bin/env md\r\n---\r\nengine: claude\r\n---\r\n\r\nSay  \r\nBLUE.\r\n"
    bench.write(before.encode())
    _ready(bench, "Say  \nGREEN.")
    run = bench.propose()
    assert run.status is S.VERIFIED_IMPROVEMENT
    assert bench.apply(run).status is S.APPLIED
    assert bench.flow.read_bytes() == before.replace("BLUE", "GREEN").encode()


def test_a_candidate_with_a_new_capability_can_be_tried_privately_but_needs_its_own_approval(bench):
    from honeyguide.kernel.errors import CapabilityRefused

    bench.write(FLOW.replace("description: answers with a colour", "evolve: {gate: {allow-capability-delta: true}}"))
    _ready(bench, "Say GREEN. @git:status")
    run = bench.propose()
    assert run.status is S.VERIFIED_IMPROVEMENT
    with pytest.raises(CapabilityRefused, match="provider:git:status:"):
        bench.apply(run)
    assert bench.apply(run, approve_capabilities=True).status is S.APPLIED


def test_an_existing_command_runs_in_the_trial_folder_and_its_output_is_only_text(bench):
    bench.write(FLOW.replace("Say BLUE.", "!`printf '%s' '!\\`touch pwned\\` {{ _1 }}'`\nSay BLUE."))
    _ready(bench, None)
    bench.engine.set("reply.txt", "no prompt")
    bench.propose()
    prompt = bench.engine.calls[0]["argv"][-1]
    assert "touch pwned" in prompt and "{{ _1 }}" in prompt
    assert not (bench.repo / "flows" / "pwned").exists()


def test_imports_work_in_a_trial_and_links_that_leave_are_refused(bench):
    (bench.flow.parent / "words.md").write_text("Say BLUE.")
    bench.write(FLOW.replace("Say BLUE.", "@./words.md\n"))
    id = _ready(bench, "@./words.md\nAnd GREEN.")
    assert bench.propose().status is S.VERIFIED_IMPROVEMENT
    (bench.repo / "escape").symlink_to("/etc/hostname")
    bench.desk.feedback.move(id, bench.desk.feedback.get(id).state.__class__.OPEN)
    with pytest.raises(PolicyRefused, match="leads out"):
        bench.propose()
    assert bench.runs[0].status is S.INCONCLUSIVE or bench.runs[1].status is S.INCONCLUSIVE
    assert bench.desk.feedback.get(id).state == "open"


def test_several_candidates_are_tried_and_the_maintainer_hears_why_the_first_was_turned_down(bench):
    id = _ready(bench, "Say RED.")
    plan = bench.plan(candidates=2)
    assert plan.planned == 2 + 3
    run = bench.propose(candidates=2)
    assert run.status is S.REJECTED
    assert "TURNED DOWN 1" in bench.engine.asked
    assert "Say RED." in bench.engine.asked
    assert run.actual_invocations == 5
    assert len(bench.artifact(run, "decision.json")["tries"]) == 2
    assert bench.desk.feedback.get(id).state == "open"


def test_a_run_that_is_stopped_is_interrupted_and_its_engine_is_gone(bench):
    id = _ready(bench)
    bench.engine.set("sleep", "30")

    async def stopped() -> None:
        task = asyncio.create_task(propose(bench.desk, bench.plan(), confirmed=True))
        for _ in range(200):
            await asyncio.sleep(0.02)
            if bench.engine.calls:
                break
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(stopped())
    (run,) = bench.runs
    assert (run.status, run.reason_code) == (S.INTERRUPTED, "interrupted")
    assert bench.desk.feedback.get(id).state == "open"
    assert not Path(f"/proc/{bench.engine.calls[0]['pid']}").exists()


def test_a_killed_program_leaves_nothing_that_the_next_start_does_not_put_right(bench, tmp_path):
    """Promise 7 and N9: kill -9 in the middle of a run."""
    import sys

    from honeyguide.flows.tidying import recover

    id = _ready(bench)
    bench.engine.set("sleep", "60")
    script = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from tests.flows.support import desk_for
from honeyguide.flows.plans import make_plan
from honeyguide.flows.proposing import propose
desk = desk_for(Path({str(bench.root)!r}))
asyncio.run(propose(desk, make_plan(desk, Path({str(bench.flow)!r})), confirmed=True))
"""
    process = subprocess.Popen([sys.executable, "-c", script])
    try:
        for _ in range(500):
            time.sleep(0.02)
            if bench.engine.calls:
                break
        (run,) = bench.runs
        assert run.status is S.VERIFYING
        assert recover(bench.desk) == []  # a living process is at it
    finally:
        process.kill()
        process.wait()
    pid = bench.engine.calls[0]["pid"]
    (recovered,) = recover(bench.desk)
    assert recovered.run.status is S.INTERRUPTED
    for _ in range(100):
        if not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2][:3]:
            break
        time.sleep(0.02)
    else:
        pytest.fail("the engine outlived the run")
    assert bench.runs[0].status is S.INTERRUPTED
    assert bench.artifact(bench.runs[0], "decision.json")["reasonCode"] == "interrupted"
    assert bench.desk.feedback.get(id).state == "open"
    (bench.engine.folder / "sleep").unlink()
    bench.engine.reply("Say GREEN.")
    assert bench.propose().status is S.VERIFIED_IMPROVEMENT
