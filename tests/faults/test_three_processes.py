"""A recorder, an open workspace and a run, in three processes on one workspace, disturb each other in nothing."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from honeyguide.workspace import TraceQuery, Workspace

pytestmark = pytest.mark.anyio
RECORD = """
import asyncio, sys, time
from pathlib import Path
from honeyguide.workspace import Workspace

async def main():
    workspace = await Workspace.open(Path(sys.argv[1]))
    recorder = workspace.recorder()
    print("ready", flush=True)
    slowest = 0.0
    for number in range(int(sys.argv[2])):
        began = time.monotonic()
        with recorder.start(f"How do I sort list number {number}?", persona_id="coder") as run:
            run.record_tool_call("search", {"q": "sort"}, result={"rows": 3})
            run.finish(f"Use sorted(), number {number}.")
        took = time.monotonic() - began
        slowest = max(slowest, took)
        time.sleep(max(0.0, 0.02 - took))
    print(f"slowest {slowest:.3f}", flush=True)
    await workspace.close()

asyncio.run(main())
"""
RUN = """
import asyncio, json, sys
from pathlib import Path
from honeyguide.workspace import RunOptions, Workspace

async def main():
    workspace = await Workspace.open(Path(sys.argv[1]))
    result = await workspace.evolve("writer", RunOptions(seed=1))
    print(json.dumps([result.uuid, result.outcome]), flush=True)
    await workspace.close()

asyncio.run(main())
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("three") / "workspace"

    async def make() -> None:
        workspace = await Workspace.create(path, sample=True)
        await workspace.close()

    asyncio.run(make())
    return path


async def test_recorder_workspace_and_run_work_side_by_side(sample, tmp_path):
    await side_by_side(sample, tmp_path, traces=150)


@pytest.mark.soak
async def test_recorder_workspace_and_run_work_side_by_side_for_a_while(sample, tmp_path):
    await side_by_side(sample, tmp_path, traces=3000)


async def side_by_side(sample: Path, tmp_path: Path, traces: int) -> None:
    folder = Path(shutil.copytree(sample, tmp_path / "workspace"))
    workspace = await Workspace.open(folder)
    seen: list[tuple[str, bool]] = []
    workspace.subscribe(lambda event: seen.append((event.kind, event.own)))
    before = (await workspace.traces(TraceQuery(source="recorder"))).total
    recorder = await asyncio.create_subprocess_exec(
        sys.executable, "-c", RECORD, str(folder), str(traces), stdout=subprocess.PIPE
    )
    run = await asyncio.create_subprocess_exec(sys.executable, "-c", RUN, str(folder), stdout=subprocess.PIPE)
    _, ran = await asyncio.gather(recorder.communicate(), run.communicate())
    assert (recorder.returncode, run.returncode) == (0, 0)
    uuid, outcome = json.loads(ran[0])
    assert outcome == "proposed"
    after = (await workspace.traces(TraceQuery(source="recorder"))).total
    assert after - before == traces
    detail = await workspace.accept(uuid, note="seen from a third process")
    assert detail.status == "deployed"
    for _ in range(40):
        if ("run:deployed", True) in seen:
            break
        await asyncio.sleep(0.05)
    assert ("attempt:finished", False) in seen
    assert ("run:created", False) in seen
    assert ("run:deployed", True) in seen
    await workspace.close()
