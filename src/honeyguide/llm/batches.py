"""Many calls handed in at once at half the price: Message Batches, behind the same protocol as single calls.

Calls that wait at the same time become one batch. The batch's id is written to the journal before anybody waits,
so a run that was killed meanwhile waits for the same batch again instead of paying twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping
from typing import Any, Protocol

from honeyguide.kernel.errors import ModelError
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.journal import Journal
from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest
from honeyguide.llm.retry import AttemptListener

LARGEST_BATCH = 10_000
GATHERING = 0.25
"""Seconds without a new call after which a batch is handed in."""
NO_BATCHES = frozenset({404, 405, 501})
"""What a server says that speaks the Messages API and has no batches."""
POLLING = 20.0
"""Seconds between two looks at a batch."""


Calls = dict[str, tuple[ModelRequest, asyncio.Future[ModelReply]]]
"""Requests that wait for a reply, by request hash."""


class BatchProvider(Protocol):
    """A provider that takes batches."""

    async def submit_batch(self, requests: Mapping[str, ModelRequest]) -> str: ...
    async def batch_has_ended(self, batch_id: str) -> bool: ...
    async def batch_results(self, batch_id: str) -> Mapping[str, ModelReply | str]: ...


class BatchingClient:
    """Collects calls into batches. Stands where limiter, retry and provider stand for single calls."""

    def __init__(
        self,
        provider: BatchProvider,
        journal: Journal,
        *,
        listener: AttemptListener | None = None,
        cancel: Cancellation | None = None,
        one_by_one: ModelClient | None = None,
        gathering: float = GATHERING,
        polling: float = POLLING,
    ) -> None:
        """
        Args:
            one_by_one: what makes the calls when the server turns out to take no batches.
        """
        self._provider = provider
        self._one_by_one = one_by_one
        self._takes_batches = True
        self._journal = journal
        self._listener = listener
        self._cancel = cancel or Cancellation()
        self._gathering = gathering
        self._polling = polling
        self._waiting: Calls = {}
        self._last_arrival = 0.0
        self._gatherer: asyncio.Task[None] | None = None
        self._batches: set[asyncio.Task[None]] = set()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; may take minutes to hours. Raises Interrupted without giving the batch up."""
        self._cancel.check()
        if self._one_by_one is not None and not self._takes_batches:
            return await self._one_by_one.complete(request)
        loop = asyncio.get_running_loop()
        key = request.request_hash
        _, promise = self._waiting.get(key, (request, None))
        if promise is None:
            promise = loop.create_future()
            self._waiting[key] = (request, promise)
            self._last_arrival = loop.time()
            if self._gatherer is None or self._gatherer.done():
                self._gatherer = loop.create_task(self._gather())
        try:
            return await asyncio.shield(promise)
        except ModelError as error:
            if self._one_by_one is None or self._takes_batches or error.details.get("status") not in NO_BATCHES:
                raise
            return await self._one_by_one.complete(request)

    async def close(self) -> None:
        """Stop waiting; batches that were handed in go on at the provider and are found again by a resumed run."""
        tasks = [task for task in (self._gatherer, *self._batches) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _gather(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            quiet = loop.time() - self._last_arrival
            if quiet < self._gathering and len(self._waiting) < LARGEST_BATCH:
                await asyncio.sleep(self._gathering - quiet)
                continue
            taken = dict(list(self._waiting.items())[:LARGEST_BATCH])
            for key in taken:
                del self._waiting[key]
            for batch_id, hashes in self._journal.open_batches().items():
                known = {key: taken.pop(key) for key in hashes if key in taken}
                if known:
                    self._start(self._finish(batch_id, known))
            if taken:
                self._start(self._submit(taken))

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._batches.add(task)
        task.add_done_callback(self._batches.discard)

    async def _submit(self, calls: Calls) -> None:
        try:
            batch_id = await self._provider.submit_batch({key: request for key, (request, _) in calls.items()})
            self._journal.record_batch(batch_id, list(calls))
        except Exception as error:  # noqa: BLE001 - handed to everybody who waits for this batch
            if isinstance(error, ModelError) and error.details.get("status") in NO_BATCHES:
                self._takes_batches = False
            _fail(calls, error)
            return
        await self._finish(batch_id, calls)

    async def _finish(self, batch_id: str, calls: Calls) -> None:
        try:
            while not await self._has_ended(batch_id):
                await self._cancel.sleep(self._polling)
            results = await self._provider.batch_results(batch_id)
        except Exception as error:  # noqa: BLE001 - handed to everybody who waits for this batch
            _fail(calls, error)
            return
        for key, (request, promise) in calls.items():
            result = results.get(key, "missing")
            if promise.done():
                continue
            if isinstance(result, ModelReply):
                promise.set_result(result)
            else:
                failure = Failure(FailureKind.SERVER)
                missed = model_error(failure, who=request.model.provider, said=f"batched call {result}")
                if self._listener:
                    self._listener.failed(request, missed)
                _fail({key: (request, promise)}, missed)

    async def _has_ended(self, batch_id: str) -> bool:
        try:
            return await self._provider.batch_has_ended(batch_id)
        except ModelError as error:
            if error.details.get("status") == 404:
                raise
            return False  # the batch is safe at the provider; look again later


def _fail(calls: Calls, error: Exception) -> None:
    for _, promise in calls.values():
        if not promise.done():
            promise.set_exception(error)
            promise.exception()  # marked as seen: its task may be gone
