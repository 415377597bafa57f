"""Tools over the wire: Messages API and Chat Completions, from a server on loopback, through the whole application."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from honeyguide.workspace import Origin
from honeyguide.workspace.harness_views import Harnesses, HarnessEvolving, HarnessHome, HarnessRunning
from tests.fakes.harness_folders import SPEC, write_folder
from tests.fakes.model_server import ModelServer, Turn

MESSAGES = {
    "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-haiku-4-5", "stop_reason": "tool_use",
    "stop_sequence": None, "usage": {"input_tokens": 50, "output_tokens": 5},
    "content": [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "toolu_1", "name": "open_drawer", "input": {"number": 3}},
        {"type": "tool_use", "id": "toolu_2", "name": "open_drawer", "input": {"number": 4}},
    ],
}  # fmt: skip
COMPLETION = {
    "id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-5-mini",
    "usage": {"prompt_tokens": 50, "completion_tokens": 5, "total_tokens": 55},
    "choices": [
        {
            "index": 0, "finish_reason": "tool_calls", "logprobs": None,
            "message": {
                "role": "assistant", "content": None, "refusal": None,
                "tool_calls": [
                    {
                        "id": f"call_{number}", "type": "function",
                        "function": {"name": "open_drawer", "arguments": json.dumps({"number": number})},
                    }
                    for number in (3, 4)
                ],
            },
        }
    ],
}  # fmt: skip


def ran(root: Path, state: Path, environ: dict[str, str]) -> dict[str, Any]:
    async def work() -> dict[str, Any]:
        home = HarnessHome.alone(environ, state)
        try:
            await Harnesses(home).trust(root, Origin("python", "tester"))
            done = await HarnessRunning(home, HarnessEvolving(home)).run(root, "Where?", confirmed=True)
            return done.document.to_json()
        finally:
            await home.close()

    return asyncio.run(work())


def events(root: Path, run_id: str) -> list[dict[str, Any]]:
    text = (root / ".hiveloom/traces" / f"{run_id}.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


@pytest.mark.parametrize("provider", ["claude", "openai"])
def test_a_model_calls_two_tools_in_a_turn_and_gets_both_results_back(tmp_path, provider):
    model = "claude-haiku-4-5" if provider == "claude" else "gpt-5-mini"
    root = write_folder(tmp_path / "desk", SPEC + f"model: {{provider: {provider}, id: {model}}}\n")
    with ModelServer() as server:
        reply = MESSAGES if provider == "claude" else COMPLETION
        server.plan += [Turn(raw=json.dumps(reply).encode()), Turn(text="drawer: 3")]
        address = {
            "ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k",
            "OPENAI_BASE_URL": f"{server.url}/v1", "OPENAI_API_KEY": "k",
        }  # fmt: skip
        data = ran(root, tmp_path / "state", address)
        asked = [seen.body for seen in server.seen if seen.method == "POST"]
    assert (data["status"], data["output"], data["turns"]) == ("success", "drawer: 3", 2)
    first, second = asked
    names = [tool.get("name") or tool["function"]["name"] for tool in first["tools"]]
    assert names == ["open_drawer", "file_read"]
    if provider == "claude":
        results = [(b["tool_use_id"], b["content"]) for b in second["messages"][-1]["content"]]
        assert results == [("toolu_1", "drawer 3: pens"), ("toolu_2", "drawer 4: pens")]
    else:
        results = [(m["tool_call_id"], m["content"]) for m in second["messages"] if m["role"] == "tool"]
        assert results == [("call_3", "drawer 3: pens"), ("call_4", "drawer 4: pens")]
    seen = [(e["type"], e["payload"]["name"]) for e in events(root, data["run_id"]) if e["type"].startswith("tool_")]
    assert seen == [("tool_call", "open_drawer"), ("tool_result", "open_drawer")] * 2
