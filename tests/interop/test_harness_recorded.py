"""Answers that hiveloom gave and that were recorded: incident evidence, package, HTTP and MCP, beside ours."""

from __future__ import annotations

import hashlib
import math
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.harness_app import App, asked, server_for
from tests.fakes.harness_folders import write_folder
from tests.harnesses.test_harness_running import run
from tests.interop.test_harness_shared import EXPECTED, ROOT, load

from honeyguide.harnesses.deploy.agents import result_of
from honeyguide.harnesses.deploy.packaging import package
from honeyguide.harnesses.evidence.metrics import Metrics, parse_metric
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.canonical import canonical_json
from honeyguide.kernel.errors import Conflict
from honeyguide.llm.protocol import ModelReply, Usage
from honeyguide.workspace.harness_views import parse_metric_lines

pytestmark = pytest.mark.skipif(not ROOT.is_dir(), reason="the shared harness folders are not here")
SERVED = EXPECTED / "serve"


@pytest.mark.parametrize("path", sorted(EXPECTED.glob("*/incident-evidence-*.json")), ids=lambda p: p.name)
def test_our_canonical_form_recomputes_size_and_digest_of_recorded_evidence(path):
    recorded = load(path)
    encoded = canonical_json(recorded["packets"]).encode()
    rules = recorded["selection_rules"]
    assert (len(encoded), hashlib.sha256(encoded).hexdigest()) == (recorded["serialized_bytes"], recorded["digest"])
    assert recorded["estimated_tokens"] == math.ceil(len(encoded) / 4)
    assert len(encoded) <= min(rules["max_bytes"], 4 * rules["max_tokens"])


def test_a_package_holds_the_recorded_entries_and_the_hash(tmp_path):
    harness = Harness.open(ROOT / "log-triage")
    made = package(harness, tmp_path, "2026-01-01T00:00:00Z", docker=True, serve=True)
    assert sorted(made.names) == load(EXPECTED / "log-triage" / "package-files.json")
    assert made.version == "9589f1cbf684"


@pytest.mark.parametrize(
    ("name", "status", "body"),
    [
        ("both", 400, {"input": "a", "messages": [{"role": "user", "content": "b"}]}),
        ("unknownfield", 400, {"input": "a", "foo": 1}),
        ("badrole", 422, {"messages": [{"role": "system", "content": "b"}]}),
        ("notjson", 400, []),
    ],
)
def test_refusals_over_http_are_the_recorded_ones(tmp_path, name, status, body):
    root = write_folder(tmp_path / "desk")
    answer = asked(server_for(App(tmp_path / "state"), root), "POST", "/runs", json=body)
    assert (answer.status_code, answer.json()) == (status, load(SERVED / f"{name}.json"))


def keys_of(value: Any, where: str = "") -> set[str]:
    """Return every path of keys; of a list the first item counts."""
    if isinstance(value, dict):
        return {f"{where}.{key}" for key in value} | {k for key in value for k in keys_of(value[key], f"{where}.{key}")}
    return keys_of(value[0], f"{where}[]") if isinstance(value, list) and value else set()


def test_a_run_over_http_has_every_recorded_key(tmp_path):
    root = write_folder(tmp_path / "desk")
    outcome, _, _ = run(root, ModelReply("drawer: 3", usage=Usage(10, 10)))
    wanted = {key for key in keys_of(load(SERVED / "ok.json")) if not key.startswith(".artifacts[")}
    assert wanted <= keys_of(dict(outcome.data))


@pytest.mark.parametrize("name", ["run_ok", "run_fail"])
def test_what_a_delegated_task_gives_back_has_the_recorded_shape(name):
    recorded = load(SERVED / "mcp.json")[name]["structured_content"]
    artifacts = recorded.get("_hiveloom", {}).get("artifacts", ())
    numbers = {key: recorded[key] for key in ("cost_usd", "turns", "run_id", "verdicts")}
    assert result_of(recorded["status"], recorded["output"], recorded["reason"], artifacts=artifacts, **numbers) == (
        recorded
    )


def test_recorded_metrics_are_taken_once_and_a_conflict_takes_nothing(tmp_path):
    text = (EXPECTED / "invoice-extract" / "metrics-v1.ndjson").read_text("utf-8")
    batch = [parse_metric(row) for row in parse_metric_lines(text)]
    runs = {metric.run_id for metric in batch}
    store = Metrics(Path(tmp_path))
    for name in ("metrics-import-v1", "metrics-import-v1-again"):
        found = store.record(batch, runs, "2026-01-01T00:00:00Z")
        expected = load(EXPECTED / "invoice-extract" / f"{name}.json")
        assert {"inserted": found.inserted, "duplicates": found.duplicates, "received": found.received} == {
            key: expected[key] for key in ("inserted", "duplicates", "received")
        }
    other = parse_metric({**parse_metric_lines(text)[0], "value": 0.123})
    with pytest.raises(Conflict):
        store.record([other], runs, "2026-01-01T00:00:00Z")
    assert len(store.all()) == found.received
