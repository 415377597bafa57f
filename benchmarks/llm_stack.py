"""What the layers around a provider cost: ``python benchmarks/llm_stack.py`` (``--quick`` for a smaller run).

Bars: under 1 ms of added time a call with a provider of no latency (processor time, which a busy machine does not
stretch; the time on the clock stands beside it); under 5 KB kept in memory a call; with 50 ms of
latency and 8 slots a run of 1,600 calls keeps the slots at least 95 % busy. Exits with 1 when a bar is missed.
"""

from __future__ import annotations

import asyncio
import gc
import json
import sys
import tempfile
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path

from honeyguide.llm import Message, ModelRef, ModelReply, ModelRequest, ModelStack, PriceTable, Usage, build_stack
from honeyguide.llm.budget import Budget
from honeyguide.llm.journal import Journal
from honeyguide.llm.limiter import Limiter
from honeyguide.llm.providers.outgoing import ModelListing, Outgoing

REF = ModelRef("anthropic", "claude-haiku-4-5")
SYSTEM = "You grade answers. " * 100
SLOTS = 8
LATENCY = 0.05
MAX_MILLISECONDS = 1.0
MAX_KEPT_BYTES = 5_000
MIN_BUSY = 0.95


@dataclass
class FakeProvider:
    """Answers after ``latency`` seconds.

    Attributes:
        busy: seconds that calls were under way here, summed over all of them.
    """

    latency: float = 0.0
    busy: float = 0.0

    async def complete(self, request: ModelRequest) -> ModelReply:
        if self.latency:
            began = time.perf_counter()
            await asyncio.sleep(self.latency)
            self.busy += time.perf_counter() - began
        return ModelReply("An answer of usual length. " * 20, usage=Usage(600, 120))

    def preview(self, request: ModelRequest) -> Outgoing:
        return Outgoing("", {})

    async def list_models(self) -> list[ModelListing]:
        return []

    async def close(self) -> None:
        """Nothing to close."""


def main() -> int:
    """Measure, print one JSON document, and say whether all bars hold."""
    calls = 400 if "--quick" in sys.argv else 1600
    added = asyncio.run(added_milliseconds(calls))
    found: dict[str, float] = {
        "calls": calls,
        "added_ms_per_call": round(added.processor, 3),
        "added_ms_on_the_clock": round(added.clock, 3),
        "kept_bytes_per_call": round(asyncio.run(kept_bytes(calls))),
        "busy": round(asyncio.run(busy_share(calls)), 3),
        "replayed_ms_per_call": round(asyncio.run(replayed_milliseconds(calls)), 3),
    }
    found["holds"] = (
        found["added_ms_per_call"] < MAX_MILLISECONDS
        and found["kept_bytes_per_call"] < MAX_KEPT_BYTES
        and found["busy"] >= MIN_BUSY
    )
    sys.stdout.write(json.dumps(found) + "\n")
    return 0 if found["holds"] else 1


@dataclass(frozen=True)
class Milliseconds:
    """What a call takes: of the processor, and on the clock."""

    processor: float
    clock: float


async def added_milliseconds(calls: int) -> Milliseconds:
    """Return the time that a call takes with a provider that takes none."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j.jsonl") as journal:
        stack = _stack(journal, FakeProvider())
        await stack.complete(_request(-1))
        began, used = time.perf_counter(), time.process_time()
        for n in range(calls):
            await stack.complete(_request(n))
        return Milliseconds((time.process_time() - used) / calls * 1000, (time.perf_counter() - began) / calls * 1000)


async def replayed_milliseconds(calls: int) -> float:
    """Return the time that a call takes which the journal answers."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j.jsonl") as journal:
        stack = _stack(journal, FakeProvider())
        for n in range(calls):
            await stack.complete(_request(n))
        began = time.perf_counter()
        for n in range(calls):
            await stack.complete(_request(n))
        return (time.perf_counter() - began) / calls * 1000


async def kept_bytes(calls: int) -> float:
    """Return what stays in memory for each call."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j.jsonl") as journal:
        stack = _stack(journal, FakeProvider())
        await stack.complete(_request(-1))
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        for n in range(calls):
            await stack.complete(_request(n))
        gc.collect()
        kept = tracemalloc.get_traced_memory()[0] - before
        tracemalloc.stop()
        return kept / calls


async def busy_share(calls: int) -> float:
    """Return the share of the time that 8 slots were occupied by calls at the provider, each taking 50 ms."""
    with tempfile.TemporaryDirectory() as folder, Journal(Path(folder) / "j.jsonl") as journal:
        provider = FakeProvider(LATENCY)
        stack = _stack(journal, provider)
        began = time.perf_counter()
        await asyncio.gather(*(stack.complete(_request(n)) for n in range(calls)))
        return provider.busy / SLOTS / (time.perf_counter() - began)


def _stack(journal: Journal, provider: FakeProvider) -> ModelStack:
    quote = PriceTable.load().quote(REF)
    budget = Budget(max_usd=1e6, max_calls=10**9)
    return build_stack(REF, provider, journal=journal, budget=budget, limiter=Limiter(SLOTS), quote=quote)


def _request(n: int) -> ModelRequest:
    return ModelRequest(REF, (Message("user", f"Answer number {n}. " * 40),), SYSTEM)


if __name__ == "__main__":
    raise SystemExit(main())
