"""The autonomous service: when it works, on what, within which limits, and what it never does."""

from __future__ import annotations

import asyncio
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import Locked, PolicyRefused
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.records import CorrectionDraft, TraceFilter, TraceLink
from honeyguide.traces.records import Trace, TraceFacts, TraceOutcome, TracePayload
from honeyguide.workspace import Origin, RunFilter, RunOptions, Workspace, service_trying
from honeyguide.workspace import service as service_room
from honeyguide.workspace.service_rules import Standing, backoff, in_order, is_yes, reachable, rests, rules_from
from honeyguide.workspace.settings import SETTINGS

pytestmark = pytest.mark.anyio
DEFAULTS = {setting.key: setting.default for setting in SETTINGS}
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ON = "HONEYGUIDE_EVOLUTION_AUTO_ENABLED"


def rules(environ=None, **changed):
    settings = {**DEFAULTS, **{f"service.{name}": value for name, value in changed.items()}}
    return rules_from(environ or {}, settings.__getitem__)


def standing(name, new, last=None, corrections=0):
    return Standing(TargetRef(TargetKind.PERSONA, name), last, new, corrections)


# --- the rules


@pytest.mark.parametrize(
    ("text", "yes"),
    [("1", True), ("true", True), ("TRUE", True), (" yes ", True), ("", False), ("0", False), ("false", False),
     ("on", False), (None, False)],
)  # fmt: skip
def test_what_switches_it_on(text, yes):
    assert is_yes(text) is yes


@pytest.mark.parametrize(
    ("environ", "setting", "on"),
    [
        ({}, False, False),
        ({}, True, True),
        ({ON: "1"}, False, True),
        ({ON: "0"}, True, False),
        ({"WAGGLE_EVOLUTION_AUTO_ENABLED": "yes"}, False, True),
        ({ON: "0", "WAGGLE_EVOLUTION_AUTO_ENABLED": "1"}, True, False),
        ({ON: "1", "HONEYGUIDE_EVOLVE": "off"}, True, False),
        ({ON: "1", "MDFLOW_EVOLVE": "OFF"}, True, False),
        ({ON: "1", "HONEYGUIDE_EVOLVE": "on"}, True, True),
    ],
)
def test_it_is_off_unless_somebody_enabled_it(environ, setting, on):
    found = rules(environ, enabled=setting)
    assert found.is_on is on
    assert bool(found.why_off) is not on


@pytest.mark.parametrize(
    ("environ", "minutes", "seconds"),
    [
        ({}, 360, 6 * 3600),
        ({}, 1, 60),
        ({"HONEYGUIDE_EVOLUTION_TICK_INTERVAL_MS": "1"}, 360, 60),
        ({"WAGGLE_EVOLUTION_TICK_INTERVAL_MS": "120000"}, 360, 120),
        ({"HONEYGUIDE_EVOLUTION_TICK_INTERVAL_MS": "soon"}, 360, 6 * 3600),
    ],
)
def test_the_interval_is_a_minute_at_least(environ, minutes, seconds):
    assert rules(environ, tick_minutes=minutes).interval == seconds


@pytest.mark.parametrize(("text", "least"), [("5", 5), ("0", 1), ("-3", 1), ("many", 20), ("", 20)])
def test_the_least_number_of_traces_is_one(text, least):
    assert rules({"WAGGLE_EVOLUTION_MIN_TRACES": text}).min_traces == least


def test_enough_evidence_makes_eligible():
    found = in_order([standing("coder", 25), standing("writer", 5), standing("planner", 12, corrections=8)], 20)
    assert [s.ref.name for s in found] == ["coder", "planner"]


def test_never_tried_comes_first_then_the_oldest_then_the_most():
    found = in_order(
        [
            standing("new-small", 21),
            standing("late", 90, "2026-02-02T00:00:00.000Z"),
            standing("early", 30, "2026-01-01T00:00:00.000Z"),
            standing("new-big", 40),
            standing("early-too", 60, "2026-01-01T00:00:00.000Z"),
        ],
        20,
    )
    assert [s.ref.name for s in found] == ["new-big", "new-small", "early-too", "early", "late"]


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(0, 50), st.sampled_from([None, "1", "2"]))))
def test_the_order_does_not_depend_on_how_targets_are_listed(rows):
    found = [standing(*row) for row in rows]
    assert in_order(found, 20) == in_order(found[::-1], 20)


def test_rest_doubles_and_ends_within_a_week():
    assert [backoff(n, 3600) for n in (0, 1, 2, 3)] == [0, 3600, 7200, 14400]
    assert backoff(1000, 3600) == 7 * 24 * 3600


@given(st.integers(-(10**7), 10**7))
def test_no_clock_can_put_the_next_tick_further_away_than_an_interval(jump):
    due = NOW + timedelta(hours=6)
    moved = NOW + timedelta(seconds=jump)
    assert reachable(due, moved, 6 * 3600) <= moved + timedelta(hours=6)


def test_a_rest_from_before_the_clock_went_back_is_over():
    until = NOW + timedelta(hours=6)
    assert rests(until, 1, NOW, 6 * 3600)
    assert not rests(until, 1, NOW + timedelta(hours=7), 6 * 3600)
    assert not rests(until, 1, NOW - timedelta(days=3), 6 * 3600)


# --- at work


@pytest.fixture
def enabled(folder, monkeypatch):
    """The service, on, with small runs."""
    monkeypatch.setenv(ON, "1")
    settings = folder / "honeyguide.toml"
    settings.write_text(settings.read_text(encoding="utf-8") + '\n[runs]\npreset = "quick"\n', encoding="utf-8")


async def more_traces(workspace: Workspace, ref: TargetRef, count: int, *, at: str) -> None:
    """Store history as an import does."""
    traces = [
        Trace(
            outcome=TraceOutcome.SUCCESS,
            payload=TracePayload(input=f"Question {n} about parcel {n * 7}?", output=f"Answer {n}."),
            created_at=at,
            facts=TraceFacts(source="recorder", source_key=f"{ref.name}-{n}", conversation=f"c{n}"),
        )
        for n in range(count)
    ]
    await workspace._core.store.import_traces(traces)

    def link(unit):
        for trace in traces:
            stored = unit.traces.by_key("recorder", trace.facts.source_key)
            unit.traces.link(stored.id, [TraceLink(ref, "persona", True)])

    await workspace._core.store.write(link)


async def test_it_does_nothing_while_it_is_off(workspace):
    report = await workspace.run_daemon(once=True)
    assert report.outcome == "off"
    with pytest.raises(PolicyRefused, match="service is off"):
        await workspace.run_daemon()
    assert (await workspace.run_rows()).total == 0


async def test_one_target_a_tick_and_nothing_is_deployed(workspace, enabled):
    report = await workspace.run_daemon(once=True)
    assert report.outcome == "ran", report
    # coder and support were never tried and have the most evidence
    assert report.target == "persona-system-prompt:coder"
    assert (await workspace.run_rows()).total == 1
    again = await workspace.run_daemon(once=True)
    assert again.target == "persona-system-prompt:support"
    counts = (await workspace.run_status()).counts
    assert counts["deployed"] == counts["accepted"] == 0
    assert not (workspace.path / "personas").exists()
    ways = {event.way for event in await workspace.events() if event.kind == "attempt:started"}
    assert ways == {"daemon"}


async def test_an_attempt_of_any_outcome_counts_and_only_new_evidence_after_it(workspace, enabled):
    await workspace.evolve("planner", RunOptions(preset="quick"), origin=Origin("python"))
    before = next(t for t in (await workspace.daemon_status()).targets if t.target.endswith(":planner"))
    assert (before.new, before.eligible) == (0, False)
    # history that is imported late is new, although its moments are old
    await more_traces(workspace, TargetRef(TargetKind.PERSONA, "planner"), 20, at="2020-01-01T00:00:00Z")
    after = next(t for t in (await workspace.daemon_status()).targets if t.target.endswith(":planner"))
    assert (after.new, after.eligible) == (20, True)


async def test_confirmed_corrections_count(workspace, enabled):
    await workspace.evolve("planner", RunOptions(preset="quick"), origin=Origin("python"))
    ref = TargetRef(TargetKind.PERSONA, "planner")

    def confirm(unit):
        trace = unit.traces.query(TraceFilter(target=ref), limit=1)[0]
        unit.corrections.suggest([CorrectionDraft(trace.id, "said", "input", 0, 4, "No, ")])
        unit.corrections.confirm(unit.corrections.of_trace(trace.id)[-1].id)

    await workspace._core.store.write(confirm)
    found = next(t for t in (await workspace.daemon_status()).targets if t.target.endswith(":planner"))
    assert found.new == 1


async def test_other_kinds_are_watched_only_when_a_person_ticked_them(workspace, enabled):
    kinds = {t.target.partition(":")[0] for t in (await workspace.daemon_status()).targets}
    assert kinds == {"persona-system-prompt", "behavioral-spec-section"}
    await workspace.set_setting("service.targets", ["tool-description:search_orders", "skill-body:gone"])
    names = [t.target for t in (await workspace.daemon_status()).targets]
    assert "tool-description:search_orders" in names
    assert "skill-body:gone" not in names


async def test_a_target_that_cannot_run_does_not_block_the_others(workspace, enabled, tmp_path):
    file = tmp_path / "notes.md"
    file.write_text("Write short notes.\n", encoding="utf-8")
    row = await workspace.add_target(file, kind="generic", name="notes")
    await workspace.set_setting("service.targets", ["generic:notes"])
    await more_traces(workspace, row.ref, 400, at="2026-01-01T00:00:00Z")
    file.unlink()
    report = await workspace.run_daemon(once=True)
    assert (report.outcome, report.target) == ("ran", "persona-system-prompt:coder")
    assert [entry["target"] for entry in report.passed_over] == ["generic:notes"]
    assert "does not exist" in report.passed_over[0]["reason"]


async def test_the_daily_budget_of_calls_is_kept(workspace, enabled):
    await workspace.set_setting("service.calls_per_day", 100)
    first = await workspace.run_daemon(once=True)
    assert first.outcome == "ran"
    spent = (await workspace.daemon_status()).spent
    assert 0 < spent["calls"] <= 100
    last = await workspace.run_daemon(once=True)
    while last.outcome == "ran":
        last = await workspace.run_daemon(once=True)
    assert last.outcome in ("nothing", "budget")
    assert "used up" in last.reason
    assert (await workspace.daemon_status()).spent["calls"] <= 100
    assert sum([row.calls for row in (await workspace.run_rows()).items]) <= 100


async def test_a_new_day_brings_a_new_budget_and_a_clock_set_back_does_not(folder, enabled):
    clock = ManualClock(NOW)
    workspace = await Workspace.open(folder, clock=clock)
    await workspace.set_setting("service.calls_per_day", 60)
    await workspace.run_daemon(once=True)
    spent = (await workspace.daemon_status()).spent
    clock.advance(-48 * 3600)
    assert (await workspace.daemon_status()).spent == spent
    clock.advance(72 * 3600)
    assert (await workspace.daemon_status()).spent["calls"] == 0
    await workspace.close()


async def test_a_model_whose_price_nobody_knows_is_not_used(workspace, enabled, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-not-a-real-key-000000")
    for role in ("executor", "judge", "mutator"):
        await workspace.set_setting(f"models.{role}", "anthropic:unheard-of")
    report = await workspace.run_daemon(once=True)
    assert report.outcome == "nothing"
    assert "price" in report.reason


async def test_without_a_key_it_says_so_and_makes_no_attempt(workspace, enabled):
    for role in ("executor", "judge", "mutator"):
        await workspace.set_setting(f"models.{role}", "anthropic:claude-haiku-4-5")
    report = await workspace.run_daemon(once=True)
    assert report.outcome == "nothing"
    assert "key" in report.reason
    assert (await workspace.run_rows()).total == 0


async def test_a_target_rests_after_a_failure_and_its_rest_can_be_seen(workspace, enabled, monkeypatch):
    plan = workspace._running.plan

    async def fail_for_coder(name, options):
        if str(name).endswith(":coder"):
            raise OSError("the disk is gone")
        return await plan(name, options)

    monkeypatch.setattr(workspace._running, "plan", fail_for_coder)
    report = await workspace.run_daemon(once=True)
    assert report.target == "persona-system-prompt:support"
    assert report.passed_over[0]["reason"] == "the disk is gone"
    status = await workspace.daemon_status()
    coder = next(t for t in status.targets if t.target.endswith(":coder"))
    assert (coder.eligible, coder.rests_until is not None) == (False, True)
    report = await workspace.run_daemon(once=True)
    assert "rests after a failure" in report.passed_over[0]["reason"]


async def test_a_tick_that_breaks_is_reported_and_not_raised(workspace, enabled, monkeypatch):
    async def boom():
        raise RuntimeError("boom")

    monkeypatch.setattr(workspace._service, "standings", boom)
    report = await workspace._service.tick()
    assert (report.outcome, report.reason) == ("failed", "tick failed: boom")


async def test_a_tick_during_a_tick_is_refused(workspace, enabled):
    first = asyncio.create_task(workspace._service.tick())
    await asyncio.sleep(0)
    second = await workspace._service.tick()
    assert (second.outcome, second.reason) == ("busy", "A tick is already in progress.")
    assert (await first).outcome == "ran"


async def test_only_one_program_runs_it(workspace, folder, enabled):
    first = asyncio.create_task(workspace.run_daemon())
    other = await Workspace.open(folder)
    try:
        for _ in range(200):
            if (await other.daemon_status()).running:
                break
            await asyncio.sleep(0.02)
        with pytest.raises(Locked, match="Another program runs the autonomous service"):
            await other.run_daemon(once=True)
    finally:
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await other.close()
    assert (await workspace.daemon_status()).running is None


class WallClock(ManualClock):
    """A clock whose date somebody can set; the monotonic one goes on."""

    def set_back(self, seconds: float) -> None:
        self._now -= timedelta(seconds=seconds)


async def test_it_ticks_again_after_an_interval_also_when_the_clock_jumps(folder, enabled, monkeypatch):
    monkeypatch.setattr(service_room, "LOOK_EVERY", 0.02)
    clock = WallClock(NOW)
    workspace = await Workspace.open(folder, clock=clock)
    reports = []
    running = asyncio.create_task(workspace.run_daemon(on_tick=reports.append))

    async def ticks(count):
        for _ in range(1000):
            if len(reports) >= count:
                return
            await asyncio.sleep(0.01)
        raise AssertionError(f"{len(reports)} ticks")

    try:
        await ticks(1)
        await asyncio.sleep(0.1)
        assert len(reports) == 1
        clock.advance(6 * 3600 + 1)  # the computer slept
        await ticks(2)
        clock.set_back(30 * 24 * 3600)
        for _ in range(24):
            await asyncio.sleep(0.05)
            clock.advance(3600)
        await ticks(3)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await workspace.close()


async def begun(workspace, running):
    """Wait until the service has begun a run."""
    while not workspace.active_runs():
        assert not running.done(), running.result()
        await asyncio.sleep(0.001)


async def test_switching_it_off_stops_the_run_under_way(workspace, folder, enabled, monkeypatch):
    monkeypatch.setattr(service_trying, "LOOK_AT_SWITCH_EVERY", 0.01)
    monkeypatch.delenv(ON)
    await workspace.set_setting("runs.preset", "efficient")
    await workspace.set_setting("service.enabled", True)
    running = asyncio.create_task(workspace.run_daemon(once=True))
    await begun(workspace, running)
    other = await Workspace.open(folder)
    await other.set_setting("service.enabled", False)
    await other.close()
    report = await running
    assert report.outcome == "failed"
    assert (await workspace.run(report.uuid)).attempt.state in ("interrupted", "aborted")


async def test_a_run_that_was_cut_short_is_finished_first(folder, tmp_path, enabled):
    workspace = await Workspace.open(folder)
    await workspace.set_setting("runs.preset", "efficient")
    running = asyncio.create_task(workspace.run_daemon(once=True))
    await begun(workspace, running)
    uuid = workspace.active_runs()[0]
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    await workspace.close()
    reserved = (await reopened_status(folder)).spent
    assert reserved["calls"] > 0
    workspace = await Workspace.open(folder)
    report = await workspace.run_daemon(once=True)
    assert (report.outcome, report.uuid) == ("ran", uuid)
    assert (await workspace.run_rows(RunFilter())).total == 1
    assert (await workspace.daemon_status()).spent["calls"] <= reserved["calls"]
    await workspace.close()


async def reopened_status(folder):
    workspace = await Workspace.open(folder)
    try:
        return await workspace.daemon_status()
    finally:
        await workspace.close()


async def test_what_it_did_can_be_seen_by_every_program(workspace, folder, enabled):
    report = await workspace.run_daemon(once=True)
    status = await reopened_status(folder)
    assert status.to_json()["last_tick"] == json.loads(json.dumps(report.to_json()))
    assert status.enabled
    assert status.min_traces == 20
    assert status.next_tick is None
