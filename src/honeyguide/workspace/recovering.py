"""What an opened workspace finishes for a program that crashed: files from hashes, runs from the versions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.versions import RepairOutcome
from honeyguide.workspace.core import Core

if TYPE_CHECKING:
    from honeyguide.storage import Unit
    from honeyguide.storage.records import RunRecord


async def recover(core: Core) -> None:
    """Finish what a crash cut short: repair the files from hashes, then the runs from the versions."""
    files = core.deployer()
    repairs = await core.in_thread(files.recover)
    for run in await core.store.read(lambda unit: unit.runs.unfinished()):
        await _settle(core, run)
    for repair in repairs:
        if repair.outcome in (RepairOutcome.COMPLETED, RepairOutcome.UNDONE) and repair.kind:
            kind, subject = f"repair:{repair.outcome.value}", f"{repair.kind}:{repair.name}"
            await core.store.write(lambda unit, kind=kind, subject=subject: unit.events.append(kind, subject))  # type: ignore[misc]


def has_traces_of_flows(root: Path) -> bool:
    """Say whether a proposal for a flow, or a run of a flow's suite, ever left something in the workspace."""
    return any(root.glob("runs/evr_*")) or any(root.glob("evals/*/*"))


def has_targeted_feedback(root: Path) -> bool:
    """Say whether a run was ever at work on a reported problem, so that one may still be waiting for its end."""
    try:
        return b'"targeted"' in (root / "feedback" / "log.jsonl").read_bytes()
    except OSError:
        return False


async def _settle(core: Core, run: RunRecord) -> None:
    """Say that a run whose acceptance was under way is deployed, or waits again."""
    from honeyguide.workspace.together import refs_of  # brings the engine, which only a crash needs here

    refs = refs_of(run) or (TargetRef(TargetKind(run.target_kind), run.target_name or ""),)
    store = core.version_store
    listed = await core.in_thread(lambda: [(ref, store.list(ref.kind.value, ref.name)) for ref in refs])
    deployed = [(ref, version.n) for ref, known in listed for version in known if version.run_uuid == run.run_uuid]

    def settle(unit: Unit) -> None:
        if not deployed:
            unit.runs.withdraw_acceptance(run.run_uuid)
            return
        from honeyguide.workspace.version_history import announce

        unit.runs.mark_deployed(run.run_uuid)
        for ref, n in deployed:
            announce(unit, ref, n)

    await core.store.write(settle)
