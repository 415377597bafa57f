"""Targets whose texts belong together, from the command line: one run, one step live, one step back."""

from __future__ import annotations

import json

import pytest

from honeyguide.prompts.joined import Joined
from honeyguide.prompts.targets import TargetKind, TargetRef

SUPPORT = TargetRef(TargetKind.PERSONA, "support")
ORDERS = TargetRef(TargetKind.TOOL, "search_orders")
BOTH = Joined((SUPPORT, ORDERS))
NEW_TOOL = (
    "Finds orders of the shop.\n"
    "Use it whenever the person asks about one order or about several, before you answer from memory.\n"
    "Arguments: customer (a mail address), status (open, sent, returned), since, order_number, sort.\n"
    "Returns rows with number, date, status and total, newest first.\n"
    "order_id holds digits only; since is an ISO date.\n"
    "An empty result is an answer too: say so."
)


def texts(cli):
    return [cli("targets", "show", str(ref), "--json").json["text"] for ref in BOTH.refs]


@pytest.fixture
def proposed(cli, tmp_path):
    """A hand-written change of both texts, measured and waiting."""
    persona, _ = texts(cli)
    persona = persona.replace("- Always be the best you can be.\n", "- Ask for the order number first.\n")
    persona = persona.replace("- Remember that quality matters.\n", "")
    file = tmp_path / "both.txt"
    file.write_text(BOTH.join([persona, NEW_TOOL]), encoding="utf-8")
    said = cli("evolve", "support", "--with", "search_orders", "--candidate", file, "--json")
    assert (said.exit_code, said.json["outcome"]) == (0, "proposed"), said.out
    return said.json


def test_a_search_changes_both_texts_and_proves_them_at_once(cli):
    plan = cli("plan", "support", "--with", "search_orders", "--json").json
    assert (plan["ready"], plan["together"]) == (True, [str(ORDERS)])
    result = cli("evolve", "support", "--with", "search_orders", "--json").json
    assert (result["outcome"], result["verification"]["outcome"]) == ("proposed", "verified_improvement")
    shown = cli("runs", "show", result["uuid"], "--json").json
    assert shown["receipt"] == {"stale": False, "reasons": []}
    assert shown["verification"]["receipt"]["parts"]["together"] == f"{SUPPORT}, {ORDERS}"
    assert [text["target"] for text in shown["texts"]] == [str(SUPPORT), str(ORDERS)]
    assert all(text["before"] != text["after"] for text in shown["texts"])
    assert BOTH.split(shown["winner_text"]) == tuple(text["after"] for text in shown["texts"])
    size = next(gate for gate in shown["gateReasons"] if gate["gate"] == "size")
    limits = [size["detail"]["texts"][str(ref)]["detail"]["max"] for ref in BOTH.refs]
    assert limits == [3000, 500]


def test_both_files_go_live_and_back_in_one_step(cli, folder, proposed):
    uuid, before = proposed["uuid"], texts(cli)
    diff = cli("runs", "diff", uuid, "--json").json
    numbers = [hunk["n"] for hunk in diff["hunks"]]
    assert [hunk["n"] for text in diff["texts"] for hunk in text["hunks"]] == numbers
    assert cli("runs", "accept", uuid, "--note", "both", "--json").json["status"] == "deployed"
    assert texts(cli) == [text["after"] for text in diff["texts"]]
    written = json.loads((folder / "tool-overrides" / "search_orders.json").read_text(encoding="utf-8"))
    assert written["description"] == NEW_TOOL
    versions = {ref: cli("versions", "list", str(ref), "--json").json["versions"] for ref in BOTH.refs}
    assert [v["together"] for v in versions[SUPPORT]] == [[], [f"{ORDERS}#2"]]
    assert [v["together"] for v in versions[ORDERS]] == [[], [f"{SUPPORT}#2"]]
    assert {v[1]["run_uuid"] for v in versions.values()} == {uuid}

    back = cli("versions", "rollback", "search_orders", "--json").json
    assert back["together"] == [f"{SUPPORT}#3"]
    assert texts(cli) == before
    assert not (folder / "personas" / "support.json").exists()

    again = cli("versions", "rollback", "support", "--to", 2, "--json").json
    assert again["together"] == [f"{ORDERS}#4"]
    assert texts(cli) == [text["after"] for text in diff["texts"]]


def test_some_changes_of_some_texts_can_be_accepted(cli, folder, proposed):
    uuid, before = proposed["uuid"], texts(cli)
    last = cli("runs", "diff", uuid, "--json").json["texts"][1]["hunks"][0]["n"]
    assert cli("runs", "accept", uuid, "--hunks", last, "--note", "the tool", "--json").json["status"] == "deployed"
    assert texts(cli) == [before[0], NEW_TOOL]
    assert not (folder / "personas" / "support.json").exists()
    shown = cli("runs", "show", uuid, "--json").json
    assert [text["version"] for text in shown["texts"]] == [None, 2]


def test_a_change_of_any_one_of_the_texts_is_noticed(cli, folder, proposed):
    uuid = proposed["uuid"]
    cli("versions", "backup", "search_orders")
    override = folder / "tool-overrides" / "search_orders.json"
    override.parent.mkdir(exist_ok=True)
    base = json.loads((folder / "base" / "tools" / "search_orders.json").read_text(encoding="utf-8"))
    base["description"] = base["description"].replace("newest first.", "oldest first.")
    override.write_text(json.dumps(base), encoding="utf-8")

    refused = cli("runs", "accept", uuid, "--note", "x", "--json")
    assert (refused.exit_code, refused.json["error"]["code"]) == (4, "stale")
    assert not (folder / "personas" / "support.json").exists()
    shown = cli("runs", "show", uuid, "--json").json
    assert shown["status"] == "proposed"
    assert "search_orders" in " ".join(shown["receipt"]["reasons"])


def test_what_others_changed_in_one_text_is_merged(cli, folder, proposed):
    uuid = proposed["uuid"]
    override = folder / "tool-overrides" / "search_orders.json"
    override.parent.mkdir(exist_ok=True)
    base = json.loads((folder / "base" / "tools" / "search_orders.json").read_text(encoding="utf-8"))
    base["description"] = base["description"].replace("Finds orders of the shop.", "Finds all orders of the shop.")
    override.write_text(json.dumps(base), encoding="utf-8")
    accepted = cli("runs", "accept", uuid, "--merge", "--note", "merged", "--json")
    assert accepted.json["status"] == "deployed", accepted.out
    assert texts(cli)[1] == NEW_TOOL.replace("Finds orders", "Finds all orders")


def test_each_text_keeps_its_own_limits(cli, tmp_path):
    file = tmp_path / "long.txt"
    persona, tool = texts(cli)
    file.write_text(BOTH.join([persona, tool + "\n" + "Look twice. " * 30]), encoding="utf-8")
    said = cli("evolve", "support", "--with", "search_orders", "--candidate", file, "--json").json
    assert said["outcome"] == "skipped-gates"
    failed = next(gate for gate in said["gateResults"] if gate["verdict"] == "fail")
    assert (failed["gate"], failed["reason"].split(":")[0]) == ("size", "search_orders")
    verdicts = [failed["detail"]["texts"][str(ref)]["verdict"] for ref in BOTH.refs]
    assert verdicts == ["pass", "fail"]


def test_targets_stand_together_until_a_person_parts_them(cli):
    joined = cli("targets", "join", "support", "--with", "search_orders", "--json").json
    assert joined == {"target": "support", "together": [str(ORDERS)]}
    assert cli("targets", "show", "support", "--json").json["together"] == [str(ORDERS)]
    assert cli("plan", "support", "--json").json["together"] == [str(ORDERS)]
    assert "together" not in cli("plan", "support", "--alone", "--json").json
    assert "together" not in cli("plan", "search_orders", "--json").json
    assert cli("targets", "part", "support", "--json").json["together"] == []
    assert "together" not in cli("plan", "support", "--json").json


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("plan", "support", "--with", "nobody"), 3),
        (("plan", "support", "--with", "search_orders", "--alone"), 2),
        (("targets", "join", "support"), 2),
        (("targets", "part", "support", "--with", "search_orders"), 2),
    ],
)
def test_what_cannot_stand_together_is_refused_in_one_sentence(cli, arguments, code):
    said = cli(*arguments, "--json")
    assert said.exit_code == code
    assert said.json["error"]["message"]
