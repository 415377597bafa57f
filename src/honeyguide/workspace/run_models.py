"""The models of one run: its journal, its ceilings, and the ceilings that it shares."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from honeyguide.llm import Budget, Cancellation, Journal, OnWait, RunModels, Spend
from honeyguide.workspace.core import Core


@asynccontextmanager
async def run_models(
    core: Core,
    uuid: str,
    cancel: Cancellation,
    *,
    max_calls: int | None,
    max_usd: float | None,
    on_top: bool = False,
    on_wait: OnWait | None = None,
) -> AsyncIterator[RunModels]:
    """Open a run's journal with its budget; replies that are in it cost nothing.

    Args:
        max_calls, max_usd: the ceilings of the run in all its starts.
        on_wait: told before a call that failed is made again.
        on_top: count them from what the journal holds already, for work that was agreed to later.
    """
    path = core.layout.journal(uuid)
    await core.in_thread(lambda: path.parent.mkdir(mode=0o700, parents=True, exist_ok=True))
    journal = await core.in_thread(lambda: Journal(path, clock=core.clock))
    max_tokens = core.settings.get("limits.tokens_per_run")
    if on_top:
        max_calls = None if max_calls is None else max_calls + journal.totals.calls
        max_usd = None if max_usd is None else max_usd + (journal.totals.usd or 0.0) + journal.totals.maybe_usd
        max_tokens = None if max_tokens is None else max_tokens + journal.totals.tokens
    budget = Budget(max_calls, max_usd, max_tokens, shared=core.ledgers(), paid_before=journal.totals)
    models = RunModels(
        core.registry, journal, budget, cancel=cancel, redact=core.outgoing_redactor().text, on_wait=on_wait
    )
    try:
        yield models
    finally:
        await models.close()


def spend_figures(spend: Spend) -> dict[str, Any]:
    """Return what a run took in all its starts, as it is stored with the attempt."""
    return {
        "calls": spend.calls,
        "replayed_calls": spend.replayed_calls,
        "input_tokens": spend.input_tokens,
        "output_tokens": spend.output_tokens,
        "cost_usd": spend.usd,
    }
