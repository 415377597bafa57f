"""The menu of runs in the list: what can be done to the chosen run, then what the list itself does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from honeyguide.desktop.actions import Handlers

DECISIONS = ("accept", "reject", "try", "roll-back", "retry", "resume", "stop", "export-run")


def run_menu(
    parent: QWidget,
    window: Any,
    handlers: Handlers,
    uuids: Sequence[str],
    target: str,
    *,
    only: Callable[[str], object],
    copy: Callable[[], object],
    export: Callable[[], object],
) -> QMenu:
    """Return the menu; of the decisions only those that can be taken now."""
    tr = QCoreApplication.translate
    menu = QMenu(parent)
    menu.setObjectName("run-menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

    def add(name: str, words: str, do: Callable[[], object]) -> None:
        action = QAction(words, menu)
        action.setObjectName(f"run-menu-{name}")
        action.triggered.connect(lambda _=False: do())
        menu.addAction(action)

    for name in DECISIONS:
        handler = handlers.get(name)
        if handler is not None and not handler.off():
            add(name, window.qaction(name).text().split("\t")[0], handler.do)
    menu.addSeparator()
    if target:
        add("only", tr("RunMenu", "Show only {target}").format(target=target), lambda: only(target))
    add("copy", tr("RunMenu", "Copy the row"), copy)
    add("copy-id", tr("RunMenu", "Copy the run's id"), lambda: QGuiApplication.clipboard().setText("\n".join(uuids)))
    many = tr("RunMenu", "Export {n} chosen rows…").format(n=len(uuids))
    add("export", tr("RunMenu", "Export the chosen row…") if len(uuids) == 1 else many, export)
    return menu
