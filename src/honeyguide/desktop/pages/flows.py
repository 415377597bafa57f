"""Markdown flows: the proposals for them, what each changes, and what a person decides."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QObject, Qt
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.accept import RejectDialog
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.models.cells import Cell
from honeyguide.desktop.models.columns import Column
from honeyguide.desktop.models.indexed import IndexedTableModel
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.diff import DiffPanel
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.states import StateStack
from honeyguide.kernel.clock import parse_iso

if TYPE_CHECKING:
    from honeyguide.workspace import FlowList, FlowRunDetail, WorkspaceEvent


WAITING = ("verified_improvement", "regression_safe")
"""States in which a person decides."""


@dataclass(frozen=True, slots=True)
class FlowLine:
    """One proposal."""

    id: str
    status: str
    flow: str
    reason: str
    created_at: datetime


class FlowModel(IndexedTableModel[FlowLine]):
    """All proposals for flows."""

    def __init__(self, parent: QObject | None = None) -> None:
        tr = QCoreApplication.translate
        super().__init__(
            (
                Column("status", tr("FlowModel", "State"), 18, fixed=True),
                Column("flow", tr("FlowModel", "Flow"), 26, fixed=True),
                Column("reason", tr("FlowModel", "Why"), 40, stretch=True),
                Column("created_at", tr("FlowModel", "Age"), 9, right=True),
            ),
            parent,
        )

    def key(self, row: FlowLine) -> str:
        return row.id

    def raw(self, row: FlowLine, column: int) -> Any:
        value = getattr(row, self.columns[column].id)
        return value.isoformat() if isinstance(value, datetime) else value

    def cell(self, row: FlowLine, column: int) -> Cell:
        name = self.columns[column].id
        if name == "status":
            words, role, icon = status_look(row.status)
            return Cell(words, role, icon, strong=row.status in WAITING)
        if name == "created_at":
            age = figures.age(row.created_at, datetime.now(UTC))
            return Cell(age, Role.TEXT_2, right=True, tip=figures.exact_time(row.created_at))
        return Cell(one_line(getattr(row, name)), Role.TEXT if name == "flow" else Role.TEXT_2)


class FlowsPage(Page):
    """The list over the difference; apply, reject, roll back below."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "flows", desk.window.tr("Flows"))
        self._detail: FlowRunDetail | None = None
        self.head.addStretch(1)
        self.model = FlowModel(self)
        self.table = DataTable("flow-table", self.tr("Proposals for flows"), self.model)
        self.list_stack = StateStack(self.table)
        self.diff = DiffPanel()
        self.diff.set_editable(False)
        self.about = PlainLabel("", Type.CAPTION, Role.TEXT_2, selectable=True)
        self.doubt = HintBar("", Severity.WARN, closable=False, name="flow-doubt")
        self.apply = Button(self.tr("Apply…"), "flow-apply", look=Look.PRIMARY, icon="deploy")
        self.reject = Button(self.tr("Reject…"), "flow-reject", icon="cross")
        self.roll_back = Button(self.tr("Roll back…"), "flow-roll-back", icon="rollback")
        detail = QWidget()
        column = QVBoxLayout(detail)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.about)
        column.addWidget(self.doubt)
        column.addWidget(self.diff, 1)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addStretch(1)
        for button in (self.roll_back, self.reject, self.apply):
            row.addWidget(button)
        column.addLayout(row)
        self.detail_stack = StateStack(detail)
        self.detail_stack.show_empty(self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="flows")
        self.splitter = QSplitter(Qt.Orientation.Vertical)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.addWidget(self.list_stack)
        self.splitter.addWidget(self.detail_stack)
        self.splitter.setSizes([240, 420])
        self.column.addWidget(self.splitter, 1)
        self.table.current_changed.connect(self._on_current)
        self.list_stack.acted.connect(lambda _: self.read())
        self.apply.clicked.connect(lambda: self.tasks.start(self._apply(), "apply a flow"))
        self.reject.clicked.connect(lambda: self.tasks.start(self._reject(), "reject a flow"))
        self.roll_back.clicked.connect(lambda: self.tasks.start(self._roll_back(), "roll a flow back"))
        desk.window.single_keys.attach(self.table, self.diff.view)  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the flows…"))

    # --- the page

    def read(self) -> None:
        failed = self.show_failure(self.list_stack)
        self.tasks.latest("flows", self.desk.workspace.flow_runs, self._show, failed=failed)

    def first_focus(self) -> QWidget:
        return self.table

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith("flow")

    def handlers(self) -> Handlers:
        return {
            "refresh": Handler(self.read),
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
        keep = self.table.current_key()
        runs = [row.run for row in found.runs]
        self.model.set_rows(
            FlowLine(run.id, run.status.value, run.flow_id or run.flow_path.name, run.reason, parse_iso(run.created_at))
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
                "here, proven on the flow's own suite. Begin one with: honeyguide flow propose FLOW.md"
            ),
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
        run = detail.run
        self.detail_stack.show_content()
        calls = self.tr("{done} of {planned} calls").format(
            done=run.actual_invocations, planned=run.planned_invocations
        )
        self.about.set_text(" · ".join(part for part in (str(run.flow_path), calls, run.reason) if part))
        doubts = list(detail.doubts)
        if detail.receipt_state == "stale":
            doubts.append(self.tr("The proof is older than what it speaks of: {reasons}").format(
                reasons=", ".join(detail.receipt_changed or ())))  # fmt: skip
        if not detail.journal_is_whole:
            doubts.append(self.tr("The journal of this run was changed."))
        self.doubt.show_hint(" ".join(doubts), Severity.WARN)
        self.diff.set_rows(diff.rows if diff is not None else ())
        status = run.status.value
        closed = self.tr("It is not a proposal that waits.")
        self.apply.set_allowed(status in WAITING, closed)
        self.reject.set_allowed(status in (*WAITING, "inconclusive"), closed)
        self.roll_back.set_allowed(status == "applied", self.tr("It is not applied."))
        self.actions_changed.emit()

    # --- doing

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


def status_look(status: str) -> tuple[str, Role, str]:
    """Return words, colour and icon of a proposal's state; an unknown one without its hyphens."""
    tr = QCoreApplication.translate
    at_work = (tr("FlowModel", "at work"), Role.INFO, "running")
    return {
        "planned": at_work,
        "verifying": at_work,
        "drafting": at_work,
        "proposed": at_work,
        "verified_improvement": (tr("FlowModel", "better, proven"), Role.GOOD, "good"),
        "regression_safe": (tr("FlowModel", "safe, not proven"), Role.INFO, "shield"),
        "inconclusive": (tr("FlowModel", "cannot tell yet"), Role.WARN, "question"),
        "capability_rejected": (tr("FlowModel", "adds a capability"), Role.BAD, "lock"),
        "rejected": (tr("FlowModel", "worse"), Role.BAD, "bad"),
        "interrupted": (tr("FlowModel", "interrupted"), Role.WARN, "pause"),
        "applying": at_work,
        "applied": (tr("FlowModel", "applied"), Role.GOOD, "check"),
        "rolling_back": at_work,
        "rolled_back": (tr("FlowModel", "rolled back"), Role.INFO, "rollback"),
        "dismissed": (tr("FlowModel", "turned down"), Role.TEXT_2, "cross"),
    }.get(status, (status.replace("_", " "), Role.TEXT_2, "question"))
