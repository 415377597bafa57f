"""What is left behind: interrupted runs are closed, old proposals removed, forgotten words made unreadable."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from honeyguide.flows.applying import recover_one
from honeyguide.flows.children import end_leftovers
from honeyguide.flows.deciding import Outcome, OutcomeCode, decision_json
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.home import RUN_ID, FlowHome
from honeyguide.flows.jobs import JobBook
from honeyguide.flows.keeping import reopen
from honeyguide.flows.runs import AT_WORK, LINEAGE, FlowRun, RunStatus
from honeyguide.kernel.clock import parse_iso
from honeyguide.kernel.errors import Conflict, InvalidInput, Locked
from honeyguide.versions.atomic import write_atomically

FORGOTTEN = "(forgotten)"


@dataclass(frozen=True, slots=True)
class Recovered:
    """A run that was closed or finished at the start."""

    run: FlowRun
    children_ended: int


def recover(desk: FlowDesk) -> list[Recovered]:
    """Close what a dead process left at work; call it when a workspace is opened. Blocking.

    Its children are ended, its lock is free already, its problems are open again, and the run says that it was
    interrupted. Applies and rollbacks that were cut short are finished or undone.
    """
    done: list[Recovered] = []
    runs, _ = desk.runs.all()
    for run in runs:
        if run.is_imported:
            continue
        try:
            if run.status in (RunStatus.APPLYING, RunStatus.ROLLING_BACK):
                done.append(Recovered(recover_one(desk, run), 0))
            elif run.status in AT_WORK:
                done.append(_interrupted(desk, run))
        except Locked:
            continue  # a living process is at it
    for folder in _eval_folders(desk.home):
        if not desk.home.is_locked(folder.parent.name):
            end_leftovers(folder)
            shutil.rmtree(folder / "workspaces", ignore_errors=True)
    return done


def _eval_folders(home: FlowHome) -> list[Path]:
    """Return the folders of past runs of suites: ``evals/<flow id>/<time>``."""
    root = home.root / "evals"
    return [path for path in sorted(root.glob("*/*")) if path.is_dir() and not path.is_symlink()]


def _interrupted(desk: FlowDesk, run: FlowRun) -> Recovered:
    with desk.home.locked(run.flow_id, f"closing {run.id}"):
        run = desk.runs.get(run.id)
        if run.status not in AT_WORK:
            return Recovered(run, 0)
        folder = desk.home.run(run.id)
        ended = end_leftovers(folder)
        shutil.rmtree(folder / "workspaces", ignore_errors=True)
        outcome = Outcome(
            RunStatus.INTERRUPTED, OutcomeCode.INTERRUPTED, f"The program ended while it was {run.status}."
        )
        with contextlib.suppress(Conflict):
            desk.runs.artifact(run.id, "decision.json", decision_json(outcome, None, None, None))
        run = desk.runs.move(
            run, RunStatus.INTERRUPTED, reason=outcome.reason, reason_code=outcome.code.value,
            outcome=RunStatus.INTERRUPTED.value,
        )  # fmt: skip
        reopen(desk, run)
        desk.on_change("flow:run-finished", {"runId": run.id, "status": run.status.value})
        return Recovered(run, ended)


@dataclass(frozen=True, slots=True)
class Pruned:
    """What was removed."""

    days: float
    runs: tuple[str, ...]
    jobs: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Return ``{"days", "runs", "jobs"}``."""
        return {"days": self.days, "runs": list(self.runs), "jobs": list(self.jobs)}


def prune(desk: FlowDesk, days: float = 30, *, dry: bool = False) -> Pruned:
    """Remove proposals that were not applied and are older than ``days``, and the records of ended jobs. Blocking.

    What rolling back may need stays. Problems that this would leave without their waiting proposal are open again;
    those that a person or another run decided are left alone.
    """
    if not 0 <= days <= 36_500:
        raise InvalidInput(f"{days} days make no sense.", hint="Use a number from 0.")
    limit = desk.clock.now() - timedelta(days=days)
    removed: list[str] = []
    for run in desk.runs.all()[0]:
        if run.status in LINEAGE or parse_iso(run.updated_at) > limit:
            continue
        if run.status in AT_WORK and (not run.is_imported and desk.home.is_locked(run.flow_id)):
            continue
        if not dry:
            reopen(desk, run)
            shutil.rmtree(desk.home.run(run.id))
        removed.append(run.id)
    if not dry:
        for folder in _eval_folders(desk.home):
            if folder.stat().st_mtime < limit.timestamp() and not desk.home.is_locked(folder.parent.name):
                shutil.rmtree(folder)
    jobs = JobBook(desk.home, desk.clock).prune(limit, dry=dry)
    if removed and not dry:
        desk.on_change("flow:pruned", {"runs": len(removed)})
    return Pruned(days, tuple(removed), tuple(jobs))


def forget_words(home: FlowHome, feedback_id: str, words: Sequence[str]) -> int:
    """Make a forgotten problem unreadable in drafts, runs, receipts and jobs; returns how many files changed.

    Files that rolling back needs (the flow's own text before and after) are not touched; everywhere else each value
    that holds the message is replaced as a whole.
    """
    changed = 0
    draft = home.drafts / f"{feedback_id}.eval-case.yaml"
    if draft.exists():
        draft.unlink()
        changed += 1
    secrets = [word for word in words if word and word.strip()]
    for path in _files(home):
        changed += _without(path, feedback_id, secrets)
    return changed


def _files(home: FlowHome) -> list[Path]:
    found: list[Path] = []
    for folder in sorted(home.runs.glob("evr_*")) if home.runs.is_dir() else []:
        if RUN_ID.fullmatch(folder.name):
            kinds = (".json", ".jsonl") if _is_needed(folder) else (".json", ".jsonl", ".md", ".diff")
            found += [p for p in sorted(folder.iterdir()) if p.is_file() and p.suffix in kinds]
    for root in (home.receipts, home.jobs, home.root / "evals"):
        if root.is_dir():
            found += [p for p in sorted(root.rglob("*")) if p.is_file() and p.suffix in (".json", ".jsonl", ".log")]
    return found


def _is_needed(folder: Path) -> bool:
    """Say whether rolling back may still need the texts of a run; one whose state cannot be read is spared."""
    try:
        return json.loads((folder / "state.json").read_bytes()).get("status") in {status.value for status in LINEAGE}
    except (OSError, ValueError, AttributeError):
        return True


def _without(path: Path, feedback_id: str, secrets: Sequence[str]) -> int:
    data = path.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    spelled = [json.dumps(secret, ensure_ascii=ascii_)[1:-1] for secret in secrets for ascii_ in (False, True)]
    if not any(word in text for word in [*secrets, *spelled]):
        return 0
    if path.suffix == ".json":
        try:
            value = _cleaned(json.loads(text), feedback_id, secrets)
        except ValueError:
            value = None
        if value is not None:
            write_atomically(path, (json.dumps(value, indent=2, ensure_ascii=False) + "\n").encode())
            return 1
    lines = []
    for line in text.splitlines(keepends=True):
        if any(word in line for word in [*secrets, *spelled]):
            try:
                cleaned = json.dumps(_cleaned(json.loads(line), feedback_id, secrets), ensure_ascii=False)
                line = f"{cleaned}\n"
            except ValueError:
                line = f"{FORGOTTEN}\n"
        lines.append(line)
    write_atomically(path, "".join(lines).encode("utf-8", "surrogateescape"))
    return 1


def _cleaned(value: Any, feedback_id: str, secrets: Sequence[str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _cleaned(item, feedback_id, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [_cleaned(item, feedback_id, secrets) for item in value]
    if isinstance(value, str) and any(secret in value for secret in secrets):
        return FORGOTTEN
    return value
