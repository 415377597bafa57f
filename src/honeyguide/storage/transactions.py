"""Single transactions on the calling thread: one state to read, or one short change, whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection
from sqlalchemy.orm import Session

from honeyguide.kernel.clock import Clock
from honeyguide.kernel.errors import Conflict
from honeyguide.kernel.ids import IdFactory
from honeyguide.storage import engine as connections
from honeyguide.storage import schema
from honeyguide.storage.failures import translated
from honeyguide.storage.fulltext import FullTextIndex
from honeyguide.storage.owners import this_process
from honeyguide.storage.records import Actor
from honeyguide.storage.unit import Unit
from honeyguide.storage.work import Work

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every transaction of one store is given; see ``Work``."""

    clock: Clock
    new_id: IdFactory
    actor: Actor
    instance: str
    index: FullTextIndex


class Transactions:
    """The engines of one store. ``write`` and ``compact`` are called by one thread at a time, ``read`` by any."""

    def __init__(self, path: Path, around: Surroundings) -> None:
        self._path = path
        self._around = around
        self._writing = connections.writing_engine(path)
        self._reading = connections.reading_engine(path)
        self._is_durable = False
        self._schema_version = -1
        self._revision: str | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the tables are known to be those of this program."""
        return self._revision is not None

    def bring_up_to_date(self, migrations: Path) -> Path | None:
        """Migrate the database; return the backup that was made, if any (see ``schema``)."""
        with translated(str(self._path)):
            backup = schema.bring_up_to_date(self._writing, self._path, self._around.clock, migrations)
            with self._reading.connect() as connection, connection.begin():
                self._schema_version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
                self._revision = schema.revision_of(connection)
        return backup

    def read(self, fn: Callable[[Unit], T]) -> T:
        """Run ``fn`` on one state of the data."""
        with (
            translated(str(self._path)),
            self._reading.connect() as connection,
            connection.begin(),
            Session(connection, expire_on_commit=False) as session,
        ):
            return fn(self._unit(session, None))

    def write(self, fn: Callable[[Unit], T], actor: Actor | None = None, *, durable: bool = False) -> T:
        """Run ``fn`` in one transaction that holds the write lock. Raises Conflict when newer tables stand there."""
        with translated(str(self._path)), self._writing.connect() as connection:
            if durable != self._is_durable:
                _raw(connection, f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
                self._is_durable = durable
            with connection.begin():
                self._refuse_new_tables(connection)
                with Session(connection, expire_on_commit=False) as session:
                    result = fn(self._unit(session, actor))
                    session.flush()
        return result

    def compact(self) -> bool:
        """Rewrite the file and empty its log; ``False`` when a reader kept the log in use."""
        with translated(str(self._path)), self._writing.connect() as connection:
            _raw(connection, "VACUUM")
            busy = _raw(connection, "PRAGMA wal_checkpoint(TRUNCATE)")[0]
            return bool(busy == 0)

    def say_goodbye(self) -> None:
        """Give back the store's leases and let SQLite note what it learnt about the tables.

        Where that is not possible (busy, or updated by a newer program) the leases end with the process.
        """
        with suppress(Conflict):
            self.write(lambda unit: unit.leases.release_all())
            with translated(str(self._path)), self._writing.connect() as connection:
                _raw(connection, "PRAGMA optimize")

    def dispose(self) -> None:
        """Close every connection; the writing one last, so that it can empty the log."""
        self._reading.dispose()
        self._writing.dispose()

    def _unit(self, session: Session, actor: Actor | None) -> Unit:
        around = self._around
        work = Work(session, around.clock, around.new_id, actor or around.actor, around.instance, this_process())
        return Unit(work, around.index)

    def _refuse_new_tables(self, connection: Connection) -> None:
        """A newer program may have updated the tables meanwhile; this one must not write by old rules then."""
        version = connection.exec_driver_sql("PRAGMA schema_version").scalar_one()
        if version == self._schema_version:
            return
        if schema.revision_of(connection) != self._revision:
            raise Conflict(
                "The workspace was updated by a newer version of Honeyguide meanwhile.",
                hint="Close this program and open the workspace again with the newer version.",
            )
        self._schema_version = version


def _raw(connection: Connection, statement: str) -> tuple[Any, ...]:
    """Run a statement outside of any transaction; return its first row."""
    raw = connection.connection.dbapi_connection
    assert raw is not None
    with closing(raw.cursor()) as cursor:
        cursor.execute(statement)
        return tuple(cursor.fetchone() or ())
