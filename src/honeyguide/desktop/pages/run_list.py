"""The list of runs: chips for the states, the filters in force, the table, and what stands there without a run."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.pages.run_reading import FIRST_SCREEN
from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.chips import FilterChips, StatusChips
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.states import StateAction, StateStack

ALWAYS = ("proposed", "running", "accepted", "deployed", "rejected", "failed", "skipped-delta")
SOMETIMES = ("skipped-gates", "skipped-trigger", "inconclusive", "aborted", "interrupted")
"""States whose chip stands there only when a run is in them."""

AGES_MS = 30_000
"""How often the ages are written anew while the list is seen; they tell minutes."""


class RunListPanel(QWidget):
    """Shows runs; reading and filtering them is up to the page."""

    def __init__(self) -> None:
        super().__init__()
        self.chips = StatusChips()
        self.chips.set_states(ALWAYS)
        self.filter_chips = FilterChips()
        self.model = RunTableModel(self)
        self.table = DataTable("run-table", self.tr("Runs"), self.model)
        self.stack = StateStack(self.table)
        self.stack.setMinimumHeight(Metrics.row_height() * 4)
        self.index_line = PlainLabel("", Type.CAPTION, Role.TEXT_2, wrap=False)
        self.index_line.setObjectName("inbox-index")
        self.index_line.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        chips = QHBoxLayout()
        chips.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, Metrics.GAP)
        chips.addWidget(self.chips)
        column.addLayout(chips)
        filters = QHBoxLayout()
        filters.setContentsMargins(Metrics.MARGIN, 0, Metrics.MARGIN, 0)
        filters.addWidget(self.filter_chips)
        column.addLayout(filters)
        column.addWidget(self.stack, 1)
        line = QHBoxLayout()
        line.setContentsMargins(Metrics.MARGIN, 2, Metrics.MARGIN, 2)
        line.addWidget(self.index_line)
        column.addLayout(line)
        self.model.index_progress.connect(self._on_index)
        self._ages = QTimer(self)
        self._ages.setInterval(AGES_MS)
        self._ages.timeout.connect(self.model.refresh_ages)

    def showEvent(self, event: QShowEvent) -> None:
        self.model.refresh_ages()
        self._ages.start()
        super().showEvent(event)

    def hideEvent(self, event: QHideEvent) -> None:
        self._ages.stop()
        super().hideEvent(event)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Say how many runs are in each state."""
        self.chips.set_states((*ALWAYS, *(state for state in SOMETIMES if counts.get(state))))
        self.chips.set_counts(counts)

    def show_right_state(self) -> None:
        """Show the table, or why it is empty."""
        if not self.model.total:
            self.stack.show_empty(
                self.tr("No run yet"),
                self.tr(
                    "A run looks for a better text for one of your targets, proves it on cases it never saw, and waits "
                    "here for you. Nothing changes before you accept it."
                ),
                [StateAction("new-run", self.tr("New run…"), "plus")],
            )
        elif not self.model.rowCount():
            self.stack.show_empty(
                self.tr("No run fits"),
                self.tr("The search or the filters leave none of the runs."),
                [StateAction("clear-filters", self.tr("Show all runs"))],
                icon="filter",
            )
        else:
            self.stack.show_content()

    def choose_first(self) -> None:
        """Choose what waits for a person, else the newest."""
        rows = self.model.shown_rows()[:FIRST_SCREEN]
        first = next((row for row in rows if row.state == "proposed"), rows[0] if rows else None)
        if first is not None:
            self.table.select_key(first.uuid)

    def _on_index(self, done: int, total: int) -> None:
        self.index_line.setVisible(done < total)
        said = self.tr("Reading the list: {done} of {total}. Sorting waits for it.")
        self.index_line.set_text(said.format(done=done, total=total))
