"""What is tried again, how often, after how long; and that a wait can be interrupted."""

from __future__ import annotations

import asyncio
import contextlib
import time

import pytest

from honeyguide.kernel.errors import Interrupted, ModelError
from honeyguide.llm.cancel import Cancellation
from honeyguide.llm.failures import RETRYABLE_STATUSES, Failure, FailureKind, failure_of, model_error
from honeyguide.llm.protocol import ModelReply, ModelRequest
from honeyguide.llm.retry import Contact, RetryingClient, RetryPolicy
from tests.llm.support import QUICK, Scripted, ask, reply

_K = FailureKind


class Heard:
    """Notes what it is told of."""

    def __init__(self) -> None:
        self.failures: list[ModelError] = []
        self.agains = 0

    def failed(self, request: ModelRequest, error: ModelError) -> None:
        self.failures.append(error)

    def again(self, request: ModelRequest) -> None:
        self.agains += 1


@pytest.mark.parametrize("status", sorted(RETRYABLE_STATUSES))
def test_these_statuses_are_tried_again(status: int) -> None:
    assert _attempts(Failure(_K.SERVER, status)) == 6


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 410, 413, 422, 431, 501])
def test_these_statuses_never_are_whatever_their_message_says(status: int) -> None:
    error = model_error(Failure(_K.BAD_REQUEST, status), who="x", said="please retry: overloaded, timeout, 503")
    inner = Scripted(*[error] * 9)
    with pytest.raises(ModelError):
        asyncio.run(RetryingClient(inner, policy=QUICK).complete(ask()))
    assert len(inner.requests) == 1


@pytest.mark.parametrize(
    ("kind", "attempts"),
    [
        (_K.TIMEOUT, 6),
        (_K.DNS, 6),
        (_K.REFUSED, 6),
        (_K.CUT, 6),
        (_K.PROXY, 6),
        (_K.CONNECTION, 6),
        (_K.TLS, 1),
        (_K.NO_KEY, 1),
        (_K.NOT_RECORDED, 1),
        (_K.NOT_INSTALLED, 1),
    ],
)
def test_connection_errors_are_tried_again_unless_waiting_cannot_help(kind: FailureKind, attempts: int) -> None:
    assert _attempts(Failure(kind)) == attempts


def test_an_exhausted_account_is_not_asked_again_although_it_says_429() -> None:
    assert _attempts(Failure(_K.QUOTA, 429)) == 1


@pytest.mark.parametrize(
    ("attempt", "low", "high"), [(1, 5, 8), (2, 15, 18), (3, 45, 48), (4, 135, 138), (5, 150, 153), (9, 150, 153)]
)
def test_waits_grow_to_150_seconds_with_up_to_three_seconds_of_jitter(attempt: int, low: float, high: float) -> None:
    waits = [RetryPolicy().wait(Failure(_K.SERVER, 500), attempt, ask(str(n))) for n in range(50)]
    assert all(low <= wait < high for wait in waits)
    assert len(set(waits)) > 40  # many callers don't come back in the same moment


@pytest.mark.parametrize(("asked", "low", "high"), [(0.0, 0, 1), (20.0, 20, 21), (150.0, 150, 151), (4e9, 150, 151)])
def test_retry_after_is_honoured_but_capped(asked: float, low: float, high: float) -> None:
    assert low <= RetryPolicy().wait(Failure(_K.RATE_LIMIT, 429, retry_after=asked), 3, ask()) <= high


def test_a_later_success_is_returned_and_every_failure_told_once() -> None:
    heard = Heard()
    busy = model_error(Failure(_K.OVERLOADED, 529), who="x")
    client = RetryingClient(Scripted(busy, busy, reply("there")), policy=QUICK, listener=heard)
    assert asyncio.run(client.complete(ask())).text == "there"
    assert (len(heard.failures), heard.agains) == (2, 2)


def test_the_last_error_is_raised_as_it_came() -> None:
    errors = [model_error(Failure(_K.SERVER, 500), who=str(n)) for n in range(6)]
    heard = Heard()
    with pytest.raises(ModelError) as caught:
        asyncio.run(RetryingClient(Scripted(*errors), policy=QUICK, listener=heard).complete(ask()))
    assert caught.value is errors[-1]
    assert heard.failures == errors


def test_a_dropped_parameter_is_tried_again_at_once() -> None:
    dropped = model_error(Failure(_K.PARAMETER_DROPPED, 400), who="x")
    began = time.monotonic()
    slow = RetryPolicy(waits=(60.0,))
    assert asyncio.run(RetryingClient(Scripted(dropped, reply("ok")), policy=slow).complete(ask())).text == "ok"
    assert time.monotonic() - began < 5


def test_a_wait_is_interrupted_by_the_stop() -> None:
    cancel = Cancellation()
    busy = model_error(Failure(_K.OVERLOADED, 529), who="x")
    inner = Scripted(busy, reply())
    began = time.monotonic()

    async def run() -> None:
        client = RetryingClient(inner, policy=RetryPolicy(), cancel=cancel)
        asyncio.get_running_loop().call_later(0.05, cancel.request)
        await client.complete(ask())

    with pytest.raises(Interrupted):
        asyncio.run(run())
    assert time.monotonic() - began < 2
    assert len(inner.requests) == 1


def test_nothing_is_sent_after_the_stop() -> None:
    inner = Scripted()

    async def run() -> None:
        cancel = Cancellation()
        cancel.request()
        await RetryingClient(inner, cancel=cancel).complete(ask())

    with pytest.raises(Interrupted):
        asyncio.run(run())
    assert inner.requests == []


def test_a_call_torn_down_under_way_is_told_as_perhaps_billed() -> None:
    heard = Heard()

    async def run() -> None:
        task = asyncio.create_task(RetryingClient(Scripted(pause=5), listener=heard).complete(ask()))
        await asyncio.sleep(0.01)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(run())
    assert [failure_of(error).may_be_billed for error in heard.failures] == [True]


def test_nobody_at_an_address_is_found_out_quickly_and_once() -> None:
    refused = model_error(Failure(_K.REFUSED), who="x")
    contact, inner = Contact(), Scripted(*[refused] * 9)
    for attempts in (3, 4, 5):  # three for the first call, one for each that follows
        with pytest.raises(ModelError):
            asyncio.run(RetryingClient(inner, policy=QUICK, contact=contact).complete(ask()))
        assert len(inner.requests) == attempts


@pytest.mark.parametrize("first", [reply("there"), model_error(Failure(_K.SERVER, 503), who="x")])
def test_who_has_answered_once_is_waited_for(first: ModelReply | ModelError) -> None:
    refused = model_error(Failure(_K.REFUSED), who="x")
    contact, inner = Contact(), Scripted(first, *[refused] * 20)
    with contextlib.suppress(ModelError):
        asyncio.run(RetryingClient(inner, policy=QUICK, contact=contact).complete(ask()))
    before = len(inner.requests)
    with pytest.raises(ModelError):
        asyncio.run(RetryingClient(inner, policy=QUICK, contact=contact).complete(ask()))
    assert len(inner.requests) == before + 6


def _attempts(failure: Failure) -> int:
    inner = Scripted(*[model_error(failure, who="x")] * 9)
    with pytest.raises(ModelError):
        asyncio.run(RetryingClient(inner, policy=QUICK).complete(ask()))
    return len(inner.requests)
