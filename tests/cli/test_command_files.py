"""One call loads the files of its command and no others."""

from __future__ import annotations

import subprocess
import sys

import pytest
import typer

from honeyguide.cli.app import command_line
from honeyguide.cli.commands import FILES, add_commands, with_command
from honeyguide.kernel.errors import NotFound


def _names(app: typer.Typer) -> list[str]:
    return list(typer.main.get_command(app).commands)


def test_the_table_names_every_command_of_every_file():
    for file, names in FILES.items():
        app = typer.Typer()
        app.callback()(lambda: None)
        add_commands(app, [names[0]])
        assert _names(app) == list(names), file


@pytest.mark.parametrize("arguments", [[], ["--help"], ["nonsense"], ["--workspace", "runs"], ["--workspace"]])
def test_all_are_there_where_none_is_named(arguments):
    assert sorted(_names(command_line(arguments))) == sorted(name for names in FILES.values() for name in names)


@pytest.mark.parametrize("arguments", [["runs", "list"], ["--workspace", "targets", "runs"], ["--json", "runs"]])
def test_one_is_there_where_it_is_named(arguments):
    assert _names(command_line(arguments)) == ["runs"]


@pytest.mark.parametrize("arguments", ["versions --help", "evolve --help"])
def test_help_of_a_command_loads_neither_flows_nor_numbers(arguments):
    code = (
        "import sys; from honeyguide.cli.app import run; run(sys.argv[1:]); late = ('honeyguide.flows.desk', 'numpy'); "
        "print([name for name in sys.modules if name.startswith(late)])"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments.split()], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_path_alone_that_is_not_there_is_said_to_be_missing():
    with pytest.raises(NotFound, match=r"gone\.jsonl does not exist\."):
        with_command(["--workspace", "w", "gone.jsonl"])


def test_a_review_alone_is_opened(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.honeyguide-review").touch()
    assert with_command(["--workspace", "w", "a.honeyguide-review", "--json"]) == [
        "--workspace", "w", "open", "a.honeyguide-review", "--json",
    ]  # fmt: skip
    assert with_command(["runs", "list"]) == ["runs", "list"]
    assert with_command(["open", "a.honeyguide-review"]) == ["open", "a.honeyguide-review"]
