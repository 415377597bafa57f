"""An open store in a folder of the test, on a clock that the test moves."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from honeyguide.kernel.clock import ManualClock
from honeyguide.storage import Store
from honeyguide.storage.records import Actor


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """Where a database may be made; nothing is there yet."""
    return tmp_path / "workspace" / "honeyguide.db"


@pytest.fixture(scope="session")
def fresh_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new database, made once: its tables take longer to make than most tests."""
    path = tmp_path_factory.mktemp("fresh") / "honeyguide.db"
    Store.open(path, create=True, clock=ManualClock()).close()
    return path


@pytest.fixture
def store(database: Path, fresh_database: Path, clock: ManualClock) -> Iterator[Store]:
    database.parent.mkdir(mode=0o700)
    shutil.copy(fresh_database, database)
    with Store.open(database, clock=clock, actor=Actor("cli", "ada")) as opened:
        yield opened
