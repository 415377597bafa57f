"""What every reader keeps, whatever its format."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.kernel.errors import HoneyguideError, Interrupted
from honeyguide.traces import health
from honeyguide.traces.conversations import Role, Tally
from honeyguide.traces.readers import recognise, source, sources
from honeyguide.traces.readers.detect import import_counts
from honeyguide.traces.readers.protocol import ReadContext, Source
from honeyguide.traces.records import TokenCounts, TraceOutcome
from tests.traces.readers.samples import ANSWERED, ASKED, SAMPLES, read

EVERY = pytest.mark.parametrize("name", sorted(SAMPLES))
BY_LINE = ("claude-code", "codex", "hiveloom", "openai-agents", "openai-chat")


def test_all_thirteen_sources_are_found_and_keep_the_protocol():
    assert sources().keys() >= SAMPLES.keys()
    assert all(isinstance(reader, Source) for reader in sources().values())


@EVERY
def test_a_file_is_recognised_by_its_content_and_not_by_its_name(name):
    found = recognise(SAMPLES[name](), "misleading.bin")
    assert found is not None
    assert found.name == name


@EVERY
def test_recognising_works_on_a_head_that_is_cut_anywhere(name):
    data = SAMPLES[name]()
    surest = [recognise(data[:cut]) for cut in range(len(data) * 3 // 4, len(data), 7)]
    assert {found.name for found in surest if found is not None} <= {name}


@EVERY
def test_question_and_answer_are_read(name):
    conversations, context = read(name, SAMPLES[name]())
    trace = conversations[0].traces[0]
    assert (trace.payload.input, trace.payload.output) == (ASKED, ANSWERED)
    assert trace.facts.source == name
    assert trace.facts.conversation == conversations[0].key
    assert not context.health


@EVERY
def test_what_the_source_does_not_say_is_none(name):
    trace = read(name, SAMPLES[name]())[0][0].traces[0]
    assert trace.payload.tokens == TokenCounts()
    assert trace.cost_usd is None


@EVERY
def test_no_success_without_evidence(name):
    trace = read(name, SAMPLES[name]())[0][0].traces[0]
    if name == "hiveloom":
        assert (trace.outcome, trace.facts.outcome_evidence) == (TraceOutcome.SUCCESS, "status")
    else:
        assert trace.outcome is TraceOutcome.PENDING
        assert trace.facts.outcome_detail in ("unknown", "reference")


@EVERY
def test_reading_again_adds_nothing(name):
    data = SAMPLES[name]()
    once = import_counts(read(name, data)[0])
    twice = import_counts([*read(name, data)[0], *read(name, data, name="copy/elsewhere.jsonl")[0]])
    assert once == twice
    assert once["human_prompts"] == once["replies"] == once["traces"] > 0


@EVERY
def test_every_turn_and_trace_has_a_key_of_its_own(name):
    conversations, _ = read(name, SAMPLES[name]())
    turns = [turn.key for conversation in conversations for turn in conversation.turns]
    traces = [trace.facts.source_key for conversation in conversations for trace in conversation.traces]
    assert len(set(turns)) == len(turns)
    assert len(set(traces)) == len(traces)
    assert all({turn.trace_key for turn in c.turns} <= {t.facts.source_key for t in c.traces} for c in conversations)


@EVERY
def test_a_reminder_in_the_users_place_is_no_human_text(name):
    reminder = "<system-reminder>Keep it short.</system-reminder>"
    data = SAMPLES[name]().replace(ASKED.encode(), reminder.encode())
    turns = [turn for c in read(name, data)[0] for turn in c.turns if turn.role is Role.USER]
    assert any(turn.text == reminder and turn.machine for turn in turns) or name in ("codex", "table")
    assert not any(turn.is_human and "Keep it short" in turn.text for turn in turns)


@pytest.mark.parametrize("name", BY_LINE)
def test_damaged_lines_are_named_and_later_ones_still_read(name):
    good = SAMPLES[name]().rstrip(b"\n").split(b"\n")
    bad = [b'{"torn": ', b"[1]", b"42", b"\x00" * 40, b"", b'{"brand": "new"}', b'{"name": "\xff"}']
    damaged, context = read(name, b"\n".join([good[0], *bad, *good[1:]]) + b"\n")
    assert import_counts(damaged) == import_counts(read(name, SAMPLES[name]())[0])
    seen = {problem.name: problem.lines for problem in context.health}
    assert seen[health.BROKEN_JSON] == [2]
    assert seen[health.NOT_AN_OBJECT] == [3, 4]
    assert seen[health.NUL_BYTES] == [5]
    assert seen[health.BLANK_LINE] == [6]
    assert 7 in seen[health.UNKNOWN_TYPE]
    assert seen[health.NOT_UTF8] == [8]


@pytest.mark.parametrize("name", BY_LINE)
def test_a_byte_order_mark_windows_line_ends_and_a_cut_off_end_do_no_harm(name):
    data = SAMPLES[name]()
    odd = b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n") + b'{"type": "user", "mess'
    conversations, context = read(name, odd)
    expected = import_counts(read(name, data)[0])
    assert import_counts(conversations) == expected
    assert context.health.count(health.TORN_LAST_LINE) == 1


@EVERY
def test_line_separators_inside_texts_stay_inside(name):
    data = SAMPLES[name]().replace(ANSWERED.encode(), "Line 7.\u2028Then walk.\u0085".encode())
    trace = read(name, data)[0][0].traces[0]
    assert trace.payload.output == "Line 7.\u2028Then walk.\u0085"


@pytest.mark.parametrize("name", [name for name in sorted(SAMPLES) if name != "table"])
def test_half_a_surrogate_pair_can_be_stored(name):
    data = SAMPLES[name]().replace(ANSWERED.encode(), rb"Line 7 \ud83d")
    conversations, context = read(name, data)
    output = conversations[0].traces[0].payload.output
    assert output == "Line 7 \\ud83d"
    assert context.health.count(health.LONE_SURROGATES) >= 1
    output.encode("utf-8")


@EVERY
def test_a_cancelled_import_stops(name):
    with pytest.raises(Interrupted):
        read(name, SAMPLES[name](), is_cancelled=lambda: True)


@EVERY
def test_two_files_in_either_order_count_the_same(name):
    first = read(name, SAMPLES[name]())[0]
    second = read(name, SAMPLES[name]().replace(b"harbour", b"station").replace(b"s-1", b"s-2"))[0]
    there, back = Tally(), Tally()
    for conversation in [*first, *second]:
        there.add(conversation)
    for conversation in [*second, *first]:
        back.add(conversation)
    assert (there.counts, there.tokens, there.conversations) == (back.counts, back.tokens, back.conversations)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=8,
)


def _replaced(value, place, new):
    """Return JSON data with the value at the n-th place (depth first) replaced."""
    count = [place]

    def walk(current):
        if count[0] == 0:
            count[0] -= 1
            return new
        count[0] -= 1
        if isinstance(current, dict):
            return {key: walk(inner) for key, inner in current.items()}
        if isinstance(current, list):
            return [walk(inner) for inner in current]
        return current

    return walk(value)


@EVERY
@settings(max_examples=25, deadline=None)
@given(st.data())
def test_no_value_of_a_wrong_type_anywhere_makes_a_reader_fail(name, data):
    if name == "table":
        rows = [{"input": ASKED, "output": ANSWERED, "rating": 3}, {"input": "x", "output": "y", "rating": 4}]
        lines = [json.dumps(row) for row in rows]
    else:
        raw = SAMPLES[name]().decode().strip()
        lines = [raw] if name in ("otlp", "openinference", "langfuse") else raw.split("\n")
    which = data.draw(st.integers(0, len(lines) - 1))
    changed = _replaced(json.loads(lines[which]), data.draw(st.integers(0, 40)), data.draw(_JSON))
    lines[which] = json.dumps(changed)
    try:
        list(source(name).read(io.BytesIO("\n".join(lines).encode()), ReadContext(name="mutated")))
    except HoneyguideError as error:
        assert error.message


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_recognising_fail(head):
    found = recognise(head, "x.jsonl")
    assert found is None or found.name in sources()
