"""promptfoo, Inspect and fine-tuning files: verdicts, references, and what is no failure of a prompt."""

from __future__ import annotations

import io
import json
import zipfile

import pytest

from honeyguide.kernel.errors import Unreadable
from honeyguide.traces import health
from honeyguide.traces.conversations import SignalKind
from honeyguide.traces.readers.detect import import_counts
from honeyguide.traces.records import TokenCounts, TraceOutcome
from tests.traces.readers.samples import (
    ANSWERED,
    ASKED,
    inspect_archive,
    inspect_sample,
    jsonl,
    only,
    promptfoo,
    promptfoo_row,
    read,
)


def graded(*parts, success=False, **more):
    components = [{"pass": passed, "assertion": {"type": kind}} for kind, passed in parts]
    return promptfoo_row(success=success, gradingResult={"pass": success, "componentResults": components, **more})


@pytest.mark.parametrize(
    ("row", "outcome", "detail"),
    [
        (graded(("latency", False), ("contains", True)), TraceOutcome.PENDING, "performance: latency"),
        (graded(("latency", False), ("cost", False)), TraceOutcome.PENDING, "performance: cost, latency"),
        (graded(("latency", False), ("contains", False)), TraceOutcome.PENDING, "failed-check: contains"),
        (graded(("not-contains", False)), TraceOutcome.PENDING, "failed-check: contains"),
        (graded(("contains", True), success=True), TraceOutcome.SUCCESS, "all assertions passed"),
        (graded(("latency", True), success=True), TraceOutcome.PENDING, "unknown"),
        (graded(success=True), TraceOutcome.PENDING, "unknown"),
        (
            promptfoo_row(success=False, failureReason=2, gradingResult=None, error="502 Bad Gateway\nat x"),
            TraceOutcome.ABANDONED,
            "error: 502 Bad Gateway",
        ),
    ],
)
def test_promptfoo_rows_are_judged_by_the_kind_of_assertion(row, outcome, detail):
    trace = only("promptfoo", promptfoo(row)).traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (outcome, detail)


def test_promptfoo_keeps_the_judges_tokens_apart():
    row = graded(("llm-rubric", True), success=True, tokensUsed={"total": 250})
    row["response"] = {"output": ANSWERED, "tokenUsage": {"prompt": 30, "completion": 9, "total": 39}}
    conversation = only("promptfoo", promptfoo(row))
    assert conversation.tokens == TokenCounts(30, 9)
    assert import_counts([conversation])["judge_tokens"] == 250


def test_promptfoo_cached_rows_have_no_latency():
    row = promptfoo_row(
        latencyMs=3, response={"output": ANSWERED, "cached": True, "tokenUsage": {"cached": 39, "total": 39}}
    )
    trace = only("promptfoo", promptfoo(row)).traces[0]
    assert (trace.duration_ms, trace.payload.tokens) == (None, TokenCounts())


def test_promptfoo_rows_of_one_test_are_one_conversation():
    rows = [promptfoo_row(id="a", promptIdx=0), promptfoo_row(id="b", promptIdx=1), promptfoo_row(id="c", testIdx=1)]
    assert [len(c.traces) for c in read("promptfoo", promptfoo(*rows))[0]] == [2, 1]


def test_promptfoo_templates_are_exact_prompts_and_comments_a_persons_words():
    row = graded(("human", False), comment="Too long.")
    conversation = only("promptfoo", promptfoo(row))
    assert [(p.kind, p.text) for p in conversation.prompts] == [("generic", "{{question}}")]
    assert [(s.kind, s.text, s.score) for s in conversation.signals] == [(SignalKind.SCORE, "Too long.", 0.0)]


def test_promptfoo_results_one_a_line_and_the_older_table_say_the_same():
    lines = jsonl(
        [promptfoo_row(id="a"), promptfoo_row(id="b", vars={"question": "x"}, prompt={"raw": "x"}, testIdx=1)]
    )
    cell = {"pass": True, "text": ANSWERED, "prompt": ASKED, "latencyMs": 5}
    table = {
        "head": {"prompts": [{"raw": "{{q}}", "provider": "model-1"}], "vars": ["q"]},
        "body": [{"outputs": [cell], "vars": [ASKED]}],
    }
    older = only("promptfoo", json.dumps({"evalId": "e", "results": {"version": 2, "table": table}}).encode())
    assert import_counts(read("promptfoo", lines)[0])["traces"] == 2
    assert (older.traces[0].payload.input, older.traces[0].payload.output, older.traces[0].model) == (
        ASKED,
        ANSWERED,
        "model-1",
    )


# Inspect


@pytest.mark.parametrize(
    ("more", "outcome", "detail"),
    [
        ({"scores": {"match": {"value": "C"}}}, TraceOutcome.SUCCESS, "scored correct"),
        ({"scores": {"match": {"value": "I"}}}, TraceOutcome.PENDING, "failed-check: match"),
        ({"scores": {"match": {"value": "N"}}}, TraceOutcome.PENDING, "failed-check: match"),
        ({"scores": {"match": {"value": "P"}}}, TraceOutcome.PENDING, "score: match=P"),
        ({"scores": {"model": {"value": 0.4}}}, TraceOutcome.PENDING, "score: model=0.4"),
        ({"limit": {"type": "token", "limit": 100}}, TraceOutcome.PENDING, "limit: token"),
        ({"error": {"message": "connection reset\ntrace"}}, TraceOutcome.ABANDONED, "error: connection reset"),
        ({}, TraceOutcome.PENDING, "unknown"),
    ],
)
def test_inspect_scores_errors_and_limits_are_three_things(more, outcome, detail):
    trace = only("inspect", inspect_archive(inspect_sample(**more))).traces[0]
    assert (trace.outcome, trace.facts.outcome_detail) == (outcome, detail)


def test_inspect_takes_usage_from_the_output_where_the_models_is_empty():
    output = {"choices": [{"message": {"content": ANSWERED}}], "usage": {"input_tokens": 66, "output_tokens": 2}}
    sample = inspect_sample(model_usage={}, output=output)
    assert only("inspect", inspect_archive(sample)).tokens == TokenCounts(66, 2)
    sample = inspect_sample(
        model_usage={"a": {"input_tokens": 5, "output_tokens": 1}, "b": {"input_tokens": 7, "output_tokens": 1}}
    )
    assert only("inspect", inspect_archive(sample)).tokens == TokenCounts(12, 2)


def test_inspect_epochs_are_traces_of_one_conversation():
    conversation = only("inspect", inspect_archive(inspect_sample(), inspect_sample(epoch=2)))
    assert len(conversation.traces) == 2
    assert conversation.counts.human_prompts == 2


def test_inspect_puts_texts_back_that_are_named_by_hash():
    messages = [{"role": "user", "content": "attachment://abc"}, {"role": "assistant", "content": ANSWERED}]
    sample = inspect_sample(messages=messages, attachments={"abc": ASKED})
    assert only("inspect", inspect_archive(sample)).traces[0].payload.input == ASKED


def test_inspect_reads_nan_as_unknown():
    data = inspect_archive(inspect_sample(scores={"x": {"value": float("nan")}}))
    assert only("inspect", data).traces[0].facts.outcome_detail.startswith("score: x=")


def test_inspect_logs_compressed_by_an_unknown_method_are_said_in_one_sentence():
    data = bytearray(inspect_archive(inspect_sample()))
    # The method of every entry becomes 93 (Zstandard), in the local headers and in the directory.
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        place = data.find(mark)
        while place >= 0:
            data[place + offset] = 93
            place = data.find(mark, place + 4)
    with pytest.raises(Unreadable) as caught:
        read("inspect", bytes(data))
    assert "Zstandard" in caught.value.message
    assert "inspect log convert" in caught.value.hint


def test_a_damaged_sample_is_named_and_the_others_are_read():
    out = io.BytesIO(inspect_archive(inspect_sample()))
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("samples/2_epoch_1.json", "{broken")
    conversations, context = read("inspect", out.getvalue())
    assert len(conversations) == 1
    assert context.health.count(health.BROKEN_JSON) == 1


# Fine-tuning files


def row(*messages, **more):
    return {"messages": [dict(zip(("role", "content"), message, strict=True)) for message in messages], **more}


def test_a_dialogue_is_one_reference_with_its_history():
    data = jsonl(
        [row(("system", "Be kind."), ("user", "A?"), ("assistant", "B."), ("user", "C?"), ("assistant", "D."))]
    )
    conversation = only("openai-chat", data)
    trace = conversation.traces[0]
    assert (trace.payload.input, trace.payload.output) == ("User: A?\n\nAssistant: B.\n\nUser: C?", "D.")
    assert (trace.outcome, trace.facts.outcome_detail) == (TraceOutcome.PENDING, "reference")
    assert [p.text for p in conversation.prompts] == ["Be kind."]
    assert (conversation.counts.human_prompts, conversation.counts.replies) == (2, 2)


def test_an_answer_of_weight_zero_is_no_target():
    messages = [
        {"role": "user", "content": "A?"},
        {"role": "assistant", "content": "Wanted.", "weight": 1},
        {"role": "user", "content": "C?"},
        {"role": "assistant", "content": "Not wanted.", "weight": 0},
    ]
    assert only("openai-chat", jsonl([{"messages": messages}])).traces[0].payload.output == "Wanted."


def test_rows_without_a_question_or_an_answer_are_skipped_with_their_reason():
    rows = [row(("system", "x"), ("assistant", "Hi.")), row(("user", "A?")), row(("user", "A?"), ("assistant", "B."))]
    conversations, context = read("openai-chat", jsonl(rows))
    assert len(conversations) == 1
    assert context.health.lines(health.NO_INPUT) == (1,)
    assert context.health.lines(health.NO_TEXT) == (2,)


def test_a_preference_is_a_pair():
    pair = {
        "input": {"messages": [{"role": "user", "content": "A?"}]},
        "preferred_output": [{"role": "assistant", "content": "Good."}],
        "non_preferred_output": [{"role": "assistant", "content": "Bad."}],
    }
    conversation = only("openai-chat", jsonl([pair]))
    assert conversation.traces[0].payload.output == "Bad."
    assert [(s.kind, s.replacement) for s in conversation.signals] == [(SignalKind.PREFERENCE, "Good.")]


def test_arguments_encoded_twice_are_read():
    call = {"id": "c", "type": "function", "function": {"name": "f", "arguments": json.dumps(json.dumps({"x": 1}))}}
    data = jsonl(
        [
            {
                "messages": [
                    {"role": "user", "content": "A?"},
                    {"role": "assistant", "content": None, "tool_calls": [call]},
                ]
            }
        ]
    )
    assert only("openai-chat", data).traces[0].payload.tool_calls[0].args == {"x": 1}
