"""An open store in a folder of the test, on a clock that the test moves."""

from __future__ import annotations

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
    return tmp_path / "workspace" / "honeyguide.db"


@pytest.fixture
def store(database: Path, clock: ManualClock) -> Iterator[Store]:
    with Store.open(database, create=True, clock=clock, actor=Actor("cli", "ada")) as opened:
        yield opened
