"""The file of prices, checked while it is read. Imported when prices are first asked for: it brings pydantic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from honeyguide.kernel.errors import Unreadable
from honeyguide.llm.prices import ModelPrice, PriceTable, Rates
from honeyguide.llm.protocol import ModelRef


class _Long(BaseModel):
    model_config = ConfigDict(extra="forbid")
    above: int = Field(gt=0)
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)


class _Row(BaseModel):
    model_config = ConfigDict(extra="forbid")
    provider: str
    model: str
    input: float = Field(ge=0)
    output: float = Field(ge=0)
    cache_read: float | None = Field(default=None, ge=0)
    cache_write: float | None = Field(default=None, ge=0)
    batch_factor: float = Field(default=1.0, gt=0, le=1)
    long: _Long | None = None


class _Table(BaseModel):
    as_of: str
    currency: str = "USD"
    models: list[_Row]


def read_table(path: Path) -> PriceTable:
    """Read a table. Raises Unreadable."""
    try:
        data: Any = json.loads(path.read_text(encoding="utf-8"))
        table = _Table.model_validate(data)
    except (OSError, ValueError, ValidationError) as error:
        raise Unreadable(
            f"The price table {path.name} cannot be read.", hint=f"Correct or remove it: {error}"
        ) from error
    return PriceTable(
        table.as_of, table.currency, {ModelRef(row.provider, row.model): _price(row) for row in table.models}
    )


def _price(row: _Row) -> ModelPrice:
    return ModelPrice(
        rates=_rates(row),
        batch_factor=row.batch_factor,
        long_above=row.long.above if row.long else None,
        long=_rates(row.long) if row.long else None,
    )


def _rates(row: _Row | _Long) -> Rates:
    return Rates(
        row.input,
        row.output,
        row.input if row.cache_read is None else row.cache_read,
        row.input if row.cache_write is None else row.cache_write,
    )
