"""Journals: ingested once, whatever happens to copies; statistics, friction, signal, assessment, metrics, labels."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from honeyguide.harnesses.evidence.assessment import assess_all
from honeyguide.harnesses.evidence.exact_tests import benjamini_hochberg, binomial_two_sided, fisher_exact, runs_needed
from honeyguide.harnesses.evidence.friction import template_of
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.labels import Label, Labels, outcomes_of
from honeyguide.harnesses.evidence.metrics import Metrics, metric_key, parse_metric
from honeyguide.harnesses.evidence.objectives import broken_bounds, metric_evidence
from honeyguide.harnesses.evidence.redaction import REDACTED, Redactor
from honeyguide.harnesses.evidence.runs import RunSummary
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import statistics, timeline
from honeyguide.harnesses.spec.borders import Redaction
from honeyguide.harnesses.spec.evolving import Objective
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from tests.fakes.harness_folders import Scribe, write_folder


@pytest.fixture
def scribe(tmp_path: Path) -> Scribe:
    return Scribe(write_folder(tmp_path / "desk"))


def stats(scribe: Scribe, labels: dict[str, str] | None = None) -> dict:
    harness = scribe.harness
    return statistics(ingest(harness.trace_dir).of(harness.identity), harness.identity, "desk-clerk", labels or {})


# --- ingestion


def test_ingesting_twice_reads_nothing_the_second_time(scribe, tmp_path):
    for _ in range(3):
        scribe.run()
    index = tmp_path / "index.jsonl"
    first = ingest(scribe.harness.trace_dir, index)
    again = ingest(scribe.harness.trace_dir, index)
    assert (first.read, again.read) == (3, 0)
    assert again.runs == first.runs


def test_only_a_changed_file_is_read_again(scribe, tmp_path):
    ids = [scribe.run() for _ in range(3)]
    index = tmp_path / "index.jsonl"
    ingest(scribe.harness.trace_dir, index)
    path = scribe.harness.trace_dir / f"{ids[1]}.jsonl"
    path.write_bytes(path.read_bytes() + b"\n")
    assert ingest(scribe.harness.trace_dir, index).read == 1
    path.unlink()
    gone = ingest(scribe.harness.trace_dir, index)
    assert gone.read == 0
    assert [run.run_id for run in gone.runs] == [ids[0], ids[2]]


def test_a_damaged_index_is_rebuilt(scribe, tmp_path):
    scribe.run()
    index = tmp_path / "index.jsonl"
    ingest(scribe.harness.trace_dir, index)
    index.write_text("nonsense\n")
    assert len(ingest(scribe.harness.trace_dir, index).runs) == 1


@settings(max_examples=25, deadline=None)
@given(order=st.permutations(range(3)), cut=st.integers(1, 6))
def test_the_most_complete_copy_wins_in_any_order_of_copies(tmp_path_factory, order, cut):
    scribe = Scribe(write_folder(tmp_path_factory.mktemp("h") / "desk"))
    run_id = scribe.run(status="verify_failed", feedback=["nope"])
    traces = scribe.harness.trace_dir
    whole = (traces / f"{run_id}.jsonl").read_bytes()
    (traces / f"{run_id}.jsonl").unlink()
    shorter = b"".join(whole.splitlines(keepends=True)[:cut])
    copies = [whole, shorter, shorter]
    for name, place in zip("abc", order, strict=True):
        (traces / name).mkdir()
        (traces / name / "copy.jsonl").write_bytes(copies[place])
    found = ingest(traces)
    assert [(run.run_id, run.status) for run in found.runs] == [(run_id, "verify_failed" if cut else "incomplete")]
    assert found.copies == (run_id,)


def test_a_malformed_file_is_quarantined_and_named_while_the_rest_is_read(scribe):
    scribe.run()
    traces = scribe.harness.trace_dir
    (traces / "bad.jsonl").write_bytes(b"\xff\xfe\x00nonsense")
    (traces / "null.jsonl").write_text('{"run_id":"r9","type":"run_started","payload":null}\n')
    found = ingest(traces)
    assert len(found.runs) == 1
    assert {(q["file"], q["run_id"]) for q in found.to_json()["quarantined"]} == {
        ("bad.jsonl", None),
        ("null.jsonl", "r9"),
    }


def test_line_separators_inside_texts_survive(scribe):
    scribe.run(output="one\u2028two\u0085three")
    (run,) = ingest(scribe.harness.trace_dir).runs
    assert (run.status, run.output) == ("success", "one\u2028two\u0085three")


def test_a_broken_chain_is_shown_and_a_cut_tail_makes_the_run_incomplete(scribe):
    edited, cut = scribe.run(), scribe.run()
    path = scribe.harness.trace_dir / f"{edited}.jsonl"
    path.write_bytes(path.read_bytes().replace(b"drawer: 3", b"drawer: 4", 1))
    path = scribe.harness.trace_dir / f"{cut}.jsonl"
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:-1]))
    found = ingest(scribe.harness.trace_dir)
    assert found.to_json()["chains"] == {"intact": 1, "unchained": 0, "broken": 1}
    assert {run.run_id: run.status for run in found.runs}[cut] == "incomplete"


def test_runs_of_another_harness_in_the_folder_do_not_count(scribe, tmp_path):
    scribe.run()
    other = Scribe(write_folder(tmp_path / "other", "name: other\ndescription: d\nsystem_prompt: s\n", {}))
    run_id = other.run()
    shutil.copy(other.harness.trace_dir / f"{run_id}.jsonl", scribe.harness.trace_dir / "foreign.jsonl")
    assert stats(scribe)["total_runs"] == 1


def test_a_run_summary_survives_the_index():
    run = RunSummary("r", "n", "i", "i", "v", status="success", cost_usd=0.5, features=("a", "b"))
    assert RunSummary.from_row(json.loads(json.dumps(run.to_row()))) == run


# --- statistics


def test_an_incomplete_run_is_neither_success_nor_failure(scribe):
    scribe.run()
    scribe.run("verify_failed", feedback=["no"])
    scribe.run(finish=False)
    found = stats(scribe)
    assert (found["total_runs"], found["incomplete_runs"], found["success_rate"]) == (3, 1, 0.5)
    assert found["failure_signatures"]["statuses"] == [{"status": "verify_failed", "count": 1}]
    assert len(found["recent_failures"]) == 1


def test_versions_have_intervals_medians_and_an_order(scribe):
    for cost in (0.01, 0.03, 0.02):
        scribe.run(version="aaaaaaaaaaaa", cost=cost)
    for _ in range(4):
        scribe.run("max_turns", version="bbbbbbbbbbbb", cost=0.5)
    rows = stats(scribe)["versions"]
    assert [row["version"][0] for row in rows] == ["b", "a"]
    assert [row["version"][0] for row in timeline(rows)] == ["a", "b"]
    old = timeline(rows)[0]
    assert (old["median_cost_usd"], old["p95_cost_usd"]) == pytest.approx((0.02, 0.029))
    assert old["cost_per_success_usd"] == pytest.approx(0.02)
    assert old["success_rate_ci"] == pytest.approx([0.4385, 1.0], abs=1e-4)
    assert rows[0]["cost_per_success_usd"] is None


def test_a_run_whose_model_was_swapped_from_outside_is_held_out_of_its_version(scribe):
    scribe.run()
    scribe.run(events=[("model_swap", {"from": "a", "to": "b", "source": "operator"})])
    (row,) = stats(scribe)["versions"]
    assert (row["runs"], row["swapped_runs"]) == (1, 1)


def test_verdicts_are_counted_by_runs_and_grouped_by_template(scribe):
    scribe.run("verify_failed", feedback=["got '1.2.2026'", "got '3.2.2026'"])
    scribe.run("verify_failed", feedback=["got 'x'"])
    assert stats(scribe)["failure_signatures"]["verdicts"] == [
        {"feedback": "got <str>", "count": 2, "example": "got '1.2.2026'"}
    ]


@pytest.mark.parametrize(
    ("said", "template"),
    [
        ("day '31.01.' must be ISO 8601 (YYYY)", "day <str> must be ISO <num> (YYYY)"),
        ("allowed [1, 'b'] only", "allowed <list> only"),
        ('see "x"  at https://a.example/b?c ', "see <str> at <url>"),
    ],
)
def test_templates(said, template):
    assert template_of(said) == template


# --- friction, signal


def test_friction_ids_are_the_same_at_every_ingestion(scribe):
    call = [("tool_result", {"id": "t", "name": "open_drawer", "content": "x", "is_error": True})]
    scribe.run(events=call)
    scribe.run("guardrail_halt", events=[("guardrail_triggered", {"guardrail": "g", "kind": "halt", "reason": "r"})])
    once, twice = (ingest(scribe.harness.trace_dir).runs for _ in range(2))
    ids = [f.id for run in once for f in run.friction]
    assert ids == [f.id for run in twice for f in run.friction]
    kinds = [(f.category, f.component, f.recovered) for run in once for f in run.friction]
    assert kinds == [("tool_error", "open_drawer", True), ("guardrail_halt", "g", False)]


def test_a_feature_that_separates_failures_is_found_and_names_its_levers(scribe):
    use = [("tool_call", {"name": "open_drawer", "input": {}, "id": "t"})]
    for _ in range(8):
        scribe.run("verify_failed", events=use, feedback=["no"])
        scribe.run()
    harness = scribe.harness
    runs = ingest(harness.trace_dir).runs
    found = locate_signal(runs, harness.identity, harness.version, {}, harness.spec.evolution)
    assert found.verdict == "actionable"
    first = found.signals[0]
    assert (first.feature, first.direction, first.strength) == ("tool:open_drawer", "risk", "strong")
    assert first.levers[0] == "tools"
    assert first.addressable
    assert "tool:open_drawer" in found.targets


def test_a_success_that_the_world_called_a_failure_counts_as_one(scribe):
    run_id = scribe.run()
    scribe.run()
    runs = ingest(scribe.harness.trace_dir).runs
    found = locate_signal(runs, "k", scribe.harness.version, {run_id: "failure"}).to_json()
    assert found["quality"]["failures"] == 1
    assert found["loss"]["classes"] == {"content": 1}


@pytest.mark.parametrize(
    ("table", "p"), [((3, 0, 0, 3), 0.1), ((1, 9, 11, 3), 0.00276), ((0, 0, 0, 0), 1.0), ((5, 5, 5, 5), 1.0)]
)
def test_fisher_exact(table, p):
    assert fisher_exact(*table) == pytest.approx(p, rel=2e-3)


def test_exact_binomial_and_corrections():
    assert binomial_two_sided(7, 7) == pytest.approx(2 / 128)
    assert binomial_two_sided(0, 0) == 1.0
    assert benjamini_hochberg([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.04, 0.04])
    assert runs_needed(0.5, 0.1) == 393


# --- assessment


def change(old: str, new: str, **prediction: object) -> dict:
    return {
        "evolution_id": 1, "old_version_hash": old, "new_version_hash": new, "changes": {"paths": ["system_prompt"]},
        "prediction": prediction,
    }  # fmt: skip


def test_a_gain_on_the_same_inputs_is_seen_although_the_target_did_not_move(scribe):
    for number, version in itertools.product(range(8), ("aaaaaaaaaaaa", "bbbbbbbbbbbb")):
        good = version[0] == "b" or number == 0
        scribe.run("success" if good else "verify_failed", task=f"question {number}", version=version, feedback=())
    target = {"signal": "tool_error:open_drawer", "expect": "decrease", "by": 0.3}
    runs = ingest(scribe.harness.trace_dir).runs
    (found,) = assess_all([change("aaaaaaaaaaaa", "bbbbbbbbbbbb", target=target)], runs, {})
    assert found.verdict == "inconclusive"
    assert (found.paired_success.pairs, found.paired_success.up, found.paired_success.down) == (8, 7, 0)
    assert (found.basis, found.success_change) == ("same input", "gained")


def test_few_runs_of_the_new_version_leave_it_pending(scribe):
    scribe.run(version="aaaaaaaaaaaa")
    scribe.run(version="bbbbbbbbbbbb")
    runs = ingest(scribe.harness.trace_dir).runs
    (found,) = assess_all([change("aaaaaaaaaaaa", "bbbbbbbbbbbb")], runs, {})
    assert (found.verdict, found.implicit) == ("pending", True)


def test_a_fall_of_the_success_rate_is_a_regression_whatever_the_target_did(scribe):
    for number in range(12):
        scribe.run(version="aaaaaaaaaaaa", task=f"a{number}")
        scribe.run("max_turns", version="bbbbbbbbbbbb", task=f"b{number}")
    target = {"signal": "status:max_turns", "expect": "increase"}
    runs = ingest(scribe.harness.trace_dir).runs
    (found,) = assess_all([change("aaaaaaaaaaaa", "bbbbbbbbbbbb", target=target)], runs, {})
    assert found.verdict == "regressed"


# --- labels, metrics, objectives


def test_the_last_label_holds_and_an_unknown_run_gets_none(scribe):
    run_id = scribe.run()
    labels = Labels(scribe.harness.ours)
    labels.record(Label(run_id, "failure", "person", "wrong drawer", "2026-01-01T00:00:00Z"), [run_id])
    labels.record(Label(run_id, "success", "person", "", "2026-01-02T00:00:00Z"), [run_id])
    assert outcomes_of(labels.all()) == {run_id: "success"}
    with pytest.raises(NotFound):
        labels.record(Label("run_x", "success"), [run_id])
    with pytest.raises(InvalidInput):
        labels.record(Label(run_id, "maybe"), [run_id])


def metric(run_id: str, value: float, **more: object):
    return parse_metric({"run_id": run_id, "name": "tidiness", "value": value, "direction": "maximize", **more})


def test_a_batch_of_metrics_is_taken_whole_or_not_at_all(scribe):
    run_id = scribe.run()
    metrics = Metrics(scribe.harness.ours)
    batch = [metric(run_id, 0.5), metric(run_id, 0.7, source="judge")]
    assert metrics.record(batch, [run_id], "2026-01-01T00:00:00Z").inserted == 2
    assert metrics.record(batch, [run_id], "2026-01-02T00:00:00Z").duplicates == 2
    with pytest.raises(Conflict):
        metrics.record([metric(run_id, 0.1, source="new"), metric(run_id, 0.6)], [run_id], "2026-01-03T00:00:00Z")
    with pytest.raises(NotFound):
        metrics.record([metric(run_id, 0.1, source="new"), metric("run_x", 0.6)], [run_id], "2026-01-03T00:00:00Z")
    assert [m.value for m in metrics.all()] == [0.5, 0.7]


@pytest.mark.parametrize(
    "bad",
    [
        {"value": float("nan")},
        {"value": True},
        {"name": "1x"},
        {"direction": "up"},
        {"scope": "week"},
        {"unit": "x" * 65},
    ],
)
def test_a_metric_that_breaks_a_rule_is_refused(bad):
    with pytest.raises(InvalidInput):
        parse_metric({"run_id": "r", "name": "m", "value": 1, "direction": "maximize", **bad})


def test_the_key_of_a_metric_is_the_one_hiveloom_makes():
    assert metric_key("r", "m", "run", "s").startswith("metric_")
    assert metric_key("r", "m", "run", "s") != metric_key("r", "m", "case", "s")


def test_objectives_keep_series_and_cohorts_apart_and_missing_missing(scribe):
    ids = [scribe.run(model="small"), scribe.run(model="large"), scribe.run(model="small")]
    runs = ingest(scribe.harness.trace_dir).runs
    metrics = [metric(ids[0], 0.4, unit="ratio"), metric(ids[1], 0.9, unit="ratio"), metric(ids[0], 4.0, unit="points")]
    objective = Objective(metric="tidiness", direction="maximize", floor=0.5)
    found = metric_evidence([objective], metrics, runs, scribe.harness.version)
    (seen,) = found["objectives"]
    assert [s["unit"] for s in seen["series"]] == ["points", "ratio"]
    ratio = seen["series"][1]
    assert sorted((c["effective_model"], c["mean"], c["missing_value_count"]) for c in ratio["cohorts"]) == [
        ("large", 0.9, 0),
        ("small", 0.4, 1),
    ]
    assert (seen["missing_value_count"], seen["eligible_run_count"]) == (1, 3)
    assert broken_bounds(found) == {"tidiness": ["observed min 0.4 is below floor 0.5"]}


def test_paired_comparisons_across_versions_reach_the_evidence(scribe):
    metrics = []
    for case in range(6):
        for version, value in (("aaaaaaaaaaaa", 0.0), (scribe.harness.version, 1.0)):
            run_id = scribe.run(version=version)
            metrics.append(metric(run_id, value, case_key=f"case-{case}", source="exam"))
    runs = ingest(scribe.harness.trace_dir).runs
    objective = Objective(metric="tidiness", direction="maximize")
    alone = metric_evidence([objective], metrics, runs, scribe.harness.version)
    across = metric_evidence([objective], metrics, runs, scribe.harness.version, across=["aaaaaaaaaaaa"])
    assert alone["objectives"][0]["series"][0]["paired_comparisons"] == []
    (pair,) = across["objectives"][0]["series"][0]["paired_comparisons"]
    assert (pair["sample_count"], abs(pair["mean_delta"])) == (6, 1.0)
    assert across["objectives"][0]["observation_count"] == 6


def test_redaction_takes_keys_paths_and_patterns():
    policy = Redaction(keys=["Password"], paths=["input.customer", "rows[*].iban"], patterns=[r"[a-z.]+@[a-z.]+"])
    payload = {
        "input": {"customer": "Ada", "mail": "write to ada@example.org"},
        "PASSWORD": "x",
        "rows": [{"iban": 1}, {"n": 2}],
    }
    assert Redactor(policy).payload(payload) == {
        "input": {"customer": REDACTED, "mail": f"write to {REDACTED}"},
        "PASSWORD": REDACTED,
        "rows": [{"iban": REDACTED}, {"n": 2}],
    }
