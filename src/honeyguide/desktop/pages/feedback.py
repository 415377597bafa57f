"""Feedback: problems that people reported in their own words, and their life."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.distilled import DistilledDialog
from honeyguide.desktop.dialogs.exporting import export_table
from honeyguide.desktop.dialogs.feedback import FeedbackDialog
from honeyguide.desktop.dialogs.small import ChoiceDialog, ConfirmDialog
from honeyguide.desktop.models.feedback import FeedbackModel, Problem, state_look
from honeyguide.desktop.notify import Step
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.undo import Undoable
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.kernel.clock import parse_iso

if TYPE_CHECKING:
    from honeyguide.workspace import FeedbackDetail, FeedbackItem, FeedbackList, WorkspaceEvent


class FeedbackPage(Page):
    """The list at the left, one problem at the right."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "feedback", desk.window.tr("Feedback"))
        self._detail: FeedbackDetail | None = None
        self._wanted: str | None = None
        self.search = SearchField("feedback-search", self.tr("Search problems"))
        self.search.setMaximumWidth(Metrics.characters(38))
        self.state = named(QComboBox(), "feedback-state", self.tr("State"))
        self.state.addItem(self.tr("every state"), "")
        for name in ("open", "targeted", "resolved", "dismissed"):
            self.state.addItem(state_look(name)[0], name)
        self.report = Button(self.tr("Report a problem…"), "feedback-add", look=Look.PRIMARY, icon="plus")
        self.head.addStretch(1)
        self.head.addWidget(self.search, 2)
        self.head.addWidget(self.state)
        self.head.addWidget(self.report)
        self.model = FeedbackModel(self)
        self.table = DataTable("feedback-table", self.tr("Reported problems"), self.model)
        self.list_stack = StateStack(self.table)
        self._compose()
        self._connect()
        desk.window.single_keys.attach(self.table)  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the problems…"))

    # --- the page

    def read(self) -> None:
        state = self.state.currentData() or None
        self.tasks.latest(
            "feedback",
            lambda: self.desk.workspace.list_feedback(state=state),
            self._show,
            failed=self.show_failure(self.list_stack),
        )

    def show_item(self, item: object) -> None:
        self._wanted = str(item)
        if self.table.select_key(self._wanted):
            self._wanted = None

    def first_focus(self) -> QWidget:
        return self.table if self.model.total else self.report

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith("feedback")

    def handlers(self) -> Handlers:
        return {
            "find": Handler(self.search.setFocus),
            "refresh": Handler(self.read),
            "export-rows": Handler(
                lambda: self.tasks.start(export_table(self.desk, self.table, "feedback"), "export feedback"),
                lambda: "" if self.model.total else self.tr("The list is empty."),
            ),
        }

    # --- showing

    def _show(self, found: FeedbackList) -> None:
        keep = self._wanted or self.table.current_key()
        items = sorted(found.items, key=lambda item: item.created_at, reverse=True)
        self.model.set_rows(Problem(i.id, i.state.value, i.message, i.name, parse_iso(i.created_at)) for i in items)
        if found.damaged_lines:
            lines = ", ".join(str(line) for line in found.damaged_lines[:10])
            said = self.tr("Some lines of the log of problems cannot be read: {lines}.").format(lines=lines)
            self.desk.notify.warn("feedback-damaged", said)
        if items:
            self.list_stack.show_content()
            if not (keep and self.table.select_key(keep)):
                self.table.select_key(self.model.row_at(0).id)
            self._wanted = None
            return
        self._detail = None
        self.detail_stack.hide()
        self.list_stack.show_empty(
            self.tr("No problem reported"),
            self.tr(
                "When an answer was wrong, say so here in your own words. A report is free, stays on this computer, "
                "and a later run can be asked to solve it."
            ),
            [StateAction("add", self.tr("Report a problem…"), "plus")],
            icon="feedback",
        )

    def _on_current(self, key: object) -> None:
        if key:
            self.tasks.latest(
                "problem", lambda: self.desk.workspace.show_feedback(str(key)), self._show_detail, delay_ms=DEBOUNCE_MS
            )

    def _show_detail(self, detail: FeedbackDetail) -> None:
        self._detail = detail
        item = detail.item
        self.detail_stack.show()
        self.detail_stack.show_content()
        words, role, _ = state_look(item.state.value)
        self.about.set_text(f"{words} · {item.name}")
        self.about.setToolTip(tooltip(item.id))
        self.about.set_role(role)
        self.message.set_text(item.message)
        for label, value in ((self.expected, item.expected), (self.actual, item.actual)):
            label.set_text(value or self.tr("not said"))
        coverage = {
            "reproduced": self.tr("Reproduced by: {cases}").format(cases=", ".join(detail.cases)),
            "unreproduced": self.tr("No case reproduces it yet."),
            "no-suite": self.tr("Its target has no suite of cases yet."),
        }
        self.coverage.set_text(coverage.get(detail.coverage, detail.coverage))
        is_open = item.state.value in ("open", "targeted")
        self.dismiss.setVisible(is_open)
        self.reopen.setVisible(not is_open)
        self.trace.setVisible(item.trace_id is not None)
        self.run.setVisible(bool(item.run_id))
        self.distil.setVisible(is_open)
        self.link.setVisible(is_open)
        free = [name for name in detail.suite_cases if name not in detail.cases]
        reason = self.tr("Its target has no suite of cases yet.")
        if detail.suite is not None:
            reason = self.tr("Every case of the suite is linked already.") if detail.suite_cases else self.tr(
                "The suite has no case yet.")  # fmt: skip
        self.link.set_allowed(bool(free), reason)
        alike = detail.duplicates[0].item if detail.duplicates and is_open else None
        said = self.tr("It may be the same as: {message}")
        self.alike.show_hint(
            said.format(message=one_line(alike.message, 120)) if alike else "", action=self.tr("Merge them…")
        )

    # --- doing

    async def _report(self) -> None:
        targets = await self.desk.workspace.targets()
        dialog = FeedbackDialog(
            [(row.title or row.ref.name, str(row.ref)) for row in targets], self.desk.memory, self.desk.window
        )
        if not await dialog.ask():
            return
        added = await self.desk.workspace.add_feedback(
            dialog.target(),
            dialog.message(),
            expected=dialog.expected(),
            actual=dialog.actual(),
            origin=self.desk.origin,
        )
        dialog.forget_draft(self.desk.memory)
        said = self.tr("Reported.")
        if added.duplicates:
            said += " " + self.tr("It may be the same as: {message}").format(
                message=one_line(added.duplicates[0].item.message, 80)
            )
        self.desk.notify.info(said)
        self._wanted = added.item.id
        self.read()

    def _move(self, change: Callable[[str], Any], item: FeedbackItem) -> None:
        async def work() -> None:
            await change(item.id)
            self.read()

        self.tasks.start(work(), "change a problem")

    def _on_dismiss(self) -> None:
        detail = self._detail
        if detail is None:
            return
        workspace, item, origin = self.desk.workspace, detail.item, self.desk.origin

        def dismiss() -> None:
            self._move(lambda name: workspace.dismiss_feedback(name, origin=origin), item)

        def reopen() -> None:
            self._move(lambda name: workspace.reopen_feedback(name, origin=origin), item)

        dismiss()
        self.desk.undo.add(Undoable(self.tr("Dismiss a problem"), reopen, dismiss))
        self.desk.notify.info(self.tr("Dismissed."), Step(self.tr("Undo"), self.desk.undo.undo))

    def _on_reopen(self) -> None:
        detail = self._detail
        if detail is not None:
            workspace, origin = self.desk.workspace, self.desk.origin
            self._move(lambda name: workspace.reopen_feedback(name, origin=origin), detail.item)

    async def _distil(self) -> None:
        detail = self._detail
        if detail is not None:
            case = await self.desk.workspace.distill_feedback(detail.item.id)
            await DistilledDialog(case, self.desk.window).ask()
            self.read()

    async def _link(self) -> None:
        detail = self._detail
        if detail is None:
            return
        free = [(name, name) for name in detail.suite_cases if name not in detail.cases]
        title = self.tr("Which case reproduces this problem?")
        dialog = ChoiceDialog("link-case", title, self.tr("Case"), free, self.tr("Link it"), self.desk.window)
        if await dialog.ask():
            case = dialog.chosen()
            await self.desk.workspace.link_feedback(detail.item.id, case, origin=self.desk.origin)
            self.desk.notify.info(self.tr("Linked: accepting a change that turns this case green resolves it."))
            self.read()

    async def _merge(self) -> None:
        detail = self._detail
        if detail is None or not detail.duplicates:
            return
        other = detail.duplicates[0].item
        title = self.tr("Are these the same problem?")
        text = self.tr("“{one}” goes into “{other}”, which stays open with both wordings.").format(
            one=one_line(detail.item.message, 160), other=one_line(other.message, 160)
        )
        dialog = ConfirmDialog("merge-feedback", title, text, self.tr("Merge"), self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.merge_feedback(detail.item.id, other.id, origin=self.desk.origin)
            self._wanted = other.id
            self.read()

    async def _forget(self) -> None:
        detail = self._detail
        if detail is None:
            return
        title = self.tr("Forget this problem for good?")
        text = self.tr("It is removed wherever it stands, and cannot be brought back.")
        dialog = ConfirmDialog("forget-feedback", title, text, self.tr("Forget"), self.desk.window)
        if await dialog.ask():
            await self.desk.workspace.forget_feedback(detail.item.id, confirmed=True, origin=self.desk.origin)
            self.read()

    # --- inside

    def _compose(self) -> None:
        self.about = PlainLabel("", Type.CAPTION, Role.TEXT_2, selectable=True)
        self.message = PlainLabel("", Type.PROSE, selectable=True)
        self.message.setObjectName("feedback-message")
        self.expected = PlainLabel("", selectable=True)
        self.actual = PlainLabel("", selectable=True)
        self.coverage = PlainLabel("", role=Role.TEXT_2)
        self.dismiss = Button(self.tr("Dismiss"), "feedback-dismiss", icon="cross")
        self.reopen = Button(self.tr("Reopen"), "feedback-reopen", icon="undo")
        self.forget = Button(self.tr("Forget…"), "feedback-forget", icon="trash")
        self.trace = Button(self.tr("Show the trace"), "feedback-trace", look=Look.LINK)
        self.run = Button(self.tr("Show the run that solved it"), "feedback-run", look=Look.LINK)
        self.alike = HintBar("", Severity.INFO, closable=False, name="feedback-alike")
        self.distil = Button(self.tr("Draft a case…"), "feedback-distil", icon="note")
        self.link = Button(self.tr("Link a case…"), "feedback-link", icon="link")
        detail = QWidget()
        column = QVBoxLayout(detail)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.about)
        column.addWidget(self.message)
        for words, label in ((self.tr("Wanted"), self.expected), (self.tr("What came"), self.actual)):
            column.addWidget(PlainLabel(words, Type.CAPTION, Role.TEXT_2))
            column.addWidget(label)
        column.addWidget(self.coverage)
        column.addWidget(self.alike)
        column.addWidget(self.trace, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.run, 0, Qt.AlignmentFlag.AlignLeft)
        column.addStretch(1)
        buttons = QWidget()
        row = FlowLayout(buttons)
        for button in (self.link, self.distil, self.dismiss, self.reopen, self.forget):
            row.addWidget(button)
        column.addWidget(buttons)
        self.detail_stack = StateStack(detail)
        self.detail_stack.show_empty(self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="feedback")
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self.list_stack)
        splitter.addWidget(self.detail_stack)
        splitter.setSizes([560, 460])
        self.column.addWidget(splitter, 1)

    def _connect(self) -> None:
        self.search.searched.connect(self.model.search)
        self.search.left_down.connect(self.table.setFocus)
        self.state.currentIndexChanged.connect(lambda _: self.read())
        self.report.clicked.connect(lambda: self.tasks.start(self._report(), "report a problem"))
        self.table.current_changed.connect(self._on_current)
        self.list_stack.acted.connect(self._on_state)
        self.dismiss.clicked.connect(self._on_dismiss)
        self.reopen.clicked.connect(self._on_reopen)
        self.forget.clicked.connect(lambda: self.tasks.start(self._forget(), "forget a problem"))
        self.trace.clicked.connect(self._on_trace)
        self.run.clicked.connect(self._on_run)
        self.distil.clicked.connect(lambda: self.tasks.start(self._distil(), "draft a case"))
        self.link.clicked.connect(lambda: self.tasks.start(self._link(), "link a case"))
        self.alike.acted.connect(lambda: self.tasks.start(self._merge(), "merge problems"))

    def _on_state(self, name: str) -> None:
        if name == "add":
            self.tasks.start(self._report(), "report a problem")
        else:
            self.read()

    def _on_run(self) -> None:
        if self._detail is not None and self._detail.item.run_id:
            page = "flows" if self._detail.item.kind == "flow" else "inbox"
            self.desk.go(page, self._detail.item.run_id)

    def _on_trace(self) -> None:
        if self._detail is not None and self._detail.item.trace_id is not None:
            self.desk.go("traces", self._detail.item.trace_id)
