"""The live text of a target with its limits, variables, locked passages and what the audit says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QPlainTextEdit,
    QScrollArea,
    QSplitter,
    QTextEdit,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.said import spoken
from honeyguide.desktop.theme import Metrics, Role, Type, qcolor
from honeyguide.desktop.theme.code_words import unit_words
from honeyguide.desktop.theme.plain_text import Utf16Map, one_line, visible
from honeyguide.desktop.widgets.bars import LimitsBar
from honeyguide.desktop.widgets.buttons import Button, ToolButton
from honeyguide.desktop.widgets.labels import PlainLabel, named

if TYPE_CHECKING:
    from honeyguide.workspace import TargetDetail


class TargetText(QWidget):
    """Signals:
    lock_wanted(text): lock the chosen passage. unlock_wanted(id).
    """

    lock_wanted = Signal(str)
    unlock_wanted = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("target-text")
        self.editor = named(QPlainTextEdit(), "target-live-text", self.tr("Live text"))
        self.editor.setReadOnly(True)
        self.editor.setFont(Metrics.font(Type.PROSE))
        self.editor.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByKeyboard | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        self.lock = Button(self.tr("Lock the chosen passage"), "target-lock", icon="lock")
        self.lock.clicked.connect(self._on_lock)
        self.editor.selectionChanged.connect(self._judge)
        self._source = ""
        left = QWidget()
        column = QVBoxLayout(left)
        column.setContentsMargins(0, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GAP)
        column.addWidget(self.editor, 1)
        row = QHBoxLayout()
        row.addWidget(self.lock)
        row.addStretch(1)
        column.addLayout(row)
        self._side = named(QScrollArea(), "target-facts", self.tr("Limits, variables and locked passages"))
        self._side.setWidgetResizable(True)
        self._side.setFrameShape(QFrame.Shape.NoFrame)
        self._side.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._side.setMinimumWidth(Metrics.characters(24))
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.addWidget(left)
        splitter.addWidget(self._side)
        splitter.setSizes([520, 240])
        splitter.setStretchFactor(0, 1)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(splitter)
        self._judge()

    def show_target(self, detail: TargetDetail) -> None:
        """Show another target."""
        if detail.text != self._source:
            self._source = detail.text
            self.editor.setPlainText(visible(detail.text))
        self._mark(detail)
        side = QWidget()
        column = QVBoxLayout(side)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, 0, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        self._heading(column, self.tr("Limits"))
        for limit in detail.limits:
            bar = LimitsBar()
            bar.set_limit(limit.name, limit.used, limit.limit, unit_words(limit.unit))
            column.addWidget(bar)
        if not detail.limits:
            column.addWidget(PlainLabel(self.tr("none known"), role=Role.TEXT_2))
        self._heading(column, self.tr("Variables"))
        words = ", ".join(one_line(name, 60) for name in detail.variables) or self.tr("none")
        column.addWidget(PlainLabel(words, role=Role.TEXT if detail.variables else Role.TEXT_2))
        self._heading(column, self.tr("Locked passages"))
        for lock in detail.locks:
            self._lock_row(column, lock.id, lock.text, lock.line)
        if not detail.locks:
            column.addWidget(PlainLabel(self.tr("none; choose words in the text to lock them"), role=Role.TEXT_2))
        self._heading(column, self.tr("What the audit says"))
        for finding in detail.findings:
            column.addWidget(PlainLabel(spoken(finding), selectable=True))
        if not detail.findings:
            column.addWidget(PlainLabel(self.tr("nothing to complain about"), role=Role.TEXT_2))
        column.addStretch(1)
        self._side.setWidget(side)

    def _heading(self, column: QVBoxLayout, words: str) -> None:
        column.addSpacing(Metrics.GAP)
        column.addWidget(PlainLabel(words, Type.CAPTION, Role.TEXT_2))

    def _lock_row(self, column: QVBoxLayout, lock_id: str, text: str, line: int | None) -> None:
        row = QHBoxLayout()
        where = self.tr("line {n}").format(n=line) if line else self.tr("no longer in the text")
        label = PlainLabel(f"“{one_line(text, 90)}” ({where})", role=Role.TEXT if line else Role.WARN)
        open_it = ToolButton("unlock", f"target-unlock-{lock_id}", self.tr("Unlock"))
        open_it.clicked.connect(lambda: self.unlock_wanted.emit(lock_id))
        row.addWidget(label, 1)
        row.addWidget(open_it)
        column.addLayout(row)

    def _mark(self, detail: TargetDetail) -> None:
        marks = []
        places = Utf16Map(detail.text)
        for lock in detail.locks:
            at = detail.text.find(lock.text)
            if at >= 0:
                shape = QTextCharFormat()
                colour = QColor(qcolor(Role.WARN_TINT))
                shape.setBackground(colour)
                selection = QTextEdit.ExtraSelection()
                cursor = QTextCursor(self.editor.document())
                cursor.setPosition(places.to_qt(at))
                cursor.setPosition(places.to_qt(at + len(lock.text)), QTextCursor.MoveMode.KeepAnchor)
                selection.cursor, selection.format = cursor, shape
                marks.append(selection)
        self.editor.setExtraSelections(marks)

    def _on_lock(self) -> None:
        cursor = self.editor.textCursor()
        places = Utf16Map(self._source)
        start, end = places.from_qt(cursor.selectionStart()), places.from_qt(cursor.selectionEnd())
        if end > start:
            self.lock_wanted.emit(self._source[start:end])

    def _judge(self) -> None:
        has = self.editor.textCursor().hasSelection()
        self.lock.set_allowed(has, self.tr("Choose words in the text first; no proposal may change them then."))
