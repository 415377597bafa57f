"""Make a proposal live, take it back, turn it down; and finish what a crash cut short, judged by hashes alone.

The flow file changes only here. It is replaced in one step, only if it is byte for byte what the proposal was made
from, and only by bytes whose hash the run recorded; every state is a version that can be gone back to.
"""

from __future__ import annotations

from pathlib import Path

from honeyguide.evals.receipts import Receipt
from honeyguide.feedback.items import FeedbackState
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.fingerprints import changed_parts
from honeyguide.flows.keeping import reopen
from honeyguide.flows.runs import APPLICABLE, AT_WORK, LINEAGE, FlowRun, RunStatus
from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import (
    CapabilityRefused,
    Conflict,
    HoneyguideError,
    InvalidInput,
    NotFound,
    Stale,
    Unreadable,
)
from honeyguide.prompts.targets import TargetKind
from honeyguide.versions.live import Change, LiveFile

_S = RunStatus


def apply(desk: FlowDesk, run_id: str, *, approve_capabilities: bool = False, note: str = "") -> FlowRun:
    """Make a proposal live. Doing it again changes nothing. Blocking.

    Args:
        approve_capabilities: the person's own approval of what the proposal could newly do.

    Raises:
        NotFound: no such run.
        Conflict: its state does not allow it, or it was imported from another tool.
        Stale: the flow, or something else that the proof rests on, changed since.
        CapabilityRefused: it could do more than before, and that was not approved.
        Locked, Unwritable, PolicyRefused: as for every change of a file.
    """
    run = recover_one(desk, desk.runs.get(run_id))
    if run.status is _S.APPLIED:
        return run
    _require_ours(run)
    if run.status not in APPLICABLE:
        raise Conflict(f"The run {run.id} cannot be applied: it is {run.status}.", details={"status": run.status.value})
    added = list((run.capability_diff or {}).get("added", ()))
    if added and not approve_capabilities:
        raise CapabilityRefused(
            f"The proposal could do more than before: {', '.join(map(str, added[:5]))}.",
            hint="Approve that by name with --approve-capabilities.",
            details={"added": added},
        )
    with desk.home.locked(run.flow_id, f"applying {run.id}", timeout=0.5):
        run = desk.runs.get(run_id)
        if run.status is _S.APPLIED:
            return run
        if run.status not in APPLICABLE:
            raise Conflict(f"The run {run.id} is {run.status} by now.", details={"status": run.status.value})
        proposal = _verified(desk, run, "proposal.md", run.proposal_hash)
        _verified(desk, run, "current.md", run.current_hash)
        _require_present(desk, run)
        before = run
        run = desk.runs.move(run, _S.APPLYING, reason="It is being applied.", reason_code=run.reason_code)
        try:
            _replace(desk, run, proposal, run.current_hash, note or f"proposal {run.id}")
        except HoneyguideError as error:
            desk.runs.move(run, before.status, reason=f"Applying failed: {error.message}")
            raise
        return _applied(desk, run, before.reason)


def roll_back(desk: FlowDesk, run_id: str) -> FlowRun:
    """Bring the text back that was live before a proposal was applied. Doing it again changes nothing. Blocking.

    Raises:
        Conflict: it was not applied.
        Stale: the flow was edited since; the edit stays.
        NotFound, Locked, Unwritable.
    """
    run = recover_one(desk, desk.runs.get(run_id))
    if run.status is _S.ROLLED_BACK:
        return run
    _require_ours(run)
    if run.status is not _S.APPLIED:
        raise Conflict(f"The run {run.id} was not applied: it is {run.status}.", details={"status": run.status.value})
    with desk.home.locked(run.flow_id, f"rolling back {run.id}", timeout=0.5):
        run = desk.runs.get(run_id)
        if run.status is _S.ROLLED_BACK:
            return run
        if run.status is not _S.APPLIED:
            raise Conflict(f"The run {run.id} is {run.status} by now.", details={"status": run.status.value})
        current = _verified(desk, run, "current.md", run.current_hash)
        if sha256_hex(_live(run)) != run.proposal_hash:
            raise Stale(
                f"{run.flow_path.name} was edited since it was applied.", hint="Undo the edit by hand, or keep it.",
                details={"keys": ["flowHash"]},
            )  # fmt: skip
        reason = run.reason
        run = desk.runs.move(run, _S.ROLLING_BACK, reason="It is being rolled back.")
        try:
            _go_back(desk, run, current)
        except HoneyguideError as error:
            desk.runs.move(run, _S.APPLIED, reason=f"Rolling back failed: {error.message}")
            raise
        return _rolled_back(desk, run, reason)


def reject(desk: FlowDesk, run_id: str, *, reason: str = "") -> FlowRun:
    """Turn a proposal down; its problems are open again. Blocking.

    Raises:
        Conflict: it is live, being changed, or still at work.
        NotFound, Locked.
    """
    run = recover_one(desk, desk.runs.get(run_id))
    with desk.home.locked(run.flow_id, f"turning down {run.id}", timeout=0.5):
        run = desk.runs.get(run_id)
        if run.status is _S.DISMISSED:
            return run
        if run.status in LINEAGE or run.status in AT_WORK or run.status is _S.ROLLED_BACK:
            hint = "Roll it back instead." if run.status is _S.APPLIED else ""
            raise Conflict(
                f"The run {run.id} is {run.status}; it cannot be turned down.", hint=hint,
                details={"status": run.status.value},
            )  # fmt: skip
        said = f"Turned down: {desk.redact(reason.strip())}" if reason.strip() else "Turned down by a person."
        run = desk.runs.move(run, _S.DISMISSED, reason=said)
        reopen(desk, run)
        desk.on_change("flow:run-rejected", {"runId": run.id})
        return run


def recover_one(desk: FlowDesk, run: FlowRun) -> FlowRun:
    """Finish or undo an apply or a rollback that was cut short. Judged by the live file's hash, under the flow's lock.

    Raises:
        Locked: it is not cut short, somebody is at it.
    """
    if run.status not in (_S.APPLYING, _S.ROLLING_BACK) or run.is_imported:
        return run
    with desk.home.locked(run.flow_id, f"recovering {run.id}"):
        run = desk.runs.get(run.id)
        if run.status not in (_S.APPLYING, _S.ROLLING_BACK):
            return run
        if desk.deployer is not None:
            desk.deployer(run.flow_path.parent).recover()
        try:
            live = sha256_hex(_live(run))
        except (NotFound, Unreadable):
            live = ""
        if run.status is _S.APPLYING and live == run.proposal_hash:
            return _applied(desk, run, "Applied; finished after an interruption.")
        if run.status is _S.APPLYING and live == run.current_hash:
            before = _S.VERIFIED_IMPROVEMENT if run.target_evidence_ids else _S.REGRESSION_SAFE
            return desk.runs.move(run, before, reason="Applying was interrupted; nothing was changed.")
        if run.status is _S.ROLLING_BACK and live == run.current_hash:
            return _rolled_back(desk, run, "Rolled back; finished after an interruption.")
        if run.status is _S.ROLLING_BACK and live == run.proposal_hash:
            return desk.runs.move(run, _S.APPLIED, reason="Rolling back was interrupted; the proposal is live.")
        run = desk.runs.move(
            run, _S.INCONCLUSIVE, reason="Interrupted, and the flow was edited since; look at it.", reason_code="failed"
        )
        reopen(desk, run)
        return run


def live_file(desk: FlowDesk, run: FlowRun) -> LiveFile:
    """Return the flow's file, as the version store knows it."""
    path = run.flow_path
    return LiveFile(TargetKind.FLOW.value, desk.version_name(path, run.flow_id), path)


def receipt_state(desk: FlowDesk, run: FlowRun) -> tuple[Receipt | None, tuple[str, ...], str]:
    """Return a run's receipt, which parts are not as they were, and why that cannot be said."""
    try:
        recorded = Receipt.from_json(desk.runs.read_json(run.id, "receipt.json"))
    except (InvalidInput, Unreadable) as error:
        return None, (), error.message
    try:
        view = desk.look(run.flow_path, engine=_cli_engine(recorded))
        data = desk.runs.read(run.id, "current.md") if _is_live(run, view.document.sha256) else None
        return recorded, changed_parts(recorded, view.receipt(desk, data=data)), ""
    except HoneyguideError as error:
        return recorded, (), error.message


def _is_live(run: FlowRun, live: str) -> bool:
    """While a proposal is live, its receipt is compared as if the text before it were."""
    return run.status is _S.APPLIED and live == run.proposal_hash


def _cli_engine(recorded: Receipt) -> str | None:
    return recorded.parts["engine"] if recorded.parts.get("engine_source") == "cli" else None


def _require_ours(run: FlowRun) -> None:
    if run.is_imported:
        raise Conflict(
            f"The run {run.id} was made by another tool; it can be looked at here, not applied.", hint="Propose anew."
        )


def _require_present(desk: FlowDesk, run: FlowRun) -> None:
    """Raise Stale unless everything that the proof rests on is as it was."""
    if sha256_hex(_live(run)) != run.current_hash:
        raise Stale(
            f"{run.flow_path.name} was edited since the proposal was made.", hint="Propose again.",
            details={"keys": ["flowHash"]},
        )  # fmt: skip
    recorded, changed, problem = receipt_state(desk, run)
    if recorded is None or problem:
        raise Stale(f"Nobody can say whether the proof still holds: {problem}", hint="Propose again.")
    if changed:
        raise Stale(
            f"What the proof rests on changed since ({', '.join(changed)}).", hint="Restore it, or propose again.",
            details={"keys": list(changed)},
        )  # fmt: skip


def _verified(desk: FlowDesk, run: FlowRun, name: str, expected: str | None) -> bytes:
    data = desk.runs.read(run.id, name)
    if data is None or expected is None or sha256_hex(data) != expected:
        raise Stale(
            f"{name} of the run {run.id} is not what was verified.", hint="Its folder was changed; propose again.",
            details={"keys": [name]},
        )  # fmt: skip
    return data


def _live(run: FlowRun) -> bytes:
    try:
        return run.flow_path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"{run.flow_path} is not there any more.", hint="Put it back, then try again.") from error
    except OSError as error:
        raise Unreadable(f"{run.flow_path} cannot be read: {error.strerror}.") from error


def _replace(desk: FlowDesk, run: FlowRun, data: bytes, expected: str | None, note: str) -> None:
    if desk.deployer is None:
        raise Conflict("This desk may not change files.")
    desk.deployer(_folder(run)).deploy(
        [Change(live_file(desk, run), data, expected)], desk.actor, run_uuid=run.id, note=note
    )


def _go_back(desk: FlowDesk, run: FlowRun, current: bytes) -> None:
    """Restore the version that was live before; where it is not among the versions, its bytes."""
    if desk.deployer is None:
        raise Conflict("This desk may not change files.")
    deployer, live = desk.deployer(_folder(run)), live_file(desk, run)
    known = [version for version in deployer.history(live).versions if version.sha256 == run.current_hash]
    if known:
        deployer.rollback(live, desk.actor, to=known[-1].n, note=f"rollback of {run.id}", expected=run.proposal_hash)
    else:
        _replace(desk, run, current, run.proposal_hash, f"rollback of {run.id}")


def _folder(run: FlowRun) -> Path:
    return run.flow_path.resolve().parent


def _applied(desk: FlowDesk, run: FlowRun, reason: str) -> FlowRun:
    """Resolve what was shown to be solved, and nothing else; the rest is open again."""
    contents = desk.feedback.read()
    for feedback_id in run.target_evidence_ids:
        item = contents.get(feedback_id)
        if item is not None and item.state is FeedbackState.OPEN:
            desk.feedback.move(feedback_id, FeedbackState.TARGETED, run_id=run.id)
            item = desk.feedback.get(feedback_id)
        if item is not None and item.state is FeedbackState.TARGETED:
            desk.feedback.move(feedback_id, FeedbackState.RESOLVED, run_id=run.id)
    run = desk.runs.move(run, _S.APPLIED, reason=reason, applied_at=iso(desk.clock.now()))
    reopen(desk, run)
    desk.on_change("flow:run-applied", {"runId": run.id, "flow": str(run.flow_path)})
    return run


def _rolled_back(desk: FlowDesk, run: FlowRun, reason: str) -> FlowRun:
    contents = desk.feedback.read()
    for feedback_id in run.target_evidence_ids:
        item = contents.get(feedback_id)
        if item is not None and item.state is FeedbackState.RESOLVED and item.run_id == run.id:
            desk.feedback.move(feedback_id, FeedbackState.OPEN, run_id=run.id)
    run = desk.runs.move(run, _S.ROLLED_BACK, reason=reason, rolled_back_at=iso(desk.clock.now()))
    desk.on_change("flow:run-rolled-back", {"runId": run.id, "flow": str(run.flow_path)})
    return run
