"""Fixtures for tests of the whole window."""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent

from tests.desktop.workspaces import make_proposed, make_sample


@pytest.fixture(scope="session")
def sample_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample workspace; not to be changed."""
    return make_sample(tmp_path_factory.mktemp("sample") / "workspace")


@pytest.fixture(scope="session")
def proposed_once(tmp_path_factory: pytest.TempPathFactory, sample_once: Path) -> Path:
    """The sample with finished runs; not to be changed."""
    return make_proposed(tmp_path_factory.mktemp("proposed") / "workspace", sample_once)


@pytest.fixture
def sample(tmp_path: Path, sample_once: Path) -> Path:
    """A sample workspace of one's own."""
    return Path(shutil.copytree(sample_once, tmp_path / "workspace"))


@pytest.fixture
def proposed(tmp_path: Path, proposed_once: Path) -> Path:
    """A sample workspace with finished runs of one's own."""
    return Path(shutil.copytree(proposed_once, tmp_path / "workspace"))


@pytest.fixture(autouse=True)
def _collected_here() -> Iterator[None]:
    """Collect a test's garbage on the main thread: a Qt object that a worker thread collects crashes the next timer."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
