"""A workspace with the sample's history, made once and copied for each test."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from honeyguide.workspace import Workspace
from honeyguide.workspace.core import Core
from honeyguide.workspace.opening import open_core


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def sample_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample workspace as 'honeyguide init --sample' makes it; only copies of it may be changed."""
    path = tmp_path_factory.mktemp("sample") / "workspace"

    async def make() -> None:
        workspace = await Workspace.create(path, sample=True)
        await workspace.close()

    asyncio.run(make())
    return path


@pytest.fixture
def folder(sample_folder: Path, tmp_path: Path) -> Path:
    """A copy of the sample workspace."""
    return Path(shutil.copytree(sample_folder, tmp_path / "workspace"))


@pytest.fixture
async def workspace(folder: Path, anyio_backend: str) -> AsyncIterator[Workspace]:
    """The copy, open."""
    opened = await Workspace.open(folder)
    yield opened
    await opened.close()


@pytest.fixture(scope="session")
def fresh_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty workspace, made once; only copies of it may be changed."""
    path = tmp_path_factory.mktemp("fresh") / "workspace"

    async def make() -> None:
        workspace = await Workspace.create(path)
        await workspace.close()

    asyncio.run(make())
    return path


@pytest.fixture
async def core(fresh_folder: Path, tmp_path: Path, anyio_backend: str) -> AsyncIterator[Core]:
    """The parts of an empty workspace, open."""
    opened = open_core(Path(shutil.copytree(fresh_folder, tmp_path / "workspace")), create=False)
    yield opened
    await opened.close()
