"""A model that cannot be reached ends a run in seconds, with 503, and what was tried is kept."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator

import pytest

from tests.server.servers import RunningServer, run_body


@pytest.fixture
def closed_port() -> Iterator[int]:
    """A port of this computer at which nobody listens as long as the test goes on."""
    with socket.socket() as kept:
        kept.bind(("127.0.0.1", 0))
        yield kept.getsockname()[1]


def test_a_provider_that_is_not_there_is_told_in_seconds(
    make_server: Callable[..., RunningServer], monkeypatch: pytest.MonkeyPatch, closed_port: int
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{closed_port}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0000000000")
    server = make_server()
    server.ask(server.workspace.set_setting("models.executor", "openai:gpt-5-mini"))
    for role in ("judge", "mutator"):
        server.ask(server.workspace.set_setting(f"models.{role}", "openai:gpt-5-mini"))
    with server.client(**server.auth) as client:
        begun = time.monotonic()
        answer = client.post("/api/evolution/run", json=run_body(client))
        seconds = time.monotonic() - begun
        assert answer.status_code == 503, answer.text
        assert answer.json()["error"]
        assert seconds < 30
        detail = client.get(f"/api/evolution/runs/{answer.json()['uuid']}").json()
    assert detail["spend"]["calls"] > 0
