"""A new run: choose a target, see the plan and what would be sent, set the ceiling, start, follow."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QStackedWidget, QTabWidget, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.dialogs.plan_view import DataView, OutboxView, PlanView
from honeyguide.desktop.dialogs.run_options import ROLES, AdvancedOptions, Ceilings, PresetChoice
from honeyguide.desktop.models.targets import TargetTableModel
from honeyguide.desktop.rows import models_words, target_line
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS, TaskScope
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.run_progress import RunProgress
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import PlanReport, RunOptions, RunResult, TargetRow, WorkspaceEvent

PLAN_REST_MS = 250


class NewRunDialog(Dialog):
    """May be closed at any time: a run that was started goes on and stands in the inbox.

    Attributes:
        started: the id of the run, once it was started.
        show_it: whether its result shall be shown.
    """

    def __init__(self, desk: Desk, tasks: TaskScope, parent: QWidget | None, *, target: str = "") -> None:
        super().__init__("new-run", desk.window.tr("New run"), parent, wide=154, high=42)
        self.desk = desk
        self.tasks = tasks.child("new run")
        self.started: str | None = None
        self.show_it = False
        self._target = target or desk.memory.text("new-run.target")
        self._plan: PlanReport | None = None
        self._stop_listening = desk.live.listen(self._hear)
        self.pages = QStackedWidget()
        self.body.addWidget(self.pages, 1)
        self.pages.addWidget(self._planning_page())
        self.progress = RunProgress()
        self.pages.addWidget(self.progress)
        self._error = HintBar("", Severity.BAD, closable=False, name="new-run-error")
        self.body.addWidget(self._error)
        self._make_buttons()
        self.finished.connect(lambda _: self._end())
        self._restore()
        self.search.setFocus()
        self.tasks.latest("targets", desk.workspace.targets, self._show_targets, failed=self._fail)

    # --- making

    def _planning_page(self) -> QWidget:
        from honeyguide.workspace import ModelRole

        self.search = SearchField("new-run-search", self.tr("Search targets"))
        self.model = TargetTableModel(self, brief=True)
        self.table = DataTable("new-run-targets", self.tr("Targets"), self.model)
        self.table.setSelectionMode(DataTable.SelectionMode.SingleSelection)
        for number, known in enumerate(self.model.columns):
            if not known.stretch:
                self.table.make_tight(number)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, Metrics.GAP, 0)
        column.setSpacing(Metrics.GAP)
        column.addWidget(PlainLabel(self.tr("What shall get better?"), strong=True))
        column.addWidget(self.search)
        column.addWidget(self.table, 1)
        self.preset = PresetChoice()
        self.ceilings = Ceilings()
        self.plan = PlanView()
        self.data = DataView()
        self.outbox = OutboxView()
        workspace = self.desk.workspace
        self._model_names = {role: str(workspace.model_for(ModelRole(role))) for role in ROLES}
        self.advanced = AdvancedOptions(self._model_names)
        self.baseline = named(QPlainTextEdit(), "new-run-baseline", self.tr("The text as it is now"))
        self.baseline.setReadOnly(True)
        self.baseline.setFont(Metrics.font(Type.PROSE))
        self.tabs = named(QTabWidget(), "new-run-tabs", self.tr("About the run"))
        self.tabs.setDocumentMode(True)
        for widget, words in (
            (self.plan, self.tr("Plan")),
            (self.baseline, self.tr("Text now")),
            (self.data, self.tr("Cases")),
            (self.outbox, self.tr("What would be sent")),
            (self.advanced, self.tr("Advanced")),
        ):
            self.tabs.addTab(widget, words)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(Metrics.GAP, 0, 0, 0)
        column.setSpacing(Metrics.GAP)
        column.addWidget(PlainLabel(self.tr("How much shall it look at?"), strong=True))
        column.addWidget(self.preset)
        column.addWidget(self.ceilings)
        column.addWidget(self.tabs, 1)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(right)
        splitter.setSizes([540, 480])
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(splitter)
        self.search.searched.connect(self._on_search)
        self.search.left_down.connect(self.table.setFocus)
        self.search.returnPressed.connect(self.table.setFocus)
        self.table.current_changed.connect(self._on_target)
        self.preset.changed.connect(self._replan)
        self.ceilings.changed.connect(self._on_ceiling)
        self.advanced.changed.connect(self._replan)
        self.tabs.currentChanged.connect(lambda _: self._load_tab())
        return page

    def _make_buttons(self) -> None:
        self.model_line = PlainLabel("", Type.CAPTION, Role.TEXT_2, wrap=False)
        self._left.addWidget(self.model_line)
        self.connect_model = self.add_button(self.tr("Connect a model…"), "new-run-connect", look=Look.LINK, left=True)
        self.connect_model.clicked.connect(lambda: self.tasks.start(self._connect(), "connect a model"))
        self.pause = self.add_button(self.tr("Pause"), "new-run-pause", icon="pause")
        self.pause.clicked.connect(self._on_pause)
        self.stop = self.add_button(
            self.tr("Stop"), "new-run-stop", icon="stop", tip=self.tr("What was paid for is kept.")
        )
        self.stop.clicked.connect(self._on_stop)
        self.close_button = self.add_cancel(is_default=False)
        self.go = self.add_button(self.tr("Start"), "new-run-start", look=Look.PRIMARY, icon="play")
        self.go.clicked.connect(lambda: self.tasks.start(self._start(), "start the run"))
        self.show_result = self.add_button(self.tr("Show the result"), "new-run-result", look=Look.PRIMARY)
        self.show_result.clicked.connect(self._on_result)
        for button in (self.pause, self.stop, self.show_result):
            button.hide()
        names = dict.fromkeys(models_words(name) for name in self._model_names.values())
        words = ", ".join(names)
        self.model_line.set_text(
            self.tr("With the practice model: free, nothing is sent.")
            if words == "practice"
            else self.tr("With {models}.").format(models=words)
        )
        self._judge()

    # --- planning

    def _show_targets(self, rows: Sequence[TargetRow]) -> None:
        self.model.set_rows([target_line(row) for row in rows])
        if not rows:
            self.plan.show_waiting(
                self.tr("There is no target yet. Add a file, or find your agents, from the File menu.")
            )
            return
        wanted = self._target
        if not (wanted and self.table.select_key(wanted)):
            most = max(self.model.all_rows(), key=lambda row: row.traces)
            self.table.select_key(most.id)

    def _on_search(self, text: str) -> None:
        self.model.search(text)
        if self.table.current_key() is None and self.model.rowCount():
            self.table.select_key(self.model.row_at(0).id)

    def _on_target(self, key: object) -> None:
        self._target = str(key) if key else ""
        self.desk.memory.set("new-run.target", self._target or None)
        self._replan(delay=DEBOUNCE_MS)
        self._load_tab()

    def _replan(self, *, delay: int = PLAN_REST_MS) -> None:
        self._plan = None
        self._judge()
        if not self._target:
            self.plan.show_waiting(self.tr("Choose a target."))
            return
        try:
            options = self.options()
        except HoneyguideError as error:
            self._fail(error)
            return
        self._error.show_hint("")
        target = self._target
        self.tasks.latest(
            "plan",
            lambda: self.desk.workspace.plan(target, options),
            self._show_plan,
            failed=self._fail,
            delay_ms=delay,
        )

    def _show_plan(self, report: PlanReport) -> None:
        self._plan = report
        self.ceilings.set_costs_money(report.costs_money)
        self.plan.show_plan(report, self.advanced.concurrency.value())
        self._judge()

    def _on_ceiling(self) -> None:
        self.desk.memory.set("new-run.max-calls", self.ceilings.calls.value() or None)
        self.desk.memory.set("new-run.max-usd", self.ceilings.usd.value() or None)
        self._judge()

    def _load_tab(self) -> None:
        target, widget = self._target, self.tabs.currentWidget()
        if not target:
            return
        workspace, seed = self.desk.workspace, self.advanced.seed.value()
        if widget is self.baseline:
            self.tasks.latest(
                "baseline", lambda: workspace.target(target),
                lambda detail: self.baseline.setPlainText(block(detail.text, 200_000)),
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip
        elif widget is self.data:
            self.tasks.latest(
                "data", lambda: workspace.build_dataset(target, seed=seed), self.data.show_report,
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip
        elif widget is self.outbox:
            self.tasks.latest(
                "outbox", lambda: workspace.preview_requests(target, self.options()), self.outbox.show_requests,
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip

    def options(self) -> RunOptions:
        """Return what was chosen. Raises InvalidInput."""
        from honeyguide.workspace import ModelRef, ModelRole, RunOptions

        values: dict[str, Any] = self.advanced.values()
        values["models"] = {ModelRole(role): ModelRef.parse(name) for role, name in values["models"].items()}
        return RunOptions(
            preset=self.preset.preset(), max_calls=self.ceilings.max_calls(), max_usd=self.ceilings.max_usd(), **values
        )

    def _judge(self) -> None:
        reason = ""
        plan = self._plan
        if self.started is not None:
            reason = self.tr("It is running.")
        elif not self._target:
            reason = self.tr("Choose a target.")
        elif plan is None:
            reason = self.tr("The plan is being made…")
        elif not plan.to_json()["ready"]:
            reason = " ".join(spoken(r["message"]) for r in plan.to_json()["reasons"])
        elif plan.price_is_unknown and self.ceilings.max_calls() is None:
            reason = self.tr("The price is not known: set a ceiling on calls.")
        elif plan.costs_money and self.ceilings.max_usd() is None and not plan.price_is_unknown:
            reason = self.tr("Set a ceiling on money.")
        self.go.set_allowed(not reason, reason)
        words = self.tr("Start")
        if plan is not None and plan.costs_money and self.ceilings.max_usd():
            words = self.tr("Start, for at most {cost}").format(cost=figures.money(self.ceilings.max_usd()))
        self.go.setText(words)

    async def _connect(self) -> None:
        self.desk.do("connect-model")

    # --- running

    async def _start(self) -> None:
        plan = self._plan
        if plan is None or not self.go.isEnabled():
            return
        self.go.set_allowed(False, self.tr("It is starting."))
        options = self.options().confirmed()
        ceiling = options.max_calls or int(plan.to_json()["calls"]["high"])
        self.progress.set_ceiling(ceiling, options.max_usd, costs_money=plan.costs_money)
        self.progress.set_run(0, 0.0, False)
        self.pages.setCurrentWidget(self.progress)
        self._show_buttons(running=True)
        try:
            self.started = await self.desk.workspace.start_run(self._target, options, origin=self.desk.origin)
        except HoneyguideError as error:
            self.pages.setCurrentIndex(0)
            self._show_buttons(running=False)
            self._fail(error)
            self._judge()
            return
        self.desk.memory.set("new-run.preset", self.preset.preset())
        uuid = self.started
        self.tasks.latest(
            "result", lambda: self.desk.workspace.wait_run(uuid), self._show_result, failed=self._on_broken
        )

    def _hear(self, events: Sequence[WorkspaceEvent]) -> None:
        for event in events:
            if event.kind == "run:progress" and event.subject == self.started:
                self.progress.take(event.data)

    def _show_result(self, result: RunResult) -> None:
        self.progress.take({"phase": "done", "message": spoken(str(result.payload.get("reason") or ""))})
        self.pause.hide()
        self.stop.hide()
        self.show_result.show()
        self.show_result.setDefault(True)
        self.show_result.setFocus()

    def _on_broken(self, error: Exception) -> None:
        self.pause.hide()
        self.stop.hide()
        self.show_result.show()
        self._fail(error)

    def _on_pause(self) -> None:
        uuid = self.started
        if uuid is None or uuid not in self.desk.workspace.active_runs():
            return
        paused = not self.desk.workspace.is_paused(uuid)
        if paused:
            self.desk.workspace.pause_run(uuid)
        else:
            self.desk.workspace.continue_run(uuid)
        self.pause.setText(self.tr("Go on") if paused else self.tr("Pause"))
        self.pause.set_icon("play" if paused else "pause")
        self.progress.set_paused(paused)

    def _on_stop(self) -> None:
        if self.started is not None:
            self.stop.set_allowed(False, self.tr("Stopping…"))
            self.tasks.start(self.desk.workspace.cancel_run(self.started), "stop the run")

    def _on_result(self) -> None:
        self.show_it = True
        self.accept()

    def _show_buttons(self, *, running: bool) -> None:
        for button in (self.pause, self.stop):
            button.setVisible(running)
        for button in (self.go, self.connect_model):
            button.setVisible(not running)
        self.model_line.setVisible(not running)
        self.close_button.setText(self.tr("Close (it goes on)") if running else self.tr("Cancel"))
        self.close_button.setAccessibleName(self.close_button.text())

    # --- inside

    def _fail(self, error: Exception) -> None:
        if isinstance(error, asyncio.CancelledError):
            return
        said = f"{error.message} {error.hint}".strip() if isinstance(error, HoneyguideError) else str(error)
        self._error.show_hint(said, Severity.BAD)
        self.plan.show_waiting("") if self._plan is None else None

    def _end(self) -> None:
        self._stop_listening()
        self.tasks.close()

    def _restore(self) -> None:
        memory = self.desk.memory
        self.preset.set_preset(memory.text("new-run.preset", str(self.desk.workspace.setting("runs.preset"))))
        calls, usd = memory.get("new-run.max-calls"), memory.get("new-run.max-usd")
        if isinstance(calls, int):
            self.ceilings.calls.setValue(calls)
        if isinstance(usd, int | float):
            self.ceilings.usd.setValue(float(usd))
        self.ceilings.set_costs_money(False)
