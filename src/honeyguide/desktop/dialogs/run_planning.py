"""The planning of a run as a form: the target, how much to look at, the ceilings, and what the plan says to it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPlainTextEdit, QSplitter, QTabWidget, QVBoxLayout, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.plan_view import DataView, OutboxView, PlanView
from honeyguide.desktop.dialogs.run_options import ROLES, AdvancedOptions, Ceilings, PresetChoice
from honeyguide.desktop.dialogs.together import TogetherList
from honeyguide.desktop.models.targets import TargetTableModel
from honeyguide.desktop.rows import models_words, target_line
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS, TaskScope
from honeyguide.desktop.theme import Metrics, Type, figures
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import PlanReport, RunOptions, TargetRow

PLAN_REST_MS = 250


class RunPlanning(QWidget):
    """Makes a plan anew whenever something is chosen; what was chosen comes back the next time.

    Signals:
        judged(): whether a run can be started, and at what price, has to be said anew.
        failed(error): something could not be read; ``None`` when all is well again.
    """

    judged = Signal()
    failed = Signal(object)

    def __init__(self, desk: Desk, tasks: TaskScope, target: str) -> None:
        super().__init__()
        from honeyguide.workspace import ModelRole

        self._desk = desk
        self._tasks = tasks
        self.target = target or desk.memory.text("new-run.target")
        self.report: PlanReport | None = None
        workspace = desk.workspace
        self._model_names = {role: str(workspace.model_for(ModelRole(role))) for role in ROLES}
        self.search = SearchField("new-run-search", self.tr("Search targets"))
        self.model = TargetTableModel(self, brief=True)
        self.table = DataTable("new-run-targets", self.tr("Targets"), self.model)
        self.together = TogetherList()
        words = self.tr("Every run of this target from now on")
        self.keep = named(QCheckBox(words), "new-run-together-keep", words)
        self.preset = PresetChoice()
        self.ceilings = Ceilings()
        self.plan = PlanView()
        self.data = DataView()
        self.outbox = OutboxView()
        self.advanced = AdvancedOptions(self._model_names)
        self.baseline = named(QPlainTextEdit(), "new-run-baseline", self.tr("The text as it is now"))
        self.baseline.setReadOnly(True)
        self.baseline.setFont(Metrics.font(Type.PROSE))
        self.tabs = named(QTabWidget(), "new-run-tabs", self.tr("About the run"))
        self._compose()
        self._restore()
        self._connect()

    # --- what is chosen

    def begin(self) -> None:
        """Read the targets."""
        self._tasks.latest("targets", self._desk.workspace.targets, self._show_targets, failed=self._fail)

    def options(self) -> RunOptions:
        """Return what was chosen. Raises InvalidInput."""
        from honeyguide.workspace import ModelRef, ModelRole, RunOptions

        values: dict[str, Any] = self.advanced.values()
        values["models"] = {ModelRole(role): ModelRef.parse(name) for role, name in values["models"].items()}
        together = self.together.chosen()
        return RunOptions(
            together=together,
            alone=not together,
            preset=self.preset.preset(),
            max_calls=self.ceilings.max_calls(),
            max_usd=self.ceilings.max_usd(),
            **values,
        )

    def against(self) -> str:
        """Return why no run can be started with what is chosen; an empty text when one can."""
        plan = self.report
        if not self.target:
            return self.tr("Choose a target.")
        if plan is None:
            return self.tr("The plan is being made…")
        if not plan.to_json()["ready"]:
            return " ".join(spoken(r["message"]) for r in plan.to_json()["reasons"])
        if plan.price_is_unknown and self.ceilings.max_calls() is None:
            return self.tr("The price is not known: set a ceiling on calls.")
        if plan.costs_money and self.ceilings.max_usd() is None and not plan.price_is_unknown:
            return self.tr("Set a ceiling on money.")
        return ""

    def start_words(self) -> str:
        """Return what the button says that starts the run."""
        plan = self.report
        if plan is not None and plan.costs_money and self.ceilings.max_usd():
            return self.tr("Start, for at most {cost}").format(cost=figures.money(self.ceilings.max_usd()))
        return self.tr("Start")

    def models_line(self) -> str:
        """Return who answers, in a sentence."""
        words = ", ".join(dict.fromkeys(models_words(name) for name in self._model_names.values()))
        if words == "practice":
            return self.tr("With the practice model: free, nothing is sent.")
        return self.tr("With {models}.").format(models=words)

    async def keep_together(self) -> None:
        """Let what was ticked stand together in every run, if that was asked for."""
        if not self.keep.isChecked():
            return
        chosen, standing = self.together.chosen(), self.together.standing
        if gone := [other for other in standing if other not in chosen]:
            await self._desk.workspace.part_targets(self.target, gone)
        if chosen:
            await self._desk.workspace.join_targets(self.target, chosen)

    def keep_preset(self) -> None:
        """Offer the chosen preset the next time too."""
        self._desk.memory.set("new-run.preset", self.preset.preset())

    # --- planning

    def _show_targets(self, rows: Sequence[TargetRow]) -> None:
        self.model.set_rows([target_line(row) for row in rows])
        if not rows:
            self.plan.show_waiting(
                self.tr("There is no target yet. Add a file, or find your agents, from the File menu.")
            )
            return
        wanted = self.target
        if not (wanted and self.table.select_key(wanted)):
            most = max(self.model.all_rows(), key=lambda row: row.traces)
            self.table.select_key(most.id)

    def _on_search(self, text: str) -> None:
        self.model.search(text)
        if self.table.current_key() is None and self.model.rowCount():
            self.table.select_key(self.model.row_at(0).id)

    def _on_target(self, key: object) -> None:
        self.target = str(key) if key else ""
        self._desk.memory.set("new-run.target", self.target or None)
        self.together.offer(self.model.all_rows(), self.target)
        self.keep.setChecked(False)
        self._replan(delay=DEBOUNCE_MS)
        self._load_tab()

    def _on_together(self) -> None:
        self._replan()
        self._load_tab()

    def _replan(self, *, delay: int = PLAN_REST_MS) -> None:
        self.report = None
        self.judged.emit()
        if not self.target:
            self.plan.show_waiting(self.tr("Choose a target."))
            return
        try:
            options = self.options()
        except HoneyguideError as error:
            self._fail(error)
            return
        self.failed.emit(None)
        target, plan = self.target, self._desk.workspace.plan
        self._tasks.latest("plan", lambda: plan(target, options), self._show_plan, failed=self._fail, delay_ms=delay)

    def _show_plan(self, report: PlanReport) -> None:
        self.report = report
        self.ceilings.set_costs_money(report.costs_money)
        self.plan.show_plan(report, self.advanced.concurrency.value())
        self.judged.emit()

    def _on_ceiling(self) -> None:
        self._desk.memory.set("new-run.max-calls", self.ceilings.calls.value() or None)
        self._desk.memory.set("new-run.max-usd", self.ceilings.usd.value() or None)
        self.judged.emit()

    def _load_tab(self) -> None:
        target, widget = self.target, self.tabs.currentWidget()
        if not target:
            return
        workspace, seed = self._desk.workspace, self.advanced.seed.value()
        if widget is self.baseline:
            self._tasks.latest(
                "baseline", lambda: workspace.target(target),
                lambda detail: self.baseline.setPlainText(block(detail.text, 200_000)),
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip
        elif widget is self.data:
            together = self.together.chosen()
            self._tasks.latest(
                "data", lambda: workspace.build_dataset(target, seed=seed, together=together), self.data.show_report,
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip
        elif widget is self.outbox:
            self._tasks.latest(
                "outbox", lambda: workspace.preview_requests(target, self.options()), self.outbox.show_requests,
                failed=self._fail, delay_ms=DEBOUNCE_MS,
            )  # fmt: skip

    def _fail(self, error: Exception) -> None:
        if isinstance(error, asyncio.CancelledError):
            return
        self.failed.emit(error)
        if self.report is None:
            self.plan.show_waiting("")

    # --- making

    def _compose(self) -> None:
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
        caption = PlainLabel(self.tr("Together with (their texts change in the same run and go live in one step):"))
        caption.setBuddy(self.together)
        column.addWidget(caption)
        column.addWidget(self.together)
        column.addWidget(self.keep)
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
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(splitter)

    def _connect(self) -> None:
        self.search.searched.connect(self._on_search)
        self.search.left_down.connect(self.table.setFocus)
        self.search.returnPressed.connect(self.table.setFocus)
        self.table.current_changed.connect(self._on_target)
        self.together.changed.connect(self._on_together)
        self.preset.changed.connect(self._replan)
        self.ceilings.changed.connect(self._on_ceiling)
        self.advanced.changed.connect(self._replan)
        self.tabs.currentChanged.connect(lambda _: self._load_tab())

    def _restore(self) -> None:
        memory = self._desk.memory
        self.preset.set_preset(memory.text("new-run.preset", str(self._desk.workspace.setting("runs.preset"))))
        calls, usd = memory.get("new-run.max-calls"), memory.get("new-run.max-usd")
        if isinstance(calls, int):
            self.ceilings.calls.setValue(calls)
        if isinstance(usd, int | float):
            self.ceilings.usd.setValue(float(usd))
        self.ceilings.set_costs_money(False)
