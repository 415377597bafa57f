"""The harness part of the application and its commands, end to end, with a model that is scripted or practised."""

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
from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.deploy.agents import build_server, offer
from honeyguide.harnesses.deploy.http import HarnessServer, has_key
from honeyguide.harnesses.deploy.packaging import package
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.kernel.errors import (
    Conflict,
    GateRefused,
    HoneyguideError,
    NotFound,
    PolicyRefused,
    Untrusted,
)
from honeyguide.llm.prices import FreeQuote
from honeyguide.llm.protocol import ModelRef, ModelReply, ModelRequest, ModelRole, Usage
from honeyguide.workspace import Origin
from honeyguide.workspace.harness_views import (
    EvolveOptions,
    Harnesses,
    HarnessEvolving,
    HarnessHome,
    HarnessRunning,
    HarnessServing,
)
from tests.fakes.harness_folders import SPEC, Scribe, write_folder

ORIGIN = Origin("python", "tester")
GOOD = {
    "rationale": "say the drawer first",
    "target": {"signal": "status:verify_failed", "expect": "decrease"},
    "yaml_changes": [
        {"path": "system_prompt", "value": "Begin with the drawer, as in drawer: 3.\n"},
        {"path": "guardrails", "value": []},
    ],
}


class ScriptedProvider:
    """Stands where a provider stands: the mutator's replies are given, the executor answers by its prompt."""

    def __init__(self, *drafts: str) -> None:
        self.drafts = list(drafts)
        self.asked: list[ModelRequest] = []

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.asked.append(request)
        if request.role is ModelRole.MUTATOR:
            return ModelReply(self.drafts.pop(0) if self.drafts else "no idea", usage=Usage(10, 10))
        return ModelReply("drawer: 3" if "as in drawer" in request.system else "the third", usage=Usage(10, 10))

    async def close(self) -> None:
        """Nothing is open."""

    @property
    def drafted(self) -> int:
        return sum(request.role is ModelRole.MUTATOR for request in self.asked)


class App:
    """The parts of the application, on one provider that costs nothing."""

    def __init__(self, state: Path, *drafts: str) -> None:
        self.home = HarnessHome.alone({}, state)
        self.provider = ScriptedProvider(*drafts)
        registry = self.home.registry()
        registry.provider = lambda ref: self.provider  # type: ignore[method-assign]
        registry.quote = lambda ref, batch=False: FreeQuote()  # type: ignore[method-assign]
        registry.costs_money = lambda ref: False  # type: ignore[method-assign]
        self.harnesses = Harnesses(self.home)
        self.evolving = HarnessEvolving(self.home)
        self.running = HarnessRunning(self.home, self.evolving)
        self.serving = HarnessServing(self.home, self.running)

    def trust(self, root: Path) -> None:
        asyncio.run(self.harnesses.trust(root, ORIGIN))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "desk")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def failing(root: Path, count: int = 3) -> None:
    scribe = Scribe(root)
    for number in range(count):
        scribe.run("verify_failed", task=f"Where is item {number}?", feedback=["output must match"])


def evolve(app: App, root: Path, **options: Any):
    return asyncio.run(app.evolving.evolve(root, EvolveOptions(**options)))


# --- evolving


def test_a_draft_is_queued_with_its_gate_and_the_same_state_is_paid_for_once(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    first = evolve(app, root)
    again = evolve(app, root)
    assert (first.is_new, again.is_new, again.proposal_id) == (True, False, first.proposal_id)
    assert app.provider.drafted == 1
    data = first.document.to_json()
    assert [c["path"] for c in data["gate"]["accepted"]] == ["system_prompt"]
    assert data["gate"]["rejected"] == [{"path": "guardrails", "reason": "frozen path"}]
    assert (data["proof"]["state"], data["status"], data["trigger"]) == ("unproven", "pending", "manual")


def test_with_excerpts_on_asking_twice_still_pays_once_and_the_queue_holds_no_payload(tmp_path, state):
    root = write_folder(tmp_path / "h", SPEC + "evolution:\n  trace_excerpts: {enabled: true}\n")
    Scribe(root).run("verify_failed", task="find the XYLOPHONE-4711", feedback=["no"], output="XYLOPHONE-4711")
    app = App(state, json.dumps(GOOD))
    assert evolve(app, root).proposal_id == evolve(app, root).proposal_id
    assert app.provider.drafted == 1
    assert "XYLOPHONE-4711" in app.provider.asked[0].messages[0].content
    stored = "".join(p.read_text() for p in (root / ".hiveloom" / "honeyguide").rglob("*.json"))
    assert "XYLOPHONE" not in stored
    assert '"digest"' in stored


def test_nothing_to_evolve_asks_no_model(root, state):
    Scribe(root).run()
    app = App(state)
    data = evolve(app, root).document.to_json()
    assert (data["changed"], app.provider.asked) == (False, [])
    assert data["reason"].startswith("no failures recorded for the current harness version")


def test_a_draft_of_frozen_paths_alone_is_refused(root, state):
    failing(root)
    only = {**GOOD, "yaml_changes": [{"path": "model.id", "value": "x"}]}
    with pytest.raises(GateRefused, match="frozen path"):
        evolve(App(state, json.dumps(only)), root)


def test_replaying_recorded_inputs_proves_the_change_before_the_queue(root, state):
    scribe = Scribe(root)
    for number in range(18):
        scribe.run("verify_failed", task=f"Where is thing number {number}?", feedback=["output must match"])
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    before = (root / "harness.yaml").read_bytes()
    proof = evolve(app, root, replay=16).document.to_json()["proof"]
    assert (proof["outcome"], proof["wins"], proof["losses"], proof["n"]) == ("verified_improvement", 16, 0, 16)
    assert (root / "harness.yaml").read_bytes() == before
    assert len(list((root / ".hiveloom/traces").glob("*.jsonl"))) == 18


def test_an_untrusted_folder_is_not_replayed_and_says_so(root, state):
    failing(root)
    proof = evolve(App(state, json.dumps(GOOD)), root, replay=3).document.to_json()["proof"]
    assert proof["state"] == "unproven"
    assert "trusted" in proof["because"]


def test_the_budget_ends_a_replay_and_is_no_failure_of_the_change(root, state):
    failing(root, 20)
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    proof = evolve(app, root, replay=12, max_calls=12).document.to_json()["proof"]
    assert (proof["stopped"], proof["losses"]) == ("budget", 0)
    assert 0 < proof["n"] < 12


def test_a_paid_model_needs_an_agreement_and_gets_a_plan(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    app.home.registry().costs_money = lambda ref: True  # type: ignore[method-assign]
    with pytest.raises(PolicyRefused) as refused:
        evolve(app, root)
    assert refused.value.details["plan"]["calls"] == {"low": 1, "high": 3}
    assert evolve(app, root, confirmed=True).is_new


def test_apply_reject_and_roll_back_through_the_application(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD), json.dumps(GOOD))
    original = (root / "harness.yaml").read_bytes()
    first = evolve(app, root)
    done = asyncio.run(app.evolving.apply(root, first.proposal_id, ORIGIN)).to_json()
    assert (done["changed"], done["counter"], done["status"]) == (True, 1, "applied")
    shown = asyncio.run(app.evolving.proposal(root, first.proposal_id)).to_json()
    assert shown["decided_by"] == {"who": "tester", "how": "python"}
    assert (
        asyncio.run(app.evolving.rollback(root, None, ORIGIN)).to_json()["new_version_hash"] == done["old_version_hash"]
    )
    assert (root / "harness.yaml").read_bytes() == original
    with pytest.raises(Conflict):
        asyncio.run(app.evolving.reject(root, first.proposal_id, "late", ORIGIN))


def test_applying_keeps_the_trust_of_who_decided(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    app.trust(root)
    asyncio.run(app.evolving.apply(root, evolve(app, root).proposal_id, ORIGIN))
    app.home.trust.require(Harness.open(root))


# --- running and drafting by itself


AUTO = SPEC + "evolution:\n  auto_propose: {enabled: true, min_failures: 2, cooldown_hours: 1}\n"


def run(app: App, root: Path, text: str = "Where are the pens?"):
    return asyncio.run(app.running.run(root, text))


def test_a_run_is_ingested_and_nothing_is_drafted_where_it_is_switched_off(root, state):
    app = App(state, json.dumps(GOOD))
    with pytest.raises(Untrusted):
        run(app, root)
    app.trust(root)
    done = run(app, root)
    assert (done.document.to_json()["status"], done.exit_code, done.drafted) == ("verify_failed", 1, ())
    assert app.provider.drafted == 0
    assert asyncio.run(app.harnesses.stats(root)).to_json()["total_runs"] == 1


def test_enough_failures_of_the_live_version_draft_once_within_the_cooldown(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state, json.dumps(GOOD), json.dumps(GOOD))
    app.trust(root)
    drafted = [run(app, root, f"Where is number {n}?").drafted for n in range(4)]
    assert [len(d) for d in drafted] == [0, 1, 0, 0]
    (row,) = Queue(Harness.open(root).ours).all()
    assert (row.trigger, row.status, row.apply_result) == ("auto", "pending", None)
    assert app.provider.drafted == 1


def test_a_folder_nobody_trusts_does_not_spend_money_by_switching_drafting_on(tmp_path, state):
    auto = "evolution:\n  auto_propose: {enabled: true, min_failures: 1}\n"
    plain = "name: h\nid: hl-1\ndescription: d\nsystem_prompt: p\n"
    plain += "verify: {validators: [{builtin: regex_match, pattern: x}]}\n"
    root = write_folder(tmp_path / "h", plain + auto, {})
    app = App(state, json.dumps(GOOD))
    registry = app.home.registry()
    registry.costs_money = lambda ref: ref.model != "claude-haiku-4-5"
    assert asyncio.run(app.running.run(root, "x")).drafted == ()
    assert app.provider.drafted == 0
    app.trust(root)
    assert len(asyncio.run(app.running.run(root, "x")).drafted) == 1


def test_an_accident_while_drafting_leaves_the_run_as_it_was(tmp_path, state, monkeypatch):
    auto = "evolution:\n  auto_propose: {enabled: true, min_failures: 1}\n"
    root = write_folder(tmp_path / "h", SPEC + auto)
    app = App(state)
    app.trust(root)
    monkeypatch.setattr(app.evolving, "evolve", lambda *given, **more: 1 / 0)
    done = asyncio.run(app.running.run(root, "x"))
    assert (done.exit_code, done.outcome.status, done.drafted) == (1, "verify_failed", ())


def test_useless_drafts_are_braked_and_never_change_a_run(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state)
    app.trust(root)
    codes = [run(app, root, f"Where is number {n}?").exit_code for n in range(4)]
    assert codes == [1, 1, 1, 1]
    assert app.provider.drafted == 3
    (row,) = Queue(Harness.open(root).ours).all()
    assert (row.trigger, row.status) == ("auto", "rejected")


def test_reflection_queues_lessons_for_review(tmp_path, state):
    root = write_folder(tmp_path / "h", SPEC + "evolution:\n  reflect: {enabled: true, 'on': failure}\n")
    lesson = {"lessons": [{"id": "Drawer First", "kind": "rule", "title": "Drawer", "content": "Name it first."}]}
    app = App(state, json.dumps(lesson))
    app.trust(root)
    (drafted,) = run(app, root).drafted
    row = Queue(Harness.open(root).ours).get(drafted)
    assert (row.trigger, row.status, row.dedup_key[:4]) == ("reflect", "pending", "mem:")
    asyncio.run(app.evolving.apply(root, drafted, ORIGIN))
    assert Harness.open(root).spec.memory.entries[0].id == "drawer-first"


# --- looking


def test_the_overview_holds_timeline_clusters_queue_and_padlocks(root, state):
    failing(root)
    app = App(state, json.dumps(GOOD))
    evolve(app, root)
    seen = asyncio.run(app.harnesses.overview(root))
    assert [(row.runs, row.is_live) for row in seen.timeline] == [(3, True)]
    assert seen.timeline[0].interval[0] == 0
    assert ("status", "verify_failed", 3) in [(c.kind, c.signature, c.count) for c in seen.clusters]
    assert [(p.status, p.changes, p.is_stale) for p in seen.proposals] == [("pending", 1, False)]
    locks = {line.text.strip(): line.lock for line in seen.lines}
    assert (locks["value: 0.5"], locks["system_prompt: |"], locks["name: desk-clerk"]) == ("frozen", "mutable", "fixed")


def test_looking_at_a_folder_writes_nothing_into_it(root, state):
    failing(root)
    before = sorted(str(p) for p in root.rglob("*"))
    app = App(state)
    for look in (app.harnesses.stats, app.harnesses.signal, app.harnesses.assess, app.harnesses.overview):
        asyncio.run(look(root))
    asyncio.run(app.evolving.proposals(root))
    assert sorted(str(p) for p in root.rglob("*")) == before


def test_the_same_hash_with_other_helpers_is_said(root, state):
    app = App(state)
    app.trust(root)
    run(app, root)
    assert asyncio.run(app.harnesses.hash(root)).to_json()["disagreement"] is None
    (root / "tools" / "helper.py").write_text("X = 1\n")
    assert "does not cover" in asyncio.run(app.harnesses.hash(root)).to_json()["disagreement"]


def test_the_switch_in_the_environment_stops_everything_automatic(tmp_path, state):
    root = write_folder(tmp_path / "h", AUTO)
    app = App(state, json.dumps(GOOD))
    app.home.environ = {"HONEYGUIDE_EVOLVE": "off"}
    app.trust(root)
    assert [run(app, root, f"Where is number {n}?").drafted for n in range(3)] == [(), (), ()]


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


def server_for(app: App, root: Path, key: str = "") -> HarnessServer:
    async def once(path: Path, input: str, *, run_id: str, on_event: Any, is_stopped: Any) -> RunOutcome:
        done = await app.running.run(path, input, run_id=run_id, on_event=on_event, is_stopped=is_stopped)
        return done.outcome

    return HarnessServer(root, once, key)


class Answer:
    """What the server said, whole."""

    def __init__(self, status: int, body: bytes) -> None:
        self.status_code = status
        self.text = body.decode("utf-8")

    def json(self) -> Any:
        return json.loads(self.text)


def asked(server: HarnessServer, method: str, path: str, **more: Any) -> Answer:
    """Ask the application as a web server would."""

    async def ask() -> Answer:
        body = b"" if "json" not in more else json.dumps(more["json"]).encode()
        headers = [(k.encode(), v.encode()) for k, v in more.get("headers", {}).items()]
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
            "query_string": b"", "headers": headers, "scheme": "http", "server": ("desk", 80), "client": ("c", 1),
        }  # fmt: skip
        got: dict[str, Any] = {"status": 0, "body": b""}
        asked_for = [{"type": "http.request", "body": body, "more_body": False}]
        done = asyncio.Event()

        async def receive() -> dict[str, Any]:
            if asked_for:
                return asked_for.pop(0)
            await done.wait()
            return {"type": "http.disconnect"}

        async def send(message: Mapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                got["status"] = message["status"]
            else:
                got["body"] += message.get("body", b"")
                if not message.get("more_body"):
                    done.set()

        await server.app()(scope, receive, send)
        return Answer(got["status"], got["body"])

    return asyncio.run(ask())


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
