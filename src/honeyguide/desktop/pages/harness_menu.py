"""The menu of one harness folder in the list."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from honeyguide.desktop.models.harnesses import FolderLine
from honeyguide.desktop.pages.harness_desk import HarnessDesk

Do = Callable[[Coroutine[Any, Any, bool], str], None]


def folder_menu(parent: QWidget, row: FolderLine, folders: HarnessDesk, do: Do, *, is_trusted: bool) -> QMenu:
    """Return the menu; an entry that makes no sense for this folder is off."""
    menu = QMenu(parent)
    menu.setObjectName("harness-menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    path, is_offered = Path(row.path), row.is_registered
    offer = _tr("No longer offer it to other programs") if is_offered else _tr("Offer it to other programs (MCP)")
    for name, words, work, can in (
        ("register", offer, lambda: folders.register(path, registered=not is_offered), not row.problem),
        ("untrust", _tr("Trust it no longer"), lambda: folders.trust(path, forget=True), is_trusted),
        ("forget", _tr("Take it off this list"), lambda: folders.forget(path), not is_offered),
    ):
        action = QAction(words, menu)
        action.setObjectName(f"harness-menu-{name}")
        action.setEnabled(can)
        action.triggered.connect(lambda _=False, work=work: do(work(), "change a folder's place"))
        menu.addAction(action)
    return menu


def _tr(text: str) -> str:
    return QCoreApplication.translate("HarnessMenu", text)
