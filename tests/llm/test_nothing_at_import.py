"""Importing and configuring does nothing: no SDK, no key ring, no connection; SDKs come in on a worker thread."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import threading

import pytest

from honeyguide.llm import ModelRef, ModelRegistry, ModelSettings, PriceTable
from honeyguide.llm.keys import KeyStore
from tests.fakes.model_server import ModelServer
from tests.llm.support import ask, registry


def test_importing_the_room_imports_no_sdk_and_no_key_ring() -> None:
    program = (
        "import sys, honeyguide.llm, honeyguide.llm.parsing, honeyguide.llm.providers.anthropic,"
        " honeyguide.llm.providers.openai, honeyguide.llm.providers.gguf, honeyguide.llm.providers.replay\n"
        "print([name for name in ('anthropic', 'openai', 'httpx2', 'keyring', 'xllamacpp') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_registry_with_nothing_configured_opens_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    class NoRing:
        def __getattr__(self, name: str) -> object:
            raise AssertionError("the key ring was asked")

    monkeypatch.setattr(socket, "create_connection", forbidden)
    monkeypatch.setattr(socket.socket, "connect", forbidden)
    monkeypatch.setattr(socket.socket, "bind", forbidden)
    monkeypatch.setattr(socket, "getaddrinfo", forbidden)
    reg = ModelRegistry(ModelSettings(), KeyStore({}, NoRing()), PriceTable.load(), {})  # type: ignore[arg-type]
    for name in ("anthropic:claude-haiku-4-5", "openai:gpt-4.1", "ollama:x", "practice"):
        ref = ModelRef.parse(name)
        provider = reg.provider(ref)
        provider.preview(ask(model=ref))
        reg.quote(ref)
        reg.costs_money(ref)

    async def practise() -> None:
        ref = ModelRef.parse("practice")
        await reg.provider(ref).complete(ask(model=ref))
        await reg.close()

    asyncio.run(practise())


@pytest.mark.parametrize("ref", ["anthropic:x", "openai:x"])
def test_the_sdk_is_built_in_a_worker_thread(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where: list[threading.Thread] = []
    model = ModelRef.parse(ref)
    with ModelServer() as server:
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "OPENAI_BASE_URL": server.url})
        find = reg.keys.find

        def noted(provider: str, variable: str):
            where.append(threading.current_thread())
            return find(provider, variable)

        monkeypatch.setattr(reg.keys, "find", noted)

        async def run() -> None:
            await asyncio.gather(*(reg.provider(model).complete(ask(str(n), model=model)) for n in range(5)))
            await reg.close()

        asyncio.run(run())
    assert len(where) == 1
    assert where[0] is not threading.main_thread()
