"""The command line in this process, on copies of the sample workspace."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli.app import run


@dataclass(frozen=True)
class Said:
    """What a command printed and how it ended."""

    exit_code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.out.splitlines()]


Cli = Callable[..., Said]


@pytest.fixture(scope="session")
def sample_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "workspace"
    assert run(["init", str(path), "--sample", "--json"]) == 0
    return path


@pytest.fixture
def folder(sample_workspace: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(sample_workspace, tmp_path / "workspace"))


@pytest.fixture
def cli(folder: Path, capfd: pytest.CaptureFixture[str]) -> Cli:
    def call(*arguments: object) -> Said:
        capfd.readouterr()
        code = run(["--workspace", str(folder), *map(str, arguments)])
        captured = capfd.readouterr()
        return Said(code, captured.out, captured.err)

    return call
