"""Ceilings on calls, money and tokens, asked before every call and never exceeded.

Before a call its worst case is reserved (every byte a token, the longest reply, the dearest rate); after it the
reservation is replaced by what the call really took. Attempts that failed count as calls; what a broken-off one
may have cost is kept aside against the ceiling, but is not shown as spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from honeyguide.kernel.errors import BudgetExceeded, HoneyguideError, InvalidInput, ModelError
from honeyguide.llm.failures import failure_of
from honeyguide.llm.journal_entries import JournalTotals, total_input
from honeyguide.llm.prices import Quote, worst_input_tokens
from honeyguide.llm.protocol import ModelClient, ModelReply, ModelRequest

ROUNDING = 1e-9
"""US dollars by which sums of floats may miss; far below the smallest price."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What one call, or many, take. ``usd`` is 0 where the price is unknown: then calls are the ceiling."""

    calls: int = 0
    usd: float = 0.0
    tokens: int = 0

    def __add__(self, other: Amount) -> Amount:
        return Amount(self.calls + other.calls, self.usd + other.usd, self.tokens + other.tokens)

    def __sub__(self, other: Amount) -> Amount:
        return Amount(self.calls - other.calls, self.usd - other.usd, self.tokens - other.tokens)


NOTHING = Amount()


class Ledger(Protocol):
    """Something with a ceiling that calls are booked on: a run, a day, a workspace.

    Storage implements one that several processes share; both methods must be quick, they stand before every call.
    """

    def reserve(self, amount: Amount) -> None:
        """Set ``amount`` aside, whole or not at all. Raises BudgetExceeded when the ceiling does not allow it."""
        ...

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """Replace a reservation by what was really taken. Never raises."""
        ...

    def close(self) -> None:
        """Give back what is held and not used. May write: use a worker thread. Closing twice is harmless."""
        ...


class Allowance:
    """A ledger in memory.

    Attributes:
        name: what it is the ceiling of, as a person reads it (``this run``, ``today``, ``this workspace``).
        taken: booked so far, without open reservations.
    """

    def __init__(
        self,
        name: str,
        max_calls: int | None = None,
        max_usd: float | None = None,
        max_tokens: int | None = None,
        taken: Amount = NOTHING,
    ) -> None:
        if any(limit is not None and limit < 0 for limit in (max_calls, max_usd, max_tokens)):
            raise InvalidInput("A ceiling cannot be negative.", hint="Use 0 for none at all, or leave it out.")
        self.name = name
        self.max_calls = max_calls
        self.max_usd = max_usd
        self.max_tokens = max_tokens
        self.taken = taken
        self._reserved = NOTHING

    def reserve(self, amount: Amount) -> None:
        """As ``Ledger.reserve``."""
        after = self.taken + self._reserved + amount
        if self.max_calls is not None and after.calls > self.max_calls:
            raise self._exceeded("calls", f"{self.max_calls} calls", "--max-calls")
        if self.max_usd is not None and after.usd > self.max_usd + ROUNDING:
            raise self._exceeded("usd", f"{self.max_usd:.2f} USD", "--max-usd")
        if self.max_tokens is not None and after.tokens > self.max_tokens:
            raise self._exceeded("tokens", f"{self.max_tokens} tokens", "the token ceiling")
        self._reserved += amount

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """As ``Ledger.settle``."""
        self._reserved -= reserved
        self.taken += actual

    def close(self) -> None:
        """As ``Ledger.close``: nothing is held anywhere else."""

    def _exceeded(self, what: str, limit: str, setting: str) -> BudgetExceeded:
        return BudgetExceeded(
            f"The next call could exceed the ceiling of {limit} for {self.name}.",
            hint=f"Raise {setting} and resume; what was paid for is kept.",
            details={"ceiling": self.name, "limit": what},
        )


@dataclass(frozen=True, slots=True)
class Spend:
    """What a run took so far.

    Attributes:
        calls: calls made, failed attempts and those of earlier starts of the same run included.
        usd: what they cost; ``None`` when a price is unknown.
        input_tokens, output_tokens: as reported; cached input included.
        replayed_calls: answered from the journal, now, at no cost.
        maybe_usd: worst case of broken-off calls that the provider may have charged without a reply.
    """

    calls: int = 0
    usd: float | None = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    replayed_calls: int = 0
    maybe_usd: float = 0.0

    def to_json(self) -> dict[str, object]:
        """Return it with the public key names."""
        return {
            "calls": self.calls,
            "usd": None if self.usd is None else round(self.usd, 6),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "replayed_calls": self.replayed_calls,
            "maybe_usd": round(self.maybe_usd, 6),
        }


class Budget:
    """The ceilings of one run, and what it took; shared by all its model clients."""

    def __init__(
        self,
        max_calls: int | None = None,
        max_usd: float | None = None,
        max_tokens: int | None = None,
        *,
        shared: Sequence[Ledger] = (),
        paid_before: JournalTotals | None = None,
    ) -> None:
        """
        Args:
            shared: ceilings that other runs count on too (a day, the workspace); earlier starts of this run are
                already booked there.
            paid_before: the journal's totals when a run is resumed.
        """
        before = paid_before or JournalTotals()
        taken = Amount(
            before.calls,
            (before.usd or 0.0) + before.maybe_usd,
            before.tokens,
        )
        self._own = Allowance("this run", max_calls, max_usd, max_tokens, taken)
        self._ledgers: tuple[Ledger, ...] = (self._own, *shared)
        self._spend = Spend(
            before.calls, before.usd, before.input_tokens, before.output_tokens, maybe_usd=before.maybe_usd
        )

    @property
    def spend(self) -> Spend:
        """What was taken so far; open calls not included."""
        return self._spend

    def reserve(self, amount: Amount, *, price_is_known: bool = True) -> None:
        """Set the worst case of one call aside. Raises BudgetExceeded; then nothing is set aside anywhere."""
        if not price_is_known and self._own.max_usd is not None and self._own.max_calls is None:
            raise BudgetExceeded(
                "The price of this model is not known, so a ceiling in money cannot hold it.",
                hint="Set --max-calls, or enter the model's price.",
                details={"ceiling": self._own.name, "limit": "calls"},
            )
        done: list[Ledger] = []
        try:
            for ledger in self._ledgers:
                ledger.reserve(amount)
                done.append(ledger)
        except HoneyguideError:
            for ledger in done:
                ledger.settle(amount, NOTHING)
            raise

    def release(self, reserved: Amount) -> None:
        """Give a reservation back unused."""
        for ledger in self._ledgers:
            ledger.settle(reserved, NOTHING)

    def settle(self, reserved: Amount, reply: ModelReply) -> None:
        """Book a call that brought a reply. Tokens or prices nobody reported are booked at the worst case."""
        usage = reply.usage
        tokens = total_input(usage) + (usage.output_tokens or 0)
        is_reported = usage.input_tokens is not None and usage.output_tokens is not None
        actual = Amount(
            1,
            reserved.usd if reply.cost_usd is None else reply.cost_usd,
            tokens if is_reported else max(tokens, reserved.tokens),
        )
        for ledger in self._ledgers:
            ledger.settle(reserved, actual)
        spend = self._spend
        unknown = spend.usd is None or reply.cost_usd is None
        self._spend = replace(
            spend,
            calls=spend.calls + 1,
            usd=None if unknown else (spend.usd or 0.0) + (reply.cost_usd or 0.0),
            input_tokens=spend.input_tokens + total_input(usage),
            output_tokens=spend.output_tokens + (usage.output_tokens or 0),
        )

    def book_failure(self, maybe: Amount) -> None:
        """Book one attempt that failed, with what it may have cost; the reservation for the next one stays."""
        for ledger in self._ledgers:
            ledger.settle(NOTHING, maybe)
        self._spend = replace(self._spend, calls=self._spend.calls + 1, maybe_usd=self._spend.maybe_usd + maybe.usd)

    def close(self) -> None:
        """Close the ledgers at the end of the run."""
        for ledger in self._ledgers:
            ledger.close()

    def check(self) -> None:
        """Raise BudgetExceeded when open reservations no longer fit, because an attempt under them failed."""
        for ledger in self._ledgers:
            ledger.reserve(NOTHING)


class Meter:
    """What calls to one model take from a budget; told of failed attempts by whoever sends."""

    def __init__(self, budget: Budget, quote: Quote) -> None:
        self.budget = budget
        self.quote = quote

    def worst_case(self, request: ModelRequest) -> tuple[Amount, bool]:
        """Return the most one attempt can take, and whether its price is known."""
        usd = self.quote.worst_case(request)
        return Amount(1, usd or 0.0, worst_input_tokens(request) + request.max_tokens), usd is not None

    def maybe_taken(self, request: ModelRequest, error: ModelError) -> Amount:
        """Return what a failed attempt may have taken: one call, and its worst case if it may be charged."""
        return self.worst_case(request)[0] if failure_of(error).may_be_billed else Amount(1)

    def failed(self, request: ModelRequest, error: ModelError) -> None:
        """As ``AttemptListener.failed``."""
        self.budget.book_failure(self.maybe_taken(request, error))

    def again(self, request: ModelRequest) -> None:
        """As ``AttemptListener.again``."""
        self.budget.check()


class BudgetedClient:
    """Lets a request through when its worst case fits the budget, and prices the reply.

    Failed attempts are booked by the layer that makes them (``RetryingClient``, with ``meter`` as its listener).
    """

    def __init__(self, inner: ModelClient, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    async def complete(self, request: ModelRequest) -> ModelReply:
        """As ``ModelClient.complete``. Raises BudgetExceeded before anything is sent."""
        worst, price_is_known = self._meter.worst_case(request)
        budget = self._meter.budget
        budget.reserve(worst, price_is_known=price_is_known)
        try:
            reply = await self._inner.complete(request)
        except BaseException:
            budget.release(worst)
            raise
        if not reply.cost_is_reported:
            reply = replace(reply, cost_usd=self._meter.quote.cost(reply.usage))
        budget.settle(worst, reply)
        return reply
