"""No ceiling is ever passed: not by parallel calls, not by retries, not by failures, not by a resumed run."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from honeyguide.kernel.errors import BudgetExceeded, InvalidInput, ModelError, Unreachable
from honeyguide.llm.budget import Allowance, Amount, Budget, BudgetedClient, Meter, Spend
from honeyguide.llm.failures import Failure, FailureKind, model_error
from honeyguide.llm.journal_entries import JournalTotals
from honeyguide.llm.prices import FreeQuote, UnknownQuote
from honeyguide.llm.protocol import ModelReply, ModelRequest, Usage
from honeyguide.llm.retry import RetryingClient
from tests.llm.support import QUICK, Scripted, ask, reply

BUSY = model_error(Failure(FailureKind.OVERLOADED, 529), who="x")
CUT = model_error(Failure(FailureKind.CUT, may_be_billed=True), who="x")
BAD = model_error(Failure(FailureKind.BAD_REQUEST, 400), who="x")


@dataclass(frozen=True)
class Flat:
    """A price of one dollar a call, two at worst."""

    worst: float = 2.0
    usual: float = 1.0

    def worst_case(self, request: ModelRequest) -> float | None:
        return self.worst

    def cost(self, usage: Usage) -> float | None:
        return self.usual


def test_the_call_above_the_ceiling_is_not_made() -> None:
    inner = Scripted()
    budget = Budget(max_calls=3)
    outcomes = _ask_all(BudgetedClient(inner, Meter(budget, FreeQuote())), 5)
    assert len(inner.requests) == 3
    assert [type(o).__name__ for o in outcomes] == ["ModelReply"] * 3 + ["BudgetExceeded"] * 2
    assert budget.spend.calls == 3


def test_money_is_reserved_at_the_worst_case_and_settled_at_the_real_price() -> None:
    inner = Scripted()
    budget = Budget(max_usd=5.0)
    outcomes = _ask_all(BudgetedClient(inner, Meter(budget, Flat())), 6)
    assert [type(o).__name__ for o in outcomes].count("ModelReply") == 4  # 4 spent, the fifth could cost 2
    assert budget.spend.usd == 4.0


def test_parallel_calls_cannot_pass_the_ceiling_together() -> None:
    inner = Scripted(pause=0.01)
    budget = Budget(max_usd=5.0)
    outcomes = _ask_all(BudgetedClient(inner, Meter(budget, Flat())), 10, at_once=True)
    assert inner.most_under_way == 2
    assert [type(o).__name__ for o in outcomes].count("ModelReply") == 2


def test_tokens_have_a_ceiling_too() -> None:
    inner = Scripted()
    request = ask("x" * 100, max_tokens=50)
    budget = Budget(max_tokens=200)
    client = BudgetedClient(inner, Meter(budget, FreeQuote()))
    asyncio.run(client.complete(request))  # 15 tokens reported
    asyncio.run(client.complete(request))
    with pytest.raises(BudgetExceeded):
        asyncio.run(client.complete(replace(request, max_tokens=150)))


def test_retries_and_failures_are_counted() -> None:
    budget = Budget(max_calls=10)
    inner = Scripted(BUSY, BUSY, reply(), BAD)
    client = _with_retry(inner, budget)
    asyncio.run(client.complete(ask("a")))
    with pytest.raises(ModelError):
        asyncio.run(client.complete(ask("b")))
    assert budget.spend.calls == 4
    assert len(inner.requests) == 4


def test_a_retry_stops_at_the_ceiling() -> None:
    budget = Budget(max_calls=3)
    inner = Scripted(*[BUSY] * 10)
    with pytest.raises(BudgetExceeded):
        asyncio.run(_with_retry(inner, budget).complete(ask()))
    assert len(inner.requests) == budget.spend.calls == 3


def test_what_a_broken_off_call_may_have_cost_is_kept_aside_but_not_shown_as_spent() -> None:
    budget = Budget(max_usd=5.0)
    inner = Scripted(CUT, reply())
    asyncio.run(_with_retry(inner, budget, Flat()).complete(ask()))
    assert budget.spend == Spend(calls=2, usd=1.0, input_tokens=10, output_tokens=5, maybe_usd=2.0)
    client = _with_retry(Scripted(), budget, Flat())
    asyncio.run(client.complete(ask()))  # 1 + 2 aside + 2 at worst just fits
    with pytest.raises(BudgetExceeded):
        asyncio.run(client.complete(ask()))


def test_a_call_given_up_before_it_was_sent_takes_nothing() -> None:
    budget = Budget(max_calls=1)
    with pytest.raises(BudgetExceeded):
        asyncio.run(BudgetedClient(Scripted(BudgetExceeded("elsewhere")), Meter(budget, FreeQuote())).complete(ask()))
    asyncio.run(BudgetedClient(Scripted(), Meter(budget, FreeQuote())).complete(ask()))
    assert budget.spend.calls == 1


def test_an_unknown_price_is_shown_as_unknown_and_limited_by_calls() -> None:
    budget = Budget(max_calls=2, max_usd=1.0)
    outcomes = _ask_all(BudgetedClient(Scripted(), Meter(budget, UnknownQuote())), 3)
    assert [type(o).__name__ for o in outcomes] == ["ModelReply", "ModelReply", "BudgetExceeded"]
    assert budget.spend.usd is None
    assert budget.spend.to_json()["usd"] is None


def test_an_unknown_price_with_a_ceiling_in_money_alone_is_refused() -> None:
    with pytest.raises(BudgetExceeded, match="not known"):
        asyncio.run(BudgetedClient(Scripted(), Meter(Budget(max_usd=1.0), UnknownQuote())).complete(ask()))


def test_a_reported_price_wins_over_the_table() -> None:
    stated = replace(reply(), cost_usd=0.125, cost_is_reported=True)
    budget = Budget()
    made = asyncio.run(BudgetedClient(Scripted(stated), Meter(budget, Flat())).complete(ask()))
    assert (made.cost_usd, made.cost_is_reported) == (0.125, True)
    assert budget.spend.usd == 0.125


def test_tokens_nobody_reported_are_booked_at_the_worst_case() -> None:
    budget = Budget(max_tokens=300)
    client = BudgetedClient(Scripted(*[reply(read=None, written=None)] * 3), Meter(budget, FreeQuote()))
    outcomes = _ask_all(client, 3)
    assert [type(o).__name__ for o in outcomes] == ["ModelReply", "ModelReply", "BudgetExceeded"]


def test_a_resumed_run_has_already_spent_what_its_journal_holds() -> None:
    before = JournalTotals(calls=4, usd=3.0, input_tokens=100, output_tokens=50, maybe_usd=1.0)
    budget = Budget(max_calls=5, max_usd=6.0, paid_before=before)
    client = BudgetedClient(Scripted(), Meter(budget, Flat()))
    asyncio.run(client.complete(ask()))
    with pytest.raises(BudgetExceeded, match="5 calls"):
        asyncio.run(client.complete(ask()))
    assert budget.spend == Spend(5, 4.0, 110, 55, maybe_usd=1.0)


def test_a_shared_ceiling_holds_for_all_runs_and_a_refusal_leaves_no_trace() -> None:
    today = Allowance("today", max_calls=3)
    first, second = Budget(max_calls=10, shared=[today]), Budget(max_calls=10, shared=[today])
    assert len(_replies(_ask_all(BudgetedClient(Scripted(), Meter(first, FreeQuote())), 2))) == 2
    outcomes = _ask_all(BudgetedClient(Scripted(), Meter(second, FreeQuote())), 2)
    assert [type(o).__name__ for o in outcomes] == ["ModelReply", "BudgetExceeded"]
    assert "today" in str(outcomes[1])
    assert today.taken.calls == 3
    second.reserve(Amount())
    assert second.spend.calls == 1


@pytest.mark.parametrize("ceiling", [{"max_calls": -1}, {"max_usd": -0.1}, {"max_tokens": -5}])
def test_a_negative_ceiling_is_refused(ceiling: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Allowance("this run", **ceiling)  # type: ignore[arg-type]


@given(
    max_calls=st.integers(0, 12),
    max_usd=st.floats(0, 12, allow_nan=False),
    outcomes=st.lists(st.sampled_from(["reply", "busy", "cut", "bad"]), max_size=30),
    at_once=st.booleans(),
)
def test_no_ceiling_is_ever_passed(max_calls: int, max_usd: float, outcomes: list[str], at_once: bool) -> None:
    table = {"reply": reply(), "busy": BUSY, "cut": CUT, "bad": BAD}
    inner = Scripted(*(table[o] for o in outcomes))
    budget = Budget(max_calls=max_calls, max_usd=max_usd)
    instant = replace(QUICK, waits=(0.0,))
    meter = Meter(budget, Flat())
    client = BudgetedClient(RetryingClient(inner, policy=instant, listener=meter), meter)
    _ask_all(client, 8, at_once=at_once)
    spend = budget.spend
    assert spend.calls == len(inner.requests) <= max_calls
    assert spend.usd is not None
    assert spend.usd + spend.maybe_usd <= max_usd + 1e-6
    budget.check()  # nothing stays reserved beyond the ceiling
    with pytest.raises(BudgetExceeded):
        budget.reserve(Amount(max_calls - spend.calls + 1))
    budget.reserve(Amount(max_calls - spend.calls))


def _with_retry(inner: Scripted, budget: Budget, quote: Flat | FreeQuote | None = None) -> BudgetedClient:
    meter = Meter(budget, quote or FreeQuote())
    return BudgetedClient(RetryingClient(inner, policy=QUICK, listener=meter), meter)


def _ask_all(client: BudgetedClient, count: int, *, at_once: bool = False) -> list[ModelReply | BaseException]:
    async def run() -> list[ModelReply | BaseException]:
        if at_once:
            return await asyncio.gather(*(client.complete(ask(str(n))) for n in range(count)), return_exceptions=True)
        outcomes: list[ModelReply | BaseException] = []
        for n in range(count):
            try:
                outcomes.append(await client.complete(ask(str(n))))
            except (BudgetExceeded, Unreachable, ModelError) as error:
                outcomes.append(error)
        return outcomes

    return asyncio.run(run())


def _replies(outcomes: list[ModelReply | BaseException]) -> list[ModelReply]:
    return [outcome for outcome in outcomes if isinstance(outcome, ModelReply)]
