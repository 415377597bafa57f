"""Small means of these tests: a request, a quick retry policy, a client made of a list of outcomes, a registry."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path

from honeyguide.llm.keys import KeyStore
from honeyguide.llm.prices import PriceTable
from honeyguide.llm.protocol import Message, ModelRef, ModelReply, ModelRequest, ModelRole, Usage
from honeyguide.llm.registry import ModelRegistry
from honeyguide.llm.retry import RetryPolicy
from honeyguide.llm.settings import ModelSettings

HAIKU = ModelRef("anthropic", "claude-haiku-4-5")
QUICK = RetryPolicy(waits=(0.01,), jitter=0.0, longest_wait=0.05)


class MemoryKeyring:
    """A key ring that forgets everything with the process."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


class Scripted:
    """Answers requests one after the other from a list of replies and errors; echoes when it is used up."""

    def __init__(self, *outcomes: ModelReply | BaseException, pause: float = 0.0) -> None:
        self.outcomes = list(outcomes)
        self.requests: list[ModelRequest] = []
        self.under_way = 0
        self.most_under_way = 0
        self.pause = pause

    async def complete(self, request: ModelRequest) -> ModelReply:
        self.requests.append(request)
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            await asyncio.sleep(self.pause)
            outcome = self.outcomes.pop(0) if self.outcomes else reply(f"echo: {request.messages[-1].content}")
        finally:
            self.under_way -= 1
        if isinstance(outcome, BaseException):
            raise outcome
        return outcome


def ask(
    text: str = "hello",
    *,
    model: ModelRef = HAIKU,
    system: str = "",
    max_tokens: int = 100,
    role: ModelRole = ModelRole.EXECUTOR,
    repetition: int = 0,
) -> ModelRequest:
    return ModelRequest(model, (Message("user", text),), system, max_tokens, role, repetition)


def reply(text: str = "fine", *, read: int | None = 10, written: int | None = 5) -> ModelReply:
    return ModelReply(text, usage=Usage(read, written))


def registry(
    environ: Mapping[str, str],
    settings: ModelSettings | None = None,
    keyring: MemoryKeyring | None = None,
    overrides: Path | None = None,
) -> ModelRegistry:
    keys = KeyStore(environ, keyring or MemoryKeyring())
    return ModelRegistry(settings or ModelSettings(), keys, PriceTable.load(overrides), environ)


def eventually(check: Callable[[], bool], seconds: float = 5.0) -> bool:
    """Say whether ``check`` comes true within some seconds; for other threads and processes."""
    import time

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if check():
            return True
        time.sleep(0.01)
    return check()
