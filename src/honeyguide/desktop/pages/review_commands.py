"""What a person can do with the run under review: every action of the panel, and what its buttons start."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from honeyguide.desktop.actions import Handler, Handlers, review_tabs
from honeyguide.desktop.pages.decisions import Decisions, target_of
from honeyguide.desktop.pages.review_reasons import ReviewReasons
from honeyguide.desktop.widgets.decision_bar import DecisionState

if TYPE_CHECKING:
    from honeyguide.desktop.pages.review import ReviewPanel
    from honeyguide.workspace import RunDetail


class ReviewCommands:
    """Acts on what the panel shows."""

    def __init__(self, panel: ReviewPanel) -> None:
        self._panel = panel
        self._decisions = Decisions(panel.desk, panel.tasks)
        self._reasons = ReviewReasons(panel)
        self._connect()

    def handlers(self) -> Handlers:
        """Return the actions by their id, each with the reason why it may be off."""
        start, reasons, panel, decide = self._start, self._reasons, self._panel, self._decisions
        view, bar = panel.changes.diff.view, panel.changes.diff.bar
        return {
            "accept": Handler(lambda: self._accept(panel.decision.note()), reasons.accept),
            "reject": Handler(lambda: self._reject(panel.decision.note()), lambda: reasons.status("proposed")),
            "try": Handler(lambda: start(decide.try_it), reasons.try_it),
            "edit-proposal": Handler(self._edit, lambda: reasons.status("proposed")),
            "roll-back": Handler(self._roll_back, lambda: reasons.status("deployed")),
            "back-up": Handler(self._back_up, reasons.none),
            "retry": Handler(lambda: start(decide.retry), reasons.retry),
            "continue-proof": Handler(self.measure_more, reasons.more),
            "pause": Handler(self._pause, lambda: reasons.status("running")),
            "stop": Handler(self._stop, lambda: reasons.status("running")),
            "resume": Handler(lambda: start(decide.resume), reasons.resume),
            "export-run": Handler(lambda: start(decide.export), reasons.none),
            "next-change": Handler(lambda: self._step(view.next_change), reasons.changes),
            "previous-change": Handler(lambda: self._step(view.previous_change), reasons.changes),
            "diff-layout": Handler(panel.changes.turn_layout, reasons.changes),
            "diff-rendered": Handler(
                lambda: self._turn(panel.changes.turn_rendered), reasons.changes, on=bar.rendered.isChecked
            ),
            "diff-blanks": Handler(
                lambda: self._turn(panel.changes.turn_blanks), reasons.changes, on=bar.blanks.isChecked
            ),
            "find-in-text": Handler(self._find, reasons.changes),
            **{
                f"tab-{name}": Handler(lambda n=name: panel.show_tab(n), reasons.none)  # type: ignore[misc]
                for name, _, _ in review_tabs()
            },
        }

    def measure_more(self) -> None:
        """Go on with the evidence."""
        self._start(self._decisions.measure_more)

    def new_run(self) -> None:
        """Begin another run of the same target."""
        if self._panel.review is not None:
            self._panel.desk.go("new-run", target_of(self._panel.review.detail))

    def _connect(self) -> None:
        bar = self._panel.decision
        bar.accept_requested.connect(self._accept)
        bar.reject_requested.connect(self._reject)
        bar.try_requested.connect(lambda: self._start(self._decisions.try_it))
        bar.export_requested.connect(lambda: self._start(self._decisions.export))
        bar.rollback_requested.connect(self._roll_back)
        bar.backup_requested.connect(self._back_up)
        bar.retry_requested.connect(lambda: self._start(self._decisions.retry))
        bar.resume_requested.connect(lambda: self._start(self._decisions.resume))
        bar.rerun_requested.connect(self.new_run)
        bar.stop_requested.connect(self._stop)
        bar.pause_requested.connect(lambda _: self._pause())
        self._panel.progress.stop_requested.connect(self._stop)

    def _start(self, decide: Callable[[RunDetail], Coroutine[Any, Any, Any]]) -> None:
        if self._panel.review is not None:
            self._panel.tasks.start(decide(self._panel.review.detail), decide.__name__)

    def _accept(self, note: str) -> None:
        panel = self._panel
        if panel.review is not None:
            detail, changes = panel.review.detail, panel.changes
            hunks = changes.selection(detail.uuid)
            work = self._decisions.accept(detail, note, hunks=hunks, edited_text=changes.edited)
            panel.tasks.start(work, "accept")

    def _reject(self, note: str) -> None:
        if self._panel.review is not None:
            self._panel.tasks.start(self._decisions.reject(self._panel.review.detail, note), "reject")

    def _roll_back(self) -> None:
        if self._panel.review is not None:
            target = target_of(self._panel.review.detail)
            self._panel.tasks.start(self._decisions.roll_back(target), "roll back")

    def _back_up(self) -> None:
        if self._panel.review is not None:
            self._panel.tasks.start(self._decisions.back_up(target_of(self._panel.review.detail)), "back up")

    def _stop(self) -> None:
        self._decisions.stop(self._panel.uuid or "")

    def _pause(self) -> None:
        panel = self._panel
        if panel.uuid is None:
            return
        paused = not panel.desk.workspace.is_paused(panel.uuid)
        self._decisions.pause(panel.uuid, paused)
        state = DecisionState.PAUSED if paused else DecisionState.RUNNING
        panel.decision.set_state(state, panel.head.decision_words)
        panel.progress.set_paused(paused)

    def _edit(self) -> None:
        self._panel.show_tab("changes")
        self._panel.changes.begin_edit()

    def _step(self, step: Callable[[], bool]) -> None:
        self._panel.show_tab("changes")
        self._panel.changes.diff.show_source()
        step()
        self._panel.changes.diff.view.setFocus()

    def _find(self) -> None:
        self._panel.show_tab("changes")
        self._panel.changes.diff.open_find()

    def _turn(self, turn: Callable[[], None]) -> None:
        self._panel.show_tab("changes")
        turn()
