"""The family tree of candidates, and what is known of the one that is looked at."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import (
    QHeaderView,
    QPlainTextEdit,
    QSplitter,
    QStyleOptionViewItem,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from honeyguide.desktop.models.candidates import Candidate, CandidateModel
from honeyguide.desktop.theme import Metrics, Role, Type, figures, qcolor
from honeyguide.desktop.theme.code_words import score_words
from honeyguide.desktop.theme.outcomes import strategy_words
from honeyguide.desktop.theme.plain_text import block
from honeyguide.desktop.widgets.cell_delegate import CellDelegate
from honeyguide.desktop.widgets.data_table import usual_width
from honeyguide.desktop.widgets.labels import PlainLabel, named

_OPEN_AT_MOST = 400
_INDENT = 10
_DEEP = 8
"""Pixels a generation is indented, and generations for which a name keeps its room."""
"""A tree of more candidates opens only the line to the winner."""


class LineageTree(QWidget):
    """The tree above; below, the text of the chosen candidate and why it was made.

    Signals:
        candidate_chosen(id), candidate_activated(id): Enter or a double click (to compare it with the live text).
    """

    candidate_chosen = Signal(str)
    candidate_activated = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("lineage")
        self.model = CandidateModel(self)
        self.tree = named(_Tree(), "lineage-tree", self.tr("Family tree of candidates"))
        self.tree.setModel(self.model)
        self.tree.setItemDelegate(CellDelegate(self.tree, draws_rows=False))
        self.tree.setUniformRowHeights(True)
        self.tree.setAllColumnsShowFocus(False)
        self.tree.setIndentation(_INDENT)
        self.tree.setExpandsOnDoubleClick(False)
        self.tree.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        header = self.tree.header()
        header.setStretchLastSection(True)
        header.setSectionsMovable(False)
        for number, column in enumerate(self.model.columns):
            header.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            header.resizeSection(number, usual_width(column, header))
        header.resizeSection(0, header.sectionSize(0) + _DEEP * _INDENT)
        self._about = PlainLabel("", role=Role.TEXT_2, selectable=True)
        self._text = named(QPlainTextEdit(), "lineage-text", self.tr("Text of the candidate"))
        self._text.setReadOnly(True)
        self._text.setFont(Metrics.font(Type.PROSE))
        below = QWidget()
        layout = QVBoxLayout(below)
        layout.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        layout.setSpacing(Metrics.GAP)
        layout.addWidget(self._about)
        layout.addWidget(self._text, 1)
        self._splitter = QSplitter(Qt.Orientation.Vertical)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.tree)
        self._splitter.addWidget(below)
        self._splitter.setStretchFactor(0, 3)
        self._splitter.setStretchFactor(1, 2)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self._splitter)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.tree.activated.connect(self._on_activated)
        self._describe(None)

    def set_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Show these candidates; the winner is chosen."""
        chosen = self.chosen()
        self.model.set_candidates(candidates)
        rows = self.model.candidates()
        winner = next((row for row in rows if row.is_winner), None)
        if len(rows) <= _OPEN_AT_MOST:
            self.tree.expandAll()
        keep = chosen if chosen and self.model.index_of(chosen).isValid() else None
        target = keep or (winner.id if winner else rows[0].id if rows else None)
        if target:
            self.choose(target)
        else:
            self._describe(None)

    def chosen(self) -> str | None:
        """Return the id of the chosen candidate."""
        row = self.model.candidate(self.tree.currentIndex())
        return row.id if row else None

    def choose(self, candidate_id: str) -> bool:
        """Choose a candidate and open the tree down to it; says whether it exists."""
        index = self.model.index_of(candidate_id)
        if not index.isValid():
            return False
        parent = index.parent()
        while parent.isValid():
            self.tree.expand(parent)
            parent = parent.parent()
        self.tree.setCurrentIndex(index)
        self.tree.scrollTo(index)
        return True

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        row = self.model.candidate(current)
        self._describe(row)
        if row is not None:
            self.candidate_chosen.emit(row.id)

    def _on_activated(self, index: QModelIndex) -> None:
        row = self.model.candidate(index)
        if row is not None:
            self.candidate_activated.emit(row.id)

    def _describe(self, row: Candidate | None) -> None:
        if row is None:
            self._about.set_text(self.tr("No candidate is chosen."))
            self._text.setPlainText("")
            return
        parts = [strategy_words(row.strategy) if row.strategy else row.id]
        parts.append(self.tr("generation {n}").format(n=row.generation))
        parts += [f"{score_words(name)} {figures.score(value)}" for name, value in row.scores.items()]
        lines = [", ".join(parts)]
        if row.feedback:
            lines.append(self.tr("What had gone wrong: {text}").format(text=block(row.feedback, 2000)))
        if row.refused:
            lines.append(self.tr("Refused: {text}").format(text=block(row.refused, 500)))
        self._about.set_text("\n".join(lines))
        self._text.setPlainText(block(row.text, 200_000))

    def context_point(self) -> QPoint:
        """Return where a menu for the chosen candidate belongs, on screen."""
        rect = self.tree.visualRect(self.tree.currentIndex())
        return self.tree.viewport().mapToGlobal(rect.bottomLeft())


class _Tree(QTreeView):
    """Paints the background of whole rows itself: the style would paint each cell another one."""

    def __init__(self) -> None:
        super().__init__()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Highlight, Qt.GlobalColor.transparent)
        self.setPalette(palette)

    def drawRow(
        self, painter: QPainter, options: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        row = QRect(0, options.rect.top(), self.viewport().width(), options.rect.height())
        if self.selectionModel().isSelected(index):
            painter.fillRect(row, qcolor(Role.SELECTION))
        if self.hasFocus() and index == self.currentIndex():
            x = self.viewport().width() - 3 if self.isRightToLeft() else 0
            painter.fillRect(x, row.top(), 3, row.height(), qcolor(Role.ACCENT))
        super().drawRow(painter, options, index)
