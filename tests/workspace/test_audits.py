"""The shelf audit without and with a workspace, and the places in which agents keep things."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from honeyguide.kernel.errors import NotFound
from honeyguide.workspace.audits import audit_prompts, find_agents, look_over, usage_of
from honeyguide.workspace.history import History
from tests.workspace.sessions import SESSION, assistant, conversation, user, write

pytestmark = pytest.mark.anyio


def skill(folder: Path, name: str, description: str = "Writes the notes of a release. Use it for releases.") -> Path:
    path = folder / "skills" / name / "SKILL.md"
    path.parent.mkdir(parents=True)
    path.write_text(f"---\nname: {name}\ndescription: {description}\n---\n\nList every change, the oldest first.\n")
    return path


async def test_a_shelf_is_looked_over_without_any_workspace(tmp_path):
    path = skill(tmp_path, "notes", "Writes notes: see also [[x]]: broken: yaml")
    report = await audit_prompts([tmp_path], workspace=tmp_path / "nowhere")
    assert report.files == 1
    assert {finding.severity for finding in report.findings} <= {"error", "warning", "info"}
    first = report.findings[0]
    assert first.place == f"{path}:{first.line}"
    data = report.to_json()
    assert data["findings"][0]["place"] == first.place
    assert data["not_run"] == {"never-used": "no history is imported"}
    assert report.counts["error"] == sum(f.severity == "error" for f in report.findings)
    assert "<html" in report.to_html()
    json.dumps(data)


async def test_nothing_is_changed_and_a_secret_is_named_without_being_shown(tmp_path):
    key = "ghp_" + "a8Kx2Lm9Wv4Tn7RpQ3sD6fG1hJ5kL0zXcVbN"[:36]
    path = skill(tmp_path, "notes")
    path.write_text(path.read_text() + f"\nUse {key}.\n")
    before = path.read_bytes()
    report = await audit_prompts([path])
    assert "secret" in {finding.code for finding in report.findings}
    assert key not in json.dumps(report.to_json()) + report.to_html()
    assert path.read_bytes() == before


async def test_a_path_that_is_not_there_is_an_error_and_one_among_others_is_named(tmp_path):
    with pytest.raises(NotFound):
        await audit_prompts([tmp_path / "nowhere"])
    report = await audit_prompts([tmp_path / "nowhere", skill(tmp_path, "notes")])
    assert report.files == 1
    assert [path for path, _ in report.skipped] == [str(tmp_path / "nowhere")]
    assert report.to_json()["skipped"][0]["path"].endswith("nowhere")


async def test_the_usual_places_are_looked_at_when_none_is_named(tmp_path, monkeypatch):
    home = tmp_path / "home"
    skill(home / ".claude", "notes")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.chdir(empty)
    assert (await audit_prompts(None, environ={})).files == 1
    (empty / "AGENTS.md").write_text("Be brief.\n")
    assert (await audit_prompts(None, environ={})).files == 2


async def test_imported_history_says_what_was_never_used(core, tmp_path):
    sessions = tmp_path / "h"
    for number in range(10):
        conversation(sessions, number)
    await History(core).import_traces([sessions])
    shelf = tmp_path / "shelf"
    skill(shelf, "units")
    skill(shelf, "unloved", "Paints pictures of boats. Use it for boats.")
    usage = await core.store.read(usage_of)
    assert (usage.sessions, usage.calls["units"], usage.since) == (10, 10, "2026-01-01")
    report = look_over([shelf], usage, {})
    unused = [finding for finding in report.findings if finding.code == "never-used"]
    assert ["unloved" in finding.message for finding in unused] == [True]
    from_file = await audit_prompts([shelf], workspace=core.layout.root)
    assert [f.message for f in from_file.findings] == [f.message for f in report.findings]


def test_agents_are_found_by_listings_alone(tmp_path, monkeypatch):
    skill(tmp_path / ".claude", "notes")
    folder = tmp_path / ".claude" / "projects" / "-home-ada-shop"
    conversation(folder, 0)
    write(folder / SESSION.format(0) / "subagents" / "agent-1.jsonl", user(0, "Hi there"), assistant(1, "Hello"))
    (tmp_path / ".codex" / "sessions").mkdir(parents=True)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a file was opened")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    found = {(agent.program, agent.kind): agent for agent in find_agents(tmp_path, {})}
    assert found["Claude Code", "prompts"].count == 1
    assert found["Claude Code", "history"].to_json()["count"] == 2
    assert found["Claude Code", "history"].bytes > 100
    assert ("Codex", "history") not in found
