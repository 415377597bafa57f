"""What the agent did, and where people were not satisfied."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.traces.archive import ExpiryReport
    from honeyguide.traces.recorder import TraceRecorder
    from honeyguide.workspace.importing.reading import Stop
    from honeyguide.workspace.views.corrections import CorrectionDetail, CorrectionRow, DetectorRow
    from honeyguide.workspace.views.pages import Page
    from honeyguide.workspace.views.traces import (
        ArchiveReport,
        ImportReport,
        TablePreviewView,
        TraceDetail,
        TraceFacetCounts,
        TraceQuery,
        TraceRow,
    )


class HistoryMethods(Parts):
    """A part of the façade."""

    def recorder(self) -> TraceRecorder:
        """Return what an agent records with; from any thread, no event loop needed."""
        return self._history.recorder()

    async def import_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        encoding: str | None = None,
        progress: Callable[[int, int, str], None] | None = None,
        cancel: Stop | None = None,
        target: str | TargetRef | None = None,
    ) -> ImportReport:
        """Import files and folders; secrets are replaced before anything is stored, and nothing is doubled.

        ``target`` is what all of it speaks about, where the person who imports says so.
        """
        return await self._history.import_traces(
            paths, source=source, mapping=mapping, encoding=encoding, progress=progress, cancel=cancel, target=target
        )

    async def trace_sources(self) -> tuple[str, ...]:
        """Return the names of the sources that can be imported."""
        return await self._history.trace_sources()

    async def preview_table(
        self, path: Path, mapping: Mapping[str, str] | None = None, encoding: str | None = None
    ) -> TablePreviewView:
        """Return the columns of a table, what each is taken for, and the first rows, before it is imported.

        Raises:
            Unreadable: it cannot be opened, or holds no table.
            InvalidInput: the mapping names a column or a field that does not exist.
        """
        return await self._history.preview_table(path, mapping, encoding)

    async def table_doubt(self, path: Path) -> Literal["", "columns", "target"]:
        """Return what a person should say before a file is imported as a table: its columns, its target, or nothing.

        Raises:
            Unreadable: it cannot be opened.
        """
        return await self._history.table_doubt(path)

    async def trace_facets(self, query: TraceQuery | None = None) -> TraceFacetCounts:
        """Return how many traces each outcome, source and target would leave, all other filters in force."""
        return await self._history.trace_facets(query)

    async def watch_traces(
        self,
        paths: Sequence[Path],
        *,
        source: str = "auto",
        mapping: Mapping[str, str] | None = None,
        target: str | TargetRef | None = None,
        on_report: Callable[[ImportReport], None],
    ) -> None:
        """Import, then stay and import what is written later, until the task is cancelled."""
        await self._history.watch_traces(paths, source=source, mapping=mapping, target=target, on_report=on_report)

    async def keep_up(self, on_report: Callable[[ImportReport], None]) -> None:
        """Import the watched folders, archive if that is switched on, and stay until cancelled."""
        await self._history.keep_up(on_report)

    async def traces(self, query: TraceQuery | None = None) -> Page[TraceRow]:
        """Return a part of the list of traces."""
        return await self._history.traces(query)

    async def trace(self, trace_id: int) -> TraceDetail:
        """Return one trace. Raises NotFound."""
        return await self._history.trace(trace_id)

    async def search_traces(self, words: str, limit: int | None = None) -> Page[TraceRow]:
        """Return traces that hold all words, the best first."""
        return await self._history.search_traces(words, limit)

    async def export_traces(self, path: Path, query: TraceQuery | None = None) -> int:
        """Write traces as JSON lines; return how many."""
        return await self._history.export_traces(path, query)

    async def delete_traces(self, ids: Sequence[int]) -> int:
        """Delete traces for good, with everything that quotes them; return how many."""
        return await self._history.delete_traces(ids)

    async def link_traces(
        self, target: str | TargetRef, query: TraceQuery | None = None, ids: Sequence[int] | None = None
    ) -> int:
        """Note that traces speak about a target, as a person says; return how many are new."""
        from honeyguide.workspace.views.traces import TraceQuery

        return await self._history.link_traces(target, query or TraceQuery(), ids)

    async def unlink_traces(self, target: str | TargetRef, ids: Sequence[int]) -> int:
        """Take traces away from a target; return how many were linked to it."""
        return await self._history.unlink_traces(target, ids)

    async def confirm_traces(self, query: TraceQuery | None = None, ids: Sequence[int] | None = None) -> list[int]:
        """Note that a person found answers good, of those whose end is not known; return which there were."""
        from honeyguide.workspace.views.traces import TraceQuery

        return await self._history.confirm_traces(query or TraceQuery(), ids)

    async def unsaid_traces(self) -> int:
        """Return of how many answers nobody and nothing said whether they were good."""
        return await self._history.unsaid_traces()

    async def unconfirm_traces(self, ids: Sequence[int]) -> int:
        """Take that word back; return how many traces it was said of."""
        return await self._history.unconfirm_traces(ids)

    async def mark_never_send(self, ids: Sequence[int], value: bool = True) -> int:
        """Mark traces so that no model may see them, or lift the mark."""
        return await self._history.mark_never_send(ids, value)

    async def archive_traces(self) -> ArchiveReport:
        """Keep a copy of every session that its program will delete."""
        return await self._history.archive_traces()

    async def expiring_sessions(self) -> ExpiryReport:
        """Say how many sessions their program deletes within a week and have no copy."""
        return await self._history.expiring_sessions()

    async def corrections(
        self, state: str | None = None, limit: int = 100, *, offset: int = 0, detector: str | None = None,
        target: TargetRef | None = None,
    ) -> Page[CorrectionRow]:  # fmt: skip
        """Return a part of the list of corrections, newest first."""
        return await self._corrections.list(state, limit, offset=offset, detector=detector, target=target)

    async def correction(self, correction_id: int) -> CorrectionDetail:
        """Return one correction with the answer it is about. Raises NotFound."""
        return await self._corrections.show(correction_id)

    async def confirm_correction(self, correction_id: int, edit: str | None = None) -> CorrectionRow:
        """A person says yes, in their own words when ``edit`` is given: it becomes an example."""
        return await self._corrections.confirm(correction_id, edit)

    async def confirm_corrections(
        self, *, detector: str | None = None, target: str | TargetRef | None = None
    ) -> tuple[int, int]:
        """Confirm every suggestion of a detector or about a target; return how many, and how many were left.

        Those are left that have no words, e.g. a bare rating.
        """
        ref = None if target is None else await self._homes.resolve(target)
        return await self._corrections.confirm_all(detector=detector, target=ref)

    async def dismiss_correction(self, correction_id: int) -> CorrectionRow:
        """A person says no."""
        return await self._corrections.dismiss(correction_id)

    async def reopen_correction(self, correction_id: int) -> CorrectionRow:
        """A person takes their verdict back: it is to be judged again, and its trace is what it was before."""
        return await self._corrections.reopen(correction_id)

    async def detector_precision(self) -> tuple[DetectorRow, ...]:
        """Return how often each detector was right, and which switched themselves off."""
        return await self._corrections.detectors()
