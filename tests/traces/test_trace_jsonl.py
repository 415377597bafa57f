"""Traces as rows, one JSON object per line."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.traces import health
from honeyguide.traces.conversations import SignalKind
from honeyguide.traces.jsonl import row_to_trace, trace_to_row, write_rows
from honeyguide.traces.readers.protocol import ReadContext
from honeyguide.traces.readers.waggle_jsonl import SOURCE
from honeyguide.traces.records import (
    PromptInForce,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)

PAYLOAD = {"input": "How long?", "output": "Two days.", "toolCalls": [], "tokens": {"input": 5, "output": 2}}


def row(**columns: object) -> dict[str, object]:
    return {
        "id": 1,
        "session_id": "s1",
        "persona_id": "support",
        "outcome": "success",
        "trace_json": json.dumps(PAYLOAD),
        "cost_usd": 0,
        "duration_ms": 0,
        "created_at": "2026-04-01 12:00:00",
        "finalized_at": None,
        **columns,
    }


def read(*rows: object) -> tuple[list, ReadContext]:
    context = ReadContext()
    data = "\n".join(r if isinstance(r, str) else json.dumps(r) for r in rows).encode()
    return list(SOURCE.read(io.BytesIO(data), context)), context


def test_a_row_of_the_seed_is_read_with_unknown_as_none():
    trace = row_to_trace(row())
    assert (trace.payload.input, trace.payload.output) == ("How long?", "Two days.")
    assert (trace.cost_usd, trace.duration_ms, trace.finalized_at) == (None, None, None)
    assert trace.created_at == "2026-04-01T12:00:00.000Z"
    assert trace.facts.conversation == "s1"


def test_the_payload_may_be_an_object_or_text_and_a_broken_one_is_empty():
    assert row_to_trace(row(trace_json=PAYLOAD)).payload == row_to_trace(row()).payload
    assert row_to_trace(row(trace_json="{broken")).payload == TracePayload()
    assert (
        row_to_trace(row(trace_json={"input": "x", "tokens": {"input": 0, "output": 0}})).payload.tokens
        == TokenCounts()
    )


def test_the_same_row_has_the_same_key_and_another_row_another():
    assert row_to_trace(row()).facts.source_key == row_to_trace(row(outcome="corrected")).facts.source_key
    assert row_to_trace(row()).facts.source_key != row_to_trace(row(id=2)).facts.source_key


def test_rows_of_one_session_make_one_conversation_with_its_corrections():
    corrected = {**PAYLOAD, "correctionFeedback": "Three days, not two."}
    conversations, context = read(
        row(),
        row(id=2, outcome="corrected", trace_json=corrected),
        row(
            id=3, session_id="s2", outcome="abandoned", trace_json={**corrected, "correctionFeedback": "Error: timeout"}
        ),
    )
    assert [(c.key, len(c.traces)) for c in conversations] == [("s1", 2), ("s2", 1)]
    assert [s.text for s in conversations[0].signals] == ["Three days, not two."]
    assert conversations[0].signals[0].kind is SignalKind.CORRECTION
    assert conversations[1].signals == ()
    assert conversations[0].counts.human_prompts == 2
    assert not context.health


def test_harness_phases_are_no_human_prompts():
    conversations, _ = read(row(trace_json={**PAYLOAD, "harness": {"harnessId": "h", "phaseId": "p"}}))
    assert conversations[0].counts.human_prompts == 0


def test_odd_lines_are_counted_and_the_rest_is_read():
    conversations, context = read("{broken", row(outcome="great"), {"x": 1}, row(id=2, trace_json="{}"))
    assert sum(len(c.traces) for c in conversations) == 2
    assert context.health.counts() == {
        health.BROKEN_JSON: 1,
        health.MALFORMED: 1,
        health.UNKNOWN_TYPE: 1,
        health.NO_TEXT: 1,
    }
    assert conversations[0].traces[0].facts.outcome_detail == "unknown outcome: great"


@pytest.mark.parametrize(
    ("head", "sure"),
    [
        (json.dumps(row()).encode() + b"\n", True),
        (b"\xef\xbb\xbf" + json.dumps(row()).encode(), True),
        (json.dumps(row(trace_json="x" * 100_000)).encode()[:65536], True),
        (b'{"messages":[]}\n', False),
        (b"", False),
        (b"\xff\xfe\x00", False),
    ],
)
def test_the_format_is_recognised_by_content(head, sure):
    assert (SOURCE.sniff(head, "x") > 0.5) is sure


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NAME = TEXT.filter(bool)


@given(
    st.builds(
        Trace,
        payload=st.builds(
            TracePayload,
            input=TEXT,
            output=TEXT,
            tool_calls=st.lists(
                st.builds(ToolCall, TEXT, st.dictionaries(TEXT, TEXT), st.none() | st.integers(0, 9) | TEXT)
            ).map(tuple),
            tokens=st.builds(TokenCounts, st.integers(1, 9), st.integers(1, 9)),
            tags=st.lists(TEXT).map(tuple),
        ),
        outcome=st.sampled_from(TraceOutcome),
        session_id=st.none() | NAME,
        model=st.none() | NAME,
        cost_usd=st.none() | st.floats(0.001, 10),
        duration_ms=st.none() | st.integers(1, 10**6),
        created_at=st.just("2026-04-01T12:00:00.000Z"),
        facts=st.builds(
            TraceFacts,
            source=NAME,
            source_key=NAME,
            conversation=TEXT,
            turn=st.integers(0, 9),
            project=st.none() | NAME,
            prompts=st.lists(st.builds(PromptInForce, NAME, NAME, st.none() | NAME, st.booleans())).map(tuple),
            never_send=st.booleans(),
        ),
    )
)
def test_a_trace_comes_back_from_its_row_unchanged(trace):
    (line,) = write_rows([trace])
    assert row_to_trace(json.loads(line)) == trace
    assert isinstance(trace_to_row(trace)["trace_json"], str)
