"""Format, capabilities, command lines, decisions and verdicts as recorded; and recorded runs, looked at anew."""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePath
from typing import Any

import pytest

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback import FeedbackItem, FeedbackLog, read_log
from honeyguide.flows.capabilities import manifest
from honeyguide.flows.deciding import decide
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.document import parse_flow
from honeyguide.flows.engines.ladder import choose_engine
from honeyguide.flows.engines.table import command_line, flags_for
from honeyguide.flows.fingerprints import flow_hash, suite_hash
from honeyguide.flows.home import FlowHome
from honeyguide.flows.importing import import_runs
from honeyguide.flows.imports import find_actions, prose_ranges
from honeyguide.flows.liquid import LiquidError, render, variables
from honeyguide.flows.maintainer import MaintainerTask, maintainer_message
from honeyguide.flows.places import FlowPlace
from honeyguide.flows.planning import PlanFacts, decide_plan
from honeyguide.flows.policy import Mode, Policy
from honeyguide.flows.receipts import RecordedResults, verdict_of
from honeyguide.flows.rendering import RenderSite, fill_in, input_values, takes_input
from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import InvalidInput
from honeyguide.kernel.processes import Finished
from honeyguide.suites import CaseResult, PlannedCase, SuiteOutcome, TrialResult, TrialStatus
from honeyguide.traces.redaction import Redactor

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2] / ".." / "shared" / "data")) / "mdflow"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the recorded tables are not here")
OURS_DIFFERS = ("\ufeff#!/usr/bin/env md\n---", "---  \n")
"""Where the other tool's two splitters disagree with each other; ours is one."""


def _rows(name: str) -> list[dict[str, Any]]:
    path = DATA / "golden" / name
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []


@pytest.mark.parametrize("row", _rows("split_and_replace.json"), ids=lambda row: repr(row["content"])[:30])
def test_flows_are_split_and_rewritten_as_recorded(row):
    document = parse_flow(row["content"])
    if not row["content"].startswith("---  \n"):
        assert {"prefix": document.prefix, "body": document.body, "lineEnding": document.line_end} == {
            key: row["split"][key] for key in ("prefix", "body", "lineEnding")
        }
        assert document.with_body("NEW").text == row["replaced_with_NEW"]
        assert document.with_body("a\r\nb\r\n").text == row["replaced_crlf"]
    if not row["content"].startswith(OURS_DIFFERS[0]):
        assert dict(document.fields) == row["parse"]["ok"]["frontmatter"]
        assert document.prompt == row["parse"]["ok"]["body"]


@pytest.mark.parametrize("row", _rows("imports_and_capabilities.json"), ids=lambda row: repr(row["body"])[:30])
def test_capabilities_are_found_as_recorded(row):
    assert list(manifest(row["body"])) == row["manifest"]
    assert [action.start for action in find_actions(row["body"])] == sorted(a["index"] for a in row["actions"])


@pytest.mark.parametrize("row", _rows("safe_ranges.json"), ids=lambda row: repr(row["body"])[:30])
def test_code_is_told_from_prose_as_recorded(row):
    assert [{"start": a, "end": b} for a, b in prose_ranges(row["body"])] == row["ranges"]


@pytest.mark.parametrize("row", _rows("argv.json"), ids=lambda row: row["engine"])
def test_command_lines_are_as_recorded(row):
    for case in row["cases"]:
        flags = flags_for(row["engine"], case["frontmatter"])
        assert list(flags.argv) == case["argv_before_positionals"]
        assert {str(key): value for key, value in flags.positionals.items()} == case["positional_map"]


def test_real_command_lines_are_as_recorded():
    folder = DATA / "scen" / "argv_per_engine"
    if not folder.is_dir():
        pytest.skip("the recorded calls are not here")
    calls = [json.loads(line) for line in (folder / "out" / "argv.ndjson").read_text(encoding="utf-8").splitlines()]
    for call in calls[:9]:
        document = parse_flow((folder / "repo" / "flows" / f"{call['engine']}-flow.md").read_bytes())
        made = command_line(call["engine"], document.prompt, document.fields)
        assert list(made.argv[1:]) == [part for part in call["argv"] if part != "--no-menu"]


@pytest.mark.parametrize("row", _rows("engine_ladder.json"), ids=lambda row: f"{row['path']}-{row['env']}")
def test_the_engine_is_chosen_as_recorded(row):
    def chosen() -> Any:
        return choose_engine(
            PurePath(row["path"]), row["frontmatter"], environ=row["env"], config=row["opts"].get("configEngine")
        )

    if "error" in row["result"]:
        with pytest.raises(InvalidInput):
            chosen()
        return
    choice = chosen()
    assert (choice.engine, choice.source) == (row["result"]["ok"]["engine"], row["result"]["ok"]["source"])


@pytest.mark.parametrize("row", _rows("template.json"), ids=lambda row: row["s"][:30])
def test_templates_are_filled_in_as_recorded(row):
    values = {"_a": "it's", "_c": True, "_d": ["p", "q"], "_e": {"f": "g"}}
    if "error" in row["rendered"]:
        with pytest.raises(LiquidError, match="line:1, col:1"):
            render(row["s"], values)
        return
    assert render(row["s"], values) == row["rendered"]["ok"]
    assert list(variables(row["s"])) == row["vars"]


@pytest.mark.parametrize("row", _rows("decide.json"), ids=lambda row: row["decision"]["reasonCode"])
def test_plans_are_decided_as_recorded(row):
    given = row["input"]
    facts = PlanFacts(
        suite_exists=given["suiteExists"],
        is_workflow=given.get("workflow", False),
        policy=Policy(mode=Mode(given.get("policyMode", "propose")), max_invocations=given.get("maxInvocations", 9),
                      require_feedback_eval=given.get("requireFeedbackEval", False)),
        is_automatic=given.get("mode") == "auto",
        verification_is_current=given.get("verificationCurrent", True),
        uncovered=("fb",) if given.get("feedbackCovered") is False else (),
        actionable=len(given["evidence"]["complaints"]),
        rough_runs=len(given["evidence"]["roughRuns"]),
        planned=given.get("plannedInvocations", 3),
    )  # fmt: skip
    decision = decide_plan(facts)
    assert (decision.evolve, decision.code.value) == (row["decision"]["evolve"], row["decision"]["reasonCode"])


@pytest.mark.parametrize("row", _rows("verdicts.json"), ids=lambda row: row["r"]["reason"][:40])
def test_verdicts_are_as_recorded(row):
    given, entry = row["i"], row["i"].get("entry")
    results = None
    if entry is not None:
        counts = {TrialStatus.FAIL: entry["fail"], TrialStatus.INCONCLUSIVE: entry["inconclusive"]}
        statuses = [TrialStatus.PASS] * entry["pass"] + [s for s, count in counts.items() for _ in range(count)]
        cases = [CaseResult(PlannedCase(f"c{n}"), (TrialResult(status),)) for n, status in enumerate(statuses)]
        if entry["flaky"]:
            trials = (TrialResult(TrialStatus.PASS), TrialResult(TrialStatus.FAIL))
            cases[0] = CaseResult(PlannedCase("c0", (), 2, 1), trials)
        outcome = SuiteOutcome(tuple(cases), max(given["plannedCases"], len(cases)))
        if entry["total"] != given["plannedCases"]:
            outcome = SuiteOutcome(tuple(cases[:1]), entry["total"])
        results = RecordedResults(Receipt({"flow": "A"}), outcome, "t", entry["full"])
    digest = Receipt({"flow": given["currentFingerprint"]}).digest if given.get("currentFingerprint") else None
    verdict, current, _ = verdict_of(
        suite_exists=given["suiteExists"], is_inspectable=given["inspectable"], has_drafts=given["draft"],
        results=results, current=digest, is_bound=entry is None or "verification" in entry,
    )  # fmt: skip
    assert (verdict.value, current) == (row["r"]["verdict"], row["r"]["current"])


def test_providers_run_the_recorded_commands(tmp_path, monkeypatch):
    table = json.loads((DATA / "golden" / "providers.json").read_text())
    asked: list[tuple[str, ...]] = []
    exits = iter([0, 0, 0, 0, 0, 1])

    def recorded(argv: list[str], **options: Any) -> Finished:
        asked.append(tuple(argv))
        return Finished(next(exits), b"out", b"", False)

    monkeypatch.setattr("honeyguide.flows.rendering.run", recorded)
    body = "@git:diff @git:staged @git:status @git:log(20) @tree @rg:PAT\n"
    fill_in(parse_flow(body), {}, RenderSite(tmp_path, tmp_path, tmp_path))
    assert [list(argv) for argv in asked] == [row["cmd"]["ok"] for row in table.values()]


def test_the_maintainer_is_told_all_that_was_recorded_and_no_frontmatter():
    (line,) = [
        line
        for line in json.loads((DATA / "golden" / "maintainer_prompt_sample.json").read_text())["prompt_lines_redacted"]
        if line.startswith("{")
    ]
    recorded = json.loads(line)
    item = FeedbackItem("fb_1", "flow", "flow_x", "m", "t", "t")
    document = parse_flow("---\nsecret: token\n---\n" + recorded["currentBody"])
    asked = maintainer_message(MaintainerTask("x", document, (item,)))
    assert recorded["currentBody"].strip() in asked
    for key in ("id", "type", "confidence", "message"):
        assert f'"{key}": "{recorded["evidence"][0][key]}"' in asked
    assert "secret" not in asked


@pytest.mark.parametrize("row", _rows("infer_recipes.json"), ids=lambda row: row["s"])
def test_how_a_flow_takes_its_input_is_seen_as_recorded(row):
    document = parse_flow(row["s"])
    values = input_values(document, "given", None, None)
    ways = [way for way, key in (("stdin", "_stdin"), ("prompt", "_1")) if "given" in values[key]]
    assert takes_input(document) == bool({"stdin", "prompt"} & set(row["r"])) or row["s"] == "{{ _10 }}"
    if takes_input(document) and row["s"] != "{{ _10 }}":
        assert ways == [way for way in row["r"] if way in ("stdin", "prompt")]


@pytest.mark.parametrize(("name", "was_masked"), json.loads(
    (DATA / "golden" / "secrets.json").read_text() if DATA.is_dir() else '{"sensitive": []}')["sensitive"])  # fmt: skip
def test_values_are_hidden_by_their_names_as_recorded_except_where_the_other_tool_was_wrong(name, was_masked):
    redactor = Redactor(b"k" * 32, personal=False)
    value = "Zx81qLpW0vTn5RsE7uYb"
    is_hidden = value not in json.dumps(redactor.value({name: value}))
    wrongly = name in ("author", "keyboard")  # they only contain such a word
    missed = name == "passwd"  # masked by us, though not there
    assert is_hidden == ((was_masked and not wrongly) or missed)


def test_arguments_with_secrets_are_hidden_in_both_spellings():
    redactor = Redactor(b"k" * 32, personal=False)
    hidden = redactor.text("claude --api-key sk-ant-api03-Zx81qLpW0vTn5RsE7uYb --model x --token=Zx81qLpW0vTn5RsE7uYb")
    assert "Zx81qLpW0vTn5RsE7uYb" not in hidden
    assert "--model x" in hidden


# --- recorded runs


def _finished() -> list[Path]:
    return sorted(path.parent for path in DATA.glob("runs/**/proposal-results.json"))


@pytest.mark.parametrize(
    "folder", _finished(), ids=lambda folder: folder.parent.name if folder.name.startswith("evr") else folder.name
)
def test_recorded_results_are_decided_as_then_except_where_the_other_tool_was_wrong(folder):
    current, proposal = (
        SuiteOutcome.from_json(json.loads((folder / f"{side}-results.json").read_text()))
        for side in ("current", "proposal")
    )
    state = json.loads((folder / "state.json").read_text())
    decision = json.loads((folder / "decision.json").read_text())
    outcome = decide(current, proposal, state["evidenceIds"])
    assert outcome.status.value == decision["status"]
    assert list(outcome.improved) == decision["targetEvidenceIds"]


@pytest.mark.parametrize(
    "plan", sorted(DATA.glob("scen/*/home/.mdflow/evolution/runs/*/plan.json")), ids=lambda p: p.parts[-7]
)
def test_hashes_of_flow_and_suite_are_those_that_were_recorded(plan):
    recorded = json.loads(plan.read_text(encoding="utf-8"))
    scenario = plan.parents[5].name
    repository = DATA / "scen" / scenario / "repo"
    if recorded["flow"].get("repository") is None:
        pytest.skip("no repository")
    flow = repository / recorded["flow"]["relativePath"]
    place = FlowPlace(flow, repository, repository, "flow_x")
    assert flow_hash(place, (plan.parent / "current.md").read_bytes()) == recorded["verification"]["flowHash"]
    if scenario != "inconclusive_inputs_changed":  # there the suite was edited on purpose
        suite = flow.with_name(flow.name.removesuffix(".md") + ".eval.ts")
        assert suite_hash(suite, repository) == recorded["verification"]["suiteHash"]


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> FlowDesk:
    home, clock = FlowHome(tmp_path_factory.mktemp("import")), ManualClock()
    desk = FlowDesk(home, clock, FeedbackLog(home.feedback_log, clock=clock), "0.1.0", {})
    import_runs(desk, DATA)
    return desk


def test_every_recorded_run_can_be_opened_and_importing_again_adds_nothing(desk):
    runs, damaged = desk.runs.all()
    assert len(runs) >= 25
    assert damaged == []
    again = import_runs(desk, DATA)
    assert (again.runs, again.feedback) == ([], [])
    assert again.problems == []


@pytest.mark.parametrize(
    ("scenario", "words"),
    [
        ("weak_frontmatter_injection", "changes the flow's frontmatter"),
        ("weak_apply_resolves_uncovered", "no case showed solved"),
        ("killed_mid_draft", "never ended"),
        ("allow_capability_delta", "can do more than before"),
        ("weak_linerange", "can do more than before"),
    ],
)
def test_what_the_other_tool_let_pass_is_said(desk, scenario, words):
    state = min(DATA.glob(f"runs/{scenario}/**/state.json"))
    run_id = json.loads(state.read_text())["id"]
    assert any(words in doubt for doubt in desk.runs.read_json(run_id, "doubts.json"))


def test_a_sound_run_raises_no_doubt(desk):
    state = json.loads((DATA / "runs" / "verified_improvement.after-apply" / "state.json").read_text())
    assert desk.runs.read_json(state["id"], "doubts.json") == []
    assert desk.runs.get(state["id"]).is_imported


@pytest.mark.parametrize("path", sorted(DATA.glob("scen/**/evidence.jsonl")), ids=lambda path: path.parts[-5])
def test_recorded_feedback_is_read_without_loss(path):
    contents = read_log(path.read_bytes())
    assert contents.damaged == ()
    added = [line for line in path.read_text(encoding="utf-8").splitlines() if '"kind":"evidence"' in line]
    assert len(contents.items) == len(added)
