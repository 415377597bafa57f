"""What works here and what does not, each with its remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import hint_of, sentence_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.theme.code_words import part_words
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.gate_list import GateList, GateRow
from honeyguide.desktop.widgets.states import StateStack

if TYPE_CHECKING:
    from honeyguide.workspace import DoctorReport


class DoctorDialog(Dialog):
    """Reads for itself."""

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None) -> None:
        super().__init__("doctor-dialog", desk.window.tr("What works here"), parent, wide=88, high=28)
        self._tasks = tasks.child("doctor")
        self._text = ""
        self._list = GateList()
        self._stack = StateStack(self._list)
        self._stack.setMinimumHeight(Metrics.row_height() * 8)
        self.body.addWidget(self._stack, 1)
        self._stack.show_loading(self.tr("Looking…"))
        copy = self.add_button(self.tr("Copy"), "doctor-copy", icon="copy", left=True)
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._text))
        close = self.add_button(self.tr("Close"), "doctor-close", look=Look.PRIMARY)
        close.setDefault(True)
        close.clicked.connect(self.accept)
        self.finished.connect(lambda _: self._tasks.close())
        path = desk.workspace.path
        self._tasks.latest("doctor", lambda: desk.workspace.doctor(path), self._show, failed=self._fail)

    def _show(self, report: DoctorReport) -> None:
        rows, lines = [], []
        for check in report.checks:
            verdict = "pass" if check.ok else "fail" if check.is_essential else "warn"
            said = f"{spoken(check.message)} {spoken(check.remedy)}".strip() if not check.ok else spoken(check.message)
            words = part_words(check.name)
            rows.append(GateRow(check.name, verdict, said, words=words))
            lines.append(f"{'ok ' if check.ok else 'NO '} {check.name}: {said}")
        self._text = "\n".join(lines) + "\n"
        self._list.set_gates(rows)
        self._stack.show_content()

    def _fail(self, error: Exception) -> None:
        self._stack.show_error(sentence_of(error), hint_of(error))
