"""A new run: choose a target, see the plan and what would be sent, set the ceiling, start, follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QStackedWidget, QWidget

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.dialogs.run_planning import RunPlanning
from honeyguide.desktop.said import said_of, spoken
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import Role, Type
from honeyguide.desktop.widgets.buttons import Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.run_progress import RunProgress
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import RunResult, WorkspaceEvent


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
        self._stop_listening = desk.live.listen(self._hear)
        self.pages = QStackedWidget()
        self.body.addWidget(self.pages, 1)
        self.planning = RunPlanning(desk, self.tasks, target)
        self.pages.addWidget(self.planning)
        self.progress = RunProgress()
        self.pages.addWidget(self.progress)
        self._error = HintBar("", Severity.BAD, closable=False, name="new-run-error")
        self.body.addWidget(self._error)
        self._make_buttons()
        self.planning.judged.connect(self._judge)
        self.planning.failed.connect(self._fail)
        self.finished.connect(lambda _: self._end())
        self._judge()
        self.planning.search.setFocus()
        self.planning.begin()

    # --- making

    def _make_buttons(self) -> None:
        self.model_line = PlainLabel(self.planning.models_line(), Type.CAPTION, Role.TEXT_2, wrap=False)
        self._left.addWidget(self.model_line)
        self.connect_model = self.add_button(self.tr("Connect a model…"), "new-run-connect", look=Look.LINK, left=True)
        self.connect_model.clicked.connect(lambda: self.desk.do("connect-model"))
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

    def _judge(self) -> None:
        reason = self.tr("It is running.") if self.started is not None else self.planning.against()
        self.go.set_allowed(not reason, reason)
        self.go.setText(self.planning.start_words())

    # --- running

    async def _start(self) -> None:
        plan = self.planning.report
        if plan is None or not self.go.isEnabled():
            return
        self.go.set_allowed(False, self.tr("It is starting."))
        options = self.planning.options().confirmed()
        ceiling = options.max_calls or int(plan.to_json()["calls"]["high"])
        self.progress.set_ceiling(ceiling, options.max_usd, costs_money=plan.costs_money)
        self.progress.set_run(0, 0.0, False)
        self.pages.setCurrentWidget(self.progress)
        self._show_buttons(running=True)
        workspace, target = self.desk.workspace, self.planning.target
        try:
            self.started = await workspace.start_run(target, options, origin=self.desk.origin)
        except HoneyguideError as error:
            self.pages.setCurrentWidget(self.planning)
            self._show_buttons(running=False)
            self._fail(error)
            self._judge()
            return
        self.planning.keep_preset()
        await self.planning.keep_together()
        uuid = self.started
        self.tasks.latest("result", lambda: workspace.wait_run(uuid), self._show_result, failed=self._on_broken)

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
        self.close_button.setText(self.tr("Close"))
        self.close_button.setAccessibleName(self.close_button.text())

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

    def _fail(self, error: Exception | None) -> None:
        if error is None:
            self._error.show_hint("")
            return
        said = said_of(error)
        self._error.show_hint(said, Severity.BAD)

    def _end(self) -> None:
        self._stop_listening()
        self.tasks.close()
