"""The layers around a provider, put together: journal, budget, limiter, retry, provider; and one run's set of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from honeyguide.kernel.errors import ModelError
from honeyguide.llm.batches import BatchingClient
from honeyguide.llm.budget import Budget, BudgetedClient, Ledger, Meter, Spend
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.failures import failure_of
from honeyguide.llm.journal import Journal, JournaledClient, redacted
from honeyguide.llm.limiter import LimitedClient, Limiter
from honeyguide.llm.prices import FreeQuote, Quote, TableQuote
from honeyguide.llm.protocol import ModelClient, ModelRef, ModelReply, ModelRequest
from honeyguide.llm.providers.outgoing import Outgoing, Provider
from honeyguide.llm.registry import ModelRegistry
from honeyguide.llm.retry import Contact, OnWait, RetryingClient, RetryPolicy
from honeyguide.llm.whole import WHOLE_ROLES, complete_whole

Redact = Callable[[str], str]


def as_it_is(text: str) -> str:
    """Redact nothing."""
    return text


class Attempts:
    """Tells journal, budget and limiter of every attempt that failed, in this order."""

    def __init__(self, journal: Journal, meter: Meter, limiter: Limiter) -> None:
        self._journal = journal
        self._meter = meter
        self._limiter = limiter

    def failed(self, request: ModelRequest, error: ModelError) -> None:
        """As ``AttemptListener.failed``."""
        maybe = self._meter.maybe_taken(request, error)
        extra = maybe.tokens > 0
        self._journal.record_failure(
            request, error, maybe_usd=maybe.usd if extra else 0.0, maybe_tokens=maybe.tokens if extra else 0
        )
        self._meter.failed(request, error)
        failure = failure_of(error)
        if failure.is_overload:
            self._limiter.throttled(failure.retry_after)

    def again(self, request: ModelRequest) -> None:
        """As ``AttemptListener.again``."""
        self._meter.again(request)


class ModelStack:
    """One model with all layers: what the executor, the judge, the mutator are given."""

    def __init__(
        self, ref: ModelRef, outermost: ModelClient, provider: Provider, redact: Redact, cancel: Cancellation
    ) -> None:
        self.ref = ref
        self._cancel = cancel
        self._outermost = outermost
        self._provider = provider
        self._redact = redact

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; replays too stop when the run is stopped.

        What has to be whole to be of use (a verdict, a prompt) and was cut off is asked for once more, with more room.
        """
        self._cancel.check()
        if request.role in WHOLE_ROLES:
            return await complete_whole(self._outermost, request)
        return await self._outermost.complete(request)

    def preview(self, request: ModelRequest) -> Outgoing:
        """Return the request exactly as it would leave, redacted; sends nothing."""
        return self._provider.preview(redacted(request, self._redact))


def build_stack(
    ref: ModelRef,
    provider: Provider,
    *,
    journal: Journal,
    budget: Budget,
    limiter: Limiter,
    quote: Quote | None = None,
    cancel: Cancellation | None = None,
    redact: Redact = as_it_is,
    policy: RetryPolicy | None = None,
    batching: BatchingClient | None = None,
    contact: Contact | None = None,
    on_wait: OnWait | None = None,
) -> ModelStack:
    """Return ``provider`` with all layers around it.

    Args:
        quote: what knows its price; free when not given.
        batching: stands in for limiter and retry when calls go out in batches.
        contact: shared by the stacks of a run that lead to the same address.
        on_wait: told before each wait for another attempt.
    """
    cancel = cancel or Cancellation()
    meter = Meter(budget, quote or FreeQuote())
    sender: ModelClient = batching or _one_by_one(
        provider, Attempts(journal, meter, limiter), limiter, cancel, policy, contact, on_wait
    )
    return ModelStack(ref, JournaledClient(BudgetedClient(sender, meter), journal, redact), provider, redact, cancel)


def _one_by_one(
    provider: Provider,
    attempts: Attempts,
    limiter: Limiter,
    cancel: Cancellation,
    policy: RetryPolicy | None,
    contact: Contact | None,
    on_wait: OnWait | None,
) -> LimitedClient:
    """Return limiter, retry and provider: what sends each call by itself."""
    retrying = RetryingClient(
        provider,
        policy=policy,
        listener=attempts,
        cancel=cancel,
        while_waiting=lambda: limiter.lent(cancel),
        contact=contact,
        on_wait=on_wait,
    )
    return LimitedClient(retrying, limiter, cancel)


class RunModels:
    """One run's models: they share its journal, its budget and its stop switch."""

    def __init__(
        self,
        registry: ModelRegistry,
        journal: Journal,
        budget: Budget,
        *,
        cancel: Cancellation | None = None,
        redact: Redact = as_it_is,
        policy: RetryPolicy | None = None,
        on_wait: OnWait | None = None,
    ) -> None:
        self.journal = journal
        self.budget = budget
        self.cancel = cancel or Cancellation()
        self._registry = registry
        self._redact = redact
        self._policy = policy
        self._on_wait = on_wait
        self._batching: list[BatchingClient] = []
        self._contacts: dict[int, Contact] = {}  # by limiter: there is one for each address

    @classmethod
    def open(
        cls,
        registry: ModelRegistry,
        journal_path: Path,
        *,
        max_calls: int | None = None,
        max_usd: float | None = None,
        max_tokens: int | None = None,
        shared: Sequence[Ledger] = (),
        cancel: Cancellation | None = None,
        redact: Redact = as_it_is,
        policy: RetryPolicy | None = None,
    ) -> RunModels:
        """Open the journal (a resumed run's calls count at once) and a budget for it.

        Reads the whole journal: for a long one, call it in a worker thread.

        Args:
            shared: ceilings that other runs count on too, such as a day's or the workspace's.
        """
        journal = Journal(journal_path, clock=registry.clock)
        budget = Budget(max_calls, max_usd, max_tokens, shared=shared, paid_before=journal.totals)
        return cls(registry, journal, budget, cancel=cancel, redact=redact, policy=policy)

    def client(self, ref: ModelRef, *, batch: bool = False) -> ModelStack:
        """Return the model for one role.

        Args:
            batch: hand calls in as Message Batches where the provider takes them: half the price, and slow.
        """
        provider = self._registry.provider(ref)
        takes_batches = batch and self._registry.takes_batches(ref)
        quote = self._registry.quote(ref, batch=takes_batches)
        limiter = self._registry.limiter(ref)
        contact = self._contacts.setdefault(id(limiter), Contact())
        batching = None
        if takes_batches:
            listener = Attempts(self.journal, Meter(self.budget, quote), limiter)
            single = _one_by_one(provider, listener, limiter, self.cancel, self._policy, contact, self._on_wait)
            batching = BatchingClient(
                provider,  # type: ignore[arg-type]
                self.journal,
                listener=listener,
                cancel=self.cancel,
                one_by_one=None if isinstance(quote, TableQuote) else single,  # never at twice the price that was held
            )
            self._batching.append(batching)
        return build_stack(
            ref,
            provider,
            journal=self.journal,
            budget=self.budget,
            limiter=limiter,
            quote=quote,
            cancel=self.cancel,
            redact=self._redact,
            policy=self._policy,
            batching=batching,
            contact=contact,
            on_wait=self._on_wait,
        )

    @property
    def spend(self) -> Spend:
        """What the run took so far, earlier starts included, and what was replayed now."""
        return replace(self.budget.spend, replayed_calls=self.journal.replayed_calls)

    async def sync(self) -> None:
        """Make everything paid for safe against a power cut; at stage ends."""
        await asyncio.to_thread(self.journal.sync)

    async def close(self) -> None:
        """Stop waiting for batches, close journal and budget; the registry's providers stay open."""
        for batching in self._batching:
            await batching.close()
        await asyncio.to_thread(self.journal.close)
        await asyncio.to_thread(self.budget.close)
