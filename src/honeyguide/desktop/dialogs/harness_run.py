"""Running a harness once: an input, what it takes, what happens, what came."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QListWidget, QPlainTextEdit, QSplitter, QWidget

from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.rows import models_words
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import model_words, status_words
from honeyguide.desktop.theme.plain_text import block, one_line
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace.harness_views import HarnessLook, HarnessRun

Told = Callable[[Mapping[str, Any]], None]
RunIt = Callable[[str, str | None, Told, Callable[[], str]], Awaitable["HarnessRun"]]
"""Input, model (``None`` for the harness's own), what is told of events, what says why to stop."""
_DRAFT = "harness.input"
_MOST_EVENTS = 500


class HarnessRunDialog(Dialog):
    """Stays open for as many runs as a person likes; a run can be stopped."""

    def __init__(
        self,
        look: HarnessLook,
        models: Sequence[str],
        run: RunIt,
        tasks: TaskScope,
        memory: Memory,
        parent: QWidget | None,
    ) -> None:
        """``models`` are names beside the harness's own; only free ones belong there."""
        super().__init__("harness-run", parent.tr("Run once") if parent else "", parent, wide=92, high=34)
        self._run = run
        self._look = look
        self._memory = memory
        self._tasks = tasks.child("run a harness")
        self._stop = ""
        self._is_running = False
        self.add_title(self.tr("Run {name} once").format(name=one_line(look.name, 60)))
        self._counts = self.add_text("", Role.TEXT_2)
        self._model = named(QComboBox(), "harness-run-model", self.tr("Model"))
        self._model.addItem(self.tr("its own: {model}").format(model=model_words(models_words(look.model))), None)
        for name in models:
            self._model.addItem(model_words(name), name)
        self._input = named(QPlainTextEdit(), "harness-run-input", self.tr("Input"))
        self._input.setPlainText(memory.text(_DRAFT))
        self._input.setPlaceholderText(self.tr("The task, as text. It is never taken for a path."))
        self._input.setTabChangesFocus(True)
        self._input.setMaximumHeight(Metrics.row_height() * 4)
        form = QFormLayout()
        form.setVerticalSpacing(Metrics.GAP)
        form.addRow(self.tr("Model"), self._model)
        form.addRow(self.tr("Input"), self._input)
        self.body.addLayout(form)
        self._cost = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._cost.setObjectName("harness-run-cost")
        self.body.addWidget(self._cost)
        self._events = named(QListWidget(), "harness-run-events", self.tr("What happened"))
        self._events.setFont(Metrics.font(Type.CAPTION))
        self._events.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._output = named(QPlainTextEdit(), "harness-run-output", self.tr("Answer"))
        self._output.setReadOnly(True)
        self._output.setFont(Metrics.font(Type.PROSE))
        self._output.setPlaceholderText(self.tr("The answer will stand here."))
        splitter = QSplitter()
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._events)
        splitter.addWidget(self._output)
        splitter.setSizes([260, 460])
        self.body.addWidget(splitter, 1)
        self._said = HintBar("", Severity.INFO, closable=False, name="harness-run-said")
        self.body.addWidget(self._said)
        self._halt = self.add_button(self.tr("Stop"), "harness-run-stop", icon="stop", left=True)
        self._halt.clicked.connect(lambda _: self._on_stop())
        self.add_cancel(self.tr("Close"), is_default=False)
        self._go = self.add_button(self.tr("Run"), "harness-run-go", look=Look.PRIMARY, icon="play", tip="Ctrl+Enter")
        self._go.clicked.connect(lambda _: self._on_run())
        self._input.textChanged.connect(self._on_typed)
        self._model.currentIndexChanged.connect(lambda _: self._judge())
        self.finished.connect(lambda _: self._on_closed())
        self._input.setFocus()
        self._judge()

    def _on_typed(self) -> None:
        self._memory.set(_DRAFT, self._input.toPlainText() or None)
        self._judge()

    def _chosen(self) -> str | None:
        name = self._model.currentData()
        return str(name) if name else None

    def _judge(self) -> None:
        self._counts.set_text(
            self.tr("Its journal is kept in the folder and counts for this version.")
            if self._chosen() is None
            else self.tr("Its journal is kept in the folder. The model is part of a version: this run counts for "
                         "another one.")
        )  # fmt: skip
        is_paid = self._chosen() is None and self._look.costs_money
        if not is_paid:
            self._cost.set_text(self.tr("It costs nothing."))
        elif self._look.ceiling_usd is None:
            self._cost.set_text(self.tr("It costs money, and the folder sets no ceiling."))
        else:
            said = self.tr("It costs money, {usd} at most: the ceiling that the folder sets.")
            self._cost.set_text(said.format(usd=figures.money(self._look.ceiling_usd)))
        reason = ""
        if self._look.unsupported:
            parts = ", ".join(self._look.unsupported)
            said = self.tr("This runner does not support: {parts}. An installed hiveloom can run it.")
            reason = said.format(parts=parts)
        elif self._look.executes_code and not self._look.is_trusted:
            reason = self.tr("It would run code of its folder, which is not trusted yet.")
        elif self._is_running:
            reason = self.tr("A run goes on.")
        elif not self._input.toPlainText().strip():
            reason = self.tr("Type an input first.")
        if self._look.unsupported or (self._look.executes_code and not self._look.is_trusted):
            self._said.show_hint(reason, Severity.WARN)
        self._go.set_allowed(not reason, reason)
        self._halt.set_allowed(self._is_running and not self._stop, self.tr("Nothing runs."))

    def _on_run(self) -> None:
        self._is_running, self._stop = True, ""
        self._events.clear()
        self._output.clear()
        self._said.show_hint(self.tr("It runs…"), Severity.INFO)
        self._judge()
        text, model = self._input.toPlainText(), self._chosen()
        self._tasks.latest(
            "run", lambda: self._run(text, model, self._told, lambda: self._stop), self._show, failed=self._fail
        )

    def _told(self, event: Mapping[str, Any]) -> None:
        if self._tasks.is_closed or self._events.count() >= _MOST_EVENTS:
            return
        self._events.addItem(event_words(event))
        self._events.scrollToBottom()

    def _show(self, run: HarnessRun) -> None:
        self._is_running = False
        data = run.document.data
        self._output.setPlainText(block(str(data.get("output") or ""), 200_000))
        status = str(data.get("status") or "")
        severity = Severity.GOOD if run.exit_code == 0 else Severity.WARN
        cost = figures.money(float(data.get("cost_usd") or 0.0))
        said = self.tr("{status} · {turns} turns · {cost}").format(
            status=status_words(status), turns=figures.whole(int(data.get("turns") or 0)), cost=cost
        )
        if data.get("reason"):
            said += f" · {one_line(spoken(str(data['reason'])), 300)}"
        if run.drafted:
            said += " · " + self.tr("A proposal was drafted; it waits for you.")
        self._said.show_hint(said, severity)
        self._judge()

    def _fail(self, error: Exception) -> None:
        self._is_running = False
        sentence = said_of(error)
        self._said.show_hint(sentence, Severity.BAD)
        self._judge()

    def _on_stop(self) -> None:
        self._stop = "stopped by a person"
        self._said.show_hint(self.tr("It stops after the call that is under way; what was paid for is kept."))
        self._judge()

    def _on_closed(self) -> None:
        self._stop = "the window was closed"
        self._tasks.close()


def event_words(event: Mapping[str, Any]) -> str:
    """Return a journal event as one line: what it is, and the one thing that tells most."""
    kind = str(event.get("type") or event.get("event") or "").replace("_", " ")
    payload = event.get("payload")
    payload = payload if isinstance(payload, Mapping) else {}
    for name in ("tool", "name", "validator", "guardrail", "status", "reason", "model", "feedback"):
        value = payload.get(name)
        if isinstance(value, str) and value:
            return f"{kind} · {one_line(value, 120)}"
    return kind or "…"
