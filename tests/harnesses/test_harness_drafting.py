"""Drafting: what is sent to the strong model, what its reply must be, and objectives."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from honeyguide.harnesses.changes.drafting import DraftFailed, draft, plan_draft, problem_with
from honeyguide.harnesses.changes.gate import hiveloom_gate
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.changes.requests import draft_request
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.metrics import parse_metric
from honeyguide.harnesses.evidence.plain_words import PlainWords
from honeyguide.harnesses.evidence.report import build_report, nothing_to_evolve
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import PolicyRefused
from honeyguide.llm.prices import FreeQuote
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest
from tests.fakes.harness_folders import SPEC, Scribe, write_folder
from tests.harnesses.test_harness_changes import proposal

MODEL = ModelRef("practice", "strong")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


# --- drafting


class Scripted:
    """A model that gives its replies in order and remembers what it was asked."""

    def __init__(self, *replies: str) -> None:
        self.replies = list(replies)
        self.asked: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        return ModelReply(self.replies.pop(0) if self.replies else "")


GOOD = json.dumps(
    {
        "rationale": "r",
        "target": {"signal": "status:verify_failed", "expect": "decrease"},
        "yaml_changes": [{"path": "system_prompt", "value": "Name the drawer first."}],
    }
)


def report_of(root: Path, **more: Any):
    harness = Harness.open(root)
    runs = ingest(harness.trace_dir).of(harness.identity)
    words = PlainWords.of(harness.spec, harness.root, harness.fingerprints)
    return build_report(harness.spec, harness.version, runs, {}, [], harness.trace_dir, words=words, **more)


def test_a_draft_is_corrected_and_then_taken(root):
    scribe = Scribe(root)
    scribe.run("verify_failed", feedback=["no drawer"])
    model = Scripted("no idea", '{"rationale": "r", "yaml_changes": [{"path": "system_prompt", "value": "x"}]}', GOOD)
    found = asyncio.run(draft(Harness.open(root), report_of(root), model, MODEL))
    assert (found.calls, found.gate.accepted[0].path) == (3, "system_prompt")
    assert "no target" in model.asked[2].messages[-1].content


def test_three_useless_replies_are_enough(root):
    Scribe(root).run("max_turns")
    with pytest.raises(DraftFailed):
        asyncio.run(draft(Harness.open(root), report_of(root), Scripted(), MODEL))


def test_evolution_switched_off_is_honoured(tmp_path):
    root = write_folder(tmp_path / "h", SPEC + "evolution:\n  enabled: false\n")
    Scribe(root).run("max_turns")
    with pytest.raises(PolicyRefused):
        asyncio.run(draft(Harness.open(root), report_of(root), Scripted(GOOD), MODEL))


CANARY = "XYLOPHONE-4711"


def journal_with_canary(root: Path) -> None:
    call = [
        ("tool_call", {"name": "open_drawer", "input": {"q": CANARY}, "id": "t"}),
        ("tool_result", {"id": "t", "name": "open_drawer", "content": CANARY, "is_error": True}),
    ]
    Scribe(root).run("verify_failed", task=f"find {CANARY}", output=CANARY, feedback=[f"got '{CANARY}'"], events=call)


def test_without_the_opt_in_no_journal_text_reaches_the_model(root):
    journal_with_canary(root)
    request = draft_request(Harness.open(root).spec, report_of(root), MODEL)
    assert CANARY not in request.system + "".join(m.content for m in request.messages)


@pytest.mark.parametrize(
    ("said", "sent"),
    [
        (f"the drawer {CANARY} is not valid", "the drawer <data>-<num> is not valid"),
        ("no exclamation marks, please", "no exclamation marks, please"),
        ("output must match /^drawer: /", "output must match /^drawer: /"),
        ("Ünïcödé Kunde Meier aus Köln ☎ wants pens", "<data>"),
        ("'pens' is a required property", "<str> is a required property"),
        ("customer Meier owes 12 EUR", "<data> <num> <data>"),
    ],
)
def test_of_a_complaint_only_words_of_the_folder_and_plain_ones_are_sent(root, said, sent):
    harness = Harness.open(root)
    words = PlainWords.of(harness.spec, harness.root, harness.fingerprints)
    assert words.text(said).startswith(sent)


def test_no_word_that_only_a_journal_holds_is_sent_whatever_event_it_stands_in(root):
    word = "xylophonic"
    events = [
        ("tool_call", {"name": word, "input": {word: word}, "id": "t"}),
        ("tool_result", {"id": "t", "name": word, "content": word, "is_error": True}),
        ("tool_retry", {"id": "t", "name": word}),
        ("guardrail_triggered", {"guardrail": word, "kind": "block", "reason": word}),
        ("user_steer", {"content": word}),
        ("playbook_switch", {"to": word, "from": word, "ok": True, "reason": word}),
        ("model_swap_failed", {"requested_model": word, "error": word}),
        ("verification_result", {"verifier": word, "passed": False, "feedback": f"{word} is {word}"}),
    ]
    scribe = Scribe(root)
    for status in ("verify_failed", "verify_failed", "success", word):
        said = [f"{word} was found instead of {word}"]
        run = events if status != "success" else []
        scribe.run(status, task=word, output=word, feedback=said, events=run, reason=word, model=word)
    request = draft_request(Harness.open(root).spec, report_of(root), MODEL)
    sent = request.system + "".join(m.content for m in request.messages)
    assert word not in sent.casefold()
    assert "<data> was found instead of <data>" in sent


OPT_IN = SPEC + "evolution:\n  trace_excerpts:\n    enabled: true\n"


def test_with_the_opt_in_excerpts_go_out_delimited_and_the_receipt_holds_no_payload(tmp_path):
    root = write_folder(tmp_path / "h", OPT_IN)
    journal_with_canary(root)
    report = report_of(root)
    request = draft_request(Harness.open(root).spec, report, MODEL)
    assert CANARY in request.messages[0].content
    assert "[[FAILURES " in request.messages[0].content
    receipt = json.dumps(report.receipt())
    assert CANARY not in receipt
    assert report.excerpts.size <= 32768


def test_the_redaction_policy_comes_before_anything_is_sent_or_counted(tmp_path):
    root = write_folder(tmp_path / "h", OPT_IN)
    journal_with_canary(root)
    (root / "harness.yaml").write_text(OPT_IN + f"logging:\n  redact: ['{CANARY}']\n")
    harness = Harness.open(root)
    runs = [replace(r, version=harness.version) for r in ingest(harness.trace_dir).of(harness.identity)]
    report = build_report(harness.spec, harness.version, runs, {}, [], harness.trace_dir)
    request = draft_request(harness.spec, report, MODEL)
    assert CANARY not in "".join(m.content for m in request.messages)
    assert "[REDACTED]" in request.messages[0].content


@pytest.mark.parametrize("damage", ["missing", "edited"])
def test_a_journal_that_does_not_hold_leaves_its_summary(tmp_path, damage):
    root = write_folder(tmp_path / "h", OPT_IN)
    journal_with_canary(root)
    harness = Harness.open(root)
    runs = ingest(harness.trace_dir).of(harness.identity)
    path = harness.trace_dir / runs[0].trace
    if damage == "missing":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes().replace(b"find", b"lost", 1))
    report = build_report(harness.spec, harness.version, runs, {}, [], harness.trace_dir)
    packets = report.excerpts.packets
    assert packets
    assert all(p["events"] == [] and p["fallback_reason"] and p["summary"] for p in packets)


def test_excerpts_keep_to_the_smaller_budget_and_cover_different_runs(tmp_path):
    tight = OPT_IN + "    max_incidents: 4\n    max_bytes: 4096\n    max_tokens: 256\n    max_event_bytes: 128\n"
    root = write_folder(tmp_path / "h", tight)
    scribe = Scribe(root)
    for number in range(6):
        scribe.run("verify_failed", feedback=["a"] * 4 if number == 5 else ["b"], task="x" * 500)
    excerpts = report_of(root).excerpts
    assert 0 < excerpts.size <= 1024
    assert excerpts.receipt()["estimated_tokens"] <= 256
    assert len({p["run_id"] for p in excerpts.packets}) == len(excerpts.packets)


def test_asking_twice_has_one_key_also_with_excerpts_on(tmp_path):
    root = write_folder(tmp_path / "h", OPT_IN)
    journal_with_canary(root)
    assert report_of(root).dedup_key == report_of(root).dedup_key
    assert report_of(root, notes=["look at drawers"]).dedup_key != report_of(root).dedup_key


def test_recovered_trouble_in_successful_runs_is_nothing_to_evolve_from(root):
    scribe = Scribe(root)
    scribe.run("max_turns", version="aaaaaaaaaaaa")
    scribe.run(events=[("tool_retry", {"id": "t", "name": "x"})])
    report = report_of(root)
    assert report.is_empty
    runs = ingest(scribe.harness.trace_dir).runs
    assert nothing_to_evolve(runs, report.version) == (
        "no failures recorded for the current harness version (1 on earlier versions)"
        " — re-run the harness to collect fresh ones"
    )
    plan = plan_draft(Harness.open(root).spec, report, MODEL, FreeQuote())
    assert [r.code for r in plan.reasons] == ["nothing-to-evolve"]
    assert plan.to_json()["calls"] == {"low": 1, "high": 3}


OBJECTIVES = SPEC + "evolution:\n  objectives:\n  - {metric: tidiness, direction: maximize, floor: 0.5}\n"


def test_objectives_have_to_be_named_with_their_direction(tmp_path):
    root = write_folder(tmp_path / "h", OBJECTIVES)
    harness = Harness.open(root)
    plain = hiveloom_gate(harness.spec, harness.document.data, proposal(("system_prompt", "x")))
    assert plain.rejected[0].path == "objective_expectations"
    wrong = {"objective_expectations": [{"metric": "tidiness", "expected_change": "decrease"}]}
    judged = hiveloom_gate(harness.spec, harness.document.data, Proposal.model_validate(wrong))
    assert judged.rejected[0].reason.endswith("expected_change must be 'increase'")


def test_a_broken_ceiling_must_be_named_and_what_the_evaluator_noted_is_not_sent(tmp_path):
    objectives = (
        "evolution:\n  objectives:\n"
        "  - {metric: review_minutes, direction: minimize, ceiling: 10, unit: min}\n"
        "  - {metric: tidiness, direction: maximize}\n"
    )
    root = write_folder(tmp_path / "h", SPEC + objectives)
    run_id = Scribe(root).run("verify_failed", feedback=["no drawer"])
    noted = {"run_id": run_id, "unit": "min", "metadata": {"reviewer": CANARY}}
    observed = parse_metric({**noted, "name": "review_minutes", "value": 12.5, "direction": "minimize"})
    harness = Harness.open(root)
    runs = ingest(harness.trace_dir).of(harness.identity)
    report = build_report(harness.spec, harness.version, runs, {}, [observed], harness.trace_dir)
    request = draft_request(harness.spec, report, MODEL)
    sent = "".join(m.content for m in request.messages)
    assert "12.5" in sent
    assert CANARY not in sent + json.dumps(report.receipt())
    aimed = {"target": {"signal": "status:verify_failed", "expect": "decrease"}, **json.loads(GOOD)}
    soft = {"objective_expectations": [{"metric": "tidiness", "expected_change": "increase"}]}
    hard = {"objective_expectations": [{"metric": "review_minutes", "expected_change": "decrease"}]}
    assert "review_minutes" in problem_with(harness.spec, report, Proposal.model_validate(aimed | soft))
    assert problem_with(harness.spec, report, Proposal.model_validate(aimed | hard)) == ""
