"""Harness folders, journals and recorded answers of hiveloom itself, where the shared data is at hand."""

from __future__ import annotations

import copy
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from honeyguide.harnesses.changes.gate import hiveloom_gate
from honeyguide.harnesses.changes.proposal import Proposal
from honeyguide.harnesses.evidence.exact_tests import fisher_exact
from honeyguide.harnesses.evidence.friction import friction_fingerprint
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.metrics import parse_metric
from honeyguide.harnesses.evidence.report import Cluster, Report
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import statistics
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.fingerprints import fingerprints, version_hash
from honeyguide.harnesses.spec.models import HarnessSpec
from honeyguide.harnesses.spec.paths import set_value
from honeyguide.harnesses.spec.reading import parse_document

DATA = Path(os.environ.get("HONEYGUIDE_SHARED_DATA", Path(__file__).parents[2].parent / "shared" / "data"))
ROOT = DATA / "hiveloom"
EXPECTED = ROOT / "_expected"
pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason="the shared harness folders are not here")


def load(path: Path) -> Any:
    return json.loads(path.read_text("utf-8"))


def folders(where: str) -> list[str]:
    return sorted(p.name for p in (ROOT / where).glob("*/harness.yaml") for p in [p.parent]) if ROOT.is_dir() else []


def assert_agrees(expected: Any, found: Any, where: str = "") -> None:
    """Every key of ``expected`` has its value in ``found``; more keys are fine; paths of the other machine are not."""
    if isinstance(expected, dict):
        for key, value in expected.items():
            if key not in ("exit", "trace_path"):
                assert key in found, f"{where}.{key} is missing"
                assert_agrees(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), where
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert_agrees(one, other, f"{where}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected), where
    else:
        assert found == expected, where


@pytest.mark.parametrize("name", folders("_hash_cases"))
def test_version_hashes_of_small_specs(name):
    folder = ROOT / "_hash_cases" / name
    if name.startswith("symlink") and not any(p.is_symlink() for p in folder.rglob("*")):
        pytest.skip("this copy of the data lost its links")
    expected = load(ROOT / "_hash_cases" / "expected.json")[name]
    found = fingerprints(Harness.open(folder).spec, folder)
    assert (found.hash, found.spec_hash) == (expected["hash"], expected["hash_spec_only"])
    assert [path for path, _ in found.files] == expected["files"]


@pytest.mark.parametrize(
    ("name", "version"),
    [("invoice-extract", "52521b0498ba"), ("log-triage", "9589f1cbf684"), ("legacy-min", "b7d8faa018c5")],
)
def test_version_hashes_of_real_folders(name, version):
    harness = Harness.open(ROOT / name)
    assert harness.version == version
    assert harness.checked.is_valid


@pytest.mark.parametrize("path", sorted(EXPECTED.glob("*/harness-*.yaml")), ids=lambda p: p.name)
def test_recorded_specs_hash_to_the_version_they_are_named_after(path):
    spec = HarnessSpec.model_validate(parse_document(path.read_text("utf-8")).data)
    version = path.stem.removeprefix("harness-")
    if version == "c47d616177d5":
        spec = spec.model_copy(update={"schema_version": "0.1.0"})
    found = version_hash(spec, ROOT / path.parent.name)
    assert found == version


@pytest.mark.parametrize("name", [n for n in folders("_edge") if n not in ("null-payload", "seq-string", "non-utf8")])
def test_odd_journals_give_the_recorded_statistics(name):
    harness = Harness.open(ROOT / "_edge" / name)
    runs = ingest(harness.trace_dir).of(harness.identity)
    assert_agrees(load(harness.root / "expected-stats.json"), statistics(runs, harness.identity, harness.spec.name, {}))


@pytest.mark.parametrize(("name", "runs"), [("null-payload", 0), ("seq-string", 1), ("non-utf8", 0)])
def test_journals_that_make_hiveloom_fail_are_named_and_do_no_harm(name, runs):
    harness = Harness.open(ROOT / "_edge" / name)
    found = ingest(harness.trace_dir)
    assert len(found.runs) == runs
    assert found.to_json()["quarantined"] or found.to_json()["damaged"]


def test_statistics_of_a_real_folder():
    harness = Harness.open(ROOT / "legacy-min")
    runs = ingest(harness.trace_dir).of(harness.identity)
    found = statistics(runs, harness.identity, harness.spec.name, {}, trace_dir=str(harness.trace_dir))
    assert_agrees(load(EXPECTED / "legacy-min" / "stats-final.json"), found)


@pytest.mark.parametrize("path", sorted(EXPECTED.glob("*/friction-v*.json")), ids=lambda p: p.name)
def test_fingerprints_of_friction(path):
    for row in load(path)["friction"]:
        parts = (row["category"], row["component"] or "", row["phase"] or "", row["summary"])
        assert friction_fingerprint(*parts) == row["fingerprint"]


@pytest.mark.parametrize("path", sorted(EXPECTED.glob("*/signal-v*.json")), ids=lambda p: p.name)
def test_p_values_of_signals(path):
    for signal in load(path)["signals"]:
        names = ("failures_with", "successes_with", "failures_without", "successes_without")
        assert fisher_exact(*(signal[name] for name in names)) == pytest.approx(signal["p_value"])


def test_keys_of_metrics():
    listed = load(EXPECTED / "invoice-extract" / "metrics-list-v1.json")["metrics"]
    assert listed
    for row in listed:
        brought = {k: row[k] for k in ("run_id", "name", "value", "direction", "unit", "source", "scope")}
        assert parse_metric(brought).idempotency_key == row["idempotency_key"]


def test_nothing_in_the_shared_folders_is_changed_by_reading():
    before = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in (ROOT / "legacy-min").rglob("*") if p.is_file()}
    harness = Harness.open(ROOT / "legacy-min")
    ingest(harness.trace_dir, None)
    after = {p: hashlib.sha256(p.read_bytes()).hexdigest() for p in (ROOT / "legacy-min").rglob("*") if p.is_file()}
    assert after == before


DESK = {
    "name": "faq-answer",
    "description": "d",
    "system_prompt": "Answer the customer question from the knowledge base.\n",
    "tools": [{"builtin": "recall_runs"}, {"builtin": "propose_memory"}],
    "memory": {"entries": [{"id": "a", "kind": "rule", "title": "t", "content": "c"}]},
    "loop": {"policy": "sequential_steps", "steps": ["a", "b"]},
}
"""Stands in for a folder that is not among the shared ones."""


@pytest.mark.parametrize("case", load(EXPECTED / "gate-cases.json") if ROOT.is_dir() else [], ids=lambda c: c["name"])
def test_recorded_gate_cases(case):
    folder = ROOT / case["harness"]
    data = copy.deepcopy(dict(Harness.open(folder).document.data) if folder.is_dir() else DESK)
    for path, value in case["spec_patch"].items():
        set_value(data, path, value)
    asked = {"yaml_changes": case["changes"], **{k: case[k] for k in ("code_changes", "objective_expectations")}}
    found = hiveloom_gate(HarnessSpec.model_validate(data), data, Proposal.model_validate(asked))
    assert [c.path for c in found.accepted] == case["accepted"]
    assert [r.path for r in found.rejected] == [r["path"] for r in case["rejected"]]
    for mine, recorded in zip(found.rejected, case["rejected"], strict=True):
        assert mine.reason.partition(" If it comes")[0] == recorded["reason"].partition(" If it comes")[0]


@pytest.mark.parametrize(
    ("notes", "key"), [((), "be5beec469de"), (("Operators want the service name first",), "8d6b5737cd15")]
)
def test_recorded_keys_of_failure_states(notes, key):
    signatures = load(EXPECTED / "log-triage" / "stats-v1.json")["failure_signatures"]
    friction = load(EXPECTED / "log-triage" / "friction-v1.json")["friction"]
    clusters = [Cluster("verdict", v["feedback"], 1) for v in signatures["verdicts"]]
    clusters += [Cluster("guardrail", f"{g['guardrail']} ({g['kind']})", 1) for g in signatures["guardrails"]]
    clusters += [Cluster("status", s["status"], 1) for s in signatures["statuses"]]
    clusters += [Cluster("friction", name, 1) for name in {row["category"] for row in friction}]
    signal = locate_signal([], "k", None, {})
    assert Report("k", "v", (), frozenset(), tuple(clusters), signal, {}, notes=notes).dedup_key == key
