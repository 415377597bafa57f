"""Reviewing proposals of a harness folder: list, show, apply, reject, go back. A person decides."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.applying import Approval, apply
from honeyguide.harnesses.changes.files import code_diff, spec_diff
from honeyguide.harnesses.changes.going_back import roll_back
from honeyguide.harnesses.changes.proposal import SpecChange
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.folder import Harness
from honeyguide.kernel.errors import InvalidInput
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_proof_state import receipt_state
from honeyguide.workspace.harness_records import hive_of, known_proposal, records_of, waiting_in_the_hive
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.harnesses import HarnessDocument


class HarnessReviewing:
    """The queue of a folder, and what a person does with it."""

    def __init__(self, home: HarnessHome) -> None:
        self.home = home

    async def proposals(self, path: Path, status: str | None = None) -> HarnessDocument:
        """List proposals, newest first."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            live = harness.version
            queue = Queue(harness.ours)
            rows = [row.to_json(live) | {"kept_in": "the folder"} for row in queue.all(status)]
            if status in (None, "pending"):
                theirs = waiting_in_the_hive(queue, hive_of(harness, (), self.home.environ))
                rows += [row.to_json(live) | {"kept_in": "hiveloom's database"} for row in theirs]
                rows.sort(key=lambda row: (row["created_at"], row["id"]), reverse=True)
            return HarnessDocument({"ok": True, "harness_key": harness.identity, "proposals": rows, "total": len(rows)})

        return await self.home.in_thread(work)

    async def proposal(self, path: Path, id: str) -> HarnessDocument:
        """Return one proposal with the diffs it makes and whether its proof still holds. Raises NotFound."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            row = known_proposal(harness, id, self.home.environ)
            data = row.to_json(harness.version)
            data["diff"], data["code_diffs"] = self._diffs(harness, row)
            tried = (row.proof or {}).get("trials")
            data["receipt_state"] = receipt_state(harness, row, records_of(self.home, path).runs if tried else ())
            return HarnessDocument(data)

        return await self.home.in_thread(work)

    async def apply(
        self,
        path: Path,
        id: str,
        origin: Origin,
        *,
        code: Sequence[str] = (),
        capabilities: Sequence[str] = (),
    ) -> HarnessDocument:
        """Apply a proposal, or the approved part of it. Raises NotFound, Conflict, Stale, Locked, GateRefused."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            was_trusted = self.home.trust.state(harness).is_trusted
            queue = Queue(harness.ours)
            self._taken_in(harness, queue, id)
            row = queue.require_pending(id)
            approval = Approval(frozenset(code), frozenset(capabilities))
            done = apply(
                harness, row, queue, self.home.deployer(harness.root), origin.for_files, self.home.now, approval
            )
            if was_trusted:
                self.home.trust.trust(Harness.open(path), self.home.now, origin.user)
            self.home.on_decided(harness.root, "")
            return HarnessDocument(done.to_json())

        return await self.home.in_thread(work)

    async def reject(self, path: Path, id: str, reason: str, origin: Origin) -> HarnessDocument:
        """Reject a proposal. Raises NotFound, Conflict."""

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            by = {"who": origin.user, "how": origin.way}
            queue = Queue(harness.ours)
            self._taken_in(harness, queue, id)
            row = queue.reject(id, reason, self.home.now, by)
            self.home.on_decided(harness.root, id)
            return HarnessDocument({"ok": True, "proposal_id": row.id, "status": row.status, "reason": reason})

        return await self.home.in_thread(work)

    async def rollback(self, path: Path, version: str | None, origin: Origin) -> HarnessDocument:
        """Go back to a version, to the one before a proposal was applied, or before the newest applied change.

        Raises:
            NotFound: no state of it is kept.
            Conflict: it is live already.
        """

        def work() -> HarnessDocument:
            harness = recovered(self.home, path)
            queue = Queue(harness.ours)
            wanted = version or ""
            if not wanted or wanted.startswith("prop_"):
                made = [
                    str(e["old_version_hash"])
                    for e in queue.evolutions()
                    if (e["proposal_id"] == wanted if wanted else e["new_version_hash"] == harness.version)
                ]
                wanted = made[0] if made else ""
            if not wanted:
                kept = ", ".join(dict.fromkeys(s.version for s in Snapshots(harness.ours).all())) or "none"
                raise InvalidInput("Say which version to go back to.", hint=f"Kept are: {kept}.")
            was_trusted = self.home.trust.state(harness).is_trusted
            done = roll_back(harness, wanted, queue, self.home.deployer(harness.root), origin.for_files, self.home.now)
            if was_trusted:
                self.home.trust.trust(Harness.open(path), self.home.now, origin.user)
            self.home.on_decided(harness.root, "")
            return HarnessDocument(done.to_json())

        return await self.home.in_thread(work)

    def _taken_in(self, harness: Harness, queue: Queue, id: str) -> None:
        """Bring a proposal of hiveloom's database into our queue, where what becomes of it is written down."""
        for row in waiting_in_the_hive(queue, hive_of(harness, (), self.home.environ)):
            if row.id == id:
                queue.put(row)

    def _diffs(self, harness: Harness, row: QueuedProposal) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        accepted = [SpecChange.model_validate(change) for change in row.gate.get("accepted") or []]
        code = {c["file"]: c["source"] for c in row.gate.get("code_changes") or []}
        try:
            diff = spec_diff(harness, accepted) if accepted and row.status == "pending" else None
        except InvalidInput:
            diff = None
        return diff, {file: code_diff(harness, file, source) for file, source in code.items()}
