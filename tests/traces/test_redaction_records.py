"""Whole traces and conversations lose every secret before they are stored."""

from __future__ import annotations

from dataclasses import asdict

from honeyguide.traces.conversations import Conversation, CorrectionSignal, PromptText, Role, SignalKind, Turn
from honeyguide.traces.records import (
    GateResultNote,
    HarnessContext,
    ReasoningStep,
    ToolCall,
    Trace,
    TraceFacts,
    TracePayload,
)
from honeyguide.traces.redaction import Redactor
from honeyguide.traces.redaction_records import redact_conversation, redact_trace

SECRET = "xoxb-123456789012-AbCdEfGhIjKlMnOp"
PASSWORD = "Wint3r-is-c0ming"


def trace(**parts: object) -> Trace:
    return Trace(TracePayload(**parts), facts=TraceFacts(source="x", source_key="1", project="/home/alice/shop"))  # type: ignore[arg-type]


def everywhere(secret: str) -> Trace:
    return Trace(
        TracePayload(
            input=f"in {secret}",
            output=f"out {secret}",
            reasoning=(ReasoningStep(secret),),
            tool_calls=(ToolCall("Bash", args={"cmd": [f"x {secret}"]}, result={"stdout": secret, "code": 0}),),
            artifacts=(secret,),
            harness=HarnessContext("h", "p", gate_results=(GateResultNote("g", False, secret),)),
            correction_feedback=secret,
            tags=(secret,),
        ),
        facts=TraceFacts(source="x", source_key="1", outcome_detail=f"error: {secret}"),
    )


def test_no_part_of_a_trace_keeps_a_secret():
    redactor = Redactor(b"k" * 16)
    cleaned = redact_trace(everywhere(SECRET), redactor)
    assert SECRET not in repr(asdict(cleaned))
    assert cleaned.payload.tool_calls[0].result["code"] == 0
    assert redactor.counts == {"slack-token": 6}  # six differing texts


def test_no_part_of_a_conversation_keeps_a_secret_and_repeated_texts_count_once():
    redactor = Redactor(b"k" * 16)
    conversation = Conversation(
        source="x",
        key="c",
        title=SECRET,
        traces=(trace(input=f"use {SECRET}", output="done"),),
        turns=(Turn(Role.USER, f"use {SECRET}", "u1"), Turn(Role.ASSISTANT, "done", "a1")),
        signals=(CorrectionSignal(SignalKind.REFUSAL, "1", text=SECRET, replacement=SECRET),),
        prompts=(PromptText("generic", "p", SECRET),),
    )
    cleaned = redact_conversation(conversation, redactor)
    assert SECRET not in repr(asdict(cleaned))
    assert redactor.counts == {"slack-token": 1}
    assert cleaned.turns[0].text == cleaned.traces[0].payload.input


def test_a_password_named_once_is_hidden_where_it_stands_bare_too():
    redactor = Redactor(b"k" * 16)
    conversation = Conversation(
        source="x",
        key="c",
        traces=(
            trace(input=f"connect with {PASSWORD}", tool_calls=(ToolCall("sh", {"argv": ["psql", PASSWORD]}),)),
            trace(input=f"DB_PASSWORD={PASSWORD}"),
        ),
        turns=(Turn(Role.USER, f"connect with {PASSWORD}", "u1"),),
    )
    cleaned = redact_conversation(conversation, redactor)
    assert PASSWORD not in repr(asdict(cleaned))
    placeholder = cleaned.traces[1].payload.input.removeprefix("DB_PASSWORD=")
    assert cleaned.traces[0].payload.input == f"connect with {placeholder}"


def test_the_project_folder_stays_as_the_source_wrote_it_and_texts_do_not_name_the_home():
    cleaned = redact_trace(trace(input="look into /home/alice/shop/x.py"), Redactor(b"k" * 16))
    assert cleaned.facts.project == "/home/alice/shop"
    assert "alice" not in cleaned.payload.input


def test_redacting_a_conversation_twice_changes_nothing():
    redactor = Redactor(b"k" * 16)
    once = redact_conversation(
        Conversation(source="x", key="c", traces=(everywhere(SECRET), everywhere(f"DB_PASSWORD={PASSWORD}"))), redactor
    )
    assert redact_conversation(once, redactor) == once
