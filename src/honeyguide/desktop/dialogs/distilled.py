"""A drafted case for a reported problem: it fails on purpose until a person says what would be right."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import ElidedLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import DistilledCase


class DistilledDialog(Dialog):
    """Shows the draft and where it stands."""

    def __init__(self, case: DistilledCase, parent: QWidget | None) -> None:
        super().__init__("distilled", parent.tr("A drafted case") if parent else "", parent, wide=80, high=28)
        self._case = case
        self.add_title(self.tr("A case that fails on purpose"))
        self.add_text(
            self.tr("Edit it until it says what would be right, put it into the suite of the target, and link it. "
                    "Until then it counts for nothing."),
            Role.TEXT_2,
        )  # fmt: skip
        text = named(QPlainTextEdit(), "distilled-text", self.tr("The drafted case"))
        text.setReadOnly(True)
        text.setFont(Metrics.font(Type.MONO))
        text.setPlainText(block(case.text, 200_000))
        self.body.addWidget(text, 1)
        self.body.addWidget(ElidedLabel(case.draft, Type.MONO, Role.TEXT_2, middle=True))
        suite = case.suite or self.tr("It has no suite yet: write one named after the target, ending in .eval.yaml.")
        self.add_text(self.tr("Suite: {path}").format(path=suite), Role.TEXT_2, caption=True)
        copy = self.add_button(self.tr("Copy the text"), "distilled-copy", icon="copy", left=True)
        copy.clicked.connect(lambda _: QGuiApplication.clipboard().setText(case.text))
        show = self.add_button(self.tr("Open the file"), "distilled-open", icon="open", left=True)
        show.clicked.connect(lambda _: QDesktopServices.openUrl(QUrl.fromLocalFile(case.draft)))
        close = self.add_button(self.tr("Close"), "distilled-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(lambda _: self.accept())
