"""Apply, roll back, reject: only what was verified, only over what it was verified against, and never halfway."""

from __future__ import annotations

import os

import pytest

from honeyguide.feedback import FeedbackState
from honeyguide.flows.applying import recover_one, reject
from honeyguide.flows.runs import RunStatus
from honeyguide.flows.tidying import forget_words, prune, recover
from honeyguide.kernel.errors import Conflict, InvalidInput, Locked, NotFound, Stale
from tests.flows.conftest import FLOW, Bench

S = RunStatus
GREEN = FLOW.replace("BLUE", "GREEN")


def _proposed(bench: Bench):
    item = bench.complain()
    bench.green(item.id)
    bench.engine.reply("Say GREEN.")
    return item, bench.propose()


def test_apply_and_roll_back_move_text_and_evidence_and_doing_it_twice_changes_nothing(bench):
    item, run = _proposed(bench)
    assert bench.apply(run).status is S.APPLIED
    assert bench.flow.read_text() == GREEN
    assert bench.state(item) == "resolved"
    stamp = bench.flow.stat().st_mtime_ns
    assert bench.apply(run).status is S.APPLIED
    assert bench.flow.stat().st_mtime_ns == stamp
    assert bench.roll_back(run).status is S.ROLLED_BACK
    assert bench.flow.read_text() == FLOW
    assert bench.state(item) == "open"
    assert bench.roll_back(run).status is S.ROLLED_BACK
    with pytest.raises(Conflict, match="rolled_back"):
        bench.apply(run)


def test_the_flows_versions_are_kept(bench):
    _, run = _proposed(bench)
    bench.apply(run)
    bench.roll_back(run)
    from honeyguide.flows.applying import live_file

    deployer = bench.desk.deployer(bench.flow.parent)
    history = deployer.history(live_file(bench.desk, run))
    assert [version.origin.value for version in history.versions] == ["found", "accepted", "restored"]
    assert history.versions[1].run_uuid == run.id


def test_the_mode_of_the_flow_is_kept(bench):
    bench.flow.chmod(0o640)
    _, run = _proposed(bench)
    bench.apply(run)
    assert bench.flow.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in bench.flow.parent.iterdir()] == ["color.md", "color.eval.yaml"] or (
        {path.name for path in bench.flow.parent.iterdir()} == {"color.md", "color.eval.yaml"}
    )


def test_only_what_a_case_proved_is_resolved(bench):
    proved, other = bench.complain(), bench.complain("and be quicker")
    bench.green(proved.id)
    bench.engine.reply("Say GREEN.")
    run = bench.propose()
    assert set(run.evidence_ids) == {proved.id, other.id}
    bench.apply(run)
    assert (bench.state(proved), bench.state(other)) == ("resolved", "open")


def test_a_safe_proposal_resolves_nothing(bench):
    bench.write(GREEN)
    item = bench.complain("be polite")
    bench.green()
    bench.engine.reply("Please say GREEN.")
    run = bench.propose()
    bench.apply(run)
    assert bench.state(item) == "open"


def test_an_edit_by_a_person_wins(bench):
    item, run = _proposed(bench)
    bench.write(FLOW + "Always.\n")
    with pytest.raises(Stale) as caught:
        bench.apply(run)
    assert caught.value.details["keys"] == ["flowHash"]
    assert bench.flow.read_text() == FLOW + "Always.\n"
    assert bench.desk.runs.get(run.id).status is S.VERIFIED_IMPROVEMENT
    bench.write(FLOW)
    assert bench.apply(run).status is S.APPLIED
    assert bench.state(item) == "resolved"


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        ("flows/color.eval.yaml", None, "suiteHash"),
        (".mdflow.yaml", "engine: claude\n", "configHash"),
        ("../bin/claude", None, "engineVersion"),
    ],
)
def test_anything_else_that_the_proof_rests_on_counts_too(bench, path, text, key):
    _, run = _proposed(bench)
    target = bench.repo / path
    before = target.read_text() if target.exists() else None
    target.write_text(text if text is not None else f"{before}\n# edited\n")
    with pytest.raises(Stale, match=key):
        bench.apply(run)
    assert bench.flow.read_text() == FLOW
    target.unlink() if before is None else target.write_text(before)
    if key == "engineVersion":
        target.chmod(0o755)
    assert bench.apply(run).status is S.APPLIED


@pytest.mark.parametrize("name", ["proposal.md", "current.md"])
def test_a_run_whose_files_were_changed_is_not_applied(bench, name):
    _, run = _proposed(bench)
    path = bench.desk.home.run(run.id) / name
    path.write_text("Say RED.\n")
    with pytest.raises(Stale, match=name):
        bench.apply(run)
    assert bench.flow.read_text() == FLOW


def test_a_rollback_never_overwrites_newer_work(bench):
    item, run = _proposed(bench)
    bench.apply(run)
    bench.write(GREEN + "More.\n")
    with pytest.raises(Stale):
        bench.roll_back(run)
    assert bench.flow.read_text() == GREEN + "More.\n"
    assert bench.state(item) == "resolved"
    bench.write(GREEN)
    assert bench.roll_back(run).status is S.ROLLED_BACK


def test_a_run_that_was_rolled_back_stays_one(bench):
    _, run = _proposed(bench)
    bench.apply(run)
    bench.roll_back(run)
    with pytest.raises(Conflict):
        reject(bench.desk, run.id)
    assert bench.desk.runs.get(run.id).status is S.ROLLED_BACK


def test_reject_opens_the_evidence_and_is_refused_on_what_is_live(bench):
    item, run = _proposed(bench)
    assert reject(bench.desk, run.id, reason="too terse").status is S.DISMISSED
    assert bench.state(item) == "open"
    with pytest.raises(Conflict):
        bench.apply(run)
    again = bench.propose()
    bench.apply(again)
    with pytest.raises(Conflict, match="cannot be turned down"):
        reject(bench.desk, again.id)
    assert bench.flow.read_text() == GREEN


@pytest.mark.parametrize("status", [S.REJECTED, S.INCONCLUSIVE, S.CAPABILITY_REJECTED, S.DISMISSED])
def test_nothing_else_can_be_applied(bench, status):
    _, run = _proposed(bench)
    bench.desk.runs.move(run, status)
    with pytest.raises(Conflict, match=f"cannot be applied: it is {status}"):
        bench.apply(run)


@pytest.mark.parametrize(
    ("status", "live", "becomes", "evidence"),
    [
        (S.APPLYING, GREEN, S.APPLIED, "resolved"),
        (S.APPLYING, FLOW, S.VERIFIED_IMPROVEMENT, "targeted"),
        (S.APPLYING, "else\n", S.INCONCLUSIVE, "open"),
        (S.ROLLING_BACK, FLOW, S.ROLLED_BACK, "targeted"),
        (S.ROLLING_BACK, GREEN, S.APPLIED, "targeted"),
        (S.ROLLING_BACK, "else\n", S.INCONCLUSIVE, "open"),
    ],
)
def test_a_transaction_that_was_cut_short_is_judged_by_hashes(bench, status, live, becomes, evidence):
    item, run = _proposed(bench)
    run = bench.desk.runs.move(run, status)
    bench.write(live)
    recover(bench.desk)
    assert bench.desk.runs.get(run.id).status is becomes
    assert bench.flow.read_text() == live
    assert bench.state(item) == evidence


def test_a_transaction_in_the_hands_of_a_living_process_is_left_alone(bench):
    _, run = _proposed(bench)
    run = bench.desk.runs.move(run, S.APPLYING)
    with bench.desk.home.locked(run.flow_id, "applying"):
        assert recover(bench.desk) == []
        with pytest.raises(Locked):
            recover_one(bench.desk, run)


def test_a_lock_of_a_dead_process_is_free_at_once_and_one_of_a_living_process_never(bench):
    import subprocess
    import sys

    _, run = _proposed(bench)
    lock = bench.desk.home.root / "locks" / f"{run.flow_id}.lock"
    code = f"import filelock, time; lock = filelock.FileLock({str(lock)!r}); lock.acquire(); "
    code += "print(1, flush=True); time.sleep(60)"
    holder = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    try:
        assert holder.stdout is not None
        holder.stdout.readline()
        os.utime(lock, (1, 1))  # its age says nothing
        with pytest.raises(Locked):
            bench.apply(run)
    finally:
        holder.kill()
        holder.wait()
        holder.stdout.close()
    assert bench.apply(run).status is S.APPLIED


# --- pruning and forgetting


def test_prune_keeps_what_rolling_back_needs_and_leaves_decided_evidence_alone(bench):
    item, first = _proposed(bench)
    bench.apply(first)
    other = bench.complain("say please")
    bench.engine.reply("Please say GREEN.")
    second = bench.propose(only=[other.id])
    dismissed = bench.complain("never mind")
    bench.desk.feedback.move(dismissed.id, FeedbackState.DISMISSED)
    assert prune(bench.desk, 0, dry=True).runs == (second.id,)
    assert prune(bench.desk, 0).runs == (second.id,)
    assert [run.id for run in bench.runs] == [first.id]
    assert (bench.state(item), bench.state(other), bench.state(dismissed)) == ("resolved", "open", "dismissed")
    assert bench.roll_back(first).status is S.ROLLED_BACK


def test_prune_spares_what_is_younger_and_what_is_at_work(bench):
    _, run = _proposed(bench)
    bench.clock.advance(86_400 * 29)
    assert prune(bench.desk, 30).runs == ()
    bench.clock.advance(86_400 * 2)
    run = bench.desk.runs.move(run, S.VERIFYING)
    bench.clock.advance(86_400 * 31)
    with bench.desk.home.locked(run.flow_id, "a proposal"):
        assert prune(bench.desk, 30).runs == ()
    with pytest.raises(InvalidInput):
        prune(bench.desk, -1)


def test_forgetting_removes_the_words_everywhere_and_an_applied_run_can_still_be_rolled_back(bench):
    item, run = _proposed(bench)
    bench.apply(run)
    words = "blue is wrong, must be green"
    folder = bench.desk.home.root
    assert any(words in path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())
    bench.desk.feedback.forget(item.id)
    forget_words(bench.desk.home, item.id, [words])
    assert not any(words in path.read_text(errors="replace") for path in folder.rglob("*") if path.is_file())
    assert bench.roll_back(run).status is S.ROLLED_BACK
    assert bench.flow.read_text() == FLOW


def test_forgetting_takes_the_words_out_of_proposals_that_nobody_can_go_back_to(bench):
    item, run = _proposed(bench)
    words = "Say GREEN."
    proposal = bench.desk.home.run(run.id) / "proposal.md"
    assert words in proposal.read_text()
    forget_words(bench.desk.home, item.id, [words])
    assert words not in proposal.read_text()
    with pytest.raises(Stale):
        bench.apply(run)


@pytest.mark.parametrize("run_id", ["../../etc", "evr_", "evr_a/b", "state.json", "evr_" + "x" * 200])
def test_an_id_never_becomes_a_path(bench, run_id):
    with pytest.raises(InvalidInput):
        bench.desk.runs.get(run_id)


def test_an_unknown_run_is_not_found_and_a_damaged_one_is_named(bench):
    with pytest.raises(NotFound):
        bench.desk.runs.get("evr_missing")
    _, run = _proposed(bench)
    (bench.desk.home.run(run.id) / "state.json").write_text("{")
    assert bench.desk.runs.all() == ([], [run.id])
