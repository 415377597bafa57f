"""What this program is, its version, where it keeps things; and the diagnostics to copy."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.diagnostics import diagnostics, diagnostics_text
from honeyguide.desktop.dialogs.accept import Facts
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.states import RoleIcon


class AboutDialog(Dialog):
    """Says what a person needs for a report."""

    def __init__(self, desk: Desk, parent: QWidget | None) -> None:
        super().__init__("about-dialog", desk.window.tr("About Honeyguide"), parent, wide=62)
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP_2)
        head.addWidget(RoleIcon("bee", 48, Role.ACCENT_TEXT))
        head.addWidget(PlainLabel("Honeyguide", Type.HERO, strong=True), 1)
        self.body.addLayout(head)
        self.add_text(
            self.tr(
                "The honeyguide is a bird that leads people to a bees' nest and then waits: the human opens the hive."
            ),
            Role.TEXT_2,
        )
        self.body.addSpacing(Metrics.GAP)
        facts = Facts()
        for name, value in diagnostics(desk.workspace.path).items():
            facts.add(name, value, is_code=True)
        self.body.addWidget(facts)
        self.add_text(self.tr("Nothing is sent anywhere that you did not set up."), Role.TEXT_2, caption=True)
        self.body.addStretch(1)
        copy = self.add_button(self.tr("Copy diagnostics"), "about-copy", icon="copy", left=True)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(diagnostics_text(desk.workspace.path)))
        close = self.add_button(self.tr("Close"), "about-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(self.accept)
