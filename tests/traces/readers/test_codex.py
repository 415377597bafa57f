"""Codex sessions: cumulative totals, texts that come twice, forks that repeat their parent."""

from __future__ import annotations

import io

import pytest

from honeyguide.traces import health
from honeyguide.traces.conversations import SignalKind
from honeyguide.traces.readers.detect import import_counts
from honeyguide.traces.records import TokenCounts, TraceOutcome
from tests.traces.readers.samples import codex_lines, event, item, jsonl, only, read, said, tokens

T = "2026-05-01T10:00:{:02d}.000Z".format


def test_text_that_comes_as_event_and_as_item_counts_once_in_either_order():
    rows = [
        *codex_lines(),
        said(T(1), "user", "First."),
        event(T(1), "user_message", message="First."),
        event(T(2), "agent_message", message="One."),
        said(T(2), "assistant", "One."),
        event(T(3), "user_message", message="Second."),
        said(T(3), "user", "Second."),
        said(T(4), "assistant", "Two."),
        event(T(4), "agent_message", message="Two."),
    ]
    conversation = only("codex", jsonl(rows))
    assert [(t.payload.input, t.payload.output) for t in conversation.traces] == [
        ("First.", "One."),
        ("Second.", "Two."),
    ]
    assert (conversation.counts.human_prompts, conversation.counts.replies) == (2, 2)


def test_the_same_reply_said_twice_is_two_replies():
    rows = [*codex_lines(), event(T(1), "user_message", message="Go.")]
    for second in (2, 3):
        rows += [event(T(second), "agent_message", message="Working."), said(T(second), "assistant", "Working.")]
    assert only("codex", jsonl(rows)).counts.replies == 2


def test_items_are_used_where_there_are_no_events():
    rows = [*codex_lines(), said(T(1), "user", "Hello."), said(T(2), "assistant", "Hi.")]
    assert only("codex", jsonl(rows)).counts.human_prompts == 1


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n  <cwd>/code</cwd>\n</environment_context>",
        "<user_instructions>\nUse tabs.\n</user_instructions>",
        "# AGENTS.md instructions for /code\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>",
        "<turn_aborted>The user interrupted.</turn_aborted>",
    ],
)
def test_what_the_program_puts_into_the_users_place_is_no_prompt(text):
    rows = [*codex_lines(), said(T(1), "user", text), said(T(2), "user", "Hello."), said(T(3), "assistant", "Hi.")]
    conversation = only("codex", jsonl(rows))
    assert [turn.text for turn in conversation.turns if turn.is_human] == ["Hello."]


def test_instructions_are_exact_prompts_in_force():
    text = "# AGENTS.md instructions for /code\n\n<INSTRUCTIONS>\nUse tabs.\n</INSTRUCTIONS>"
    rows = [*codex_lines(base_instructions={"text": "You are an agent."}), said(T(1), "user", text)]
    rows += [event(T(2), "user_message", message="Hello."), event(T(3), "agent_message", message="Hi.")]
    conversation = only("codex", jsonl(rows))
    assert [(p.kind, p.name, p.text) for p in conversation.prompts] == [
        ("generic", "codex base instructions", "You are an agent."),
        ("instruction-file", "AGENTS.md", "Use tabs."),
    ]
    assert all(link.exact and link.sha256 for link in conversation.traces[0].facts.prompts)


def test_totals_are_cumulative_and_repeats_add_nothing():
    rows = [
        *codex_lines(),
        event(T(1), "user_message", message="Go."),
        event(T(2), "token_count", info=None),
        tokens(T(3), (1000, 50, 0)),
        tokens(T(4), (1000, 50, 0)),
        tokens(T(5), (2500, 120, 900), (1500, 70, 900)),
        event(T(6), "user_message", message="More."),
        tokens(T(7), (2600, 125, 900), (100, 5, 0)),
    ]
    conversation = only("codex", jsonl(rows))
    assert [t.payload.tokens for t in conversation.traces] == [
        TokenCounts(2500, 120, 900),
        TokenCounts(100, 5, 0),
    ]


def test_totals_that_begin_anew_are_added():
    rows = [
        *codex_lines(),
        event(T(1), "user_message", message="Go."),
        tokens(T(2), (1000, 50, 0)),
        tokens(T(3), (200, 9, 0)),
    ]
    assert only("codex", jsonl(rows)).tokens.input == 1200


def test_usage_without_any_text_is_kept_by_model_and_said():
    rows = [
        *codex_lines(),
        tokens(T(1), (1000, 125, 250)),
        {"timestamp": T(2), "type": "turn_context", "payload": {"model": "gpt-test-2"}},
        tokens(T(3), (3500, 425, 750)),
    ]
    conversations, context = read("codex", jsonl(rows))
    traces = conversations[0].traces
    assert [(t.model, t.payload.tokens.input, t.payload.tokens.output) for t in traces] == [
        ("gpt-test-1", 1000, 125),
        ("gpt-test-2", 2500, 300),
    ]
    assert context.health.count(health.NO_TEXT) == 1


PARENT = [
    *codex_lines("c-1"),
    event(T(1), "user_message", message="Add a page."),
    said(T(1), "user", "Add a page."),
    tokens(T(2), (1000, 50, 0)),
    said(T(3), "assistant", "Added."),
    tokens(T(4), (1800, 90, 0), (800, 40, 0)),
]


def fork(copied, at=None, **meta):
    """A session forked from PARENT that repeats ``copied`` and then works on its own."""
    about = {"forked_from_id": "c-1", "source": {"subagent": "review"}, **meta}
    opening = codex_lines("c-2", at="2026-05-01T10:00", **about)[0]
    opening["timestamp"] = T(30)
    repeated = [{**row, "timestamp": at} if at else row for row in copied]
    own = [
        event(T(40), "user_message", message="Review the page."),
        tokens(T(41), (1300, 70, 0), (300, 20, 0)),
        event(T(42), "agent_message", message="It is fine."),
    ]
    return [opening, *repeated, *own]


@pytest.mark.parametrize("rewritten", [None, T(30)])
@pytest.mark.parametrize("at_hand", [True, False])
def test_a_fork_counts_only_what_is_its_own(rewritten, at_hand):
    data = jsonl(fork(PARENT[1:5], rewritten))
    related = (lambda name: io.BytesIO(jsonl(PARENT)) if name == "c-1" else None) if at_hand else (lambda name: None)
    conversations, context = read("codex", data, related=related)
    child = conversations[0]
    assert (child.key, child.parent) == ("c-2", "c-1")
    assert [turn.text for turn in child.turns] == ["Review the page.", "It is fine."]
    assert child.tokens == TokenCounts(300, 20, 0)
    assert context.health.lines(health.DUPLICATE) == (2, 3, 4, 5)
    assert context.health.count(health.MISSING_PARENT) == (0 if at_hand else 1)


def test_a_fork_whose_copy_holds_no_totals_does_not_inherit_the_parents():
    child = only("codex", jsonl(fork(PARENT[1:3])))
    assert child.tokens == TokenCounts(300, 20, 0)


def test_the_prompt_of_a_sub_agent_is_no_human_text_and_that_of_a_persons_fork_is():
    agent = only("codex", jsonl(fork(PARENT[1:5])))
    person = only("codex", jsonl(fork(PARENT[1:5], source="cli")))
    assert (agent.counts.human_prompts, person.counts.human_prompts) == (0, 1)


def test_parent_and_fork_add_up_in_either_order():
    a = read("codex", jsonl(PARENT))[0]
    b = read("codex", jsonl(fork(PARENT[1:5])))[0]
    assert import_counts([*a, *b]) == import_counts([*b, *a])
    assert import_counts([*a, *b])["tokens"]["input"] == 2100


@pytest.mark.parametrize(
    ("call", "output", "finish", "ok"),
    [
        ({}, "plain text", None, None),
        ({}, '{"output": "boom", "metadata": {"exit_code": 2}}', None, False),
        ({}, '{"output": "fine", "metadata": {"exit_code": 0}}', None, True),
        ({}, "Exit code: 1\nWall time: 0.1 seconds\nOutput:\nno", None, False),
        ({}, "anything", {"exit_code": 0, "duration": {"secs": 1, "nanos": 500_000_000}}, True),
        ({}, "anything", {"success": False}, False),
    ],
)
def test_whether_a_tool_worked_is_known_only_from_an_exit_code(call, output, finish, ok):
    rows = [*codex_lines(), event(T(1), "user_message", message="Run it.")]
    rows.append(item(T(2), "function_call", name="shell", arguments='{"command": ["x"]}', call_id="c", **call))
    if finish is not None:
        rows.append(event(T(3), "exec_command_end", call_id="c", **finish))
    rows.append(item(T(4), "function_call_output", call_id="c", output=output))
    made = only("codex", jsonl(rows)).traces[0].payload.tool_calls[0]
    assert (made.tool, made.args, made.ok) == ("shell", {"command": ["x"]}, ok)
    if finish and "duration" in finish:
        assert made.duration_ms == 1500


def test_an_interrupted_request_is_abandoned_and_an_unanswered_escalation_probably_refused():
    rows = [
        *codex_lines(),
        event(T(1), "user_message", message="Push it."),
        item(T(2), "function_call", name="shell", call_id="c", arguments='{"with_escalated_permissions": true}'),
        event(T(9), "turn_aborted", reason="interrupted"),
        event(T(20), "user_message", message="Only commit."),
    ]
    conversation = only("codex", jsonl(rows))
    first, second = conversation.traces
    assert first.outcome is TraceOutcome.ABANDONED
    assert first.facts.outcome_detail == "interrupted; probably refused: shell"
    assert [(s.kind, s.turn_key) for s in conversation.signals] == [(SignalKind.INTERRUPT, second.facts.source_key)]


def test_turns_that_were_rolled_back_are_left_behind():
    rows = [
        *codex_lines(),
        event(T(1), "user_message", message="Make it red."),
        event(T(2), "agent_message", message="Red."),
        event(T(3), "thread_rolled_back", num_turns=1),
        event(T(4), "user_message", message="Make it blue."),
        event(T(5), "agent_message", message="Blue."),
    ]
    conversation = only("codex", jsonl(rows))
    assert conversation.counts.human_prompts == 1
    assert [(s.kind, s.replacement) for s in conversation.signals] == [(SignalKind.REWIND, "Make it blue.")]


def test_encrypted_reasoning_is_never_kept():
    rows = [
        *codex_lines(),
        event(T(1), "user_message", message="Hello."),
        item(T(2), "reasoning", summary=[{"type": "summary_text", "text": "Thinking."}], encrypted_content="SEALED"),
        event(T(3), "agent_message", message="Hi."),
    ]
    conversation = only("codex", jsonl(rows))
    assert [step.content for step in conversation.traces[0].payload.reasoning] == ["Thinking."]
    assert "SEALED" not in repr(conversation)


def test_the_oldest_shape_without_envelopes_is_read():
    rows = [
        {"id": "c-0", "timestamp": T(0), "instructions": "Be terse."},
        {"record_type": "state"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi."}]},
    ]
    conversations, context = read("codex", jsonl(rows))
    assert conversations[0].key == "c-0"
    assert conversations[0].traces[0].payload.output == "Hi."
    assert not context.health


def test_the_request_is_taken_out_of_the_editors_context():
    text = "# Context from my IDE setup:\n\n## Active file: a.py\n\n## My request for Codex:\nExplain it.\n"
    rows = [*codex_lines(), event(T(1), "user_message", message=text), event(T(2), "agent_message", message="It adds.")]
    assert only("codex", jsonl(rows)).traces[0].payload.input == "Explain it."


def test_a_sub_agents_own_request_in_the_first_second_is_kept():
    rows = fork(PARENT[1:5], T(30))
    own = event("2026-05-01T10:00:30.400Z", "user_message", message="Review the page.")
    rows = [*rows[:-3], own, *rows[-2:]]
    child = only("codex", jsonl(rows))
    assert [turn.text for turn in child.turns] == ["Review the page.", "It is fine."]
    assert child.tokens == TokenCounts(300, 20, 0)


def test_a_parents_own_opening_inside_a_sub_agents_log_begins_its_copy():
    opening = codex_lines("c-2", thread_source="subagent", parent_thread_id="c-1")[0]
    rows = fork(PARENT, T(30))
    child = only("codex", jsonl([{**opening, "timestamp": T(30)}, *rows[1:]]))
    assert (child.parent, child.tokens) == ("c-1", TokenCounts(300, 20, 0))
    assert [turn.text for turn in child.turns] == ["Review the page.", "It is fine."]


def test_the_ordinal_that_a_session_names_ends_its_copy():
    rows = fork(PARENT[1:5], T(30), subagent_history_start_ordinal=5)
    rows = [{**row, "ordinal": number} for number, row in enumerate(rows)]
    conversations, context = read("codex", jsonl(rows))
    assert [turn.text for turn in conversations[0].turns] == ["Review the page.", "It is fine."]
    assert context.health.count(health.MISSING_PARENT) == 0


def test_the_event_of_applied_settings_ends_a_copy():
    rows = fork(PARENT[1:5], T(30))
    rows.insert(5, event(T(30), "thread_settings_applied", thread_settings={}))
    rows[6] = {**rows[6], "timestamp": T(30)}
    child = only("codex", jsonl(rows))
    assert [turn.text for turn in child.turns] == ["Review the page.", "It is fine."]


def test_usage_without_ids_that_a_branch_repeats_counts_once_in_either_order():
    context = {"timestamp": T(0), "type": "turn_context", "payload": {"model": "gpt-test-1"}}
    first, more = tokens(T(1), (1000, 200, 100)), tokens(T(2), (1600, 450, 300), (600, 250, 200))
    a = read("codex", jsonl([context, first]))[0]
    b = read("codex", jsonl([context, first, more]))[0]
    assert import_counts([*a, *b]) == import_counts([*b, *a])
    assert import_counts([*a, *b])["tokens"]["input"] == 1600
