"""Pages that say honestly what will stand there, and how the same is done today."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.widgets.states import StateAction, StateStack


class CommandLinePage(Page):
    """A page whose work is done on the command line; the command can be copied."""

    def __init__(self, desk: Desk, name: str, title: str, text: str, command: str, icon: str) -> None:
        super().__init__(desk, name, title)
        self._command = command
        self.stack = StateStack(QWidget())
        self.column.addWidget(self.stack, 1)
        copy = StateAction("copy-command", self.tr("Copy: {command}").format(command=command), "copy")
        self.stack.show_empty(title, text, [copy], icon=icon)
        self.stack.acted.connect(self._on_acted)

    def _on_acted(self, _name: str) -> None:
        QGuiApplication.clipboard().setText(self._command)
        self.desk.notify.info(self.tr("Copied: {command}").format(command=self._command))


def harnesses(desk: Desk) -> Page:
    """Return the page of harness folders."""
    tr = desk.window.tr
    text = tr(
        "A harness folder holds an agent's whole set-up. Proposals for harnesses will wait here; today they are made, "
        "shown and applied on the command line, with the same rules."
    )
    return CommandLinePage(desk, "harnesses", tr("Harnesses"), text, "honeyguide harness proposals list DIR", "harness")
