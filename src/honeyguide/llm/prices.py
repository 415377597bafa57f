"""What a call costs: a dated table, editable by the person, and never a guess where the table is silent."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from honeyguide.kernel.resources import resource
from honeyguide.llm.journal_entries import total_input
from honeyguide.llm.protocol import ModelRef, ModelRequest, Usage

_DATED = re.compile(r"-(?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$")


@dataclass(frozen=True, slots=True)
class Money:
    """An amount, with where it comes from.

    Attributes:
        is_reported: whether the provider stated it; otherwise it is estimated from the table.
    """

    amount: float
    currency: str = "USD"
    is_reported: bool = False

    def label(self) -> str:
        """Return it as a person reads it, with its origin."""
        return f"{self.currency} {self.amount:.4f} ({'reported' if self.is_reported else 'estimated'})"


@dataclass(frozen=True, slots=True)
class Rates:
    """Prices of one model, per million tokens.

    Attributes:
        cache_read, cache_write: of input tokens that the provider's prompt cache served or stored.
    """

    input: float
    output: float
    cache_read: float
    cache_write: float

    def cost(self, usage: Usage) -> float:
        """Return the price of ``usage``; tokens not reported count as none."""
        return (
            (usage.input_tokens or 0) * self.input
            + (usage.output_tokens or 0) * self.output
            + (usage.cache_read_tokens or 0) * self.cache_read
            + (usage.cache_write_tokens or 0) * self.cache_write
        ) / 1e6

    def times(self, factor: float) -> Rates:
        """Return all rates multiplied."""
        return Rates(self.input * factor, self.output * factor, self.cache_read * factor, self.cache_write * factor)


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """One row of the table.

    Attributes:
        batch_factor: what a batched call costs of the normal price; 1 where there are no batches.
        long_above: input tokens above which ``long`` holds for the whole request.
    """

    rates: Rates
    batch_factor: float = 1.0
    long_above: int | None = None
    long: Rates | None = None

    def rates_for(self, input_tokens: int, *, batch: bool = False) -> Rates:
        """Return the rates of a request that long."""
        rates = self.rates
        if self.long is not None and self.long_above is not None and input_tokens > self.long_above:
            rates = self.long
        return rates.times(self.batch_factor) if batch else rates


class Quote(Protocol):
    """Who knows what calls to one model cost. ``None`` means: nobody knows."""

    def worst_case(self, request: ModelRequest) -> float | None:
        """Return the most that this call can cost, in US dollars."""
        ...

    def cost(self, usage: Usage) -> float | None:
        """Return what a call with this usage cost, in US dollars."""
        ...


@dataclass(frozen=True, slots=True)
class FreeQuote:
    """Calls that cost nothing: the practice model, replay, a model file, a server on this computer."""

    def worst_case(self, request: ModelRequest) -> float | None:
        return 0.0

    def cost(self, usage: Usage) -> float | None:
        return 0.0


@dataclass(frozen=True, slots=True)
class UnknownQuote:
    """Calls whose price nobody stated."""

    def worst_case(self, request: ModelRequest) -> float | None:
        return None

    def cost(self, usage: Usage) -> float | None:
        return None


@dataclass(frozen=True, slots=True)
class TableQuote:
    """Calls priced by a row of the table."""

    price: ModelPrice
    batch: bool = False

    def worst_case(self, request: ModelRequest) -> float | None:
        longest = worst_input_tokens(request)
        rates = self.price.rates_for(longest, batch=self.batch)
        dearest = max(rates.input, rates.cache_write, rates.cache_read)
        return (longest * dearest + request.max_tokens * rates.output) / 1e6

    def cost(self, usage: Usage) -> float | None:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return self.price.rates_for(total_input(usage), batch=self.batch).cost(usage)


@dataclass(frozen=True, slots=True)
class PriceTable:
    """All known prices.

    Attributes:
        as_of: the day the table was last checked, ISO 8601.
    """

    as_of: str
    currency: str = "USD"
    models: Mapping[ModelRef, ModelPrice] = field(default_factory=dict)

    @classmethod
    def load(cls, overrides: Path | None = None) -> PriceTable:
        """Return the table that ships with the program, with the rows of ``overrides`` (if it exists) on top.

        Raises:
            Unreadable: a file is not a price table.
        """
        from honeyguide.llm.price_file import read_table

        table = read_table(resource("prices.json"))
        if overrides is None or not overrides.exists():
            return table
        own = read_table(overrides)
        return cls(max(table.as_of, own.as_of), table.currency, {**table.models, **own.models})

    def price(self, ref: ModelRef) -> ModelPrice | None:
        """Return the row of a model; a dated name (``…-20251001``) finds its undated row."""
        return self.models.get(ref) or self.models.get(ModelRef(ref.provider, _DATED.sub("", ref.model)))

    def quote(self, ref: ModelRef, *, batch: bool = False) -> Quote:
        """Return what knows the price of calls to ``ref``."""
        price = self.price(ref)
        return UnknownQuote() if price is None else TableQuote(price, batch)

    def estimate(self, ref: ModelRef, usage: Usage, *, batch: bool = False) -> Money | None:
        """Return what a call cost by this table, or ``None`` when it does not say."""
        amount = self.quote(ref, batch=batch).cost(usage)
        return None if amount is None else Money(amount, self.currency)


def worst_input_tokens(request: ModelRequest) -> int:
    """Return an upper bound of the tokens a request can be: one per UTF-8 byte, and some for each turn's frame."""
    size = len(request.system.encode("utf-8", "surrogatepass"))
    size += sum(len(message.content.encode("utf-8", "surrogatepass")) for message in request.messages)
    if request.response_schema is not None:
        size += len(json.dumps(request.response_schema)) + SCHEMA_FRAME
    for message in request.messages:
        size += sum(len(json.dumps(call.to_json())) + TURN_FRAME for call in message.tool_calls)
        size += sum(len(r.content.encode("utf-8", "surrogatepass")) + TURN_FRAME for r in message.tool_results)
    if request.tools:
        size += sum(len(json.dumps(tool.to_json())) for tool in request.tools) + SCHEMA_FRAME
    return size + TURN_FRAME * (len(request.messages) + 1)


TURN_FRAME = 16
"""Tokens that a turn's role markers can take."""
SCHEMA_FRAME = 512
"""Tokens that a provider's own sentence about a schema can take."""
