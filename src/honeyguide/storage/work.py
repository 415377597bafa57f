"""One piece of work on the database: a session, who does it, and the event that each change leaves behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import CursorResult, Executable, insert
from sqlalchemy.orm import Session

from honeyguide.kernel.clock import Clock, iso
from honeyguide.kernel.ids import IdFactory
from honeyguide.storage.owners import ProcessIdentity
from honeyguide.storage.records import Actor
from honeyguide.storage.tables import DecisionRow, EventRow


@dataclass(frozen=True, slots=True)
class Work:
    """What a repository works with, inside one transaction.

    Attributes:
        session: the session of this transaction.
        clock, new_id: time and ids, passed in.
        actor: who causes the changes.
        instance: id of the store, the ``origin`` of its events.
        process: identity of the process, for leases.
    """

    session: Session
    clock: Clock
    new_id: IdFactory
    actor: Actor
    instance: str
    process: ProcessIdentity

    def now(self) -> str:
        """Return the present moment in the database's spelling."""
        return iso(self.clock.now())

    def change(self, statement: Executable) -> int:
        """Run an insert, update or delete; return how many rows it changed."""
        result = self.session.execute(statement, execution_options={"synchronize_session": False})
        return cast("CursorResult[*tuple[Any, ...]]", result).rowcount

    def event(self, name: str, subject: str | int = "", **data: Any) -> None:
        """Append an event to this transaction. ``data`` holds ids and figures, never text of a trace."""
        self.session.execute(
            insert(EventRow).values(
                at=self.now(), name=name, subject=str(subject), data=data, origin=self.instance, way=self.actor.way
            )
        )

    def decision(
        self, subject_kind: str, subject: str | int, decision: str, note: str | None = None, **details: Any
    ) -> None:
        """Keep who decided what, by which way; part of this transaction."""
        self.session.execute(
            insert(DecisionRow).values(
                at=self.now(),
                subject_kind=subject_kind,
                subject=str(subject),
                decision=decision,
                way=self.actor.way,
                os_user=self.actor.os_user,
                note=note,
                details=details,
            )
        )
