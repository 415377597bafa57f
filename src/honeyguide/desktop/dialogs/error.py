"""Something went wrong: the sentence, what can be done, and the details to copy."""

from __future__ import annotations

import json
from collections.abc import Mapping

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.states import RoleIcon

MOST_SIGNS = 600
"""Signs of a sentence or hint that are shown; the details hold all of it."""


class ErrorDialog(Dialog):
    """The default button closes; ``step`` is what else can be done about it.

    Attributes:
        took_step: whether that was chosen.
    """

    def __init__(self, sentence: str, hint: str, details: str, parent: QWidget | None, *, step: str = "") -> None:
        super().__init__("error-dialog", self.tr("This did not work"), parent, wide=62)
        self.took_step = False
        self._sentence, self._hint, self._details = sentence, hint, details
        if max(len(sentence), len(hint)) > MOST_SIGNS:
            details = f"{sentence}\n{hint}\n\n{details}".strip()
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP_2)
        head.addWidget(RoleIcon("error", 32, Role.BAD))
        title = PlainLabel(block(sentence, MOST_SIGNS), Type.TITLE, selectable=True)
        head.addWidget(title, 1)
        self.body.addLayout(head)
        if hint:
            self.add_text(block(hint, MOST_SIGNS), Role.TEXT_2)
        self._text = named(QPlainTextEdit(), "error-details", self.tr("Details"))
        self._text.setReadOnly(True)
        self._text.setFont(Metrics.font(Type.MONO))
        self._text.setPlainText(block(details))
        self._text.setMinimumHeight(Metrics.row_height() * 5)
        self._text.setVisible(False)
        self.body.addWidget(self._text, 1)
        self.body.addStretch(0)
        if details:
            self._more = self.add_button(self.tr("Details"), "error-more", left=True)
            self._more.setCheckable(True)
            self._more.toggled.connect(self._show_details)
            copy = self.add_button(self.tr("Copy"), "error-copy", icon="copy", left=True)
            copy.clicked.connect(self._copy)
        if step:
            go = self.add_button(step, "error-step")
            go.clicked.connect(self._take_step)
        close = self.add_button(self.tr("Close"), "error-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(self.reject)
        close.setFocus()

    def _show_details(self, shown: bool) -> None:
        self._text.setVisible(shown)
        self.adjustSize()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._sentence}\n{self._hint}\n\n{self._details}".strip() + "\n")

    def _take_step(self) -> None:
        self.took_step = True
        self.accept()


def details_text(code: str, details: Mapping[str, object]) -> str:
    """Return an error's plain data as text to read and copy."""
    lines = [f"code: {code}"] if code else []
    for name, value in details.items():
        said = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2, default=str)
        lines.append(f"{name}: {said}")
    return "\n".join(lines)
