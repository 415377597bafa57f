"""The review of one run: what it changes, what proves it, what a person can decide."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Handlers, review_tabs
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.pages.review_changes import ChangesTab
from honeyguide.desktop.pages.review_commands import ReviewCommands
from honeyguide.desktop.pages.review_head import ReviewHead
from honeyguide.desktop.pages.review_parts import ReviewParts
from honeyguide.desktop.pages.review_tabs import ChecksTab
from honeyguide.desktop.said import hint_of, sentence_of, spoken
from honeyguide.desktop.tasks import DEBOUNCE_MS, TaskScope
from honeyguide.desktop.widgets.decision_bar import DecisionBar, DecisionState
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.run_progress import RunProgress
from honeyguide.desktop.widgets.states import StateAction, StateStack
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.workspace import AcceptCheck, DiffView, RunDetail, WorkspaceEvent

TABS = tuple(name for name, _, _ in review_tabs())


@dataclass(frozen=True, slots=True)
class Review:
    """What the panel shows of one run.

    Attributes:
        live_version: of a deployed run whose text was replaced or rolled back since: what is live now; else ``None``.
    """

    detail: RunDetail
    diff: DiffView | None
    check: AcceptCheck | None
    is_paused: bool
    live_version: int | None = None


class ReviewPanel(QWidget):
    """Signals:
    changed(): something else can be done now. back(): a person wants the list back.

    Attributes:
        uuid: the run that was asked for; ``review`` holds what was read of it.
    """

    changed = Signal()
    back = Signal()

    def __init__(self, desk: Desk, tasks: TaskScope) -> None:
        super().__init__()
        named(self, "review", self.tr("Review"))
        self.desk = desk
        self.tasks = tasks.child("review")
        self.review: Review | None = None
        self.uuid: str | None = None
        self._in_progress = ""
        self.head = ReviewHead()
        self.tabs = named(QTabBar(), "review-tabs", self.tr("Parts of the review"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setUsesScrollButtons(True)
        for _, title, _ in review_tabs():
            self.tabs.addTab(title)
        self.changes = ChangesTab(desk.memory)
        self.checks = ChecksTab()
        self.progress = RunProgress()
        self.parts = ReviewParts(desk, self.tasks, TABS, {"changes": self.changes, "checks": self.checks})
        self.decision = DecisionBar()
        self.commands = ReviewCommands(self)
        self._compose()
        self._connect()
        desk.window.single_keys.attach(self.changes.diff.view)  # type: ignore[attr-defined]

    # --- what is shown

    def show_run(self, uuid: str | None) -> None:
        """Show a run; the same one is read anew and keeps ticks, edits and the tab."""
        if uuid != self.uuid:
            self.uuid = uuid
            self.changes.begin_run(uuid)
            self.parts.forget()
        if uuid is None:
            self.tasks.forget("review")
            self.review = None
            self.changes.show_nothing()
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
        target: QWidget = self.parts.currentWidget() or self.changes.diff.view
        if self.tabs.currentIndex() == 0:
            target = self.changes.diff.view
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def set_alone(self, alone: bool) -> None:
        """Say that the review has the whole page, or not."""
        self.head.set_alone(alone)

    def take_progress(self, event: WorkspaceEvent) -> None:
        """Show where a running run stands, if it is the one in sight."""
        if event.subject == self.uuid:
            self.progress.take(event.data)

    def handlers(self) -> Handlers:
        """Return what can be done to the run in sight."""
        return self.commands.handlers()

    # --- reading

    async def _load(self, uuid: str) -> Review:
        workspace = self.desk.workspace
        detail = await workspace.run(uuid)
        if detail.run is None:
            return Review(detail, None, None, workspace.is_paused(uuid))
        is_open = detail.status == "proposed"
        diff, check = await asyncio.gather(workspace.run_diff(uuid), self._checked(uuid) if is_open else _nothing())
        return Review(detail, diff, check, False, await self._live_version(detail))

    async def _live_version(self, detail: RunDetail) -> int | None:
        """Return the version that took the place of a deployed one."""
        if detail.status != "deployed":
            return None
        try:
            found = await self.desk.workspace.versions(f"{detail.attempt.target_kind}:{detail.attempt.target_name}")
        except HoneyguideError:
            return None  # its target is gone; the record of the deploy stays
        current = next((row for row in found.versions if row.current), None)
        came_from_it = any(row.run_uuid == detail.uuid for row in found.versions)
        return current.n if current and came_from_it and current.run_uuid != detail.uuid else None

    async def _checked(self, uuid: str) -> AcceptCheck:
        hunks = self.changes.selection(uuid) or None
        return await self.desk.workspace.can_accept(uuid, hunks=hunks, edited_text=self.changes.edited)

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
        self.checks.show_run(detail, review.check)
        self._show_middle(review)
        self._show_decision(review)
        self._load_tab()
        self.changed.emit()

    def _fail(self, error: Exception) -> None:
        from honeyguide.desktop.crash import safe_text_of

        again = [StateAction("read-again", self.tr("Try again"), "retry")]
        if isinstance(error, HoneyguideError):
            self.outer.show_error(sentence_of(error), hint_of(error), actions=again)
        else:
            self.outer.show_error(self.tr("This run could not be read."), details=safe_text_of(error), actions=again)

    def _show_middle(self, review: Review) -> None:
        detail = review.detail
        if detail.status != "running":
            self.middle.setCurrentWidget(self._tabbed)
            checked = review.check.text if review.check is not None else ""
            self.changes.show_run(detail, review.diff, self.checks.failed_places(), self.head.why, checked)
            return
        if self.middle.currentWidget() is self.progress and self._in_progress == detail.uuid:
            self.progress.set_paused(review.is_paused)
            return
        self._in_progress = detail.uuid
        workspace = self.desk.workspace
        self._set_ceiling(detail)
        so_far = (event.to_json() for event in workspace.progress_so_far(detail.uuid))
        self.progress.set_run(detail.attempt.calls, detail.attempt.cost_usd, review.is_paused, so_far)
        last = workspace.last_progress(detail.uuid)
        if last is not None:
            self.progress.take(last.to_json())
        self.middle.setCurrentWidget(self.progress)

    def _set_ceiling(self, detail: RunDetail) -> None:
        """Say what the run may take: its own ceiling, or the one of the settings."""
        from honeyguide.workspace import RunOptions

        workspace, options = self.desk.workspace, RunOptions.from_json(detail.attempt.options)

        def least(own: float | None, key: str) -> float | None:
            return min((c for c in (own, workspace.setting(key)) if c is not None), default=None)

        calls = least(options.max_calls, "limits.calls_per_run")
        usd = least(options.max_usd, "limits.usd_per_run")
        costs = workspace.costs_money(options)
        self.progress.set_ceiling(None if calls is None else int(calls), usd, costs_money=costs)

    def _show_decision(self, review: Review) -> None:
        detail = review.detail
        state = {
            "proposed": DecisionState.PROPOSED,
            "running": DecisionState.PAUSED if review.is_paused else DecisionState.RUNNING,
            "deployed": DecisionState.DEPLOYED,
        }.get(detail.status, DecisionState.INTERRUPTED if detail.can_resume else DecisionState.CLOSED)
        if detail.status == "failed" and detail.run is not None:
            state = DecisionState.FAILED
        words = self.head.decision_words
        if review.live_version is not None:
            state = DecisionState.CLOSED
            words = self.tr("It was deployed; since then version {n} took its place.").format(n=review.live_version)
        self.decision.set_state(state, words)
        self._use_check(review.check)

    def _use_check(self, check: AcceptCheck | None) -> None:
        if check is None:
            return
        self.decision.set_accept(check.allowed, spoken(check.reason), needs_note=check.needs_note)
        some, every = self.changes.ticked()
        words = ""
        if self.changes.edited is not None:
            words = self.tr("Accept your edit && deploy…")
        elif check.is_selection and some < every:
            words = self.tr("Accept {n} of {all} changes…").format(n=some, all=every)
        self.decision.set_accept_words(words)

    def _load_tab(self) -> None:
        if self.review is not None:
            self.parts.load(TABS[self.tabs.currentIndex()], self.review.detail)

    def _check_again(self) -> None:
        uuid = self.uuid
        if uuid is None:
            return
        if self.changes.edited is None and not self.changes.ticked()[0]:
            self.decision.set_accept(False, self.tr("With none of the changes there is nothing to accept."))
            return
        self.decision.set_accept(False, self.tr("The checks are being made again…"))

        def show(check: AcceptCheck) -> None:
            if self.review is not None:
                self._use_check(check)
                self.checks.show_run(self.review.detail, check)
                self.changes.set_places(self.checks.failed_places(), check.text)

        def failed(error: Exception) -> None:
            self.decision.set_accept(False, sentence_of(error))

        self.tasks.latest("check", lambda: self._checked(uuid), show, failed=failed, delay_ms=DEBOUNCE_MS)

    # --- inside

    def _on_note(self, text: str) -> None:
        if self.uuid is not None:
            self.desk.memory.set(f"note.{self.uuid}", text or None)

    def _on_tab(self, number: int) -> None:
        self.parts.setCurrentIndex(number)
        self.desk.memory.set("review.tab", TABS[number])
        self._load_tab()

    def _on_state(self, name: str) -> None:
        if name == "new-run":
            self.commands.new_run()
        elif name == "read-again":
            self.show_run(self.uuid)

    def _on_place(self, start: int, _end: int) -> None:
        self.show_tab("changes")
        self.changes.show_place(start)

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

    def _connect(self) -> None:
        self.tabs.currentChanged.connect(self._on_tab)
        self.changes.chosen.connect(self._check_again)
        self.changes.acted.connect(self._on_state)
        self.checks.place_requested.connect(self._on_place)
        self.parts.candidate_chosen.connect(self._on_candidate)
        self.outer.acted.connect(self._on_state)
        self.head.back.connect(self.back)
        self.head.continue_wanted.connect(self.commands.measure_more)
        self.head.connection_wanted.connect(lambda: self.desk.go("settings", "models.ca_file"))
        self.decision.note_changed.connect(self._on_note)


async def _nothing() -> None:
    return None
