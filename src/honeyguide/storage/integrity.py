"""Is the file sound? Quick at every opening where that costs nothing, at most once a day where it costs time."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from sqlalchemy import text

from honeyguide.kernel.clock import parse_iso
from honeyguide.storage.failures import damaged
from honeyguide.storage.fulltext import FullTextIndex
from honeyguide.storage.unit import Unit

ALWAYS_BELOW_BYTES = 32 * 1024 * 1024
"""Up to this size a quick check takes a fraction of a second and is made at every opening."""
CHECK_EVERY = timedelta(hours=24)
KEY = "integrity.checked_at"


def check_if_due(unit: Unit, path: Path) -> bool:
    """Check the file's pages and indexes, if it is small or the last noted check is old.

    Returns whether a check is due to be noted (``note_checked``). Raises Unreadable.
    """
    due = _is_due(unit)
    if due or path.stat().st_size <= ALWAYS_BELOW_BYTES:
        _check(unit, path, "quick_check")
    return due


def check_fully(unit: Unit, path: Path, index: FullTextIndex) -> None:
    """Check pages, indexes, references and the search index. Raises Unreadable."""
    _check(unit, path, "integrity_check")
    broken = unit.session.execute(text("PRAGMA foreign_key_check")).fetchall()
    if broken:
        raise damaged(str(path), f"{len(broken)} rows refer to rows that do not exist")
    index.check(unit.session)


def note_checked(unit: Unit) -> None:
    """Remember that the file was checked now."""
    unit.settings.put(KEY, unit.work.now())


def _is_due(unit: Unit) -> bool:
    """Whether the last check was noted more than a day ago, or in the future."""
    last = unit.settings.get(KEY)
    if not isinstance(last, str):
        return True
    return not timedelta(0) <= unit.work.clock.now() - parse_iso(last) < CHECK_EVERY


def _check(unit: Unit, path: Path, pragma: str) -> None:
    complaints = [str(row[0]) for row in unit.session.execute(text(f"PRAGMA {pragma}(10)"))]
    if complaints != ["ok"]:
        raise damaged(str(path), "; ".join(complaints[:3]))
