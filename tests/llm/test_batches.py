"""Message Batches behind the same protocol: half the price, found again after a kill."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Interrupted, ModelError
from honeyguide.llm import ModelRef, RunModels
from honeyguide.llm.batches import BatchingClient
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.journal import Journal
from honeyguide.llm.prices import PriceTable
from honeyguide.llm.protocol import ModelReply
from tests.fakes.model_server import ModelServer
from tests.llm.support import HAIKU, ask, registry


def test_calls_that_wait_together_are_one_batch(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.batches_take = 2

        async def run() -> list[ModelReply]:
            async with _batching(server, tmp_path) as client:
                return await asyncio.gather(*(client.complete(ask(str(n))) for n in range(30)))

        replies = asyncio.run(run())
        assert [r.text for r in replies] == [f"echo: {n}" for n in range(30)]
        assert len(server.batches) == 1
        assert server.calls == []


def test_a_resumed_run_waits_for_the_batch_it_already_paid_for(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.batches_take = 10**9

        async def killed() -> None:
            async with _batching(server, tmp_path) as client:
                calls = [asyncio.create_task(client.complete(ask(str(n)))) for n in range(3)]
                while not server.batches:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.05)
                for call in calls:
                    call.cancel()
                await asyncio.gather(*calls, return_exceptions=True)

        asyncio.run(killed())
        server.batches_take = 0

        async def resumed() -> list[ModelReply]:
            async with _batching(server, tmp_path) as client:
                return await asyncio.gather(*(client.complete(ask(str(n))) for n in range(5)))

        assert [r.text for r in asyncio.run(resumed())] == [f"echo: {n}" for n in range(5)]
        sizes = [len(batch["requests"]) for batch in server.batches.values()]
        assert sizes == [3, 2]  # the three were not handed in again


def test_a_call_that_the_batch_did_not_answer_is_an_error_and_is_handed_in_anew(tmp_path: Path) -> None:
    with ModelServer() as server:

        async def run() -> list[object]:
            async with _batching(server, tmp_path) as client:
                calls = [client.complete(ask("expire")), client.complete(ask("fine"))]
                outcomes = await asyncio.gather(*calls, return_exceptions=True)
                server.answer = lambda text: "second time"
                again = await asyncio.gather(client.complete(ask("expire")), return_exceptions=True)
                return [*outcomes, *again]

        first, second, third = asyncio.run(run())
        assert isinstance(first, ModelError)
        assert isinstance(second, ModelReply)
        assert isinstance(third, ModelReply)
        assert len(server.batches) == 2


def test_the_stop_is_heard_while_a_batch_is_waited_for(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.batches_take = 10**9

        async def run() -> None:
            cancel = Cancellation()
            async with _batching(server, tmp_path, cancel) as client:
                call = asyncio.create_task(client.complete(ask("x")))
                while not server.batches:
                    await asyncio.sleep(0.01)
                cancel.request()
                with pytest.raises(Interrupted):
                    await call

        asyncio.run(run())


def test_a_server_without_batches_is_asked_one_by_one(tmp_path: Path) -> None:
    with ModelServer() as server:
        server.has_batches = False
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})

        async def run() -> list[ModelReply]:
            run = RunModels.open(reg, tmp_path / "j.jsonl")
            client = run.client(HAIKU, batch=True)
            made = await asyncio.gather(*(client.complete(ask(str(n))) for n in range(5)))
            made.append(await client.complete(ask("later")))
            assert run.spend.calls == 6
            await run.close()
            await reg.close()
            return made

        assert [r.text for r in asyncio.run(run())] == [*(f"echo: {n}" for n in range(5)), "echo: later"]
        assert sum("/batches" in seen.path for seen in server.seen) == 1


def test_batched_calls_cost_half(tmp_path: Path) -> None:
    table = PriceTable.load()
    with ModelServer() as server:
        reg = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})
        single, batched = table.quote(HAIKU), table.quote(HAIKU, batch=True)

        async def run() -> ModelReply:
            run = RunModels.open(reg, tmp_path / "j.jsonl")
            made = await run.client(HAIKU, batch=True).complete(ask())
            await run.close()
            await reg.close()
            return made

        usage = asyncio.run(run()).usage
        assert len(server.batches) == 1
    assert batched.cost(usage) == pytest.approx((single.cost(usage) or 0) / 2)
    assert reg.quote(ModelRef("openai", "gpt-4.1"), batch=True).cost(usage) == pytest.approx(
        (reg.quote(ModelRef("openai", "gpt-4.1")).cost(usage) or 0) / 2
    )


class _batching:
    """A batching client with a journaled run around it, quick to gather and to look."""

    def __init__(self, server: ModelServer, folder: Path, cancel: Cancellation | None = None) -> None:
        self.registry = registry({"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "k"})
        self.journal = Journal(folder / "j.jsonl")
        self.cancel = cancel

    async def __aenter__(self) -> BatchingClient:
        from honeyguide.llm.budget import Budget, Meter
        from honeyguide.llm.prices import FreeQuote
        from honeyguide.llm.stack import Attempts

        provider = self.registry.provider(HAIKU)
        self.client = BatchingClient(
            provider,  # type: ignore[arg-type]
            self.journal,
            listener=Attempts(self.journal, Meter(Budget(), FreeQuote()), self.registry.limiter(HAIKU)),
            cancel=self.cancel,
            gathering=0.05,
            polling=0.02,
        )
        return self.client

    async def __aexit__(self, *_: object) -> None:
        await self.client.close()
        self.journal.close()
        await self.registry.close()
