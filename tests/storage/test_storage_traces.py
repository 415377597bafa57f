"""Traces: a recorder's writes, guarded outcomes, filters, import of what is known, search, deletion."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Store, StoredTraces
from honeyguide.storage.fulltext import fts5_query
from honeyguide.storage.records import CorrectionDraft, TraceFilter, TraceLink
from honeyguide.traces.outcomes import may_become
from honeyguide.traces.recorder import TraceRecorder
from honeyguide.traces.records import (
    GateResultNote,
    HarnessContext,
    PromptInForce,
    ReasoningStep,
    TokenCounts,
    ToolCall,
    Trace,
    TraceFacts,
    TraceOutcome,
    TracePayload,
)
from honeyguide.traces.redaction import Redactor

CODER = TargetRef(TargetKind.PERSONA, "coder")


def said(text: str, output: str = "", **fields) -> Trace:
    return Trace(TracePayload(input=text, output=output), **fields)


def from_source(key: str, text: str = "question", output: str = "answer", **fields) -> Trace:
    facts = TraceFacts(source="claude-code", source_key=key, conversation=fields.pop("conversation", "c1"))
    fields.setdefault("created_at", "2026-03-01T10:00:00Z")
    return Trace(TracePayload(input=text, output=output), facts=facts, **fields)


def insert(store, *traces: Trace) -> list[int]:
    return store.write_now(lambda unit: [unit.traces.insert(trace).id for trace in traces])


def inputs(store, wanted: TraceFilter, **page) -> list[str]:
    return [t.payload.input for t in store.read_now(lambda unit: unit.traces.query(wanted, **page))]


# --- what is stored comes back


def test_a_trace_comes_back_as_it_was_stored(store):
    trace = Trace(
        payload=TracePayload(
            input="Wie geht das?",
            output="So.",
            reasoning=(ReasoningStep("hm", "2026-01-01T00:00:00.000Z"),),
            tool_calls=(ToolCall("read", {"path": "a"}, {"lines": [1, None]}, True, 12, None),),
            artifacts=("a.txt",),
            tokens=TokenCounts(10, 20, 5, None),
            harness=HarnessContext("h", "p1", "build", (GateResultNote("lint", False, "long line"),)),
            tags=("x",),
        ),
        outcome=TraceOutcome.SUCCESS,
        session_id="s",
        persona_id="coder",
        workspace_id="w",
        model="m",
        task_shape="qa",
        cost_usd=0.25,
        duration_ms=900,
        created_at="2026-01-01T10:00:00.000Z",
        finalized_at="2026-01-01T10:00:01.000Z",
        facts=TraceFacts(
            source="codex",
            source_key="k1",
            conversation="c",
            turn=3,
            project=r"C:\work",
            prompts=(PromptInForce("skill-body", "pdf", "ab" * 32, True), PromptInForce("house", "rules")),
            outcome_detail="latency",
            outcome_evidence="rating",
            never_send=True,
        ),
    )
    (trace_id,) = insert(store, trace)
    assert store.read_now(lambda unit: unit.traces.get(trace_id)) == replace(trace, id=trace_id)


@given(st.text(st.characters(), max_size=60), st.text(st.characters(), max_size=60))
def test_any_text_survives_storing_even_lone_surrogates_and_nul(store, question, answer):
    payload = TracePayload(input=question, output=answer, tool_calls=(ToolCall("t", {question: answer}),))
    (trace_id,) = insert(store, Trace(payload, session_id=question))
    assert store.read_now(lambda unit: unit.traces.get(trace_id)).payload == payload


@pytest.mark.parametrize(("cost", "duration"), [(None, None), (0.0, 0), (0.5, 12)])
def test_unknown_cost_and_duration_are_told_from_zero(store, cost, duration):
    (trace_id,) = insert(store, said("q", cost_usd=cost, duration_ms=duration))
    stored = store.read_now(lambda unit: unit.traces.get(trace_id))
    (row,) = store.read_now(lambda unit: unit.traces.rows())
    assert (stored.cost_usd, stored.duration_ms) == (cost, duration)
    assert (row.cost_usd, row.duration_ms) == (cost, duration)


# --- a recorder's writes


@pytest.fixture
def recorder(store, clock) -> TraceRecorder:
    return TraceRecorder(StoredTraces(store), Redactor(b"k" * 32), clock=clock)


def test_a_recorded_run_is_stored_as_it_happens_and_linked_to_its_prompts(store, recorder, clock):
    prompts = [PromptInForce("skill-body", "pdf", "ab" * 32, True)]
    with recorder.start("Refund order 7", persona_id="coder", conversation="c9", prompts=prompts) as run:
        call = run.start_tool_call("lookup", {"order": 7, "api_key": "sk-ant-api03-" + "x" * 40})
        run.complete_tool_call(call, {"paid": True})
        recorder.flush(run.trace_id)
        half = store.read_now(lambda unit: unit.traces.get(run.trace_id))
        clock.advance(2.5)
        run.finish("Refunded.")
    (whole,) = store.read_now(lambda unit: unit.traces.query(TraceFilter(target=TargetRef(TargetKind.SKILL, "pdf"))))
    assert (half.outcome, len(half.payload.tool_calls)) == (P, 1)
    assert (whole.outcome, whole.payload.output, whole.duration_ms) == (S, "Refunded.", 2500)
    assert whole.payload.tool_calls[0].result == {"paid": True}
    assert "sk-ant" not in repr(whole)
    assert inputs(store, TraceFilter(target=CODER, conversation="c9")) == ["Refund order 7"]
    names = [event.name for event in store.events_since(0) if event.name.startswith("trace:")]
    assert names == ["trace:stored", "trace:appended", "trace:ended"]


def test_recording_into_a_trace_that_was_deleted_meanwhile_says_so(store, recorder):
    run = recorder.start("q")
    asyncio.run(store.forget([run.trace_id]))
    with pytest.raises(NotFound, match="deleted meanwhile"):
        run.finish("a")


def test_of_two_who_end_a_trace_at_once_one_is_told_of_the_other(store, recorder):
    run = recorder.start("q")
    store.write_now(lambda unit: unit.traces.mark_corrected(run.trace_id, "no"))
    with pytest.raises(Conflict, match="somebody else"):
        run.finish("a")
    assert store.read_now(lambda unit: unit.traces.get(run.trace_id)).outcome is C


P, S, C, A, V = (
    TraceOutcome.PENDING, TraceOutcome.SUCCESS, TraceOutcome.CORRECTED, TraceOutcome.ABANDONED, TraceOutcome.VERIFIED,
)  # fmt: skip


@pytest.mark.parametrize("wanted", [P, S, C, A, V])
@pytest.mark.parametrize("present", [P, S, C, A, V])
def test_an_outcome_changes_only_as_the_room_of_traces_allows(store, present, wanted):
    (trace_id,) = insert(store, said("q", outcome=present))
    trace = store.read_now(lambda unit: unit.traces.get(trace_id))

    def change(unit):
        return unit.traces.update(trace_id, replace(trace, outcome=wanted), present)

    if may_become(present, wanted) or present is wanted:
        assert store.write_now(change) is True
    else:
        with pytest.raises(Conflict):
            store.write_now(change)
        assert store.read_now(lambda unit: unit.traces.get(trace_id)).outcome is present


@pytest.mark.parametrize("outcome", [P, S, A, V])
def test_a_person_may_correct_any_trace_and_it_is_ended_then(store, outcome):
    (trace_id,) = insert(store, said("q", outcome=outcome))
    corrected = store.write_now(lambda unit: unit.traces.mark_corrected(trace_id, "wrong tone"))
    stored = store.read_now(lambda unit: unit.traces.get(trace_id))
    assert stored == corrected
    assert (stored.outcome, stored.payload.correction_feedback) == (C, "wrong tone")
    assert stored.facts.outcome_evidence == "person"
    assert stored.finalized_at is not None
    assert store.read_now(lambda unit: unit.traces.search("tone")).total == 1


@pytest.mark.parametrize(("outcome", "allowed"), [(P, True), (S, True), (V, False), (A, False), (C, False)])
def test_verified_needs_a_trace_that_nobody_corrected_or_abandoned(store, outcome, allowed):
    (trace_id,) = insert(store, said("q", outcome=outcome))
    if allowed:
        verified = store.write_now(lambda unit: unit.traces.mark_verified(trace_id, "verifier"))
        assert (verified.outcome, verified.facts.outcome_evidence) == (V, "verifier")
    else:
        with pytest.raises(Conflict):
            store.write_now(lambda unit: unit.traces.mark_verified(trace_id, "verifier"))


# --- asking


@pytest.mark.parametrize(
    ("since", "found"),
    [
        ("2026-04-01T00:00:00Z", 3),
        ("2026-04-01", 3),
        ("2026-04-01 00:00:00", 3),
        ("2026-04-01T02:00:00+02:00", 3),
        ("2026-04-01T12:00:00.001Z", 1),
        ("2026-04-03", 0),
    ],
)
def test_since_means_the_same_moment_in_every_spelling(store, since, found):
    moments = ("2026-04-01 00:00:00", "2026-04-01T12:00:00Z", "2026-04-02T02:00:00+02:00")
    insert(store, *(said(moment, created_at=moment) for moment in moments))
    assert store.read_now(lambda unit: unit.traces.count(TraceFilter(since=since))) == found


def test_a_since_that_is_no_moment_is_refused(store):
    with pytest.raises(InvalidInput, match="not a date"):
        store.read_now(lambda unit: unit.traces.query(TraceFilter(since="last week")))


def test_filters_narrow_and_the_newest_comes_first(store):
    insert(
        store,
        said("old", created_at="2026-01-01", persona_id="coder", outcome=S, session_id="s1"),
        said("new", created_at="2026-01-03", persona_id="coder", outcome=C, session_id="s2"),
        said("other", created_at="2026-01-02", persona_id="writer", outcome=S, workspace_id="w"),
    )
    assert inputs(store, TraceFilter()) == ["new", "other", "old"]
    assert inputs(store, TraceFilter(), limit=1, offset=1) == ["other"]
    assert inputs(store, TraceFilter(persona_id="coder")) == ["new", "old"]
    assert inputs(store, TraceFilter(target=CODER, outcomes=(S,))) == ["old"]
    assert inputs(store, TraceFilter(target=TargetRef(TargetKind.SKILL, "coder"))) == []
    assert inputs(store, TraceFilter(conversation="s2")) == ["new"]
    assert inputs(store, TraceFilter(workspace_id="w", session_id="s1")) == []
    assert inputs(store, TraceFilter(since="2026-01-02", until="2026-01-03")) == ["other"]


def test_outcome_counts_hold_all_five_keys_and_ignore_the_outcome_filter(store):
    insert(store, said("a", outcome=S), said("b", outcome=S), said("c", outcome=C))
    counts = store.read_now(lambda unit: unit.traces.outcome_counts(TraceFilter(outcomes=(A,))))
    assert counts == {P: 0, S: 2, C: 1, A: 0, V: 0}


def test_an_inferred_link_never_replaces_an_exact_one(store):
    (trace_id,) = insert(store, said("q", persona_id="coder"))
    skill = TargetRef(TargetKind.SKILL, "pdf")
    links = [TraceLink(CODER, "inferred", False), TraceLink(skill, "inferred", False)]
    assert store.write_now(lambda unit: unit.traces.link(trace_id, links)) == 1
    assert inputs(store, TraceFilter(target=skill)) == ["q"]
    kept = store.read_now(lambda unit: {(r.target_name, r.how, r.exact) for r in unit.traces.links(trace_id)})
    assert kept == {("coder", "persona", True), ("pdf", "inferred", False)}


def test_a_folder_can_be_marked_never_to_be_sent(store):
    secret = replace(from_source("k1"), facts=TraceFacts("claude-code", "k1", "c1", project="/secret"))
    insert(store, secret, said("open"))
    marked = store.write_now(lambda unit: unit.traces.set_never_send(TraceFilter(project="/secret"), True))
    assert marked == 1
    assert inputs(store, TraceFilter(sendable=True)) == ["open"]


# --- import


def store_all(store, *traces: Trace, **options):
    return store.write_now(lambda unit: unit.trace_import.store(traces, **options))


def test_importing_again_adds_nothing(store):
    batch = [from_source(f"k{n}") for n in range(5)]
    first, again = store_all(store, *batch), store_all(store, *batch)
    assert (first.imported, first.known, first.updated) == (5, 0, 0)
    assert (again.imported, again.known, again.updated) == (0, 5, 0)
    assert again.ids == first.ids
    assert store.read_now(lambda unit: unit.traces.count()) == 5


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_more_complete_copy_wins_in_either_order(store, order):
    copies = [from_source("k", output="half"), from_source("k", output="half and the rest", outcome=S)]
    results = [store_all(store, copies[i]) for i in order]
    (trace,) = store.read_now(lambda unit: unit.traces.query())
    assert trace.payload.output == "half and the rest"
    assert results[1].updated + results[1].known == 1


def test_of_equally_complete_copies_the_newer_wins(store):
    store_all(store, from_source("k", output="aaaa", finalized_at="2026-03-01T10:00:01Z", outcome=S))
    store_all(store, from_source("k", output="bbbb", finalized_at="2026-03-01T10:00:02Z", outcome=S))
    late = store_all(store, from_source("k", output="cccc", finalized_at="2026-03-01T10:00:01Z", outcome=S))
    assert late.known == 1
    assert [t.payload.output for t in store.read_now(lambda unit: unit.traces.query())] == ["bbbb"]


def test_a_copy_within_one_batch_is_counted_once(store):
    counts = store_all(store, from_source("k"), from_source("k"))
    assert (counts.imported, counts.known, len(set(counts.ids))) == (1, 1, 1)


def test_what_a_person_said_here_outlives_a_more_complete_copy(store):
    (trace_id,) = store_all(store, from_source("k")).ids
    store.write_now(lambda unit: unit.traces.mark_corrected(trace_id, "wrong"))
    store.write_now(lambda unit: unit.traces.set_never_send(TraceFilter(), True))
    assert store_all(store, from_source("k")).known == 1
    counts = store_all(store, from_source("k", output="a much longer answer than before", outcome=S))
    trace = store.read_now(lambda unit: unit.traces.get(trace_id))
    assert counts.updated == 1
    assert (trace.outcome, trace.payload.correction_feedback, trace.facts.never_send) == (C, "wrong", True)
    assert trace.payload.output.startswith("a much longer")


def test_replace_known_takes_a_shorter_copy_after_the_redaction_rules_changed(store):
    store_all(store, from_source("k", text="my key is sk-123456789"))
    assert store_all(store, from_source("k", text="my key is <key>")).known == 1
    assert store_all(store, from_source("k", text="my key is <key>"), replace_known=True).updated == 1
    assert store.read_now(lambda unit: unit.traces.search("123456789")).total == 0


def test_import_keeps_conversations_with_their_time_span(store):
    store_all(
        store,
        from_source("a", conversation="c1", created_at="2026-03-02"),
        from_source("b", conversation="c1", created_at="2026-03-01"),
        from_source("c", conversation="c2", created_at="2026-03-05"),
    )
    newest, oldest = store.read_now(lambda unit: unit.conversations.list())
    assert (newest.key, newest.traces) == ("c2", 1)
    assert (oldest.first_at[:10], oldest.last_at[:10], oldest.traces) == ("2026-03-01", "2026-03-02", 2)


def test_a_long_import_is_cut_into_batches_and_tells_its_progress(store):
    batch = [from_source(f"k{n}") for n in range(900)]
    seen = []
    counts = asyncio.run(store.import_traces(batch, on_stored=seen.append))
    assert counts.imported == 900
    assert [c.imported for c in seen] == [400, 400, 100]
    assert len(set(counts.ids)) == 900


# --- search


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("refund", True),
        ("REFUND policy", True),
        ("polic", True),
        ("polic ", False),
        ('"refund policy"', True),
        ('"policy refund"', False),
        ("policy refund", True),
        ("refund unicorn", False),
        ("Strasse", False),
        ("Straße", True),
        ("cafe", True),
        ("退款政策", True),
        ("政策", True),
        ("策", True),
        ("款退", False),
        ("返品", True),
        ("คืนเงิน", True),
        ("возврат", True),
        ("too polite", True),
        ("send_mail", True),
        ("timeout", True),
        ("", False),
        ("*", False),
        ('"', False),
        ("a OR b", False),
        ("input:refund", False),
        ("NEAR(refund policy)", False),
    ],
)
def test_search_finds_words_in_any_language_and_takes_nothing_for_syntax(store, words, found):
    payload = TracePayload(
        input="What is the refund policy? Straße, café. 退款政策是什么 返品したい การคืนเงิน Возврат",
        output="Thirty days.",
        tool_calls=(ToolCall("send_mail", {"to": "x"}, "error: timeout"),),
        correction_feedback="too polite",
    )
    insert(store, Trace(payload), said("something else"))
    page = store.read_now(lambda unit: unit.traces.search(words))
    assert (page.total > 0) is found


@given(st.text(max_size=40))
def test_whatever_is_typed_becomes_a_query_that_the_index_accepts(words):
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        query = fts5_query(words)
        if query:
            connection.execute("SELECT rowid FROM t WHERE t MATCH ?", (query,)).fetchall()


def test_search_ranks_filters_pages_and_shows_the_place(store):
    insert(
        store,
        said("refund refund refund", persona_id="coder"),
        said("a long question about many things and, near its end, about a refund " + "x " * 300),
        said("refund", outcome=S),
    )
    page = store.read_now(lambda unit: unit.traces.search("refund", limit=2))
    assert page.total == 3
    assert len(page.hits) == 2
    only = store.read_now(lambda unit: unit.traces.search("refund", TraceFilter(outcomes=(S,))))
    assert [hit.row.preview for hit in only.hits] == ["refund"]
    rest = store.read_now(lambda unit: unit.traces.search("many refund"))
    assert "many things" in rest.hits[0].excerpt
    assert len(rest.hits[0].excerpt) < 200


def test_a_recorded_trace_is_found_by_its_output_and_its_tools(store, recorder):
    with recorder.start("q") as run:
        run.complete_tool_call(run.start_tool_call("grep"), "needle")
        run.finish("zebra")
    for word in ("zebra", "needle", "grep"):
        assert store.read_now(lambda unit, w=word: unit.traces.search(w)).total == 1


# --- deletion


SECRET = "quokka7741"


def test_a_deleted_trace_is_gone_from_every_byte_of_the_workspace(store, tmp_path):
    doomed = from_source("doomed", text=f"tell me about {SECRET}", conversation=f"{SECRET}-talk")
    kept = from_source("kept", text="harmless", conversation="c2")
    doomed_id, kept_id = store_all(store, doomed, kept).ids
    draft = CorrectionDraft(doomed_id, "cue-words", "next-turn", 0, 5, SECRET, context=f"no, {SECRET}!")
    store.write_now(lambda unit: unit.corrections.suggest([draft]))
    store.write_now(lambda unit: unit.traces.mark_corrected(doomed_id, f"not {SECRET}"))

    forgotten = asyncio.run(store.forget([doomed_id, 999]))

    assert (forgotten.traces, forgotten.corrections, forgotten.compacted) == (1, 1, True)
    assert [t.id for t in store.read_now(lambda unit: unit.traces.query())] == [kept_id]
    assert [c.key for c in store.read_now(lambda unit: unit.conversations.list())] == ["c2"]
    assert store.read_now(lambda unit: unit.traces.search(SECRET)).total == 0
    assert store.read_now(lambda unit: unit.traces.search("harmless")).total == 1
    for file in store.path.parent.iterdir():
        assert SECRET.encode() not in file.read_bytes(), file.name
    store.check()


def test_deleting_from_a_large_index_leaves_no_word_behind(store):
    for start in range(0, 600, 20):
        store_all(store, *(from_source(f"k{n}", text=f"word{n} common") for n in range(start, start + 20)))
    (doomed,) = [hit.row.id for hit in store.read_now(lambda unit: unit.traces.search("word333")).hits]
    asyncio.run(store.forget([doomed]))
    content = b"".join(file.read_bytes() for file in store.path.parent.iterdir())
    assert b"word333" not in content
    assert b"word334 common" in content
    assert store.read_now(lambda unit: unit.traces.search("common")).total == 599
    store.check()


def test_a_deletion_that_a_crash_broke_off_is_finished_after_the_next_open(store):
    (trace_id,) = store_all(store, from_source("k", text=SECRET)).ids
    store.write_now(lambda unit: unit.forgetting.traces([trace_id]))
    with Store.open(store.path) as again:
        done = [asyncio.run(again.finish_forgetting()) for _ in range(2)]
    assert done == [True, False]
    assert all(SECRET.encode() not in file.read_bytes() for file in store.path.parent.iterdir())


def test_a_deleted_trace_is_not_brought_back_by_an_import(store):
    (trace_id,) = store_all(store, from_source("k")).ids
    asyncio.run(store.forget([trace_id]))
    again = store_all(store, from_source("k"), from_source("k2"))
    assert (again.imported, again.forgotten, again.ids[0]) == (1, 1, 0)


def test_deleting_nothing_changes_nothing(store):
    before = store.events_since(0)
    assert asyncio.run(store.forget([1, 2])).traces == 0
    assert store.events_since(0) == before
