"""Small questions: one line of text; yes or no."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Role
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import PlainLabel, named


class TextDialog(Dialog):
    """Asks for one line."""

    def __init__(
        self, name: str, title: str, label: str, words: str, parent: QWidget | None, *, text: str = "",
        explains: str = "", may_be_empty: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(name, title, parent, wide=46)
        self.add_title(title)
        if explains:
            self.add_text(explains, Role.TEXT_2)
        caption = PlainLabel(label, role=Role.TEXT_2)
        self.body.addWidget(caption)
        self._field = named(QLineEdit(text), f"{name}-text", label)
        self._field.setMaxLength(2000)
        caption.setBuddy(self._field)
        self.body.addWidget(self._field)
        self.body.addStretch(1)
        self.add_cancel(is_default=False)
        self._go = self.add_button(words, f"{name}-go", look=Look.PRIMARY)
        self._go.setDefault(True)
        self._go.clicked.connect(self.accept)
        self._may_be_empty = may_be_empty
        self._field.textChanged.connect(lambda _: self._judge())
        self._field.setFocus()
        self._judge()

    def text(self) -> str:
        """Return what was typed."""
        return self._field.text().strip()

    def _judge(self) -> None:
        self._go.set_allowed(self._may_be_empty or bool(self.text()), self.tr("Type something first."))


class ChoiceDialog(Dialog):
    """Asks for one of several."""

    def __init__(
        self, name: str, title: str, label: str, choices: Sequence[tuple[str, str]], words: str, parent: QWidget | None
    ) -> None:
        """``choices`` are words and values."""
        super().__init__(name, title, parent, wide=46)
        self.add_title(title)
        caption = PlainLabel(label, role=Role.TEXT_2)
        self.body.addWidget(caption)
        self._box = named(QComboBox(), f"{name}-choice", label)
        for said, value in choices:
            self._box.addItem(one_line(said, 80), value)
        caption.setBuddy(self._box)
        self.body.addWidget(self._box)
        self.body.addStretch(1)
        self.add_cancel(is_default=False)
        go = self.add_button(words, f"{name}-go", look=Look.PRIMARY)
        go.setDefault(True)
        go.set_allowed(bool(choices), self.tr("There is none to choose from."))
        go.clicked.connect(self.accept)
        self._box.setFocus()

    def chosen(self) -> str:
        """Return the value of the choice."""
        return str(self._box.currentData() or "")


class ConfirmDialog(Dialog):
    """Asks before something that cannot be undone; the default is not to do it.

    Attributes:
        other_chosen: whether the second way was chosen.
    """

    def __init__(
        self, name: str, title: str, text: str, words: str, parent: QWidget | None, *, other: str = "", cancel: str = ""
    ) -> None:
        super().__init__(name, title, parent, wide=54)
        self.other_chosen = False
        self.add_title(title)
        self.add_text(text, Role.TEXT_2)
        self.body.addStretch(1)
        self.add_cancel(cancel).setFocus()
        if other:
            second = self.add_button(other, f"{name}-other")
            second.clicked.connect(self._on_other)
        go = self.add_button(words, f"{name}-go")
        go.clicked.connect(self.accept)

    def _on_other(self) -> None:
        self.other_chosen = True
        self.accept()
