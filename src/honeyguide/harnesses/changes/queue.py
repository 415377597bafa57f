"""The queue of proposals: pending, applying, applied, rejected. One file each, beside the journals, no payloads."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from honeyguide.harnesses.changes.proposal import Proposal, proposal_from_json
from honeyguide.harnesses.evidence.records import RecordFile, folder_lock
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.versions import contained, write_atomically

FOLDER: Final = "proposals"
EVOLUTIONS: Final = "evolutions.jsonl"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class QueuedProposal:
    """One row of the queue.

    Attributes:
        harness_name: the identity it belongs to (the name is hiveloom's).
        spec_version_hash: the version it would change; moves on when a part of it was applied.
        trigger: manual, auto, reflect, executor, http.
        gate: what the gate said when it was drafted.
        evidence: rules, ids, budgets and a digest.
        proof: what replaying past inputs showed; ``state`` is ``unproven`` when nothing was replayed.
        remaining: files and paths that still wait for an approval of their own.
        intent: while applying: what the folder will hash to, so that a crash can be told from a success.
    """

    id: str
    harness_name: str
    spec_version_hash: str
    dedup_key: str
    status: str
    trigger: str
    rationale: str
    created_at: str
    proposal: Mapping[str, Any]
    gate: Mapping[str, Any]
    resolved_at: str | None = None
    apply_result: Mapping[str, Any] | None = None
    evidence: Mapping[str, Any] | None = None
    proof: Mapping[str, Any] | None = None
    drafted_at_version: str = ""
    spend: Mapping[str, Any] | None = None
    remaining: tuple[str, ...] = ()
    intent: Mapping[str, Any] | None = None
    decided_by: Mapping[str, str] = field(default_factory=dict)

    @property
    def parsed(self) -> Proposal:
        """The proposal. Raises InvalidInput when the stored one is damaged."""
        return proposal_from_json(self.proposal)

    def is_stale(self, version: str) -> bool:
        """Whether the harness changed since it was drafted, so that it must be drafted anew."""
        return self.status == "pending" and version != self.spec_version_hash and not self.parsed.appends_memory_only

    def to_json(self, version: str | None = None) -> dict[str, Any]:
        """Return the row as ``harness proposals show --json`` prints it."""
        data = asdict(self)
        del data["intent"]
        data["remaining"] = list(self.remaining)
        if version is not None:
            data["stale"] = self.is_stale(version)
            data["live_version_hash"] = version
        return {"ok": True, **data}


class Queue:
    """The proposals and the applied changes of one folder."""

    def __init__(self, ours: Path) -> None:
        self._ours = ours
        self._folder = ours / FOLDER
        self._evolutions = RecordFile(ours / EVOLUTIONS)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the folder's lock. Raises Locked, Unwritable."""
        with folder_lock(self._ours):
            yield

    def all(self, status: str | None = None) -> list[QueuedProposal]:
        """Return the proposals, newest first; damaged files are named in the log and passed over."""
        found = []
        for path in self._folder.glob("*.json"):
            try:
                found.append(_read(json.loads(path.read_bytes())))
            except (OSError, ValueError, TypeError, KeyError) as error:
                _log.warning("The proposal file %s cannot be used: %s.", path.name, type(error).__name__)
        found = [row for row in found if status in (None, row.status)]
        return sorted(found, key=lambda row: (row.created_at, row.id), reverse=True)

    def get(self, id: str) -> QueuedProposal:
        """Return one proposal. Raises NotFound."""
        for row in self.all():
            if row.id == id:
                return row
        raise NotFound(f"There is no proposal {id!r} here.", hint="See 'harness proposals list'.")

    def require_pending(self, id: str) -> QueuedProposal:
        """Return a pending proposal. Raises NotFound, Conflict."""
        row = self.get(id)
        if row.status != "pending":
            raise Conflict(f"Proposal {id} is already {row.status}.")
        return row

    def pending_for(self, key: str, version: str, dedup_key: str) -> QueuedProposal | None:
        """Return the pending proposal for this state of failure, if there is one."""
        for row in self.all("pending"):
            if (row.harness_name, row.drafted_at_version or row.spec_version_hash, row.dedup_key) == (
                key, version, dedup_key,
            ):  # fmt: skip
                return row
        return None

    def put(self, row: QueuedProposal) -> QueuedProposal:
        """Write a row, durably. Raises Unwritable."""
        path = contained(self._folder, f"{row.id}.json")
        write_atomically(path, (json.dumps(asdict(row), indent=2) + "\n").encode("ascii"))
        return row

    def add(self, row: QueuedProposal) -> tuple[QueuedProposal, bool]:
        """Add a pending row unless one waits for the same state; say whether it is new."""
        with self.locked():
            if row.status == "pending":
                known = self.pending_for(row.harness_name, row.spec_version_hash, row.dedup_key)
                if known is not None:
                    return known, False
            return self.put(row), True

    def reject(self, id: str, reason: str, at: str, by: Mapping[str, str]) -> QueuedProposal:
        """Reject a pending proposal. Raises NotFound, Conflict."""
        with self.locked():
            row = self.require_pending(id)
            return self.put(
                replace(row, status="rejected", resolved_at=at, apply_result={"reason": reason}, decided_by=dict(by))
            )

    def evolutions(self) -> list[dict[str, Any]]:
        """Return the applied changes, newest first."""
        return list(reversed(self._evolutions.read()))

    def record_evolution(self, row: Mapping[str, Any]) -> None:
        """Add an applied change."""
        number = len(self._evolutions.read()) + 1
        self._evolutions.add([{"evolution_id": number, **row}])

    def recover(self, live_version: Callable[[], str], at: str) -> list[QueuedProposal]:
        """Finish or release what a crash left in ``applying``, by what the folder is now; return what was settled."""
        settled = []
        for row in self.all("applying"):
            with self.locked():
                row = self.get(row.id)
                if row.status != "applying":
                    continue
                intent = row.intent or {}
                if intent and live_version() == intent.get("new_version_hash"):
                    if not any(e.get("intent_id") == intent.get("intent_id") for e in self.evolutions()):
                        self.record_evolution(intent.get("evolution") or {})
                    settled.append(self.put(settled_row(row, intent, at)))
                else:
                    settled.append(self.put(replace(row, status="pending", intent=None)))
        return settled


def settled_row(row: QueuedProposal, intent: Mapping[str, Any], at: str) -> QueuedProposal:
    """Return a row after its files were changed: applied, or pending with what still needs an approval."""
    result = dict(intent["result"])
    remaining = tuple(intent.get("remaining") or ())
    return replace(
        row,
        status="pending" if remaining else "applied",
        resolved_at=None if remaining else at,
        apply_result=result,
        remaining=remaining,
        spec_version_hash=str(intent["new_version_hash"]),
        drafted_at_version=row.drafted_at_version or row.spec_version_hash,
        intent=None,
        decided_by=dict(intent.get("decided_by") or {}),
    )


def _read(data: dict[str, Any]) -> QueuedProposal:
    data["remaining"] = tuple(data.get("remaining") or ())
    row = QueuedProposal(**data)
    if not all(isinstance(value, str) for value in (row.id, row.status, row.spec_version_hash, row.created_at)):
        raise TypeError("a proposal file with values of the wrong kind")
    return row
