"""Our own access to models, for flows: each run has its journal, its ceilings and connections of its own.

A proposal runs in a loop of its own, so that hashing and waiting never hold up a window; a client belongs to the loop
that it was opened in, so each run opens its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

from honeyguide.flows.desk import ModelAccess
from honeyguide.llm import (
    Message,
    ModelClient,
    ModelRef,
    ModelRegistry,
    ModelRequest,
    ModelRole,
    PriceTable,
    RunModels,
)
from honeyguide.suites.runner import Rubric
from honeyguide.workspace.core import Core, model_settings
from honeyguide.workspace.suite_proof import rubric_of

T = TypeVar("T")
REPLY_TOKENS = 4096


class FlowModels:
    """A ``ModelSource`` on a workspace."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def ref(self, named: str | None, role: ModelRole) -> ModelRef:
        """As ``ModelSource.ref``. A name without a provider is one of the role's own provider."""
        usual = self._core.model_for(role)
        if named is None:
            return usual
        return ModelRef.parse(named) if ":" in named else ModelRef(usual.provider, named)

    def open(self, folder: Path) -> ModelAccess:
        """As ``ModelSource.open``."""
        return _Access(self._core, folder)

    def price(self, ref: ModelRef, prompt_chars: int) -> float | None:
        """As ``ModelSource.price``."""
        request = ModelRequest(ref, (Message("user", "x" * prompt_chars),), max_tokens=REPLY_TOKENS)
        return self._core.registry.quote(ref).worst_case(request)

    def rubric(self, access: ModelAccess) -> Rubric | None:
        """As ``ModelSource.rubric``."""
        ref = self._core.model_for(ModelRole.JUDGE)
        return rubric_of(access.client(ref), ref)


class _Access:
    """One run's models."""

    def __init__(self, core: Core, folder: Path) -> None:
        self._core = core
        self._folder = folder
        self._registry: ModelRegistry | None = None
        self._models: RunModels | None = None

    def client(self, ref: ModelRef) -> ModelClient:
        """Return the model; journal and connections are opened at the first call."""
        if self._models is None:
            core, settings = self._core, self._core.settings
            prices = PriceTable.load(core.layout.root / "prices.json")
            self._registry = ModelRegistry(model_settings(settings), core.keys, prices, core.environ, clock=core.clock)
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._models = RunModels.open(
                self._registry, self._folder / "journal.jsonl", max_calls=settings.get("limits.calls_per_run"),
                max_usd=settings.get("limits.usd_per_run"), max_tokens=settings.get("limits.tokens_per_run"),
                shared=core.ledgers(), redact=core.outgoing_redactor().text,
            )  # fmt: skip
        return self._models.client(ref)

    async def close(self) -> None:
        """As ``ModelAccess.close``."""
        if self._models is not None:
            await self._models.close()
        if self._registry is not None:
            await self._registry.close()


async def in_own_loop(core: Core, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine in a loop of its own, in a worker thread. Cancelling the caller cancels it, and waits for it."""
    here = asyncio.get_running_loop()
    started: asyncio.Future[tuple[asyncio.AbstractEventLoop, asyncio.Task[T]]] = here.create_future()

    def run() -> T:
        async def main() -> T:
            task = asyncio.ensure_future(work())
            here.call_soon_threadsafe(_tell, started, (asyncio.get_running_loop(), task))
            return await task

        return asyncio.run(main())

    working = asyncio.ensure_future(core.in_thread(run))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        loop, task = await started
        loop.call_soon_threadsafe(task.cancel)
        await asyncio.wait([working])
        if not working.cancelled():
            working.exception()  # it was stopped; what it said on its way is in the run's own record
        raise


def _tell(future: asyncio.Future[Any], value: Any) -> None:
    if not future.done():
        future.set_result(value)
