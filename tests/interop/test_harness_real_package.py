"""Journals and folders both ways with an installed hiveloom: ours read by it, and the numbers agree.

Needs the ``hiveloom`` program, named by ``HONEYGUIDE_TEST_HIVELOOM`` or on the path; skipped without it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.harness_folders import SPEC, Scribe, write_folder
from tests.fakes.model_server import ModelServer
from tests.harnesses.test_harness_running import calls, run

from honeyguide.harnesses.changes.going_back import set_values
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import friction_rows, statistics
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import Unreachable, Unsupported
from honeyguide.llm.protocol import ModelReply, StopReason, Usage
from honeyguide.versions import Actor, Deployer, VersionStore
from honeyguide.workspace import ModelRef, Origin
from honeyguide.workspace.harness_views import EvolveOptions, Harnesses, HarnessEvolving, HarnessHome, HarnessRunning

PROGRAM = os.environ.get("HONEYGUIDE_TEST_HIVELOOM") or shutil.which("hiveloom") or ""
pytestmark = pytest.mark.skipif(not PROGRAM, reason="hiveloom is not installed")
STATUSES = ("verify_failed", "max_turns", "error", "truncated", "guardrail_halt", "step_failed", "stopped")


def hiveloom(root: Path, *arguments: str) -> Any:
    env = {**os.environ, "HIVELOOM_HOME": str(root.parent / "home"), "HIVELOOM_TRUST": "always"}
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, env=env, timeout=120, check=False)
    return json.loads(done.stdout)


def assert_agrees(expected: Any, found: Any, where: str = "") -> None:
    if isinstance(expected, dict):
        for key, value in expected.items():
            assert key in found, f"{where}.{key} is missing"
            assert_agrees(value, found[key], f"{where}.{key}")
    elif isinstance(expected, list):
        assert len(expected) == len(found), where
        for number, (one, other) in enumerate(zip(expected, found, strict=True)):
            assert_agrees(one, other, f"{where}[{number}]")
    elif isinstance(expected, float):
        assert found == pytest.approx(expected, abs=1e-8), where
    else:
        assert found == expected, where


def compare(root: Path) -> None:
    harness = Harness.open(root)
    runs = ingest(harness.trace_dir).of(harness.identity)
    ours = statistics(
        runs, harness.identity, harness.spec.name, {}, trace_dir=str(harness.trace_dir), include_friction=True
    )
    assert_agrees(hiveloom(root, "stats", str(root), "--json", "--include-friction"), ours, "stats")
    theirs = hiveloom(root, "friction", "list", str(root), "--json", "--limit", "500")["friction"]
    for row in theirs:
        del row["friction_id"]
    assert_agrees(theirs, friction_rows(runs, limit=500))
    signal = hiveloom(root, "signal", str(root), "--json")
    found = locate_signal(runs, harness.identity, harness.version, {}, harness.spec.evolution).to_json()
    for name in ("version", "verdict", "quality", "loss", "statuses", "mechanisms", "failure_features"):
        assert_agrees(signal[name], found[name], name)
    assert_agrees(
        sorted((s["feature"], s["p_value"]) for s in signal["signals"]),
        sorted((s["feature"], s["p_value"]) for s in found["signals"]),
    )


def test_numbers_agree_on_runs_of_every_kind(tmp_path):
    root = write_folder(tmp_path / "desk")
    scribe = Scribe(root)
    for n in range(28):
        error = n % 3 == 0
        events: list[tuple[str, dict[str, Any]]] = [
            ("tool_call", {"name": "open_drawer", "input": {}, "id": "t"}),
            ("tool_result", {"id": "t", "name": "open_drawer", "content": "x", "is_error": error}),
        ]
        if n % 5 == 0:
            events.append(("tool_retry", {"id": "t", "name": "file_read"}))
        if n % 7 == 0:
            said = {"kind": "block", "reason": f"output blocked by filter /x[0]/ {n}"}
            events.append(("guardrail_triggered", {"guardrail": "regex_output_filter", **said}))
        if n == 11:
            events.append(("model_swap", {"from": "a", "to": "b", "source": "operator"}))
        if n % 6 == 1:
            events.append(("playbook_switch", {"to": "deep", "from": "x", "ok": n % 4 != 3}))
        status = STATUSES[(n // 3) % len(STATUSES)] if error else "success"
        feedback = [f"value '{n}' must match [1, 2] at {n}"] * (1 + n % 2) if error or n % 8 == 1 else []
        task = f"q {n}" + "z" * n * 100
        scribe.run(status, task=task, events=events, feedback=feedback, cost=0.001 * n, turns=1 + n % 3)
    compare(root)


def test_it_reads_the_journals_of_our_runs(tmp_path):
    root = write_folder(tmp_path / "desk")
    outcome, _, events = run(root, calls(("open_drawer", {"number": 3})), "drawer: 3")
    run(root, "nonsense!")
    run(root, Unreachable("nobody there"))
    run(root, ModelReply("drawer", StopReason.MAX_TOKENS, Usage(1, 4096)))
    compare(root)
    checked = hiveloom(root, "trace", outcome.run_id, "--dir", str(root), "--verify", "--json")
    assert (checked["ok"], checked["chained"], checked["checked"]) == (True, True, len(events))


def test_it_loads_a_folder_that_we_edited_and_hashes_it_alike(tmp_path):
    root = write_folder(tmp_path / "desk")
    deployer = Deployer(VersionStore(tmp_path / "workspace" / "versions"), [root])
    changes = [("system_prompt", "First line.\nSecond: 'quoted' # not a comment\n"), ("loop.max_turns", 7)]
    _, new = set_values(Harness.open(root), changes, deployer, Actor("t", "python"), "2026-01-01T00:00:00Z")
    assert hiveloom(root, "validate", str(root), "--json")["ok"] is True
    outcome, _, events = run(root, "drawer: 1")
    assert events[0]["harness_version_hash"] == new
    assert [v["version"] for v in hiveloom(root, "stats", str(root), "--json")["versions"]] == [new]
    packed = hiveloom(root, "package", str(root), "--json")
    assert packed["version_hash"] == new
    assert outcome.status == "success"


def test_it_runs_what_our_runner_refuses_and_both_count_alike(tmp_path):
    root = write_folder(tmp_path / "desk", SPEC + "playbooks:\n- {name: deep, description: Look deeper}\n")
    with ModelServer(lambda text: "drawer: 3" if "pens" in text else "nothing!") as server:
        environ = {
            **os.environ, "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k", "HONEYGUIDE_HIVELOOM": PROGRAM,
            "HIVELOOM_HOME": str(tmp_path / "home"),
        }  # fmt: skip
        home = HarnessHome.alone(environ, tmp_path / "state")
        running = HarnessRunning(home, HarnessEvolving(home))

        async def work() -> list[str]:
            await Harnesses(home).trust(root, Origin("python", "tester"))
            with pytest.raises(Unsupported):
                await running.run(root, "Where are the pens?", confirmed=True)
            done = [await running.run(root, text, engine="hiveloom") for text in ("Where are the pens?", "Stamps?")]
            return [one.outcome.status for one in done if one.outcome is not None]

        assert asyncio.run(work()) == ["success", "verify_failed"]
    compare(root)


def test_what_it_keeps_in_its_database_counts_here_and_the_database_stays_as_it_is(tmp_path):
    root = write_folder(tmp_path / "desk")
    good, _, _ = run(root, "drawer: 3")
    bad, _, _ = run(root, "nonsense!")
    hiveloom(root, "stats", str(root), "--json")
    hiveloom(root, "outcome", good.run_id, "failure", "--json")
    metric = {
        "run_id": bad.run_id,
        "name": "recall",
        "value": 0.5,
        "direction": "maximize",
        "unit": "ratio",
        "source": "t",
    }
    (tmp_path / "m.ndjson").write_text(json.dumps(metric))
    assert hiveloom(root, "metrics", "import", str(root), str(tmp_path / "m.ndjson"), "--json")["inserted"] == 1
    outcomes = hiveloom(root, "stats", str(root), "--json")["outcomes"]
    metrics = hiveloom(root, "metrics", "list", str(root), "--json")["metrics"]
    quality = hiveloom(root, "signal", str(root), "--json")["quality"]
    database = tmp_path / "home" / "hive.db"
    before = {path.name: path.read_bytes() for path in database.parent.glob("hive.db*")}
    home = HarnessHome.alone({"HIVELOOM_DB": str(database)}, tmp_path / "state")
    assert asyncio.run(Harnesses(home).stats(root)).to_json()["outcomes"] == outcomes
    listed = asyncio.run(Harnesses(home).metrics(root)).to_json()["metrics"]
    assert [m["idempotency_key"] for m in listed] == [m["idempotency_key"] for m in metrics]
    assert_agrees(quality, asyncio.run(Harnesses(home).signal(root)).to_json()["quality"])
    asyncio.run(Harnesses(home).hive(root, keep=True))
    assert {path.name: path.read_bytes() for path in database.parent.glob("hive.db*")} == before


def test_it_reads_a_folder_that_we_evolved(tmp_path):
    root = write_folder(tmp_path / "desk")
    run(root, "nonsense!")
    home = HarnessHome.alone({}, tmp_path / "state")
    evolving = HarnessEvolving(home)
    practice = EvolveOptions(model=ModelRef.parse("practice:practice"), confirmed=True)
    drafted = asyncio.run(evolving.evolve(root, practice))
    done = asyncio.run(evolving.apply(root, drafted.proposal_id, Origin("python", "tester"))).to_json()
    assert hiveloom(root, "validate", str(root), "--json")["ok"] is True
    run(root, "drawer: 3")
    versions = {v["version"] for v in hiveloom(root, "stats", str(root), "--json")["versions"]}
    assert versions == {done["old_version_hash"], done["new_version_hash"]}
    compare(root)
