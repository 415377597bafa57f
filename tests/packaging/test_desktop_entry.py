"""A menu entry for a program that came as a wheel, and the double click on an exported review."""

from __future__ import annotations

import configparser
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from honeyguide.cli import desktop_entry, open_review
from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable, Unsupported
from honeyguide.workspace import exported_reviews

pytestmark = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="entries of freedesktop systems")
Command = Callable[..., Any]


@pytest.fixture
def command() -> Command:
    app = typer.Typer()

    @app.callback()
    def _root() -> None:
        return

    desktop_entry.register(app)
    open_review.register(app)
    return lambda *arguments: CliRunner().invoke(app, list(arguments), catch_exceptions=False)


@pytest.fixture
def data_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data home"))
    return tmp_path / "data home"


def entry(path: Path) -> configparser.SectionProxy:
    parser = configparser.RawConfigParser()
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(path, encoding="utf-8")
    return parser["Desktop Entry"]


def test_install_writes_entry_icons_and_type_and_remove_takes_them_away(command, data_home) -> None:
    assert command("desktop-entry", "install", "--json").exit_code == 0
    made = entry(data_home / "applications" / "honeyguide.desktop")
    assert made["Icon"] == "honeyguide" and made["Exec"]
    assert (data_home / "icons/hicolor/48x48/apps/honeyguide.png").read_bytes().startswith(b"\x89PNG")
    assert (data_home / "icons/hicolor/scalable/apps/honeyguide.svg").is_file()
    assert "honeyguide-review" in (data_home / "mime/packages/honeyguide.xml").read_text()
    (data_home / "applications" / "mine.desktop").write_text("")
    assert command("desktop-entry", "remove").exit_code == 0
    left = {path.name for path in data_home.rglob("honeyguide*")}
    assert left == set()
    assert (data_home / "applications" / "mine.desktop").is_file(), "what is not ours stays"


def test_installing_twice_changes_nothing_and_removing_nothing_is_said(command, data_home) -> None:
    assert "There was no entry" in command("desktop-entry", "remove").stdout
    assert command("desktop-entry", "install").exit_code == 0
    before = {path: path.read_bytes() for path in data_home.rglob("honeyguide*") if path.is_file()}
    assert command("desktop-entry", "install").exit_code == 0
    assert {path: path.read_bytes() for path in data_home.rglob("honeyguide*") if path.is_file()} == before


def test_the_installed_entry_passes_the_validator(command, data_home) -> None:
    validator = shutil.which("desktop-file-validate")
    if validator is None:
        pytest.skip("desktop-file-validate is not installed")
    command("desktop-entry", "install")
    files = [str(path) for path in (data_home / "applications").glob("*.desktop")]
    done = subprocess.run([validator, *files], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "path",
    ["/usr/bin/honeyguide", "/home/ann lee/bin/honeyguide", '/opt/a"b/x', "/opt/$HOME/x", "/opt/100%/x", "/opt/`id`/x"],
)
def test_the_command_survives_the_two_levels_of_quoting(path: str) -> None:
    line = desktop_entry.with_command("Exec=honeyguide open %f\n", (path, "-m", "honeyguide"))
    text = line.removeprefix("Exec=").strip().replace("\\\\", "\\")  # the string type of the file
    words = text.replace("%%", "\x01").replace("%f", "FILE").replace("\x01", "%")
    heard = subprocess.run(["sh", "-c", f"printf '%s\\n' {words}"], capture_output=True, text=True, check=True).stdout
    assert heard.splitlines() == [path, "-m", "honeyguide", "open", "FILE"]


def test_the_entry_starts_the_program_that_was_called(tmp_path: Path, monkeypatch) -> None:
    script = tmp_path / "honeyguide"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    assert desktop_entry.own_command(str(script), "/usr/bin/python3") == (str(script),)
    assert desktop_entry.own_command("/x/pytest", "/usr/bin/python3") == ("/usr/bin/python3", "-m", "honeyguide")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert desktop_entry.own_command("honeyguide", "/opt/hg/honeyguide") == ("/opt/hg/honeyguide",)


def test_other_systems_say_where_entries_come_from(monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(Unsupported, match="installer"):
        desktop_entry.install()


def page(body: str = "<p>fine</p>") -> str:
    from honeyguide.workspace import exporting

    return exporting._HEAD.format(title="persona: Better, proven", style="") + body + "</body></html>"


def test_a_review_is_shown_as_a_page(command, tmp_path: Path, monkeypatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(open_review.webbrowser, "open", lambda url: opened.append(url) or True)
    file = tmp_path / "coder.honeyguide-review"
    file.write_text(page(), encoding="utf-8")
    assert command("open", str(file)).exit_code == 0
    assert opened[0].startswith("file://") and opened[0].endswith("coder.html")
    copy = Path(opened[0].removeprefix("file://"))
    assert copy.read_text(encoding="utf-8") == page()
    assert copy.parent.stat().st_mode & 0o077 == 0
    shutil.rmtree(copy.parent)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<html><script>alert(1)</script></html>",
        page().replace("default-src 'none'", "default-src *"),
        page().replace('<meta charset="utf-8">', '<meta charset="utf-8"><script>alert(1)</script>'),
        page().replace("<meta http-equiv", "<script>alert(1)</script><meta http-equiv"),
    ],
)
def test_a_page_that_does_not_begin_as_ours_is_not_shown(text: str, tmp_path: Path) -> None:
    file = tmp_path / "x.honeyguide-review"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match="is not a review"):
        exported_reviews.read_review(file)


def test_a_missing_or_binary_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        exported_reviews.read_review(tmp_path / "none")
    (tmp_path / "b").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Unreadable):
        exported_reviews.read_review(tmp_path / "b")
