"""The harness part of the application on a scripted model, and its server asked as a web server would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.fakes.harness_folders import Scribe

from honeyguide.harnesses.deploy.http import HarnessServer
from honeyguide.harnesses.running.results import RunOutcome
from honeyguide.llm.prices import FreeQuote
from honeyguide.llm.protocol import ModelReply, ModelRequest, ModelRole, Usage
from honeyguide.workspace import Origin
from honeyguide.workspace.harness_views import (
    EvolveOptions,
    Harnesses,
    HarnessEvolving,
    HarnessHome,
    HarnessRunning,
    HarnessServing,
)

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


def failing(root: Path, count: int = 3) -> None:
    scribe = Scribe(root)
    for number in range(count):
        scribe.run("verify_failed", task=f"Where is item {number}?", feedback=["output must match"])


def evolve(app: App, root: Path, **options: Any):
    return asyncio.run(app.evolving.evolve(root, EvolveOptions(**options)))


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
