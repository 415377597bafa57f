"""The public tables, column for column, and the way from one revision to the next."""

from __future__ import annotations

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from honeyguide.kernel.errors import Conflict, Locked, NotFound, Unreadable, Unsupported, Unwritable
from honeyguide.storage import Store, engine, schema
from honeyguide.storage.owners import this_process
from honeyguide.storage.tables import Base

TRACE_COLUMNS = [
    "id", "session_id", "persona_id", "workspace_id", "model", "task_shape", "outcome", "trace_json", "cost_usd",
    "duration_ms", "created_at", "finalized_at",
]  # fmt: skip
RUN_COLUMNS = [
    "id", "run_uuid", "target_kind", "target_name", "baseline_text", "winner_text", "winner_schema_json",
    "delta_accuracy", "gate_verdict", "gate_reasons_json", "status", "artifacts_json", "user_note", "failure_reason",
    "created_at", "decided_at", "deployed_at",
]  # fmt: skip


@pytest.fixture
def raw(store: Store) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        yield connection


@pytest.mark.parametrize(("table", "columns"), [("execution_traces", TRACE_COLUMNS), ("evolution_runs", RUN_COLUMNS)])
def test_public_tables_have_exactly_the_public_columns(raw, table, columns):
    assert [row[1] for row in raw.execute(f"PRAGMA table_info({table})")] == columns


def test_another_program_may_insert_a_trace_and_gets_the_public_defaults(raw):
    raw.execute("INSERT INTO execution_traces (session_id) VALUES ('s1')")
    outcome, payload, cost, duration, created = raw.execute(
        "SELECT outcome, trace_json, cost_usd, duration_ms, created_at FROM execution_traces"
    ).fetchone()
    assert (outcome, payload, cost, duration) == ("pending", "{}", 0.0, 0)
    assert created[10] == "T"
    assert created.endswith("Z")


def test_a_trace_that_another_program_inserted_can_be_read(store, raw):
    raw.execute("INSERT INTO execution_traces (trace_json, outcome) VALUES ('{broken', 'success')")
    (trace,) = store.read_now(lambda unit: unit.traces.query())
    assert trace.payload.input == ""
    assert trace.payload.tool_calls == ()


def test_another_program_may_insert_a_run_and_gets_the_public_defaults(raw):
    raw.execute(
        "INSERT INTO evolution_runs (run_uuid, target_kind, baseline_text, winner_text, gate_verdict) "
        "VALUES ('u', 'generic', 'a', 'b', 'pass')"
    )
    row = raw.execute("SELECT status, gate_reasons_json, delta_accuracy FROM evolution_runs").fetchone()
    assert row == ("proposed", "[]", 0.0)


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO execution_traces (outcome) VALUES ('great')",
        "INSERT INTO evolution_runs (run_uuid, target_kind, baseline_text, winner_text, gate_verdict) "
        "VALUES ('u', 'generic', 'a', 'b', 'warn')",
        "INSERT INTO evolution_runs (run_uuid, target_kind, baseline_text, winner_text, gate_verdict, status) "
        "VALUES ('u', 'generic', 'a', 'b', 'pass', 'resolved')",
    ],
)
def test_values_outside_the_public_lists_are_refused_by_the_database(raw, statement):
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)


def test_migrations_and_models_describe_the_same_tables(store):
    with closing_engine(store.path) as connection:
        context = MigrationContext.configure(
            connection,
            opts={"include_name": lambda name, kind, parents: not (kind == "table" and name.startswith("trace_words"))},
        )
        assert compare_metadata(context, Base.metadata) == []


def test_database_runs_with_write_ahead_log_foreign_keys_and_overwriting_of_deleted_pages(store):
    with closing(engine.connect(store.path, read_only=False)) as connection:
        pragmas = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "foreign_keys", "secure_delete", "busy_timeout")
        }
    assert pragmas == {"journal_mode": "wal", "foreign_keys": 1, "secure_delete": 1, "busy_timeout": 5000}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_folder_and_files_belong_to_their_owner_alone(store):
    store.write_now(lambda unit: unit.events.append("x"))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in store.path.parent.iterdir()}
    assert stat.S_IMODE(store.path.parent.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600}, modes
    assert "honeyguide.db-wal" in modes


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_database_that_others_could_read_is_closed_to_them_on_opening(database):
    Store.open(database, create=True).close()
    database.chmod(0o644)
    Store.open(database).close()
    assert stat.S_IMODE(database.stat().st_mode) == 0o600


def test_opening_nothing_says_how_to_make_a_workspace(database):
    with pytest.raises(NotFound, match="no workspace database"):
        Store.open(database)
    assert not database.parent.exists()


def test_a_file_that_is_no_database_is_refused_and_left_alone(database):
    database.parent.mkdir()
    database.write_bytes(b"This is a letter, not a database.\n" * 200)
    with pytest.raises(Unreadable, match="is damaged"):
        Store.open(database)
    assert database.read_bytes().startswith(b"This is a letter")


def test_a_damaged_page_is_found_on_opening(database):
    with Store.open(database, create=True) as store:
        store.write_now(lambda unit: [unit.events.append("noise", n, filler="x" * 500) for n in range(400)])
    content = bytearray(database.read_bytes())
    content[len(content) // 2 : len(content) // 2 + 6000] = b"\xff" * 6000
    database.write_bytes(content)
    with pytest.raises(Unreadable, match="is damaged"):
        Store.open(database)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(Unwritable, match="cannot be written"):
        Store.open(tmp_path / "file" / "honeyguide.db", create=True)


# --- from one revision to the next


def test_the_revision_that_the_program_names_is_the_newest_of_its_migrations():
    assert schema._scripts(schema.MIGRATIONS).get_current_head() == schema.REVISION


def test_opening_an_up_to_date_workspace_imports_neither_alembic_nor_numpy(database):
    Store.open(database, create=True).close()
    program = (
        "import sys, pathlib; from honeyguide.storage import Store; "
        "Store.open(pathlib.Path(sys.argv[1])).close(); print([m for m in ('alembic', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program, str(database)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.fixture
def next_version(tmp_path: Path) -> Path:
    """The migrations of a later version: one more revision that adds a table."""
    folder = tmp_path / "100% later" / "migrations"
    shutil.copytree(schema.MIGRATIONS, folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / "0002_later.py").write_text(
        "from alembic import op\nimport sqlalchemy as sa\n\nrevision = '0002'\ndown_revision = '0001'\n\n\n"
        "def upgrade() -> None:\n    op.create_table('later', sa.Column('id', sa.Integer(), primary_key=True))\n"
    )
    return folder


def test_an_old_workspace_opens_in_a_new_version_after_a_backup(database, next_version):
    with Store.open(database, create=True) as old:
        old.write_now(lambda unit: unit.settings.put("greeting", "hello"))
    with Store.open(database, migrations=next_version) as new:
        assert new.read_now(lambda unit: unit.settings.get("greeting")) == "hello"
        assert new.backup is not None
        backup = new.backup
    with closing(sqlite3.connect(backup)) as copy:
        assert copy.execute("SELECT version_num FROM alembic_version").fetchone() == ("0001",)
        assert copy.execute("SELECT value FROM settings_kv WHERE key = 'greeting'").fetchone() == ('"hello"',)
    if sys.platform != "win32":
        assert stat.S_IMODE(backup.stat().st_mode) == 0o600


def test_opening_again_makes_no_second_backup(database, next_version):
    Store.open(database, create=True).close()
    Store.open(database, migrations=next_version).close()
    with Store.open(database, migrations=next_version) as again:
        assert again.backup is None
    assert len(list(database.parent.glob("*.backup-*"))) == 1


def test_a_newer_workspace_is_refused_and_left_as_it_is(database, next_version):
    Store.open(database, create=True).close()
    Store.open(database, migrations=next_version).close()
    before = database.read_bytes()
    with pytest.raises(Unsupported, match="newer version of Honeyguide"):
        Store.open(database)
    assert database.read_bytes() == before


def test_a_failing_migration_leaves_the_old_tables(database, next_version):
    Store.open(database, create=True).close()
    script = next_version / "versions" / "0002_later.py"
    script.write_text(script.read_text() + "    op.execute('INSERT INTO nowhere VALUES (1)')\n")
    with pytest.raises(Exception, match="nowhere"):
        Store.open(database, migrations=next_version)
    with Store.open(database) as store:
        store.check()


def test_a_program_that_is_still_open_writes_no_more_after_an_update_of_the_tables(database, next_version):
    with Store.open(database, create=True) as old:
        old.write_now(lambda unit: unit.events.append("before"))
        Store.open(database, migrations=next_version).close()
        with pytest.raises(Conflict, match="updated by a newer version"):
            old.write_now(lambda unit: unit.events.append("after"))
        assert [event.name for event in old.events_since(0)][-1] != "after"


def test_an_update_waits_for_programs_that_hold_a_lease(database, next_version):
    with Store.open(database, create=True) as store:
        store.write_now(lambda unit: unit.leases.acquire("daemon"))
        parent = _parent_identity()
        with closing(sqlite3.connect(database, isolation_level=None)) as connection:
            connection.execute("UPDATE leases SET pid = ?, process_start = ?", parent)
        with pytest.raises(Locked, match="working in it"):
            Store.open(database, migrations=next_version)
        assert list(database.parent.glob("*.backup-*")) == []


def test_back_up_copies_a_database_in_use(store, tmp_path):
    store.write_now(lambda unit: unit.settings.put("greeting", "hello"))
    copy = store.back_up(tmp_path / "copy.db")
    with Store.open(copy) as opened:
        assert opened.read_now(lambda unit: unit.settings.get("greeting")) == "hello"
    with pytest.raises(Unwritable):
        store.back_up(copy)


def _parent_identity() -> tuple[int, str]:
    import os

    from honeyguide.storage.owners import process_start

    return os.getppid(), process_start(os.getppid()) or this_process().start


class closing_engine:
    def __init__(self, path: Path) -> None:
        self.engine = engine.reading_engine(path)

    def __enter__(self):
        self.connection = self.engine.connect()
        return self.connection

    def __exit__(self, *_):
        self.connection.close()
        self.engine.dispose()
