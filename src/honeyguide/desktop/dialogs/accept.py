"""Before a deploy: the exact file, what it holds before and after, who is told; and the ways out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QGridLayout, QLineEdit, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import AcceptCheck


class Facts(QWidget):
    """Names and what they are, under each other."""

    def __init__(self) -> None:
        super().__init__()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(Metrics.GAP_2)
        self._grid.setVerticalSpacing(Metrics.GRID)
        self._grid.setColumnStretch(1, 1)

    def add(self, name: str, value: str, *, is_code: bool = False) -> None:
        """Add a line; code is cut in the middle, the whole of it stands in the tooltip."""
        row = self._grid.rowCount()
        self._grid.addWidget(PlainLabel(name, role=Role.TEXT_2, wrap=False), row, 0)
        if is_code:
            self._grid.addWidget(ElidedLabel(value, Type.MONO, middle=True), row, 1)
        else:
            self._grid.addWidget(PlainLabel(value), row, 1)


class AcceptDialog(Dialog):
    """The default button is Cancel: Enter changes nothing."""

    def __init__(
        self, target: str, summary: str, check: AcceptCheck, note: str, parent: QWidget | None, *, stale: str = ""
    ) -> None:
        super().__init__("accept-dialog", self.tr("Accept and deploy"), parent, wide=74)
        self._needs_note = check.needs_note
        names = ", ".join(dict.fromkeys(file.target.partition(":")[2] for file in check.files)) or target
        several = len(check.files) > 1
        title = self.tr("Deploy these texts to {targets}?").format(targets=names) if several else ""
        self.add_title(title or self.tr("Deploy this text to {target}?").format(target=target))
        self.add_text(summary)
        if stale:
            self.body.addWidget(HintBar(stale, Severity.WARN, closable=False, name="accept-stale"))
        self.body.addSpacing(Metrics.GAP)
        facts = Facts()
        for file in check.files:
            if not file.is_written:
                facts.add(self.tr("Stays as it is"), file.path, is_code=True)
                continue
            facts.add(self.tr("File that changes"), file.path, is_code=True)
            facts.add(self.tr("Text now, SHA-256"), file.sha_before, is_code=True)
            facts.add(self.tr("Text then, SHA-256"), file.sha_after, is_code=True)
        if len(check.files) > 1:
            facts.add(self.tr("In one step"), self.tr("All of these files change, or none of them."))
        facts.add(self.tr("Who is told"), self._tells(check))
        facts.add(self.tr("Checks"), self._checks(check))
        if check.is_selection:
            facts.add(
                self.tr("Measured"),
                self.tr("Not this exact text: you chose or edited changes. It says so in the record."),
            )
        self.body.addWidget(facts)
        self.body.addSpacing(Metrics.GAP)
        label = self.tr("Note (needed: the proof cannot tell)") if self._needs_note else self.tr("Note")
        caption = PlainLabel(label, role=Role.TEXT_2)
        self.body.addWidget(caption)
        self._note = named(QLineEdit(note), "accept-note", label)
        self._note.setMaxLength(2000)
        caption.setBuddy(self._note)
        self.body.addWidget(self._note)
        self.add_text(
            self.tr("You can roll back at any time; the text as it is now is kept."), Role.TEXT_2, caption=True
        )
        self.body.addStretch(1)
        cancel = self.add_cancel()
        self._go = self.add_button(self.tr("Accept && deploy"), "accept-go", look=Look.PRIMARY)
        self._go.setAccessibleName(self.tr("Accept and deploy"))
        self._go.clicked.connect(self.accept)
        self._reason = spoken(check.reason) if not check.allowed else ""
        self._note.textChanged.connect(lambda _: self._judge())
        self._judge()
        cancel.setFocus()

    def note(self) -> str:
        """Return what was typed."""
        return self._note.text().strip()

    def _judge(self) -> None:
        reason = self._reason
        if not reason and self._needs_note and not self.note():
            reason = self.tr("Write in a few words why you accept it.")
        self._go.set_allowed(not reason, reason)

    def _tells(self, check: AcceptCheck) -> str:
        if not check.tells:
            return self.tr("Nobody.")
        return self.tr("Agents that listen on this computer. Nothing leaves it.")

    def _checks(self, check: AcceptCheck) -> str:
        failed = [str(gate.get("gate")) for gate in check.gates if gate.get("verdict") == "fail"]
        if failed:
            return self.tr("{n} failed: {names}").format(n=len(failed), names=", ".join(failed))
        return self.tr("{n} of {n} passed, made again just now").format(n=len(check.gates))


class RejectDialog(Dialog):
    """Asks why; a quick reason is one press."""

    def __init__(self, target: str, note: str, parent: QWidget | None) -> None:
        super().__init__("reject-dialog", self.tr("Reject"), parent, wide=60)
        self.add_title(self.tr("Turn this proposal for {target} down?").format(target=target))
        self.add_text(self.tr("Nothing changes in the live text. The proposal and its proof are kept."), Role.TEXT_2)
        caption = PlainLabel(self.tr("Reason (kept with the decision; may stay empty)"), role=Role.TEXT_2)
        self.body.addWidget(caption)
        self._reason = named(QLineEdit(note), "reject-reason", self.tr("Reason"))
        self._reason.setMaxLength(2000)
        caption.setBuddy(self._reason)
        self.body.addWidget(self._reason)
        quick = QWidget()
        flow = FlowLayout(quick)
        for name, words in (
            ("meaning", self.tr("Changes the meaning")),
            ("tone", self.tr("Wrong tone")),
            ("long", self.tr("Too long")),
            ("risk", self.tr("Too risky")),
            ("proof", self.tr("The proof does not convince me")),
            ("moot", self.tr("No longer needed")),
        ):
            chip = Button(words, f"reject-quick-{name}", quick, look=Look.CHIP)
            chip.clicked.connect(lambda _=False, said=words: self._reason.setText(said))
            flow.addWidget(chip)
        self.body.addWidget(quick)
        self.body.addStretch(1)
        self.add_cancel()
        self._go = self.add_button(self.tr("Reject"), "reject-go", look=Look.PRIMARY)
        self._go.clicked.connect(self.accept)
        self._reason.setFocus()

    def reason(self) -> str:
        """Return what was typed or chosen."""
        return self._reason.text().strip()
