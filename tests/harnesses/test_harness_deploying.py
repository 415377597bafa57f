"""Packing, serving, MCP and the commands of harness folders, end to end."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from honeyguide.cli import harness as commands
from honeyguide.harnesses.deploy.agents import build_server, offer
from honeyguide.harnesses.deploy.http import HarnessServer, has_key
from honeyguide.harnesses.deploy.packaging import package
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.kernel.errors import (
    HoneyguideError,
    NotFound,
    PolicyRefused,
    Untrusted,
)
from honeyguide.llm.protocol import ModelRef
from tests.fakes.harness_app import App, asked, failing, server_for
from tests.fakes.harness_folders import SPEC, Scribe, write_folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


# --- deploying


def test_a_package_is_clean_leaves_the_folder_alone_and_starts_trusted(root, tmp_path):
    (root / ".env").write_text("KEY=1")
    (root / ".env.example").write_text("KEY=\n")
    (root / "tools" / "old.py.bak").write_text("x")
    (tmp_path / "outside.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    Scribe(root).run()
    before = sorted(str(p) for p in root.rglob("*"))
    harness = Harness.open(root)
    made = package(harness, tmp_path / "out", "2026-01-01T00:00:00Z", docker=True, serve=True)
    assert sorted(str(p) for p in root.rglob("*")) == before
    names = zipfile.ZipFile(made.path).namelist()
    assert names == [
        "desk-clerk/.dockerignore", "desk-clerk/.env.example", "desk-clerk/Dockerfile", "desk-clerk/harness.yaml",
        "desk-clerk/hiveloom.lock", "desk-clerk/tools/drawers.py", "desk-clerk/validators/tone.py",
    ]  # fmt: skip
    dockerfile = zipfile.ZipFile(made.path).read("desk-clerk/Dockerfile").decode()
    assert "HIVELOOM_TRUST=always" in dockerfile
    assert '"serve"' in dockerfile
    assert harness.version in zipfile.ZipFile(made.path).read("desk-clerk/hiveloom.lock").decode()


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="needs sha256sum")
def test_an_image_is_built_from_what_was_packed_and_from_nothing_else(root, tmp_path):
    (root / "it's odd.txt").write_text("a file whose name needs quotes")
    made = package(Harness.open(root), tmp_path / "out", "2026-01-01T00:00:00Z", docker=True)
    zipfile.ZipFile(made.path).extractall(tmp_path / "context")
    context = tmp_path / "context" / "desk-clerk"
    lines = (context / "Dockerfile").read_text()
    check = lines[lines.index("RUN printf") + 4 : lines.index("ENV HIVELOOM_TRUST")]
    assert subprocess.run(["sh", "-c", check], cwd=context, check=False).returncode == 0
    (context / "tools/drawers.py").write_text("import os\n")
    assert subprocess.run(["sh", "-c", check], cwd=context, check=False, capture_output=True).returncode != 0


def test_packing_code_that_nobody_trusts_into_an_image_is_refused(root, state, tmp_path):
    app = App(state)
    plain = asyncio.run(app.serving.package(root, tmp_path / "out")).to_json()
    assert plain["trusted"] is False
    with pytest.raises(Untrusted):
        asyncio.run(app.serving.package(root, tmp_path / "out", docker=True))
    app.trust(root)
    assert asyncio.run(app.serving.package(root, tmp_path / "out", docker=True)).to_json()["trusted"] is True


def test_a_link_to_a_secret_or_a_journal_is_not_packed(root, tmp_path):
    (root / ".env").write_text("KEY=1")
    (root / "notes.txt").symlink_to(root / ".env")
    journal = Scribe(root).run()
    (root / "runs.jsonl").symlink_to(root / ".hiveloom/traces" / f"{journal}.jsonl")
    made = package(Harness.open(root), tmp_path / "out", "2026-01-01T00:00:00Z")
    assert not any(name.endswith(("notes.txt", "runs.jsonl", ".env")) for name in made.names)


def test_a_wheel_is_embedded_and_a_missing_one_refused(root, tmp_path):
    wheel = tmp_path / "runtime-1-py3-none-any.whl"
    with pytest.raises(NotFound):
        package(Harness.open(root), tmp_path, "t", docker=True, wheel=wheel)
    wheel.write_bytes(b"PK")
    made = package(Harness.open(root), tmp_path, "t", docker=True, wheel=wheel)
    assert f"desk-clerk/runtime/{wheel.name}" in made.names
    assert f"/harness/runtime/{wheel.name}" in zipfile.ZipFile(made.path).read("desk-clerk/Dockerfile").decode()


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"input": "a", "messages": [{"role": "user", "content": "b"}]}, 400, "body must carry exactly one of"),
        ({"input": "a", "foo": 1}, 400, "unknown fields: ['foo']"),
        ({}, 400, "body must carry exactly one of"),
        ({"messages": [{"role": "system", "content": "b"}]}, 422, "messages[0].role must be 'user' or 'assistant'"),
        ([], 400, "body must be a JSON object"),
    ],
)
def test_requests_that_make_no_sense_are_refused(root, state, body, status, said):
    answer = asked(server_for(App(state), root), "POST", "/runs", json=body)
    assert answer.status_code == status
    assert answer.json()["error"].startswith(said)


def test_a_run_over_http_takes_its_input_as_text_and_leaves_a_journal(root, state):
    app = App(state)
    app.trust(root)
    server = server_for(app, root, "sesame")
    assert asked(server, "POST", "/runs", json={"input": "x"}).json() == {
        "ok": False, "error": "missing or invalid API key",
    }  # fmt: skip
    answer = asked(server, "POST", "/runs", json={"input": "/etc/passwd"}, headers={"x-api-key": "sesame"})
    assert (answer.status_code, answer.json()["status"]) == (200, "verify_failed")
    assert app.provider.asked[0].messages[0].content == "/etc/passwd"
    assert (root / ".hiveloom/traces" / f"{answer.json()['run_id']}.jsonl").exists()
    health = asked(server, "GET", "/healthz").json()
    assert (health["ok"], health["version_hash"]) == (True, Harness.open(root).version)
    assert asked(server, "GET", "/nope").json() == {"ok": False, "error": "unknown path /nope"}
    stop = asked(server, "POST", "/runs/run_x/stop", headers={"authorization": "Bearer sesame"})
    assert (stop.status_code, stop.json()["error"]) == (404, "no running run with id 'run_x'")


def test_a_streamed_run_begins_with_its_id_and_ends_with_its_result(root, state):
    app = App(state)
    app.trust(root)
    answer = asked(server_for(app, root), "POST", "/runs", json={"input": "x", "stream": True})
    lines = [json.loads(line) for line in answer.text.split("\n") if line]
    assert [lines[0]["type"], lines[1]["type"], lines[-2]["type"], lines[-1]["type"]] == [
        "run_accepted", "run_started", "run_finished", "run_result",
    ]  # fmt: skip
    assert lines[-1]["run_id"] == lines[0]["run_id"]


def test_a_caller_that_leaves_before_the_first_line_frees_its_place(root, state):
    app = App(state)
    app.trust(root)
    server = server_for(app, root)

    async def leave() -> None:
        body = json.dumps({"input": "x", "stream": True}).encode()
        scope = {
            "type": "http", "http_version": "1.1", "method": "POST", "path": "/runs", "raw_path": b"/runs",
            "query_string": b"", "headers": [], "scheme": "http", "server": ("desk", 80), "client": ("c", 1),
        }  # fmt: skip
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive() -> dict[str, Any]:
            return messages.pop(0) if messages else {"type": "http.disconnect"}

        async def send(message: Mapping[str, Any]) -> None:
            raise OSError("gone")

        try:
            await server.app()(scope, receive, send)
        except BaseException as error:  # whatever a web server makes of it
            assert not isinstance(error, AssertionError)
        await asyncio.gather(*(asyncio.all_tasks() - {asyncio.current_task()}), return_exceptions=True)

    asyncio.run(leave())
    assert asked(server, "POST", "/runs", json={"input": "x"}).status_code == 200


@pytest.mark.parametrize("stream", [False, True])
def test_an_accident_in_a_run_is_one_json_answer(root, state, stream):
    async def once(path: Path, input: str, **more: Any) -> RunOutcome:
        raise ZeroDivisionError

    server = HarnessServer(root, once)
    try:
        answer = asked(server, "POST", "/runs", json={"input": "x", "stream": stream})
    except ZeroDivisionError:  # after the answer, for the log of the web server
        return
    last = json.loads([line for line in answer.text.split("\n") if line][-1])
    assert last["ok"] is False
    assert "ZeroDivisionError" in last["error"]


@pytest.mark.parametrize(
    ("headers", "is_right"),
    [
        ({"authorization": "Bearer k"}, True), ({"x-api-key": "k"}, True), ({"authorization": "Basic k"}, False),
        ({"x-api-key": "kk"}, False), ({}, False),
    ],
)  # fmt: skip
def test_the_key_comes_as_bearer_or_in_its_header(headers, is_right):
    assert has_key(headers, "k") is is_right
    assert has_key(headers, "") is True


def test_harnesses_are_tools_for_other_agents_and_broken_ones_are_left_out(root, tmp_path, state):
    app = App(state)
    app.trust(root)
    Scribe(root).run()
    untrusted = write_folder(tmp_path / "other", SPEC.replace("desk-clerk", "other clerk"))
    warnings: list[str] = []
    offered = offer([root, tmp_path / "gone", untrusted], app.home.trust.require, warnings.append)
    assert [o.tool for o in offered] == ["run_desk-clerk"]
    assert len(warnings) == 2

    async def once(path: Path, input: str) -> RunOutcome:
        return (await app.running.run(path, input)).outcome

    def fitness(path: Path) -> Mapping[str, Any]:
        from honeyguide.workspace.harness_serving import fitness_of

        return fitness_of(path, app.home.state)

    async def use() -> tuple[list[str], Any, Any]:
        server = build_server(offered, once, fitness)
        tools = [tool.name for tool in await server.list_tools()]
        ran = await server.call_tool("run_desk-clerk", {"input": "Where?"})
        listed = await server.call_tool("list_harnesses", {})
        return tools, structured(ran), structured(listed)

    tools, ran, listed = asyncio.run(use())
    assert tools == ["run_desk-clerk", "list_harnesses"]
    assert (ran["status"], ran["turns"], len(ran["verdicts"])) == ("verify_failed", 3, 2)
    assert listed["harnesses"] == [
        {
            "tool": "run_desk-clerk", "name": "desk-clerk", "description": "Answers questions at a desk",
            "total_runs": 2, "success_rate": 0.5, "avg_cost_usd": 0.0005, "avg_turns": 2.0,
        }
    ]  # fmt: skip


def structured(answer: Any) -> Any:
    """Return the structured part of a tool's answer, however the library wraps it."""
    if isinstance(answer, tuple):
        return answer[1]
    return getattr(answer, "structured_content", None) or answer


def test_a_bind_that_others_reach_is_refused_without_a_key(root, state):
    app = App(state)
    app.trust(root)
    with pytest.raises(PolicyRefused, match="HIVELOOM_API_KEY"):
        asyncio.run(app.serving.serve(root, "0.0.0.0", 0, model=None, concurrency=1))


# --- the command line


def command(*arguments: str) -> int:
    result = commands.app(args=list(arguments), standalone_mode=False)
    return result if isinstance(result, int) else 0


def test_commands_work_without_a_workspace_and_print_one_document(root, capsys):
    failing(root)
    for name in ("validate", "hash", "stats", "friction", "signal", "assess"):
        assert command(name, str(root), "--json") == 0
        assert isinstance(json.loads(capsys.readouterr().out), dict)
    assert command("evolve", str(root), "--plan", "--json") == 0
    assert json.loads(capsys.readouterr().out)["calls"] == {"low": 1, "high": 3}


def test_init_set_trust_and_registry_from_the_command_line(tmp_path, capsys):
    folder = tmp_path / "fresh"
    assert command("init", str(folder), "--json") == 0
    made = json.loads(capsys.readouterr().out)
    assert made["ok"]
    assert (folder / ".gitignore").read_text().split() == [".env", ".venv/", ".hiveloom/", "__pycache__/"]
    assert command("set", "loop.max_turns", "5", str(folder), "--json") == 0
    assert json.loads(capsys.readouterr().out)["old_version_hash"] == made["version_hash"]
    assert command("registry", "add", str(folder), "--json") == 0
    capsys.readouterr()
    assert command("registry", "list", "--json") == 0
    assert json.loads(capsys.readouterr().out)["total"] == 1
    assert command("run", str(folder), "--input", "Hello", "--model", "practice:practice", "--json") == 0
    assert json.loads(capsys.readouterr().out)["status"] == "success"


def test_an_invalid_folder_exits_2_and_applying_without_being_asked_is_refused(tmp_path, root, capsys):
    broken = write_folder(tmp_path / "broken", "name: x\n", {})
    assert command("validate", str(broken), "--json") == 2
    assert json.loads(capsys.readouterr().out)["problems"][0]["remedy"] == "Add 'description:' with a value."
    with pytest.raises(HoneyguideError) as refused:
        command("proposals", "apply", str(root), "prop_1", "--json")
    assert refused.value.exit_code == 6
    assert ModelRef.parse("practice").model == "practice"
