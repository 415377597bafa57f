"""The window's start: one instance, one loop, one main coroutine that ends with an orderly shutdown.

What is heavy (the workspace, the pages) is imported in a thread after the first paint; the model SDKs and pyqtgraph
when they are first needed. Nothing here imports them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

os.environ.setdefault("QT_API", "pyside6")

import qasync
from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QApplication

from honeyguide import __version__
from honeyguide.desktop.application import Application
from honeyguide.desktop.crash import CrashKeeper
from honeyguide.desktop.memory import Memory, memory_file, state_folder
from honeyguide.desktop.single_instance import SingleInstance
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch, icon
from honeyguide.desktop.translating import install_language
from honeyguide.desktop.window import Window

WORKERS = 6


class HoneyguideApplication(QApplication):
    """Signals:
    file_opened(path): the system handed a file to the program (macOS).
    """

    file_opened = Signal(str)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FileOpen:
            self.file_opened.emit(event.file())  # type: ignore[attr-defined]
            return True
        return super().event(event)


def main(workspace: Path, *, smoke: bool = False, file: Path | None = None) -> int:
    """Open the window on a workspace and return the exit code.

    Args:
        workspace: its folder; when it holds none, the window offers three ways to begin.
        smoke: walk through every page off screen and end; 0 when nothing went wrong.
        file: is opened in it, or in the window of the workspace that stands already.
    """
    if smoke:
        os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = make_application()
    instance = SingleInstance(workspace, app)
    if not smoke and not instance.claim(file):
        return 0
    memory = Memory(None if smoke else memory_file(workspace))
    install_language(app, memory.get("language"))
    choice = memory.text("theme", "system")
    theme = ThemeSwitch(app, ThemeChoice(choice) if choice in set(ThemeChoice) else ThemeChoice.SYSTEM)
    window = Window()
    if not smoke:
        window.use_memory(memory)
    window.show()
    app.processEvents()
    return _serve(app, window, theme, workspace, instance, smoke=smoke, file=file)


def make_application() -> HoneyguideApplication:
    """Return the application object, made at the first call."""
    known = QApplication.instance()
    if isinstance(known, HoneyguideApplication):
        return known
    app = HoneyguideApplication(sys.argv[:1])
    app.setApplicationName("honeyguide")
    app.setApplicationDisplayName("Honeyguide")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("honeyguide")
    app.setQuitOnLastWindowClosed(False)
    app.setWindowIcon(icon("bee"))
    return app


def _serve(
    app: HoneyguideApplication,
    window: Window,
    theme: ThemeSwitch,
    workspace: Path,
    instance: SingleInstance,
    *,
    smoke: bool,
    file: Path | None,
) -> int:
    executor = ThreadPoolExecutor(WORKERS, thread_name_prefix="honeyguide-window")
    loop = qasync.QEventLoop(app)
    loop.set_default_executor(executor)
    asyncio.set_event_loop(loop)
    application = Application(app, workspace, window, theme)
    loop.set_exception_handler(lambda _loop, context: application.fail(_error_of(context), str(context.get("message"))))
    keeper = CrashKeeper(state_folder(), lambda error, where: loop.call_soon_threadsafe(application.fail, error, where))
    instance.raise_wanted.connect(application.come_forward)
    instance.file_wanted.connect(application.open_file)
    if file is not None:
        application.open_file(file)
    app.file_opened.connect(lambda path: application.open_file(Path(path)))
    if not smoke:
        keeper.begin()
        application.keeper = keeper
    restore = _heed_signals(application)
    try:
        with loop:
            if smoke:
                from honeyguide.desktop.smoke import walk

                return int(loop.run_until_complete(walk(application)))
            loop.run_until_complete(application.run())
            return 0
    finally:
        restore()
        instance.close()
        keeper.end()
        executor.shutdown(wait=False, cancel_futures=True)
        asyncio.set_event_loop(None)


def _heed_signals(application: Application) -> Callable[[], None]:
    """Close in order when the system ends the session or a person presses Ctrl+C; returns what undoes this.

    Python handles a signal when it next runs: the collector of the window wakes it twice a second.
    """
    names = ("SIGINT", "SIGTERM", "SIGHUP")
    known = [getattr(signal, name) for name in names if hasattr(signal, name)]
    before = {number: signal.signal(number, lambda *_: application.leave()) for number in known}

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore


def _error_of(context: dict[str, Any]) -> BaseException:
    error = context.get("exception")
    return error if isinstance(error, BaseException) else RuntimeError(str(context.get("message")))
