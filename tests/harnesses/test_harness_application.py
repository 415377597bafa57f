"""Evolving, running and looking through the application, end to end, with a scripted model."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import (
    Conflict,
    GateRefused,
    PolicyRefused,
    Untrusted,
)
from tests.fakes.harness_app import GOOD, ORIGIN, App, evolve, failing
from tests.fakes.harness_folders import SPEC, Scribe, write_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


# --- evolving


def test_a_draft_is_queued_with_its_gate_and_the_same_state_is_paid_for_once(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    first = evolve(app, root)
    again = evolve(app, root)
    assert (first.is_new, again.is_new, again.proposal_id) == (True, False, first.proposal_id)
    assert app.provider.drafted == 1
    data = first.document.to_json()
    assert [c["path"] for c in data["gate"]["accepted"]] == ["system_prompt"]
    assert data["gate"]["rejected"] == [{"path": "guardrails", "reason": "frozen path"}]
    assert (data["proof"]["state"], data["status"], data["trigger"]) == ("unproven", "pending", "manual")


def test_with_excerpts_on_asking_twice_still_pays_once_and_the_queue_holds_no_payload(tmp_path, state):
    root = write_folder(tmp_path / "h", SPEC + "evolution:\n  trace_excerpts: {enabled: true}\n")
    Scribe(root).run("verify_failed", task="find the XYLOPHONE-4711", feedback=["no"], output="XYLOPHONE-4711")
    app = App(state, json.dumps(GOOD))
    assert evolve(app, root).proposal_id == evolve(app, root).proposal_id
    assert app.provider.drafted == 1
    assert "XYLOPHONE-4711" in app.provider.asked[0].messages[0].content
    stored = "".join(p.read_text() for p in (root / ".hiveloom" / "honeyguide").rglob("*.json"))
    assert "XYLOPHONE" not in stored
    assert '"digest"' in stored


def test_nothing_to_evolve_asks_no_model(root, state):
    Scribe(root).run()
    app = App(state)
    data = evolve(app, root).document.to_json()
    assert (data["changed"], app.provider.asked) == (False, [])
    assert data["reason"].startswith("no failures recorded for the current harness version")


def test_a_draft_of_frozen_paths_alone_is_refused(root, state):
    failing(root)
    only = {**GOOD, "yaml_changes": [{"path": "model.id", "value": "x"}]}
    with pytest.raises(GateRefused, match="frozen path"):
        evolve(App(state, json.dumps(only)), root)


def test_replaying_recorded_inputs_proves_the_change_before_the_queue(root, state):
    scribe = Scribe(root)
    for number in range(18):
        scribe.run("verify_failed", task=f"Where is thing number {number}?", feedback=["output must match"])
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    before = (root / "harness.yaml").read_bytes()
    proof = evolve(app, root, replay=16).document.to_json()["proof"]
    assert (proof["outcome"], proof["wins"], proof["losses"], proof["n"]) == ("verified_improvement", 16, 0, 16)
    assert (root / "harness.yaml").read_bytes() == before
    assert len(list((root / ".hiveloom/traces").glob("*.jsonl"))) == 18


def test_the_receipt_of_a_replay_holds_while_the_draft_is_live_and_says_what_changed_later(root, state):
    failing(root, 4)
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    id = evolve(app, root, replay=3).proposal_id

    def shown() -> dict:
        return asyncio.run(app.evolving.proposal(root, id)).to_json()

    trials = shown()["proof"]["trials"]
    assert [(t["current"], t["proposal"], t["had_failed"]) for t in trials] == [("verify_failed", "success", True)] * 3
    assert shown()["receipt_state"]["state"] == "current"
    asyncio.run(app.evolving.apply(root, id, ORIGIN))
    assert shown()["receipt_state"]["state"] == "current"
    for journal in (root / ".hiveloom/traces").glob("*.jsonl"):
        journal.unlink()
    found = shown()["receipt_state"]
    assert (found["state"], found["changed"]) == ("stale", {"inputs": "The recorded inputs changed since."})
    spec = root / "harness.yaml"
    spec.write_text(spec.read_text().replace("drawer", "shelf", 1))
    assert set(shown()["receipt_state"]["changed"]) == {"baseline", "inputs"}


def test_an_untrusted_folder_is_not_replayed_and_says_so(root, state):
    failing(root)
    proof = evolve(App(state, json.dumps(GOOD)), root, replay=3).document.to_json()["proof"]
    assert proof["state"] == "unproven"
    assert "trusted" in proof["because"]


def test_the_budget_ends_a_replay_and_is_no_failure_of_the_change(root, state):
    failing(root, 20)
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    proof = evolve(app, root, replay=12, max_calls=12).document.to_json()["proof"]
    assert (proof["stopped"], proof["losses"]) == ("budget", 0)
    assert 0 < proof["n"] < 12


def test_a_paid_model_needs_an_agreement_and_gets_a_plan(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    app.home.registry().costs_money = lambda ref: True  # type: ignore[method-assign]
    with pytest.raises(PolicyRefused) as refused:
        evolve(app, root)
    assert refused.value.details["plan"]["calls"] == {"low": 1, "high": 3}
    assert evolve(app, root, confirmed=True).is_new


def test_apply_reject_and_roll_back_through_the_application(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD), json.dumps(GOOD))
    original = (root / "harness.yaml").read_bytes()
    first = evolve(app, root)
    done = asyncio.run(app.evolving.apply(root, first.proposal_id, ORIGIN)).to_json()
    assert (done["changed"], done["counter"], done["status"]) == (True, 1, "applied")
    shown = asyncio.run(app.evolving.proposal(root, first.proposal_id)).to_json()
    assert shown["decided_by"] == {"who": "tester", "how": "python"}
    assert (
        asyncio.run(app.evolving.rollback(root, None, ORIGIN)).to_json()["new_version_hash"] == done["old_version_hash"]
    )
    assert (root / "harness.yaml").read_bytes() == original
    with pytest.raises(Conflict):
        asyncio.run(app.evolving.reject(root, first.proposal_id, "late", ORIGIN))


def test_applying_keeps_the_trust_of_who_decided(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    asyncio.run(app.evolving.apply(root, evolve(app, root).proposal_id, ORIGIN))
    app.home.trust.require(Harness.open(root))


# --- running and drafting by itself


AUTO = SPEC + "evolution:\n  auto_propose: {enabled: true, min_failures: 2, cooldown_hours: 1}\n"


def run(app: App, root: Path, text: str = "Where are the pens?"):
    return asyncio.run(app.running.run(root, text))


def test_a_run_is_ingested_and_nothing_is_drafted_where_it_is_switched_off(root, state):
    app = App(state, json.dumps(GOOD))
    with pytest.raises(Untrusted):
        run(app, root)
    app.trust(root)
    done = run(app, root)
    assert (done.document.to_json()["status"], done.exit_code, done.drafted) == ("verify_failed", 1, ())
    assert app.provider.drafted == 0
    assert asyncio.run(app.harnesses.stats(root)).to_json()["total_runs"] == 1


def test_enough_failures_of_the_live_version_draft_once_within_the_cooldown(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state, json.dumps(GOOD), json.dumps(GOOD))
    app.trust(root)
    drafted = [run(app, root, f"Where is number {n}?").drafted for n in range(4)]
    assert [len(d) for d in drafted] == [0, 1, 0, 0]
    (row,) = Queue(Harness.open(root).ours).all()
    assert (row.trigger, row.status, row.apply_result) == ("auto", "pending", None)
    assert app.provider.drafted == 1


def test_a_folder_nobody_trusts_does_not_spend_money_by_switching_drafting_on(tmp_path, state):
    auto = "evolution:\n  auto_propose: {enabled: true, min_failures: 1}\n"
    plain = "name: h\nid: hl-1\ndescription: d\nsystem_prompt: p\n"
    plain += "verify: {validators: [{builtin: regex_match, pattern: x}]}\n"
    root = write_folder(tmp_path / "h", plain + auto, {})
    app = App(state, json.dumps(GOOD))
    registry = app.home.registry()
    registry.costs_money = lambda ref: ref.model != "claude-haiku-4-5"
    assert asyncio.run(app.running.run(root, "x")).drafted == ()
    assert app.provider.drafted == 0
    app.trust(root)
    assert len(asyncio.run(app.running.run(root, "x")).drafted) == 1


def test_an_accident_while_drafting_leaves_the_run_as_it_was(tmp_path, state, monkeypatch):
    auto = "evolution:\n  auto_propose: {enabled: true, min_failures: 1}\n"
    root = write_folder(tmp_path / "h", SPEC + auto)
    app = App(state)
    app.trust(root)
    monkeypatch.setattr(app.evolving, "evolve", lambda *given, **more: 1 / 0)
    done = asyncio.run(app.running.run(root, "x"))
    assert (done.exit_code, done.outcome.status, done.drafted) == (1, "verify_failed", ())


def test_useless_drafts_are_braked_and_never_change_a_run(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state)
    app.trust(root)
    codes = [run(app, root, f"Where is number {n}?").exit_code for n in range(4)]
    assert codes == [1, 1, 1, 1]
    assert app.provider.drafted == 3
    (row,) = Queue(Harness.open(root).ours).all()
    assert (row.trigger, row.status) == ("auto", "rejected")


def test_reflection_queues_lessons_for_review(tmp_path, state):
    root = write_folder(tmp_path / "h", SPEC + "evolution:\n  reflect: {enabled: true, 'on': failure}\n")
    lesson = {"lessons": [{"id": "Drawer First", "kind": "rule", "title": "Drawer", "content": "Name it first."}]}
    app = App(state, json.dumps(lesson))
    app.trust(root)
    (drafted,) = run(app, root).drafted
    row = Queue(Harness.open(root).ours).get(drafted)
    assert (row.trigger, row.status, row.dedup_key[:4]) == ("reflect", "pending", "mem:")
    asyncio.run(app.evolving.apply(root, drafted, ORIGIN))
    assert Harness.open(root).spec.memory.entries[0].id == "drawer-first"


# --- looking


def test_the_overview_holds_timeline_clusters_queue_and_padlocks(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    evolve(app, root)
    seen = asyncio.run(app.harnesses.overview(root))
    assert [(row.runs, row.is_live) for row in seen.timeline] == [(3, True)]
    assert seen.timeline[0].interval[0] == 0
    assert ("status", "verify_failed", 3) in [(c.kind, c.signature, c.count) for c in seen.clusters]
    assert [(p.status, p.changes, p.is_stale) for p in seen.proposals] == [("pending", 1, False)]
    locks = {line.text.strip(): line.lock for line in seen.lines}
    assert (locks["value: 0.5"], locks["system_prompt: |"], locks["name: desk-clerk"]) == ("frozen", "mutable", "fixed")


def test_looking_at_a_folder_writes_nothing_into_it(root, state):
    failing(root)
    before = sorted(str(p) for p in root.rglob("*"))
    app = App(state)
    for look in (app.harnesses.stats, app.harnesses.signal, app.harnesses.assess, app.harnesses.overview):
        asyncio.run(look(root))
    asyncio.run(app.evolving.proposals(root))
    assert sorted(str(p) for p in root.rglob("*")) == before


def test_the_same_hash_with_other_helpers_is_said(root, state):
    app = App(state)
    app.trust(root)
    run(app, root)
    assert asyncio.run(app.harnesses.hash(root)).to_json()["disagreement"] is None
    (root / "tools" / "helper.py").write_text("X = 1\n")
    assert "does not cover" in asyncio.run(app.harnesses.hash(root)).to_json()["disagreement"]


def test_the_switch_in_the_environment_stops_everything_automatic(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state, json.dumps(GOOD))
    app.home.environ = {"HONEYGUIDE_EVOLVE": "off"}
    app.trust(root)
    assert [run(app, root, f"Where is number {n}?").drafted for n in range(3)] == [(), (), ()]
