"""The list of runs as bytes: its long part is made anew only when a run changes, not whenever a run under way moves on.

Fifty runs are over a megabyte, and one that is under way says twice a second how far it is; that is told beside them.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from honeyguide.server.answers import encoded
from honeyguide.server.fresh import Fresh, FreshAnswers, tag_of
from honeyguide.server.packing import Packed, gzipped, packed
from honeyguide.workspace import RunFilter, RunPage, Workspace


class RunPages:
    """Makes and keeps pages of the list of runs."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._pages: FreshAnswers[Fresh] = FreshAnswers()
        self._runs: FreshAnswers[_Runs] = FreshAnswers()

    async def page(self, wanted: RunFilter) -> Fresh:
        """Return ``{runs, count, attempts, total}``. Raises InvalidInput for a ``since`` that is no moment."""
        key = (wanted.status, wanted.kind, wanted.name, wanted.since, wanted.limit, wanted.offset)
        state = self._workspace.state()

        async def runs() -> _Runs:
            page = await self._workspace.runs(wanted)
            return await asyncio.to_thread(lambda: _encoded_runs(page))

        async def whole() -> Fresh:
            known = await self._runs.get(key, None if state is None else state.newest_run, runs)
            page = await self._workspace.runs(wanted, with_runs=False)
            end = encoded({"attempts": [attempt.to_json() for attempt in page.attempts], "total": page.total})[1:]
            return await asyncio.to_thread(lambda: known.with_end(end))

        return await self._pages.get(key, None if state is None else state.newest, whole)


@dataclass(frozen=True, slots=True)
class _Runs:
    """The beginning of a page: ``{"runs": […], "count": N,``."""

    body: bytes
    packed: Packed

    @property
    def size(self) -> int:
        return len(self.body) + len(self.packed.data)

    def with_end(self, end: bytes) -> Fresh:
        body = self.body + end
        return Fresh(body, tag_of(body), gzipped(self.packed, end))


def _encoded_runs(page: RunPage) -> _Runs:
    """Encode the runs one by one, so that the loop gets its turn between them."""
    about = page.to_json()
    body = b'{"runs":[%b],"count":%d,' % (b",".join(encoded(run) for run in about["runs"]), about["count"])
    return _Runs(body, packed(body))
