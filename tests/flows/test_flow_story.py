"""The whole story on the command line with the practice engine: red, proposal, green, apply, roll back; no key."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli.app import run
from honeyguide.kernel.resources import resource

FLOW = """\
---
engine: practice
description: answers a customer
---
You answer customers of a small shop. Keep it short.
"""
SUITE = """\
cases:
  - name: greets by name
    input: "Hello, I am Maria. I want my money back for order AB-12345."
    checks:
      - regex: {pattern: "^\\\\W*(hello|hi|dear) maria", flags: i}
  - name: says how returns work
    input: I would like a refund.
    checks:
      - contains: {text: refund, ignore_case: true}
"""
COMPLAINT = "The answer must greet the customer by name."


@dataclass(frozen=True)
class Said:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Said]


@pytest.fixture(scope="session")
def empty_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("flow-story") / "workspace"
    assert run(["init", str(path), "--json"]) == 0
    return path


@pytest.fixture
def cli(empty_workspace: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> Cli:
    folder = shutil.copytree(empty_workspace, tmp_path / "workspace")

    def call(*arguments: object) -> Said:
        capfd.readouterr()
        code = run(["--workspace", str(folder), *map(str, arguments)])
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return call


@pytest.fixture
def flow(tmp_path: Path) -> Path:
    path = tmp_path / "repo" / "flows" / "support.md"
    path.parent.mkdir(parents=True)
    path.write_text(FLOW)
    path.with_name("support.eval.yaml").write_text(SUITE)
    subprocess.run(["git", "init", "-q", str(tmp_path / "repo")], check=True)
    return path


def _reported(cli: Cli, flow: Path) -> str:
    added = cli("feedback", "add", flow, COMPLAINT, "--json")
    assert added.code == 0
    return str(added.json["feedback"]["id"])


def test_red_green_apply_and_back_in_seconds(cli, flow):
    """The story of docs/flows.md, with the files that stand there."""
    page = (Path(__file__).parents[2] / "docs" / "flows.md").read_text()
    told, suite = re.findall(r"```(?:markdown|yaml)\n(.*?)```", page, re.DOTALL)[:2]
    flow.write_text(told)
    flow.with_name("support.eval.yaml").write_text(suite)
    assert COMPLAINT in page
    began = time.monotonic()
    id = _reported(cli, flow)
    draft = Path(cli("feedback", "distill", id, "--json").json["draft"])
    assert flow.parent.parent not in draft.parents
    assert cli("feedback", "show", id, "--json").json["coverage"] == "unreproduced"
    assert cli("feedback", "link", id, "greets by name", "--json").json["cases"] == ["greets by name"]

    plan = cli("flow", "plan", flow, "--json").json
    assert (plan["ready"], plan["calls"], plan["usd"]) == (True, {"low": 2, "high": 5}, {"low": 0.0, "high": 0.0})

    proposed = cli("flow", "propose", flow, "--json")
    assert proposed.code == 0
    run_id = proposed.json["run"]["id"]
    assert proposed.json["run"]["status"] == "verified_improvement"
    assert proposed.json["invocations"] == "5/5"
    assert proposed.json["receipt"]["state"] == "current"
    assert flow.read_text() == told

    shown = cli("flow", "show", run_id)
    assert "Status: verified_improvement" in shown.out
    assert "Capabilities: no additions" in shown.out
    assert "Invocations: 5/5" in shown.out
    assert "+++ proposal.md" in shown.out

    assert cli("flow", "apply", run_id, "--json").json["run"]["status"] == "applied"
    assert "greet" in flow.read_text().lower()
    assert cli("feedback", "show", id, "--json").json["state"] == "resolved"
    assert cli("flow", "rollback", run_id, "--json").json["run"]["status"] == "rolled_back"
    assert flow.read_text() == told
    assert cli("feedback", "show", id, "--json").json["state"] == "open"
    assert time.monotonic() - began < 20


def test_events_are_pure_and_end_with_done_or_error(cli, flow):
    _reported(cli, flow)
    said = cli("flow", "propose", flow, "--events")
    assert [line["event"] for line in said.lines][-1] == "done"
    assert {line["event"] for line in said.lines} == {"progress", "done"}
    phases = [line["data"]["phase"] for line in said.lines[:-1]]
    assert phases.count("trial") == 4
    missing = cli("flow", "propose", flow.with_name("none.md"), "--events")
    assert (missing.code, [line["event"] for line in missing.lines]) == (3, ["error"])


def test_exit_codes_say_what_happened(cli, flow, monkeypatch):
    assert cli("flow", "plan", flow, "--json").json["reasons"][0]["code"] == "NO_ACTIONABLE_EVIDENCE"
    assert cli("flow", "propose", flow, "--json").code == 6
    assert cli("flow", "show", "evr_missing", "--json").code == 3
    assert cli("flow", "show", "../../etc", "--json").code == 2
    assert cli("feedback", "add", flow, "x" * 4001, "--json").json["error"]["code"] == "invalid"
    assert cli("feedback", "show", "fb_missing", "--json").code == 3
    id = _reported(cli, flow)
    refused = cli("feedback", "forget", id, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (6, "policy")
    paid = flow.read_text().replace("practice", "claude")
    flow.write_text(paid)
    refused = cli("flow", "propose", flow, "--json")
    assert refused.code in (2, 6)
    flow.write_text(paid.replace("claude", "practice").replace("description", "evolve: off\ndescription"))
    assert cli("flow", "plan", flow, "--json").json["decision"]["reasonCode"] == "POLICY_OFF"
    flow.write_text(flow.read_text().replace("evolve: off", "evolve: autp"))
    assert cli("flow", "plan", flow, "--json").code == 2
    assert cli("flow", "prune", "--json").code == 6


def test_a_paid_engine_needs_yes_and_says_no_by_itself(cli, flow):
    id = _reported(cli, flow)
    flow.write_text(FLOW.replace("engine: practice", "engine: claude").replace("Keep it", "{{ _stdin }} Keep it"))
    refused = cli("flow", "propose", flow, "--feedback", id, "--json")
    assert (refused.code, refused.json["error"]["code"]) == (6, "policy")
    assert refused.json["error"]["plan"]["plannedInvocations"] == 5
    assert cli("flow", "list", "--json").json["total"] == 0


def test_a_safe_result_never_says_more_than_it_knows(cli, flow):
    """Equal scores: the words 'fixed', 'improved' and 'better' appear nowhere."""
    flow.with_name("support.eval.yaml").write_text(
        SUITE.split("  - name: greets")[0] + "  - name: says" + SUITE.split("- name: says")[1]
    )
    _reported(cli, flow)
    proposed = cli("flow", "propose", flow, "--json")
    assert proposed.json["run"]["status"] == "regression_safe"
    run_id = proposed.json["run"]["id"]
    said = proposed.out + cli("flow", "show", run_id).out + cli("flow", "list").out + cli("flow", "list", "--json").out
    assert not any(word in said.lower() for word in ("fixed", "improved", "better"))


def test_a_forgotten_problem_is_nowhere(cli, flow, tmp_path):
    id = _reported(cli, flow)
    cli("feedback", "link", id, "greets by name")
    cli("flow", "propose", flow)
    assert cli("feedback", "forget", id, "--yes", "--json").json["forgotten"]["id"] == id
    words = COMPLAINT.encode()
    holding = [path for path in (tmp_path / "workspace").rglob("*") if path.is_file() and words in path.read_bytes()]
    assert holding == []
    assert cli("feedback", "list", "--json").json["total"] == 0


def test_run_passes_the_answer_on_and_suggests_the_free_step(cli, flow, monkeypatch):
    import io

    flow.write_text(FLOW.replace("description", "evolve: suggest\ndescription"))
    _reported(cli, flow)
    monkeypatch.setattr("sys.stdin", io.StringIO("I want a refund."))
    said = cli("flow", "run", flow)
    assert said.code == 0
    assert "refund" in said.out
    assert "honeyguide flow plan support.md" in said.err
    monkeypatch.setattr("sys.stdin", io.StringIO("I want a refund."))
    assert "flow plan" not in cli("flow", "run", flow, "--no-evolve").err
    monkeypatch.setenv("MDFLOW_ACTIVE_FLOW", "1")
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert cli("flow", "run", flow, "--json").code == 6


def test_explicit_feedback_queues_a_background_proposal_that_ends_by_itself(cli, flow, monkeypatch):
    """Promise 10: automatic policy creates proposals only."""
    import io

    flow.write_text(FLOW.replace("description", "evolve: propose\ndescription"))
    before = flow.read_bytes()
    id = _reported(cli, flow)
    cli("feedback", "link", id, "greets by name")
    assert cli("flow", "eval", flow, "--json").code == 6  # one case is red
    monkeypatch.setattr("sys.stdin", io.StringIO("I want a refund."))
    said = cli("flow", "run", flow)
    assert "queued: evj_" in said.err
    for _ in range(150):
        (job,) = cli("flow", "jobs", "list", "--json").json["jobs"]
        if job["status"] not in ("queued", "running"):
            break
        time.sleep(0.2)
    assert job["status"] == "completed", cli("flow", "jobs", "show", job["id"]).out
    assert cli("flow", "show", job["runId"], "--json").json["run"]["status"] == "verified_improvement"
    assert flow.read_bytes() == before
    assert cli("flow", "jobs", "cancel", job["id"], "--json").code == 4


def test_near_duplicates_are_offered_and_merged(cli, flow):
    first = _reported(cli, flow)
    again = cli("feedback", "add", flow, "the answer must greet the customer by name!!", "--json").json
    assert [one["id"] for one in again["duplicates"]] == [first]
    assert cli("feedback", "merge", again["feedback"]["id"], first, "--json").json["merged_into"] == first
    assert cli("feedback", "list", "--json").json["total"] == 1


def test_feedback_is_for_every_target(cli):
    """Not only flows: a persona of the workspace, by name."""
    assert cli("feedback", "add", "no such target", "x", "--json").code == 3


def test_every_decision_can_be_read_as_events_and_nothing_else_is_printed(cli, flow):
    id = _reported(cli, flow)
    cli("feedback", "link", id, "greets by name")
    planned = cli("flow", "plan", flow, "--events").lines
    assert [line["data"].get("phase") for line in planned] == ["verification", "cost", "plan", None]
    run_id = cli("flow", "propose", flow, "--events").lines[-1]["data"]["run"]["id"]
    for command in (
        ["flow", "show", run_id], ["flow", "apply", run_id], ["flow", "rollback", run_id],
        ["flow", "prune", "--days", "0", "--yes"], ["feedback", "list"], ["feedback", "dismiss", id],
        ["feedback", "forget", id, "--yes"],
    ):  # fmt: skip
        said = cli(*command, "--events")
        assert said.code == 0, command
        assert [line["event"] for line in said.lines] == ["done"], command
    for command in (["flow", "reject", run_id], ["feedback", "show", id]):
        assert [line["event"] for line in cli(*command, "--events").lines] == ["error"], command


def test_a_person_is_told_once_what_a_suite_may_do(cli, flow):
    _reported(cli, flow)
    assert "runs for the first time" in cli("flow", "eval", flow, "--json").err
    assert "runs for the first time" not in cli("flow", "propose", flow, "--json").err
    suite = flow.with_name("support.eval.yaml")
    suite.write_text(suite.read_text() + "# another\n")
    told = cli("flow", "propose", flow, "--events").lines[0]["data"]
    assert told["phase"] == "notice"
    assert "files" in told["message"] and "network" in told["message"] and "sign-ins" in told["message"]


def test_running_a_flow_never_edits_its_file(cli, flow, monkeypatch):
    import io

    flow.write_text(FLOW.replace("description", "_mdflow_version: 1.0.0\n_compat: 1.0.0\ndescription"))
    before = flow.read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO("I want a refund."))
    assert cli("flow", "run", flow).code == 0
    assert cli("flow", "eval", flow, "--json").code == 6
    assert flow.read_bytes() == before


def test_equal_scores_are_never_called_more_than_they_are_in_words_json_and_exports(cli, flow, tmp_path):
    """Neither what is printed nor what is stored about a safe proposal says "fixed" or "improved"."""
    suite = flow.with_name("support.eval.yaml")
    suite.write_text(
        "cases:\n  - {name: speaks of it, input: I would like a refund., checks: [{regex: '(?i)refund'}]}\n"
    )
    _reported(cli, flow)
    made = cli("flow", "propose", flow, "--events")
    run = made.lines[-1]["data"]["run"]
    assert run["status"] == "regression_safe"
    shown = [made.out, *[cli("flow", *words).out for words in (
        ["show", run["id"]], ["show", run["id"], "--json"], ["list"], ["list", "--json"],
        ["apply", run["id"], "--json"], ["show", run["id"]],
    )]]  # fmt: skip
    folder = next(tmp_path.glob("workspace/runs/evr_*"))
    shown += [path.read_text() for path in folder.iterdir() if path.is_file() and path.suffix != ".md"]
    for text in shown:
        assert not re.search(r"\b(?:fixed|improved)\b", text, re.IGNORECASE), text[:400]


def test_no_sentence_of_the_window_claims_more_than_was_measured():
    sentences = json.loads(resource("translations", "de.json").read_text(encoding="utf-8"))
    found = re.findall(r"[^\n]*\b(?:fixed|improved)\b[^\n]*", json.dumps(sentences, indent=1, ensure_ascii=False))
    assert found == []
