"""Runs and attempts: what may follow what, what a list shows, and the run table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.storage import SHOWN_STATES, Store, clamped_limit, run_lease
from honeyguide.storage.records import Actor, AttemptFilter, AttemptRecord, RunDraft, RunFilter, RunStatus


def draft(uuid: str = "u1", kind: str = "persona-system-prompt", name: str | None = "coder", **fields) -> RunDraft:
    fields.setdefault("gate_verdict", "pass")
    return RunDraft(uuid, kind, name, "old", "new", 0.25, **fields)


def propose(store: Store, *uuids: str, **fields):
    return [store.write_now(lambda unit, u=u: unit.runs.create(draft(u, **fields))) for u in uuids]


def runs(store: Store, name: str, *arguments):
    return store.write_now(lambda unit: getattr(unit.runs, name)(*arguments))


STEPS = {
    "accept": ("u1",),
    "reject": ("u1",),
    "withdraw_acceptance": ("u1",),
    "mark_deployed": ("u1",),
    "mark_failed": ("u1", "disk full"),
    "retry": ("u1",),
}
WAY_TO = {
    "proposed": [],
    "accepted": ["accept"],
    "rejected": ["reject"],
    "deployed": ["accept", "mark_deployed"],
    "failed": ["accept", "mark_failed"],
}
ALLOWED = {
    ("proposed", "accept"): "accepted",
    ("proposed", "reject"): "rejected",
    ("accepted", "withdraw_acceptance"): "proposed",
    ("accepted", "mark_deployed"): "deployed",
    ("accepted", "mark_failed"): "failed",
    ("failed", "retry"): "accepted",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("state", WAY_TO)
def test_each_state_allows_its_own_steps_and_refuses_the_others(store, state, step):
    propose(store, "u1")
    for earlier in WAY_TO[state]:
        runs(store, earlier, *STEPS[earlier])
    if (state, step) in ALLOWED:
        assert runs(store, step, *STEPS[step]).status == ALLOWED[state, step]
    else:
        with pytest.raises(Conflict):
            runs(store, step, *STEPS[step])
    after = store.read_now(lambda unit: unit.runs.require("u1")).status
    assert after == ALLOWED.get((state, step), state)


@pytest.mark.parametrize("step", STEPS)
def test_a_step_on_an_unknown_run_says_not_found(store, step):
    with pytest.raises(NotFound, match="Run not found"):
        runs(store, step, *STEPS[step])


def test_a_refused_accept_says_the_state_in_the_public_words(store):
    propose(store, "u1")
    runs(store, "reject", "u1", "no")
    with pytest.raises(Conflict, match=r'^Run is in status "rejected" — only proposed runs can be accepted$'):
        runs(store, "accept", "u1")


def test_a_new_run_has_what_it_was_created_from_and_nothing_decided(store, clock):
    (run,) = propose(store, "u1", gate_reasons_json='[{"gate":"size"}]', artifacts_json="{}")
    assert (run.status, run.baseline_text, run.winner_text, run.delta_accuracy) == ("proposed", "old", "new", 0.25)
    assert run.created_at == "2026-01-01T00:00:00.000Z"
    assert (run.user_note, run.decided_at, run.deployed_at, run.failure_reason, run.winner_schema_json) == (None,) * 5


def test_a_note_is_kept_through_the_deploy_and_a_missing_one_replaces_nothing(store, clock):
    propose(store, "u1")
    clock.advance(5)
    assert runs(store, "accept", "u1", "looks good").user_note == "looks good"
    failed = runs(store, "mark_failed", "u1", "disk full")
    assert (failed.failure_reason, failed.deployed_at) == ("disk full", "2026-01-01T00:00:05.000Z")
    assert runs(store, "retry", "u1").failure_reason is None
    deployed = runs(store, "mark_deployed", "u1")
    assert (deployed.user_note, deployed.failure_reason) == ("looks good", None)


def test_a_run_that_the_gates_refused_is_rejected_from_the_beginning_and_nobody_decided_it(store):
    run = store.write_now(
        lambda unit: unit.runs.create(draft(gate_verdict="fail"), rejected_because="gate failure: too long")
    )
    assert (run.status, run.user_note) == ("rejected", "gate failure: too long")
    assert store.read_now(lambda unit: unit.decisions.list(subject_kind="run")) == ()


def test_the_same_uuid_twice_is_a_conflict_and_a_third_verdict_is_refused(store):
    propose(store, "u1")
    with pytest.raises(Conflict):
        propose(store, "u1")
    with pytest.raises(InvalidInput):
        propose(store, "u2", gate_verdict="warn")


def test_decisions_say_who_by_which_way_and_why(store):
    propose(store, "u1", "u2")
    runs(store, "reject", "u1", "too long")
    store.write_now(lambda unit: unit.runs.accept("u2", "fine"), actor=Actor("http", "bob"))
    found = store.read_now(lambda unit: unit.decisions.list(subject_kind="run"))
    assert [(d.subject, d.decision, d.way, d.os_user, d.note) for d in found] == [
        ("u2", "accepted", "http", "bob", "fine"),
        ("u1", "rejected", "cli", "ada", "too long"),
    ]


def test_a_step_and_its_event_and_decision_stand_or_fall_together(store):
    propose(store, "u1")
    before = store.events_since(0)

    def accept_and_stumble(unit):
        unit.runs.accept("u1")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write_now(accept_and_stumble)
    assert store.read_now(lambda unit: unit.runs.require("u1")).status == "proposed"
    assert store.events_since(0) == before
    assert store.read_now(lambda unit: unit.decisions.list()) == ()


# --- lists


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        (None, 50), ("0", 50), (0, 50), ("abc", 50), ("", 50), ("-5", 1), (-5, 1), ("9999", 500), (501, 500),
        ("7", 7), (" 12 ", 12), ("10.9", 10), ("3 runs", 3), ("1e3", 1), ("9" * 40, 500),
    ],
)  # fmt: skip
def test_limit_is_clamped_as_the_public_interface_says(given, limit):
    assert clamped_limit(given) == limit


@given(st.one_of(st.none(), st.integers(), st.text(max_size=12)))
def test_any_limit_becomes_one_from_1_to_500(given):
    assert 1 <= clamped_limit(given) <= 500


def test_runs_are_listed_newest_first_and_narrowed_by_each_filter(store, clock):
    for uuid, name in (("a", "coder"), ("b", "coder"), ("c", "writer")):
        propose(store, uuid, name=name)
        clock.advance(3600)
    runs(store, "reject", "b")

    def found(**wanted):
        return [run.run_uuid for run in store.read_now(lambda unit: unit.runs.list(RunFilter(**wanted)))]

    assert found() == ["c", "b", "a"]
    assert found(target_name="coder") == ["b", "a"]
    assert found(statuses=["proposed", "accepted"]) == ["c", "a"]
    assert found(since="2026-01-01 01:00:00") == ["c", "b"]
    assert found(target_kind="generic") == []
    assert found(limit="2") == ["c", "b"]
    assert found(limit=2, offset=2) == ["a"]


def test_status_counts_hold_all_five_keys(store):
    propose(store, "u1", "u2", "u3", "u4")
    for uuid, steps in (("u1", ["accept"]), ("u2", ["accept", "mark_deployed"]), ("u3", ["reject"])):
        for step in steps:
            runs(store, step, uuid)
    counts = store.read_now(lambda unit: unit.runs.status_counts(RunFilter(statuses=["failed"])))
    assert counts == {"proposed": 1, "accepted": 1, "rejected": 1, "deployed": 1, "failed": 0}
    assert store.read_now(lambda unit: unit.runs.count(RunFilter(statuses=[RunStatus.DEPLOYED]))) == 1


def test_a_crash_between_accept_and_deploy_is_found_on_the_next_open(store):
    propose(store, "u1", "u2")
    runs(store, "accept", "u2")
    assert [run.run_uuid for run in store.read_now(lambda unit: unit.runs.unfinished())] == ["u2"]


# --- attempts


def begin(store: Store, uuid: str = "u1", name: str = "coder", **fields) -> AttemptRecord:
    attempt = AttemptRecord(uuid, "persona-system-prompt", name, seed=7, options={"preset": "quick"}, **fields)
    return store.write_now(lambda unit: unit.attempts.start(attempt))


def end(store: Store, uuid: str, state: str, reason: str | None = None, **figures) -> AttemptRecord:
    return store.write_now(lambda unit: unit.attempts.finish(uuid, state, reason, **figures))


def test_an_attempt_lives_from_running_to_its_end(store, clock):
    begin(store)
    clock.advance(4)
    assert store.write_now(lambda unit: unit.attempts.progress("u1", "compose", {"generation": 2}, calls=9)) is True
    running = store.read_now(lambda unit: unit.attempts.require("u1"))
    assert (running.shown_state, running.phase, running.progress, running.calls) == (
        "running", "compose", {"generation": 2}, 9,
    )  # fmt: skip
    assert running.heartbeat_at == "2026-01-01T00:00:04.000Z"
    ended = end(store, "u1", "skipped-delta", "gained too little", cost_usd=0.5)
    assert (ended.state, ended.reason, ended.cost_usd, ended.finished_at) == (
        "skipped-delta", "gained too little", 0.5, "2026-01-01T00:00:04.000Z",
    )  # fmt: skip
    assert store.write_now(lambda unit: unit.attempts.progress("u1", "compose")) is False
    with pytest.raises(Conflict, match="ended already"):
        end(store, "u1", "aborted")


def test_figures_and_states_that_do_not_exist_are_refused(store):
    begin(store)
    with pytest.raises(InvalidInput, match="'speed'"):
        store.write_now(lambda unit: unit.attempts.note("u1", speed=3))
    with pytest.raises(InvalidInput):
        end(store, "u1", "running")


def test_the_run_table_shows_the_runs_state_once_it_was_proposed(store):
    begin(store)
    propose(store, "u1")
    end(store, "u1", "proposed", finding="verified_improvement")
    shown = [store.read_now(lambda unit: unit.attempts.require("u1")).shown_state]
    for step in ("accept", "mark_deployed"):
        runs(store, step, "u1")
        shown.append(store.read_now(lambda unit: unit.attempts.require("u1")).shown_state)
    assert shown == ["proposed", "accepted", "deployed"]


def test_a_run_that_the_gates_refused_is_shown_as_such_and_not_as_rejected_by_a_person(store):
    begin(store)
    store.write_now(lambda unit: unit.runs.create(draft(gate_verdict="fail"), rejected_because="gate failure"))
    end(store, "u1", "skipped-gates", failed_gate="size")
    attempt = store.read_now(lambda unit: unit.attempts.require("u1"))
    assert (attempt.shown_state, attempt.run_status) == ("skipped-gates", "rejected")


def test_a_run_without_an_attempt_stands_in_the_run_table_too(store):
    propose(store, "u1")
    (row,) = store.read_now(lambda unit: unit.attempts.list())
    assert (row.uuid, row.shown_state, row.target_name, row.delta) == ("u1", "proposed", "coder", 0.25)


def test_state_counts_hold_every_state(store):
    begin(store, "u1")
    begin(store, "u2")
    end(store, "u2", "aborted")
    counts = store.read_now(lambda unit: unit.attempts.state_counts())
    assert set(counts) == set(SHOWN_STATES)
    assert {state: n for state, n in counts.items() if n} == {"running": 1, "aborted": 1}


def test_the_run_table_is_narrowed_by_state_target_time_and_words(store, clock):
    for uuid, name in (("a", "coder"), ("b", "writer_50%"), ("c", "coder")):
        begin(store, uuid, name)
        clock.advance(60)
    end(store, "a", "aborted", "stopped by Ada")

    def found(**wanted):
        return [row.uuid for row in store.read_now(lambda unit: unit.attempts.list(AttemptFilter(**wanted)))]

    assert found() == ["c", "b", "a"]
    assert found(states=["aborted"]) == ["a"]
    assert found(target_name="coder") == ["c", "a"]
    assert found(since="2026-01-01T00:01:00Z") == ["c", "b"]
    assert found(words="ADA stopped") == ["a"]
    assert found(words="_50%") == ["b"]
    assert found(words="x_y") == []


def test_keys_come_in_chunks_without_a_gap_or_a_double_even_in_one_moment(store):
    for n in range(25):
        begin(store, f"u{n:02}")
    chunks, after = [], None
    while True:
        chunk = store.read_now(lambda unit, last=after: unit.attempts.keys(after=last, limit=10))
        if not chunk:
            break
        chunks.append(chunk)
        after = chunk[-1]
    assert [len(chunk) for chunk in chunks] == [10, 10, 5]
    assert [key.uuid for chunk in chunks for key in chunk] == [f"u{n:02}" for n in reversed(range(25))]
    visible = store.read_now(lambda unit: unit.attempts.many(["u03", "u11", "none"]))
    assert sorted(visible) == ["u03", "u11"]


@pytest.mark.parametrize(
    ("state", "allowed"),
    [("aborted", True), ("failed", True), ("inconclusive", True), ("skipped-delta", False), ("skipped-trigger", False)],
)
def test_what_stopped_midway_can_be_resumed(store, state, allowed):
    begin(store)
    end(store, "u1", state)
    if allowed:
        resumed = store.write_now(lambda unit: unit.attempts.resume("u1"))
        assert (resumed.state, resumed.finished_at, resumed.options) == ("running", None, {"preset": "quick"})
    else:
        with pytest.raises(Conflict, match="nothing to resume"):
            store.write_now(lambda unit: unit.attempts.resume("u1"))


def test_a_sweep_finds_attempts_whose_process_is_gone_and_leaves_the_living(store):
    begin(store, "dead", "coder")
    begin(store, "alive", "writer")
    store.write_now(lambda unit: unit.leases.acquire(run_lease("persona-system-prompt", "writer")))
    assert store.write_now(lambda unit: unit.attempts.sweep()) == ("dead",)
    states = store.read_now(lambda unit: {row.uuid: row.state for row in unit.attempts.list()})
    assert states == {"dead": "interrupted", "alive": "running"}
    assert store.write_now(lambda unit: unit.attempts.resume("dead")).state == "running"


def test_a_cancel_is_a_row_that_the_run_reads(store):
    begin(store)
    asked = [store.read_now(lambda unit: unit.attempts.is_cancel_requested("u1"))]
    store.write_now(lambda unit: unit.attempts.request_cancel("u1"))
    store.write_now(lambda unit: unit.attempts.request_cancel("u1"))
    asked.append(store.read_now(lambda unit: unit.attempts.is_cancel_requested("u1")))
    end(store, "u1", "aborted")
    asked.append(store.read_now(lambda unit: unit.attempts.is_cancel_requested("u1")))
    assert asked == [False, True, False]
    with pytest.raises(Conflict, match="not running"):
        store.write_now(lambda unit: unit.attempts.request_cancel("u1"))


def test_the_newest_attempt_on_a_target_is_known(store, clock):
    begin(store, "a")
    clock.advance(1)
    begin(store, "b")
    assert store.read_now(lambda unit: unit.attempts.last_of("persona-system-prompt", "coder")).uuid == "b"
    assert store.read_now(lambda unit: unit.attempts.last_of("generic", None)) is None
