"""The traces as they are listed, searched, shown and exported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path, PurePath

from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.prompts.targets import TargetRef, split_target_name
from honeyguide.storage import Unit
from honeyguide.storage.records import SearchPage, TraceFilter
from honeyguide.storage.records import TraceRow as StoredRow
from honeyguide.storage.text import moment
from honeyguide.traces.jsonl import write_rows
from honeyguide.traces.records import Trace, TraceOutcome
from honeyguide.workspace.core import Core
from honeyguide.workspace.corrections import correction_row
from honeyguide.workspace.exports import write_lines
from honeyguide.workspace.homes import Homes
from honeyguide.workspace.views.pages import Page
from honeyguide.workspace.views.traces import TRACES_SHOWN, LinkRow, TraceDetail, TraceFacetCounts, TraceQuery, TraceRow

EXPORT_CHUNK = 500
SIBLINGS_SHOWN = 1000


class Browsing:
    """Answers every question about stored traces."""

    def __init__(self, core: Core) -> None:
        self._core = core

    async def traces(self, query: TraceQuery | None = None) -> Page[TraceRow]:
        """Return a part of the list of traces. Raises InvalidInput, NotFound for a target nobody knows."""
        query = query or TraceQuery()
        wanted = await self._filter(query)
        limit = TRACES_SHOWN if query.limit is None else query.limit
        if query.text and query.text.strip():
            return await self._search(query.text, wanted, limit, query.offset)

        def read(unit: Unit) -> tuple[list[StoredRow], int, dict[int, str]]:
            total = unit.traces.count(wanted)
            rows = _rows(unit, wanted, total, limit, query)
            return rows, total, _targets(unit, rows)

        rows, total, targets = await self._core.store.read(read)
        folders = self._withheld_folders()
        return Page([_row(row, targets, folders) for row in rows], total)

    async def trace_facets(self, query: TraceQuery | None = None) -> TraceFacetCounts:
        """Return how many traces each outcome, source and target would leave. Raises as ``traces``."""
        query = query or TraceQuery()
        wanted = await self._filter(query)
        refs = await Homes(self._core).refs()

        def read(unit: Unit) -> TraceFacetCounts:
            found = unit.traces.facets(wanted, query.text or "", refs)
            targets = {str(ref): count for ref, count in found.targets.items()}
            return TraceFacetCounts(found.outcomes, found.sources, targets, found.unlinked)

        return await self._core.store.read(read)

    async def search_traces(self, words: str, limit: int | None = None) -> Page[TraceRow]:
        """Return traces that hold all words, the best first. Raises InvalidInput when there is nothing to look for."""
        if not words.strip():
            raise InvalidInput("There is nothing to search for.", hint="Give at least one word.")
        return await self._search(words, TraceFilter(), TRACES_SHOWN if limit is None else limit, 0)

    async def trace(self, trace_id: int) -> TraceDetail:
        """Return one trace. Raises NotFound."""

        def read(unit: Unit) -> TraceDetail:
            trace = unit.traces.require(trace_id)
            conversation = unit.conversations.get(trace.conversation)
            siblings = unit.traces.rows(TraceFilter(conversation=trace.conversation), limit=SIBLINGS_SHOWN)
            links = unit.trace_links.of([trace_id]).get(trace_id, ())
            return TraceDetail(
                trace=trace,
                links=tuple(LinkRow(str(link.ref), link.how, link.exact) for link in links),
                corrections=tuple(correction_row(record) for record in unit.corrections.of_trace(trace_id)),
                title=conversation.title if conversation else None,
                siblings=tuple(row.id for row in sorted(siblings, key=lambda row: (row.turn, row.id))),
            )

        return await self._core.store.read(read)

    async def export_traces(self, path: Path, query: TraceQuery | None = None) -> int:
        """Write traces as JSON lines, newest first, redacted as they are stored; return how many.

        Raises:
            InvalidInput: the path would overwrite a file of the workspace.
            Unwritable: it cannot be written.
        """
        query = query or TraceQuery()
        wanted = await self._filter(query)
        if query.text and query.text.strip():
            page = await self._search(query.text, wanted, query.limit or 10_000, query.offset)
            wanted = TraceFilter(ids=[row.id for row in page.items])
        store = self._core.store

        def lines() -> Iterable[bytes]:
            left = query.limit if query.limit is not None else store.read_now(lambda unit: unit.traces.count(wanted))
            offset = query.offset
            while left > 0:
                chunk = store.read_now(_chunk(wanted, min(left, EXPORT_CHUNK), offset))
                yield from write_rows(chunk)
                if len(chunk) < EXPORT_CHUNK:
                    return
                left, offset = left - len(chunk), offset + len(chunk)

        return await self._core.in_thread(lambda: write_lines(path, lines(), self._core.layout.root))

    # --- inside

    async def _search(self, words: str, wanted: TraceFilter, limit: int, offset: int) -> Page[TraceRow]:
        def read(unit: Unit) -> tuple[SearchPage, dict[int, str]]:
            page = unit.traces.search(words, wanted, limit=limit, offset=offset)
            return page, _targets(unit, [hit.row for hit in page.hits])

        page, targets = await self._core.store.read(read)
        folders = self._withheld_folders()
        return Page([_row(hit.row, targets, folders, hit.excerpt) for hit in page.hits], page.total)

    async def _filter(self, query: TraceQuery) -> TraceFilter:
        if query.outcome is not None and query.outcome not in set(TraceOutcome):
            known = ", ".join(TraceOutcome)
            raise InvalidInput(f"{query.outcome!r} is not an outcome.", hint=f"Use one of: {known}.")
        if query.sort not in ("newest", "oldest"):
            raise InvalidInput(f"Traces cannot be sorted by {query.sort!r}.", hint="Use newest or oldest.")
        target = None if query.target is None else await self._target(query.target)
        return TraceFilter(
            target=target,
            linked_to_none_of=await Homes(self._core).refs() if query.unlinked else (),
            outcomes=() if query.outcome is None else (TraceOutcome(query.outcome),),
            conversation=query.conversation,
            source=query.source,
            since=None if query.since is None else moment(query.since),
            until=None if query.until is None else moment(query.until),
        )

    async def _target(self, name: str | TargetRef) -> TargetRef:
        """Return the target that is meant: a registered one, or one that only the history knows."""
        try:
            return await Homes(self._core).resolve(name)
        except NotFound:
            kind, bare = split_target_name(str(name))
            found = await self._core.store.read(lambda unit: unit.trace_links.named(bare))
            fitting = [ref for ref in found if kind in (None, ref.kind)]
            if len(fitting) > 1:
                spelled = " or ".join(str(ref) for ref in fitting)
                raise InvalidInput(f"Several targets are called {bare!r}.", hint=f"Write {spelled}.") from None
            if not fitting:
                raise
            return fitting[0]

    def _withheld_folders(self) -> list[PurePath]:
        return [PurePath(folder) for folder in self._core.settings.get("privacy.never_send_folders")]


def _rows(unit: Unit, wanted: TraceFilter, total: int, limit: int, query: TraceQuery) -> list[StoredRow]:
    if query.sort == "newest":
        return unit.traces.rows(wanted, limit=limit, offset=query.offset)
    end = max(total - query.offset, 0)
    start = max(end - limit, 0)
    return list(reversed(unit.traces.rows(wanted, limit=end - start, offset=start))) if end > start else []


def _targets(unit: Unit, rows: Sequence[StoredRow]) -> dict[int, str]:
    """Return the first target of each trace."""
    return {number: str(links[0].ref) for number, links in unit.trace_links.of([row.id for row in rows]).items()}


def _row(row: StoredRow, targets: Mapping[int, str], withheld: Sequence[PurePath], excerpt: str = "") -> TraceRow:
    return TraceRow(
        id=row.id,
        created_at=row.created_at,
        target=targets.get(row.id),
        outcome=row.outcome,
        outcome_detail=row.outcome_detail,
        source=row.source,
        conversation=row.conversation,
        turn=row.turn,
        persona_id=row.persona_id,
        session_id=row.session_id,
        model=row.model,
        project=row.project,
        input=row.preview,
        tool_calls=row.tool_calls,
        cost_usd=row.cost_usd,
        duration_ms=row.duration_ms,
        never_send=row.never_send or is_inside(row.project, withheld),
        excerpt=excerpt,
    )


def is_inside(project: str | None, folders: Sequence[PurePath]) -> bool:
    """Say whether a project lies in one of the folders, as the source wrote it."""
    return bool(project) and any(PurePath(str(project)).is_relative_to(folder) for folder in folders)


def _chunk(wanted: TraceFilter, limit: int, offset: int) -> Callable[[Unit], list[Trace]]:
    return lambda unit: unit.traces.query(wanted, limit=limit, offset=offset)
