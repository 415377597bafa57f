"""The footer of a review: what a person can decide now, in the state the run is in."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.painting import begin_paint


class DecisionState(StrEnum):
    """Which buttons there are."""

    PROPOSED = "proposed"
    RUNNING = "running"
    PAUSED = "paused"
    DEPLOYED = "deployed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    CLOSED = "closed"
    """Rejected, nothing better, stopped: nothing to decide."""


class DecisionBar(QWidget):
    """Note, Reject, Try it, Accept; or Roll back, Back up; or Try deploying again; or Pause and Stop.

    Signals:
        accept_requested(note), reject_requested(note): each opens a dialog elsewhere.
        try_requested(), export_requested(), rollback_requested(), backup_requested(), retry_requested(),
        resume_requested(), rerun_requested(), stop_requested(), pause_requested(bool): True pauses.
        note_changed(text): so that a note is never lost.
    """

    accept_requested = Signal(str)
    reject_requested = Signal(str)
    try_requested = Signal()
    export_requested = Signal()
    rollback_requested = Signal()
    backup_requested = Signal()
    retry_requested = Signal()
    resume_requested = Signal()
    rerun_requested = Signal()
    stop_requested = Signal()
    pause_requested = Signal(bool)
    note_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "decision-bar", self.tr("Decision"))
        self._state = DecisionState.CLOSED
        self._allowed, self._reason, self._needs_note = True, "", False
        self._make_controls()
        self._stack = QStackedWidget()
        self._sentences: dict[DecisionState, PlainLabel] = {}
        self._pages: dict[DecisionState, QWidget] = {
            DecisionState.PROPOSED: self._proposed_page(),
            DecisionState.RUNNING: self._page(DecisionState.RUNNING, self.pause, self.stop),
            DecisionState.PAUSED: self._page(DecisionState.PAUSED, self.go_on, self.stop_paused),
            DecisionState.DEPLOYED: self._page(DecisionState.DEPLOYED, self.backup, self.rollback),
            DecisionState.FAILED: self._page(DecisionState.FAILED, self.reject_failed, self.retry),
            DecisionState.INTERRUPTED: self._page(DecisionState.INTERRUPTED, self.resume),
            DecisionState.CLOSED: self._page(DecisionState.CLOSED, self.rerun),
        }
        for page in self._pages.values():
            self._stack.addWidget(page)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(self.export)
        row.addWidget(self._stack, 1)
        self._why = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._why.setObjectName("decision-why")
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP + 1, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        column.addLayout(row)
        column.addWidget(self._why)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_state(DecisionState.CLOSED)

    # --- what the page says

    @property
    def state(self) -> DecisionState:
        """The state shown."""
        return self._state

    def set_state(self, state: DecisionState, sentence: str = "") -> None:
        """Show the buttons of ``state``; ``sentence`` stands beside them."""
        self._state = state
        if state in self._sentences:
            self._sentences[state].set_text(sentence)
        self._stack.setCurrentWidget(self._pages[state])
        self._judge()

    def said(self) -> str:
        """Return the sentence that stands beside the buttons."""
        label = self._sentences.get(self._state)
        return label.raw_text() if label is not None else ""

    def set_accept(self, allowed: bool, reason: str = "", *, needs_note: bool = False) -> None:
        """Allow accepting, or say why not. With ``needs_note`` it waits for a note."""
        self._allowed, self._reason, self._needs_note = allowed, reason, needs_note
        self._judge()

    def set_rollback(self, allowed: bool, reason: str = "") -> None:
        """Allow rolling back, or say why not."""
        self.rollback.set_allowed(allowed, reason)

    def set_accept_words(self, words: str) -> None:
        """Say on the button what is accepted, e.g. ``Accept 3 of 4 changes…``; empty for the usual words."""
        said = words or self.tr("Accept && deploy…")
        self.accept.setText(said)
        self.accept.setAccessibleName(said.replace("&&", "&").rstrip("…"))

    def note(self) -> str:
        """Return what was typed."""
        return self._note.text().strip()

    def set_note(self, text: str) -> None:
        """Put a note there, e.g. one that was typed earlier."""
        self._note.setText(text)

    def set_busy(self, busy: bool, words: str = "") -> None:
        """Switch the buttons off while something is being done."""
        self._stack.setEnabled(not busy)
        self.export.setEnabled(not busy)
        if busy:
            self._why.set_text(words)
            self._why.setVisible(bool(words))
        else:
            self._judge()

    # --- inside

    def _make_controls(self) -> None:
        self.export = Button(
            self.tr("Export…"), "decision-export", icon="export", tip=self.tr("A page to hand to a colleague.")
        )
        self._note = named(QLineEdit(), "decision-note", self.tr("Note"))
        self._note.setPlaceholderText(self.tr("Note (kept with the decision)"))
        self._note.setMaxLength(2000)
        self.reject = Button(self.tr("Reject…"), "decision-reject")
        self.try_it = Button(self.tr("Try it"), "decision-try", icon="play")
        self.accept = Button("", "decision-accept", look=Look.PRIMARY)
        self.set_accept_words("")
        self.backup = Button(self.tr("Back up now"), "decision-backup", icon="backup")
        self.rollback = Button(self.tr("Roll back…"), "decision-rollback", icon="rollback")
        self.retry = Button(self.tr("Try deploying again…"), "decision-retry", look=Look.PRIMARY, icon="retry")
        self.reject_failed = Button(self.tr("Reject…"), "decision-reject-failed")
        self.resume = Button(self.tr("Resume"), "decision-resume", look=Look.PRIMARY, icon="play")
        self.rerun = Button(self.tr("New run…"), "decision-rerun", icon="plus")
        self.pause = Button(self.tr("Pause"), "decision-pause", icon="pause")
        self.go_on = Button(self.tr("Go on"), "decision-go-on", icon="play")
        self.stop = Button(self.tr("Stop"), "decision-stop", icon="stop")
        self.stop_paused = Button(self.tr("Stop"), "decision-stop-paused", icon="stop")
        for stop in (self.stop, self.stop_paused):
            stop.set_tip(self.tr("What was paid for is kept."))
        self._note.textChanged.connect(self._on_note)
        self.export.clicked.connect(lambda: self.export_requested.emit())
        self.accept.clicked.connect(lambda: self.accept_requested.emit(self.note()))
        for button in (self.reject, self.reject_failed):
            button.clicked.connect(lambda: self.reject_requested.emit(self.note()))
        self.try_it.clicked.connect(lambda: self.try_requested.emit())
        self.backup.clicked.connect(lambda: self.backup_requested.emit())
        self.rollback.clicked.connect(lambda: self.rollback_requested.emit())
        self.retry.clicked.connect(lambda: self.retry_requested.emit())
        self.resume.clicked.connect(lambda: self.resume_requested.emit())
        self.rerun.clicked.connect(lambda: self.rerun_requested.emit())
        self.pause.clicked.connect(lambda: self.pause_requested.emit(True))
        self.go_on.clicked.connect(lambda: self.pause_requested.emit(False))
        for stop in (self.stop, self.stop_paused):
            stop.clicked.connect(lambda: self.stop_requested.emit())

    def _proposed_page(self) -> QWidget:
        page = QWidget()
        row = _row(page)
        row.addWidget(self._note, 1)
        row.addSpacing(Metrics.GAP)
        for button in (self.reject, self.try_it, self.accept):
            row.addWidget(button)
        return page

    def _page(self, state: DecisionState, *buttons: Button) -> QWidget:
        page = QWidget()
        row = _row(page)
        label = PlainLabel("", role=Role.TEXT_2)
        self._sentences[state] = label
        row.addWidget(label, 1)
        for button in buttons:
            row.addWidget(button)
        return page

    def _on_note(self, text: str) -> None:
        self._judge()
        self.note_changed.emit(text)

    def _judge(self) -> None:
        lacks_note = self._needs_note and not self.note()
        reason = self._reason
        if self._allowed and lacks_note:
            reason = self.tr("It cannot be told yet whether this is better: write a note to accept it all the same.")
        self.accept.set_allowed(self._allowed and not lacks_note, reason)
        off = self._state is DecisionState.PROPOSED and not self.accept.isEnabled()
        self._why.set_text(reason if off else "")
        self._why.setVisible(off and bool(reason))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        painter.fillRect(0, 0, self.width(), 1, qcolor(Role.LINE))
        painter.end()


def _row(page: QWidget) -> QHBoxLayout:
    row = QHBoxLayout(page)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(Metrics.GAP)
    return row
