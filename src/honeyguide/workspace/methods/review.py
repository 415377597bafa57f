"""Looking at runs and deciding on them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.kernel.clock import iso
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.parts import Parts
from honeyguide.workspace.views.runs import (
    RunFilter,
)

if TYPE_CHECKING:
    from honeyguide.workspace.reviewing import RunKey
    from honeyguide.workspace.views.pages import Page
    from honeyguide.workspace.views.proof import ProofOutlook
    from honeyguide.workspace.views.reviews import (
        AcceptCheck,
        CallRow,
        CandidateRow,
        EvidenceRow,
        MergeView,
        TryResult,
    )
    from honeyguide.workspace.views.runs import (
        RunDetail,
        RunPage,
        RunTableRow,
        StatusReport,
    )
    from honeyguide.workspace.views.versions import DiffView


class ReviewMethods(Parts):
    """A part of the façade."""

    async def runs(self, wanted: RunFilter | None = None, *, with_runs: bool = True) -> RunPage:
        """Return runs, and the attempts that made none beside them; without the runs' texts for who has them still."""
        return await self._reviewing.page(wanted or RunFilter(), with_runs=with_runs)

    async def run_rows(self, wanted: RunFilter | None = None) -> Page[RunTableRow]:
        """Return one screen of the run table: runs and attempts in one list, newest first."""
        return await self._reviewing.rows(wanted or RunFilter())

    async def run_rows_of(self, uuids: Sequence[str]) -> dict[str, RunTableRow]:
        """Return the rows with these ids."""
        return await self._reviewing.many(uuids)

    async def run_keys(self, *, after: RunKey | None = None, limit: int = 5000) -> tuple[RunKey, ...]:
        """Return a chunk of the thin index of the run table."""
        return await self._reviewing.keys(after=after, limit=limit)

    async def run(self, uuid: str) -> RunDetail:
        """Return one run with its proof."""
        return await self._reviewing.detail(uuid)

    async def run_diff(self, uuid: str) -> DiffView:
        """Return what a proposal changes."""
        return await self._reviewing.diff(uuid)

    async def run_evidence(self, uuid: str) -> list[EvidenceRow]:
        """Return every unseen case with both answers."""
        return await self._reviewing.evidence(uuid)

    async def run_candidates(self, uuid: str) -> list[CandidateRow]:
        """Return the candidates of a run."""
        return await self._reviewing.candidates(uuid)

    async def run_journal(self, uuid: str, *, limit: int = 100, offset: int = 0) -> Page[CallRow]:
        """Return a page of a run's model calls."""
        return await self._reviewing.journal(uuid, limit=limit, offset=offset)

    async def run_status(
        self, *, kind: str | None = None, name: str | None = None, since: str | None = None
    ) -> StatusReport:
        """Count runs by state."""
        return await self._reviewing.status(kind=kind, name=name, since=since)

    async def proof_outlook(self, uuid: str) -> ProofOutlook:
        """Say how the evidence of an undecided proposal could go on, and at how many calls."""
        return await self._continuing.outlook(uuid)

    async def continue_proof(
        self,
        uuid: str,
        *,
        repeats: int | None = None,
        is_confirmed: bool = False,
        origin: Origin | None = None,
        on_case: Callable[[int, int], None] | None = None,
    ) -> RunDetail:
        """Go on with the evidence of an undecided proposal on cases that came since, or with more verdicts per case.

        Raises:
            NotFound, Conflict, InvalidInput, PolicyRefused, NoKey, Locked, Interrupted.
        """
        await self._continuing.go_on(
            uuid, repeats=repeats, is_confirmed=is_confirmed, origin=origin or Origin.here(), on_case=on_case
        )
        return await self.run(uuid)

    async def try_prompt(self, uuid: str, text: str) -> TryResult:
        """Answer an input with the live text and with the proposed one."""
        return await self._reviewing.try_prompt(uuid, text)

    async def export_run(self, uuid: str, path: Path) -> Path:
        """Write a page with the whole proof, to hand to a colleague; a ``.patch`` holds the change alone.

        Raises:
            NotFound, Unwritable. Conflict: a patch of a run that proposed nothing.
        """
        from honeyguide.workspace.exporting import PATCH, patch_of, review_page
        from honeyguide.workspace.mining import write_file

        detail = await self.run(uuid)
        diff = await self.run_diff(uuid) if detail.run is not None else None
        if path.suffix == PATCH:
            from honeyguide.kernel.errors import Conflict

            if diff is None:
                raise Conflict("This run made no proposal, so there is no change to write.")
            patch = patch_of(detail, diff)
            await self._core.in_thread(lambda: write_file(path, patch.encode()))
            return path
        evidence = await self.run_evidence(uuid)
        page = review_page(detail, diff, evidence, iso(self._core.clock.now()))
        await self._core.in_thread(lambda: write_file(path, page.encode()))
        return path

    async def can_accept(
        self, uuid: str, *, hunks: Sequence[int] | None = None, edited_text: str | None = None
    ) -> AcceptCheck:
        """Say what accepting would do and whether it may be done; changes nothing."""
        return await self._deciding.check(uuid, hunks=hunks, edited_text=edited_text)

    async def merge_run(self, uuid: str) -> MergeView:
        """Merge a proposal with what the live text became since its run began; changes nothing."""
        return await self._deciding.merge(uuid)

    async def accept(
        self,
        uuid: str,
        *,
        note: str | None = None,
        hunks: Sequence[int] | None = None,
        edited_text: str | None = None,
        origin: Origin | None = None,
        onto: str | None = None,
    ) -> RunDetail:
        """Accept a proposal and deploy it; ``failed`` with its reason when the deploy began and threw.

        Raises:
            NotFound, Conflict, Stale, Locked, PolicyRefused, GateRefused.
        """
        await self._deciding.accept(
            uuid, note=note, hunks=hunks, edited_text=edited_text, origin=origin or Origin.here(), onto=onto
        )
        await self._proved.settle(uuid)
        return await self.run(uuid)

    async def reject(self, uuid: str, *, reason: str | None = None, origin: Origin | None = None) -> RunDetail:
        """Reject a proposal. Raises NotFound, Conflict."""
        await self._deciding.reject(uuid, reason=reason, origin=origin or Origin.here())
        await self._proved.settle(uuid)
        return await self.run(uuid)

    async def retry(self, uuid: str, *, origin: Origin | None = None) -> RunDetail:
        """Try a failed deploy once more. Raises NotFound, Conflict, Stale, Locked."""
        await self._deciding.retry(uuid, origin=origin or Origin.here())
        await self._proved.settle(uuid)
        return await self.run(uuid)
