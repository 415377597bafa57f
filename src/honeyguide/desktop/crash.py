"""When something fails that nobody foresaw: a report without secrets, and a word about it, now or at the next start."""

from __future__ import annotations

import faulthandler
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from PySide6.QtCore import QMessageLogContext, QtMsgType, qInstallMessageHandler

_log = logging.getLogger("honeyguide.desktop")
_qt_log = logging.getLogger("honeyguide.qt")
_OFFSCREEN_REMARK = "This plugin does not support propagateSizeHints()"
_LEVELS = {
    QtMsgType.QtDebugMsg: logging.DEBUG,
    QtMsgType.QtInfoMsg: logging.INFO,
    QtMsgType.QtWarningMsg: logging.WARNING,
    QtMsgType.QtCriticalMsg: logging.ERROR,
    QtMsgType.QtFatalMsg: logging.CRITICAL,
}
LOG_BYTES = 500_000


def text_of(error: BaseException) -> str:
    """Return an error with its way through the code."""
    return "".join(traceback.format_exception(error))


def write_report(error: BaseException, where: str) -> Path | None:
    """Write a report without secrets and say where; ``None`` when that failed too (then it is in the log)."""
    text = f"Where: {where}\n\n{text_of(error)}"
    try:
        from honeyguide.workspace import write_crash_report

        return Path(write_crash_report(text))
    except (OSError, ImportError):
        _log.exception("The report of an error could not be written")
        return None


def safe_text_of(error: BaseException) -> str:
    """Return what ``text_of`` does, without secrets: for the log, and for what a person copies."""
    return _without_secrets(text_of(error))


class SecretFree(logging.Formatter):
    """Writes records without secrets: what a library says in an error may quote a key."""

    def format(self, record: logging.LogRecord) -> str:
        return _without_secrets(super().format(record))


class CrashKeeper:
    """Catches what would go unseen: errors of slots, of threads, of the interpreter itself.

    Attributes:
        left_behind: the trace of a crash of the interpreter in an earlier start, if there was one.
    """

    def __init__(self, folder: Path, heard: Callable[[BaseException, str], None]) -> None:
        self._folder = folder
        self._heard = heard
        self._file: IO[str] | None = None
        self._handler: logging.Handler | None = None
        self._before: tuple[Any, Any, Any] | None = None
        self.left_behind: Path | None = None

    def begin(self) -> None:
        """Watch from now on. Without a folder to write into, only the hooks work."""
        self._before = (sys.excepthook, threading.excepthook, sys.unraisablehook)
        sys.excepthook = self._on_exception
        threading.excepthook = self._on_thread
        sys.unraisablehook = self._on_unraisable
        qInstallMessageHandler(hear_qt)
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._keep_old(self._folder / "fatal.log")
            self._file = (self._folder / "fatal.log").open("w", encoding="utf-8")
            faulthandler.enable(self._file)
            self._handler = RotatingFileHandler(
                self._folder / "window.log", maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8", delay=True
            )
            self._handler.setFormatter(SecretFree("%(asctime)s %(levelname)s %(name)s: %(message)s"))
            logging.getLogger("honeyguide").addHandler(self._handler)
        except OSError as error:
            _log.info("No log is kept: %s", error)

    def end(self) -> None:
        """Stop watching; a start that ended well leaves nothing behind."""
        if self._before is None:
            return
        sys.excepthook, threading.excepthook, sys.unraisablehook = self._before
        self._before = None
        qInstallMessageHandler(None)
        if self._handler is not None:
            logging.getLogger("honeyguide").removeHandler(self._handler)
            self._handler.close()
        if self._file is not None:
            faulthandler.disable()
            self._file.close()
            self._file = None

    def _keep_old(self, trace: Path) -> None:
        if trace.exists() and trace.stat().st_size:
            kept = trace.with_name(f"fatal-{datetime.now(UTC):%Y%m%d-%H%M%S}.log")
            trace.replace(kept)
            self.left_behind = kept

    def _on_exception(self, kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if isinstance(error, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self._heard(error, "the window")

    def _on_thread(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
            self._heard(args.exc_value, args.thread.name if args.thread else "a thread")

    def _on_unraisable(self, args: sys.UnraisableHookArgs) -> None:
        if args.exc_value is not None:
            _log.error("%s: %s", args.err_msg or "Ignored", text_of(args.exc_value))


def _without_secrets(text: str) -> str:
    """Replace secrets; a text that cannot be looked through is not kept, but for the kind of what it tells of."""
    try:
        from honeyguide.workspace import without_secrets
    except ImportError as error:
        return f"A text is left out: it could not be looked through for secrets ({type(error).__name__})."
    return without_secrets(text)


def hear_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Log what Qt says, but for what it says of every window that is drawn without a screen."""
    if message == _OFFSCREEN_REMARK:
        return
    _qt_log.log(_LEVELS.get(kind, logging.WARNING), "%s", message)
