"""A workspace of the first released revision opens in this version, after a backup when its tables change."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import tarfile
from pathlib import Path
from typing import Any

import pytest

from honeyguide.storage import Store, schema
from tests.packaging.make_fixture import FIXTURE, REVISION, held

LATER = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{newest}"


def upgrade() -> None:
    op.create_table("of_a_later_version", sa.Column("id", sa.Integer(), primary_key=True))
    op.add_column("feedback", sa.Column("of_a_later_version", sa.Text(), nullable=True))
"""


@pytest.fixture
def old(tmp_path: Path) -> tuple[Path, dict[str, Any]]:
    """The workspace as it was left, and what it held."""
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(tmp_path, filter="data")
    return tmp_path / "workspace", json.loads((tmp_path / "expected.json").read_text())


def files(path: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(path)): file.read_bytes()
        for file in sorted(path.rglob("*"))
        if file.is_file() and ".db" not in file.name and not file.name.endswith(".lock")
    }


def backups(path: Path) -> list[Path]:
    return [file for file in path.glob("honeyguide.db.backup-*") if not file.name.endswith(("-wal", "-shm"))]


def revision(database: Path) -> str:
    with contextlib.closing(sqlite3.connect(database)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])


def test_it_opens_with_everything_it_held_and_a_backup_where_tables_changed(old) -> None:
    path, expected = old
    before = files(path)
    assert held(path, expected["run"]) == expected
    assert {name: data for name, data in files(path).items() if name in before} == before
    made = backups(path)
    if schema.newest_revision() == REVISION:
        assert made == []
    else:
        assert [revision(file) for file in made] == [REVISION]


def test_a_version_with_new_tables_opens_it_after_a_backup(old, tmp_path: Path) -> None:
    path, expected = old
    newest = schema.newest_revision()
    later = Path(shutil.copytree(schema.MIGRATIONS, tmp_path / "later", ignore=shutil.ignore_patterns("__pycache__")))
    (later / "versions" / "9999_of_a_later_version.py").write_text(LATER.format(newest=newest))
    original = path / "honeyguide.db"
    with contextlib.closing(sqlite3.connect(original)) as database:
        traces = database.execute("SELECT id, session_id FROM execution_traces ORDER BY id").fetchall()
    assert len(traces) == expected["traces"]
    Store.open(original, migrations=later).close()
    assert revision(original) == "9999"
    (backup,) = backups(path)
    assert revision(backup) == REVISION
    for kept in (original, backup):
        with contextlib.closing(sqlite3.connect(kept)) as database:
            assert database.execute("SELECT id, session_id FROM execution_traces ORDER BY id").fetchall() == traces
    shutil.copyfile(backup, original)
    assert held(path, expected["run"]) == expected, "the backup is a way back"
