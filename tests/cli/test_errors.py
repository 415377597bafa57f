"""Errors are one sentence, a hint, a code, and the exit number of the contract."""

from __future__ import annotations

import pytest

from honeyguide.cli.app import run


@pytest.mark.parametrize(
    ("arguments", "exit_code", "code"),
    [
        (["targets", "show", "nobody"], 3, "not-found"),
        (["evolve", "../../x"], 2, "invalid"),
        (["evolve", ".hidden"], 2, "invalid"),
        (["evolve", "a\x00b"], 2, "invalid"),
        (["runs", "show", "no-such-run"], 3, "not-found"),
        (["runs", "accept", "no-such-run"], 3, "not-found"),
        (["versions", "show", "writer", "99"], 3, "not-found"),
        (["versions", "rollback", "writer"], 3, "not-found"),
        (["evolve", "writer", "--preset", "huge"], 2, "invalid"),
        (["evolve", "writer", "--min-delta", "7"], 2, "invalid"),
        (["evolve", "writer", "--candidate", "no-such-file"], 2, "unreadable"),
        (["evolve", "writer", "--model", "practice:other"], 2, "invalid"),
        (["evolve", "writer", "--model", "nonsense"], 2, "invalid"),
        (["evolve", "writer", "--model", "anthropic:claude-haiku-4-5"], 6, "policy"),
        (["evolve", "writer", "--model", "anthropic:claude-haiku-4-5", "--yes"], 5, "no-key"),
        (["evolve", "writer", "--model", "anthropic:claude-of-tomorrow", "--yes"], 6, "policy"),
        (["evolve", "writer", "--max-calls", "none"], 2, "invalid"),
        (["runs", "accept"], 2, "invalid"),
        (["no-such-command"], 2, "invalid"),
    ],
)
def test_an_error_has_its_code_and_exit_number(cli, arguments, exit_code, code):
    said = cli(*arguments, "--json")
    assert said.exit_code == exit_code
    assert said.json["error"]["code"] == code
    assert said.json["error"]["message"]


def test_an_error_under_events_is_the_last_event(cli):
    said = cli("evolve", "nobody", "--events")
    assert said.exit_code == 3
    assert [line["event"] for line in said.lines] == ["error"]
    assert said.lines[0]["data"]["code"] == "not-found"


def test_without_a_workspace_it_says_how_to_make_one(tmp_path, capsys):
    assert run(["--workspace", str(tmp_path / "nowhere"), "targets", "list"]) == 3
    assert "honeyguide init" in capsys.readouterr().err


def test_a_workspace_is_not_made_twice(cli, folder):
    assert cli("init", folder, "--json").json["error"]["code"] == "conflict"


def test_a_policy_refusal_carries_the_plan(cli):
    said = cli("evolve", "writer", "--model", "anthropic:claude-haiku-4-5", "--json")
    assert said.json["error"]["plan"]["calls"]["high"] > 0


def test_the_version_is_printed(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("honeyguide 0.")


def test_an_interrupted_command_prints_one_document_and_exits_130(cli, monkeypatch):
    def interrupted(work):
        raise KeyboardInterrupt

    monkeypatch.setattr("honeyguide.cli.session.run_async", interrupted)
    said = cli("harness", "registry", "list", "--json")
    assert (said.exit_code, said.json["error"]["code"]) == (130, "interrupted")
