"""Imports pyqtgraph in a thread and says when it is there."""

from __future__ import annotations

import importlib
import sys
import threading
from typing import Any

from PySide6.QtCore import QObject, Signal

_done = threading.Event()


def library() -> Any | None:
    """Return pyqtgraph if it has been imported completely, else ``None``."""
    return sys.modules.get("pyqtgraph") if _done.is_set() else None


def load_now() -> Any:
    """Import pyqtgraph here and now; for threads, tests and benchmarks."""
    module = importlib.import_module("pyqtgraph")
    module.setConfigOptions(antialias=False, useOpenGL=False)
    _done.set()
    return module


class LibraryLoader(QObject):
    """One attempt to import; lives until it is over.

    Signals:
        loaded(), failed(sentence): on the thread that made this object.
    """

    loaded = Signal()
    failed = Signal(str)

    def start(self) -> None:
        """Begin, in a thread of its own."""
        threading.Thread(target=self._run, name="import-pyqtgraph", daemon=True).start()

    def _run(self) -> None:
        try:
            load_now()
            said = ""
        except ImportError as error:
            said = str(error)
        try:
            if said:
                self.failed.emit(said)
            else:
                self.loaded.emit()
        except RuntimeError:
            return  # The program ended while the import was going on.
