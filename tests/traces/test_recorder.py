"""Recording from inside an agent."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.traces.outcomes import may_become
from honeyguide.traces.recorded_values import recorded_value, truncate
from honeyguide.traces.recorder import UNFINISHED, TraceRecorder
from honeyguide.traces.records import TokenCounts, ToolCall, TraceOutcome
from honeyguide.traces.redaction import Redactor
from tests.fakes.trace_sink import SqliteTraceSink

SECRET = "sk-ant-api03-Zx9Kq2Lm7Pn4Rt6Vw8Yb3Cd5Fg1Hj0"


@pytest.fixture
def sink(tmp_path: Path) -> Iterator[SqliteTraceSink]:
    sink = SqliteTraceSink(tmp_path / "traces.db")
    yield sink
    sink.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(datetime(2026, 3, 1, 9, 0, tzinfo=UTC))


@pytest.fixture
def recorder(sink: SqliteTraceSink, clock: ManualClock) -> TraceRecorder:
    return TraceRecorder(sink, Redactor(b"k" * 32), clock=clock)


@pytest.mark.parametrize(
    ("text", "limit", "kept"),
    [
        ("x" * 120, 50, "x" * 50 + "\n[... 70ch truncated]"),
        ("abcd", 4, "abcd"),
        ("", 0, ""),
        ("ab", 1, "a\n[... 1ch truncated]"),
    ],
)
def test_long_texts_are_cut_and_say_how_much_was_dropped(text, limit, kept):
    assert truncate(text, limit) == kept


def test_a_whole_run_is_stored_as_it_happened(recorder, sink, clock):
    with recorder.start("Refund order 7", session_id="s", persona_id="support", model="m", tags=["shop"]) as run:
        run.record_reasoning("Look it up first.")
        call = run.start_tool_call("lookup", {"order": 7})
        clock.advance(0.25)
        run.complete_tool_call(call, {"paid": True, "lines": [1, 2]})
        run.record_artifact("refund.pdf")
        clock.advance(1)
        run.finish("Refunded.", tokens=TokenCounts(10, 5), cost_usd=0.01)
    stored = sink.get(run.trace_id)
    assert (stored.outcome, stored.payload.output, stored.persona_id) == (TraceOutcome.SUCCESS, "Refunded.", "support")
    assert stored.payload.tool_calls == (
        ToolCall("lookup", {"order": 7}, {"paid": True, "lines": [1, 2]}, True, 250, "2026-03-01T09:00:00.000Z"),
    )
    assert (stored.duration_ms, stored.created_at) == (1250, "2026-03-01T09:00:00.000Z")
    assert stored.finalized_at == "2026-03-01T09:00:01.250Z"
    assert stored.payload.artifacts == ("refund.pdf",)


def test_nothing_that_is_stored_at_any_moment_holds_a_secret(recorder, sink):
    with recorder.start(f"use {SECRET}", tags=[SECRET]) as run:
        run.record_reasoning(f"the key is {SECRET}")
        run.record_tool_call("http", {"Headers": [{"name": "Authorization", "value": f"Bearer {SECRET}"}]}, [SECRET])
        run.start_tool_call("http", {"PASSWORD": "swordfish"})
        run.flush()
        assert SECRET.encode() not in sink.path.read_bytes()
        run.finish(f"done with {SECRET}", correction_feedback=SECRET)
    for file in sink.path.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes()
        assert b"swordfish" not in file.read_bytes()


def test_a_secret_at_the_cut_leaves_no_half_behind(sink):
    recorder = TraceRecorder(sink, Redactor(b"k" * 32), max_result_chars=30)
    with recorder.start("x") as run:
        run.record_tool_call("t", None, "x" * 20 + " " + SECRET)
        stored = run.finish("")
    assert "sk-ant" not in stored.payload.tool_calls[0].result.replace("<anthropic-key", "")


@pytest.mark.parametrize("result", ["text", 7, 1.5, True, None, [1, "a"], {"a": [None]}, []])
def test_results_keep_their_json_type(recorder, result):
    with recorder.start("x") as run:
        run.record_tool_call("t", None, result)
        assert run.finish("").payload.tool_calls[0].result == result


def test_big_structured_results_are_shortened_and_keep_their_shape():
    rows = recorded_value([{"text": "x" * 3000} for _ in range(100)], 5000)
    assert isinstance(rows, list) and isinstance(rows[0], dict)
    assert len(rows) < 20
    assert rows[-1].endswith("items truncated]")
    assert recorded_value({"t": "y" * 6000}, 5000)["t"].endswith("1000ch truncated]")


def test_things_json_does_not_know_become_text_and_cycles_end():
    loop: list[object] = []
    loop.append(loop)
    assert recorded_value(loop) == ["[nested too deeply]"]
    assert recorded_value(float("nan")) is None
    assert recorded_value(b"\x00\x01") == "[2 bytes]"
    assert recorded_value({1: {2, 3}}) == {"1": [2, 3]}
    assert recorded_value(Path("a")) == "a"


def test_calls_that_never_ended_are_kept_as_not_ok(recorder, clock):
    with recorder.start("x") as run:
        run.start_tool_call("slow", {"a": 1})
        clock.advance(2)
        stored = run.finish("")
    assert stored.payload.tool_calls == (
        ToolCall("slow", {"a": 1}, UNFINISHED, False, 2000, "2026-03-01T09:00:00.000Z"),
    )


def test_completing_an_unknown_call_or_one_twice_does_nothing(recorder):
    with recorder.start("x") as run:
        call = run.start_tool_call("t")
        run.complete_tool_call(call, 1)
        run.complete_tool_call(call, 2)
        run.complete_tool_call("unknown", 3)
        assert [c.result for c in run.finish("").payload.tool_calls] == [1]


def test_given_tool_calls_replace_what_was_recorded_and_none_leave_it(recorder):
    for given, kept in ((None, 1), ([], 0)):
        with recorder.start("x") as run:
            run.record_tool_call("t")
            assert len(run.finish("", tool_calls=given).payload.tool_calls) == kept


def test_artifacts_are_kept_once_in_the_order_of_first_mention(recorder):
    with recorder.start("x") as run:
        for artifact in ("a", "a", "b", "b", "c"):
            run.record_artifact(artifact)
        assert run.finish("").payload.artifacts == ("a", "b", "c")


def test_leaving_the_block_with_an_error_ends_the_trace_as_abandoned(recorder, sink):
    run = recorder.start("x")
    with pytest.raises(RuntimeError), run:
        raise RuntimeError(f"no luck with {SECRET}")
    stored = sink.get(run.trace_id)
    assert stored.outcome is TraceOutcome.ABANDONED
    assert stored.facts.outcome_detail.startswith("error: RuntimeError: no luck with <anthropic-key-")


def test_leaving_the_block_without_an_end_is_not_success(recorder, sink):
    with recorder.start("x") as run:
        pass
    assert sink.get(run.trace_id).outcome is TraceOutcome.ABANDONED


ENDS = [TraceOutcome.SUCCESS, TraceOutcome.VERIFIED, TraceOutcome.ABANDONED, TraceOutcome.CORRECTED]


@pytest.mark.parametrize("first", ENDS)
def test_a_trace_ends_once(recorder, first):
    run = recorder.start("x")
    run.finish("one", first)
    with pytest.raises(Conflict):
        run.finish("two")
    with pytest.raises(Conflict):
        run.record_artifact("late")


def test_nothing_ends_as_pending(recorder):
    with pytest.raises(Conflict):
        recorder.start("x").finish("", TraceOutcome.PENDING)


@pytest.mark.parametrize("first", ENDS[:3])
def test_a_person_may_correct_an_ended_trace_once(recorder, sink, first):
    run = recorder.start("x")
    run.finish("wrong", first)
    corrected = recorder.mark_corrected(run.trace_id, f"too long, and remove {SECRET}")
    assert sink.get(run.trace_id) == corrected
    assert corrected.outcome is TraceOutcome.CORRECTED
    assert corrected.payload.output == "wrong"
    assert corrected.payload.correction_feedback.startswith("too long, and remove <anthropic-key-")
    with pytest.raises(Conflict):
        recorder.mark_corrected(run.trace_id, "again")


def test_correcting_an_open_trace_ends_it(recorder, sink):
    with recorder.start("x") as run:
        run.mark_corrected("no")
    assert sink.get(run.trace_id).outcome is TraceOutcome.CORRECTED
    assert sink.get(run.trace_id).finalized_at


def test_unknown_traces_are_said(recorder):
    with pytest.raises(NotFound):
        recorder.mark_corrected(99, "x")
    with pytest.raises(NotFound):
        recorder.record_reasoning(99, "x")


def test_a_change_by_somebody_else_meanwhile_is_a_conflict_and_loses_nothing(recorder, sink):
    run = recorder.start("x")
    stored = sink.get(run.trace_id)
    other = TraceRecorder(sink, Redactor(b"k" * 32))
    other.mark_corrected(run.trace_id, "not good")
    with pytest.raises(Conflict):
        run.finish("done")
    assert sink.get(run.trace_id).payload.correction_feedback == "not good"
    assert stored.outcome is TraceOutcome.PENDING


@pytest.mark.parametrize(
    ("current", "allowed"),
    [
        ("pending", {"success", "verified", "corrected", "abandoned"}),
        ("success", {"verified", "corrected"}),
        ("verified", {"corrected"}),
        ("abandoned", {"corrected"}),
        ("corrected", set()),
    ],
)
def test_only_these_transitions_are_allowed(current, allowed):
    assert {o.value for o in TraceOutcome if may_become(TraceOutcome(current), o)} == allowed


def test_many_threads_record_at_once_without_mixing(recorder, sink):
    def work(number: int) -> int:
        with recorder.start(f"job {number}") as run:
            for step in range(20):
                call = run.start_tool_call("t", {"n": number, "step": step})
                run.complete_tool_call(call, number)
            run.finish(str(number))
        return run.trace_id

    with ThreadPoolExecutor(8) as pool:
        ids = list(pool.map(work, range(24)))
    for number, trace_id in enumerate(ids):
        stored = sink.get(trace_id)
        assert stored.payload.input == f"job {number}"
        assert [call.result for call in stored.payload.tool_calls] == [number] * 20


def test_many_threads_record_into_one_trace(recorder):
    with recorder.start("shared") as run:
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda n: run.record_tool_call("t", {"n": n}), range(200)))
        assert sorted(call.args["n"] for call in run.finish("").payload.tool_calls) == list(range(200))


def test_tasks_record_at_once(recorder, sink):
    async def work(number: int) -> int:
        async with recorder.start(f"job {number}") as run:
            call = run.start_tool_call("t")
            await asyncio.sleep(0)
            run.complete_tool_call(call, number)
            run.finish(str(number))
        return run.trace_id

    async def main() -> list[int]:
        return list(await asyncio.gather(*(work(n) for n in range(50))))

    for number, trace_id in enumerate(asyncio.run(main())):
        assert sink.get(trace_id).payload.tool_calls[0].result == number
