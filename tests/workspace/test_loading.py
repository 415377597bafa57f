"""A program waits for what it uses: names and parts are imported when they are first asked for."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

_LISTS_RUNS = """
import asyncio, sys
from pathlib import Path
from honeyguide.workspace import RunFilter, Workspace

async def work():
    async with await Workspace.create(Path(sys.argv[1])):
        pass
    async with await Workspace.open(Path(sys.argv[1])) as workspace:
        assert (await workspace.run_rows(RunFilter())).total == 0
        assert (await workspace.run_status()).pending == 0
        assert workspace.active_runs() == ()

asyncio.run(work())
print("\\n".join(sorted(sys.modules)))
"""
HEAVY = (
    "numpy", "pydantic", "yaml", "ruamel", "markdown_it", "jsonschema", "tenacity", "keyring", "anthropic", "openai",
    "PySide6", "honeyguide.evolution.orchestrator", "honeyguide.flows.desk", "honeyguide.harnesses",
    "honeyguide.prompts.carriers", "honeyguide.traces.redaction", "honeyguide.suites", "honeyguide.feedback",
)  # fmt: skip


def test_listing_the_runs_of_a_workspace_imports_nothing_that_it_does_not_use(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LISTS_RUNS, str(tmp_path / "workspace")], capture_output=True, text=True, check=True
    )
    assert set(HEAVY) & set(done.stdout.splitlines()) == set()


@pytest.mark.parametrize("name", ["honeyguide.workspace", "honeyguide.llm"])
def test_every_name_of_a_package_is_found_where_readers_and_checkers_are_told(name: str) -> None:
    package = import_module(name)
    told = _imported_for_checkers(Path(package.__file__ or ""))
    assert set(package.__all__) == set(told)
    for public, module in told.items():
        assert getattr(package, public) is getattr(import_module(module), public)
    assert set(package.__all__) <= set(dir(package))


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    package = import_module("honeyguide.workspace")
    with pytest.raises(AttributeError, match="no attribute 'Nonesuch'"):
        _ = package.Nonesuch


def _imported_for_checkers(file: Path) -> dict[str, str]:
    """Return the names under ``if TYPE_CHECKING`` with their modules."""
    found: dict[str, str] = {}
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.If):
            for line in node.body:
                if isinstance(line, ast.ImportFrom):
                    found.update({alias.name: line.module or "" for alias in line.names})
    return found
