"""Adding conversations up without counting anything twice, and reports of what could not be used."""

from __future__ import annotations

import pickle
from dataclasses import replace

import pytest

from honeyguide.kernel.errors import Unsupported
from honeyguide.traces.conversations import Conversation, ConversationCounts, Role, Tally, Turn
from honeyguide.traces.health import LINES_KEPT, HealthReport
from honeyguide.traces.readers import Source, recognise, source, sources
from honeyguide.traces.records import TokenCounts, ToolCall, Trace, TraceFacts, TracePayload


def trace(key: str, **tokens: int | None) -> Trace:
    return Trace(
        TracePayload(tokens=TokenCounts(**tokens), tool_calls=(ToolCall("t"),)),
        facts=TraceFacts(source="x", source_key=key),
    )


FIRST = Conversation(
    source="x",
    key="c1",
    traces=(trace("t1", input=10, output=5), trace("t2", input=1)),
    turns=(
        Turn(Role.USER, "a", "u1"),
        Turn(Role.ASSISTANT, "b", "a1"),
        Turn(Role.USER, "reminder", "u2", machine=True),
        Turn(Role.USER, "other", "u3", left_behind=True),
        Turn(Role.SYSTEM, "s", "s1"),
    ),
)
RESUMED = replace(
    FIRST,
    key="c2",
    traces=(*FIRST.traces, trace("t3", input=100, cache_read=7)),
    turns=(*FIRST.turns, Turn(Role.USER, "c", "u4")),
)


def test_machine_texts_and_branches_left_behind_are_not_counted():
    assert FIRST.counts == ConversationCounts(human_prompts=1, replies=1, tool_calls=2)


def test_tokens_add_up_and_what_nobody_knows_stays_unknown():
    assert FIRST.tokens == TokenCounts(11, 5, None, None)
    assert Conversation(source="x", key="c").tokens == TokenCounts()


@pytest.mark.parametrize("files", [(FIRST, RESUMED), (RESUMED, FIRST), (FIRST, RESUMED, FIRST)])
def test_copied_lines_count_once_in_any_order_of_files(files):
    tally = Tally()
    for conversation in files:
        tally.add(conversation)
    assert tally.counts == ConversationCounts(human_prompts=2, replies=1, tool_calls=3)
    assert tally.tokens == TokenCounts(111, 5, 7, None)


def test_a_report_counts_everything_and_keeps_the_first_lines():
    report = HealthReport()
    for number in range(1, 200):
        report.note("broken-json", number)
    report.note("unknown-type", 7, example="brand-new")
    assert report.count("broken-json") == 199
    assert len(report.lines("broken-json")) == LINES_KEPT
    assert report.to_json()[1] == {"problem": "unknown-type", "lines": [7], "count": 1, "example": "brand-new"}


def test_reports_merge_and_cross_process_borders():
    report, other = HealthReport(), HealthReport()
    report.note("broken-json", 1)
    other.note("broken-json", 2)
    other.note("no-input")
    report.merge(pickle.loads(pickle.dumps(other)))
    assert report.counts() == {"broken-json": 2, "no-input": 1}
    assert report.lines("broken-json") == (1, 2)


def test_every_source_is_found_by_its_name():
    assert "trace-jsonl" in sources()
    assert all(isinstance(reader, Source) and reader.name == name for name, reader in sources().items())
    with pytest.raises(Unsupported, match="klingon"):
        source("klingon")


@pytest.mark.parametrize("head", [b"", b"\x00\x01\x02", b"hello world, just prose", b"\xff" * 100])
def test_what_no_reader_is_sure_of_is_not_guessed_at(head):
    assert recognise(head) is None
