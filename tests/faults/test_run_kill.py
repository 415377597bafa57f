"""A run that is killed at any moment leaves a consistent workspace and goes on without repeating a call."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from honeyguide.kernel.choice import unit
from honeyguide.workspace import RunOptions, Workspace

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL"),
]
RUN = """
import asyncio, sys
from pathlib import Path
from honeyguide.workspace import RunOptions, Workspace

async def main():
    workspace = await Workspace.open(Path(sys.argv[1]))
    result = await workspace.evolve("writer", RunOptions(seed=3))
    print(result.uuid, flush=True)
    await workspace.close()

asyncio.run(main())
"""
ACCEPT = """
import asyncio, sys
from pathlib import Path
from honeyguide.kernel.errors import HoneyguideError
from honeyguide.workspace import Workspace

async def main():
    workspace = await Workspace.open(Path(sys.argv[1]))
    print("ready", flush=True)
    sys.stdin.readline()
    try:
        detail = await workspace.accept(sys.argv[2], note="me first")
        print(detail.status)
    except HoneyguideError as error:
        print(error.code)
    await workspace.close()

asyncio.run(main())
"""


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("killed") / "workspace"

    async def make() -> None:
        workspace = await Workspace.create(path, sample=True)
        await workspace.close()

    asyncio.run(make())
    return path


@pytest.fixture(scope="module")
def undisturbed(sample: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """The same run, left alone."""
    copy = shutil.copytree(sample, tmp_path_factory.mktemp("undisturbed") / "workspace")

    async def run() -> dict[str, object]:
        workspace = await Workspace.open(copy)
        result = await workspace.evolve("writer", RunOptions(seed=3))
        await workspace.close()
        return {
            "decisions": (copy / "runs" / result.uuid / "decisions.jsonl").read_bytes(),
            **journal_of(copy, result.uuid),
        }

    return asyncio.run(run())


def journal_of(folder: Path, uuid: str) -> dict[str, object]:
    lines = (folder / "runs" / uuid / "journal.jsonl").read_bytes().splitlines()
    entries = [json.loads(line) for line in lines]
    return {"requests": sorted(entry["hash"] for entry in entries if entry["kind"] == "reply")}


def kill_after_lines(process: subprocess.Popen[bytes], folder: Path, lines: int) -> str:
    """Kill the process once its journal holds some lines; return the run's id."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        for journal in (folder / "runs").glob("*/journal.jsonl"):
            if journal.read_bytes().count(b"\n") >= lines:
                os.kill(process.pid, signal.SIGKILL)
                process.communicate()
                return journal.parent.name
        if process.poll() is not None:
            break
        time.sleep(0.002)
    raise AssertionError("the run ended before it could be killed")


async def check_killed_run(sample: Path, folder: Path, lines: int, undisturbed: dict[str, object]) -> None:
    shutil.copytree(sample, folder)
    process = subprocess.Popen([sys.executable, "-c", RUN, str(folder)], stdout=subprocess.PIPE)
    uuid = await asyncio.to_thread(kill_after_lines, process, folder, lines)
    workspace = await Workspace.open(folder)
    assert (await workspace.run(uuid)).attempt.state == "interrupted"
    result = await workspace.resume_run(uuid)
    await workspace.close()
    assert (folder / "runs" / uuid / "decisions.jsonl").read_bytes() == undisturbed["decisions"]
    assert journal_of(folder, uuid)["requests"] == undisturbed["requests"], "a call was repeated or is missing"
    assert result.payload["spend"]["calls"] == len(undisturbed["requests"])


@pytest.mark.parametrize("lines", [1, 300, 600])
async def test_a_killed_run_is_resumed_without_repeating_a_call(sample, undisturbed, tmp_path, lines):
    await check_killed_run(sample, tmp_path / "workspace", lines, undisturbed)


@pytest.mark.soak
@pytest.mark.parametrize("number", range(20))
async def test_a_run_may_be_killed_at_any_moment(sample, undisturbed, tmp_path, number):
    most = len(undisturbed["requests"])
    await check_killed_run(sample, tmp_path / "workspace", 1 + int(unit(7, number) * (most - 2)), undisturbed)


async def test_of_two_processes_that_accept_the_same_run_one_wins(sample, tmp_path):
    folder = Path(shutil.copytree(sample, tmp_path / "workspace"))
    workspace = await Workspace.open(folder)
    result = await workspace.evolve("writer", RunOptions(seed=1))
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", ACCEPT, str(folder), result.uuid],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for racer in racers:
        assert racer.stdout.readline() == "ready\n"
    for racer in racers:
        racer.stdin.write("go\n")
        racer.stdin.flush()
    said = sorted([(await asyncio.to_thread(racer.communicate))[0].strip() for racer in racers])
    assert said == ["conflict", "deployed"]
    versions = (await workspace.versions("writer")).versions
    await workspace.close()
    assert [version.origin for version in versions] == ["found", "accepted"]


async def test_a_cancel_from_another_process_stops_the_run_and_it_can_be_resumed(sample, undisturbed, tmp_path):
    folder = Path(shutil.copytree(sample, tmp_path / "workspace"))
    here, there = await Workspace.open(folder), await Workspace.open(folder)
    uuid = await here.start_run("writer", RunOptions(seed=3))
    here.pause_run(uuid)
    await there.cancel_run(uuid)
    with pytest.raises(Exception, match="stopped"):
        await here.wait_run(uuid)
    await there.resume_run(uuid)
    await here.close()
    await there.close()
    assert (folder / "runs" / uuid / "decisions.jsonl").read_bytes() == undisturbed["decisions"]
