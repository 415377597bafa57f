"""Journals and folders both ways with an installed hiveloom: ours read by it, and the numbers agree.

Needs the ``hiveloom`` program, named by ``HONEYGUIDE_TEST_HIVELOOM`` or on the path; skipped without it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.harness_folders import Scribe, write_folder
from tests.harnesses.test_harness_running import calls, run

from honeyguide.harnesses.changes.going_back import set_values
from honeyguide.harnesses.evidence.ingestion import ingest
from honeyguide.harnesses.evidence.signal import locate_signal
from honeyguide.harnesses.evidence.statistics import friction_rows, statistics
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import Unreachable
from honeyguide.llm.protocol import ModelReply, StopReason, Usage
from honeyguide.versions import Actor, Deployer, VersionStore

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
