"""A real model behind a real server: the shipped layers, and a task on which better prompts measurably do better.

Runs only when HONEYGUIDE_TEST_MODEL_URL names a server that speaks the Messages API (and its model, if it cares, in
HONEYGUIDE_TEST_MODEL). A small model on two processors needs a few minutes.
"""

from __future__ import annotations

import asyncio
import faulthandler
import os
from pathlib import Path

import pytest
from tests.interop.tickets import NAMED, PRECISE, TICKETS, VAGUE

from honeyguide.llm import (
    Message,
    ModelRef,
    ModelRegistry,
    ModelRequest,
    ModelSettings,
    PriceTable,
    RunModels,
    StopReason,
    diagnose,
)
from honeyguide.llm.keys import KeyStore

URL = os.environ.get("HONEYGUIDE_TEST_MODEL_URL", "")
REF = ModelRef("anthropic", os.environ.get("HONEYGUIDE_TEST_MODEL", "local"))
pytestmark = [
    pytest.mark.realmodel,
    pytest.mark.timeout(1800),
    pytest.mark.skipif(not URL, reason="no model server is named"),
]


@pytest.fixture(autouse=True)
def no_watchdog() -> None:
    """A small model on a busy machine takes longer than any test of the suite may."""
    faulthandler.cancel_dump_traceback_later()


def test_a_better_prompt_does_better_and_a_rerun_asks_nothing(tmp_path: Path) -> None:
    scores = {name: asyncio.run(_score(tmp_path, prompt)) for name, prompt in PROMPTS.items()}
    assert scores["vague"] <= 4
    assert scores["precise"] >= 32
    assert scores["vague"] <= scores["named"] <= scores["precise"]
    assert {name: asyncio.run(_score(tmp_path, prompt, max_calls=120)) for name, prompt in PROMPTS.items()} == scores


def test_the_model_passes_its_own_diagnosis() -> None:
    async def run() -> None:
        registry = _registry()
        found = await diagnose(REF, registry)
        assert found.is_ok, found
        assert await registry.list_models("anthropic")
        await registry.close()

    asyncio.run(run())


def test_length_limits_and_usage_are_reported(tmp_path: Path) -> None:
    async def run() -> None:
        registry = _registry()
        models = RunModels.open(registry, tmp_path / "j.jsonl")
        request = ModelRequest(REF, (Message("user", "Count from one to one hundred in words."),), max_tokens=8)
        reply = await models.client(REF).complete(request)
        assert reply.stop_reason is StopReason.MAX_TOKENS
        assert reply.usage.output_tokens == 8
        await models.close()
        await registry.close()

    asyncio.run(run())


PROMPTS = {"vague": VAGUE, "named": NAMED, "precise": PRECISE}


async def _score(folder: Path, prompt: str, max_calls: int | None = None) -> int:
    """Return how many tickets get exactly their label."""
    registry = _registry()
    models = RunModels.open(registry, folder / "journal.jsonl", max_calls=max_calls)
    client = models.client(REF)
    requests = [ModelRequest(REF, (Message("user", text),), prompt, max_tokens=12) for _, text in TICKETS]
    replies = await asyncio.gather(*(client.complete(request) for request in requests))
    if max_calls is not None:
        assert models.spend.replayed_calls == len(TICKETS)
    await models.close()
    await registry.close()
    return sum(reply.text.strip() == label for reply, (label, _) in zip(replies, TICKETS, strict=True))


def _registry() -> ModelRegistry:
    environ = {"ANTHROPIC_BASE_URL": URL, "ANTHROPIC_API_KEY": "local"}
    return ModelRegistry(ModelSettings(concurrency=1), KeyStore(environ), PriceTable.load(), environ)
