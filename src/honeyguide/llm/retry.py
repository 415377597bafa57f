"""Trying again: when, how often, how long to wait in between. Everybody else may take a reply or an error as final."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Protocol

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception

from honeyguide.kernel import choice
from honeyguide.kernel.errors import ModelError
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.failures import Failure, FailureKind, failure_of, model_error
from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest


@dataclass(slots=True)
class Contact:
    """Whether anybody has answered yet at the address of a model, in one run.

    Attributes:
        is_missing: no call has reached anybody so far.
        was_sought: a call was given up for that; the next ones are made once and no more.
    """

    is_missing: bool = True
    was_sought: bool = False

    def note(self, failure: Failure | None) -> None:
        """Take in how an attempt ended; ``None`` for a reply."""
        if failure is None or not failure.is_unconnected:
            self.is_missing = False


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """The numbers.

    Attributes:
        attempts: how often a call is made at most, the first time included.
        waits: seconds before the second, third, … attempt; the last one repeats.
        jitter: up to so many seconds are added, so that many callers don't come back in the same moment.
        longest_wait: the most that a ``Retry-After`` is obeyed, in seconds (the SDKs have no such cap).
        waits_without_contact: the waits while nobody has ever answered at the address: a server that is not there is no
            hiccup, and whoever started the run learns it in seconds.
    """

    attempts: int = 6
    waits: tuple[float, ...] = (5.0, 15.0, 45.0, 135.0, 150.0)
    jitter: float = 3.0
    longest_wait: float = 150.0
    waits_without_contact: tuple[float, ...] = (0.5, 1.5)

    def most_attempts(self, failure: Failure, contact: Contact) -> int:
        """Return how often a call that failed so is made at most."""
        if not (failure.is_unconnected and contact.is_missing):
            return self.attempts
        return 1 if contact.was_sought else min(self.attempts, len(self.waits_without_contact) + 1)

    def wait_without_contact(self, attempt: int) -> float:
        """Return the seconds after attempt number ``attempt`` while nobody has ever answered."""
        waits = self.waits_without_contact
        return min(waits[min(attempt, len(waits)) - 1], self.waits[min(attempt, len(self.waits)) - 1])

    def wait(self, failure: Failure, attempt: int, request: ModelRequest) -> float:
        """Return the seconds to wait after attempt number ``attempt`` (from 1); the same for the same request."""
        if failure.kind is FailureKind.PARAMETER_DROPPED:
            return 0.0
        share = choice.unit(attempt, "retry", request.request_hash)
        if failure.retry_after is not None:
            return min(failure.retry_after, self.longest_wait) + share * min(self.jitter, 1.0)
        return self.waits[min(attempt, len(self.waits)) - 1] + share * self.jitter


OnWait = Callable[[ModelError, float], None]
"""Told before each wait: what went wrong, and in how many seconds the call is made again."""


class AttemptListener(Protocol):
    """Who must know of attempts that failed: the budget, the journal, the limiter."""

    def failed(self, request: ModelRequest, error: ModelError) -> None:
        """Note one attempt that was made and brought no reply. Raises only when that cannot be written down."""
        ...

    def again(self, request: ModelRequest) -> None:
        """Say whether another attempt is allowed. Raises BudgetExceeded when not."""
        ...


class RetryingClient:
    """Makes the call, and makes it again where that can help.

    Whoever sends also counts: every attempt that brings no reply is told to ``listener``, exactly once.
    """

    def __init__(
        self,
        inner: ModelClient,
        *,
        policy: RetryPolicy | None = None,
        listener: AttemptListener | None = None,
        cancel: Cancellation | None = None,
        while_waiting: Callable[[], AbstractAsyncContextManager[None]] | None = None,
        contact: Contact | None = None,
        on_wait: OnWait | None = None,
    ) -> None:
        """
        Args:
            contact: shared by all who call the same address in a run; without it somebody is taken to be there.
            while_waiting: entered for each wait; gives the limiter's slot to somebody else meanwhile.
        """
        self._inner = inner
        self._policy = policy or RetryPolicy()
        self._listener = listener
        self._cancel = cancel or Cancellation()
        self._while_waiting = while_waiting or contextlib.nullcontext
        self._contact = contact or Contact(is_missing=False)
        self._on_wait = on_wait

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; the last error is raised as it came."""
        try:
            return await self._attempt(request)
        except ModelError as error:
            if not _is_retryable(error):
                raise
            first: ModelError | None = error  # most calls end above: tenacity's machinery costs more than all layers
            last = error

        async def attempt() -> ModelReply:
            nonlocal first
            if first is not None:
                made, first = first, None
                raise made
            return await self._attempt(request)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            assert isinstance(error, ModelError)
            nonlocal last
            last = error
            failure = failure_of(error)
            if failure.is_unconnected and self._contact.is_missing:
                return self._policy.wait_without_contact(state.attempt_number)
            return self._policy.wait(failure, state.attempt_number, request)

        def is_last(state: RetryCallState) -> bool:
            error = state.outcome.exception() if state.outcome else None
            failure = failure_of(error) if isinstance(error, ModelError) else None
            if failure is None or state.attempt_number < self._policy.most_attempts(failure, self._contact):
                return False
            self._contact.was_sought = True
            return True

        async def pause(seconds: float) -> None:
            if self._listener:
                self._listener.again(request)
            self._cancel.check()
            if seconds > 0:
                if self._on_wait:
                    self._on_wait(last, seconds)
                async with self._while_waiting():
                    await self._cancel.sleep(seconds)

        retrying = AsyncRetrying(
            stop=is_last,
            retry=retry_if_exception(_is_retryable),
            wait=wait,
            sleep=pause,
            reraise=True,
        )
        return await retrying(attempt)

    async def _attempt(self, request: ModelRequest) -> ModelReply:
        self._cancel.check()
        try:
            reply = await self._inner.complete(request)
        except ModelError as error:
            self._contact.note(failure_of(error))
            if self._listener:
                self._listener.failed(request, error)
            raise
        except asyncio.CancelledError:
            if self._listener:
                broken = Failure(FailureKind.CANCELLED, may_be_billed=True)
                self._listener.failed(request, model_error(broken, who=request.model.provider))
            raise
        self._contact.note(None)
        return reply


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, ModelError) and failure_of(error).is_retryable
