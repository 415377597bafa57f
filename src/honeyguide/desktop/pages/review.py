"""The review of one run: what it changes, what proves it, what a person can decide."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handler, Handlers, review_tabs
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.decisions import Decisions, target_of
from honeyguide.desktop.pages.review_head import ReviewHead
from honeyguide.desktop.pages.review_parts import ReviewParts
from honeyguide.desktop.pages.review_reasons import ReviewReasons
from honeyguide.desktop.pages.review_tabs import ChecksTab
from honeyguide.desktop.said import spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS, TaskScope
from honeyguide.desktop.widgets.decision_bar import DecisionBar, DecisionState
from honeyguide.desktop.widgets.diff import DiffPanel, Layout, Side, TextMark
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.run_progress import RunProgress
from honeyguide.desktop.widgets.schema_diff import SchemaDiffTable, schema_changes
from honeyguide.desktop.widgets.states import StateAction, StateStack

if TYPE_CHECKING:
    from honeyguide.workspace import AcceptCheck, DiffView, RunDetail, WorkspaceEvent

TABS = tuple(name for name, _, _ in review_tabs())


@dataclass(frozen=True, slots=True)
class Review:
    """What the panel shows of one run."""

    detail: RunDetail
    diff: DiffView | None
    check: AcceptCheck | None
    is_paused: bool


class ReviewPanel(QWidget):
    """Signals:
    changed(): something else can be done now. back(): a person wants the list back.
    """

    changed = Signal()
    back = Signal()

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        super().__init__()
        named(self, "review", self.tr("Review"))
        self.desk = desk
        self.tasks = tasks.child("review")
        self.decisions = Decisions(desk, self.tasks)
        self.review: Review | None = None
        self._uuid: str | None = None
        self._shown: tuple[str, str, str] | None = None
        self._edited: str | None = None
        self.head = ReviewHead()
        self.tabs = named(QTabBar(), "review-tabs", self.tr("Parts of the review"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        for _, title, _ in review_tabs():
            self.tabs.addTab(title)
        self.diff = DiffPanel()
        self.changes = StateStack(self.diff)
        self.idle = HintBar("", Severity.INFO, closable=False, name="review-idle")
        self.schema = SchemaDiffTable()
        self.schema.hide()
        self.checks = ChecksTab()
        self.progress = RunProgress()
        changes = QWidget()
        column = QVBoxLayout(changes)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.idle)
        column.addWidget(self.changes, 3)
        column.addWidget(self.schema, 1)
        self.parts = ReviewParts(desk, self.tasks, TABS, {"changes": changes, "checks": self.checks})
        self.decision = DecisionBar()
        self.reasons = ReviewReasons(self)
        self._compose()
        self._connect()
        desk.window.single_keys.attach(self.diff.view)  # type: ignore[attr-defined]

    # --- what is shown

    def show_run(self, uuid: str | None) -> None:
        """Show a run; the same one is read anew and keeps ticks, edits and the tab."""
        if uuid != self._uuid:
            self._uuid = uuid
            self._edited = self.desk.memory.text(f"edit.{uuid}") or None
            self.parts.forget()
        if uuid is None:
            self.tasks.forget("review")
            self.review, self._shown = None, None
            self.outer.show_empty(
                self.tr("No run is chosen"), self.tr("Choose one in the list to see what it changes.")
            )
            self.changed.emit()
            return
        if self.review is None:
            self.outer.show_loading(self.tr("Reading the run…"))
        delay = DEBOUNCE_MS if self.review is None or self.review.detail.uuid != uuid else 0
        self.tasks.latest("review", lambda: self._load(uuid), self._show, failed=self._fail, delay_ms=delay)

    def show_tab(self, name: str) -> None:
        """Bring a part of the review to the front."""
        self.tabs.setCurrentIndex(TABS.index(name))

    def focus_text(self) -> None:
        """Put the focus into the part in front."""
        target: QWidget = self.parts.currentWidget() or self.diff.view
        if self.tabs.currentIndex() == 0:
            target = self.diff.view
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_alone(self, alone: bool) -> None:
        """Say that the review has the whole page, or not."""
        self.head.set_alone(alone)

    def take_progress(self, event: WorkspaceEvent) -> None:
        """Show where a running run stands, if it is the one in sight."""
        if event.subject == self._uuid:
            self.progress.take(event.data)
            self.parts.charts.take_progress(event.data)

    def handlers(self) -> Handlers:
        start = self._start
        return {
            "accept": Handler(lambda: self._accept(self.decision.note()), self.reasons.accept),
            "reject": Handler(lambda: self._reject(self.decision.note()), lambda: self.reasons.status("proposed")),
            "try": Handler(lambda: start(self.decisions.try_it), self.reasons.try_it),
            "edit-proposal": Handler(self._begin_edit, lambda: self.reasons.status("proposed")),
            "roll-back": Handler(self._roll_back, lambda: self.reasons.status("deployed")),
            "back-up": Handler(self._back_up, self.reasons.none),
            "retry": Handler(lambda: start(self.decisions.retry), self.reasons.retry),
            "continue-proof": Handler(lambda: start(self.decisions.measure_more), self.reasons.more),
            "pause": Handler(self._pause, lambda: self.reasons.status("running")),
            "stop": Handler(lambda: self.decisions.stop(self._uuid or ""), lambda: self.reasons.status("running")),
            "resume": Handler(lambda: start(self.decisions.resume), self.reasons.resume),
            "export-run": Handler(lambda: start(self.decisions.export), self.reasons.none),
            "next-change": Handler(lambda: self._step(self.diff.view.next_change), self.reasons.changes),
            "previous-change": Handler(lambda: self._step(self.diff.view.previous_change), self.reasons.changes),
            "diff-layout": Handler(self._turn_layout, self.reasons.changes),
            "find-in-text": Handler(self._find, self.reasons.changes),
            **{f"tab-{name}": Handler(lambda n=name: self.show_tab(n), self.reasons.none) for name in TABS},  # type: ignore[misc]
        }

    # --- reading

    async def _load(self, uuid: str) -> Review:
        workspace = self.desk.workspace
        detail = await workspace.run(uuid)
        if detail.run is None:
            return Review(detail, None, None, workspace.is_paused(uuid))
        is_open = detail.status == "proposed"
        diff, check = await asyncio.gather(workspace.run_diff(uuid), self._checked(uuid) if is_open else _nothing())
        return Review(detail, diff, check, False)

    async def _checked(self, uuid: str) -> AcceptCheck:
        edited = self._edited
        hunks = None
        if edited is None and self._is_shown(uuid):
            included, every = self.diff.view.included(), self.diff.view.hunks()
            hunks = sorted(included) if 0 < len(included) < len(every) else None
        return await self.desk.workspace.can_accept(uuid, hunks=hunks, edited_text=edited)

    def _is_shown(self, uuid: str) -> bool:
        return self._shown is not None and self._shown[0] == uuid

    def _show(self, review: Review) -> None:
        self.outer.show_content()
        is_other = self.review is None or self.review.detail.uuid != review.detail.uuid
        was = self.review.detail.status if self.review is not None and not is_other else ""
        self.review = review
        detail = review.detail
        self.head.show_run(detail, review.diff)
        if is_other:
            self.decision.set_note(self.desk.memory.text(f"note.{detail.uuid}"))
        if is_other or was != detail.status:
            self.parts.forget()
        self._show_changes(review)
        self._show_decision(review)
        self._show_checks(review)
        self._load_tab()
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        from honeyguide.desktop.crash import text_of
        from honeyguide.kernel.errors import HoneyguideError

        again = [StateAction("read-again", self.tr("Try again"), "retry")]
        if isinstance(error, HoneyguideError):
            self.outer.show_error(error.message, error.hint, actions=again)
        else:
            self.outer.show_error(self.tr("This run could not be read."), details=text_of(error), actions=again)

    def _show_changes(self, review: Review) -> None:
        detail, diff = review.detail, review.diff
        is_open = detail.status == "proposed"
        if detail.status == "running":
            self.progress.set_run(detail.attempt.calls, detail.attempt.cost_usd, review.is_paused)
            last = self.desk.workspace.last_progress(detail.uuid)
            if last is not None:
                self.progress.take(last.to_json())
            self.middle.setCurrentWidget(self.progress)
            return
        self.middle.setCurrentWidget(self._tabbed)
        if diff is None or detail.run is None:
            self._shown = None
            words = self.tr("Nothing to compare: this run made no proposal")
            self.changes.show_empty(
                words, self.head.why, [StateAction("new-run", self.tr("New run…"), "plus")], icon="equal"
            )
            self.schema.hide()
            return
        self.changes.show_content()
        key = (detail.uuid, diff.before, diff.after)
        if key != self._shown:
            if self.diff.is_editing:
                self.diff.end_edit()
            self._shown = key
            self._show_diff(review)
        self.diff.set_checkable(is_open and len(diff.hunks) > 1 and self._edited is None)
        self.diff.set_editable(is_open)
        self._show_idle(diff, is_open)
        schema = detail.run.winner_schema_json
        self.schema.setVisible(bool(schema))
        if schema:
            import json

            self.schema.set_changes(schema_changes(None, json.loads(schema)))

    def _show_idle(self, diff: DiffView, is_open: bool) -> None:
        """Offer to leave out the changes that earned nothing when the run took its change apart."""
        idle = [number for number in diff.idle if number in self.diff.view.included()]
        said = ""
        if idle and is_open and self._edited is None and len(idle) < len(diff.hunks):
            names = ", ".join(str(number) for number in idle)
            said = self.tr("These changes earned nothing on the cases of the search: {names}.").format(names=names)
        self.idle.show_hint(said, Severity.INFO, action=self.tr("Leave them out") if said else "")

    def _leave_out_idle(self) -> None:
        if self.review is None or self.review.diff is None:
            return
        self.diff.view.set_included(self.diff.view.included() - set(self.review.diff.idle))
        self.idle.show_hint("")
        self._on_ticked()

    def _show_diff(self, review: Review) -> None:
        diff = review.diff
        if diff is None:
            return
        if self._edited is not None:
            from honeyguide.workspace import diff_view

            edited = diff_view(diff.before, self._edited)
            self.diff.set_rows(
                edited.rows, self._marks(review), titles=(self.tr("Now"), self.tr("Proposed, edited by you"))
            )
        else:
            self.diff.set_rows(diff.rows, self._marks(review), titles=(self.tr("Now"), self.tr("Proposed")))

    def _marks(self, review: Review) -> list[TextMark]:
        locked = self.tr("Locked: this passage has to stay.")
        marks = [
            TextMark("lock", Side.BEFORE, start, end, locked)
            for start, end in (review.diff.locks if review.diff else ())
        ]
        return marks + [TextMark("gate", Side.AFTER, *gate) for gate in self.checks.failed_places()]

    def _show_decision(self, review: Review) -> None:
        detail = review.detail
        state = {
            "proposed": DecisionState.PROPOSED,
            "running": DecisionState.PAUSED if review.is_paused else DecisionState.RUNNING,
            "deployed": DecisionState.DEPLOYED,
        }.get(detail.status, DecisionState.INTERRUPTED if detail.can_resume else DecisionState.CLOSED)
        if detail.status == "failed" and detail.run is not None:
            state = DecisionState.FAILED
        self.decision.set_state(state, self.head.decision_words)
        self._use_check(review.check)

    def _use_check(self, check: AcceptCheck | None) -> None:
        if check is None:
            return
        self.decision.set_accept(check.allowed, spoken(check.reason), needs_note=check.needs_note)
        included, every = len(self.diff.view.included()), len(self.diff.view.hunks())
        words = ""
        if self._edited is not None:
            words = self.tr("Accept your edit && deploy…")
        elif self.review and check.is_selection and included < every:
            words = self.tr("Accept {n} of {all} changes…").format(n=included, all=every)
        self.decision.set_accept_words(words)

    def _show_checks(self, review: Review) -> None:
        self.checks.show_run(review.detail, review.check)

    def _load_tab(self) -> None:
        if self.review is not None:
            self.parts.load(TABS[self.tabs.currentIndex()], self.review.detail)

    # --- ticks and edits

    def _on_ticked(self) -> None:
        if self._uuid is None:
            return
        if not self.diff.view.included():
            self.decision.set_accept(False, self.tr("With none of the changes there is nothing to accept."))
            return
        self._check_again()

    def _on_edited(self, text: str) -> None:
        if self.review is None or self.review.diff is None:
            return
        self._edited = None if text == self.review.diff.after else text
        self.desk.memory.set(f"edit.{self._uuid}", self._edited)
        self._show_diff(self.review)
        self.diff.set_checkable(self._edited is None and len(self.review.diff.hunks) > 1)
        self._check_again()

    def _on_edit_typed(self, text: str) -> None:
        self.desk.memory.set(f"edit.{self._uuid}", text)

    def _on_edit_dropped(self) -> None:
        self._on_edited(self.review.diff.after if self.review and self.review.diff else "")

    def _check_again(self) -> None:
        uuid = self._uuid
        if uuid is None:
            return
        self.decision.set_accept(False, self.tr("The checks are being made again…"))

        def show(check: AcceptCheck) -> None:
            if self.review is not None:
                self._use_check(check)
                self.checks.show_run(self.review.detail, check)
                self.diff.set_marks(self._marks(self.review))

        def failed(error: Exception) -> None:
            self.decision.set_accept(False, getattr(error, "message", str(error)))

        self.tasks.latest("check", lambda: self._checked(uuid), show, failed=failed, delay_ms=DEBOUNCE_MS)

    def _begin_edit(self) -> None:
        self.show_tab("changes")
        self.diff.begin_edit(self._edited)

    # --- decisions

    def _start(self, decide: Callable[[RunDetail], Coroutine[Any, Any, Any]]) -> None:
        if self.review is not None:
            self.tasks.start(decide(self.review.detail), decide.__name__)

    def _accept(self, note: str) -> None:
        if self.review is None:
            return
        included, every = self.diff.view.included(), self.diff.view.hunks()
        hunks = sorted(included) if self._edited is None and len(included) < len(every) else None
        detail = self.review.detail
        self.tasks.start(self.decisions.accept(detail, note, hunks=hunks, edited_text=self._edited), "accept")

    def _reject(self, note: str) -> None:
        if self.review is not None:
            self.tasks.start(self.decisions.reject(self.review.detail, note), "reject")

    def _roll_back(self) -> None:
        if self.review is not None:
            self.tasks.start(self.decisions.roll_back(target_of(self.review.detail)), "roll back")

    def _back_up(self) -> None:
        if self.review is not None:
            self.tasks.start(self.decisions.back_up(target_of(self.review.detail)), "back up")

    def _pause(self) -> None:
        if self._uuid is not None:
            paused = not self.desk.workspace.is_paused(self._uuid)
            self.decisions.pause(self._uuid, paused)
            self.decision.set_state(DecisionState.PAUSED if paused else DecisionState.RUNNING, self.head.decision_words)
            self.progress.set_paused(paused)

    def _rerun(self) -> None:
        if self.review is not None:
            self.desk.go("new-run", target_of(self.review.detail))

    def _on_note(self, text: str) -> None:
        if self._uuid is not None:
            self.desk.memory.set(f"note.{self._uuid}", text or None)

    # --- inside

    def _step(self, step: Callable[[], bool]) -> None:
        self.show_tab("changes")
        step()
        self.diff.view.setFocus()

    def _turn_layout(self) -> None:
        side = self.diff.view.is_side_by_side
        layout = Layout.INLINE if side else Layout.SIDE_BY_SIDE
        self.diff.view.set_layout(layout)
        self.desk.memory.set("diff.layout", layout.value)

    def _find(self) -> None:
        self.show_tab("changes")
        self.diff.find_bar.open()

    def _on_tab(self, number: int) -> None:
        self.parts.setCurrentIndex(number)
        self.desk.memory.set("review.tab", TABS[number])
        self._load_tab()

    def _on_state(self, name: str) -> None:
        if name == "new-run":
            self._rerun()
        elif name == "read-again":
            self.show_run(self._uuid)

    def _on_place(self, start: int, _end: int) -> None:
        self.show_tab("changes")
        self.diff.show_place(start)

    def _on_candidate(self, name: str) -> None:
        self.show_tab("lineage")
        self.parts.lineage.choose(name)

    def _compose(self) -> None:
        self._tabbed = QWidget()
        parts = QVBoxLayout(self._tabbed)
        parts.setContentsMargins(0, 0, 0, 0)
        parts.setSpacing(0)
        tabs = QHBoxLayout()
        tabs.setContentsMargins(8, 0, 8, 0)
        tabs.addWidget(self.tabs, 1)
        parts.addLayout(tabs)
        parts.addWidget(self.parts, 1)
        self.middle = QStackedWidget()
        self.middle.addWidget(self._tabbed)
        self.middle.addWidget(self.progress)
        content = QWidget()
        column = QVBoxLayout(content)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.head)
        column.addWidget(self.middle, 1)
        column.addWidget(self.decision)
        self.outer = StateStack(content)
        around = QVBoxLayout(self)
        around.setContentsMargins(0, 0, 0, 0)
        around.addWidget(self.outer)
        self.outer.show_empty(self.tr("No run is chosen"), self.tr("Choose one in the list to see what it changes."))
        tab = self.desk.memory.text("review.tab", "changes")
        self.tabs.setCurrentIndex(TABS.index(tab) if tab in TABS else 0)
        self.parts.setCurrentIndex(self.tabs.currentIndex())
        layout = self.desk.memory.text("diff.layout")
        if layout in set(Layout):
            self.diff.view.set_layout(Layout(layout))

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self.diff.ticked.connect(lambda _: self._on_ticked())
        self.idle.acted.connect(self._leave_out_idle)
        self.diff.edit_finished.connect(self._on_edited)
        self.diff.edit_cancelled.connect(self._on_edit_dropped)
        self.diff.edit_typed.connect(self._on_edit_typed)
        self.checks.place_requested.connect(self._on_place)
        self.parts.candidate_chosen.connect(self._on_candidate)
        self.outer.acted.connect(self._on_state)
        self.changes.acted.connect(self._on_state)
        self.head.back.connect(self.back)
        self.head.continue_wanted.connect(lambda: self._start(self.decisions.measure_more))
        decision = self.decision
        decision.accept_requested.connect(self._accept)
        decision.reject_requested.connect(self._reject)
        decision.try_requested.connect(lambda: self._start(self.decisions.try_it))
        decision.export_requested.connect(lambda: self._start(self.decisions.export))
        decision.rollback_requested.connect(self._roll_back)
        decision.backup_requested.connect(self._back_up)
        decision.retry_requested.connect(lambda: self._start(self.decisions.retry))
        decision.resume_requested.connect(lambda: self._start(self.decisions.resume))
        decision.rerun_requested.connect(self._rerun)
        decision.stop_requested.connect(lambda: self.decisions.stop(self._uuid or ""))
        decision.pause_requested.connect(lambda _: self._pause())
        decision.note_changed.connect(self._on_note)
        self.progress.stop_requested.connect(lambda: self.decisions.stop(self._uuid or ""))


async def _nothing() -> None:
    return None
