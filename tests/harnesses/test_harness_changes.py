"""Changing a harness: layout kept, gates, the queue, applying in whole or in part, going back, crashes."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.examples import Example
from honeyguide.harnesses.changes.applying import Approval, apply
from honeyguide.harnesses.changes.drafting import DraftFailed, draft, plan_draft, problem_with
from honeyguide.harnesses.changes.editing import with_counter, with_values
from honeyguide.harnesses.changes.gate import gate, hiveloom_gate
from honeyguide.harnesses.changes.going_back import roll_back, set_values
from honeyguide.harnesses.changes.proposal import Malformed, Proposal, read_proposal
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.changes.requests import draft_request
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.metrics import parse_metric
from honeyguide.harnesses.evidence.plain_words import PlainWords
from honeyguide.harnesses.evidence.report import build_report, nothing_to_evolve
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.frozen import ALWAYS_FROZEN
from honeyguide.harnesses.spec.reading import parse_document
from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput, NotFound, PolicyRefused, Stale
from honeyguide.llm.prices import FreeQuote
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest
from honeyguide.versions import Actor, Deployer, VersionStore
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.harness_views import HarnessHome
from tests.fakes.harness_folders import SPEC, Scribe, write_folder

ACTOR = Actor("tester", "command-line")
MODEL = ModelRef("practice", "strong")
AT = "2026-03-01T12:00:00.000Z"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


@pytest.fixture
def deployer(tmp_path: Path, root: Path) -> Deployer:
    return Deployer(VersionStore(tmp_path / "workspace" / "versions"), [root])


def proposal(*changes: tuple[str, Any], code: dict[str, str] | None = None) -> Proposal:
    return Proposal.model_validate(
        {
            "rationale": "say the drawer first",
            "target": {"signal": "success_rate", "expect": "increase"},
            "yaml_changes": [{"path": path, "value": value} for path, value in changes],
            "code_changes": [{"file": file, "source": source} for file, source in (code or {}).items()],
        }
    )


def queued(root: Path, what: Proposal, id: str = "prop_1") -> QueuedProposal:
    harness = Harness.open(root)
    judged = gate(harness.spec, harness.document.data, what)
    row = QueuedProposal(
        id, harness.identity, harness.version, f"key-{id}", "pending", "manual", what.rationale, AT, what.to_json(),
        judged.to_json(),
    )  # fmt: skip
    Queue(harness.ours).add(row)
    return row


def apply_row(root: Path, row: QueuedProposal, deployer: Deployer, approval: Approval | None = None):
    harness = Harness.open(root)
    return apply(harness, row, Queue(harness.ours), deployer, ACTOR, AT, approval or Approval())


NEW_PROMPT = "You answer questions at a desk.\nBegin with the number of the drawer.\n"


# --- editing


def test_everything_but_the_change_stays_as_it_was():
    edited = with_values(SPEC, [("system_prompt", NEW_PROMPT), ("loop.max_turns", 9)])
    kept = [line for line in SPEC.splitlines() if line not in ("  Say which drawer holds the answer.",)]
    assert [line for line in edited.splitlines() if line in kept] == kept
    assert "description: Answers questions at a desk   # one line" in edited
    assert edited.endswith("loop:\n  max_turns: 9\n")
    assert parse_document(edited).data["system_prompt"] == NEW_PROMPT


@pytest.mark.parametrize(
    "odd",
    [
        "name:   'x'\ndescription: \"d\"\nsystem_prompt: s\ntools:\n    - {builtin: file_read}\n\n\n# end\n",
        "name: x\r\ndescription: d # why\r\nsystem_prompt: s\r\n",
        "---\nname: x\ndescription: >-\n  folded\n  text\nsystem_prompt: s\nlist:   [ 1,2 ,  3 ]\n",
        "name: x\ndescription: d\nsystem_prompt: s\n" + "long: " + "word " * 60 + "\n",
    ],
)
def test_odd_layouts_keep_every_other_line(odd):
    edited = with_values(odd, [("system_prompt", "t")])
    assert edited == odd.replace("system_prompt: s", "system_prompt: t")


@given(prompt=st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), max_size=80))
def test_any_prompt_reads_back_as_it_was_set(prompt):
    data = parse_document(with_values(SPEC, [("system_prompt", prompt)])).data
    assert data["system_prompt"] == prompt
    assert data["name"] == "desk-clerk"


@pytest.mark.parametrize("text", ["# evolved: 4\nname: x\n", "name: x\n# evolved: 4  yes\n", "# a\n#evolved:4\n"])
def test_the_counter_changes_where_it_stands(text):
    counted = with_counter(text, 5)
    assert parse_document(counted).evolved == 5
    assert counted.count("evolved") == 1


def test_a_path_that_does_not_fit_is_refused():
    with pytest.raises(InvalidInput):
        with_values(SPEC, [("tools.9.builtin", "x")])


# --- gate


def judge(root: Path, *changes: tuple[str, Any], code: dict[str, str] | None = None, inputs: list[Example] = []):  # noqa: B006
    harness = Harness.open(root)
    return gate(harness.spec, harness.document.data, proposal(*changes, code=code), inputs)


@pytest.mark.parametrize("path", ALWAYS_FROZEN)
def test_a_frozen_path_its_parents_and_what_is_below_are_refused_in_any_case(root, path):
    parent = path.rpartition(".")[0]
    for one in filter(None, (path, path.upper(), f"{path}.deeper", parent)):
        assert judge(root, (one, "x")).rejected[0].reason == "frozen path"


def test_only_the_mutable_set_may_change(root):
    assert judge(root, ("verify.validators", [])).rejected[0].reason == "not in the mutable set"
    assert judge(root, ("loop.max_turns", 7)).accepted[0].path == "loop.max_turns"


def test_one_invalid_change_takes_the_whole_batch_with_it(root):
    judged = judge(root, ("system_prompt", "Fine."), ("loop.max_turns", -1))
    assert judged.accepted == ()
    assert all("loop.max_turns" in r.reason for r in judged.rejected)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (("tools.+", {"builtin": "http_get", "hosts": ["a.example"]}), "tool"),
        (("tools.+", {"builtin": "file_write"}), "tool"),
        (("tools.+", {"code": "validators/tone.py:check", "description": "d"}), "tool"),
        (("delegation.enabled", True), "delegation"),
    ],
)
def test_more_power_needs_an_approval_of_its_own(root, change, kind):
    judged = judge(root, change)
    assert [c.kind for c in judged.capabilities][:1] == [kind]
    assert judged.accepted


def test_widening_an_allowlist_and_forgetting_lessons_are_capabilities(tmp_path):
    spec = SPEC.replace("- builtin: file_read", "- builtin: shell\n  commands: [wc -l a.txt]") + (
        "memory:\n  entries:\n  - {id: a, kind: rule, title: t, content: c}\n"
    )
    root = write_folder(tmp_path / "h", spec)
    wider = judge(root, ("tools.1.commands", ["wc -l a.txt", "cat /etc/passwd"]))
    assert [(c.kind, "cat /etc/passwd" in c.sentence) for c in wider.capabilities] == [("allowlist", True)]
    assert [c.kind for c in judge(root, ("memory.entries", [])).capabilities] == ["memory"]


def test_code_behind_a_frozen_guardrail_is_named(tmp_path):
    spec = SPEC.replace("  value: 0.5\n", "  value: 0.5\n- code: validators/tone.py:check\n")
    judged = judge(write_folder(tmp_path / "h", spec), code={"validators/tone.py": "def check(a, b): return True\n"})
    assert [(c.path, c.kind) for c in judged.capabilities] == [("validators/tone.py", "code")]


@pytest.mark.parametrize("file", ["../x.py", "/etc/x.py", ".git/hooks/x", "harness.yaml", ".env", "a/.hiveloom/b.py"])
def test_code_outside_the_folder_or_in_hidden_places_is_refused(root, file):
    assert judge(root, code={file: "x = 1\n"}).code_changes == ()


def test_changes_that_change_nothing_or_too_much_are_refused(root):
    same = parse_document(SPEC).data["system_prompt"]
    assert judge(root, ("system_prompt", same)).rejected[0].reason == "it changes nothing"
    assert "more than" in judge(root, ("system_prompt", "x" * 7000)).rejected[0].reason


def test_a_prompt_that_repeats_a_recorded_input_is_refused(root):
    seen = Example("r1", "Please find the blue stapler that Mrs Abernathy lost in room 4711", "", conversation="r1")
    leaking = "When asked for the blue stapler that Mrs Abernathy lost in room 4711 say drawer 2."
    assert "repeats a recorded input" in judge(root, ("system_prompt", leaking), inputs=[seen]).rejected[0].reason
    assert judge(root, ("system_prompt", "Name the drawer first."), inputs=[seen]).rejected == ()


def test_a_reply_is_read_from_prose_and_a_cut_one_is_not():
    good = 'I think: {"rationale": "r", "yaml_changes": [{"path": "system_prompt", "value": "x"}]} done.'
    assert isinstance(read_proposal(good), Proposal)
    assert isinstance(read_proposal(good[:60]), Malformed)
    bad = read_proposal('{"rationale": "r", "yaml_changes": [{"value": "SECRET"}]}')
    assert isinstance(bad, Malformed)
    assert "SECRET" not in bad.problem


# --- queue and applying


def test_applying_keeps_layout_counts_and_records_old_and_new(root, deployer):
    before = Harness.open(root).version
    row = queued(root, proposal(("system_prompt", NEW_PROMPT)))
    result = apply_row(root, row, deployer)
    harness = Harness.open(root)
    assert (result.old_version, result.new_version, result.counter) == (before, harness.version, 1)
    assert harness.document.text.startswith("# evolved: 1\n# A small desk clerk.\n")
    assert "# one line" in harness.document.text
    (evolution,) = Queue(harness.ours).evolutions()
    assert (evolution["old_version_hash"], evolution["proposal_id"]) == (before, row.id)
    assert Queue(harness.ours).get(row.id).status == "applied"


def test_applying_twice_is_a_conflict_and_an_unknown_one_is_not_found(root, deployer):
    row = queued(root, proposal(("system_prompt", NEW_PROMPT)))
    apply_row(root, row, deployer)
    with pytest.raises(Conflict, match="already applied"):
        apply_row(root, row, deployer)
    with pytest.raises(NotFound):
        Queue(Harness.open(root).ours).get("prop_nope")


def test_a_stale_proposal_says_so_and_stays_pending(root, deployer):
    row = queued(root, proposal(("system_prompt", NEW_PROMPT)))
    set_values(Harness.open(root), [("description", "Another")], deployer, ACTOR, AT)
    with pytest.raises(Stale):
        apply_row(root, row, deployer)
    again = Queue(Harness.open(root).ours).get(row.id)
    assert again.status == "pending"
    assert again.to_json(Harness.open(root).version)["stale"] is True


def test_a_lesson_does_not_age_and_gets_a_free_id(root, deployer):
    lesson = {"id": "drawers", "kind": "rule", "title": "Drawers", "content": "Count from the left."}
    first = queued(root, proposal(("memory.entries.+", lesson)), "prop_1")
    other = {**lesson, "content": "Count from the top."}
    second = queued(root, proposal(("memory.entries.+", other)), "prop_2")
    third = queued(root, proposal(("memory.entries.+", lesson)), "prop_3")
    apply_row(root, first, deployer)
    apply_row(root, second, deployer)
    assert [e.id for e in Harness.open(root).spec.memory.entries] == ["drawers", "drawers-2"]
    with pytest.raises(Conflict, match="already"):
        apply_row(root, third, deployer)


CODE = {"validators/tone.py": "def check(run_output, run_context):\n    return {'passed': True}\n"}


def test_code_waits_for_its_own_approval_and_the_rest_is_applied(root, deployer):
    row = queued(root, proposal(("system_prompt", NEW_PROMPT), code=CODE))
    first = apply_row(root, row, deployer)
    assert (first.to_json()["pending_code"], first.status) == (["validators/tone.py"], "pending")
    waiting = Queue(Harness.open(root).ours).get(row.id)
    assert (waiting.status, waiting.remaining) == ("pending", ("validators/tone.py",))
    with pytest.raises(Conflict, match="own approval"):
        apply_row(root, waiting, deployer)
    second = apply_row(root, waiting, deployer, Approval(code=frozenset(CODE)))
    assert (second.code, second.counter, second.status) == (("validators/tone.py",), 2, "applied")
    assert (root / "validators/tone.py").read_text() == CODE["validators/tone.py"]


def test_a_capability_waits_for_its_own_approval(root, deployer):
    row = queued(root, proposal(("tools.+", {"builtin": "file_write"}), ("loop.max_turns", 9)))
    assert apply_row(root, row, deployer).remaining == ("tools.+",)
    waiting = Queue(Harness.open(root).ours).get(row.id)
    apply_row(root, waiting, deployer, Approval(capabilities=frozenset({"tools.+"})))
    assert "file_write" in Harness.open(root).spec.tool_names


def test_code_that_breaks_the_folder_is_refused_and_nothing_changes(root, deployer):
    row = queued(root, proposal(("system_prompt", NEW_PROMPT), code={"validators/tone.py": "def check(x):\n  oops("}))
    before = {p: p.read_bytes() for p in root.rglob("*.*") if ".hiveloom" not in p.parts}
    with pytest.raises(GateRefused, match="not valid Python"):
        apply_row(root, row, deployer, Approval(code=frozenset({"validators/tone.py"})))
    assert {p: p.read_bytes() for p in root.rglob("*.*") if ".hiveloom" not in p.parts} == before
    assert Queue(Harness.open(root).ours).get(row.id).status == "pending"


def test_going_back_restores_every_byte_and_the_counter_goes_on(root, deployer):
    original = (root / "harness.yaml").read_bytes()
    first = Harness.open(root).version
    apply_row(
        root, queued(root, proposal(("system_prompt", NEW_PROMPT), code=CODE)), deployer, Approval(frozenset(CODE))
    )
    harness = Harness.open(root)
    back = roll_back(harness, first, Queue(harness.ours), deployer, ACTOR, AT)
    assert (back.new_version, (root / "harness.yaml").read_bytes()) == (first, original)
    again = apply_row(root, queued(root, proposal(("loop.max_turns", 9)), "prop_2"), deployer)
    assert again.counter == 2
    with pytest.raises(NotFound):
        roll_back(Harness.open(root), "000000000000", Queue(harness.ours), deployer, ACTOR, AT)


def test_the_counter_survives_edits_by_hand(root, deployer):
    (root / "harness.yaml").write_text("# evolved: 4\n" + SPEC)
    set_values(Harness.open(root), [("loop.max_turns", 7)], deployer, ACTOR, AT)
    assert Harness.open(root).document.evolved == 4
    assert apply_row(root, queued(root, proposal(("system_prompt", NEW_PROMPT))), deployer).counter == 5


def test_setting_something_invalid_changes_nothing(root, deployer):
    with pytest.raises(InvalidInput):
        set_values(Harness.open(root), [("loop.max_turns", 0)], deployer, ACTOR, AT)
    assert (root / "harness.yaml").read_text() == SPEC


@pytest.mark.parametrize("was_written", [False, True])
def test_a_crash_while_applying_is_settled_by_what_the_folder_is(root, deployer, was_written):
    row = queued(root, proposal(("system_prompt", NEW_PROMPT)))
    harness = Harness.open(root)
    queue = Queue(harness.ours)
    text = with_counter(with_values(SPEC, [("system_prompt", NEW_PROMPT)]), 1)
    other = write_folder(root.parent / "other", text)
    intent = {
        "intent_id": "prop_1:1", "new_version_hash": Harness.open(other).version, "result": {"changed": True},
        "remaining": [], "evolution": {"intent_id": "prop_1:1", "counter": 1},
    }  # fmt: skip
    queue.put(replace(row, status="applying", intent=intent))
    if was_written:
        (root / "harness.yaml").write_text(text)
    (settled,) = queue.recover(lambda: Harness.open(root).version, AT)
    assert settled.status == ("applied" if was_written else "pending")
    assert len(queue.evolutions()) == int(was_written)
    assert queue.recover(lambda: Harness.open(root).version, AT) == []


def test_the_same_state_is_queued_once_and_rejecting_twice_is_a_conflict(root):
    queue = Queue(Harness.open(root).ours)
    row = queued(root, proposal(("system_prompt", NEW_PROMPT)))
    assert queue.add(replace(row, id="prop_9")) == (row, False)
    queue.reject(row.id, "not worth it", AT, {"who": "t"})
    with pytest.raises(Conflict, match="already rejected"):
        queue.reject(row.id, "again", AT, {})
    assert queue.add(replace(row, id="prop_9"))[1] is True


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


@pytest.mark.parametrize("edited_since", [False, True])
def test_a_half_change_is_taken_back_also_where_its_record_is_not_at_hand(root, deployer, tmp_path, edited_since):
    code = "def check(run_output, run_context):\n    return True\n"
    before = {name: (root / name).read_bytes() for name in ("harness.yaml", "validators/tone.py")}
    row = queued(root, proposal(("system_prompt", "New.\n"), code={"validators/tone.py": code}))
    queue = Queue(Harness.open(root).ours)

    class Crashed(BaseException):
        pass

    class Half:
        def deploy(self, changes, actor, *, note):
            (root / "validators/tone.py").write_text(code)
            queue.put = lambda row: row  # a crash runs no handler
            raise Crashed

    with pytest.raises(Crashed):
        apply(Harness.open(root), row, queue, Half(), ACTOR, AT, Approval(frozenset({"validators/tone.py"})))
    if edited_since:
        (root / "validators/tone.py").write_text("def check(o, c):\n    return False\n")
    home = HarnessHome.alone({}, tmp_path / "another state")
    recovered(home, root)
    left = Queue(Harness.open(root).ours).get(row.id)
    assert left.status == "pending"
    assert (root / "harness.yaml").read_bytes() == before["harness.yaml"]
    is_back = (root / "validators/tone.py").read_bytes() == before["validators/tone.py"]
    assert is_back is not edited_since
