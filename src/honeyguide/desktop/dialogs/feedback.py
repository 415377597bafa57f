"""Reporting a problem: what was wrong, and if one likes, what was wanted and what came."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.labels import PlainLabel, named

_DRAFT = "feedback.draft"


class FeedbackDialog(Dialog):
    """What was typed comes back when the dialog was closed without reporting."""

    def __init__(self, targets: Sequence[tuple[str, str]], memory: Memory, parent: QWidget | None) -> None:
        super().__init__("feedback-dialog", parent.tr("Report a problem") if parent else "", parent, wide=66)
        self._memory = memory
        draft = memory.table(_DRAFT)
        self.add_title(self.tr("What went wrong?"))
        self.add_text(self.tr("Free, and it stays on this computer."), Role.TEXT_2)
        self._target = named(QComboBox(), "feedback-target", self.tr("Target"))
        for words, name in targets:
            self._target.addItem(words, name)
        self._target.setCurrentIndex(max(0, self._target.findData(draft.get("target"))))
        self.body.addWidget(PlainLabel(self.tr("It is about"), role=Role.TEXT_2))
        self.body.addWidget(self._target)
        self._message = self._field("feedback-text", self.tr("In your words"), str(draft.get("message", "")), 3)
        self._expected = self._field("feedback-expected", self.tr("What you wanted"), str(draft.get("expected", "")), 2)
        self._actual = self._field("feedback-actual", self.tr("What came instead"), str(draft.get("actual", "")), 2)
        self.add_cancel(is_default=False)
        self._go = self.add_button(self.tr("Report"), "feedback-go", look=Look.PRIMARY, tip="Ctrl+Enter")
        self._go.clicked.connect(self.accept)
        self._message.textChanged.connect(self._judge)
        self.finished.connect(lambda _: self._keep())
        self._message.setFocus()
        self._judge()

    def target(self) -> str:
        """Return the chosen target."""
        return str(self._target.currentData() or "")

    def message(self) -> str:
        """Return what was typed."""
        return self._message.toPlainText().strip()

    def expected(self) -> str | None:
        """Return what was wanted, if it was said."""
        return self._expected.toPlainText().strip() or None

    def actual(self) -> str | None:
        """Return what came, if it was said."""
        return self._actual.toPlainText().strip() or None

    @staticmethod
    def forget_draft(memory: Memory) -> None:
        """Forget what was typed, because it was reported."""
        memory.set(_DRAFT, None)

    def _field(self, name: str, words: str, text: str, lines: int) -> QPlainTextEdit:
        caption = PlainLabel(words, role=Role.TEXT_2)
        self.body.addWidget(caption)
        box = named(QPlainTextEdit(text), name, words)
        box.setTabChangesFocus(True)
        box.setFixedHeight(Metrics.row_height() * lines)
        caption.setBuddy(box)
        self.body.addWidget(box)
        return box

    def _judge(self) -> None:
        reason = self.tr("Say it in a few words first.") if not self.message() else ""
        if not self.target():
            reason = self.tr("There is no target yet.")
        self._go.set_allowed(not reason, reason)

    def _keep(self) -> None:
        draft = {
            "target": self.target(), "message": self.message(), "expected": self.expected() or "",
            "actual": self.actual() or "",
        }  # fmt: skip
        self._memory.set(_DRAFT, draft if any(draft[name] for name in ("message", "expected", "actual")) else None)
