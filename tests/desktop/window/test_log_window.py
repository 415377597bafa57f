"""The log window: what it shows of a real log, how it is searched, and that it follows and keeps to a bound."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QComboBox, QPlainTextEdit

from honeyguide.desktop import log_lines
from honeyguide.desktop.crash import CrashKeeper
from honeyguide.desktop.log_lines import LogTail, entries_of
from honeyguide.desktop.memory import state_folder
from honeyguide.desktop.widgets.search_field import SearchField
from tests.desktop.drivers import AppDriver, find, key, press, until

LINE = "2026-03-01 10:00:00,000 {} honeyguide.desktop: {}\n"
KEY = "sk-ant-api03-" + "Zq8" * 31 + "AA"


@pytest.fixture
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return state_folder()


@pytest.mark.qt_log_ignore(
    "does not support raise", "does not support propagateSizeHints"
)  # what is drawn without a screen
def test_the_log_is_shown_beside_the_window_followed_searched_and_copied(
    qapp: QApplication, qloop: Any, sample: Path, own_state: Path, expected_logs: pytest.LogCaptureFixture
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, sample).start()
        app.window.trigger("log")
        dialog = await app.dialog("log-window")
        assert dialog.windowModality() == Qt.WindowModality.NonModal
        await until(lambda: find(dialog, "state-view").isVisible(), "the empty state")
        keeper = CrashKeeper(own_state, lambda error, where: None)
        keeper.begin()
        try:
            log = logging.getLogger("honeyguide.desktop")
            log.warning("a <b>slow</b> disk")
            log.error("refused %s\nTraceback: below", KEY)
            text = find(dialog, "log-text", QPlainTextEdit)
            await until(lambda: "refused" in text.toPlainText(), "what was just written")
            assert "a <b>slow</b> disk" in text.toPlainText() and KEY not in text.toPlainText()
            find(dialog, "log-level", QComboBox).setCurrentIndex(2)
            assert "slow" not in text.toPlainText() and "Traceback: below" in text.toPlainText()
            find(dialog, "log-level", QComboBox).setCurrentIndex(0)
            search = find(dialog, "log-search", SearchField)
            search.set_search("SLOW disk")
            assert "refused" not in text.toPlainText() and "slow" in text.toPlainText()
            press(find(dialog, "log-copy"))
            assert QGuiApplication.clipboard().text() == text.toPlainText()
            search.set_search("nowhere")
            assert find(dialog, "state-view").isVisible()
            press(find(dialog, "log-diagnostics"))
            assert str(sample) in QGuiApplication.clipboard().text()
            search.set_search("")
            log.warning("one more")
            await until(lambda: "one more" in text.toPlainText(), "a new line is followed")
        finally:
            keeper.end()
        app.window.trigger("log")
        assert len(app.window.findChildren(type(dialog))) == 1, "a second one instead of the first"
        dialog.resize(dialog.width() + 40, dialog.height() + 30)
        size = dialog.size()
        key(dialog, Qt.Key.Key_Escape)
        await app.gone(dialog)
        app.window.trigger("log")
        again = await app.dialog("log-window")
        assert again.size() == size
        await app.close()

    qloop.run(story())


def test_a_log_is_read_once_across_its_rotation_and_in_whole_lines(tmp_path: Path) -> None:
    log = tmp_path / "window.log"
    tail = LogTail(tmp_path)
    assert tail.read() == []
    log.write_text(LINE.format("ERROR", "one") + "more of it\n" + LINE.format("INFO", "two")[:-9], encoding="utf-8")
    assert [(e.rank, e.text.splitlines()[-1]) for e in tail.read()] == [(40, "more of it")]
    log.write_text(LINE.format("ERROR", "one") + "more of it\n" + LINE.format("INFO", "two"), encoding="utf-8")
    assert [e.text[-3:] for e in tail.read()] == ["two"]
    with log.open("a", encoding="utf-8") as file:
        file.write(LINE.format("INFO", "last of the old"))
    log.rename(tmp_path / "window.log.1")
    log.write_text(LINE.format("WARNING", "first of the new"), encoding="utf-8")
    assert [e.text.partition("desktop: ")[2] for e in tail.read()] == ["last of the old", "first of the new"]
    assert tail.read() == []


def test_what_is_held_of_a_log_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(log_lines, "TAIL_BYTES", 300)
    (tmp_path / "window.log").write_bytes(b"\xff\n" + LINE.format("INFO", "x" * 60).encode() * 50)
    assert 1 <= len(LogTail(tmp_path).read()) <= 3
    assert len(entries_of(LINE.format("INFO", "y" * 100_000))[0].text) < 10_000
    assert len(entries_of(LINE.format("INFO", "z") * 5_000)) == log_lines.MOST_ENTRIES
