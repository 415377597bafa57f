"""Servers on copies of the sample workspace."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from tests.server.servers import RunningServer, run_body, start_server
from tests.workspace.conftest import anyio_backend, folder, sample_folder

__all__ = ["anyio_backend", "folder", "sample_folder"]


@pytest.fixture
def make_server(folder: Path) -> Iterator[Callable[..., RunningServer]]:
    """Return what starts a server on this test's copy; all end with the test."""
    started: list[RunningServer] = []

    def make(**options: object) -> RunningServer:
        server = start_server(folder, **options)
        started.append(server)
        return server

    yield make
    for server in started:
        if server.thread.is_alive():
            server.stop()


@pytest.fixture
def server(make_server: Callable[..., RunningServer]) -> RunningServer:
    """A server with its defaults, whose workspace may be changed."""
    return make_server()


@pytest.fixture
def client(server: RunningServer) -> Iterator[httpx.Client]:
    """A caller without the token."""
    with server.client() as found:
        yield found


@pytest.fixture(scope="module")
def shared(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests of a module that change nothing, with a proposal to look at."""
    home = tmp_path_factory.mktemp("shared")
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(home / "state")
    try:
        found = start_server(Path(shutil.copytree(sample_folder, home / "workspace")))
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before
    with found.client() as client:
        body = run_body(client, preset="efficient")
        done = client.post("/api/evolution/run", json=body).json()
        assert done["outcome"] == "proposed", done
        found.proposal = done["uuid"]  # type: ignore[attr-defined]
    yield found
    found.stop()


@pytest.fixture
def reader(shared: RunningServer) -> Iterator[httpx.Client]:
    """A caller of the shared server, without the token."""
    with shared.client() as found:
        yield found


@pytest.fixture
def proposal(shared: RunningServer) -> str:
    """The id of the shared server's proposal."""
    return str(shared.proposal)  # type: ignore[attr-defined]
