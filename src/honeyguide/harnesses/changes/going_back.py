"""Going back to a version, and setting a value by hand: changes that no proposal brings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from honeyguide.harnesses.changes.applying import Applied
from honeyguide.harnesses.changes.editing import with_values
from honeyguide.harnesses.changes.files import deploy, fingerprint, inside, live_file, version_with
from honeyguide.harnesses.changes.gate import GateResult
from honeyguide.harnesses.changes.queue import Queue, QueuedProposal
from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.spec.reading import FILE_NAME
from honeyguide.kernel.errors import Conflict, GateRefused, InvalidInput
from honeyguide.versions import Actor, Change, Deployer


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
        deploy(harness, text, files, deployer, actor, note or f"back to {version}")
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


def undo_half(harness: Harness, row: QueuedProposal, deployer: Deployer, actor: Actor) -> None:
    """Take back what a crash left of a proposal's files, where the program that applied it cannot be asked any more.

    That is so when the crash happened with another workspace: its record of the change is not at hand, but the state
    before is kept in the folder. A file that holds something else by now is somebody's work and stays.
    """
    intent = row.intent or {}
    if harness.version in (row.spec_version_hash, intent.get("new_version_hash")):
        return
    written: Mapping[str, str] = intent.get("files") or {}
    snapshots = Snapshots(harness.ours)
    before = snapshots.newest_of(row.spec_version_hash)
    half = [name for name, sha in written.items() if fingerprint(inside(harness.root, name)) == sha]
    changes = [
        Change(live_file(harness, name), snapshots.bytes_of(before.files[name]), written[name])
        for name in half
        if name in before.files
    ]
    if changes:
        deployer.deploy(changes, actor, note=f"undo of proposal {row.id}")


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
    deploy(harness, text, {}, deployer, actor, f"set {paths}")
    return old, new


def _differs(harness: Harness, path: str, data: bytes) -> bool:
    file = inside(harness.root, path)
    return not file.is_file() or file.read_bytes() != data
