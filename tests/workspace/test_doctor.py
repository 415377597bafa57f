"""What works here and what does not; reports of crashes; which workspace is meant."""

from __future__ import annotations

import json
import shutil
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from honeyguide.workspace import places
from honeyguide.workspace.crash import KEPT_REPORTS, LONGEST_REPORT, write_crash_report
from honeyguide.workspace.doctor import diagnose_installation
from honeyguide.workspace.settings import Settings
from honeyguide.workspace.views.doctor import Check

pytestmark = pytest.mark.anyio


async def look(path: Path, environ: dict[str, str] | None = None) -> dict[str, Check]:
    report = await diagnose_installation(path, environ=environ or {})
    data = report.to_json()
    assert data["ok"] == all(check["ok"] for check in data["checks"] if check["essential"])
    assert all(check["ok"] or check["remedy"] for check in data["checks"])
    json.dumps(data)
    return {check.name: check for check in report.checks}


@pytest.fixture
def folder(fresh_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(fresh_folder, tmp_path / "workspace"))


async def test_a_sound_workspace_is_sound_and_stays_as_it_is(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    report = await diagnose_installation(folder, environ={"ANTHROPIC_API_KEY": "sk-x"})
    checks = {check.name: check for check in report.checks}
    assert report.ok
    for name in ("python", "resources", "sqlite", "workspace", "settings", "permissions", "versions", "journals"):
        assert checks[name].ok, checks[name].message
    assert checks["models"].ok
    after = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    assert {name: after[name] for name in before} == before


async def test_no_workspace_yet_is_no_failure_of_the_installation(tmp_path):
    checks = await look(tmp_path / "none")
    assert not checks["workspace"].ok
    assert not checks["workspace"].is_essential
    assert "honeyguide init" in checks["workspace"].remedy
    assert not (tmp_path / "none").exists()


async def test_a_damaged_database_is_named_with_a_remedy(folder):
    database = folder / "honeyguide.db"
    data = bytearray(database.read_bytes())
    data[4096 : 4096 * 3] = b"\xff" * 8192
    database.write_bytes(data)
    check = (await look(folder))["workspace"]
    assert not check.ok
    assert check.is_essential
    assert "backup" in check.remedy


async def test_a_file_that_is_no_database_is_named(folder):
    (folder / "honeyguide.db").write_bytes(b"no database at all, but long enough to look like something" * 20)
    assert not (await look(folder))["workspace"].ok


@pytest.mark.parametrize(("revision", "ok", "remedy"), [("9999", False, "Update"), ("0000", True, "backup")])
async def test_a_workspace_of_another_version_is_named(folder, revision, ok, remedy):
    with sqlite3.connect(folder / "honeyguide.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])
    connection.close()
    check = (await look(folder))["workspace"]
    assert (check.ok, remedy in check.remedy) == (ok, True)


async def test_settings_that_cannot_be_read_are_named_once(folder):
    (folder / "honeyguide.toml").write_text("[models\n")
    checks = await look(folder)
    assert not checks["settings"].ok
    assert not checks["models"].ok


async def test_an_unfinished_change_and_a_damaged_journal_are_named(folder):
    (folder / "versions").mkdir(exist_ok=True)
    (folder / "versions" / ".pending.json").write_text("{}")
    (folder / "runs" / "r1").mkdir(parents=True)
    (folder / "runs" / "r1" / "journal.jsonl").write_bytes(b"not a line of a journal\n")
    checks = await look(folder)
    assert not checks["versions"].ok
    assert "r1" in checks["journals"].message


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of files are another matter there")
async def test_files_that_others_can_read_are_named(folder):
    folder.chmod(0o700)
    for path in (folder / "honeyguide.db", folder / "redaction.key"):
        path.chmod(0o600)
    assert (await look(folder))["permissions"].ok
    (folder / "redaction.key").chmod(0o644)
    check = (await look(folder))["permissions"]
    assert "redaction.key" in check.message
    assert check.remedy.startswith("chmod go-rwx")


async def test_models_without_keys_are_named(folder):
    assert (await look(folder))["models"].message == "No model is set up yet."
    settings = Settings(folder / "honeyguide.toml")
    settings.set("models.executor", "openai:gpt-x")
    check = (await look(folder))["models"]
    assert check.remedy == "honeyguide models set-key openai"
    settings.set("models.executor", "ollama:llama3")
    assert (await look(folder))["models"].ok


async def test_the_windows_library_is_tried_in_a_process_of_its_own(tmp_path):
    window = (await look(tmp_path, {"QT_QPA_PLATFORM": "offscreen", "PATH": ""}))["window"]
    assert window.message.startswith("The window can be opened (Qt 6"), window.message
    assert window.ok


def test_a_crash_report_is_private_redacted_and_bounded(tmp_path):
    key = "sk-ant-api03-" + "Zq8Kx2Lm9Wv4Tn7R" * 5 + "-AbCdEfAA"
    text = f"Traceback\n  File /home/ada/shop/x.py\nValueError: {key} jo.doe@acme.dev \udc80\n"
    path = write_crash_report(text)
    written = path.read_text(encoding="utf-8")
    assert path.is_relative_to(places.user_dirs().user_state_path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "ValueError: <anthropic-key-" in written
    for private in (key, "jo.doe", "/home/ada"):
        assert private not in written
    assert len(write_crash_report("x y z\n" * LONGEST_REPORT, folder=tmp_path).read_text()) < LONGEST_REPORT + 1000


def test_only_the_newest_crash_reports_are_kept(tmp_path):
    for number in range(KEPT_REPORTS + 3):
        newest = write_crash_report(f"crash {number}", folder=tmp_path)
    assert len(list(tmp_path.iterdir())) == KEPT_REPORTS
    assert newest.exists()


def test_the_last_opened_workspace_is_remembered_while_it_is_there(folder):
    assert places.last_opened() is None
    places.remember(folder)
    assert places.last_opened() == folder
    shutil.rmtree(folder)
    assert places.last_opened() is None
    assert places.default_path().name == "workspace"
