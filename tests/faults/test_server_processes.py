"""The server as a program: killed in a run, stopped in a run, started twice."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.fakes.model_server import ModelServer
from tests.server.servers import Event, events_of, run_body
from tests.workspace.conftest import folder, sample_folder

__all__ = ["folder", "sample_folder"]
BASE = "/api/evolution"
VERDICT = '{"correctness": 5, "procedure": 5, "conciseness": 5, "feedback": "It could be warmer."}'
pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills as POSIX does")


@pytest.fixture
def model(folder: Path) -> Iterator[ModelServer]:
    with ModelServer(lambda text: VERDICT, delay=0.05) as found:
        roles = "\n".join(f'{role} = "openai:slow"' for role in ("executor", "judge", "mutator"))
        settings = f'[models]\n{roles}\nbase_urls = {{ openai = "{found.url}/v1" }}\n'
        (folder / "honeyguide.toml").write_text(settings, encoding="utf-8")
        yield found


class Program:
    """``honeyguide serve`` as a child process."""

    def __init__(self, folder: Path, *more: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "honeyguide", "--workspace", str(folder), "serve", "--port", "0", "--json", *more],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        document = ""
        while not document.endswith("}\n"):
            line = self.process.stdout.readline()
            assert line, self.process.stderr.read()
            document += line
        self.url = json.loads(document)["url"]

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, timeout=60)

    def end(self, number: int) -> int:
        self.process.send_signal(number)
        code = self.process.wait(30)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


def honeyguide(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "honeyguide", "--workspace", str(folder), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def begin_run(client: httpx.Client, events: int) -> str:
    """Begin a run, read some events of its stream, and return its id."""
    with client.stream(
        "POST", f"{BASE}/run", json=run_body(client), headers={"Accept": "text/event-stream"}
    ) as response:
        stream = (event for event in events_of(response) if isinstance(event, Event))
        uuid = next(stream).data["uuid"]
        for _ in range(events):
            next(stream)
    return str(uuid)


def test_a_killed_server_leaves_a_run_that_goes_on_without_paying_twice(folder, model):
    program = Program(folder)
    with program.client() as client:
        uuid = begin_run(client, 4)
    assert program.end(signal.SIGKILL) == -signal.SIGKILL
    called = len(model.calls)
    assert called > 0
    again = Program(folder)
    try:
        with again.client() as client:
            assert client.get(f"{BASE}/runs/{uuid}").json()["attempt"]["state"] == "interrupted"
            with client.stream("GET", f"{BASE}/runs/{uuid}/events") as response:
                events = list(events_of(response))
            assert (events[-1].name, events[-1].data["code"]) == ("error", "interrupted")
            assert "runs resume" in events[-1].data["hint"]
        resumed = honeyguide(folder, "runs", "resume", uuid, "--json")
        assert resumed.returncode == 0, resumed.stderr
        result = json.loads(resumed.stdout)
        assert result["uuid"] == uuid
        assert result["outcome"] in ("proposed", "skipped-delta")
        assert result["spend"]["replayed_calls"] > 0
        with again.client() as client:
            assert client.get(f"{BASE}/runs/{uuid}").json()["attempt"]["state"] == result["outcome"]
    finally:
        assert again.end(signal.SIGTERM) == 0


def test_a_stopped_server_says_goodbye_and_leaves_its_run_to_resume(folder, model):
    program = Program(folder)
    with (
        program.client() as client,
        client.stream(
            "POST", f"{BASE}/run", json=run_body(client), headers={"Accept": "text/event-stream"}
        ) as response,
    ):
        stream = (event for event in events_of(response) if isinstance(event, Event))
        uuid = next(stream).data["uuid"]
        program.process.send_signal(signal.SIGINT)
        last = list(stream)[-1]
    assert (last.name, last.data["outcome"]) == ("done", "aborted")
    assert program.process.wait(30) == 0
    errors = program.process.stderr.read()
    program.end(0)
    assert errors == ""
    assert honeyguide(folder, "runs", "resume", uuid, "--json").returncode == 0


def test_a_second_server_says_who_serves_and_a_dead_one_does_not_count(folder):
    program = Program(folder)
    second = honeyguide(folder, "serve", "--port", "0", "--json")
    assert second.returncode == 4
    error = json.loads(second.stdout)["error"]
    assert error["code"] == "locked"
    assert error["pid"] == program.process.pid
    assert str(program.process.pid) in error["message"]
    program.end(signal.SIGKILL)
    third = Program(folder)
    assert third.end(signal.SIGTERM) == 0
