"""Leases: what only one process may do at a time. A dead owner's lease on this host is taken over at once."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, insert, update

from honeyguide.kernel.clock import parse_iso
from honeyguide.kernel.errors import Locked
from honeyguide.storage.mapping import fetch, fetch_one, select_record
from honeyguide.storage.owners import ProcessIdentity, is_alive
from honeyguide.storage.records import LeaseRecord
from honeyguide.storage.tables import LeaseRow
from honeyguide.storage.work import Work

HEARTBEAT_SECONDS = 10.0
STALE_SECONDS = 60.0
"""After this long without a heartbeat an owner on another host counts as gone."""

DAEMON = "daemon"
SERVER = "server"


def run_lease(target_kind: str, target_name: str | None) -> str:
    """Return the name of the lease for a run on one target."""
    return f"run:{target_kind}:{target_name or ''}"


class LeasesRepository:
    """Acquires, renews and releases leases of this store."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def acquire(self, name: str) -> LeaseRecord:
        """Take the lease. Taking one's own again renews it.

        Raises:
            Locked: another process holds it and lives.
        """
        work = self._work
        held = self.holder(name)
        if held is not None and held.owner != work.instance and self.is_live(held):
            raise Locked(
                f"Process {held.pid} on {held.host} is already doing this ({name}) since {held.acquired_at}.",
                hint="Wait until it is done, or stop it.",
                details={"lease": name, "pid": held.pid, "host": held.host, "way": held.way, "since": held.acquired_at},
            )
        if held is not None and held.owner == work.instance:
            self.beat(name)
            return self._require(name)
        if held is not None:
            work.session.execute(delete(LeaseRow).where(LeaseRow.name == name))
        now = work.now()
        work.session.execute(
            insert(LeaseRow).values(
                name=name,
                owner=work.instance,
                pid=work.process.pid,
                host=work.process.host,
                process_start=work.process.start,
                way=work.actor.way,
                acquired_at=now,
                heartbeat_at=now,
            )
        )
        work.event("lease:acquired", name, taken_over_from=held.pid if held else None)
        return self._require(name)

    def beat(self, name: str) -> bool:
        """Say that the owner lives. Returns whether the lease is still ours."""
        work = self._work
        changed = work.change(
            update(LeaseRow)
            .where(LeaseRow.name == name, LeaseRow.owner == work.instance)
            .values(heartbeat_at=work.now())
        )
        return changed == 1

    def release(self, name: str) -> bool:
        """Give the lease back; one that is not ours stays. Returns whether it was ours."""
        work = self._work
        changed = work.change(delete(LeaseRow).where(LeaseRow.name == name, LeaseRow.owner == work.instance))
        if changed:
            work.event("lease:released", name)
        return changed == 1

    def release_all(self) -> int:
        """Give back every lease of this store; returns how many."""
        return self._work.change(delete(LeaseRow).where(LeaseRow.owner == self._work.instance))

    def holder(self, name: str) -> LeaseRecord | None:
        """Return who holds the lease, living or not."""
        return fetch_one(
            self._work.session, select_record(LeaseRow, LeaseRecord).where(LeaseRow.name == name), LeaseRecord
        )

    def live(self) -> tuple[LeaseRecord, ...]:
        """Return the leases whose owners live."""
        rows = fetch(self._work.session, select_record(LeaseRow, LeaseRecord).order_by(LeaseRow.name), LeaseRecord)
        return tuple(row for row in rows if self.is_live(row))

    def is_live(self, lease: LeaseRecord) -> bool:
        """Say whether the owner lives: by its process on this host, by its heartbeat elsewhere."""
        alive = is_alive(ProcessIdentity(lease.pid, lease.host, lease.process_start))
        if alive is not None:
            return alive
        return self._work.clock.now() - parse_iso(lease.heartbeat_at) < timedelta(seconds=STALE_SECONDS)

    def _require(self, name: str) -> LeaseRecord:
        held = self.holder(name)
        assert held is not None
        return held
