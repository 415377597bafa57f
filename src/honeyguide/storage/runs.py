"""The public run table: proposals and their five states. Every transition is guarded by the present state."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select, update

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.storage.attempts import AttemptsRepository
from honeyguide.storage.mapping import fetch, fetch_one, select_record, values
from honeyguide.storage.records import ALL_RUNS, RunDraft, RunFilter, RunRecord, RunStatus
from honeyguide.storage.tables import EvolutionRunRow
from honeyguide.storage.text import moment
from honeyguide.storage.work import Work

DEFAULT_LIMIT = 50
MAX_LIMIT = 500
_LEADING_INTEGER = re.compile(r"\s*([+-]?\d{1,18})")
_R = EvolutionRunRow


def clamped_limit(limit: int | str | None) -> int:
    """Return the limit of a list: 1 to 500; what is missing, 0 or no number means 50, a negative one 1."""
    if isinstance(limit, str):
        found = _LEADING_INTEGER.match(limit)
        limit = int(found[1]) if found else None
    return max(1, min(MAX_LIMIT, limit or DEFAULT_LIMIT))


class RunsRepository:
    """Creates, lists and moves runs. A method that changes a run returns it as it now is, or raises."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def create(self, draft: RunDraft, *, rejected_because: str | None = None) -> RunRecord:
        """Store a proposal, or one that the gates or the verification turned down at once.

        Args:
            rejected_because: then the row is rejected from the beginning, with this as its note; nobody decided it.

        Raises:
            Conflict: there is a run with this uuid.
        """
        if draft.gate_verdict not in ("pass", "fail"):
            raise InvalidInput(f"A gate verdict is pass or fail, not {draft.gate_verdict!r}.")
        if self.get(draft.run_uuid) is not None:
            raise Conflict(f"There is already a run {draft.run_uuid}.")
        now = self._work.now()
        decided: dict[str, Any] = {"status": RunStatus.PROPOSED.value}
        if rejected_because is not None:
            decided = {"status": RunStatus.REJECTED.value, "user_note": rejected_because, "decided_at": now}
        self._work.change(insert(_R).values(**values(draft), created_at=now, **decided))
        AttemptsRepository(self._work).mirror_new_run(draft, decided["status"])
        self._work.event("run:created", draft.run_uuid, status=decided["status"], target=_target(draft))
        return self.require(draft.run_uuid)

    # --- transitions

    def accept(self, uuid: str, note: str | None = None) -> RunRecord:
        """proposed -> accepted. Raises NotFound, Conflict."""
        changes = {"decided_at": self._work.now()} | ({} if note is None else {"user_note": note})
        run = self._move(uuid, (RunStatus.PROPOSED,), RunStatus.ACCEPTED, "accepted", changes)
        self._work.decision("run", uuid, "accepted", note)
        return run

    def reject(self, uuid: str, reason: str | None = None) -> RunRecord:
        """proposed -> rejected. Raises NotFound, Conflict."""
        changes = {"decided_at": self._work.now()} | ({} if reason is None else {"user_note": reason})
        run = self._move(uuid, (RunStatus.PROPOSED,), RunStatus.REJECTED, "rejected", changes)
        self._work.decision("run", uuid, "rejected", reason)
        return run

    def withdraw_acceptance(self, uuid: str) -> RunRecord:
        """accepted -> proposed: nothing was written (the file was stale or locked, or the process died before).

        Raises NotFound, Conflict.
        """
        changes = {"decided_at": None}
        return self._move(uuid, (RunStatus.ACCEPTED,), RunStatus.PROPOSED, "returned to review", changes)

    def mark_deployed(self, uuid: str) -> RunRecord:
        """accepted -> deployed. Raises NotFound, Conflict."""
        changes = {"deployed_at": self._work.now(), "failure_reason": None}
        return self._move(uuid, (RunStatus.ACCEPTED,), RunStatus.DEPLOYED, "deployed", changes)

    def mark_failed(self, uuid: str, reason: str) -> RunRecord:
        """accepted -> failed: the deploy began and threw. Raises NotFound, Conflict."""
        changes = {"deployed_at": self._work.now(), "failure_reason": reason}
        return self._move(uuid, (RunStatus.ACCEPTED,), RunStatus.FAILED, "marked failed", changes)

    def retry(self, uuid: str) -> RunRecord:
        """failed -> accepted, to deploy once more. Raises NotFound, Conflict."""
        changes = {"deployed_at": None, "failure_reason": None}
        run = self._move(uuid, (RunStatus.FAILED,), RunStatus.ACCEPTED, "retried", changes)
        self._work.decision("run", uuid, "retried")
        return run

    def remeasured(self, uuid: str, delta: float) -> None:
        """Enter the gain that more evidence showed; the state stays. Raises Conflict when it was decided meanwhile."""
        proposed = RunStatus.PROPOSED.value
        statement = update(_R).where(_R.run_uuid == uuid, _R.status == proposed).values(delta_accuracy=delta)
        if not self._work.change(statement):
            raise Conflict(f"Run {uuid} was decided meanwhile.", hint="Its proof stays as it was.")
        self._work.event("run:remeasured", uuid, delta=delta)

    # --- reading

    def get(self, uuid: str) -> RunRecord | None:
        """Return one run."""
        return fetch_one(self._session, select_record(_R, RunRecord).where(_R.run_uuid == uuid), RunRecord)

    def require(self, uuid: str) -> RunRecord:
        """Return one run. Raises NotFound."""
        run = self.get(uuid)
        if run is None:
            raise NotFound("Run not found", hint="See: honeyguide runs list", details={"run": uuid})
        return run

    def list(self, wanted: RunFilter = ALL_RUNS) -> tuple[RunRecord, ...]:
        """Return runs, newest first."""
        statement = select_record(_R, RunRecord).where(*_conditions(wanted))
        statement = statement.order_by(_R.created_at.desc(), _R.id.desc())
        return tuple(
            fetch(self._session, statement.limit(clamped_limit(wanted.limit)).offset(wanted.offset), RunRecord)
        )

    def count(self, wanted: RunFilter = ALL_RUNS) -> int:
        """Return how many runs match; the limit plays no part."""
        return self._session.scalar(select(func.count(_R.id)).where(*_conditions(wanted))) or 0

    def status_counts(self, wanted: RunFilter = ALL_RUNS) -> dict[RunStatus, int]:
        """Return how many runs are in each state, all five keys present; ``wanted.statuses`` plays no part."""
        statement = select(_R.status, func.count(_R.id)).where(*_conditions(wanted, statuses=False))
        counts = dict.fromkeys(RunStatus, 0)
        for status, count in self._session.execute(statement.group_by(_R.status)):
            counts[RunStatus(status)] = count
        return counts

    def unfinished(self) -> tuple[RunRecord, ...]:
        """Return accepted runs whose deploy was neither done nor failed: what a crash left for the next open."""
        statement = select_record(_R, RunRecord).where(_R.status == RunStatus.ACCEPTED.value)
        return tuple(fetch(self._session, statement.order_by(_R.id), RunRecord))

    # --- inside

    def _move(
        self, uuid: str, allowed: Sequence[RunStatus], to: RunStatus, done: str, changes: dict[str, Any]
    ) -> RunRecord:
        statement = (
            update(_R)
            .where(_R.run_uuid == uuid, _R.status.in_([status.value for status in allowed]))
            .values(status=to.value, **changes)
        )
        changed = self._work.change(statement)
        run = self.require(uuid)
        if changed != 1:
            raise Conflict(
                f'Run is in status "{run.status}" — only {allowed[0].value} runs can be {done}',
                details={"run": uuid, "status": run.status},
            )
        AttemptsRepository(self._work).mirror_status(uuid, to.value)
        self._work.event(f"run:{to.value}", uuid)
        return run


def _conditions(wanted: RunFilter, *, statuses: bool = True) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if statuses and wanted.statuses:
        conditions.append(_R.status.in_([str(status) for status in wanted.statuses]))
    if wanted.target_kind is not None:
        conditions.append(_R.target_kind == wanted.target_kind)
    if wanted.target_name is not None:
        conditions.append(_R.target_name == wanted.target_name)
    if wanted.since is not None:
        conditions.append(_R.created_at >= moment(wanted.since))
    return conditions


def _target(draft: RunDraft) -> str:
    return f"{draft.target_kind}:{draft.target_name or ''}"
