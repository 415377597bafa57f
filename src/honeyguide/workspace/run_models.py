"""The models of one run: its journal, its ceilings, and the ceilings of the day that it shares."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from honeyguide.llm import Budget, Cancellation, Journal, Ledger, RunModels, Spend
from honeyguide.storage import DayLedger
from honeyguide.storage.records import SpendCeiling
from honeyguide.workspace.core import Core
from honeyguide.workspace.preparing import costs_money
from honeyguide.workspace.views.options import RunOptions


@asynccontextmanager
async def run_models(
    core: Core,
    uuid: str,
    options: RunOptions,
    cancel: Cancellation,
    *,
    max_calls: int,
    max_usd: float | None,
    on_top: bool = False,
) -> AsyncIterator[RunModels]:
    """Open a run's journal with its budget; replies that are in it cost nothing.

    Args:
        max_calls, max_usd: the ceilings of the run in all its starts.
        on_top: count them from what the journal holds already, for work that was agreed to later.
    """
    path = core.layout.journal(uuid)
    await core.in_thread(lambda: path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
    journal = await core.in_thread(lambda: Journal(path, clock=core.clock))
    shared, ledger = _day_ledger(core, options)
    if on_top:
        max_calls += journal.totals.calls
        max_usd = None if max_usd is None else max_usd + (journal.totals.usd or 0.0) + journal.totals.maybe_usd
    budget = Budget(max_calls, max_usd, shared=shared, paid_before=journal.totals)
    models = RunModels(core.registry, journal, budget, cancel=cancel, redact=core.outgoing_redactor().text)
    try:
        yield models
    finally:
        await models.close()
        if ledger is not None:
            await core.in_thread(ledger.close)


def _day_ledger(core: Core, options: RunOptions) -> tuple[Sequence[Ledger], DayLedger | None]:
    calls = core.settings.get("limits.calls_per_day")
    usd = core.settings.get("limits.usd_per_day")
    if not costs_money(core, options) or (calls is None and usd is None):
        return (), None
    ledger = DayLedger(core.store, SpendCeiling(calls=calls, usd=usd))
    return (ledger,), ledger


def spend_figures(spend: Spend) -> dict[str, Any]:
    """Return what a run took in all its starts, as it is stored with the attempt."""
    return {
        "calls": spend.calls,
        "replayed_calls": spend.replayed_calls,
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cost_usd": spend.usd,
    }
