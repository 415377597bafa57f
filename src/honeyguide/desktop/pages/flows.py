"""Markdown flows: the proposals for them, what each changes, and what a person decides."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.accept import RejectDialog
from honeyguide.desktop.dialogs.files import ask_folder
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.models.flows import FlowLine, FlowModel
from honeyguide.desktop.pages.flow_detail import FlowDetailPanel
from honeyguide.desktop.pages.flow_proposing import FlowProposing
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.kernel.clock import parse_iso

if TYPE_CHECKING:
    from honeyguide.workspace import FlowList, FlowRunDetail, WorkspaceEvent


class FlowsPage(Page):
    """The list over the difference; apply, reject, roll back below."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "flows", desk.window.tr("Flows"))
        self._detail: FlowRunDetail | None = None
        self._wanted: str | None = None
        self.bring = Button(self.tr("Bring runs of mdflow in…"), "flow-import", icon="import")
        self.propose = Button(self.tr("Propose a change…"), "flow-propose", look=Look.PRIMARY, icon="plus")
        self.working = HintBar("", Severity.INFO, closable=False, name="flow-working")
        self.proposing = FlowProposing(desk, self.tasks, self.working, self._on_proposed)
        self.head.addStretch(1)
        self.head.addWidget(self.bring)
        self.head.addWidget(self.propose)
        self.column.addWidget(self.working)
        self.model = FlowModel(self)
        self.table = DataTable("flow-table", self.tr("Proposals for flows"), self.model)
        self.list_stack = StateStack(self.table)
        self.panel = FlowDetailPanel()
        self.diff = self.panel.diff
        self.apply, self.reject, self.roll_back = self.panel.apply, self.panel.reject, self.panel.roll_back
        self.detail_stack = StateStack(self.panel)
        self.detail_stack.show_empty(self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="flows")
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list_stack)
        self.splitter.addWidget(self.detail_stack)
        self.splitter.setSizes([240, 420])
        self.column.addWidget(self.splitter, 1)
        self.table.current_changed.connect(self._on_current)
        self.list_stack.acted.connect(self._on_state)
        self.propose.clicked.connect(lambda _: self._on_propose())
        self.bring.clicked.connect(lambda _: self._on_bring())
        self.apply.clicked.connect(lambda: self.tasks.start(self._apply(), "apply a flow"))
        self.reject.clicked.connect(lambda: self.tasks.start(self._reject(), "reject a flow"))
        self.roll_back.clicked.connect(lambda: self.tasks.start(self._roll_back(), "roll a flow back"))
        desk.window.single_keys.attach(self.table, self.diff.view)  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the flows…"))

    # --- the page

    def read(self) -> None:
        failed = self.show_failure(self.list_stack)
        self.tasks.latest("flows", self.desk.workspace.flow_runs, self._show, failed=failed)

    def show_item(self, item: object) -> None:
        self._wanted = str(item)
        if self.table.select_key(self._wanted):
            self._wanted = None

    def first_focus(self) -> QWidget:
        return self.table if self.model.total else self.propose

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith("flow")

    def handlers(self) -> Handlers:
        return {
            "refresh": Handler(self.read),
            "propose-flow": Handler(self._on_propose),
            "accept": Handler(lambda: self.tasks.start(self._apply(), "apply a flow"), lambda: _off(self.apply)),
            "reject": Handler(lambda: self.tasks.start(self._reject(), "reject a flow"), lambda: _off(self.reject)),
            "roll-back": Handler(
                lambda: self.tasks.start(self._roll_back(), "roll a flow back"), lambda: _off(self.roll_back)
            ),
            "next-change": Handler(self.diff.view.next_change),
            "previous-change": Handler(self.diff.view.previous_change),
        }

    # --- showing

    def _show(self, found: FlowList) -> None:
        keep = self._wanted or self.table.current_key()
        self._wanted = None
        runs = [row.run for row in found.runs]
        self.model.set_rows(
            FlowLine(
                run.id,
                run.status.value,
                run.flow_path.name or run.flow_id,
                run.reason,
                parse_iso(run.created_at),
                f"{run.flow_path}\n{run.flow_id}".strip(),
            )
            for run in runs
        )
        if found.damaged:
            said = self.tr("The state of some proposals cannot be read: {ids}.").format(
                ids=", ".join(found.damaged[:5])
            )
            self.desk.notify.warn("flows-damaged", said)
        self.detail_stack.setVisible(bool(runs))
        if runs:
            self.list_stack.show_content()
            if not (keep and self.table.select_key(keep)):
                self.table.select_key(self.model.row_at(0).id)
            return
        self.list_stack.show_empty(
            self.tr("No proposal for a flow"),
            self.tr(
                "A flow is a prompt in a markdown file that runs as a command. What its maintainer proposes stands "
                "here, proven on the flow's own suite, until you apply or reject it."
            ),
            [
                StateAction("propose", self.tr("Propose a change…"), "plus"),
                StateAction("bring", self.tr("Bring runs of mdflow in…"), "import"),
            ],
            icon="flows",
        )

    def _on_current(self, key: object) -> None:
        if key:
            self.tasks.latest("flow", lambda: self._load(str(key)), self._show_detail, delay_ms=DEBOUNCE_MS)

    async def _load(self, run_id: str) -> tuple[FlowRunDetail, Any]:
        from honeyguide.workspace import diff_view

        detail = await self.desk.workspace.flow_run(run_id)
        diff = await asyncio.to_thread(diff_view, detail.before, detail.after) if detail.after else None
        return detail, diff

    def _show_detail(self, found: tuple[FlowRunDetail, Any]) -> None:
        detail, diff = found
        self._detail = detail
        self.detail_stack.show_content()
        self.panel.show_run(detail, diff.rows if diff is not None else None)
        self.actions_changed.emit()

    # --- doing

    def _on_state(self, name: str) -> None:
        {"bring": self._on_bring, "propose": self._on_propose}.get(name, self.read)()

    def _on_propose(self) -> None:
        self.proposing.begin(self._detail.run if self._detail is not None else None)

    def _on_proposed(self, run_id: str) -> None:
        self._wanted = run_id or None
        self.read()

    def _on_bring(self) -> None:
        self.tasks.start(self._bring(), "bring runs in")

    async def _bring(self) -> None:
        folder = await ask_folder(self.desk.window, self.tr("A folder with runs of mdflow"))
        if folder is None:
            return
        found = await self.desk.workspace.import_flow_runs(folder, origin=self.desk.origin)
        said = self.tr("{runs} runs and {problems} reported problems came in; {known} were known.").format(
            runs=len(found.runs), problems=len(found.feedback), known=len(found.known) + len(found.feedback_known)
        )
        if found.problems:
            self.desk.notify.warn("flow-import", f"{said} {one_line(str(found.problems[0]), 200)}")
        else:
            self.desk.notify.info(said)
        self.read()

    async def _apply(self) -> None:
        detail = self._detail
        if detail is None:
            return
        run = detail.run
        adds = bool(run.capability_diff and (run.capability_diff.get("added") or run.capability_diff.get("additions")))
        text = self.tr("This changes {path}. It can be rolled back.").format(path=run.flow_path)
        if adds:
            text += " " + self.tr("It adds capabilities: the flow could do something that it could not do before.")
        words = self.tr("Apply with new capabilities") if adds else self.tr("Apply")
        dialog = ConfirmDialog("flow-apply-dialog", self.tr("Apply this proposal?"), text, words, self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.apply_flow(run.id, approve_capabilities=adds, origin=self.desk.origin)
            self.desk.notify.info(self.tr("Applied."))
            self.read()

    async def _reject(self) -> None:
        detail = self._detail
        if detail is None:
            return
        dialog = RejectDialog(detail.run.flow_id or detail.run.flow_path.name, "", self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.reject_flow(detail.run.id, reason=dialog.reason(), origin=self.desk.origin)
            self.read()

    async def _roll_back(self) -> None:
        detail = self._detail
        if detail is None:
            return
        text = self.tr("{path} becomes again what it was before.").format(path=detail.run.flow_path)
        title, words = self.tr("Roll this flow back?"), self.tr("Roll back")
        dialog = ConfirmDialog("flow-rollback-dialog", title, text, words, self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.rollback_flow(detail.run.id, origin=self.desk.origin)
            self.desk.notify.info(self.tr("Rolled back."))
            self.read()


def _off(button: Button) -> str:
    return (
        "" if button.isEnabled() and button.isVisible() else button.accessibleDescription() or button.toolTip() or "–"
    )
