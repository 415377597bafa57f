"""hiveloom journals: runs, the hash chain, and what is set aside."""

from __future__ import annotations

import io
import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces import health
from honeyguide.traces.conversations import Role
from honeyguide.traces.readers.hiveloom import check_chain, fuller, merged_runs, read_journal
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.records import PromptInForce, TraceOutcome
from tests.traces.readers.samples import ANSWERED, ASKED, journal, only, read, run_events


def data(lines):
    return b"\n".join(lines) + b"\n"


def chain(lines):
    return check_chain(io.BytesIO(data(lines)))


def parsed(lines):
    context = ReadContext(name="run_1.jsonl")
    return read_journal(io.BytesIO(data(lines)), context), context.health


def edited(line, **changes):
    return json.dumps({**json.loads(line), **changes}, separators=(",", ":")).encode()


# The chain

LINES = journal(*run_events(passed=True))


def test_an_untouched_journal_is_intact():
    assert chain(LINES) == type(chain(LINES))(ok=True, checked=len(LINES))


def test_blank_lines_and_windows_line_ends_do_not_break_the_chain():
    spaced = b"\r\n".join([LINES[0], b"", *LINES[1:], b"  "]) + b"\r\n"
    assert check_chain(io.BytesIO(spaced)).ok


def test_an_empty_journal_and_one_without_a_chain_are_accepted():
    assert check_chain(io.BytesIO(b"")).ok
    unchained = chain(journal(*run_events(), chained=False))
    assert (unchained.ok, unchained.chained, unchained.checked) == (True, False, 4)


@pytest.mark.parametrize(
    ("change", "broken_at"),
    [
        (lambda lines: [*lines[:2], edited(lines[2], payload={"text": "forged"}), *lines[3:]], 3),
        (lambda lines: [*lines[:2], *lines[3:]], 2),
        (lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], 1),
        (lambda lines: [edited(lines[0], prev="00"), *lines[1:]], 0),
        (lambda lines: [lines[0], b"not json", *lines[1:]], 1),
        (lambda lines: [b"[]", *lines], 0),
    ],
    ids=["edited", "removed", "swapped", "first-prev", "garbage", "not-an-object"],
)
def test_a_change_is_found_at_the_line_after_it(change, broken_at):
    found = chain(change(LINES))
    assert (found.ok, found.broken_at, found.checked) == (False, broken_at, broken_at)
    assert found.line == broken_at + 1
    assert found.reason


def test_a_cut_tail_and_an_edited_last_line_cannot_be_seen():
    assert chain(LINES[:-1]).ok
    assert chain([*LINES[:-1], edited(LINES[-1], payload={"status": "success"})]).ok


def test_the_chain_holds_for_lines_longer_than_the_reader_keeps():
    lines = journal(("run_started", {"input": "x" * 300_000}), *run_events()[1:])
    context = ReadContext(line_limit=10_000)
    found = read_journal(io.BytesIO(data(lines)), context)
    assert found.chain.ok
    assert context.health.count(health.OVER_LONG) == 1


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_edit_before_the_last_line_is_found(draw):
    which = draw.draw(st.integers(0, len(LINES) - 2))
    line = LINES[which]
    place = draw.draw(st.integers(0, len(line) - 1))
    byte = draw.draw(st.integers(33, 126))
    changed = line[:place] + bytes([byte]) + line[place + 1 :]
    if changed != line:
        assert not chain([*LINES[:which], changed, *LINES[which + 1 :]]).ok


# Runs


def test_a_run_is_one_trace_with_its_harness_as_exact_prompt():
    conversation = only("hiveloom", data(LINES))
    trace = conversation.traces[0]
    assert (trace.outcome, trace.facts.outcome_evidence) == (TraceOutcome.VERIFIED, "verifier")
    spec = "name: bus-guide\n"
    assert PromptInForce("harness", "bus-guide", sha256_hex(spec), exact=True) in trace.facts.prompts
    assert "harness-version:0123456789ab" in trace.payload.tags
    assert [g.name for g in trace.payload.harness.gate_results] == ["names_a_line"]


@pytest.mark.parametrize(
    ("status", "passed", "outcome", "detail"),
    [
        ("success", None, TraceOutcome.SUCCESS, "success"),
        ("verify_failed", False, TraceOutcome.PENDING, "failed-check: names_a_line"),
        ("guardrail_halt", None, TraceOutcome.PENDING, "failed-check: guardrail_halt"),
        ("max_turns", None, TraceOutcome.PENDING, "failed-check: max_turns"),
        ("error", None, TraceOutcome.ABANDONED, "error"),
        ("stopped", None, TraceOutcome.ABANDONED, "stopped"),
        ("banana", None, TraceOutcome.PENDING, "unknown: status banana"),
    ],
)
def test_every_status_has_its_outcome(status, passed, outcome, detail):
    trace = only("hiveloom", data(journal(*run_events(status, passed)))).traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (outcome, detail)


def test_a_run_that_never_finished_is_incomplete():
    trace = only("hiveloom", data(LINES[:-1])).traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (TraceOutcome.PENDING, "incomplete")


def test_a_success_that_an_altered_journal_claims_is_no_evidence():
    lines = [*LINES[:2], edited(LINES[2], payload={"text": "forged"}), *LINES[3:]]
    conversations, context = read("hiveloom", data(lines))
    assert conversations[0].traces[0].outcome is TraceOutcome.PENDING
    assert context.health.lines(health.BROKEN_CHAIN) == (4,)


def test_a_verifiers_words_are_no_human_text():
    feedback = {"index": 2, "message": {"role": "user", "content": "Verification failed:\nname a line\nRevise."}}
    events = run_events()
    lines = journal(*events[:3], ("context_append", feedback), *events[3:])
    conversation = only("hiveloom", data(lines))
    assert [(t.text, t.machine) for t in conversation.turns if t.role is Role.USER] == [
        (ASKED, False),
        (feedback["message"]["content"], True),
    ]
    assert conversation.signals == ()


def test_what_an_operator_says_to_a_running_agent_is_human():
    events = run_events()
    lines = journal(*events[:3], ("user_steer", {"content": "Only direct lines."}), *events[3:])
    assert only("hiveloom", data(lines)).counts.human_prompts == 2


def test_tools_are_joined_to_their_results():
    events = run_events()
    call = ("tool_call", {"id": "c1", "name": "find_bus", "input": {"to": "harbour"}})
    result = ("tool_result", {"id": "c1", "name": "find_bus", "content": "none", "is_error": True})
    made = only("hiveloom", data(journal(*events[:3], call, result, *events[3:]))).traces[0].payload.tool_calls[0]
    assert (made.tool, made.args, made.result, made.ok, made.duration_ms) == (
        "find_bus",
        {"to": "harbour"},
        "none",
        False,
        1000,
    )


def test_the_last_of_two_endings_holds():
    lines = journal(*run_events("verify_failed"), ("run_finished", {"status": "success", "output": ANSWERED}))
    assert parsed(lines)[0].runs["run_1"].status == "success"


def test_several_runs_in_one_file_are_kept_apart():
    found, _ = parsed([*journal(*run_events(), run="run_1"), *journal(*run_events("error"), run="run_2")])
    assert {run_id: run.status for run_id, run in found.runs.items()} == {"run_1": "success", "run_2": "error"}


@pytest.mark.parametrize("reverse", [False, True])
def test_of_two_copies_of_a_run_the_fuller_one_holds(reverse):
    journals = [parsed(LINES)[0], parsed(LINES[:2])[0]]
    runs = merged_runs(reversed(journals) if reverse else journals)
    assert [run.status for run in runs.values()] == ["success"]
    first, second = (journals[0].runs["run_1"], journals[1].runs["run_1"])
    assert fuller(first, second) is fuller(second, first) is first


def test_a_run_whose_payload_is_no_object_is_set_aside_and_named():
    found, report = parsed([edited(LINES[0], payload=None), *LINES[1:], *journal(*run_events(), run="run_2")])
    assert list(found.runs) == ["run_2"]
    assert "run_1" in found.set_aside
    assert report.lines(health.MALFORMED) == (1,)


def test_an_event_with_a_seq_that_is_no_number_is_left_out_and_its_run_kept():
    lines = [*LINES[:3], edited(LINES[3], seq="x"), *LINES[4:]]
    found, report = parsed(lines)
    assert [event.type for event in found.runs["run_1"].events].count("verification_result") == 0
    assert found.runs["run_1"].status == "success"
    assert report.lines(health.MALFORMED) == (4,)


def test_the_story_of_how_a_harness_was_built_is_no_run():
    line = json.dumps({"type": "construction_event", "command": "init", "outcome": "ok"}).encode()
    conversations, context = read("hiveloom", data([line]))
    assert conversations == []
    assert not context.health


def test_sequence_numbers_are_kept_as_they_are():
    run = parsed(LINES)[0].runs["run_1"]
    assert all(later.seq == earlier.seq + 1 for earlier, later in pairwise(run.events))
    assert [event.line for event in run.events] == list(range(1, len(LINES) + 1))
