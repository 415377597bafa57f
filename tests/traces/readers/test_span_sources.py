"""Sources made of spans: OTLP in three generations, OpenInference, Agents SDK, Langfuse, LangSmith, Opik."""

from __future__ import annotations

import json

import pytest

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.traces import health
from honeyguide.traces.conversations import Role, SignalKind
from honeyguide.traces.readers.detect import import_counts
from honeyguide.traces.records import PromptInForce, TokenCounts, TraceOutcome
from tests.traces.readers.samples import (
    ANSWERED,
    ASKED,
    chat_attributes,
    envelope,
    jsonl,
    langfuse,
    langsmith_run,
    only,
    opik,
    otlp_span,
    part,
    read,
)

CALL = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "find_bus", "arguments": {"to": "harbour"}}],
}
RESPONSE = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "line 7"}]}
USER = part("user", ASKED)
REPLY = part("assistant", ANSWERED)


def otlp(*spans, **options):
    return only("otlp", jsonl([envelope(*spans)]), **options)


# OTLP: generations


CURRENT = chat_attributes([USER], [REPLY])
JSON_TEXT = {
    "gen_ai.request.model": "model-1",
    "gen_ai.prompt": json.dumps([{"role": "user", "content": ASKED}]),
    "gen_ai.completion": json.dumps({"text": ANSWERED, "finish_reason": "stop"}),
}
INDEXED = {
    "gen_ai.request.model": "model-1",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": ASKED,
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": ANSWERED,
}
EVENTS = [
    {"name": "gen_ai.user.message", "attributes": [{"key": "content", "value": {"stringValue": ASKED}}]},
    {
        "name": "gen_ai.choice",
        "attributes": [
            {"key": "message", "value": {"stringValue": json.dumps({"role": "assistant", "content": ANSWERED})}}
        ],
    },
]
DETAILS = [
    {
        "name": "gen_ai.client.inference.operation.details",
        "attributes": [
            {"key": "gen_ai.input.messages", "value": {"stringValue": json.dumps([USER])}},
            {"key": "gen_ai.output.messages", "value": {"stringValue": json.dumps([REPLY])}},
        ],
    }
]


@pytest.mark.parametrize(
    ("attributes", "events"),
    [
        (CURRENT, []),
        (JSON_TEXT, []),
        (INDEXED, []),
        ({"gen_ai.operation.name": "chat"}, EVENTS),
        ({"gen_ai.operation.name": "chat"}, DETAILS),
        ({**CURRENT, "input": json.dumps({"messages": [USER]}), "output": ANSWERED}, []),
    ],
    ids=["current", "json-text", "indexed", "message-events", "details-event", "doubled"],
)
def test_all_generations_of_the_conventions_say_the_same(attributes, events):
    conversation = otlp(otlp_span("aa", None, attributes, events=events))
    trace = conversation.traces[0]
    assert (trace.payload.input, trace.payload.output) == (ASKED, ANSWERED)
    assert (conversation.counts.human_prompts, conversation.counts.replies) == (1, 1)


@pytest.mark.parametrize(
    "usage",
    [
        {"gen_ai.usage.input_tokens": 30, "gen_ai.usage.output_tokens": 4},
        {"gen_ai.usage.prompt_tokens": 30, "gen_ai.usage.completion_tokens": 4},
    ],
)
def test_an_agents_span_that_repeats_its_childs_usage_adds_nothing(usage):
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guide", **usage}
    conversation = otlp(otlp_span("aa", None, agent), otlp_span("bb", "aa", {**CURRENT, **usage}, 1))
    assert conversation.tokens == TokenCounts(30, 4)
    assert len(conversation.traces) == 1


def test_an_agents_usage_counts_when_no_child_says_any():
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.usage.input_tokens": 30}
    assert otlp(otlp_span("aa", None, agent), otlp_span("bb", "aa", CURRENT, 1)).tokens.input == 30


def test_a_tool_loop_repeats_the_conversation_and_counts_it_once():
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "find_bus",
        "gen_ai.tool.call.result": "line 7",
    }
    conversation = otlp(
        otlp_span("aa", None, {"gen_ai.operation.name": "invoke_agent"}),
        otlp_span("bb", "aa", chat_attributes([USER], [CALL]), 1),
        otlp_span("cc", "aa", tool, 2),
        otlp_span("dd", "aa", chat_attributes([USER, CALL, RESPONSE], [REPLY]), 3),
    )
    assert [(t.role, t.text) for t in conversation.turns] == [
        (Role.USER, ASKED),
        (Role.ASSISTANT, ""),
        (Role.ASSISTANT, ANSWERED),
    ]
    calls = conversation.traces[0].payload.tool_calls
    assert [(c.tool, c.args, c.result) for c in calls] == [("find_bus", {"to": "harbour"}, "line 7")]
    assert calls[0].duration_ms == 1000


def test_requests_of_one_conversation_share_their_history():
    named = {"gen_ai.conversation.id": "conv-1"}
    first = otlp_span("aa", None, chat_attributes([USER], [REPLY], **named))
    asked = [USER, REPLY, part("user", "And back?")]
    second = otlp_span("bb", None, chat_attributes(asked, [part("assistant", "Line 8.")], **named), 60)
    second["traceId"] = "ff"
    conversation = otlp(second, first)
    assert (conversation.key, len(conversation.traces)) == ("conv-1", 2)
    assert [turn.text for turn in conversation.turns] == [ASKED, ANSWERED, "And back?", "Line 8."]
    assert conversation.traces[0].payload.input == ASKED
    assert conversation.traces[1].payload.input == f"User: {ASKED}\n\nAssistant: {ANSWERED}\n\nUser: And back?"


def test_a_question_asked_again_in_one_conversation_counts_again():
    named = {"gen_ai.conversation.id": "conv-1"}
    first = otlp_span("aa", None, chat_attributes([USER], [REPLY], **named))
    second = {**otlp_span("bb", None, chat_attributes([USER], [REPLY], **named), 60), "traceId": "ff"}
    conversation = otlp(first, second)
    assert (conversation.counts.human_prompts, conversation.counts.replies) == (2, 2)


def test_what_one_agent_asks_another_is_no_human_text():
    asked = [part("user", "Find the harbour line.")]
    conversation = otlp(
        otlp_span("aa", None, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guide"}),
        otlp_span("bb", "aa", chat_attributes([USER], [REPLY]), 1),
        otlp_span("cc", "aa", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "ask_finder"}, 2),
        otlp_span("dd", "cc", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "finder"}, 3),
        otlp_span("ee", "dd", chat_attributes(asked, [part("assistant", "7")], **{"gen_ai.usage.input_tokens": 9}), 4),
    )
    assert [turn.text for turn in conversation.turns] == [ASKED, ANSWERED]
    assert conversation.tokens.input == 9


def test_the_same_spans_in_another_envelope_or_order_count_once():
    spans = [otlp_span("aa", None, {"gen_ai.operation.name": "invoke_agent"}), otlp_span("bb", "aa", CURRENT, 1)]
    twice, context = read("otlp", jsonl([envelope(*spans), envelope(*reversed(spans))]))
    assert import_counts(twice) == import_counts(read("otlp", jsonl([envelope(*spans)]))[0])
    assert context.health.count(health.DUPLICATE) == 2


def test_instructions_are_the_exact_prompt_of_the_agent():
    instructions = [{"type": "text", "content": "Answer about buses."}]
    conversation = otlp(
        otlp_span("aa", None, {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "guide"}),
        otlp_span("bb", "aa", chat_attributes(**{"gen_ai.system_instructions": instructions}), 1),
    )
    assert [(p.name, p.text) for p in conversation.prompts] == [("guide", "Answer about buses.")]
    link = PromptInForce("persona-system-prompt", "guide", sha256_hex("Answer about buses."), exact=True)
    assert conversation.traces[0].facts.prompts == (link,)


def evaluation(**more):
    values = {"gen_ai.evaluation.name": "tone", "gen_ai.evaluation.score.label": "fail", **more}
    return {
        "name": "gen_ai.evaluation.result",
        "attributes": [{"key": k, "value": {"stringValue": v}} for k, v in values.items()],
    }


def test_a_machines_score_is_kept_as_such_and_is_neither_error_nor_feedback():
    judged = otlp_span("bb", "aa", {}, 2, events=[evaluation()], status={"code": 2, "message": "wrong"})
    conversation = otlp(otlp_span("aa", None, CURRENT), judged)
    trace = conversation.traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (TraceOutcome.PENDING, "unknown")
    assert trace.payload.tags == ("machine-score:tone=fail",)
    assert conversation.signals == ()


def test_a_persons_evaluation_is_a_signal():
    more = {"gen_ai.evaluation.evaluator.type": "human", "gen_ai.evaluation.explanation": "Too curt."}
    conversation = otlp(otlp_span("aa", None, CURRENT, events=[evaluation(**more)]))
    assert [(s.kind, s.text) for s in conversation.signals] == [(SignalKind.ANNOTATION, "Too curt.")]


@pytest.mark.parametrize("code", [2, "2", "STATUS_CODE_ERROR"])
def test_a_failed_span_is_an_error_and_a_failed_tool_only_a_failed_tool(code):
    status = {"code": code, "message": "connection reset"}
    failed = otlp(otlp_span("aa", None, CURRENT, status=status)).traces[0]
    assert (failed.outcome, failed.facts.outcome_detail) == (TraceOutcome.ABANDONED, "error: connection reset")
    tool = otlp_span("bb", "aa", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "x"}, 1, status=status)
    trace = otlp(otlp_span("aa", None, CURRENT), tool).traces[0]
    assert trace.outcome is TraceOutcome.PENDING
    assert trace.payload.tool_calls[0].ok is False


def test_usage_without_text_is_kept_and_said():
    conversations, context = read(
        "otlp",
        jsonl([envelope(otlp_span("aa", None, {"gen_ai.operation.name": "chat", "gen_ai.usage.input_tokens": 7}))]),
    )
    assert conversations[0].tokens == TokenCounts(7, None)
    assert context.health.count(health.NO_TEXT) == 1


def test_numbers_ids_and_statuses_in_every_spelling():
    odd = otlp_span("AA", None, CURRENT)
    odd.update(startTimeUnixNano=1_777_000_000_000_000_000, endTimeUnixNano="1777000002500000000", status={})
    trace = otlp(odd).traces[0]
    assert trace.duration_ms == 2500
    assert trace.facts.source_key == odd["traceId"].lower()


def test_spans_whose_parents_run_in_a_circle_are_read():
    conversation = otlp(otlp_span("aa", "bb", CURRENT), otlp_span("bb", "aa", CURRENT, 1))
    assert conversation.counts.human_prompts == 1


# OpenInference


def openinference(**attributes):
    span = {
        "name": "call",
        "context.trace_id": "t1",
        "context.span_id": "s1",
        "start_time": "2026-05-01T10:00:00Z",
        "attributes.openinference.span.kind": "LLM",
    }
    return jsonl([{**span, **{f"attributes.{k}": v for k, v in attributes.items()}}])


MESSAGES = {
    "llm.input_messages": [
        {"message.role": "system", "message.content": "Answer about buses."},
        {"message.role": "user", "message.content": ASKED},
    ],
    "llm.output_messages": [{"message.role": "assistant", "message.content": ANSWERED}],
}


def test_openinference_reads_dotted_columns_with_nested_lists():
    conversation = only("openinference", openinference(**MESSAGES))
    assert [turn.text for turn in conversation.turns] == [ASKED, ANSWERED]
    assert [p.text for p in conversation.prompts] == ["Answer about buses."]


def test_openinference_content_and_contents_are_the_same_text():
    flat = {
        "openinference.span.kind": "LLM",
        "llm.input_messages.0.message.role": "user",
        "llm.input_messages.0.message.content": ASKED,
        "llm.input_messages.0.message.contents.0.message_content.type": "text",
        "llm.input_messages.0.message.contents.0.message_content.text": ASKED,
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.contents.0.message_content.text": ANSWERED,
        "llm.token_count.prompt": 9,
        "llm.token_count.total": 11,
        "llm.cost.total": 0.5,
    }
    trace = only("openinference", json.dumps(flat).encode()).traces[0]
    assert (trace.payload.input, trace.payload.output) == (ASKED, ANSWERED)
    assert (trace.payload.tokens, trace.cost_usd) == (TokenCounts(9, None), 0.5)


def test_openinference_template_is_an_exact_prompt():
    conversation = only(
        "openinference", openinference(**MESSAGES, **{"llm.prompt_template.template": "Where is {place}?"})
    )
    assert ("generic", "Where is {place}?") in [(p.kind, p.text) for p in conversation.prompts]


@pytest.mark.parametrize(("kind", "signals"), [("HUMAN", 1), ("LLM", 0), ("CODE", 0)])
def test_openinference_annotations_are_feedback_only_when_a_person_made_them(kind, signals):
    annotation = {
        "annotations.0.annotation.name": "helpful",
        "annotations.0.annotation.score": 0.0,
        "annotations.0.annotation.annotator_kind": kind,
    }
    assert len(only("openinference", openinference(**MESSAGES, **annotation)).signals) == signals


# Agents SDK


def agents(*spans):
    rows = [{"object": "trace", "id": "trace_1", "workflow_name": "Bus", "group_id": "chat-9"}]
    for number, (data, more) in enumerate(spans):
        rows.append(
            {
                "object": "trace.span",
                "id": f"span_{number}",
                "trace_id": "trace_1",
                "parent_id": None,
                "started_at": f"2026-05-01T10:00:{number:02d}+00:00",
                "ended_at": f"2026-05-01T10:00:{number + 1:02d}+00:00",
                "span_data": data,
                **more,
            }
        )
    return jsonl(rows)


GENERATION = {
    "type": "generation",
    "model": "model-1",
    "input": [{"role": "user", "content": ASKED}],
    "output": [{"role": "assistant", "content": ANSWERED}],
    "usage": {"input_tokens": 8, "output_tokens": 3},
}


def test_agents_traces_are_grouped_and_timed_by_their_spans():
    function = {"type": "function", "name": "find_bus", "input": '{"to": "harbour"}', "output": "line 7"}
    conversation = only("openai-agents", agents((function, {}), (GENERATION, {})))
    trace = conversation.traces[0]
    assert (conversation.key, trace.duration_ms) == ("chat-9", 2000)
    assert [(c.tool, c.args, c.result) for c in trace.payload.tool_calls] == [("find_bus", {"to": "harbour"}, "line 7")]


def test_agents_response_spans_say_that_the_text_is_elsewhere():
    data = {"type": "response", "response_id": "resp_1", "usage": {"input_tokens": 8, "output_tokens": 3}}
    conversations, context = read("openai-agents", agents((data, {})))
    assert conversations[0].tokens == TokenCounts(8, 3)
    assert "kept by the vendor" in next(p.example for p in context.health if p.name == health.NO_TEXT)


def test_agents_guardrails_fail_a_check_and_errors_are_errors():
    guard = {"type": "guardrail", "name": "no_politics", "triggered": True}
    checked = only("openai-agents", agents((GENERATION, {}), (guard, {}))).traces[0]
    assert checked.facts.outcome_detail == "failed-check: guardrail no_politics"
    failed = only("openai-agents", agents((GENERATION, {"error": {"message": "timeout"}}))).traces[0]
    assert failed.outcome is TraceOutcome.ABANDONED


# Langfuse


def observation(**more):
    return {
        "id": "o1",
        "type": "GENERATION",
        "startTime": "2026-05-01T10:00:00.000Z",
        "endTime": "2026-05-01T10:00:01.000Z",
        "input": [{"role": "user", "content": ASKED}],
        "output": {"role": "assistant", "content": ANSWERED},
        **more,
    }


def test_langfuse_takes_the_last_answer_by_time_and_not_by_place():
    late = observation(
        id="o2",
        startTime="2026-05-01T10:00:05.000Z",
        endTime="2026-05-01T10:00:06.000Z",
        input=[{"role": "user", "content": ASKED}, {"role": "assistant", "content": "Looking."}],
    )
    early = observation(output={"role": "assistant", "content": "Looking."})
    assert only("langfuse", langfuse(observations=[late, early])).traces[0].payload.output == ANSWERED


def test_langfuse_counts_nested_usage_and_cost_once():
    agent = observation(id="a", type="AGENT", input=None, output=None, usageDetails={"input": 20}, totalCost=0.02)
    call = observation(parentObservationId="a", usageDetails={"input": 20, "output": 2}, totalCost=0.02)
    conversation = only("langfuse", langfuse({"totalCost": 0.02}, [agent, call]))
    assert conversation.tokens == TokenCounts(20, 2)
    assert conversation.traces[0].cost_usd == 0.02


def test_langfuse_reads_responses_kept_as_json_text():
    call = {"type": "function_call", "call_id": "c1", "name": "find_bus", "arguments": '{"to": "harbour"}'}
    result = {"type": "function_call_output", "call_id": "c1", "output": "line 7"}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": ANSWERED}]}
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look it up."}]}
    asked = {"role": "user", "content": ASKED}

    def generation(name, start, given, made):
        answer = {
            "object": "response",
            "instructions": "Be kind.",
            "output": made,
            "text": {"format": {"type": "text"}},
        }
        return observation(
            id=name,
            startTime=f"2026-05-01T10:00:{start:02d}.000Z",
            endTime=f"2026-05-01T10:00:{start + 1:02d}.000Z",
            input=json.dumps(given),
            output=json.dumps(answer),
            modelParameters={"instructions": "Be kind."},
        )

    first, second = generation("g1", 1, [asked], [thought, call]), generation("g2", 3, [asked, call, result], [said])
    tool = observation(id="t", type="TOOL", name="find_bus", input=None, output=None, totalCost=0)
    conversation = only("langfuse", langfuse(observations=[second, first, tool]))
    trace = conversation.traces[0]
    assert (trace.payload.input, trace.payload.output) == (ASKED, ANSWERED)
    assert [(c.tool, c.args, c.result) for c in trace.payload.tool_calls] == [("find_bus", {"to": "harbour"}, "line 7")]
    assert [step.content for step in trace.payload.reasoning] == ["Look it up."]
    assert [p.text for p in conversation.prompts] == ["Be kind."]
    assert conversation.counts.human_prompts == 1


def test_langfuse_names_the_prompt_in_force():
    conversation = only("langfuse", langfuse(observations=[observation(promptName="bus-guide", promptVersion=3)]))
    assert conversation.traces[0].facts.prompts == (PromptInForce("generic", "bus-guide@3", exact=True),)


SCORES = {
    "person": {
        "name": "helpful",
        "value": 0,
        "dataType": "BOOLEAN",
        "source": "ANNOTATION",
        "comment": "No line given.",
    },
    "judge": {"name": "toxicity", "value": 0.8, "dataType": "NUMERIC", "source": "EVAL"},
    "program": {"name": "clicked", "value": 1, "dataType": "NUMERIC", "source": "API"},
    "correction": {
        "name": "output",
        "value": 0,
        "stringValue": "Line 9.",
        "dataType": "CORRECTION",
        "source": "ANNOTATION",
    },
}


@pytest.mark.parametrize(
    ("which", "signal", "tags"),
    [
        ("person", (SignalKind.SCORE, "No line given.", "", 0.0), ()),
        ("judge", None, ("machine-score:toxicity=0.8",)),
        ("program", None, ("machine-score:clicked=1",)),
        ("correction", (SignalKind.CORRECTION, "", "Line 9.", None), ()),
    ],
)
def test_langfuse_scores_are_a_persons_only_when_annotated(which, signal, tags):
    conversation = only("langfuse", langfuse({"scores": [SCORES[which]]}))
    assert [(s.kind, s.text, s.replacement, s.score) for s in conversation.signals] == ([signal] if signal else [])
    assert conversation.traces[0].payload.tags == tags
    assert conversation.traces[0].outcome is TraceOutcome.PENDING


def test_langfuse_errors_are_errors_with_their_message():
    failed = observation(level="ERROR", statusMessage="rate limit", output=None)
    assert only("langfuse", langfuse(observations=[failed])).traces[0].facts.outcome_detail == "error: rate limit"


def test_langfuse_traces_of_one_session_are_one_conversation():
    rows = [
        json.loads(langfuse({"id": f"t{n}", "sessionId": "chat-1", "timestamp": f"2026-05-01T1{n}:00:00Z"}))
        for n in (1, 0)
    ]
    conversation = only("langfuse", json.dumps(rows, indent=1).encode())
    assert (conversation.key, len(conversation.traces)) == ("chat-1", 2)


# LangSmith


def test_langsmith_counts_tokens_on_model_runs_only_and_joins_children():
    root = langsmith_run(
        id="r0", trace_id="r0", run_type="chain", name="Agent", inputs={"input": ASKED}, prompt_tokens=12
    )
    child = langsmith_run(id="r1", trace_id="r0", parent_run_id="r0", prompt_tokens=12, completion_tokens=3)
    root["outputs"] = {"output": ANSWERED}
    conversation = only("langsmith", json.dumps([child, root]).encode())
    assert conversation.tokens == TokenCounts(12, 3)
    assert conversation.counts.human_prompts == 1
    nested = only("langsmith", json.dumps([{**root, "child_runs": [child]}]).encode())
    assert (nested.tokens, nested.counts) == (conversation.tokens, conversation.counts)


@pytest.mark.parametrize(("source", "signals"), [({"type": "app"}, 1), ({"type": "model"}, 0), ({"type": "api"}, 0)])
def test_langsmith_feedback_is_a_persons_only_from_the_app(source, signals):
    feedback = {"key": "correct", "score": 0, "comment": "Wrong line.", "run_id": "r1", "feedback_source": source}
    conversation = only("langsmith", jsonl([langsmith_run(), feedback]))
    assert len(conversation.signals) == signals


def test_langsmith_corrections_are_kept():
    feedback = {"key": "fix", "run_id": "r1", "feedback_source": {"type": "app"}, "correction": {"output": "Line 9."}}
    conversation = only("langsmith", jsonl([langsmith_run(), feedback]))
    assert [(s.kind, s.replacement) for s in conversation.signals] == [(SignalKind.CORRECTION, "Line 9.")]


def test_langsmith_says_when_the_text_is_kept_elsewhere():
    _, context = read("langsmith", json.dumps([langsmith_run(inputs=None, inputs_s3_urls={"ROOT": "s3"})]).encode())
    assert context.health.count(health.NO_TEXT) == 1


def test_langsmith_reads_serialised_messages():
    human = {
        "lc": 1,
        "type": "constructor",
        "id": ["langchain", "schema", "HumanMessage"],
        "kwargs": {"content": ASKED},
    }
    assert (
        only("langsmith", json.dumps([langsmith_run(inputs={"messages": [[human]]})]).encode()).traces[0].payload.input
        == ASKED
    )


# Opik


@pytest.mark.parametrize(("source", "signals"), [("ui", 1), ("online_scoring", 0), ("sdk", 0)])
def test_opik_scores_are_a_persons_only_from_the_user_interface(source, signals):
    score = {"name": "quality", "value": 0.25, "reason": "Vague.", "source": source}
    conversation = only("opik", opik(feedback_scores=[score]))
    assert len(conversation.signals) == signals
    assert len(conversation.traces[0].payload.tags) == 1 - signals


def test_opik_threads_errors_and_costs():
    conversation = only(
        "opik",
        opik(thread_id="th-1", total_estimated_cost=0.4, error_info={"exception_type": "Timeout", "message": "60 s"}),
    )
    assert conversation.key == "th-1"
    assert conversation.traces[0].cost_usd == 0.4
    assert conversation.traces[0].facts.outcome_detail == "error: Timeout: 60 s"
