"""What a run's journal tells of its course: what had been spent after each call, and when each text was first asked."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from honeyguide.desktop.models.candidates import Candidate

if TYPE_CHECKING:
    from honeyguide.workspace import CallRow, Workspace

MOST_CALLS = 20_000
"""A longer journal is not read for its curve; then the course by generations has to do."""
POINTS = 400
_PAGE = 2000


@dataclass(frozen=True, slots=True)
class RunCurves:
    """The course of a run that ended.

    Attributes:
        spend: calls made and US dollars spent by then; ``None`` from the first call on whose price is unknown.
        first_call: candidate to the number of calls made when it was first asked; missing for one that never was.
    """

    spend: tuple[tuple[int, float | None], ...] = ()
    first_call: Mapping[str, int] = field(default_factory=dict)


async def run_curves(workspace: Workspace, uuid: str, candidates: Sequence[Candidate]) -> RunCurves:
    """Read a run's journal; nothing of one that is too long."""
    page = await workspace.run_journal(uuid, limit=_PAGE)
    if page.total > MOST_CALLS:
        return RunCurves()
    calls = list(page.items)
    while len(calls) < page.total:
        more = await workspace.run_journal(uuid, limit=_PAGE, offset=len(calls))
        if not more.items:
            break
        calls += more.items
    texts = {row.id: row.text for row in candidates if row.stage != "schema" and row.text}
    return await asyncio.to_thread(lambda: RunCurves(spent(calls), first_calls(calls, texts)))


def spent(calls: Sequence[CallRow]) -> tuple[tuple[int, float | None], ...]:
    """Return what had been spent by then, at most ``POINTS`` times."""
    sums: list[tuple[int, float | None]] = [(0, 0.0)]
    total: float | None = 0.0
    for number, call in enumerate(calls, start=1):
        total = None if total is None or call.cost_usd is None else total + call.cost_usd
        sums.append((number, total))
    step = max(1, len(sums) // POINTS)
    return (*sums[:-1:step], sums[-1])


def first_calls(calls: Iterable[CallRow], texts: Mapping[str, str]) -> dict[str, int]:
    """Return how many calls had been made when each text was first asked as a whole."""
    left = dict(texts)
    found: dict[str, int] = {}
    for number, call in enumerate(calls, start=1):
        if not left:
            break
        if call.role != "executor":
            continue
        for name in [name for name, text in left.items() if call.request.startswith(text)]:
            found[name] = number
            del left[name]
    return found
