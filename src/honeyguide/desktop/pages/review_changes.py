"""The Changes tab of a review: both texts compared, what of the change is wanted, and an edit by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from honeyguide.desktop.memory import Memory
from honeyguide.desktop.widgets.diff import DiffPanel, Layout, Side, TextMark
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.schema_diff import SchemaDiffTable, schema_changes
from honeyguide.desktop.widgets.states import StateAction, StateStack

if TYPE_CHECKING:
    from honeyguide.workspace import DiffView, RunDetail

Place = tuple[int, int, str]
"""Where a check complains: start, end, words."""


class ChangesTab(QWidget):
    """The difference, tick boxes for its changes, an editor, and the fields of the answer.

    Signals:
        chosen(): other ticks or another edit; what would be accepted has to be checked again.
        acted(name): a step that the empty tab offers.

    Attributes:
        edited: the proposed text as a person edited it; ``None`` while it is as proposed.
    """

    chosen = Signal()
    acted = Signal(str)

    def __init__(self, memory: Memory) -> None:
        super().__init__()
        self._memory = memory
        self._uuid: str | None = None
        self._shown: tuple[str, str, str] | None = None
        self._compared: DiffView | None = None
        self._places: Sequence[Place] = ()
        self.edited: str | None = None
        self.diff = DiffPanel()
        self.stack = StateStack(self.diff)
        self.idle = HintBar("", Severity.INFO, closable=False, name="review-idle")
        self.schema = SchemaDiffTable()
        self.schema.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.idle)
        column.addWidget(self.stack, 3)
        column.addWidget(self.schema, 1)
        layout = memory.text("diff.layout")
        if layout in set(Layout):
            self.diff.view.set_layout(Layout(layout))
        self.diff.ticked.connect(lambda _: self.chosen.emit())
        self.diff.edit_finished.connect(self._on_edited)
        self.diff.edit_cancelled.connect(lambda: self._on_edited(self._compared.after if self._compared else ""))
        self.diff.edit_typed.connect(self._on_typed)
        self.idle.acted.connect(self._leave_out_idle)
        self.stack.acted.connect(self.acted)

    # --- what is shown

    def begin_run(self, uuid: str | None) -> None:
        """Turn to another run; an edit that was begun earlier comes back."""
        self._uuid = uuid
        self.edited = self._memory.text(f"edit.{uuid}") or None

    def show_run(self, detail: RunDetail, diff: DiffView | None, places: Sequence[Place], why: str) -> None:
        """Show what a run changes.

        Args:
            places: where its checks complain.
            why: said when it made no proposal.
        """
        self._compared, self._places = diff, places
        if diff is None or detail.run is None:
            self._shown = None
            words = self.tr("Nothing to compare: this run made no proposal")
            self.stack.show_empty(words, why, [StateAction("new-run", self.tr("New run…"), "plus")], icon="equal")
            self.schema.hide()
            return
        self.stack.show_content()
        key = (detail.uuid, diff.before, diff.after)
        if key != self._shown:
            if self.diff.is_editing:
                self.diff.end_edit()
            self._shown = key
            self._show_rows(diff)
        else:
            self.diff.set_marks(self._marks())
        is_open = detail.status == "proposed"
        self.diff.set_checkable(is_open and len(diff.hunks) > 1 and self.edited is None)
        self.diff.set_editable(is_open)
        self._show_idle(diff, is_open)
        schema = detail.run.winner_schema_json
        self.schema.setVisible(bool(schema))
        if schema:
            self.schema.set_changes(schema_changes(detail.baseline_schema(), json.loads(schema)))

    def show_nothing(self) -> None:
        """Forget what is shown."""
        self._shown, self._compared = None, None

    def set_places(self, places: Sequence[Place]) -> None:
        """Mark where the checks complain now."""
        self._places = places
        self.diff.set_marks(self._marks())

    # --- what of it is wanted

    def ticked(self) -> tuple[int, int]:
        """Return how many changes are ticked, and how many there are."""
        return len(self.diff.view.included()), len(self.diff.view.hunks())

    def selection(self, uuid: str) -> list[int] | None:
        """Return the numbers of the ticked changes of a run; ``None`` for all of them, or for an edit."""
        if self.edited is not None or self._shown is None or self._shown[0] != uuid:
            return None
        some, every = self.ticked()
        return sorted(self.diff.view.included()) if some < every else None

    def begin_edit(self) -> None:
        """Open the editor; an edit that was begun earlier goes on."""
        self.diff.begin_edit(self.edited)

    def turn_layout(self) -> None:
        """Show the texts side by side, or in one column."""
        layout = Layout.INLINE if self.diff.view.is_side_by_side else Layout.SIDE_BY_SIDE
        self.diff.view.set_layout(layout)
        self._memory.set("diff.layout", layout.value)

    # --- inside

    def _show_rows(self, diff: DiffView) -> None:
        if self.edited is None:
            self.diff.set_rows(diff.rows, self._marks(), titles=(self.tr("Now"), self.tr("Proposed")))
            return
        from honeyguide.workspace import diff_view

        titles = (self.tr("Now"), self.tr("Proposed, edited by you"))
        self.diff.set_rows(diff_view(diff.before, self.edited).rows, self._marks(), titles=titles)

    def _marks(self) -> list[TextMark]:
        locked = self.tr("Locked: this passage has to stay.")
        locks = self._compared.locks if self._compared else ()
        marks = [TextMark("lock", Side.BEFORE, start, end, locked) for start, end in locks]
        marks += [TextMark("gate", Side.AFTER, *place) for place in self._places]
        leaked = self.tr("From a case that the search saw.")
        said = {(start, end) for start, end, _ in self._places}
        spans = self._compared.memorised if self._compared and self.edited is None else ()
        places = [(span["start"], span["end"]) for span in spans]
        return marks + [TextMark("gate", Side.AFTER, *place, leaked) for place in places if place not in said]

    def _show_idle(self, diff: DiffView, is_open: bool) -> None:
        """Offer to leave out the changes that earned nothing when the run took its change apart."""
        idle = [number for number in diff.idle if number in self.diff.view.included()]
        said = ""
        if idle and is_open and self.edited is None and len(idle) < len(diff.hunks):
            names = ", ".join(str(number) for number in idle)
            said = self.tr("These changes earned nothing on the cases of the search: {names}.").format(names=names)
        self.idle.show_hint(said, Severity.INFO, action=self.tr("Leave them out") if said else "")

    def _leave_out_idle(self) -> None:
        if self._compared is not None:
            self.diff.view.set_included(self.diff.view.included() - set(self._compared.idle))
            self.idle.show_hint("")
            self.chosen.emit()

    def _on_edited(self, text: str) -> None:
        if self._compared is None:
            return
        self.edited = None if text == self._compared.after else text
        self._memory.set(f"edit.{self._uuid}", self.edited)
        self._show_rows(self._compared)
        self.diff.set_checkable(self.edited is None and len(self._compared.hunks) > 1)
        self.chosen.emit()

    def _on_typed(self, text: str) -> None:
        self._memory.set(f"edit.{self._uuid}", text)
