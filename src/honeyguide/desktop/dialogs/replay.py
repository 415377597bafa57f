"""The replay lab: chosen traces run again on two versions of their target, side by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QComboBox, QHBoxLayout, QListWidget, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.diff import DiffPanel
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.number_fields import WholeField

if TYPE_CHECKING:
    from honeyguide.workspace import Replayed

LIVE = "live"


class ReplayDialog(Dialog):
    """Answers that the journal holds cost nothing; no more calls are made than the ceiling says."""

    def __init__(
        self, desk: Desk, tasks: TaskScope, target: str, trace_ids: Sequence[int], parent: QWidget | None
    ) -> None:
        super().__init__("replay-dialog", parent.tr("Replay") if parent else "", parent, wide=110, high=38)
        self._desk, self._target, self._ids = desk, target, list(trace_ids)
        self._tasks = tasks.child("replay")
        self._done: Replayed | None = None
        self.add_title(self.tr("Run past inputs on two versions"))
        said = figures.counted(
            len(self._ids),
            self.tr("1 trace of {target}. Answers that were made before cost nothing. Nothing is deployed."),
            self.tr("{n} traces of {target}. Answers that were made before cost nothing. Nothing is deployed."),
        )
        self.add_text(said.format(target=target.partition(":")[2] or target), Role.TEXT_2)
        self._first = named(QComboBox(), "replay-left", self.tr("First version"))
        self._second = named(QComboBox(), "replay-right", self.tr("Second version"))
        for box in (self._first, self._second):
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._ceiling = named(WholeField(), "replay-calls", self.tr("At most so many calls"))
        self._ceiling.setRange(1, 10_000)
        self._ceiling.setValue(2 * len(self._ids))
        choices = QHBoxLayout()
        choices.setSpacing(Metrics.GAP)
        for words, field in (
            (self.tr("First version"), self._first),
            (self.tr("Second version"), self._second),
            (self.tr("At most so many calls"), self._ceiling),
        ):
            choices.addWidget(PlainLabel(words, role=Role.TEXT_2, wrap=False))
            choices.addWidget(field)
        choices.addStretch(1)
        self.body.addLayout(choices)
        self._inputs = named(QListWidget(), "replay-inputs", self.tr("Inputs"))
        self._inputs.setMaximumHeight(Metrics.row_height() * 6)
        self._answers = DiffPanel()
        self._answers.set_editable(False)
        self._said = PlainLabel("", role=Role.TEXT_2)
        self._said.setObjectName("replay-said")
        column = QVBoxLayout()
        column.addWidget(self._inputs)
        column.addWidget(self._said)
        column.addWidget(self._answers, 1)
        self.body.addLayout(column, 1)
        self._error = HintBar("", Severity.BAD, closable=False, name="replay-error")
        self.body.addWidget(self._error)
        self.add_cancel(self.tr("Close"), is_default=False)
        self._go = self.add_button(self.tr("Run both"), "replay-go", look=Look.PRIMARY, icon="play", tip="Ctrl+Enter")
        self._go.set_allowed(False, self.tr("The versions are being read."))
        self._go.clicked.connect(self._on_go)
        self._inputs.currentRowChanged.connect(self._show_row)
        self.finished.connect(lambda _: self._tasks.close())
        self._tasks.latest("versions", self._load, self._show_versions, failed=self._fail)

    async def _load(self) -> list[tuple[str, str]]:
        """Return what can be compared: words and what the façade calls it."""
        from honeyguide.workspace import RunFilter

        workspace = self._desk.workspace
        kind, _, name = self._target.partition(":")
        found = [(self.tr("live text"), LIVE)]
        page = await workspace.runs(RunFilter(status=("proposed",), kind=kind, name=name, limit=20))
        found += [
            (self.tr("proposal of {when}").format(when=run.created_at[:16].replace("T", " ")), run.run_uuid)
            for run in page.runs
        ]
        versions = await workspace.versions(self._target)
        return found + [(self.tr("Version {n}").format(n=row.n), str(row.n)) for row in reversed(versions.versions)]

    def _show_versions(self, choices: list[tuple[str, str]]) -> None:
        for box in (self._first, self._second):
            for words, name in choices:
                box.addItem(words, name)
        self._second.setCurrentIndex(min(1, len(choices) - 1))
        self._go.set_allowed(True)

    def _on_go(self) -> None:
        from honeyguide.workspace import RunOptions

        left, right = str(self._first.currentData()), str(self._second.currentData())
        options = RunOptions(max_calls=self._ceiling.value(), is_confirmed=True)
        self._go.set_allowed(False, self.tr("The answers are on their way."))
        self._said.set_text(self.tr("Asking both…"))
        self._error.show_hint("")
        self._tasks.latest(
            "replay",
            lambda: self._desk.workspace.replay_versions(self._target, self._ids, left, right, options),
            self._show,
            failed=self._fail,
        )

    def _show(self, done: Replayed) -> None:
        self._done = done
        self._go.set_allowed(True)
        same = sum(row.is_same for row in done.rows)
        said = self.tr("{same} of {n} answers are the same. {calls} calls, {replayed} from the journal.")
        self._said.set_text(
            said.format(
                same=figures.whole(same), n=figures.whole(len(done.rows)), calls=figures.whole(done.calls),
                replayed=figures.whole(done.replayed_calls),
            )
        )  # fmt: skip
        self._inputs.clear()
        for row in done.rows:
            mark = "=" if row.is_same else "≠"
            self._inputs.addItem(f"{mark}  {one_line(row.subject.example.input, 200)}")
        self._inputs.setCurrentRow(0)

    def _show_row(self, number: int) -> None:
        from honeyguide.workspace import diff_view

        if self._done is None or not 0 <= number < len(self._done.rows):
            return
        row = self._done.rows[number]
        left, right = (side.answer.text or spoken(side.answer.failure) for side in (row.left, row.right))
        titles = (self._first.currentText(), self._second.currentText())
        self._answers.set_rows(diff_view(left, right).rows, [], titles=titles)

    def _fail(self, error: Exception) -> None:
        self._said.set_text("")
        sentence = said_of(error)
        self._error.show_hint(sentence, Severity.BAD)
        self._go.set_allowed(True)
