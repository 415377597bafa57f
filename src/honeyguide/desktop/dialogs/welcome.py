"""The welcome, once more, while a workspace is open."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.pages.welcome import WelcomeView


class WelcomeDialog(Dialog):
    """Attributes:
    chosen: ``sample``, ``agents`` or ``folder``.
    """

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__("welcome-dialog", parent.tr("Welcome") if parent else "", parent, wide=92, high=26)
        self.chosen = ""
        view = WelcomeView()
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.addWidget(view, 1)
        view.chosen.connect(self._take)
        self.add_cancel(self.tr("Close"))

    def _take(self, way: str) -> None:
        self.chosen = way
        self.accept()
