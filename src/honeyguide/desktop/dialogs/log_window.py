"""The log: what the window wrote down, without secrets, as plain text that follows what is added."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.diagnostics import diagnostics_text
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.log_lines import MOST_ENTRIES, LogEntry, LogTail
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Type
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateStack

READ_MS = 1000


class LogWindow(Dialog):
    """Stands beside the window, which stays usable; is deleted when it is closed."""

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None, folder: Path) -> None:
        super().__init__("log-window", desk.window.tr("Log"), parent, wide=96, high=28)
        self.setWindowModality(Qt.WindowModality.NonModal)
        self._desk, self._folder = desk, folder
        self._tasks = tasks.child("log")
        self._tail = LogTail(folder)
        self._entries: deque[LogEntry] = deque(maxlen=MOST_ENTRIES)
        self._words = ""
        self._make_body()
        self._make_buttons()
        self._stack.show_loading(self.tr("Reading the log…"))
        self._timer = QTimer(self)
        self._timer.setInterval(READ_MS)
        self._timer.timeout.connect(self._read)
        self._timer.start()
        self.finished.connect(self._on_finished)
        self._read()
        size = desk.memory.get("log.size")
        is_size = isinstance(size, list) and len(size) == 2 and all(type(n) is int and n > 0 for n in size)
        self.resize(QSize(*size).boundedTo(self._room()) if is_size else self.sizeHint())

    def _make_body(self) -> None:
        self._level = named(QComboBox(), "log-level", self.tr("Which entries"))
        for words, rank in (
            (self.tr("Everything"), 0),
            (self.tr("Warnings and errors"), logging.WARNING),
            (self.tr("Errors only"), logging.ERROR),
        ):
            self._level.addItem(words, rank)
        self._level.currentIndexChanged.connect(lambda _: self._show_all())
        self._search = SearchField("log-search", self.tr("Find in the log"))
        self._search.searched.connect(self._on_search)
        self._text = named(QPlainTextEdit(), "log-text", self.tr("Log"))
        self._text.setReadOnly(True)
        self._text.setFont(Metrics.font(Type.MONO))
        self._text.setMaximumBlockCount(20 * MOST_ENTRIES)
        self._text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self._search.left_down.connect(self._text.setFocus)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(self._search, 1)
        row.addWidget(self._level)
        self.body.addLayout(row)
        self._stack = StateStack(self._text)
        self.body.addWidget(self._stack, 1)

    def _make_buttons(self) -> None:
        copy = self.add_button(self.tr("Copy"), "log-copy", icon="copy", left=True)
        copy.setToolTip(self.tr("What is chosen; without a choice, all that is shown."))
        copy.clicked.connect(self._copy)
        facts = self.add_button(self.tr("Copy diagnostics"), "log-diagnostics", icon="info", left=True)
        facts.clicked.connect(lambda: QGuiApplication.clipboard().setText(diagnostics_text(self._desk.workspace.path)))
        place = self.add_button(self.tr("Open its folder"), "log-folder", icon="folder", left=True)
        place.clicked.connect(self._open_folder)
        close = self.add_button(self.tr("Close"), "log-close", look=Look.PRIMARY)
        close.setAutoDefault(False)
        close.clicked.connect(self.close)

    # --- inside

    def _read(self) -> None:
        async def load() -> list[LogEntry]:
            return await asyncio.to_thread(self._tail.read)

        if not self._tasks.running():
            self._tasks.latest("log", load, self._take, failed=self._fail)

    def _take(self, new: list[LogEntry]) -> None:
        is_full = len(self._entries) + len(new) > MOST_ENTRIES
        self._entries.extend(new)
        shown = [entry for entry in new if self._fits(entry)]
        if is_full or self._stack.currentWidget() is not self._text:
            self._show_all()
        elif shown:
            self._text.appendPlainText(_said(shown))  # stays at the end when the end is in sight

    def _show_all(self) -> None:
        shown = [entry for entry in self._entries if self._fits(entry)]
        if shown:
            bar = self._text.verticalScrollBar()
            was_at_end = self._stack.currentWidget() is not self._text or bar.value() >= bar.maximum()
            place = bar.value()
            self._text.setPlainText(_said(shown))
            self._stack.show_content()
            bar.setValue(bar.maximum() if was_at_end else place)
        elif self._entries:
            self._stack.show_empty(self.tr("No entry fits"), self.tr("Search for other words, or show everything."))
        else:
            self._stack.show_empty(
                self.tr("Nothing was written down"),
                self.tr("Warnings and errors of the window will stand here. None has happened."),
                icon="check",
            )

    def _fail(self, error: Exception) -> None:
        self._stack.show_error(self.tr("The log cannot be read."), str(self._folder), details=str(error))

    def _fits(self, entry: LogEntry) -> bool:
        return entry.fits(int(self._level.currentData()), self._words)

    def _on_search(self, words: str) -> None:
        self._words = words
        self._show_all()

    def _copy(self) -> None:
        is_chosen = self._text.textCursor().hasSelection()
        if is_chosen:
            self._text.copy()
        elif self._stack.currentWidget() is self._text:
            QGuiApplication.clipboard().setText(self._text.toPlainText())

    def _open_folder(self) -> None:
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder))):
            self._desk.notify.note(self.tr("The log is in {folder}.").format(folder=self._folder))

    def _on_finished(self, _: int) -> None:
        self._timer.stop()
        self._tasks.close()
        self._desk.memory.set("log.size", [self.width(), self.height()])
        self.deleteLater()


def _said(entries: list[LogEntry]) -> str:
    return "\n".join(block(entry.text) for entry in entries)
