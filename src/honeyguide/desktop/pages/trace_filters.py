"""The filters of the trace browser: outcome, target and source, each value with how many it would leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, figures
from honeyguide.desktop.theme.outcomes import trace_outcome_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.labels import named

if TYPE_CHECKING:
    from honeyguide.workspace import TargetRow, TraceFacetCounts

OUTCOMES = ("success", "verified", "corrected", "abandoned", "pending")
NO_TARGET = "\x00none"
"""Stands for traces that speak about no target."""


class TraceFilters(QWidget):
    """Signals:
    changed(): another choice.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("traces-filters")
        self._titles: dict[str, str] = {}
        self._counts: TraceFacetCounts | None = None
        self.outcome = self._choice("traces-outcome", self.tr("Outcome"))
        self.target = self._choice("traces-target", self.tr("Target"))
        self.source = self._choice("traces-source", self.tr("Source"))
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, Metrics.GAP)
        row.setSpacing(Metrics.GAP)
        for box in (self.outcome, self.target, self.source):
            row.addWidget(box)
        row.addStretch(1)
        self._fill()

    def fields(self) -> dict[str, Any]:
        """Return what is chosen, as fields of a query."""
        target = self.target.currentData() or None
        return {
            "outcome": self.outcome.currentData() or None,
            "source": self.source.currentData() or None,
            "target": None if target == NO_TARGET else target,
            "unlinked": target == NO_TARGET,
        }

    @property
    def is_narrowing(self) -> bool:
        """Whether anything is chosen."""
        return any(box.currentData() for box in (self.outcome, self.target, self.source))

    @property
    def counts(self) -> TraceFacetCounts | None:
        """The counts shown; ``None`` before the first ones came."""
        return self._counts

    def clear(self) -> None:
        """Choose everything; says so once."""
        for box in (self.outcome, self.target, self.source):
            box.blockSignals(True)
            box.setCurrentIndex(0)
            box.blockSignals(False)
        self.changed.emit()

    def set_targets(self, rows: Sequence[TargetRow]) -> None:
        """Say what targets are called."""
        self._titles = {str(row.ref): row.title or row.ref.name for row in rows}
        self._fill()

    def set_counts(self, counts: TraceFacetCounts) -> None:
        """Say how many traces each value would leave."""
        self._counts = counts
        self._fill()

    # --- inside

    def _fill(self) -> None:
        counts = self._counts
        outcomes = counts.outcomes if counts else {}
        words = {name: trace_outcome_wording(name).words for name in OUTCOMES}
        self._offer(self.outcome, self.tr("every outcome"), words, outcomes, keep_empty=True)
        targets = dict(counts.targets) if counts else {}
        titles = {**{name: name.partition(":")[2] for name in targets}, **self._titles}
        if counts and counts.unlinked:
            titles[NO_TARGET], targets[NO_TARGET] = self.tr("no target"), counts.unlinked
        self._offer(self.target, self.tr("every target"), titles, targets, keep_empty=True)
        sources = counts.sources if counts else {}
        self._offer(self.source, self.tr("every source"), {name: name for name in sorted(sources)}, sources)

    def _offer(
        self,
        box: QComboBox,
        every: str,
        words: Mapping[str, str],
        counts: Mapping[str, int],
        *,
        keep_empty: bool = False,
    ) -> None:
        """Fill a box with values; one without any trace is offered only while nothing is counted, or when chosen."""
        chosen = box.currentData()
        box.blockSignals(True)
        box.clear()
        box.addItem(every, "")
        for name, said in words.items():
            count = counts.get(name, 0)
            if count or name == chosen or (keep_empty and self._counts is None):
                text = one_line(said, 60)
                box.addItem(f"{text}  {figures.whole(count)}" if self._counts is not None else text, name)
        if chosen and box.findData(chosen) < 0:
            box.addItem(f"{one_line(str(chosen), 60)}  0", chosen)
        box.setCurrentIndex(max(0, box.findData(chosen or "")))
        box.blockSignals(False)

    def _choice(self, name: str, spoken: str) -> QComboBox:
        box = named(QComboBox(), name, spoken)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMaximumWidth(Metrics.characters(34))
        box.currentIndexChanged.connect(lambda _: self.changed.emit())
        return box
