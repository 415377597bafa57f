"""The corrections queue: was a person not satisfied here? Yes, no, or in your own words; by single keys."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.correction import CorrectionDialog
from honeyguide.desktop.models.corrections import CorrectionModel, Suggestion, state_look
from honeyguide.desktop.notify import Step
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.code_words import detector_words
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.undo import Undoable
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.hint_bar import KeyHints
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.span_text import SpanText
from honeyguide.desktop.widgets.states import StateAction, StateStack

if TYPE_CHECKING:
    from honeyguide.workspace import CorrectionDetail, DetectorRow, WorkspaceEvent
    from honeyguide.workspace import Page as RowsPage
    from honeyguide.workspace.views.corrections import CorrectionRow

Judge = Callable[[int], Coroutine[Any, Any, Any]]
"""What is done to a correction, given its number."""
MOST = 5000
"""Corrections that are listed at once; those behind them follow when these are judged."""


class CorrectionsPage(Page):
    """The queue at the left, the evidence at the right, three buttons below."""

    def __init__(self, desk: Desk) -> None:
        super().__init__(desk, "corrections", desk.window.tr("Corrections"))
        self._detail: CorrectionDetail | None = None
        self._wanted: int | None = None
        self.state = named(QComboBox(), "corrections-state", self.tr("State"))
        for value, words in (
            ("suggested", self.tr("to be judged")),
            ("confirmed", self.tr("corrections")),
            ("dismissed", self.tr("not corrections")),
            ("", self.tr("all")),
        ):
            self.state.addItem(words, value)
        self.count = PlainLabel("", role=Role.TEXT_2, wrap=False)
        self.count.setObjectName("corrections-count")
        self.head.addWidget(self.count)
        self.head.addStretch(1)
        self.head.addWidget(self.state)
        self.model = CorrectionModel(self)
        self.table = DataTable("correction-table", self.tr("Corrections"), self.model)
        self.list_stack = StateStack(self.table)
        self._compose()
        self._connect()
        desk.window.single_keys.attach(self.table, page="corrections")  # type: ignore[attr-defined]
        self.list_stack.show_loading(self.tr("Reading the corrections…"))
        self.detail_stack.show_empty(
            self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="corrections"
        )

    # --- the page

    def read(self) -> None:
        state = self.state.currentData() or None

        async def load() -> tuple[RowsPage[CorrectionRow], Sequence[DetectorRow]]:
            workspace = self.desk.workspace
            return await workspace.corrections(state, MOST), await workspace.detector_precision()

        self.tasks.latest("corrections", load, self._show, failed=self.show_failure(self.list_stack))

    def show_item(self, item: object) -> None:
        if isinstance(item, int) and not self.table.select_key(item):
            self._wanted = item
            self.state.setCurrentIndex(self.state.findData(""))

    def first_focus(self) -> QWidget:
        return self.table if self.model.total else self.state

    def concerns(self, event: WorkspaceEvent) -> bool:
        return event.kind.startswith(("correction", "traces:"))

    def handlers(self) -> Handlers:
        judge = self._against_judging
        return {
            "correction-yes": Handler(lambda: self._go(self._yes(), "confirm"), judge),
            "correction-no": Handler(lambda: self._go(self._no(), "dismiss"), judge),
            "correction-edit": Handler(lambda: self._go(self._edit(), "edit"), judge),
            "refresh": Handler(self.read),
        }

    # --- showing

    def _show(self, found: tuple[RowsPage[CorrectionRow], Sequence[DetectorRow]]) -> None:
        page, detectors = found
        keep, row_before = self._wanted or self.table.current_key(), self.table.currentIndex().row()
        self.model.set_rows(
            Suggestion(row.id, row.state, row.span, row.place, row.detector, row.trace_id) for row in page.items
        )
        self.count.set_text(self.tr("{n} shown").format(n=figures.whole(page.total)))
        self._wanted = None
        lines = [
            f"{detector_words(row.detector)}: {spoken(row.sentence)}"
            for row in detectors
            if row.confirmed or row.dismissed
        ]
        self.detectors.set_text(" ".join(lines))
        self.detectors.setVisible(bool(lines))
        if page.items:
            self.list_stack.show_content()
            if not (keep is not None and self.table.select_key(keep)):
                at = min(max(row_before, 0), self.model.rowCount() - 1)
                self.table.select_key(self.model.row_at(at).id)
            return
        self._detail = None
        self.detail_stack.show_empty(
            self.tr("Nothing is chosen"), self.tr("Choose one in the list."), icon="corrections"
        )
        if self.state.currentData() == "suggested":
            self.list_stack.show_empty(
                self.tr("Nothing to judge"),
                self.tr(
                    "When you import history, places where a person was not satisfied are suggested here. What you "
                    "confirm becomes a case to learn from."
                ),
                [StateAction("import-traces", self.tr("Import history…"), "import")],
                icon="corrections",
            )
        else:
            self.list_stack.show_empty(
                self.tr("None here"), self.tr("No correction is in this state."), icon="corrections"
            )

    def _on_current(self, key: object) -> None:
        if isinstance(key, int):
            self.tasks.latest(
                "correction", lambda: self.desk.workspace.correction(key), self._show_detail, delay_ms=DEBOUNCE_MS
            )
        self.actions_changed.emit()

    def _show_detail(self, detail: CorrectionDetail) -> None:
        self._detail = detail
        self.detail_stack.show_content()
        words, role, _ = state_look(detail.row.state)
        found_by = detector_words(detail.row.detector)
        self.about.set_text(self.tr("{state} · found by {detector}").format(state=words, detector=found_by))
        self.about.set_role(role)
        if detail.context:
            self.context.show_span(detail.context, detail.start, detail.end)
        else:
            said = self.tr("No words; there is only a sign: {sign}")
            self.context.show_span(said.format(sign=detector_words(detail.row.detector)), 0, 0)
        self.request.setPlainText(block(detail.request, 100_000))
        self.answer.setPlainText(block(detail.answer, 100_000))
        said = detail.row.edit or detail.wording or detail.suggestion
        self.wording.set_text(self.tr("As a case it says: {words}").format(words=said) if said else "")
        is_open = detail.row.state == "suggested"
        for button in (self.yes, self.edit, self.no):
            button.set_allowed(is_open, self._against_judging())
            button.setVisible(is_open)
        self.take_back.setVisible(not is_open)
        self.take_back.set_allowed(True)
        self.actions_changed.emit()

    # --- judging

    async def _yes(self) -> None:
        detail, workspace = self._detail, self.desk.workspace
        if detail is None:
            return
        if not detail.wording:
            await self._edit()
            return
        await self._judged(detail.row.id, self.tr("Confirm a correction"), workspace.confirm_correction)

    async def _no(self) -> None:
        detail = self._detail
        if detail is not None:
            name = self.tr("Dismiss a correction")
            await self._judged(detail.row.id, name, self.desk.workspace.dismiss_correction)

    async def _edit(self) -> None:
        detail = self._detail
        if detail is None:
            return
        dialog = CorrectionDialog(detail.wording or detail.suggestion, detail.row.span, self.desk.window)
        if await dialog.ask():
            text, confirm = dialog.text(), self.desk.workspace.confirm_correction
            name = self.tr("Confirm a correction in my words")
            await self._judged(detail.row.id, name, lambda number: confirm(number, text))

    async def _take_back(self) -> None:
        detail, workspace = self._detail, self.desk.workspace
        if detail is not None and detail.row.state != "suggested":
            await self._change(detail.row.id, workspace.reopen_correction)
            self.desk.notify.info(self.tr("Taken back: it is to be judged again."))

    async def _judged(self, number: int, name: str, judge: Judge) -> None:
        """Carry a verdict out; Ctrl+Z takes it back."""
        reopen = self.desk.workspace.reopen_correction

        def again(do: Judge) -> Callable[[], None]:
            return lambda: self._go(self._change(number, do), name)

        await self._change(number, judge)
        self.desk.undo.add(Undoable(name, again(reopen), again(judge)))
        self.desk.notify.info(self.tr("Noted."), Step(self.tr("Undo"), self.desk.undo.undo))

    async def _change(self, number: int, do: Judge) -> None:
        for button in (self.yes, self.edit, self.no, self.take_back):
            button.setEnabled(False)
        await do(number)
        self.read()
        self.table.setFocus()

    def _against_judging(self) -> str:
        if self._detail is None:
            return self.tr("Choose a correction first.")
        return "" if self._detail.row.state == "suggested" else self.tr("It is judged already.")

    # --- inside

    def _go(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self.tasks.start(work, name)

    def _compose(self) -> None:
        self.detectors = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self.about = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self.context = SpanText("correction-context", self.tr("What the person said"))
        self.request = _box("correction-request", self.tr("What had been asked"))
        self.answer = _box("correction-answer", self.tr("What was answered"))
        self.wording = PlainLabel("", selectable=True)
        self.yes = Button(self.tr("Yes, a correction"), "correction-yes", look=Look.PRIMARY, icon="check")
        self.edit = Button(self.tr("In my words…"), "correction-edit", icon="edit")
        self.no = Button(self.tr("No"), "correction-no", icon="cross")
        for button in (self.yes, self.edit, self.no):
            button.set_allowed(False, self.tr("Choose a correction first."))
        self.take_back = Button(self.tr("Judge it again"), "correction-take-back", icon="undo")
        self.trace = Button(self.tr("Show the trace"), "correction-trace", look=Look.LINK)
        self.hints = KeyHints()
        self.hints.set_hints(
            (("Y", self.tr("yes")), ("N", self.tr("no")), ("E", self.tr("in my words")), ("Down", self.tr("next")))
        )
        detail = QWidget()
        column = QVBoxLayout(detail)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        head = QHBoxLayout()
        head.addWidget(self.about, 1)
        head.addWidget(self.trace)
        column.addLayout(head)
        for words, box, share in (
            (self.tr("Asked"), self.request, 2),
            (self.tr("Answered"), self.answer, 3),
            (self.tr("What the person said then"), self.context, 3),
        ):
            column.addWidget(PlainLabel(words, Type.CAPTION, Role.TEXT_2))
            column.addWidget(box, share)
        column.addWidget(self.wording)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(self.hints, 1)
        for button in (self.take_back, self.no, self.edit, self.yes):
            row.addWidget(button)
        column.addLayout(row)
        self.detail_stack = StateStack(detail)
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.list_stack, 1)
        line = QHBoxLayout()
        line.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, Metrics.GAP)
        line.addWidget(self.detectors)
        column.addLayout(line)
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self.detail_stack)
        splitter.setSizes([480, 560])
        self.column.addWidget(splitter, 1)

    def _connect(self) -> None:
        self.state.currentIndexChanged.connect(lambda _: self.read())
        self.table.current_changed.connect(self._on_current)
        self.table.row_activated.connect(
            lambda _: self._go(self._edit(), "edit") if not self._against_judging() else None
        )
        self.list_stack.acted.connect(lambda name: self.read() if name == "read-again" else self.desk.do(name))
        self.yes.clicked.connect(lambda: self._go(self._yes(), "confirm"))
        self.no.clicked.connect(lambda: self._go(self._no(), "dismiss"))
        self.edit.clicked.connect(lambda: self._go(self._edit(), "edit"))
        self.take_back.clicked.connect(lambda: self._go(self._take_back(), "judge again"))
        self.trace.clicked.connect(self._on_trace)

    def _on_trace(self) -> None:
        if self._detail is not None:
            self.desk.go("traces", self._detail.row.trace_id)


def _box(name: str, spoken: str) -> QPlainTextEdit:
    box = named(QPlainTextEdit(), name, spoken)
    box.setReadOnly(True)
    box.setFont(Metrics.font(Type.PROSE))
    box.setTabChangesFocus(True)
    return box
