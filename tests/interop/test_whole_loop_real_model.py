"""The whole loop on a real model: import, mine, search, prove, review, accept, roll back.

Runs only when HONEYGUIDE_TEST_MODEL_URL names a server that speaks the Messages API (see docs/real-models.md). The
model answers and proposes; answers are graded by a small program that compares labels, so that what is measured is
the model under the prompt. With HONEYGUIDE_TEST_JUDGE=1 the same model grades as well. What came out is printed.
"""

from __future__ import annotations

import faulthandler
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.fakes.model_server import ModelServer
from tests.interop.ticket_history import DESK, DESK_WITH_RULES, write_history

from honeyguide.llm.blocks import read_blocks
from honeyguide.workspace import ModelRef, ModelRole, RunOptions, RunResult, Workspace

URL = os.environ.get("HONEYGUIDE_TEST_MODEL_URL", "")
MODEL = ModelRef("anthropic", os.environ.get("HONEYGUIDE_TEST_MODEL", "local"))
LABELS = ModelRef("llamacpp", "labels")
GRADES_TOO = bool(os.environ.get("HONEYGUIDE_TEST_JUDGE"))
HOURS = 4 * 3600
pytestmark = [
    pytest.mark.realmodel,
    pytest.mark.anyio,
    pytest.mark.timeout(HOURS),
    pytest.mark.skipif(not URL, reason="no model server is named"),
]


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def no_watchdog() -> None:
    """A small model on a busy machine takes longer than any test of the suite may."""
    faulthandler.cancel_dump_traceback_later()


@pytest.fixture
def label_server() -> Iterator[ModelServer]:
    with ModelServer(by_label) as server:
        yield server


@pytest.fixture
async def desk(tmp_path: Path, label_server: ModelServer) -> AsyncIterator[Workspace]:
    """A workspace with the desk's prompt and its imported history."""
    workspace = await Workspace.create(tmp_path / "workspace")
    base = workspace.path / "base" / "generic"
    base.mkdir(parents=True, exist_ok=True)
    (base / "desk.md").write_text(DESK, encoding="utf-8")
    addresses = {"anthropic": URL, "llamacpp": label_server.url}
    await workspace.set_setting("models.base_urls", addresses)
    report = await workspace.import_traces([write_history(tmp_path / "history.csv", "desk")])
    assert report.to_json()["imported"] == 101
    yield workspace
    await workspace.close()


def by_label(message: str) -> str:
    """Grade as a careful judge would: the label and nothing else is right, the label in a sentence is half right."""
    texts = {block.name: block.text for block in read_blocks(message)}
    wanted, actual = texts["EXPECTED"].strip(), texts["ACTUAL"].strip()
    grade = 10 if actual == wanted else 3 if wanted in actual.lower().split() else 0
    feedback = "" if grade == 10 else "Answer with the label alone, one lowercase word."
    return json.dumps({"correctness": grade, "procedure": grade, "conciseness": grade, "feedback": feedback})


def options(**changes: Any) -> RunOptions:
    judge = MODEL if GRADES_TOO else LABELS
    models = {ModelRole.EXECUTOR: MODEL, ModelRole.JUDGE: judge, ModelRole.MUTATOR: MODEL}
    return RunOptions(models=models, concurrency=1, is_confirmed=True, **changes)


async def test_rules_are_proven_accepted_and_taken_back(desk: Workspace) -> None:
    mined = await desk.build_dataset("desk")
    assert (mined.train, mined.validation, mined.holdout) == (60, 20, 20)
    result = await told(desk, "candidate", options(preset="quick", candidate_text=DESK_WITH_RULES))
    assert result.outcome == "proposed", result.payload["reason"]
    proof = result.payload["verification"]
    assert proof["outcome"] == "verified_improvement"
    run = await desk.run(result.uuid)
    assert run.status == "proposed"
    assert (await desk.run_diff(result.uuid)).hunks
    assert await desk.run_evidence(result.uuid)
    accepted = await desk.accept(result.uuid, note="as measured")
    assert accepted.status == "deployed"
    assert desk.active_prompt("generic", "desk").strip() == DESK_WITH_RULES.strip()
    await desk.rollback("desk")
    assert desk.active_prompt("generic", "desk").strip() == DESK.strip()
    page = await desk.export_run(result.uuid, desk.path.parent / "run.html")
    assert (
        "verified" in page.read_text(encoding="utf-8").lower() or "proven" in page.read_text(encoding="utf-8").lower()
    )


async def test_a_search_by_the_model_itself_ends_in_a_finding(desk: Workspace) -> None:
    preset = os.environ.get("HONEYGUIDE_TEST_PRESET", "quick")
    calls = int(os.environ.get("HONEYGUIDE_TEST_MAX_CALLS", "300"))
    result = await told(desk, f"search {preset}", options(preset=preset, max_calls=calls))
    assert result.outcome in ("proposed", "skipped-delta", "skipped-gates")
    assert result.payload["spend"]["calls"] <= calls
    if result.outcome == "proposed":
        accepted = await desk.accept(result.uuid, note="as measured")
        assert accepted.status == "deployed"
        await desk.rollback("desk")
    assert desk.active_prompt("generic", "desk").strip() == DESK.strip()


async def told(desk: Workspace, what: str, chosen: RunOptions) -> RunResult:
    """Run and print what came out, as it goes into docs/real-models.md."""
    began = time.monotonic()
    result = await desk.evolve("desk", chosen, on_progress=lambda p: _say(f"{p.phase} {p.message} {p.detail}"))
    proof = result.payload.get("verification") or {}
    _say(f"{what}: {result.outcome}: {result.payload['reason']}")
    _say(json.dumps({"seconds": round(time.monotonic() - began), "spend": result.payload["spend"], "proof": proof}))
    if result.run is not None:
        _say(result.run.winner_text)
    return result


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
