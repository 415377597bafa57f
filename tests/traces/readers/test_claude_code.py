"""Claude Code sessions: what is one reply, who wrote what, which branch was kept."""

from __future__ import annotations

import json

import pytest

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces import health
from honeyguide.traces.conversations import Role, SignalKind
from honeyguide.traces.readers.detect import import_counts
from honeyguide.traces.records import PromptInForce, TokenCounts, TraceOutcome
from tests.traces.readers.samples import Session, jsonl, only, read

REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected. "
    "To tell you how to proceed, the user said:\nUse the staging table."
)
EDIT = {"id": "t1", "name": "Edit", "input": {"file_path": "a.py"}}


def usage(given: int, made: int, read_: int = 0) -> dict[str, int]:
    return {"input_tokens": given, "output_tokens": made, "cache_read_input_tokens": read_}


def claude(session: Session):
    return only("claude-code", session.bytes())


def key_of(conversation, text):
    """The key of the turn that says ``text``; a request's trace has the same."""
    return next(turn.key for turn in conversation.turns if turn.text == text)


# Nothing is counted twice


def test_one_reply_over_several_lines_is_one_with_its_largest_usage():
    session = Session().human("u1", "Sort the list.")
    session.reply("a1", "I will look.", id="m1", usage=usage(50, 1, 400), requestId="r1")
    session.reply("a2", "", [EDIT], id="m1", usage=usage(50, 80, 400), requestId="r1")
    session.result("r1", "t1", "done", False).reply("a3", "Sorted.", id="m2", usage=usage(70, 5), requestId="r2")
    conversation = claude(session)
    trace = conversation.traces[0]
    assert trace.payload.tokens == TokenCounts(120, 85, 400, None)
    assert trace.payload.output == "I will look.\n\nSorted."
    assert [(c.tool, c.result, c.ok) for c in trace.payload.tool_calls] == [("Edit", "done", True)]
    assert (conversation.counts.human_prompts, conversation.counts.replies) == (1, 2)


def test_a_resumed_session_that_copies_earlier_lines_counts_them_once_in_either_order():
    first = Session("s-1").human("u1", "Hello.").reply("a1", "Hi.", usage=usage(10, 2))
    second = Session("s-2")
    second.lines = [{**line, "sessionId": "s-2"} for line in first.lines]
    second.last = "a1"
    second.human("u2", "And now?").reply("a2", "Now this.", usage=usage(30, 4))
    a, b = read("claude-code", first.bytes())[0], read("claude-code", second.bytes())[0]
    there, back = import_counts([*a, *b]), import_counts([*b, *a])
    assert there == back
    assert (there["human_prompts"], there["replies"], there["tokens"]["input"]) == (2, 2, 40)


def test_a_copy_that_was_cut_off_in_the_middle_of_a_reply_changes_nothing():
    whole = (
        Session()
        .human("u1", "Hello.")
        .reply("a1", "Hi.", usage=usage(10, 2))
        .reply("a2", "More.", [EDIT], usage=usage(20, 9))
    )
    cut = Session()
    cut.lines = whole.lines[:2]
    a, b = read("claude-code", whole.bytes())[0], read("claude-code", cut.bytes())[0]
    assert import_counts([*a, *b]) == import_counts([*b, *a]) == import_counts(a)


def test_a_line_that_stands_twice_in_a_file_counts_once_and_is_named():
    session = Session().human("u1", "Hello.").reply("a1", "Hi.", usage=usage(10, 2))
    session.lines.append(session.lines[1])
    conversations, context = read("claude-code", session.bytes())
    assert conversations[0].tokens.input == 10
    assert context.health.lines(health.DUPLICATE) == (3,)


def test_of_two_lines_with_one_uuid_the_first_valid_one_holds():
    session = Session().human("u1", "Hello.")
    broken = {**session.lines[0], "message": "error"}
    session.lines.insert(0, broken)
    conversations, context = read("claude-code", session.bytes())
    assert conversations[0].traces[0].payload.input == "Hello."
    assert context.health.lines(health.MALFORMED) == (1,)


def test_sessions_that_number_their_lines_anew_are_not_taken_for_copies():
    first = Session("s-1").human("u1", "Hello.").reply("a1", "Hi.", usage=usage(10, 2))
    second = Session("s-2").human("u1", "Good day.").reply("a1", "Hi.", usage=usage(10, 2))
    for line in second.lines:
        line["timestamp"] = line["timestamp"].replace("2026-05", "2026-06")
    both = [*read("claude-code", first.bytes())[0], *read("claude-code", second.bytes())[0]]
    counts = import_counts(both)
    assert (counts["traces"], counts["human_prompts"], counts["replies"], counts["tokens"]["input"]) == (2, 2, 2, 20)


def test_a_message_id_that_a_later_reply_bears_again_is_another_reply():
    session = Session().human("u1", "One.").reply("a1", "1", id="m", usage=usage(10, 2))
    session.human("u2", "Two.").reply("a2", "2", id="m", usage=usage(20, 3))
    conversation = claude(session)
    assert [trace.payload.output for trace in conversation.traces] == ["1", "2"]
    assert (conversation.tokens.input, conversation.counts.replies) == (30, 2)


# Who wrote it


@pytest.mark.parametrize(
    ("text", "human"),
    [
        ("Fix the build.", "Fix the build."),
        ("<system-reminder>Be brief.</system-reminder>\nFix the build.", "Fix the build."),
        ("<ide_opened_file>The user opened a.py</ide_opened_file>Explain it.", "Explain it."),
        ("<system-reminder>Be brief.</system-reminder>", None),
        ("Caveat: The messages below were generated by the user while running local commands. DO NOT respond.", None),
        ("<local-command-stdout>ok</local-command-stdout>", None),
        ("<bash-input>ls</bash-input>", None),
        ("<user-prompt-submit-hook>checked</user-prompt-submit-hook>", None),
        ("<task-notification>task 3 is done</task-notification>", None),
        ("This session is being continued from a previous conversation that ran out of context. Summary: …", None),
        ("Stop hook feedback: the tests fail", None),
        (
            "Compare <b>this</b> with <system-log>that</system-log>.",
            "Compare <b>this</b> with <system-log>that</system-log>.",
        ),
    ],
)
@pytest.mark.parametrize("as_blocks", [False, True])
def test_only_what_a_person_wrote_is_human(text, human, as_blocks):
    content = [{"type": "text", "text": text}] if as_blocks else text
    conversation = claude(Session().human("u0", "Begin.").reply("a0", "Yes.").human("u1", content).reply("a1", "Done."))
    said = [turn.text for turn in conversation.turns if turn.is_human]
    assert said == ["Begin."] + ([human] if human else [])


@pytest.mark.parametrize(
    "flag", [{"isMeta": True}, {"isCompactSummary": True}, {"origin": {"kind": "task-notification"}}]
)
def test_lines_that_the_program_marks_as_its_own_are_no_human_text(flag):
    conversation = claude(Session().human("u1", "Begin.").reply("a1", "Yes.").human("u2", "Go on then.", **flag))
    assert [turn.text for turn in conversation.turns if turn.is_human] == ["Begin."]
    assert [turn.text for turn in conversation.turns if turn.machine] == ["Go on then."]


def test_a_tools_result_is_no_turn():
    conversation = claude(Session().human("u1", "Go.").reply("a1", "", [EDIT]).result("r1", "t1", "written"))
    assert [turn.role for turn in conversation.turns] == [Role.USER, Role.ASSISTANT]


def test_a_slash_command_keeps_its_words_and_names_the_command_in_force():
    text = (
        "<command-message>review</command-message>\n<command-name>/review</command-name>\n"
        "<command-args>the parser</command-args>"
    )
    trace = claude(Session().human("u1", text).reply("a1", "Looks fine.")).traces[0]
    assert trace.payload.input == "/review the parser"
    assert PromptInForce("command", "review") in trace.facts.prompts


def test_a_command_that_the_program_answers_itself_is_no_trace():
    session = Session().human("u1", "<command-name>/clear</command-name>")
    session.human("u2", "<local-command-stdout>cleared</local-command-stdout>")
    assert claude(session).traces == ()


def test_a_prompt_queued_while_the_agent_worked_is_human():
    session = Session().human("u1", "Begin.").reply("a1", "Working.")
    session.line(
        "attachment", "q1", attachment={"type": "queued_command", "prompt": "Also the docs.", "commandMode": "prompt"}
    )
    session.reply("a2", "Both done.")
    assert [turn.text for turn in claude(session).turns if turn.is_human] == ["Begin.", "Also the docs."]


# Where a person was not satisfied


def test_a_refusal_keeps_the_persons_reason():
    session = Session().human("u1", "Load it.").reply("a1", "", [EDIT]).result("r1", "t1", REFUSED, True)
    session.reply("a2", "Using the staging table.")
    conversation = claude(session)
    trace = conversation.traces[0]
    assert [(s.kind, s.text, s.trace_key, s.where) for s in conversation.signals] == [
        (SignalKind.REFUSAL, "Use the staging table.", trace.facts.source_key, "line 3")
    ]
    assert (trace.outcome, trace.facts.outcome_detail) == (TraceOutcome.PENDING, "refused: Edit")


def test_a_file_that_quotes_the_refusal_is_none():
    session = Session().human("u1", "Search.").reply("a1", "", [EDIT])
    session.result("r1", "t1", f"notes.md:3: {REFUSED}", True).reply("a2", "Found it.")
    other = (
        Session()
        .human("u1", "Search.")
        .reply("a1", "", [EDIT])
        .result("r1", "t1", REFUSED, False)
        .reply("a2", "Found.")
    )
    assert claude(session).signals == claude(other).signals == ()


@pytest.mark.parametrize("as_blocks", [False, True])
def test_an_interruption_names_what_the_person_said_next(as_blocks):
    text = "[Request interrupted by user]"
    session = Session().human("u1", "Delete the logs.").reply("a1", "Deleting all.")
    session.human("i1", [{"type": "text", "text": text}] if as_blocks else text).human("u2", "Only the old ones.")
    session.reply("a2", "Only the old ones are gone.")
    conversation = claude(session)
    assert [(s.kind, s.trace_key, s.turn_key) for s in conversation.signals] == [
        (SignalKind.INTERRUPT, key_of(conversation, "Delete the logs."), key_of(conversation, "Only the old ones."))
    ]
    assert (conversation.traces[0].outcome, conversation.traces[0].facts.outcome_detail) == (
        TraceOutcome.ABANDONED,
        "interrupted",
    )
    assert conversation.counts.human_prompts == 2


def test_a_step_back_leaves_a_branch_behind_and_keeps_the_other():
    session = Session().human("u1", "Start.").reply("a1", "Ready.", usage=usage(10, 5))
    session.human("u2", "First try.", parent="a1").reply("a2", "One.", usage=usage(10, 5))
    session.human("u3", "Second try.", parent="a1").reply("a3", "Two.", usage=usage(10, 5))
    conversation = claude(session)
    assert conversation.counts.human_prompts == 2
    assert [turn.text for turn in conversation.turns if turn.left_behind] == ["First try.", "One."]
    first = key_of(conversation, "First try.")
    assert [(s.kind, s.trace_key, s.turn_key, s.replacement) for s in conversation.signals] == [
        (SignalKind.REWIND, first, first, "Second try.")
    ]
    assert conversation.tokens == TokenCounts(30, 15, 0, None)
    assert conversation.traces[1].facts.outcome_detail == "rewound"


def test_a_compaction_after_a_step_back_joins_the_kept_branch():
    session = Session().human("u1", "Start.").reply("a1", "Ready.")
    session.human("u2", "First try.", parent="a1").reply("a2", "One.")
    session.human("u3", "Second try.", parent="a1").reply("a3", "Two.")
    session.line("system", "c1", parent=None, logicalParentUuid="a3", subtype="compact_boundary")
    session.human("c2", "Summary of all that.", isCompactSummary=True).human("u4", "After it.").reply("a4", "Yes.")
    conversation = claude(session)
    assert [turn.text for turn in conversation.turns if turn.is_human and not turn.left_behind] == [
        "Start.",
        "Second try.",
        "After it.",
    ]


def test_a_step_back_is_seen_where_its_parent_was_passed_over_as_noise():
    session = (
        Session().human("u1", "Start.").reply("a1", "Ready.").line("progress", "p1", data={"type": "hook_progress"})
    )
    session.human("u2", "First try.", parent="p1").reply("a2", "One.")
    session.human("u3", "Second try.", parent="p1").reply("a3", "Two.")
    conversation = claude(session)
    assert [turn.text for turn in conversation.turns if turn.left_behind] == ["First try.", "One."]
    assert conversation.traces[0].payload.output == "Ready."


@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        ("Thanks!", TraceOutcome.SUCCESS),
        ("Perfekt, danke.", TraceOutcome.SUCCESS),
        ("完美，谢谢", TraceOutcome.PENDING),
        ("谢谢！", TraceOutcome.SUCCESS),
        ("Thanks, but the total is wrong.", TraceOutcome.PENDING),
        ("Now the next file.", TraceOutcome.PENDING),
    ],
)
def test_only_plain_approval_makes_a_success(after, outcome):
    trace = claude(Session().human("u1", "Do it.").reply("a1", "Done.").human("u2", after)).traces[0]
    assert trace.outcome is outcome
    assert (trace.facts.outcome_evidence == "approval") is (outcome is TraceOutcome.SUCCESS)


def test_an_error_of_the_service_is_an_error_and_no_reply():
    session = Session().human("u1", "Do it.")
    session.line(
        "assistant",
        "e1",
        {
            "id": "x",
            "role": "assistant",
            "model": "<synthetic>",
            "content": [{"type": "text", "text": "API Error: 529"}],
        },
        isApiErrorMessage=True,
    )
    conversation = claude(session)
    assert conversation.counts.replies == 0
    assert (conversation.traces[0].outcome, conversation.traces[0].facts.outcome_detail) == (
        TraceOutcome.ABANDONED,
        "error: API Error: 529",
    )


# Sub-agents, projects, prompts in force


def test_a_sub_agent_is_a_conversation_of_its_own_and_its_prompt_is_no_human_text():
    task = {"id": "t9", "name": "Task", "input": {"subagent_type": "reviewer", "prompt": "Review it."}}
    session = Session().human("u1", "Ship it.").reply("a1", "", [task], usage=usage(10, 1))
    session.human("s1", "Review it.", parent=None, isSidechain=True, agentId="ag7")
    session.reply("s2", "Fine.", parent="s1", isSidechain=True, agentId="ag7", usage=usage(20, 2))
    session.result("r1", "t9", "Fine.", parent="a1").reply("a2", "Shipped.", usage=usage(30, 3))
    main, agent = read("claude-code", session.bytes())[0]
    assert (agent.key, agent.parent) == ("s-1/ag7", "s-1")
    assert (agent.counts.human_prompts, main.counts.human_prompts) == (0, 1)
    assert (main.tokens.input, agent.tokens.input) == (40, 20)
    assert main.traces[0].payload.output == "Shipped."
    assert PromptInForce("subagent", "reviewer") in agent.traces[0].facts.prompts


@pytest.mark.parametrize("cwd", ["/home/kim/my-shop.v2", "D:\\work\\my-project", "/home/kim/プロジェクト"])
def test_the_project_is_the_working_directory_as_it_is_written(cwd):
    conversation = claude(Session(cwd=cwd).human("u1", "Hello."))
    assert conversation.project == conversation.traces[0].facts.project == cwd


def test_a_continued_session_stays_in_the_conversation_it_began_in():
    session = Session("s-1").human("u1", "Hello.").reply("a1", "Hi.")
    session.session = "s-2"
    session.human("u2", "Go on.").reply("a2", "Yes.")
    assert claude(session).key == "s-1"


def test_the_text_of_a_skill_that_the_session_holds_is_an_exact_prompt():
    use = {"id": "t1", "name": "Skill", "input": {"skill": "pdf"}}
    body = "# PDF\n\nAlways check the page count."
    session = Session().human("u1", "Fill the form.").reply("a1", "", [use]).result("r1", "t1", "Launching skill: pdf")
    session.human("m1", f"Base directory for this skill: /home/kim/.claude/skills/pdf\n\n{body}", isMeta=True)
    session.reply("a2", "Filled.")
    conversation = claude(session)
    assert [(p.kind, p.name, p.text) for p in conversation.prompts] == [("skill-body", "pdf", body)]
    assert PromptInForce("skill-body", "pdf", sha256_hex(body), exact=True) in conversation.traces[0].facts.prompts


def test_instructions_whose_text_is_not_in_the_session_are_marked_as_inferred():
    prompts = claude(Session().human("u1", "Hello.").reply("a1", "Hi.")).traces[0].facts.prompts
    assert prompts == (PromptInForce("instruction-file", "CLAUDE.md", exact=False),)


def test_titles_durations_and_reported_costs_are_taken():
    session = Session().human("u1", "Hello.").reply("a1", "Hi.", costUSD=0.25)
    session.line("system", "d1", subtype="turn_duration", durationMs=4321)
    session.lines.append({"type": "summary", "summary": "A greeting", "leafUuid": "a1"})
    session.lines.append({"type": "summary", "summary": "Somewhere else", "leafUuid": "zz"})
    conversation = claude(session)
    assert conversation.title == "A greeting"
    assert (conversation.traces[0].duration_ms, conversation.traces[0].cost_usd) == (4321, 0.25)


# Odd shapes


def test_parents_in_a_circle_and_parents_of_themselves_lose_nothing():
    session = (
        Session().human("u1", "Hello.", parent="a2").reply("a1", "Hi.", parent="u1").reply("a2", "Ho.", parent="a1")
    )
    session.human("u2", "Again.", parent="u2").reply("a3", "Hi.", parent="u2")
    counts = claude(session).counts
    assert (counts.human_prompts, counts.replies) == (2, 3)


def test_a_reply_without_a_request_keeps_its_tokens():
    conversation = claude(Session().reply("a1", "Hi.", usage=usage(10, 2), parent="gone"))
    assert (conversation.traces[0].payload.input, conversation.tokens.input) == ("", 10)


def test_progress_lines_are_passed_over_and_lines_that_only_mention_progress_are_not():
    session = Session().human("u1", "Hello.")
    session.line("progress", "p1", data={"type": "bash_progress", "output": "x" * 100}, toolUseID="t1")
    session.reply("a1", "Seen.", [{"id": "t1", "name": "Report", "input": {"type": "progress"}}])
    session.human("u2", 'Why does it say {"type":"progress"}?')
    session.lines.append(
        {"message": {"role": "user", "content": "Late type."}, "uuid": "u3", "sessionId": "s-1", "type": "user"}
    )
    conversation = claude(session)
    assert [turn.text for turn in conversation.turns] == [
        "Hello.",
        "Seen.",
        'Why does it say {"type":"progress"}?',
        "Late type.",
    ]


def test_a_line_beyond_the_cap_is_kept_shortened_and_named():
    session = (
        Session().human("u1", "Read it.").reply("a1", "", [EDIT]).result("r1", "t1", "x" * 300_000).reply("a2", "Read.")
    )
    conversations, context = read("claude-code", session.bytes(), line_limit=100_000)
    result = conversations[0].traces[0].payload.tool_calls[0].result
    assert result.startswith("xxx")
    assert len(result) < 100_000
    assert context.health.lines(health.OVER_LONG) == (3,)
    assert conversations[0].traces[0].payload.output == "Read."


def test_unknown_kinds_are_counted_and_named_and_known_ones_are_not():
    session = Session().human("u1", "Hello.")
    session.lines += [{"type": "file-history-snapshot", "messageId": "x"}, {"type": "hologram", "x": 1}]
    _, context = read("claude-code", session.bytes())
    assert context.health.to_json() == [{"problem": "unknown-type", "lines": [3], "count": 1, "example": "hologram"}]


def test_a_long_session_is_read_in_linear_time():
    session = Session()
    for number in range(3000):
        session.human(f"u{number}", f"Question {number}").reply(f"a{number}", f"Answer {number}", usage=usage(1, 1))
    conversation = claude(session)
    assert (len(conversation.traces), conversation.tokens.input) == (3000, 3000)


def test_encrypted_or_signed_thoughts_do_not_leave_their_signature():
    message = {"role": "assistant", "id": "m", "content": [{"type": "thinking", "thinking": "Hm.", "signature": "S1G"}]}
    session = Session().human("u1", "Hello.").line("assistant", "a1", message)
    trace = claude(session).traces[0]
    assert [step.content for step in trace.payload.reasoning] == ["Hm."]
    assert "S1G" not in repr(trace)


def test_lines_of_two_sessions_in_one_file_are_two_conversations():
    rows = Session("s-1").human("u1", "One.").lines + Session("s-2").human("u2", "Two.").lines
    assert [c.key for c in read("claude-code", jsonl([json.dumps(row) for row in rows]))[0]] == ["s-1", "s-2"]
