"""Errors of tasks, slots and threads, shown one after the other: nothing fails unheard."""

from __future__ import annotations

import asyncio
import logging

from honeyguide.desktop.crash import safe_text_of, text_of, write_report
from honeyguide.desktop.dialogs.error import ErrorDialog, details_text
from honeyguide.desktop.said import hint_of, sentence_of
from honeyguide.desktop.window import Window
from honeyguide.kernel.errors import HoneyguideError

_log = logging.getLogger(__name__)
MOST_DIALOGS = 3
"""Errors beyond so many at once are only logged: one cause seldom needs more words."""


class Failures:
    """Attributes:
    seen: every error that was reported, for tests and the smoke run.
    """

    def __init__(self, window: Window) -> None:
        self._window = window
        self._open = 0
        self.seen: list[BaseException] = []

    def take(self, error: BaseException, where: str) -> bool:
        """Note an error; says whether it shall be shown."""
        if isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
            return False
        self.seen.append(error)
        if not isinstance(error, HoneyguideError):
            _log.error("%s: %s", where, text_of(error))  # the log's own formatter leaves secrets out
        if self._open >= MOST_DIALOGS:
            return False
        self._open += 1
        return True

    async def show(self, error: BaseException, where: str) -> None:
        """Show an error that was taken, until the person closes it."""
        try:
            tr = self._window.tr
            if isinstance(error, HoneyguideError):
                sentence, hint, details = sentence_of(error), hint_of(error), details_text(error.code, error.details)
            else:
                report = await asyncio.to_thread(write_report, error, where)
                sentence = tr("Something went wrong that nobody foresaw.")
                hint = tr("Your work is stored. Please try again.")
                if report is not None:
                    said = tr("A report without secrets was written to {path}; nothing was sent.")
                    hint += " " + said.format(path=report)
                details = await asyncio.to_thread(safe_text_of, error)
            await ErrorDialog(sentence, hint, details, self._window).ask()
        finally:
            self._open -= 1
