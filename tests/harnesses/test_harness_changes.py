"""Changing a harness: layout kept, gates, the queue, applying in whole or in part, going back, crashes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.evals.examples import Example
from honeyguide.harnesses.changes.applying import Approval, apply
from honeyguide.harnesses.changes.editing import with_counter, with_values
from honeyguide.harnesses.changes.gate import gate
from honeyguide.harnesses.changes.going_back import roll_back, set_values
from honeyguide.harnesses.changes.proposal import Malformed, Proposal, read_proposal
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.frozen import ALWAYS_FROZEN
from honeyguide.harnesses.spec.reading import parse_document
from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput, NotFound, Stale
from honeyguide.versions import Actor, Deployer, VersionStore
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.harness_views import HarnessHome
from tests.fakes.harness_folders import SPEC, write_folder

ACTOR = Actor("tester", "command-line")
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
