"""Every run, whatever came of it: what is under way, what was skipped, and the rows of the run table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, delete, func, insert, or_, select, tuple_, update

from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.storage.leases import LeasesRepository, run_lease
from honeyguide.storage.mapping import AnySelect, columns, escaped_like, fetch, fetch_one, select_record, values
from honeyguide.storage.records import ALL_ATTEMPTS, AttemptFilter, AttemptRecord, RunDraft, RunKey
from honeyguide.storage.tables import AttemptRow, CancelRequestRow
from honeyguide.storage.text import moment
from honeyguide.storage.work import Work

RUNNING = "running"
PROPOSED = "proposed"
INTERRUPTED = "interrupted"
STATES = (
    RUNNING, PROPOSED, "skipped-trigger", "skipped-gates", "skipped-delta", "aborted",
    "inconclusive", "failed", INTERRUPTED,
)  # fmt: skip
SHOWN_STATES = (*STATES, "accepted", "rejected", "deployed")
RESUMABLE = (INTERRUPTED, "aborted", "failed", "inconclusive")
FIGURES = frozenset(
    {
        "finding", "delta", "interval_low", "interval_high", "gate_verdict", "failed_gate", "needs_note",
        "can_accept", "model", "baseline_sha256",
        "dataset_hash", "calls", "replayed_calls", "input_tokens", "output_tokens", "cost_usd", "seed", "options",
        "progress",
    }
)  # fmt: skip
"""What ``note`` and ``finish`` may set."""

_A = AttemptRow


class AttemptsRepository:
    """Starts, follows and ends attempts."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    # --- the life of an attempt

    def start(self, attempt: AttemptRecord) -> AttemptRecord:
        """Store an attempt as running, owned by this store. Raises Conflict when the uuid is taken."""
        if self.get(attempt.uuid) is not None:
            raise Conflict(f"There is already a run {attempt.uuid}.")
        now = self._work.now()
        row = values(attempt) | {
            "state": RUNNING,
            "shown_state": RUNNING,
            "started_at": moment(attempt.started_at) if attempt.started_at else now,
            "heartbeat_at": now,
            "owner": self._work.instance,
        }
        self._work.change(insert(_A).values(**row))
        self._work.event("attempt:started", attempt.uuid, target=f"{attempt.target_kind}:{attempt.target_name or ''}")
        return self.require(attempt.uuid)

    def progress(self, uuid: str, phase: str, progress: dict[str, Any] | None = None, **figures: Any) -> bool:
        """Say where a running attempt stands; also its heartbeat. Returns ``False`` when it does not run (any more)."""
        changes = {"phase": phase, "heartbeat_at": self._work.now(), **_checked(figures)}
        if progress is not None:
            changes["progress"] = progress
        statement = update(_A).where(_A.uuid == uuid, _A.state == RUNNING).values(**changes)
        changed = self._work.change(statement)
        if changed:
            self._work.event("attempt:progress", uuid, phase=phase)
        return changed == 1

    def beat(self, uuid: str) -> bool:
        """Say that a running attempt lives, without an event. Returns ``False`` when it does not run (any more)."""
        statement = update(_A).where(_A.uuid == uuid, _A.state == RUNNING).values(heartbeat_at=self._work.now())
        return self._work.change(statement) == 1

    def note(self, uuid: str, **figures: Any) -> AttemptRecord:
        """Set figures (see ``FIGURES``) of an attempt in any state. Raises NotFound."""
        statement = update(_A).where(_A.uuid == uuid).values(**_checked(figures))
        self._work.change(statement)
        self._work.event("attempt:changed", uuid)
        return self.require(uuid)

    def finish(self, uuid: str, state: str, reason: str | None = None, **figures: Any) -> AttemptRecord:
        """End a running attempt. Raises NotFound, or Conflict when it ended already."""
        if state not in STATES or state == RUNNING:
            raise InvalidInput(f"{state!r} is no end of a run.")
        attempt = self.require(uuid)
        if attempt.state not in (RUNNING, PROPOSED):
            raise Conflict(f"Run {uuid} has ended already: {attempt.state}.")
        now = self._work.now()
        changes = {
            "state": state,
            "shown_state": _shown(state, attempt.run_status),
            "reason": reason,
            "finished_at": now,
            "heartbeat_at": now,
            **_checked(figures),
        }
        self._work.change(update(_A).where(_A.uuid == uuid).values(**changes))
        self.clear_cancel(uuid)
        self._work.event("attempt:finished", uuid, state=state)
        return self.require(uuid)

    def resume(self, uuid: str) -> AttemptRecord:
        """Make an interrupted, aborted, failed or inconclusive attempt run again, owned by this store.

        Raises:
            NotFound: there is none.
            Conflict: it runs, or its end leaves nothing to resume.
        """
        attempt = self.require(uuid)
        if attempt.state not in RESUMABLE or attempt.run_status is not None:
            raise Conflict(
                f"Run {uuid} is {attempt.shown_state}; there is nothing to resume.",
                details={"run": uuid, "state": attempt.shown_state},
            )
        changes = {
            "state": RUNNING,
            "shown_state": RUNNING,
            "reason": None,
            "finished_at": None,
            "heartbeat_at": self._work.now(),
            "owner": self._work.instance,
        }
        self._work.change(update(_A).where(_A.uuid == uuid).values(**changes))
        self.clear_cancel(uuid)
        self._work.event("attempt:resumed", uuid)
        return self.require(uuid)

    def sweep(self) -> tuple[str, ...]:
        """Mark as interrupted what runs no more: running attempts whose owner holds no living lease on their target."""
        live = {lease.name: lease.owner for lease in LeasesRepository(self._work).live()}
        rows = self._session.execute(
            select(_A.uuid, _A.target_kind, _A.target_name, _A.owner).where(_A.state == RUNNING)
        ).all()
        dead = [uuid for uuid, kind, name, owner in rows if live.get(run_lease(kind, name)) != owner]
        now = self._work.now()
        for uuid in dead:
            self._work.change(
                update(_A)
                .where(_A.uuid == uuid)
                .values(
                    state=INTERRUPTED,
                    shown_state=INTERRUPTED,
                    finished_at=now,
                    reason="Its process ended before the run did; what was paid for is kept.",
                )
            )
            self._work.event("attempt:finished", uuid, state=INTERRUPTED)
        return tuple(dead)

    # --- cancelling

    def request_cancel(self, uuid: str) -> None:
        """Ask a running attempt to stop; it reads this between two model calls. Raises NotFound, Conflict."""
        attempt = self.require(uuid)
        if attempt.state != RUNNING:
            raise Conflict(f"Run {uuid} is not running: it is {attempt.shown_state}.")
        actor = self._work.actor
        self._session.merge(CancelRequestRow(subject=uuid, at=self._work.now(), way=actor.way, os_user=actor.os_user))
        self._work.event("attempt:cancel-requested", uuid)
        self._work.decision("run", uuid, "cancel-requested")

    def is_cancel_requested(self, uuid: str) -> bool:
        """Say whether somebody asked it to stop."""
        statement = select(CancelRequestRow.subject).where(CancelRequestRow.subject == uuid)
        return self._session.execute(statement).first() is not None

    def clear_cancel(self, uuid: str) -> None:
        """Forget the wish to stop."""
        self._work.change(delete(CancelRequestRow).where(CancelRequestRow.subject == uuid))

    # --- reading

    def get(self, uuid: str) -> AttemptRecord | None:
        """Return one attempt."""
        return fetch_one(self._session, select_record(_A, AttemptRecord).where(_A.uuid == uuid), AttemptRecord)

    def require(self, uuid: str) -> AttemptRecord:
        """Return one attempt. Raises NotFound."""
        attempt = self.get(uuid)
        if attempt is None:
            raise NotFound("Run not found", hint="See: honeyguide runs list", details={"run": uuid})
        return attempt

    def list(
        self, wanted: AttemptFilter = ALL_ATTEMPTS, *, limit: int = 100, offset: int = 0
    ) -> tuple[AttemptRecord, ...]:
        """Return attempts, the newest first: a screen of the run table."""
        statement = _newest_first(select_record(_A, AttemptRecord).where(*_conditions(wanted)))
        return tuple(fetch(self._session, statement.limit(limit).offset(offset), AttemptRecord))

    def many(self, uuids: Sequence[str]) -> dict[str, AttemptRecord]:
        """Return the attempts with these uuids: the visible rows of a table that is sorted by its keys."""
        found: dict[str, AttemptRecord] = {}
        for start in range(0, len(uuids), 500):
            statement = select_record(_A, AttemptRecord).where(_A.uuid.in_(uuids[start : start + 500]))
            found |= {attempt.uuid: attempt for attempt in fetch(self._session, statement, AttemptRecord)}
        return found

    def keys(
        self, wanted: AttemptFilter = ALL_ATTEMPTS, *, after: RunKey | None = None, limit: int = 5000
    ) -> tuple[RunKey, ...]:
        """Return a chunk of the thin index of the run table, newest first; ``after`` ends the chunk before."""
        statement = select(*columns(_A, RunKey)).where(*_conditions(wanted))
        if after is not None:
            statement = statement.where(tuple_(_A.started_at, _A.id) < tuple_(after.started_at, after.id))
        return tuple(fetch(self._session, _newest_first(statement).limit(limit), RunKey))

    def count(self, wanted: AttemptFilter = ALL_ATTEMPTS) -> int:
        """Return how many attempts match."""
        return self._session.scalar(select(func.count(_A.id)).where(*_conditions(wanted))) or 0

    def state_counts(self, wanted: AttemptFilter = ALL_ATTEMPTS) -> dict[str, int]:
        """Return how many attempts show each state, every state present; ``wanted.states`` plays no part."""
        statement = select(_A.shown_state, func.count(_A.id)).where(*_conditions(wanted, states=False))
        counts = dict.fromkeys(SHOWN_STATES, 0)
        for state, count in self._session.execute(statement.group_by(_A.shown_state)):
            counts[state] = count
        return counts

    def last_of(self, target_kind: str, target_name: str | None) -> AttemptRecord | None:
        """Return the newest attempt on a target."""
        found = self.list(AttemptFilter(target_kind=target_kind, target_name=target_name), limit=1)
        return found[0] if found else None

    # --- the mirror of the public table, kept by ``RunsRepository``

    def mirror_new_run(self, draft: RunDraft, status: str) -> None:
        """Note that the attempt has a row in the public table; make the attempt if the run came without one."""
        known = self.get(draft.run_uuid)
        now = self._work.now()
        if known is None:
            record = AttemptRecord(draft.run_uuid, draft.target_kind, draft.target_name, started_at=now)
            row = values(record) | {"state": PROPOSED, "shown_state": PROPOSED, "heartbeat_at": now, "finished_at": now}
            self._work.change(insert(_A).values(**row))
        state = PROPOSED if known is None else known.state
        if status == PROPOSED and state == RUNNING:
            state = PROPOSED
        changes = {
            "state": state,
            "run_status": status,
            "shown_state": _shown(state, status),
            "delta": draft.delta_accuracy,
            "gate_verdict": draft.gate_verdict,
        }
        self._work.change(update(_A).where(_A.uuid == draft.run_uuid).values(**changes))

    def mirror_status(self, uuid: str, status: str) -> None:
        """Note the new state of the run in the public table."""
        attempt = self.require(uuid)
        changes = {"run_status": status, "shown_state": _shown(attempt.state, status)}
        self._work.change(update(_A).where(_A.uuid == uuid).values(**changes))


def _shown(state: str, run_status: str | None) -> str:
    return run_status if state == PROPOSED and run_status is not None else state


def _checked(figures: dict[str, Any]) -> dict[str, Any]:
    unknown = set(figures) - FIGURES
    if unknown:
        raise InvalidInput(f"An attempt has no figure {sorted(unknown)[0]!r}.")
    return figures


def _newest_first(statement: AnySelect) -> AnySelect:
    return statement.order_by(_A.started_at.desc(), _A.id.desc())


def _conditions(wanted: AttemptFilter, *, states: bool = True) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = []
    if states and wanted.states:
        conditions.append(_A.shown_state.in_([str(state) for state in wanted.states]))
    if wanted.target_kind is not None:
        conditions.append(_A.target_kind == wanted.target_kind)
    if wanted.target_name is not None:
        conditions.append(_A.target_name == wanted.target_name)
    if wanted.since is not None:
        conditions.append(_A.started_at >= moment(wanted.since))
    for word in wanted.words.split():
        pattern = escaped_like(word)
        conditions.append(
            or_(*(part.ilike(pattern, escape="\\") for part in (_A.target_name, _A.target_kind, _A.reason, _A.uuid)))
        )
    return conditions
