"""A correction in a person's own words: what must an answer do?"""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import named


class CorrectionDialog(Dialog):
    """Ctrl+Enter confirms."""

    def __init__(self, wording: str, span: str, parent: QWidget | None) -> None:
        super().__init__("correction-dialog", parent.tr("In your words") if parent else "", parent, wide=66)
        self.add_title(self.tr("What must a good answer do here?"))
        if span:
            self.add_text(self.tr("The person said: “{words}”").format(words=one_line(span, 300)), Role.TEXT_2)
        self._field = named(QPlainTextEdit(wording), "correction-words", self.tr("What a good answer must do"))
        self._field.setFont(Metrics.font(Type.PROSE))
        self._field.setTabChangesFocus(True)
        self._field.setMinimumHeight(Metrics.row_height() * 4)
        self.body.addWidget(self._field, 1)
        self.add_cancel(is_default=False)
        self._go = self.add_button(self.tr("Confirm"), "correction-go", look=Look.PRIMARY, tip="Ctrl+Enter")
        self._go.clicked.connect(self.accept)
        self._field.textChanged.connect(self._judge)
        self._field.setFocus()
        self._field.selectAll()
        self._judge()

    def text(self) -> str:
        """Return what was typed."""
        return self._field.toPlainText().strip()

    def _judge(self) -> None:
        self._go.set_allowed(bool(self.text()), self.tr("Say it in a few words first."))
