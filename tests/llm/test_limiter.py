"""Everybody slows down together, nobody rushes back, and the slots stay busy when all is well."""

from __future__ import annotations

import asyncio
import itertools
import time

import pytest

from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import Interrupted, InvalidInput
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.limiter import RESTART_SPACING, LimitedClient, Limiter
from tests.llm.support import Scripted, ask


def test_never_more_calls_under_way_than_slots() -> None:
    inner = Scripted(pause=0.005)

    async def run() -> None:
        client = LimitedClient(inner, Limiter(3))
        await asyncio.gather(*(client.complete(ask(str(n))) for n in range(20)))

    asyncio.run(run())
    assert inner.most_under_way == 3


def test_calls_start_in_the_order_they_came() -> None:
    inner = Scripted(pause=0.001)

    async def run() -> None:
        client = LimitedClient(inner, Limiter(1))
        await asyncio.gather(*(client.complete(ask(str(n))) for n in range(10)))

    asyncio.run(run())
    assert [request.messages[0].content for request in inner.requests] == [str(n) for n in range(10)]


def test_an_overload_halves_the_window_once_and_successes_open_it_again() -> None:
    async def run() -> None:
        limiter = Limiter(8)
        for _ in range(8):  # eight calls met the same overload
            limiter.throttled(0.01)
        assert limiter.window == 4
        await asyncio.sleep(0.02)
        limiter.throttled(0.01)
        assert limiter.window == 2
        for _ in range(60):
            limiter.succeeded()
        assert limiter.window == 8

    asyncio.run(run())


def test_an_overload_pauses_everybody_and_they_come_back_one_by_one() -> None:
    starts: list[float] = []

    async def one(limiter: Limiter) -> None:
        await limiter.acquire()
        starts.append(time.monotonic())
        await asyncio.sleep(0.5)
        limiter.release()

    async def run() -> float:
        limiter = Limiter(8)
        limiter.throttled(0.15)
        began = time.monotonic()
        await asyncio.gather(*(one(limiter) for _ in range(4)))
        return began

    began = asyncio.run(run())
    assert starts[0] - began >= 0.14
    assert all(later - earlier >= RESTART_SPACING * 0.9 for earlier, later in itertools.pairwise(starts))


def test_a_holder_that_waits_lends_its_slot() -> None:
    async def run() -> None:
        limiter = Limiter(1)
        await limiter.acquire()
        async with limiter.lent():
            assert limiter.try_acquire()
            limiter.release()
        assert limiter.in_flight == 1
        limiter.release()
        assert limiter.in_flight == 0

    asyncio.run(run())


def test_a_lent_slot_is_counted_right_when_the_wait_is_broken_off() -> None:
    async def run() -> None:
        limiter = Limiter(1)
        await limiter.acquire()
        with pytest.raises(ValueError, match="broken off"):
            async with limiter.lent():
                raise ValueError("broken off")
        limiter.release()
        assert limiter.in_flight == 0

    asyncio.run(run())


def test_the_stop_is_heard_while_waiting_for_a_slot() -> None:
    inner = Scripted(pause=0.05)

    async def run() -> list[object]:
        cancel = Cancellation()
        limiter = Limiter(1)
        client = LimitedClient(inner, limiter, cancel)
        calls = [asyncio.create_task(client.complete(ask(str(n)))) for n in range(4)]
        await asyncio.sleep(0.01)
        cancel.request()
        outcomes = await asyncio.gather(*calls, return_exceptions=True)
        assert limiter.in_flight == 0
        return [type(outcome).__name__ for outcome in outcomes]

    assert asyncio.run(run()) == ["ModelReply", "Interrupted", "Interrupted", "Interrupted"]
    assert len(inner.requests) == 1  # the one under way was let finish


def test_cancelled_waiters_leak_no_slot() -> None:
    async def run() -> None:
        limiter = Limiter(2)
        client = LimitedClient(Scripted(pause=0.01), limiter)
        calls = [asyncio.create_task(client.complete(ask(str(n)))) for n in range(30)]
        for step in range(10):
            await asyncio.sleep(0.002)
            calls[step * 3].cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert limiter.in_flight == 0
        assert limiter.try_acquire()

    asyncio.run(run())


@pytest.mark.parametrize(
    "headers",
    [
        {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "200ms"},
        {"X-RateLimit-Remaining-Tokens": "0", "X-RateLimit-Reset-Tokens": "0.2s"},
        {"anthropic-ratelimit-input-tokens-remaining": "0", "anthropic-ratelimit-input-tokens-reset": "0.2"},
    ],
)
def test_an_allowance_that_is_used_up_is_waited_for(headers: dict[str, str]) -> None:
    async def run() -> float:
        limiter = Limiter(4)
        limiter.observe(headers)
        began = time.monotonic()
        await limiter.acquire()
        limiter.release()
        return time.monotonic() - began

    assert 0.15 <= asyncio.run(run()) < 2


def test_no_more_calls_start_than_the_provider_says_are_left() -> None:
    async def run() -> int:
        limiter = Limiter(8)
        limiter.observe({"x-ratelimit-remaining-requests": "2", "x-ratelimit-reset-requests": "60s"})
        return sum(limiter.try_acquire() for _ in range(8))

    assert asyncio.run(run()) == 2


def test_a_plentiful_allowance_limits_nothing() -> None:
    async def run() -> int:
        limiter = Limiter(8)
        limiter.observe({"anthropic-ratelimit-requests-remaining": "4999", "anthropic-ratelimit-tokens-remaining": "1"})
        return sum(limiter.try_acquire() for _ in range(8))

    assert asyncio.run(run()) == 8


def test_slots_stay_busy_when_calls_take_long() -> None:
    inner = Scripted(pause=0.01)

    async def run() -> float:
        client = LimitedClient(inner, Limiter(8))
        began = time.monotonic()
        await asyncio.gather(*(client.complete(ask(str(n))) for n in range(160)))
        return time.monotonic() - began

    asyncio.run(run())
    assert inner.most_under_way == 8


def test_no_slots_at_all_are_refused() -> None:
    with pytest.raises(InvalidInput):
        Limiter(0)


def test_the_stop_before_the_call_frees_the_slot() -> None:
    async def run() -> None:
        cancel = Cancellation()
        cancel.request()
        limiter = Limiter(1)
        with pytest.raises(Interrupted):
            await LimitedClient(Scripted(), limiter, cancel).complete(ask())
        assert limiter.in_flight == 0

    asyncio.run(run())


def test_reset_moments_are_read() -> None:
    from datetime import UTC, datetime, timedelta

    from honeyguide.llm.rate_headers import rate_reports, retry_after

    now = datetime(2026, 5, 1, 12, tzinfo=UTC)
    later = iso(now + timedelta(seconds=90))
    (report,) = rate_reports(
        {"anthropic-ratelimit-requests-remaining": "7", "anthropic-ratelimit-requests-reset": later}, now
    )
    assert (report.remaining, report.resets_in) == (7, 90)
    assert [
        retry_after(headers, now)
        for headers in (
            {"Retry-After": "12"},
            {"retry-after-ms": "1500", "retry-after": "9"},
            {"retry-after": "Fri, 01 May 2026 12:01:00 GMT"},
            {"retry-after": "soon"},
            {},
        )
    ] == [12, 1.5, 60, None, None]
    assert [
        r.resets_in
        for text in ("6m0s", "1h2m", "20ms", "nonsense", "")
        for r in rate_reports({"x-ratelimit-remaining-tokens": "1", "x-ratelimit-reset-tokens": text}, now)
    ] == [360, 3720, 0.02, None, None]
