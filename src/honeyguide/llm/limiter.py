"""How many calls may be under way at one provider: fewer when it is overloaded, more again when it copes.

Additive increase, multiplicative decrease (RFC 5681, section 3.1, in calls instead of segments). One limiter
serves everybody who talks to the same address, so one 429 slows all of them down and not only the one that met it.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Mapping

from honeyguide.kernel.clock import Clock, SystemClock
from honeyguide.kernel.errors import InvalidInput
from honeyguide.llm.cancel import Cancellation, interrupted
from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest
from honeyguide.llm.rate_headers import rate_reports

FIRST_PAUSE = 2.0
LONGEST_PAUSE = 150.0
RESTART_SPACING = 0.1
"""Seconds between two starts after a pause, until the first call succeeds again."""


class Limiter:
    """Slots for calls to one provider; used from one event loop.

    Attributes:
        most: the number of slots when the provider is well (at least 1).
    """

    def __init__(self, most: int = 8, *, clock: Clock | None = None) -> None:
        if most < 1:
            raise InvalidInput(f"{most} parallel calls are not possible.", hint="Use at least 1.")
        self.most = most
        self._clock = clock or SystemClock()
        self._window = float(most)
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._closed_until = 0.0
        self._next_start = 0.0
        self._is_restarting = False
        self._pauses_in_a_row = 0
        self._credit: int | None = None
        self._credit_until = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def window(self) -> int:
        """How many calls may be under way now."""
        return max(1, int(self._window))

    @property
    def in_flight(self) -> int:
        """How many are."""
        return self._in_flight

    def try_acquire(self) -> bool:
        """Take a slot if one is free at this moment and nobody waits for it."""
        if self._waiting or self._seconds_to_start() != 0.0:
            return False
        self._start()
        return True

    async def acquire(self, cancel: Cancellation | None = None) -> None:
        """Take a slot, waiting in line for it. Raises Interrupted when ``cancel`` is asked for meanwhile."""
        if self.try_acquire():
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        unsubscribe = cancel.subscribe(lambda: _give_up(turn)) if cancel else None
        self._waiting.append(turn)
        self._admit()
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                self.release()
            raise
        finally:
            if unsubscribe:
                unsubscribe()

    def release(self) -> None:
        """Give a slot back."""
        self._in_flight -= 1
        self._admit()

    @contextlib.asynccontextmanager
    async def lent(self, cancel: Cancellation | None = None) -> AsyncIterator[None]:
        """Give the own slot back while its holder waits, and stand in line for it again afterwards."""
        self.release()
        try:
            yield
            await self.acquire(cancel)
        except BaseException:
            self._in_flight += 1  # the holder releases it in any case
            raise

    def succeeded(self) -> None:
        """Note that a call came through: one more slot for every window full of successes."""
        self._window = min(float(self.most), self._window + 1.0 / self._window)
        self._is_restarting = False
        self._pauses_in_a_row = 0
        self._admit()

    def throttled(self, retry_after: float | None = None) -> None:
        """Note a 429 or 529: half the slots, and nobody starts for a while (``retry_after`` seconds, capped)."""
        now = self._clock.monotonic()
        if now < self._closed_until:
            if retry_after is not None:
                self._closed_until = max(self._closed_until, now + min(retry_after, LONGEST_PAUSE))
            return
        self._window = max(1.0, self._window / 2)
        pause = FIRST_PAUSE * 2**self._pauses_in_a_row if retry_after is None else retry_after
        self._closed_until = now + min(pause, LONGEST_PAUSE)
        self._pauses_in_a_row = min(self._pauses_in_a_row + 1, 8)
        self._is_restarting = True

    def observe(self, headers: Mapping[str, str]) -> None:
        """Read the provider's own allowances and don't run into them."""
        now = self._clock.monotonic()
        for report in rate_reports(headers, self._clock.now()):
            is_requests = report.resource == "requests"
            others = max(0, self._in_flight - 1)
            if not is_requests and report.remaining > 0:
                continue
            credit = max(0, report.remaining - others) if is_requests else 0
            if credit >= self.most:
                self._credit = None
                continue
            wait = 1.0 if report.resets_in is None else min(report.resets_in, LONGEST_PAUSE)
            if self._credit is None or credit < self._credit or now >= self._credit_until:
                self._credit, self._credit_until = credit, now + wait
        self._admit()

    def _start(self) -> None:
        self._in_flight += 1
        if self._credit is not None:
            self._credit = max(0, self._credit - 1)
        if self._is_restarting:
            self._next_start = self._clock.monotonic() + RESTART_SPACING

    def _seconds_to_start(self) -> float | None:
        """0 for now, a number of seconds to wait, or None: when a slot comes back."""
        now = self._clock.monotonic()
        if self._credit is not None and now >= self._credit_until:
            self._credit = None
        if self._in_flight >= self.window:
            return None
        until = max(self._closed_until, self._next_start if self._is_restarting else 0.0)
        if self._credit == 0:
            until = max(until, self._credit_until)
        return max(0.0, until - now)

    def _admit(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        while self._waiting:
            if self._waiting[0].done():
                self._waiting.popleft()
                continue
            seconds = self._seconds_to_start()
            if seconds is None:
                return
            if seconds > 0:
                self._timer = asyncio.get_running_loop().call_later(seconds, self._admit)
                return
            self._start()
            self._waiting.popleft().set_result(None)


class LimitedClient:
    """Lets a request through when the limiter has a slot for it."""

    def __init__(self, inner: ModelClient, limiter: Limiter, cancel: Cancellation | None = None) -> None:
        self._inner = inner
        self._limiter = limiter
        self._cancel = cancel

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``; raises Interrupted when stopped while waiting."""
        limiter, cancel = self._limiter, self._cancel
        await limiter.acquire(cancel)
        try:
            if cancel:
                cancel.check()
            reply = await self._inner.complete(request)
            limiter.succeeded()
            return reply
        finally:
            limiter.release()


def _give_up(turn: asyncio.Future[None]) -> None:
    if not turn.done():
        turn.set_exception(interrupted())
