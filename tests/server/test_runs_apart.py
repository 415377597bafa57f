"""Runs in a process of their own: told live, refused, stopped and resumed just as on the server's own loop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from honeyguide.workspace import Workspace
from tests.server.servers import Event, RunningServer, events_of, run_body
from tests.server.test_live_events import BASE, slow_model, streamed, wait_until

__all__ = ["slow_model"]


@pytest.fixture
def apart(slow_model: object, make_server: Callable[..., RunningServer]) -> RunningServer:
    """A server whose runs have a process of their own and take their time."""
    return make_server(runs_apart=True)


def test_a_run_apart_is_told_refused_to_others_and_stopped(apart: RunningServer) -> None:
    with apart.client() as client, streamed(client) as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        second = client.post(f"{BASE}/run", json=run_body(client))
        assert (second.status_code, second.json()["code"]) == (409, "locked")
        assert uuid in second.json()["error"]
        assert client.post(f"{BASE}/runs/{uuid}/cancel", headers=apart.auth).status_code == 202
        events = [event for event in stream if isinstance(event, Event)]
    assert {event.name for event in events[:-1]} == {"progress"}
    assert (events[-1].name, events[-1].data["outcome"]) == ("done", "aborted")


@pytest.mark.skipif(sys.platform == "win32", reason="kills by signal")
def test_a_process_that_dies_ends_its_stream_and_the_run_is_resumed(apart: RunningServer, folder: Path) -> None:
    with apart.client() as client, streamed(client) as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        next(stream)
        refused = client.post(f"{BASE}/run", json=run_body(client)).json()
        os.kill(refused["pid"], signal.SIGKILL)
        last = [event for event in stream if isinstance(event, Event)][-1]
        assert (last.name, last.data["uuid"]) == ("error", uuid)
        assert "runs resume" in last.data["hint"]
        wait_until(lambda: client.get(f"{BASE}/runs/{uuid}").json()["status"] == "interrupted")
        again = client.post(f"{BASE}/run", json=run_body(client, "planner"))
        assert again.status_code == 200, again.text

    async def resume() -> str:
        async with await Workspace.open(folder) as workspace:
            return (await workspace.resume_run(uuid)).uuid

    assert asyncio.run(resume()) == uuid


def test_stopping_the_server_stops_the_process(apart: RunningServer) -> None:
    with apart.client() as client, streamed(client, preset="thorough") as response:
        stream = events_of(response)
        uuid = next(stream).data["uuid"]
        next(stream)
        pid = client.post(f"{BASE}/run", json=run_body(client)).json()["pid"]
        stopping = threading.Thread(target=apart.stop)
        stopping.start()
        last = [event for event in stream if isinstance(event, Event)][-1]
        stopping.join()
    assert (last.data["uuid"], last.data["outcome"]) == (uuid, "aborted")
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
