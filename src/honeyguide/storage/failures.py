"""What the database complains about, said so that a person can act on it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy.exc import DBAPIError

from honeyguide.kernel.errors import Conflict, HoneyguideError, InternalError, Locked, Unreadable, Unwritable

_BUSY = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DAMAGED = ("SQLITE_CORRUPT", "SQLITE_NOTADB")
_FULL = ("SQLITE_FULL",)
_CLOSED_TO_US = ("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_AUTH")
_BROKEN_RULE = ("SQLITE_CONSTRAINT",)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """Turn a database's error into one of ours. ``place`` is the database's path, for the sentence.

    Raises:
        Locked: another process kept the database busy for longer than we wait.
        Unreadable: the file is damaged, or is no database.
        Unwritable: it may not be written, or the disk is full.
        Conflict: a rule of the tables (unique, foreign key, check) forbids the change.
        InternalError: an error that nobody foresaw.
    """
    try:
        yield
    except DBAPIError as error:
        raise explained(error.orig if isinstance(error.orig, BaseException) else error, place) from error
    except sqlite3.Error as error:
        raise explained(error, place) from error


@contextmanager
def translated_os(place: Path) -> Iterator[None]:
    """Turn a refusal of the file system into Unwritable."""
    try:
        yield
    except OSError as error:
        raise Unwritable(
            f"{place} cannot be written: {error.strerror or error}.",
            hint="Check that the folder exists, that you may write to it, and that the disk is not full.",
        ) from error


def is_busy(error: BaseException) -> bool:
    """Say whether ``error`` means that another connection holds the lock."""
    original = error.orig if isinstance(error, DBAPIError) else error
    return _name(original).startswith(_BUSY)


def explained(error: BaseException, place: str) -> HoneyguideError:
    """Return the error of ours that says what ``error`` means."""
    name = _name(error)
    if name.startswith(_BUSY):
        return Locked(f"Another program keeps {place} busy.", hint="Wait until it is done, or close it, and try again.")
    if name.startswith(_DAMAGED):
        return damaged(place, str(error))
    if name.startswith(_FULL):
        return Unwritable(
            f"There is no room left to write {place}; nothing was changed.", hint="Free some disk space and try again."
        )
    if name.startswith("SQLITE_IOERR"):
        return Unwritable(
            f"The disk did not take what was written to {place}; nothing was changed.",
            hint="Check free space and the disk's health, then try again.",
            details={"reason": str(error)},
        )
    if name.startswith(_CLOSED_TO_US):
        return Unwritable(
            f"{place} cannot be opened for writing.", hint="Check the permissions of the file and its folder."
        )
    if name.startswith(_BROKEN_RULE):
        return Conflict(f"The change breaks a rule of the database: {error}.")
    return InternalError(f"The database {place} reported: {error}.")


def damaged(place: str, reason: str) -> Unreadable:
    """Return the error that says a database is damaged."""
    return Unreadable(
        f"{place} is damaged.",
        hint="Put back a copy of it (files named honeyguide.db.backup-… stand beside it), or open another workspace.",
        details={"reason": reason},
    )


def _name(error: BaseException | None) -> str:
    return str(getattr(error, "sqlite_errorname", "") or "")
