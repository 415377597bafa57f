"""Servers on copies of the sample workspace."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2 as httpx
import pytest

from honeyguide.workspace import RunOptions, Workspace
from tests.server.servers import RunningServer, proposed, start_server
from tests.workspace.conftest import anyio_backend, folder, sample_folder

__all__ = ["anyio_backend", "folder", "sample_folder"]


@pytest.fixture(scope="session")
def decided_folder(sample_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample workspace after one run, whose proposal waits for a person; only copies of it may be changed."""
    path = Path(shutil.copytree(sample_folder, tmp_path_factory.mktemp("proposed") / "workspace"))

    async def propose() -> None:
        async with await Workspace.open(path) as workspace:
            assert (await workspace.evolve("writer", RunOptions())).outcome == "proposed"

    asyncio.run(propose())
    return path


@pytest.fixture
def waiting(decided_folder: Path, folder: Path) -> None:
    """Let this test's workspace begin with a proposal on the writer; ask for it before the server."""
    shutil.rmtree(folder)
    shutil.copytree(decided_folder, folder)


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
def shared(decided_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """One server for all tests of a module that change nothing, with a proposal to look at."""
    home = tmp_path_factory.mktemp("shared")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(home / "state"))
        found = start_server(Path(shutil.copytree(decided_folder, home / "workspace")))
    yield found
    found.stop()


@pytest.fixture
def reader(shared: RunningServer) -> Iterator[httpx.Client]:
    """A caller of the shared server, without the token."""
    with shared.client() as found:
        yield found


@pytest.fixture
def proposal(reader: httpx.Client) -> str:
    """The id of the shared server's proposal."""
    return proposed(reader)["run_uuid"]
