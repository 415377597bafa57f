"""One proposal's private folder: state, journal, and artifacts that are written once. Readable without the program.

The spelling of ``state.json`` and ``events.jsonl`` is mdflow's, so that one reader reads both. Ours adds a reason code,
and a hash in each line of the journal that covers all lines before it.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from honeyguide.flows.home import RUN_ID, FlowHome
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import Clock, iso
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Unreadable
from honeyguide.versions.atomic import write_atomically
from honeyguide.versions.disk import LocalDisk, writing

ARTIFACT = re.compile(r"[a-z0-9][a-z0-9._-]{0,100}")
WRITER: Final = "honeyguide"
_BINARY: int = getattr(os, "O_BINARY", 0)


class RunStatus(StrEnum):
    """Where a proposal stands."""

    PLANNED = "planned"
    VERIFYING = "verifying"
    DRAFTING = "drafting"
    PROPOSED = "proposed"
    VERIFIED_IMPROVEMENT = "verified_improvement"
    REGRESSION_SAFE = "regression_safe"
    REJECTED = "rejected"
    INCONCLUSIVE = "inconclusive"
    CAPABILITY_REJECTED = "capability_rejected"
    INTERRUPTED = "interrupted"
    APPLYING = "applying"
    APPLIED = "applied"
    ROLLING_BACK = "rolling_back"
    ROLLED_BACK = "rolled_back"
    DISMISSED = "dismissed"


_S = RunStatus
AT_WORK: Final = frozenset((_S.PLANNED, _S.VERIFYING, _S.DRAFTING, _S.PROPOSED))
APPLICABLE: Final = frozenset((_S.VERIFIED_IMPROVEMENT, _S.REGRESSION_SAFE))
LINEAGE: Final = frozenset((_S.APPLYING, _S.APPLIED, _S.ROLLING_BACK))
"""What rolling back may still need."""


@dataclass(frozen=True, slots=True)
class FlowRun:
    """A proposal's state.

    Attributes:
        flow: id, path, repository, relativePath.
        current_hash, proposal_hash: SHA-256 of the flow file before and after.
        evidence_ids: problems that it was asked to solve; ``target_evidence_ids``: those it was shown to solve.
        maintainer: engine, model, source, isolated.
        reason, reason_code: why it ended as it did.
        is_automatic: whether it was begun without a person asking for this run.
    """

    id: str
    flow: Mapping[str, Any]
    suite_path: str
    status: RunStatus
    created_at: str
    updated_at: str
    current_hash: str
    proposal_hash: str | None = None
    evidence_ids: tuple[str, ...] = ()
    target_evidence_ids: tuple[str, ...] = ()
    maintainer: Mapping[str, Any] | None = None
    planned_invocations: int = 0
    actual_invocations: int = 0
    capability_diff: Mapping[str, Any] | None = None
    reason: str = ""
    reason_code: str = ""
    applied_at: str | None = None
    rolled_back_at: str | None = None
    is_automatic: bool = False
    outcome: str | None = None
    is_imported: bool = False

    @property
    def flow_id(self) -> str:
        """The flow's id."""
        return str(self.flow.get("id", ""))

    @property
    def flow_path(self) -> Path:
        """Where the flow stood."""
        return Path(str(self.flow.get("path", "")))

    def to_json(self) -> dict[str, Any]:
        """Return the state as it is stored."""
        data: dict[str, Any] = {
            "schemaVersion": 1,
            "writer": WRITER,
            "id": self.id,
            "flow": dict(self.flow),
            "suitePath": self.suite_path,
            "status": self.status.value,
            "createdAt": self.created_at,
            "updatedAt": self.updated_at,
            "currentHash": self.current_hash,
            "proposalHash": self.proposal_hash,
            "evidenceIds": list(self.evidence_ids),
            "targetEvidenceIds": list(self.target_evidence_ids),
            "maintainer": None if self.maintainer is None else dict(self.maintainer),
            "plannedInvocations": self.planned_invocations,
            "actualInvocations": self.actual_invocations,
            "capabilityDiff": None if self.capability_diff is None else dict(self.capability_diff),
            "resultReason": self.reason or None,
            "reasonCode": self.reason_code or None,
            "outcome": self.outcome,
            "automatic": self.is_automatic,
            "imported": self.is_imported or None,
            "appliedAt": self.applied_at,
            "rolledBackAt": self.rolled_back_at,
        }
        return {key: value for key, value in data.items() if value is not None}

    @classmethod
    def from_json(cls, data: Any) -> FlowRun:
        """Read a state, ours or mdflow's. Raises InvalidInput."""
        try:
            return cls(
                id=str(data["id"]),
                flow=dict(data["flow"]),
                suite_path=str(data.get("suitePath", "")),
                status=RunStatus(data["status"]),
                created_at=str(data["createdAt"]),
                updated_at=str(data["updatedAt"]),
                current_hash=str(data["currentHash"]),
                proposal_hash=data.get("proposalHash"),
                evidence_ids=tuple(map(str, data.get("evidenceIds", ()))),
                target_evidence_ids=tuple(map(str, data.get("targetEvidenceIds", ()))),
                maintainer=data.get("maintainer"),
                planned_invocations=int(data.get("plannedInvocations", 0)),
                actual_invocations=int(data.get("actualInvocations", 0)),
                capability_diff=data.get("capabilityDiff"),
                reason=str(data.get("resultReason") or ""),
                reason_code=str(data.get("reasonCode") or ""),
                applied_at=data.get("appliedAt"),
                rolled_back_at=data.get("rolledBackAt"),
                is_automatic=data.get("automatic") is True,
                outcome=data.get("outcome"),
                is_imported=data.get("imported") is True,
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InvalidInput(f"This is no state of a run: {error}.") from error


def new_run_id(clock: Clock) -> str:
    """Return ``evr_``, the time in base 36 and 8 hex digits."""
    return f"evr_{_base36(int(clock.now().timestamp() * 1000))}_{secrets.token_hex(4)}"


class RunStore:
    """All proposals of a workspace."""

    def __init__(self, home: FlowHome, clock: Clock, new_id: Callable[[Clock], str] = new_run_id) -> None:
        self.home = home
        self._clock = clock
        self._new_id = new_id
        self._disk = LocalDisk()

    def create(self, flow: Mapping[str, Any], **fields: Any) -> FlowRun:
        """Make the folder of a new proposal."""
        now = iso(self._clock.now())
        run = FlowRun(
            id=self._new_id(self._clock), flow=flow, status=RunStatus.PLANNED, created_at=now, updated_at=now, **fields
        )
        folder = self.home.run(run.id)
        with writing(folder):
            self._disk.make_folder(folder)
        self._write_state(run)
        self.journal(run.id, RunStatus.PLANNED.value)
        return run

    def get(self, run_id: str) -> FlowRun:
        """Return a proposal's state. Raises NotFound, InvalidInput, Unreadable."""
        path = self.home.run(run_id) / "state.json"
        data = self._disk.read(path)
        if data is None:
            raise NotFound(f"There is no run {run_id}.", hint="See 'honeyguide flow list'.")
        try:
            return FlowRun.from_json(json.loads(data))
        except ValueError as error:
            raise Unreadable(f"{path} is damaged.", hint="The other files of its folder can still be read.") from error

    def all(self, flow_id: str | None = None) -> tuple[list[FlowRun], list[str]]:
        """Return all proposals, newest first, and the ids of those whose state cannot be read."""
        runs, damaged = [], []
        for name in self._disk.names(self.home.runs):
            if not RUN_ID.fullmatch(name):
                continue
            try:
                run = self.get(name)
            except (Unreadable, InvalidInput, NotFound):
                damaged.append(name)
                continue
            if flow_id is None or run.flow_id == flow_id:
                runs.append(run)
        return sorted(runs, key=lambda run: (run.created_at, run.id), reverse=True), damaged

    def move(self, run: FlowRun, status: RunStatus, **changes: Any) -> FlowRun:
        """Store another state; a new status is journaled with its reason. Raises Conflict when it moved meanwhile."""
        stored = self.get(run.id)
        if stored.status is not run.status:
            raise Conflict(f"The run {run.id} is {stored.status} by now.", details={"status": stored.status.value})
        moved = replace(run, status=status, updated_at=iso(self._clock.now()), **changes)
        self._write_state(moved)
        if status is not run.status:
            code = {"code": moved.reason_code} if changes.get("reason_code") else {}
            self.journal(run.id, status.value, {"reason": moved.reason, **code} if changes.get("reason") else None)
        return moved

    def artifact(self, run_id: str, name: str, data: bytes | Any, *, journaled: bool = True) -> Path:
        """Write an artifact once; data that is no bytes becomes JSON. Raises Conflict when it is there."""
        if not ARTIFACT.fullmatch(name):
            raise InvalidInput(f"{name!r} cannot name an artifact.")
        path = self.home.run(run_id) / name
        raw = data if isinstance(data, bytes) else (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode()
        with writing(path):
            if not self._disk.create(path, 0o600):
                raise Conflict(f"{name} of the run {run_id} was written already.")
            self._disk.write(path, raw)
            self._disk.sync_file(path)
            self._disk.sync_folder(path.parent)
        if journaled:
            self.journal(run_id, f"artifact.{name}")
        return path

    def read(self, run_id: str, name: str) -> bytes | None:
        """Return an artifact's bytes, or ``None``."""
        if not ARTIFACT.fullmatch(name):
            raise InvalidInput(f"{name!r} cannot name an artifact.")
        return self._disk.read(self.home.run(run_id) / name)

    def read_json(self, run_id: str, name: str) -> Any:
        """Return an artifact's JSON, or ``None``. Raises Unreadable."""
        data = self.read(run_id, name)
        if data is None:
            return None
        try:
            return json.loads(data)
        except ValueError as error:
            raise Unreadable(f"{name} of the run {run_id} is damaged.") from error

    def journal(self, run_id: str, type: str, data: Mapping[str, Any] | None = None) -> None:
        """Append an event."""
        path = self.home.run(run_id) / "events.jsonl"
        before = self._disk.read(path) or b""
        event: dict[str, Any] = {"runId": run_id, "type": type, "timestamp": iso(self._clock.now())}
        event |= {"data": dict(data)} if data else {}
        line = json.dumps(event | {"prev": sha256_hex(before)[:16]}, separators=(",", ":"), ensure_ascii=False)
        with writing(path):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
            try:
                os.write(descriptor, line.encode() + b"\n")
                os.fsync(descriptor)
            finally:
                os.close(descriptor)

    def events(self, run_id: str) -> tuple[list[dict[str, Any]], bool]:
        """Return the journal, and whether its hashes fit (always, for one without hashes)."""
        data = self._disk.read(self.home.run(run_id) / "events.jsonl") or b""
        found: list[dict[str, Any]] = []
        position, is_whole = 0, True
        for line in data.splitlines(keepends=True):
            try:
                event = json.loads(line)
            except ValueError:
                is_whole = False
                event = None
            if isinstance(event, dict):
                if "prev" in event and event["prev"] != sha256_hex(data[:position])[:16]:
                    is_whole = False
                found.append(event)
            position += len(line)
        return found, is_whole

    def _write_state(self, run: FlowRun) -> None:
        data = json.dumps(run.to_json(), indent=2, ensure_ascii=False) + "\n"
        write_atomically(self.home.run(run.id) / "state.json", data.encode())


def _base36(number: int) -> str:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    text = ""
    while number:
        number, rest = divmod(number, 36)
        text = digits[rest] + text
    return text or "0"
