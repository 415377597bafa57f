"""While a model does not answer, a run says so, and when it asks again."""

from __future__ import annotations

import pytest

from honeyguide.workspace import RunOptions
from tests.fakes.model_server import ModelServer, Turn

VERDICT = '{"correctness": 5, "procedure": 5, "conciseness": 5, "feedback": "It could be warmer."}'


async def test_a_run_says_what_it_waits_for(workspace, monkeypatch: pytest.MonkeyPatch):
    heard: list[str] = []
    with ModelServer(lambda text: VERDICT) as model:
        model.plan += [Turn(status=503, headers={"retry-after": "1"})] * 8
        monkeypatch.setenv("OPENAI_BASE_URL", f"{model.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0000000000")
        for role in ("executor", "judge", "mutator"):
            await workspace.set_setting(f"models.{role}", "openai:slow")
        options = RunOptions(preset="quick", max_calls=40, is_confirmed=True)
        await workspace.evolve("writer", options, on_progress=lambda event: heard.append(event.message))
    (waits,) = {message for message in heard if "asked again" in message}
    assert waits.endswith("It is asked again in 1 s.")
    assert waits.startswith("openai")
