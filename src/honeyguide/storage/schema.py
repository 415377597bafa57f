"""The schema's revisions: bring an old database up to date after a backup, refuse a newer one."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from honeyguide.kernel.clock import Clock
from honeyguide.kernel.errors import InternalError, Locked, Unsupported
from honeyguide.storage.engine import connect
from honeyguide.storage.failures import damaged, translated, translated_os
from honeyguide.storage.owners import ProcessIdentity, is_alive

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

MIGRATIONS = Path(__file__).parent / "migrations"
REVISION = "0001"
"""The newest revision in ``MIGRATIONS``: with it an up-to-date database opens without importing Alembic (150 ms)."""


def revision_of(connection: Connection) -> str | None:
    """Return the revision of the database, or ``None`` for an empty one."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def newest_revision(folder: Path = MIGRATIONS) -> str:
    """Return the newest revision in a folder of migrations. Raises InternalError when there is none."""
    if folder == MIGRATIONS:
        return REVISION
    head = _scripts(folder).get_current_head()
    if head is None:
        raise InternalError("The database migrations that ship with Honeyguide are missing.", hint="Install it again.")
    return head


def bring_up_to_date(engine: Engine, path: Path, clock: Clock, folder: Path = MIGRATIONS) -> Path | None:
    """Migrate the database to the newest revision, in one transaction that holds the write lock.

    Two processes that open an old workspace at once do it one after the other; the second finds nothing to do.

    Returns:
        The backup that was made first, or ``None`` when nothing old was changed.

    Raises:
        Unsupported: the database was written by a newer version.
        Locked: other processes work in the workspace and would meet tables that they do not know.
    """
    newest = newest_revision(folder)
    with engine.connect() as connection:
        raw = connection.connection.dbapi_connection
        assert raw is not None
        raw.cursor().execute("PRAGMA foreign_keys=OFF")
        try:
            with connection.begin():
                current = revision_of(connection)
                if current == newest:
                    return None
                _refuse_unknown(_scripts(folder), current, path)
                backup = None
                if current is not None:
                    _refuse_while_used(connection, path)
                    backup = back_up(path, _backup_name(path, current, clock))
                _upgrade(folder, connection)
                broken = connection.exec_driver_sql("PRAGMA foreign_key_check").fetchall()
                if broken:
                    raise damaged(str(path), f"{len(broken)} rows refer to rows that do not exist")
                return backup
        finally:
            raw.cursor().execute("PRAGMA foreign_keys=ON")


def back_up(path: Path, target: Path) -> Path:
    """Copy the database to ``target`` (0600), consistent even while others write. Refuses to overwrite.

    Raises:
        Unreadable: the copy cannot be made.
    """
    with translated_os(target):
        os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    with (
        translated(str(target)),
        contextlib.closing(connect(path, read_only=True)) as source,
        contextlib.closing(sqlite3.connect(target, isolation_level=None)) as copy,
    ):
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE").close()
    with translated_os(target):
        descriptor = os.open(target, os.O_RDWR)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if sys.platform != "win32":
            target.chmod(0o600)
    return target


def _refuse_unknown(scripts: ScriptDirectory, current: str | None, path: Path) -> None:
    known = {script.revision for script in scripts.walk_revisions()}
    if current is not None and current not in known:
        raise Unsupported(
            f"{path} was written by a newer version of Honeyguide.",
            hint="Update Honeyguide to open it; it was left as it is.",
            details={"revision": current},
        )


def _refuse_while_used(connection: Connection, path: Path) -> None:
    """An old program that runs now would write rows by the old rules into the new tables."""
    rows = connection.exec_driver_sql("SELECT name, pid, host, process_start FROM leases").fetchall()
    mine = os.getpid()
    users = [
        (name, pid) for name, pid, host, start in rows if pid != mine and is_alive(ProcessIdentity(pid, host, start))
    ]
    if users:
        name, pid = users[0]
        raise Locked(
            f"{path} needs an update of its tables, but process {pid} is working in it ({name}).",
            hint="Close the other Honeyguide program, then open the workspace again.",
        )


def _backup_name(path: Path, revision: str, clock: Clock) -> Path:
    stamp = f"{clock.now():%Y%m%dT%H%M%S}"
    name = f"{path.name}.backup-{revision}-{stamp}"
    target = path.with_name(name)
    count = 1
    while target.exists():
        count += 1
        target = path.with_name(f"{name}-{count}")
    return target


def _upgrade(folder: Path, connection: Connection) -> None:
    from alembic import command

    command.upgrade(_config(folder, connection), "head")


def _scripts(folder: Path) -> ScriptDirectory:
    from alembic.script import ScriptDirectory

    return ScriptDirectory.from_config(_config(folder))


def _config(folder: Path, connection: Connection | None = None) -> Config:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "newline")
    config.attributes["connection"] = connection
    return config
