"""The menu of one target in the list."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget


def target_menu(parent: QWidget, does: Mapping[str, Callable[[], object] | None]) -> QMenu:
    """Return the menu; an entry without anything to do is off."""
    tr = QCoreApplication.translate
    menu = QMenu(parent)
    menu.setObjectName("target-menu")
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    words = {
        "new-run": tr("TargetMenu", "New run on it…"),
        "back-up": tr("TargetMenu", "Back up now…"),
        "roll-back": tr("TargetMenu", "Roll back…"),
        "remove": tr("TargetMenu", "Forget this target…"),
    }
    for name, do in does.items():
        action = QAction(words[name], menu)
        action.setObjectName(f"target-menu-{name}")
        action.setEnabled(do is not None)
        if do is not None:
            action.triggered.connect(lambda _=False, do=do: do())
        menu.addAction(action)
    return menu
