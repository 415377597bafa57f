"""What every test of the window has: a theme in force, a loop when asked for, and guards against what is left over.

A test fails when it leaves a timer, an animation, a thread, a window or a task alive, when Qt warns, or when
something is logged at WARNING or above. The message says where the left-over thing was started.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
import time
import traceback
import weakref
from collections.abc import Awaitable, Callable, Generator, Iterator
from typing import Any, TypeVar

import pytest
import qasync
import shiboken6
from PySide6.QtCore import QAbstractAnimation, QCoreApplication, QEvent, QObject, QThread, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from honeyguide.desktop.theme import Scheme, apply_theme, derive

ResultT = TypeVar("ResultT")
_OFFSCREEN = r"This plugin does not support propagateSizeHints\(\)"
"""The offscreen platform says this of every window with a least size; it means nothing."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "tests/desktop" in item.path.as_posix():
            item.add_marker(pytest.mark.qt_log_ignore(_OFFSCREEN, extend=True))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Collect garbage on this thread only, as the window does (decision 0098).

    What a test left behind may hold Qt objects; a worker thread of the next one, already while its fixtures are made,
    would destroy them, and the next timer or event would crash the tests. pytest lets go of a test's fixtures after its
    teardown, so what they hold in circles is garbage only here; a test of another folder may come next.
    """
    if "tests/desktop" not in item.path.as_posix():
        return (yield)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()  # what is alive between two tests belongs to all of them: the next look need not go through it
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    gc.collect()


@pytest.fixture(autouse=True)
def _theme(qapp: QApplication) -> None:
    """Begin every test in light."""
    light = derive(Scheme.LIGHT)
    from honeyguide.desktop.theme import active_theme

    if active_theme() != light or not qapp.styleSheet():
        apply_theme(qapp, light)


@pytest.fixture(autouse=True)
def no_leaks(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Fail when the test leaves something running or a window open."""
    started: dict[type, list[tuple[weakref.ref[QObject], str]]] = {QTimer: [], QThread: [], QAbstractAnimation: []}

    def watch(kind: type, method: str, base: type) -> None:
        original = getattr(kind, method)

        def start(self: Any, *args: Any, **kwargs: Any) -> Any:
            where = "".join(traceback.format_list(traceback.extract_stack(limit=5)[:-1]))
            started[base].append((weakref.ref(self), where))
            return original(self, *args, **kwargs)

        monkeypatch.setattr(kind, method, start)

    watch(QTimer, "start", QTimer)
    watch(QThread, "start", QThread)
    watch(QAbstractAnimation, "start", QAbstractAnimation)
    windows_before = {id(widget) for widget in QApplication.topLevelWidgets()}
    threads_before = set(threading.enumerate())
    yield
    _settle()
    left = _running(started) + _windows(windows_before) + _threads(threads_before)
    assert not left, "the test left something alive:\n" + "\n".join(left)


@pytest.fixture(autouse=True)
def no_stray_logs(request: pytest.FixtureRequest, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail on a log of WARNING or above; a test that expects one takes the fixture ``expected_logs``."""
    yield
    if "expected_logs" in request.fixturenames:
        return
    stray = [f"{r.name}: {r.getMessage()}" for r in caplog.get_records("call") if r.levelno >= logging.WARNING]
    assert not stray, "the test logged: " + "; ".join(stray)


@pytest.fixture
def expected_logs(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """Say that this test logs on purpose, and look at what it logged."""
    return caplog


class QtLoop:
    """A loop of Qt and asyncio for one test; ``run`` finishes a coroutine, ``errors`` holds what was lost."""

    def __init__(self, app: QApplication) -> None:
        self.loop = qasync.QEventLoop(app)
        asyncio.set_event_loop(self.loop)
        self.errors: list[dict[str, Any]] = []
        self.loop.set_exception_handler(lambda _loop, context: self.errors.append(context))

    def run(self, work: Awaitable[ResultT], timeout: float = 5.0) -> ResultT:
        async def bounded() -> ResultT:
            async with asyncio.timeout(timeout):
                return await work

        return self.loop.run_until_complete(bounded())

    def close(self) -> list[str]:
        """End the loop; return the names of tasks that were still running."""
        left = [task for task in asyncio.all_tasks(self.loop) if not task.done()]
        for task in left:
            task.cancel()
        if left:
            self.loop.run_until_complete(asyncio.wait(left, timeout=1))
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()
        asyncio.set_event_loop(None)
        return [task.get_name() for task in left]


@pytest.fixture
def qloop(qapp: QApplication) -> Iterator[QtLoop]:
    """A loop in which coroutines of the window run. In it, await events; never call ``qtbot.wait…``."""
    loop = QtLoop(qapp)
    yield loop
    left = loop.close()
    assert not left, f"tasks were left running: {left}"
    assert not loop.errors, f"errors were lost in tasks: {loop.errors}"


@pytest.fixture
def shown(qtbot: Any) -> Callable[..., Any]:
    """Show a widget at a size, let it paint, and close it after the test."""

    def show(widget: QWidget, width: int = 1000, height: int = 600) -> QWidget:
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        qtbot.waitExposed(widget)
        QCoreApplication.processEvents()
        return widget

    return show


def _settle() -> None:
    for _ in range(3):
        QCoreApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    QCoreApplication.processEvents()


def _running(started: dict[type, list[tuple[weakref.ref[QObject], str]]]) -> list[str]:
    left: list[str] = []
    for kind, entries in started.items():
        for reference, where in entries:
            thing = reference()
            if thing is None or not shiboken6.isValid(thing):
                continue
            if isinstance(thing, QTimer) and thing.isActive():
                left.append(f"a timer, started at\n{where}")
            elif isinstance(thing, QThread) and thing.isRunning():
                left.append(f"a thread, started at\n{where}")
            elif isinstance(thing, QAbstractAnimation) and thing.state() == QAbstractAnimation.State.Running:
                left.append(f"an animation, started at\n{where}")
        assert kind
    return left


def _windows(before: set[int]) -> list[str]:
    left = [w for w in QApplication.topLevelWidgets() if id(w) not in before and shiboken6.isValid(w)]
    if any(not widget.isVisible() for widget in left):
        gc.collect()
        _settle()
        left = [w for w in QApplication.topLevelWidgets() if id(w) not in before and shiboken6.isValid(w)]
    return [f"a window: {type(w).__name__} {w.objectName()!r}" for w in left if w.parent() is None]


def _threads(before: set[threading.Thread]) -> list[str]:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        left = [t for t in threading.enumerate() if t not in before and not t.daemon]
        left += [t for t in threading.enumerate() if t not in before and t.name == "import-pyqtgraph"]
        if not left:
            return []
        time.sleep(0.01)
    return [f"a thread: {thread.name}" for thread in left]
