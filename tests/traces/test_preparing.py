"""From a file to finished batches: in this process and in another, whatever the reader does."""

from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Conflict
from honeyguide.traces import preparing
from honeyguide.traces.conversations import Conversation, Role, Turn
from honeyguide.traces.preparing import Batch, BytesRead, FileEnd, Message, Rules, prepare, prepare_file, serve
from honeyguide.traces.readers import claude_code
from honeyguide.traces.records import PromptInForce, ToolCall, Trace, TraceFacts, TracePayload
from honeyguide.traces.redaction import Redactor

KEY = "ghp_" + "a8Kx2Lm9Wv4Tn7RpQ3sD6fG1hJ5kL0zXcVbN"[:36]
RULES = Rules(b"k" * 32)


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of 450 conversations of one trace each."""
    path = tmp_path / "rows.jsonl"
    payload = json.dumps({"input": "a question", "output": "an answer"})
    lines = [{"id": n, "session_id": f"s{n}", "outcome": "success", "trace_json": payload} for n in range(450)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def messages_of(path: Path) -> list[Message]:
    found: list[Message] = []
    prepare_file(path, RULES, found.append)
    return found


def test_batches_hold_whole_conversations_and_the_end_comes_last(rows):
    found = messages_of(rows)
    batches = [message for message in found if isinstance(message, Batch)]
    assert [len(batch.conversations) for batch in batches] == [200, 200, 50]
    end = found[-1]
    assert isinstance(end, FileEnd)
    assert (end.report.source, end.report.traces, end.error, end.was_cancelled) == ("trace-jsonl", 450, None, False)
    assert all(isinstance(message, Batch | BytesRead) for message in found[:-1])


def test_another_process_hands_out_the_same(rows, tmp_path):
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, RULES), daemon=True)
    process.start()
    theirs.close()
    ends = {}
    for path in (rows, tmp_path / "nowhere.jsonl"):
        ours.send(str(path))
        received: list[Message] = []
        while not received or not isinstance(received[-1], FileEnd):
            received.append(ours.recv())
        ends[path.name] = received
    ours.close()
    process.join(10)
    assert process.exitcode == 0
    assert [m for m in ends["rows.jsonl"] if isinstance(m, Batch)] == [
        m for m in messages_of(rows) if isinstance(m, Batch)
    ]
    (missing,) = ends["nowhere.jsonl"]
    assert isinstance(missing, FileEnd)
    assert missing.error is not None
    assert "nowhere.jsonl" in missing.report.message


def test_a_reader_that_fails_is_named_and_raises_nothing(tmp_path, monkeypatch):
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps({"type": "user", "uuid": "u", "sessionId": "s", "message": {"content": "hi"}}) + "\n")

    def fail(*_: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(claude_code, "conversations_in", fail)
    end = messages_of(path)[-1]
    assert isinstance(end, FileEnd)
    assert "ZeroDivisionError" in end.report.message
    assert end.report.health.count("unreadable") == 1


def test_what_the_receiver_raises_reaches_the_caller(rows):
    def refuse(message: Message) -> None:
        raise Conflict("The workspace is closed.")

    with pytest.raises(Conflict):
        prepare_file(rows, RULES, refuse)


def test_cancelling_hands_out_what_is_whole(rows):
    found: list[Message] = []
    prepare_file(rows, RULES, found.append, lambda: True)
    end = found[-1]
    assert isinstance(end, FileEnd)
    assert end.was_cancelled


def test_the_outline_counts_the_same_and_holds_no_text():
    trace = Trace(
        TracePayload("a question", "an answer", tool_calls=(ToolCall("t", {"q": "text"}, "text"),)),
        facts=TraceFacts("s", "k1", "c1"),
    )
    turns = (Turn(Role.USER, "a question", "u1", trace_key="k1"), Turn(Role.ASSISTANT, "an answer", "a1"))
    conversation = Conversation("s", "c1", (trace,), turns)
    prepared = prepare(conversation, Redactor(b"k" * 32))
    assert prepared.outline.counts == conversation.counts
    assert prepared.outline.tokens == conversation.tokens
    assert "question" not in repr(prepared.outline)
    assert "answer" not in repr(prepared.outline)
    assert prepared.traces == (trace,)


def test_names_and_keys_hold_no_secret_and_still_tell_things_apart():
    def trace(key: str) -> Trace:
        payload = TracePayload("a question", "an answer", tool_calls=(ToolCall(KEY),))
        facts = TraceFacts("s", key, f"c-{KEY}", prompts=(PromptInForce("generic", KEY),), outcome_evidence=KEY)
        return Trace(payload, session_id=KEY, persona_id=KEY, workspace_id=KEY, model=KEY, task_shape=KEY, facts=facts)

    traces = (trace(f"{KEY}-1"), trace(f"{KEY}-2"), trace("plain"))
    turns = tuple(Turn(Role.USER, "a question", t.facts.source_key, trace_key=t.facts.source_key) for t in traces)
    prepared = prepare(Conversation("s", f"c-{KEY}", traces, turns, parent=KEY, title=KEY), Redactor(b"k" * 32))
    assert KEY not in repr(prepared)
    keys = [t.facts.source_key for t in prepared.traces]
    assert len(set(keys)) == 3
    assert keys[2] == "plain"
    assert [turn.trace_key for turn in prepared.outline.turns] == keys
    assert {t.facts.conversation for t in prepared.traces} == {prepared.outline.key}
    assert prepared.traces[0].model == preparing.Redactor(b"k" * 32).text(KEY)
