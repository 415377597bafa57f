"""Everything by keyboard and for a screen reader: Tab comes to every control, and leaves each; each has a name."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)  # fmt: skip

from tests.desktop.drivers import AppDriver, key, until
from tests.desktop.window.test_pages import DIALOGS, PAGES

CONTROLS = (QAbstractButton, QLineEdit, QComboBox, QAbstractItemView, QPlainTextEdit, QAbstractSpinBox, QTabBar)
BY_ARROWS = ("palette-list",)
"""Lists that the arrow keys walk while the focus stays in the field above."""
MOST_STEPS = 400


def test_tab_comes_to_every_control_of_every_page_and_leaves_it(qapp: QApplication, qloop: Any, proposed: Path) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")
        await app.come_forward()
        wrong = []
        for page in PAGES:
            app.window.show_page(page)
            await _at_rest(app)
            wrong += await _walked(app.window, app.window.page(page), page)
        app.window.show_page("inbox")
        for tab in ("evidence", "charts", "checks", "lineage", "journal"):
            app.window.trigger(f"tab-{tab}")
            await _at_rest(app, 1.0 if tab == "charts" else 0.3)
            wrong += await _walked(app.window, app.window.page("inbox"), f"review {tab}")
        await app.close()
        assert not wrong, "\n".join(wrong)

    qloop.run(story(), timeout=120)


def test_tab_comes_to_every_control_of_every_dialog_and_leaves_it(
    qapp: QApplication, qloop: Any, proposed: Path
) -> None:
    async def story() -> None:
        app = await AppDriver(qapp, proposed).start()
        await app.inbox.review_of("support", "proposed")
        wrong = []
        for action, name in DIALOGS.items():
            if name == "file-dialog":
                continue  # Qt's own
            assert app.window.trigger(action)
            dialog = await app.dialog(name)
            await asyncio.sleep(0.3)
            wrong += await _walked(dialog, dialog, name)
            dialog.reject()
            await app.gone(dialog)
        await app.close()
        assert not wrong, "\n".join(wrong)

    qloop.run(story(), timeout=120)


async def _at_rest(app: AppDriver, least: float = 0.3) -> None:
    """Wait until nothing is being read any more."""
    await asyncio.sleep(least)
    await until(lambda: not any(": " in name for name in app.desk.tasks.running()), "everything to be read")


async def _walked(window: QWidget, area: QWidget, where: str) -> list[str]:
    """Press Tab until it comes back; return what it never came to, where it got stuck, and what has no name."""
    window.activateWindow()
    await until(lambda: QApplication.focusWidget() is not None, f"{where}: something to have the focus")
    seen: list[QWidget] = []
    for _ in range(MOST_STEPS):
        at = QApplication.focusWidget()
        if at is None or at in seen:
            break
        seen.append(at)
        before = at.toPlainText() if isinstance(at, QPlainTextEdit) else ""
        key(at, Qt.Key.Key_Tab)
        await asyncio.sleep(0)
        if QApplication.focusWidget() is at and len(_reachable(window)) > 1:
            return [f"{where}: Tab does not leave {_said(at)}"]
        if isinstance(at, QPlainTextEdit):
            assert at.toPlainText() == before
    wrong = [
        f"{where}: {_said(widget)} has no name" for widget in seen if area.isAncestorOf(widget) and not _name(widget)
    ]
    proxies = {widget.focusProxy() for widget in seen}
    for widget in area.findChildren(QWidget):
        if not isinstance(widget, CONTROLS) or not widget.isVisible() or not widget.isEnabled() or widget in seen:
            continue
        is_part = isinstance(widget, QHeaderView) or isinstance(widget.parentWidget(), QLineEdit | QAbstractSpinBox)
        is_part = is_part or isinstance(widget.parentWidget(), QComboBox | QTabBar | QPlainTextEdit | QAbstractItemView)
        in_group = isinstance(widget, QAbstractButton) and widget.autoExclusive() and widget.isCheckable()
        if widget.focusPolicy() == Qt.FocusPolicy.NoFocus and widget.objectName() in BY_ARROWS:
            continue
        if is_part or in_group or widget in proxies or widget.focusProxy() in seen:
            continue
        if widget.window() is window:
            wrong.append(f"{where}: Tab never comes to {_said(widget)}")
    return wrong


def _reachable(window: QWidget) -> list[QWidget]:
    """Return what Tab can come to."""
    return [
        widget
        for widget in window.findChildren(QWidget)
        if widget.focusPolicy() & Qt.FocusPolicy.TabFocus and widget.isVisible() and widget.isEnabled()
    ]


def _name(widget: QWidget) -> str:
    """Return what a screen reader says of a control."""
    spoken = QAccessible.queryAccessibleInterface(widget)
    return (spoken.text(QAccessible.Text.Name) if spoken is not None else "") or widget.accessibleName()


def _said(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.objectName() or '?'}"
