"""Corrections, feedback, datasets, evidence, candidates, looks, targets, versions, calls, files."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from honeyguide.evals.examples import CheckSpec, Dataset, Drop, Example, ExpectationRole
from honeyguide.evals.verdicts import Evaluation, JudgeScore, Verdict
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage.records import (
    AttemptRecord,
    CallRecord,
    CandidateRecord,
    CorrectionDraft,
    CorrectionState,
    FeedbackRecord,
    ImportedFile,
    TargetRecord,
    VersionRecord,
)
from honeyguide.traces.records import Trace, TracePayload

CODER = TargetRef(TargetKind.PERSONA, "coder")


def insert_trace(store, text: str = "q", persona: str | None = "coder") -> int:
    return store.write_now(lambda unit: unit.traces.insert(Trace(TracePayload(input=text), persona_id=persona))).id


def start_attempt(store, uuid: str = "u1") -> None:
    store.write_now(lambda unit: unit.attempts.start(AttemptRecord(uuid, "persona-system-prompt", "coder")))


# --- corrections


def suggest(store, *drafts: CorrectionDraft) -> int:
    return store.write_now(lambda unit: unit.corrections.suggest(drafts))


def test_a_suggestion_is_stored_once_and_a_verdict_survives_finding_it_again(store):
    trace_id = insert_trace(store)
    draft = CorrectionDraft(
        trace_id, "cue-words", "next-turn", 3, 8, "wrong", "no, wrong answer", "en", "must be right"
    )
    assert (suggest(store, draft, draft), suggest(store, draft)) == (1, 0)
    (found,) = store.read_now(lambda unit: unit.corrections.list(state=CorrectionState.SUGGESTED))
    assert found.span_text == found.context[4:9] or found.span_text == "wrong"
    store.write_now(lambda unit: unit.corrections.confirm(found.id, "must name the year"))
    suggest(store, draft)
    (confirmed,) = store.read_now(lambda unit: unit.corrections.of_trace(trace_id))
    assert (confirmed.state, confirmed.edit_text) == ("confirmed", "must name the year")


def test_corrections_are_narrowed_by_state_detector_and_target(store):
    coder, writer = insert_trace(store), insert_trace(store, persona="writer")
    suggest(store, *(CorrectionDraft(t, d, "p", 0, 1, "x") for t in (coder, writer) for d in ("a", "b")))
    ids = [c.id for c in store.read_now(lambda unit: unit.corrections.list())]
    store.write_now(lambda unit: unit.corrections.dismiss(ids[0]))

    def count(**wanted):
        return store.read_now(lambda unit: unit.corrections.count(**wanted))

    assert count() == 4
    assert count(target=CODER) == 2
    assert count(detector="a") == 2
    assert count(state=CorrectionState.DISMISSED) == 1
    assert count(target=CODER, state=CorrectionState.SUGGESTED) == 2


def test_precision_of_a_detector_counts_verdicts_only(store):
    trace_id = insert_trace(store)
    suggest(store, *(CorrectionDraft(trace_id, "cue-words", "p", n, n + 1, "x") for n in range(4)))
    ids = [c.id for c in store.read_now(lambda unit: unit.corrections.list())]
    (before,) = store.read_now(lambda unit: unit.corrections.detectors())
    assert before.precision is None
    store.write_now(lambda unit: [unit.corrections.confirm(i) for i in ids[:1]])
    store.write_now(lambda unit: [unit.corrections.dismiss(i) for i in ids[1:3]])
    (after,) = store.read_now(lambda unit: unit.corrections.detectors())
    assert (after.suggested, after.confirmed, after.dismissed) == (1, 1, 2)
    assert after.precision == pytest.approx(1 / 3)


def test_a_verdict_can_be_taken_back_and_is_a_decision(store):
    suggest(store, CorrectionDraft(insert_trace(store), "a", "p", 0, 1, "x"))
    store.write_now(lambda unit: unit.corrections.dismiss(1))
    assert store.write_now(lambda unit: unit.corrections.reopen(1)).decided_at is None
    decided = store.read_now(lambda unit: unit.decisions.list(subject_kind="correction"))
    assert [d.decision for d in decided] == ["suggested", "dismissed"]
    with pytest.raises(NotFound):
        store.write_now(lambda unit: unit.corrections.confirm(99))


# --- feedback


def test_feedback_keeps_its_id_and_a_change_that_comes_too_late_is_refused(store):
    item = FeedbackRecord("fb-1", "flow", "review", "too chatty", expected="short")
    store.write_now(lambda unit: unit.feedback.add(item))
    with pytest.raises(Conflict):
        store.write_now(lambda unit: unit.feedback.add(item))
    targeted = replace(item, state="targeted", run_uuid="u1")
    assert store.write_now(lambda unit: unit.feedback.save(targeted, expected_state="open")).state == "targeted"
    with pytest.raises(Conflict, match="targeted by now"):
        store.write_now(lambda unit: unit.feedback.save(replace(item, state="dismissed"), expected_state="open"))
    assert store.read_now(lambda unit: unit.feedback.counts()) == {
        "open": 0, "targeted": 1, "resolved": 0, "dismissed": 0,
    }  # fmt: skip


def test_forgotten_feedback_is_gone_from_every_byte(store):
    store.write_now(lambda unit: unit.feedback.add(FeedbackRecord("fb-1", "flow", "review", "numbat8812 leaked")))
    asyncio.run(store.forget_with(lambda unit: unit.feedback.forget("fb-1")))
    assert store.read_now(lambda unit: unit.feedback.list()) == ()
    assert all(b"numbat8812" not in file.read_bytes() for file in store.path.parent.iterdir())


# --- datasets, evaluations, candidates


def example(n: int, trace_id: int | None = None) -> Example:
    return Example(
        id=f"e{n}",
        input=f"question {n}",
        expected="must be polite",
        role=ExpectationRole.RUBRIC,
        rejected="rude",
        checks=(CheckSpec("contains", "please", "polite"), CheckSpec("max-length", 200)),
        conversation=f"c{n}",
        metadata={"traceId": trace_id, "tags": ["x"]},
    )


def dataset(*trace_ids: int | None) -> Dataset:
    ids = trace_ids or (None, None, None)
    return Dataset((example(1, ids[0]),), (example(2, ids[1]),), (example(3, ids[2]),), seed=4, sourced=9,
                   drops=(Drop("secret", "sk-…"), Drop("secret", "x"), Drop("duplicate", "y")))  # fmt: skip


def test_a_dataset_comes_back_with_the_same_hash_and_is_stored_once(store):
    original = dataset()
    for _ in range(2):
        record = store.write_now(lambda unit: unit.datasets.save(original, CODER))
    loaded = store.read_now(lambda unit: unit.datasets.load(original.dataset_hash))
    assert loaded.dataset_hash == original.dataset_hash
    assert loaded.holdout == original.holdout
    assert (record.dropped, record.sourced, record.seed) == ({"duplicate": 1, "secret": 2}, 9, 4)
    assert len(store.read_now(lambda unit: unit.datasets.list(CODER))) == 1
    with pytest.raises(NotFound):
        store.read_now(lambda unit: unit.datasets.load("0" * 64))


def judged(example_id: str, overall: float | None, answer: str = "a", repetition: int = 0) -> Evaluation:
    score = None if overall is None else JudgeScore(overall, overall, overall, overall, 1.0, overall)
    reason = "judge-unparseable" if overall is None else ""
    return Evaluation(example_id, answer, Verdict(score, f"said of {answer}", reason, "raw"), repetition)


def test_evaluations_come_back_as_they_were_scored_or_unscored(store):
    start_attempt(store)
    batch = [judged("e1", 0.5), judged("e1", None, repetition=1), judged("e2", 0.0)]
    saved = [store.write_now(lambda unit: unit.evaluations.save("u1", "holdout", "baseline", batch)) for _ in range(2)]
    assert saved == [3, 0]
    assert store.read_now(lambda unit: unit.evaluations.of("u1", "holdout", "baseline")) == tuple(batch)


def test_evidence_shows_both_answers_with_mean_scores_in_the_datasets_order(store):
    start_attempt(store)
    sealed = dataset()

    def keep(unit):
        unit.attempts.note("u1", dataset_hash=unit.datasets.save(sealed, CODER).dataset_hash)
        before = [judged("e3", 0.2, "old"), judged("e3", 0.4, "old2", 1), judged("e2", None, "old")]
        unit.evaluations.save("u1", "holdout", "baseline", before)
        after = [judged("e3", 0.9, "new"), judged("e3", None, "new2", 1), judged("e2", 0.5, "new")]
        unit.evaluations.save("u1", "holdout", "candidate", after)

    store.write_now(keep)
    rows = {
        r.example_id: r for r in store.read_now(lambda unit: unit.evaluations.evidence("u1", "baseline", "candidate"))
    }
    assert list(rows) == ["e3", "e2"]
    assert rows["e3"].change == pytest.approx(0.6)
    assert (rows["e3"].before, rows["e3"].after, rows["e3"].unscored) == ("old", "new", 1)
    assert rows["e2"].change is None


def test_deleting_a_trace_takes_its_examples_and_answers_and_names_the_runs_that_quote_it(store):
    doomed, kept = insert_trace(store, "wombat5521"), insert_trace(store, "harmless")
    start_attempt(store)
    quoting = dataset(kept, kept, doomed)

    def keep(unit):
        unit.attempts.note("u1", dataset_hash=unit.datasets.save(quoting, CODER).dataset_hash)
        unit.evaluations.save("u1", "holdout", "baseline", [judged("e3", 0.5, "wombat5521 indeed"), judged("e2", 0.5)])

    store.write_now(keep)
    forgotten = asyncio.run(store.forget([doomed]))
    assert (forgotten.examples, forgotten.evaluations) == (1, 1)
    assert forgotten.dataset_hashes == (quoting.dataset_hash,)
    assert forgotten.run_uuids == ("u1",)
    assert store.read_now(lambda unit: unit.datasets.require(quoting.dataset_hash)).removed == 1
    assert all(b"wombat5521" not in file.read_bytes() for file in store.path.parent.iterdir())


def test_candidates_keep_their_lineage(store):
    start_attempt(store)
    family = [
        CandidateRecord("instruction", "g0-baseline", "old"),
        CandidateRecord("instruction", "g1-m1", "newer", "g0-baseline", "tighten-format", 1, scores={"overall": 0.7}),
        CandidateRecord("instruction", "g2-m0", "newest", "g1-m1", "reduce-length", 2, on_front=True),
        CandidateRecord("schema", "g1-x", "s", schema={"name": "n"}, complexity=2.5, gate_results=({"gate": "size"},)),
    ]
    for _ in range(2):
        store.write_now(lambda unit: unit.candidates.save("u1", family))
    line = store.read_now(lambda unit: unit.candidates.lineage("u1", "g2-m0"))
    assert [c.candidate_id for c in line] == ["g0-baseline", "g1-m1", "g2-m0"]
    assert store.read_now(lambda unit: unit.candidates.count("u1")) == 4
    (schema,) = store.read_now(lambda unit: unit.candidates.of("u1", stage="schema"))
    assert (schema.schema, schema.complexity, schema.gate_results) == ({"name": "n"}, 2.5, [{"gate": "size"}])


def test_each_candidate_that_looks_at_a_holdout_gets_the_next_number_and_a_resumed_one_its_own(store):
    ids = [f"e{n}" for n in range(20)]

    def look(measurement: str, examples=ids) -> int:
        return store.write_now(lambda unit: unit.verifications.take_look(measurement, examples, "u1")).number

    assert [look("a"), look("b"), look("a"), look("c")] == [1, 2, 1, 3]
    assert look("d", [f"x{n}" for n in range(20)]) == 1
    assert len(store.read_now(lambda unit: unit.verifications.ledger()).looks) == 4


# --- targets, versions


def test_a_target_is_registered_once_by_kind_and_name(store):
    skill = TargetRecord(
        "skill-body", "pdf", "/home/ada/skills/pdf/SKILL.md", {"part": "body"}, "utf-8-sig", {"eol": "crlf"}
    )
    added = store.write_now(lambda unit: unit.targets.add(skill))
    assert replace(added, added_at="") == skill
    with pytest.raises(Conflict, match="already a target skill-body:pdf"):
        store.write_now(lambda unit: unit.targets.add(skill))
    store.write_now(lambda unit: unit.targets.add(replace(skill, kind="command")))
    moved = store.write_now(lambda unit: unit.targets.update(replace(skill, path="/elsewhere")))
    assert (moved.path, moved.added_at) == ("/elsewhere", added.added_at)
    store.write_now(lambda unit: unit.targets.remove("command", "pdf"))
    assert [t.kind for t in store.read_now(lambda unit: unit.targets.list())] == ["skill-body"]
    with pytest.raises(NotFound):
        store.write_now(lambda unit: unit.targets.remove("command", "pdf"))


@pytest.mark.parametrize("name", ["../../x", "a/b", "", ".hidden", "a\0b"])
def test_a_name_that_could_leave_a_folder_is_refused(store, name):
    with pytest.raises(InvalidInput):
        store.write_now(lambda unit: unit.targets.add(TargetRecord("skill-body", name, "/x")))


def test_passages_are_locked_once_and_unlocked_by_their_id(store):
    first = store.write_now(lambda unit: unit.targets.lock(CODER, "Never give legal advice."))
    again = store.write_now(lambda unit: unit.targets.lock(CODER, "Never give legal advice."))
    assert first == again
    with pytest.raises(InvalidInput):
        store.write_now(lambda unit: unit.targets.lock(CODER, "  \n"))
    other = TargetRef(TargetKind.PERSONA, "writer")
    with pytest.raises(NotFound):
        store.write_now(lambda unit: unit.targets.unlock(other, first.id))
    store.write_now(lambda unit: unit.targets.unlock(CODER, first.id))
    assert store.read_now(lambda unit: unit.targets.locks(CODER)) == ()


def test_the_index_of_versions_can_be_made_anew_from_the_files(store):
    def version(n: int, run: str | None = None) -> VersionRecord:
        return VersionRecord(
            "persona-system-prompt", "coder", n, f"{n}" * 64, "2026-01-01T00:00:00.000Z", "accepted", run
        )

    store.write_now(lambda unit: unit.versions.add(version(9)))
    store.write_now(lambda unit: unit.versions.replace(CODER, [version(1), version(2, "u1")]))
    assert [v.n for v in store.read_now(lambda unit: unit.versions.list(CODER))] == [1, 2]
    assert store.read_now(lambda unit: unit.versions.of_run("u1")).n == 2
    assert store.read_now(lambda unit: unit.versions.of_run("u2")) is None


# --- calls, files, settings


def call(seq: int, journal: str = "u1") -> CallRecord:
    at = "2026-01-01T00:00:00.000Z"
    return CallRecord(journal, seq, f"{seq:064x}", "anthropic", "m", "judge", "ok", at, 12, 5, 7, cost_usd=0.01)


def test_calls_are_indexed_in_batches_that_may_overlap(store):
    new = [store.write_now(lambda unit, b=b: unit.calls.index([call(s) for s in b])) for b in ([0, 1], [1, 2], [])]
    assert new == [2, 1, 0]
    assert store.read_now(lambda unit: unit.calls.of("u1")) == tuple(call(s) for s in range(3))
    assert store.read_now(lambda unit: (unit.calls.last_seq("u1"), unit.calls.last_seq("u2"))) == (2, -1)
    store.write_now(lambda unit: unit.calls.rebuild("u1", [call(0)]))
    assert store.read_now(lambda unit: unit.calls.last_seq("u1")) == 0


def test_files_and_settings_are_kept_by_their_key(store):
    file = ImportedFile("/h/a.jsonl", "codex", 10, 5, 7, "a" * 64, "b" * 64, 3, [{"problem": "broken-json"}])
    store.write_now(lambda unit: unit.imported_files.put(file))
    store.write_now(lambda unit: unit.imported_files.put(replace(file, size=20)))
    known = store.read_now(lambda unit: unit.imported_files.all())
    assert known["/h/a.jsonl"].size == 20
    assert store.read_now(lambda unit: unit.imported_files.get("/h/b.jsonl")) is None
    store.write_now(lambda unit: unit.settings.put("detectors.off", ["a"]))
    assert store.read_now(lambda unit: unit.settings.get("detectors.off")) == ["a"]
    assert store.write_now(lambda unit: (unit.settings.remove("detectors.off"), unit.settings.remove("x"))) == (
        True,
        False,
    )


def test_prompt_texts_stay_while_a_trace_refers_to_them(store):
    from honeyguide.kernel.canonical import sha256_hex
    from honeyguide.traces.records import PromptInForce, TraceFacts

    digest = sha256_hex("You are kind.")
    facts = TraceFacts(prompts=(PromptInForce("persona-system-prompt", "coder", digest, True),))
    trace_id = store.write_now(lambda unit: unit.traces.insert(Trace(TracePayload(input="q"), facts=facts))).id
    store.write_now(
        lambda unit: unit.conversations.keep_prompt_texts([("persona-system-prompt", "coder", "You are kind.")])
    )
    assert store.read_now(lambda unit: unit.conversations.prompt_text(digest)) == "You are kind."
    asyncio.run(store.forget([trace_id]))
    assert store.read_now(lambda unit: unit.conversations.prompt_text(digest)) is None
