"""Looks at a database file without changing it: no migration, no repair, no note that it was looked at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from honeyguide.storage import schema
from honeyguide.storage.engine import reading_engine, require_file
from honeyguide.storage.failures import translated


@dataclass(frozen=True, slots=True)
class Examination:
    """What a look at the file showed.

    Attributes:
        revision, newest: of its tables, and of those this program makes; ``None`` for an empty file.
        complaints: what SQLite finds wrong with it; empty when it is sound.
        size: bytes.
    """

    revision: str | None
    newest: str
    complaints: tuple[str, ...]
    size: int

    @property
    def is_current(self) -> bool:
        """Whether its tables are those of this program."""
        return self.revision == self.newest


def examine(path: Path) -> Examination:
    """Look at a database file. Raises NotFound, Unreadable, Unwritable, Locked."""
    require_file(path)
    engine = reading_engine(path, size=1)
    try:
        with translated(str(path)), engine.connect() as connection, connection.begin():
            revision = schema.revision_of(connection)
            found = [str(row[0]) for row in connection.exec_driver_sql("PRAGMA quick_check(3)")]
    finally:
        engine.dispose()
    complaints = () if found == ["ok"] else tuple(found)
    return Examination(revision, schema.newest_revision(), complaints, path.stat().st_size)
