"""Applying a proposal, going back to a version, setting a value: every change of a harness's files goes through here.

All files change together or none does. What must be approved by itself (a code file, a capability) and is not stays
pending. The counter ``# evolved: N`` goes up once for each applied change and survives all others.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from honeyguide.harnesses.changes.editing import with_counter, with_values
from honeyguide.harnesses.changes.gate import GateResult, gate
from honeyguide.harnesses.changes.proposal import Proposal, SpecChange
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal, settled_row
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.fingerprints import NEVER_BEHAVIOUR
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput, Stale
from honeyguide.versions import Actor, Change, Deployer, LiveFile
from honeyguide.versions.diff import compare, hunks_of

KIND: Final = "harness"
MOST_DIFF_CHARACTERS: Final = 2000
_NEVER_COPIED: Final = (*NEVER_BEHAVIOUR, ".env", ".env.*")


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
        }
        Snapshots(harness.ours).keep(harness, at)
        claimed = queue.put(replace(row, status="applying", intent=intent))
        try:
            _deploy(harness, text, files, deployer, actor, f"proposal {row.id}")
        except BaseException:
            queue.put(row)
            raise
        queue.record_evolution(evolution)
        queue.put(settled_row(claimed, intent, at))
        Snapshots(harness.ours).keep(Harness.open(harness.root), at)
        return result


def apply_now(
    harness: Harness,
    proposal: Proposal,
    judged: GateResult,
    queue: Queue,
    row: QueuedProposal,
    deployer: Deployer,
    actor: Actor,
    at: str,
    approval: Approval,
) -> Applied:
    """Queue a proposal and apply it at once, for a person who sits before it."""
    queue.put(replace(row, proposal=proposal.to_json(), gate=judged.to_json()))
    return apply(harness, row, queue, deployer, actor, at, approval)


def roll_back(
    harness: Harness, version: str, queue: Queue, deployer: Deployer, actor: Actor, at: str, note: str = ""
) -> Applied:
    """Bring the files of an earlier version back, byte for byte.

    Raises:
        NotFound: no state of that version is kept.
        Conflict: it is live already.
    """
    with queue.locked():
        live = harness.version
        if version == live:
            raise Conflict(f"Version {version} is live already.")
        snapshots = Snapshots(harness.ours)
        wanted = snapshots.newest_of(version)
        snapshots.keep(harness, at)
        contents = {path: snapshots.bytes_of(sha) for path, sha in wanted.files.items()}
        text = contents.pop(FILE_NAME).decode("utf-8-sig")
        files = {path: data.decode("utf-8") for path, data in contents.items() if _differs(harness, path, data)}
        _deploy(harness, text, files, deployer, actor, note or f"back to {version}")
        reached = Harness.open(harness.root)
        result = Applied(
            None, True, live, reached.version, reached.document.evolved, note or f"back to {version}", (), GateResult(),
            tuple(sorted(files)), (), "rolled back",
        )  # fmt: skip
        queue.record_evolution(
            {
                "old_version_hash": live,
                "new_version_hash": reached.version,
                "counter": reached.document.evolved,
                "rationale": result.rationale,
                "created_at": at,
                "proposal_id": None,
                "prediction": None,
                "changes": {"paths": [], "code": list(result.code), "revert_of": live},
                "decided_by": {"who": actor.who, "how": actor.how},
            }
        )
        return result


def set_values(
    harness: Harness, changes: Sequence[tuple[str, Any]], deployer: Deployer, actor: Actor, at: str
) -> tuple[str, str]:
    """Set values by hand, keeping layout and counter, and return the old and the new version hash.

    Raises:
        InvalidInput: the folder would not be a valid harness any more; nothing is changed.
    """
    text = with_values(harness.document.text, changes)
    old = harness.version
    try:
        new = version_with(harness, text, {})
    except GateRefused as error:
        raise InvalidInput(error.message, hint=error.hint, details=error.details) from error
    Snapshots(harness.ours).keep(harness, at)
    paths = ", ".join(path for path, _ in changes)
    _deploy(harness, text, {}, deployer, actor, f"set {paths}")
    return old, new


def version_with(harness: Harness, text: str, files: Mapping[str, str]) -> str:
    """Return the version hash the folder would have. Raises GateRefused when it would be invalid."""
    with private_copy(harness, text, files) as copy:
        known = {(p.code, p.path) for p in harness.problems}
        new = [p for p in copy.problems if p.severity == "error" and (p.code, p.path) not in known]
        if new or copy.checked.spec is None:
            first = new[0] if new else copy.problems[0]
            raise GateRefused(
                f"With this change the folder is no valid harness: {first.message}",
                hint=first.remedy,
                details={"problems": [p.to_json() for p in new]},
            )
        return copy.version


@contextmanager
def private_copy(
    harness: Harness, text: str | None = None, files: Mapping[str, str] | None = None
) -> Iterator[Harness]:
    """Give a copy of the folder, without journals and secrets, that goes when the context ends."""
    with tempfile.TemporaryDirectory(prefix="honeyguide-harness-") as place:
        root = Path(place) / "harness"
        shutil.copytree(
            harness.root, root, symlinks=True, ignore=shutil.ignore_patterns(*_NEVER_COPIED, "*.pyc", "*.zip")
        )
        if text is not None:
            (root / FILE_NAME).write_bytes(text.encode("utf-8"))
        for name, source in (files or {}).items():
            path = inside(root, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source.encode("utf-8"))
        yield Harness.open(root)


def next_counter(harness: Harness, queue: Queue) -> int:
    """Return the number of the next applied change: one more than file and record say."""
    recorded = [e.get("counter") for e in queue.evolutions()]
    return max([harness.document.evolved, *(n for n in recorded if isinstance(n, int))]) + 1


def code_diff(harness: Harness, file: str, source: str) -> dict[str, Any]:
    """Return the diff of one code file, as every ``diff`` is printed."""
    path = inside(harness.root, file)
    before = path.read_text(encoding="utf-8") if path.is_file() else ""
    return {"before": before, "after": source, "hunks": [h.to_json() for h in hunks_of(compare(before, source))]}


def spec_diff(harness: Harness, changes: Sequence[SpecChange]) -> dict[str, Any]:
    """Return the diff of ``harness.yaml`` that the accepted changes make."""
    before = harness.document.text
    after = with_values(before, [(c.path, c.value) for c in changes])
    return {"before": before, "after": after, "hunks": [h.to_json() for h in hunks_of(compare(before, after))]}


def inside(root: Path, name: str) -> Path:
    """Return a file of the folder. Raises InvalidInput when the name leads out of it."""
    base = root.resolve()
    path = (base / name).resolve()
    if not path.is_relative_to(base) or path == base:
        raise InvalidInput(f"{name!r} is not inside the harness folder.")
    return path


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


def _deploy(harness: Harness, text: str, files: Mapping[str, str], deployer: Deployer, actor: Actor, note: str) -> None:
    changes = [Change(live_file(harness, FILE_NAME), _encoded(harness, text), _fingerprint(harness.file))]
    for name, source in sorted(files.items()):
        path = inside(harness.root, name)
        changes.append(Change(live_file(harness, name), source.encode("utf-8"), _fingerprint(path)))
    deployer.deploy(changes, actor, note=note)


def live_file(harness: Harness, name: str) -> LiveFile:
    """Return a file of the folder as the version store knows it."""
    known_as = harness.identity if name == FILE_NAME else f"{harness.identity} {name}"
    return LiveFile(KIND, quote(known_as, safe=" @+=,()-_.~"), inside(harness.root, name), mode=0o644)


def _encoded(harness: Harness, text: str) -> bytes:
    mark = b"\xef\xbb\xbf" if harness.file.read_bytes().startswith(b"\xef\xbb\xbf") else b""
    return mark + text.encode("utf-8")


def _fingerprint(path: Path) -> str | None:
    return sha256_hex(path.read_bytes()) if path.is_file() else None


def _differs(harness: Harness, path: str, data: bytes) -> bool:
    file = inside(harness.root, path)
    return not file.is_file() or file.read_bytes() != data


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
