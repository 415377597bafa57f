"""The evidence: a sum, a table of the unseen examples, and for the chosen one both answers and the judge's words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QScrollArea, QSplitter, QVBoxLayout, QWidget

from honeyguide.desktop.models.evidence import EvidenceModel, EvidenceRow, Verdict
from honeyguide.desktop.theme import Metrics, Role, Type, figures
from honeyguide.desktop.theme.outcomes import role_name, verdict_wording
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.bars import WinsBar
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.chips import StatusChips
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.diff.panel import DiffPanel
from honeyguide.desktop.widgets.diff.rows import DiffRow
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.search_field import SearchField
from honeyguide.desktop.widgets.states import StateStack

Differ = Callable[[str, str], Sequence[DiffRow]]
_DEBOUNCE_MS = 80
_AT_ONCE = 60_000
"""Answers up to so many characters together are compared at once; longer ones are asked for."""


class EvidencePanel(QWidget):
    """Signals:
    example_chosen(example id). trace_requested(trace id): show the trace it was mined from.
    diff_wanted(example id, before, after): compare these elsewhere; answer with ``show_diff``.
    """

    example_chosen = Signal(str)
    trace_requested = Signal(int)
    diff_wanted = Signal(str, str, str)

    def __init__(self, differ: Differ | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("evidence")
        self._differ = differ
        self.model = EvidenceModel(self)
        self.bar = WinsBar()
        self.chips = StatusChips()
        self.chips.set_states({v.value: verdict_wording(v.value) for v in (Verdict.WORSE, Verdict.SAME, Verdict.BETTER,
                                                                          Verdict.UNSCORED)})  # fmt: skip
        self.search = SearchField("evidence-search", self.tr("Search the examples"))
        self.search.setMaximumWidth(Metrics.characters(36))
        self.table = DataTable("evidence-table", self.tr("Unseen examples"), self.model)
        self.diff = DiffPanel()
        self.diff.set_editable(False)
        self._about = _About()
        self.stack = StateStack(self._body())
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_DEBOUNCE_MS)
        self._timer.timeout.connect(self._show_current)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.stack)
        self.chips.selection_changed.connect(self.model.set_verdicts)
        self.search.searched.connect(self.model.search)
        self.search.left_down.connect(self.table.setFocus)
        self.table.current_changed.connect(lambda _: self._timer.start())
        self._about.trace_requested.connect(self.trace_requested)
        self.set_evidence(())

    def set_differ(self, differ: Differ | None) -> None:
        """Say how two answers are compared; without it every comparison is asked for."""
        self._differ = differ

    def set_evidence(self, rows: Iterable[EvidenceRow]) -> None:
        """Show these examples, the worst change first; that one is chosen."""
        self.model.set_rows(rows)
        counts = self.model.counts()
        self.bar.set_counts(counts["better"], counts["same"], counts["worse"], counts["unscored"])
        self.chips.set_counts(counts)
        if self.model.total:
            self.stack.show_content()
            self.table.setCurrentIndex(self.model.index(0, 0))
        else:
            self.stack.show_empty(
                self.tr("Nothing was measured"),
                self.tr("The unseen examples stand here once a candidate was measured on them."),
                icon="list",
            )
        self._show_current()

    def set_proof(self, sentence: str) -> None:
        """Say on the bar what the examples prove; empty for nothing."""
        self.bar.setToolTip(tooltip(sentence))
        self.bar.setAccessibleDescription(sentence)

    def set_worse_only(self, on: bool) -> None:
        """Show only examples that got worse, or all."""
        self.chips.select({Verdict.WORSE.value} if on else ())

    def current(self) -> EvidenceRow | None:
        """Return the chosen example."""
        key = self.table.current_key()
        return None if key is None else self.model.row_of(key)

    def show_diff(self, example_id: str, rows: Sequence[DiffRow]) -> bool:
        """Show a comparison that was asked for; says whether it was still wanted."""
        row = self.current()
        if row is None or row.example_id != example_id:
            return False
        self.diff.set_rows(rows)
        return True

    def _body(self) -> QWidget:
        body = QWidget()
        self.bar.set_labelled(False)
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP_2)
        head.addWidget(self.chips, 3)
        head.addWidget(self.search, 2)
        top = QVBoxLayout()
        top.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        top.setSpacing(Metrics.GAP)
        top.addWidget(self.bar)
        top.addLayout(head)
        below = QSplitter(Qt.Orientation.Horizontal)
        below.setChildrenCollapsible(False)
        below.addWidget(self._about)
        below.addWidget(self.diff)
        below.setStretchFactor(0, 2)
        below.setStretchFactor(1, 5)
        below.setSizes([Metrics.characters(44), Metrics.characters(110)])
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        below.setMinimumHeight(5 * Metrics.row_height())  # less than its parts ask for: they scroll
        split.addWidget(below)
        split.setSizes([1000, 1000])
        split.setStretchFactor(0, 1)
        split.setStretchFactor(1, 1)
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(split, 1)
        return body

    def _show_current(self) -> None:
        self._timer.stop()
        row = self.current()
        self._about.show_row(row)
        if row is None:
            self.diff.set_rows(())
            return
        if self._differ is not None and len(row.before) + len(row.after) <= _AT_ONCE:
            self.diff.set_rows(self._differ(row.before, row.after))
        else:
            self.diff.set_rows(())
            self.diff_wanted.emit(row.example_id, row.before, row.after)
        self.example_chosen.emit(row.example_id)


class _About(QScrollArea):
    """The input, what was expected, and what the judge said."""

    trace_requested = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("evidence-about")
        self.setAccessibleName(self.tr("About the case"))
        self.setWidgetResizable(True)
        self.setFrameShape(QScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMinimumWidth(Metrics.characters(30))
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(Metrics.MARGIN, Metrics.GAP, Metrics.MARGIN, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        self._head = PlainLabel("", strong=True)
        column.addWidget(self._head)
        self._parts: list[tuple[PlainLabel, PlainLabel]] = []
        for _ in range(4):
            title = PlainLabel("", Type.CAPTION, Role.TEXT_2)
            text = PlainLabel("", selectable=True)
            column.addSpacing(Metrics.GRID)
            column.addWidget(title)
            column.addWidget(text)
            self._parts.append((title, text))
        self._trace = Button(self.tr("Open the trace"), "evidence-trace", look=Look.LINK, icon="open")
        self._trace.clicked.connect(self._on_trace)
        row = QHBoxLayout()
        row.addWidget(self._trace)
        row.addStretch(1)
        column.addLayout(row)
        column.addStretch(1)
        self.setWidget(body)
        self._trace_id: int | None = None

    def show_row(self, row: EvidenceRow | None) -> None:
        self._trace_id = row.trace_id if row else None
        self._trace.setVisible(self._trace_id is not None)
        if row is None:
            self._head.set_text(self.tr("No example is chosen."))
            texts: list[tuple[str, str]] = []
        else:
            said = verdict_wording(row.verdict).words
            change = figures.points(row.change) if row.change is not None else ""
            scores = self.tr("{before} now, {after} proposed").format(
                before=figures.score(row.score_before), after=figures.score(row.score_after)
            )
            self._head.set_text(" · ".join(part for part in (said, change, scores) if part))
            expected = self.tr("Expected ({kind})").format(kind=role_name(row.role))
            texts = [
                (self.tr("Input"), row.input),
                (expected, row.expected),
                (self.tr("The judge on the answer now"), row.judge_before),
                (self.tr("The judge on the proposed answer"), row.judge_after),
            ]
        for number, (title, text) in enumerate(self._parts):
            heading, words = texts[number] if number < len(texts) else ("", "")
            title.set_text(heading)
            text.set_text(words[:8000])
            for label in (title, text):
                label.setVisible(bool(words.strip()))
        self.verticalScrollBar().setValue(0)

    def _on_trace(self) -> None:
        if self._trace_id is not None:
            self.trace_requested.emit(self._trace_id)
