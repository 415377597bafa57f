"""Chat messages in every spelling, and how a conversation is put together from repeated lists of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.traces.readers._documents import parse_cut
from honeyguide.traces.readers._messages import Message, messages_of
from honeyguide.traces.readers._transcript import Transcript
from honeyguide.traces.readers._values import embedded, milliseconds_between, moment, number, whole

CALLS = [
    {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f", "arguments": '{"x": 1}'}}]},
    {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}}]},
    {"role": "assistant", "parts": [{"type": "tool_call", "id": "c", "name": "f", "arguments": {"x": 1}}]},
    {"role": "model", "parts": [{"functionCall": {"id": "c", "name": "f", "args": {"x": 1}}}]},
    {"type": "ai", "content": "", "tool_calls": [{"id": "c", "name": "f", "args": {"x": 1}}]},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": '{"x": 1}'},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": "f", "arguments": {"x": 1}}]},
]
ANSWERS = [
    {"role": "tool", "tool_call_id": "c", "content": "ok"},
    {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "ok"}]}],
    },
    {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c", "response": "ok"}]},
    {"type": "function_call_output", "call_id": "c", "output": "ok"},
    {"type": "tool", "tool_call_id": "c", "content": "ok", "status": "success"},
]
TEXTS = [
    "Hello.",
    {"role": "user", "content": "Hello."},
    {"role": "user", "content": [{"type": "input_text", "text": "Hello."}]},
    {"role": "user", "parts": [{"type": "text", "content": "Hello."}]},
    {"role": "user", "parts": [{"text": "Hello."}]},
    {"type": "human", "data": {"content": "Hello."}},
    {"type": "constructor", "id": ["langchain", "HumanMessage"], "kwargs": {"content": "Hello."}},
    ["human", "Hello."],
    [["human", "Hello."]],
    {"messages": [[{"role": "user", "content": "Hello."}]]},
    {"input": "Hello."},
    {"question": "Hello."},
    {"any_name": "Hello."},
    json.dumps([{"role": "user", "content": "Hello."}]),
]


@pytest.mark.parametrize("value", TEXTS)
def test_every_spelling_of_a_users_text(value):
    assert messages_of(value) == [Message("user", "Hello.")]


@pytest.mark.parametrize("value", CALLS)
def test_every_spelling_of_a_tool_call(value):
    (message,) = messages_of([value])
    (call,) = message.calls
    assert (message.role, call.id, call.name, call.args) == ("assistant", "c", "f", {"x": 1})


@pytest.mark.parametrize("value", ANSWERS)
def test_every_spelling_of_a_tools_answer(value):
    (message,) = messages_of([value])
    (answer,) = message.answers
    assert (message.role, message.text, answer.id, answer.result) == ("tool", "", "c", "ok")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ([{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {"url": "data:"}}], "Look:\n[image]"),
        ([{"type": "refusal", "refusal": "No."}], "No."),
        (["plain", "parts"], "plain\nparts"),
    ],
)
def test_media_and_refusals_are_named(value, text):
    assert messages_of({"role": "user", "content": value})[0].text == text


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["role", "content", "parts", "type", "text", "tool_calls", "messages"]), inner
            )
        ),
        max_leaves=10,
    )
)
def test_no_value_makes_reading_messages_fail(value):
    assert all(isinstance(message, Message) for message in messages_of(value))


@given(st.lists(st.sampled_from(["a", "b", "c"]), min_size=1, max_size=6))
def test_a_conversation_told_again_and_again_is_kept_once(texts):
    """Each call repeats all that was said; the transcript holds every message once, in order."""
    transcript = Transcript("k")
    said = [Message("user" if i % 2 == 0 else "assistant", text) for i, text in enumerate(texts)]
    for end in range(1, len(said) + 1):
        transcript.add(said[:end], (), "t", None)
    assert [turn.text for turn in transcript.turns] == texts
    assert len({turn.key for turn in transcript.turns}) == len(texts)


# Values


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2026-05-01T10:00:00Z", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01 12:00:00+02:00", "2026-05-01T10:00:00.000Z"),
        ("2026-05-01T10:00:00.123456789Z", "2026-05-01T10:00:00.123Z"),
        (1777629600, "2026-05-01T10:00:00.000Z"),
        (1777629600123, "2026-05-01T10:00:00.123Z"),
        ("1777629600000000000", "2026-05-01T10:00:00.000Z"),
        ("soon", None),
        ("", None),
        (None, None),
        (True, None),
        (-5, None),
        (1e300, None),
    ],
)
def test_moments_in_every_unit(value, expected):
    assert moment(value) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        ("7", 7),
        (7.0, 7),
        (7.5, None),
        (-1, None),
        (True, None),
        ("x", None),
        (float("nan"), None),
        (10**20, 10**20),
    ],
)
def test_counts_are_whole_and_not_negative(value, expected):
    assert whole(value) == expected


def test_numbers_too_large_for_a_float_are_unknown():
    assert number(10**400) is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        (json.dumps('{"a": 1}'), {"a": 1}),
        ('"just text"', '"just text"'),
        ("{broken", "{broken"),
        (5, 5),
    ],
)
def test_json_inside_text_is_read_and_text_is_left_alone(value, expected):
    assert embedded(value) == expected


def test_time_never_runs_backwards():
    assert milliseconds_between("2026-05-01T10:00:01Z", "2026-05-01T10:00:00Z") is None


@given(
    st.dictionaries(st.text(max_size=4), st.lists(st.integers(), max_size=4) | st.text(max_size=9), min_size=1),
    st.data(),
)
def test_json_that_is_cut_off_keeps_what_was_complete(value, data):
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text)))
    found = parse_cut(text[:cut])
    assert found is not None
    assert set(found) <= set(value)
