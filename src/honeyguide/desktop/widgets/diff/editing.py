"""Editing the proposed text by hand, beside the one that is live."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor, QTextOption
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.diff.line_ends import with_line_ends_of
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named

_REST_MS = 300


class ProposalEditor(QWidget):
    """The live text, read-only, and the proposed one to edit; line ends stay what they were.

    Signals:
        finished(text): Done, with the whole edited text. cancelled(): the edit is dropped.
        edited(text): typing rested; so that nothing typed is lost.
    """

    finished = Signal(str)
    cancelled = Signal()
    edited = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-editor")
        self._original = self._as_shown = ""
        self.hint = HintBar(
            self.tr("You are editing the proposed text. The checks are made again before it can be accepted."),
            Severity.INFO,
            closable=False,
            name="diff-edit-hint",
        )
        self._before = self._pane("diff-edit-before", self.tr("Live text"))
        self._before.setReadOnly(True)
        self.editor = self._pane("diff-edit-after", self.tr("Proposed text"))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(self._titled(self.tr("Now"), self._before))
        splitter.addWidget(self._titled(self.tr("Proposed"), self.editor))
        splitter.setHandleWidth(Metrics.GAP_2)
        splitter.setStyleSheet("QSplitter::handle { background: transparent; }")
        splitter.setSizes([1000, 1000])
        self.done = Button(self.tr("Done"), "diff-edit-done", look=Look.PRIMARY)
        self.reset = Button(self.tr("As it was proposed"), "diff-edit-reset", icon="undo")
        self.cancel = Button(self.tr("Drop the edit"), "diff-edit-cancel")
        self._changed = PlainLabel("", Type.CAPTION, Role.TEXT_2, wrap=False)
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(self._changed, 1)
        for button in (self.reset, self.cancel, self.done):
            row.addWidget(button)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.hint)
        column.addWidget(splitter, 1)
        column.addLayout(row)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_REST_MS)
        self._timer.timeout.connect(lambda: self.edited.emit(self.text()))
        self.editor.textChanged.connect(self._on_text)
        self.done.clicked.connect(lambda: self.finished.emit(self.text()))
        self.cancel.clicked.connect(lambda: self.cancelled.emit())
        self.reset.clicked.connect(self._on_reset)

    def begin(self, before: str, proposed: str, *, edited: str | None = None, line: int = 1, can: bool = True) -> None:
        """Start editing.

        Args:
            edited: an edit that was begun earlier. ``line``: where the cursor stands.
            can: whether ``Done`` is offered at all.
        """
        self._original = proposed
        self._before.setPlainText(before)
        self.editor.setPlainText(proposed)
        self._as_shown = self._typed()
        if edited is not None and edited != proposed:
            self.editor.setPlainText(edited)
        cursor = self.editor.textCursor()
        cursor.movePosition(QTextCursor.MoveOperation.Start)
        cursor.movePosition(QTextCursor.MoveOperation.Down, QTextCursor.MoveMode.MoveAnchor, max(0, line - 1))
        self.editor.setTextCursor(cursor)
        self.editor.centerCursor()
        self.editor.setFocus()
        self.done.setVisible(can)
        self._on_text()
        self._timer.stop()

    def text(self) -> str:
        """Return the edited text with the line ends of the proposed one; exactly that one when nothing was typed."""
        typed = self._typed()
        return self._original if typed == self._as_shown else with_line_ends_of(self._original, typed)

    @property
    def is_changed(self) -> bool:
        """Whether the text differs from the proposed one."""
        return self._typed() != self._as_shown

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and (
            event.modifiers() & Qt.KeyboardModifier.ControlModifier
        ):
            self.finished.emit(self.text())
            return
        super().keyPressEvent(event)

    def _typed(self) -> str:
        """What stands in the editor; its own way to tell would turn no-break spaces into plain ones."""
        return self.editor.document().toRawText().replace("\u2029", "\n")

    def _on_text(self) -> None:
        self.reset.set_allowed(self.is_changed, self.tr("Nothing was changed."))
        self._changed.set_text(self.tr("Edited by hand.") if self.is_changed else self.tr("Not edited."))
        self._timer.start()

    def _on_reset(self) -> None:
        cursor = self.editor.textCursor()
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(self._as_shown)

    def _pane(self, name: str, spoken: str) -> QPlainTextEdit:
        pane = named(QPlainTextEdit(), name, spoken)
        pane.setFont(Metrics.font(Type.PROSE))
        pane.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        pane.setTabChangesFocus(True)
        return pane

    @staticmethod
    def _titled(title: str, pane: QWidget) -> QWidget:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(Metrics.GRID)
        column.addWidget(PlainLabel(title, Type.CAPTION, Role.TEXT_2, wrap=False))
        column.addWidget(pane, 1)
        return holder
