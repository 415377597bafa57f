"""Drivers: they act like a person, by object names, clicks and keys, in a real loop of Qt and asyncio."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from honeyguide.desktop.application import Application
from honeyguide.desktop.dialogs.new_run import NewRunDialog
from honeyguide.desktop.pages.inbox import InboxPage
from honeyguide.desktop.pages.targets import TargetsPage
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.window import Window

WidgetT = TypeVar("WidgetT", bound=QWidget)
PATIENCE_S = 30.0


async def until(holds: Callable[[], Any], what: str = "", patience: float = PATIENCE_S) -> Any:
    """Wait until ``holds`` is true and return what it gave."""
    deadline = time.monotonic() + patience
    while True:
        found = holds()
        if found:
            return found
        assert time.monotonic() < deadline, f"waited in vain for {what or holds}"
        await asyncio.sleep(0.01)


def find(parent: QWidget, name: str, kind: type[WidgetT] = QWidget) -> WidgetT:  # type: ignore[assignment]
    """Return the widget with an object name."""
    found = [w for w in parent.findChildren(kind, name) if w.window() is parent.window() or isinstance(w, QDialog)]
    assert found, f"there is no {name!r} in {parent.objectName()!r}"
    return next((w for w in found if w.isVisible()), found[0])


def press(widget: QWidget) -> None:
    """Click a widget in its middle; it must be visible and on."""
    assert widget.isVisible(), f"{widget.objectName()} is not visible"
    assert widget.isEnabled(), f"{widget.objectName()} is off: {widget.accessibleDescription() or widget.toolTip()}"
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=QPoint(widget.width() // 2, widget.height() // 2))


async def focus(widget: QWidget) -> None:
    """Give a widget the focus as the platform would: its window comes to the front first."""

    def has_it() -> bool:
        if not widget.hasFocus():
            widget.window().activateWindow()
            widget.setFocus()
        return widget.hasFocus()

    await until(has_it, f"{widget.objectName()} to have the focus")


def keys(widget: QWidget, text: str) -> None:
    """Type text into a widget."""
    QTest.keyClicks(widget, text)


def key(widget: QWidget, what: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    """Press one key on a widget."""
    QTest.keyClick(widget, what, modifier)


class AppDriver:
    """The whole window on a workspace."""

    def __init__(self, app: QApplication, path: Path, *, wide: int = 1280, high: int = 800) -> None:
        app.setQuitOnLastWindowClosed(False)
        self.theme = ThemeSwitch(app, ThemeChoice.LIGHT)
        self.window = Window()
        self.window.resize(wide, high)
        self.window.show()
        self.application = Application(app, path, self.window, self.theme)
        self._life: asyncio.Task[None] | None = None

    async def start(self, *, ready: bool = True) -> AppDriver:
        """Begin; wait until the pages are there."""
        self._life = asyncio.ensure_future(self.application.run())
        if ready:
            await until(self.application.ready.is_set, "the window to be ready")
        return self

    async def close(self) -> None:
        """Close in order; an error that a task met fails the test."""
        if self._life is not None:
            self.application.leave()
            await asyncio.wait_for(self._life, 30)
        self.theme.setParent(None)
        self.application.setParent(None)
        self.window.deleteLater()
        await asyncio.sleep(0)
        assert not self.application.errors, self.application.errors

    @property
    def desk(self) -> Any:
        """What pages work with."""
        assert self.application.desk is not None
        return self.application.desk

    async def come_forward(self) -> None:
        """Be the active window, as it is for a person who looks at it."""
        self.window.activateWindow()
        await until(self.window.isActiveWindow, "the window to be active")

    def press(self, name: str) -> None:
        """Click something on the window by its object name."""
        press(find(self.window, name))

    def go(self, page: str) -> Any:
        """Press a page's name in the side bar and return the page."""
        self.press(f"nav-{page}")
        return self.window.page(page)

    @property
    def inbox(self) -> InboxDriver:
        """The inbox."""
        page = self.window.page("inbox")
        assert isinstance(page, InboxPage)
        return InboxDriver(self, page)

    @property
    def targets(self) -> TargetsPage:
        """The page of targets."""
        page = self.window.page("targets")
        assert isinstance(page, TargetsPage)
        return page

    async def dialog(self, name: str) -> QDialog:
        """Wait for a dialog and return it."""

        def shown() -> QDialog | None:
            return next((d for d in self.window.findChildren(QDialog, name) if d.isVisible()), None)

        try:
            found: QDialog = await until(shown, f"the dialog {name}")
        except AssertionError as error:
            open_ones = [d.objectName() for d in self.window.findChildren(QDialog) if d.isVisible()]
            raise AssertionError(
                f"{error}; open: {open_ones}; said: {self.said()!r}; {self.application.errors}"
            ) from None
        return found

    async def gone(self, dialog: QDialog) -> None:
        """Wait until a dialog is closed."""
        import shiboken6

        await until(lambda: not shiboken6.isValid(dialog) or not dialog.isVisible(), "a dialog to close")

    def said(self) -> str:
        """Return everything that toasts and bars say."""
        return "\n".join([*self.window.notify.toasts(), *self.window.bars.texts().values()])


class InboxDriver:
    """The list of runs and the review."""

    def __init__(self, app: AppDriver, page: InboxPage) -> None:
        self.app = app
        self.page = page

    @property
    def states(self) -> dict[str, str]:
        """The runs in the list: target to state."""
        return {row.name: row.state for row in self.page.model.all_rows()}

    async def review_of(self, name: str, state: str) -> Any:
        """Wait until the review shows a target's run in a state."""

        def shown() -> bool:
            review = self.page.review.review
            return review is not None and review.detail.attempt.target_name == name and review.detail.status == state

        try:
            await until(shown, f"the review of {name} as {state}")
        except AssertionError:
            print(
                self.states,
                self.page.review.review and self.page.review.review.detail.status,
                self.page.review.review and self.page.review.review.detail.attempt.target_name,
                self.page.table.current_key(),
                self.page.model.rowCount(),
                self.page.chips.selected(),
            )
            raise
        return self.page.review.review


class NewRunDriver:
    """The dialog for a new run."""

    def __init__(self, dialog: NewRunDialog) -> None:
        self.dialog = dialog

    async def choose(self, words: str) -> None:
        """Search a target and choose the first one found."""
        await until(lambda: self.dialog.planning.model.total, "the targets")
        keys(self.dialog.planning.search, words)
        key(self.dialog.planning.search, Qt.Key.Key_Return)
        await until(lambda: words in str(self.dialog.planning.table.current_key()), "the target to be chosen")

    async def start(self) -> None:
        """Wait for the plan and press Start."""
        await until(self.dialog.go.isEnabled, "the plan")
        press(self.dialog.go)
        await until(lambda: self.dialog.started, "the run to start")

    async def finish(self) -> None:
        """Wait for the end and have the result shown."""
        await until(self.dialog.show_result.isVisible, "the run to end")
        press(self.dialog.show_result)
