"""Applying a proposal: what is approved of it changes the folder, the rest waits.

All files change together or none does. What must be approved by itself (a code file, a capability) and is not stays
pending. The counter ``# evolved: N`` goes up once for each applied change and survives all others.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from honeyguide.harnesses.changes.editing import with_counter, with_values
from honeyguide.harnesses.changes.files import deploy, encoded, version_with
from honeyguide.harnesses.changes.gate import GateResult, gate
from honeyguide.harnesses.changes.proposal import Proposal, SpecChange
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal, settled_row
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, GateRefused, Stale
from honeyguide.versions import Actor, Deployer
from honeyguide.versions.diff import compare, hunks_of

MOST_DIFF_CHARACTERS: Final = 2000


@dataclass(frozen=True, slots=True)
class Approval:
    """What a person agreed to beyond the plain changes.

    Attributes:
        code: files whose new text may be written.
        capabilities: paths (or files) whose capability changes may be made.
    """

    code: frozenset[str] = frozenset()
    capabilities: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Applied:
    """What became of a proposal; ``remaining`` are files and paths that still wait."""

    proposal_id: str | None
    changed: bool
    old_version: str
    new_version: str
    counter: int
    rationale: str
    accepted: tuple[SpecChange, ...]
    gate: GateResult
    code: tuple[str, ...]
    remaining: tuple[str, ...]
    status: str

    def to_json(self) -> dict[str, Any]:
        """Return the body of ``harness proposals apply --json``."""
        pending_code = [c.file for c in self.gate.code_changes if c.file in self.remaining]
        return {
            "ok": True,
            "proposal_id": self.proposal_id,
            "changed": self.changed,
            "old_version_hash": self.old_version,
            "new_version_hash": self.new_version,
            "counter": self.counter,
            "rationale": self.rationale,
            "applied_yaml": [change.model_dump(mode="json") for change in self.accepted],
            "rejected": [{"path": r.path, "reason": r.reason} for r in self.gate.rejected],
            "applied_code": list(self.code),
            "pending_code": pending_code,
            "pending_capabilities": [name for name in self.remaining if name not in pending_code],
            "status": self.status,
        }


def apply(
    harness: Harness,
    row: QueuedProposal,
    queue: Queue,
    deployer: Deployer,
    actor: Actor,
    at: str,
    approval: Approval = Approval(),
) -> Applied:
    """Apply a pending proposal, or the part of it that is approved.

    Raises:
        Conflict: it is not pending, belongs to another harness, or nothing of it is left.
        Stale: the harness changed since it was drafted; it stays pending.
        GateRefused: with it, the folder would not be a valid harness any more.
    """
    with queue.locked():
        row = queue.require_pending(row.id)
        if row.harness_name != harness.identity:
            raise Conflict(f"Proposal {row.id} belongs to another harness ({row.harness_name}).")
        live = harness.version
        if row.is_stale(live):
            raise Stale(
                f"The harness changed since proposal {row.id} was drafted ({row.spec_version_hash} -> {live}).",
                hint="Draft it anew with 'harness evolve'.",
                details={"expected": row.spec_version_hash, "found": live},
            )
        proposal = _without_done(_rebased(row.parsed, harness), row)
        judged = gate(harness.spec, harness.document.data, proposal)
        accepted, code, remaining = _approved(judged, approval)
        if not accepted and not code:
            if remaining:
                raise Conflict(
                    f"Nothing of proposal {row.id} is approved; each needs its own approval: {', '.join(remaining)}.",
                    hint="Name them with --approve-code or --approve-capability.",
                )
            reasons = "; ".join(f"{r.path}: {r.reason}" for r in judged.rejected[:3])
            raise GateRefused(f"Nothing of proposal {row.id} passes the gate any more ({reasons}).")
        text, files = _new_files(harness, accepted, {c.file: c.source for c in judged.code_changes if c.file in code})
        counter = next_counter(harness, queue)
        text = with_counter(text, counter)
        new_version = version_with(harness, text, files)
        result = Applied(
            row.id, True, live, new_version, counter, row.rationale, accepted, judged, tuple(sorted(code)),
            tuple(remaining), "pending" if remaining else "applied",
        )  # fmt: skip
        evolution = _evolution(harness, row, result, text, at, actor)
        intent = {
            "intent_id": f"{row.id}:{counter}",
            "new_version_hash": new_version,
            "result": result.to_json(),
            "remaining": list(remaining),
            "evolution": evolution,
            "decided_by": {"who": actor.who, "how": actor.how},
            "files": {FILE_NAME: sha256_hex(encoded(harness, text))} | {n: sha256_hex(s) for n, s in files.items()},
        }
        Snapshots(harness.ours).keep(harness, at)
        claimed = queue.put(replace(row, status="applying", intent=intent))
        try:
            deploy(harness, text, files, deployer, actor, f"proposal {row.id}")
        except BaseException:
            queue.put(row)
            raise
        queue.record_evolution(evolution)
        queue.put(settled_row(claimed, intent, at))
        Snapshots(harness.ours).keep(Harness.open(harness.root), at)
        return result


def next_counter(harness: Harness, queue: Queue) -> int:
    """Return the number of the next applied change: one more than file and record say."""
    recorded = [e.get("counter") for e in queue.evolutions()]
    return max([harness.document.evolved, *(n for n in recorded if isinstance(n, int))]) + 1


def _approved(judged: GateResult, approval: Approval) -> tuple[tuple[SpecChange, ...], set[str], list[str]]:
    needing = {capability.path for capability in judged.capabilities}
    accepted = tuple(c for c in judged.accepted if c.path not in needing or c.path in approval.capabilities)
    code = {
        c.file
        for c in judged.code_changes
        if c.file in approval.code and (c.file not in needing or c.file in approval.capabilities)
    }
    remaining = [c.path for c in judged.accepted if c not in accepted]
    remaining += [c.file for c in judged.code_changes if c.file not in code]
    return accepted, code, list(dict.fromkeys(remaining))


def _without_done(proposal: Proposal, row: QueuedProposal) -> Proposal:
    """Leave out what an earlier, partial approval made already."""
    if not row.remaining:
        return proposal
    left: Collection[str] = row.remaining
    return proposal.model_copy(
        update={
            "yaml_changes": tuple(c for c in proposal.yaml_changes if c.path in left),
            "code_changes": tuple(c for c in proposal.code_changes if c.file in left),
        }
    )


def _rebased(proposal: Proposal, harness: Harness) -> Proposal:
    """Give lessons whose id is taken by now another one; a lesson that is there already is refused."""
    if not proposal.appends_memory_only:
        return proposal
    entries = harness.spec.memory.entries
    taken = {entry.id for entry in entries}
    known = {" ".join(entry.content.split()).casefold() for entry in entries}
    changes = []
    for change in proposal.yaml_changes:
        value = dict(change.value) if isinstance(change.value, Mapping) else change.value
        if isinstance(value, dict):
            if " ".join(str(value.get("content")).split()).casefold() in known:
                raise Conflict("The harness holds this lesson already.", hint="Reject the proposal.")
            base, number = re.sub(r"-\d+$", "", str(value.get("id"))), 2
            while value.get("id") in taken:
                value["id"], number = f"{base}-{number}", number + 1
            taken.add(str(value.get("id")))
        changes.append(change.model_copy(update={"value": value}))
    return proposal.model_copy(update={"yaml_changes": tuple(changes)})


def _new_files(harness: Harness, accepted: Sequence[SpecChange], code: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    text = with_values(harness.document.text, [(c.path, c.value) for c in accepted])
    return text, dict(code)


def _evolution(
    harness: Harness, row: QueuedProposal, result: Applied, text: str, at: str, actor: Actor
) -> dict[str, Any]:
    hunks = hunks_of(compare(harness.document.text, text))
    diff = "\n".join(f"-{h.before.rstrip()}\n+{h.after.rstrip()}" for h in hunks)
    return {
        "intent_id": f"{row.id}:{result.counter}",
        "old_version_hash": result.old_version,
        "new_version_hash": result.new_version,
        "counter": result.counter,
        "rationale": result.rationale,
        "created_at": at,
        "proposal_id": row.id,
        "prediction": {
            "target": row.proposal.get("target"),
            "objective_expectations": row.proposal.get("objective_expectations") or [],
        },
        "changes": {
            "paths": [c.path for c in result.accepted],
            "code": list(result.code),
            "yaml_diff": diff[:MOST_DIFF_CHARACTERS],
        },
        "proof": row.proof,
        "decided_by": {"who": actor.who, "how": actor.how},
    }
