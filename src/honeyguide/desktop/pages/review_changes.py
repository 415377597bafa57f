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
from honeyguide.desktop.widgets.text_choice import TextChoice
from honeyguide.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from honeyguide.workspace import DiffView, RunDetail

Place = tuple[int, int, str]
"""Where a check complains: start, end, words."""


class ChangesTab(QWidget):
    """The difference, tick boxes for its changes, an editor, and the fields of the answer.

    Of a run on several texts one is in sight; ticks and edits of the others stay as they are.

    Signals:
        chosen(): other ticks or another edit; what would be accepted has to be checked again.
        acted(name): a step that the empty tab offers.

    Attributes:
        edited: the whole proposed text as a person edited it; ``None`` while it is as proposed.
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
        self._checked = ""
        self._ticks: dict[int, frozenset[int]] = {}
        self.edited: str | None = None
        self.texts = TextChoice()
        self.diff = DiffPanel()
        self.stack = StateStack(self.diff)
        self.idle = HintBar("", Severity.INFO, closable=False, name="review-idle")
        self.schema = SchemaDiffTable()
        self.schema.hide()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.idle)
        column.addWidget(self.texts)
        column.addWidget(self.stack, 3)
        column.addWidget(self.schema, 1)
        layout = memory.text("diff.layout")
        if layout in set(Layout):
            self.diff.view.set_layout(Layout(layout))
        self.diff.set_ignoring_blanks(memory.get("diff.blanks") is True)
        self.diff.set_rendered(memory.get("diff.rendered") is True)
        self.diff.blanks_chosen.connect(lambda on: memory.set("diff.blanks", on or None))
        self.diff.rendered_chosen.connect(lambda on: memory.set("diff.rendered", on or None))
        self.diff.ticked.connect(lambda _: self.chosen.emit())
        self.diff.edit_finished.connect(self._on_edited)
        self.diff.edit_cancelled.connect(lambda: self._on_edited(self._view.after if self._view else ""))
        self.diff.edit_typed.connect(self._on_typed)
        self.texts.leaving.connect(self._on_leaving)
        self.texts.chosen.connect(lambda _: self._show_chosen())
        self.idle.acted.connect(self._leave_out_idle)
        self.stack.acted.connect(self.acted)

    # --- what is shown

    def begin_run(self, uuid: str | None) -> None:
        """Turn to another run; an edit that was begun earlier comes back."""
        self._uuid = uuid
        self.edited = self._memory.text(f"edit.{uuid}") or None

    def show_run(
        self, detail: RunDetail, diff: DiffView | None, places: Sequence[Place], why: str, checked: str = ""
    ) -> None:
        """Show what a run changes.

        Args:
            places: where its checks complain.
            why: said when it made no proposal.
            checked: the whole text that the checks were made on; the proposed one when empty.
        """
        self._compared, self._places = diff, places
        self._checked = checked or (diff.after if diff is not None else "")
        if diff is None or detail.run is None:
            self._shown = None
            words = self.tr("Nothing to compare: this run made no proposal")
            self.stack.show_empty(words, why, [StateAction("new-run", self.tr("New run…"), "plus")], icon="equal")
            self.schema.hide()
            self.texts.set_texts(())
            return
        self.stack.show_content()
        key = (detail.uuid, diff.before, diff.after)
        if key != self._shown:
            if self.diff.is_editing:
                self.diff.end_edit()
            self._shown = key
            self._ticks.clear()
            self._forget_broken_edit(diff)
            self.texts.set_texts([(text.name, len(text.view.hunks)) for text in diff.texts])
            self._show_rows()
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

    def set_places(self, places: Sequence[Place], text: str = "") -> None:
        """Mark where the checks complain now, in the whole ``text`` that they were made on."""
        self._places, self._checked = places, text or self._checked
        self.diff.set_marks(self._marks())

    def show_place(self, start: int) -> None:
        """Bring a character of the whole checked text into sight."""
        compared = self._compared
        if compared is not None and compared.texts:
            begins = self._begins(compared)
            number = max((n for n, begin in enumerate(begins) if begin <= start), default=0)
            self.texts.choose(number)
            start -= begins[number]
        self.diff.show_place(start)

    # --- what of it is wanted

    def ticked(self) -> tuple[int, int]:
        """Return how many changes are ticked, and how many there are."""
        if self._compared is None or not self._compared.texts:
            return len(self.diff.view.included()), len(self.diff.view.hunks())
        return len(self._included()), len(self._compared.hunks)

    def selection(self, uuid: str) -> list[int] | None:
        """Return the numbers of the ticked changes of a run; ``None`` for all of them, or for an edit."""
        if self.edited is not None or self._shown is None or self._shown[0] != uuid:
            return None
        some, every = self.ticked()
        return sorted(self._included()) if some < every else None

    def begin_edit(self) -> None:
        """Open the editor; an edit that was begun earlier goes on."""
        self.diff.begin_edit(self._own_edit())

    def turn_layout(self) -> None:
        """Show the texts side by side, or in one column."""
        layout = Layout.INLINE if self.diff.view.is_side_by_side else Layout.SIDE_BY_SIDE
        self.diff.view.set_layout(layout)
        self._memory.set("diff.layout", layout.value)

    def turn_rendered(self) -> None:
        """Show both texts as their Markdown reads, or as they are."""
        self.diff.bar.rendered.click()

    def turn_blanks(self) -> None:
        """Leave changes of blanks alone out of sight, or show them."""
        self.diff.bar.blanks.click()

    # --- one text of several

    @property
    def _view(self) -> DiffView | None:
        """What is in sight: the whole, or the chosen one of several texts."""
        compared = self._compared
        return compared.texts[self.texts.number].view if compared is not None and compared.texts else compared

    def _included(self) -> set[int]:
        """Return the ticked changes, numbered as in the whole."""
        compared = self._compared
        if compared is None or not compared.texts:
            return set(self.diff.view.included())
        found: set[int] = set()
        for number, text in enumerate(compared.texts):
            own = self.diff.view.included() if number == self.texts.number else self._ticks.get(number)
            every = (hunk.n for hunk in text.view.hunks)
            found |= {text.first + n for n in (every if own is None else own)}
        return found

    def _own_edit(self) -> str | None:
        """Return the edited wording of what is in sight; ``None`` when it is as proposed."""
        compared, view = self._compared, self._view
        if self.edited is None or compared is None or view is None:
            return None
        if not compared.texts:
            return self.edited
        own = _wordings(compared, self.edited).get(compared.texts[self.texts.number].target, view.after)
        return None if own == view.after else own

    def _whole(self, text: str) -> str:
        """Return the whole proposed text with ``text`` as the wording of what is in sight."""
        compared = self._compared
        if compared is None or not compared.texts:
            return text
        return compared.with_texts({**_wordings(compared, self.edited), compared.texts[self.texts.number].target: text})

    def _begins(self, compared: DiffView) -> list[int]:
        """Return where in the checked text each text begins; nothing is pointed at in one that does not fall apart."""
        try:
            return list(compared.places_in(self._checked).values())
        except InvalidInput:
            return [len(self._checked)] * len(compared.texts)

    def _forget_broken_edit(self, diff: DiffView) -> None:
        """An edit that was kept for another shape of the proposal has no place in this one."""
        if self.edited is not None and diff.texts and not _wordings(diff, self.edited):
            self.edited = None

    def _on_leaving(self, number: int) -> None:
        if self.diff.is_editing:
            self.diff.end_edit()
        self._ticks[number] = frozenset(self.diff.view.included())

    def _show_chosen(self) -> None:
        self._show_rows()
        kept = self._ticks.get(self.texts.number)
        if kept is not None:
            self.diff.view.set_included(kept)

    # --- inside

    def _show_rows(self) -> None:
        view = self._view
        if view is None:
            return
        edited = self._own_edit()
        if edited is None:
            self.diff.set_rows(view.rows, self._marks(), titles=(self.tr("Now"), self.tr("Proposed")))
            return
        from honeyguide.workspace import diff_view

        titles = (self.tr("Now"), self.tr("Proposed, edited by you"))
        self.diff.set_rows(diff_view(view.before, edited).rows, self._marks(), titles=titles)

    def _marks(self) -> list[TextMark]:
        locked = self.tr("Locked: this passage has to stay.")
        view = self._view
        marks = [TextMark("lock", Side.BEFORE, start, end, locked) for start, end in (view.locks if view else ())]
        marks += [TextMark("gate", Side.AFTER, *place) for place in self._own_places()]
        leaked = self.tr("From a case that the search saw.")
        said = {(start, end) for start, end, _ in self._own_places()}
        spans = view.memorised if view and self.edited is None else ()
        places = [(span["start"], span["end"]) for span in spans]
        return marks + [TextMark("gate", Side.AFTER, *place, leaked) for place in places if place not in said]

    def _own_places(self) -> list[Place]:
        """Return where the checks complain in what is in sight."""
        compared = self._compared
        if compared is None or not compared.texts or not self._places:
            return list(self._places)
        begins = [*self._begins(compared), len(self._checked)]
        begin, end = begins[self.texts.number], begins[self.texts.number + 1]
        return [(s - begin, e - begin, words) for s, e, words in self._places if begin <= s < end]

    def _show_idle(self, diff: DiffView, is_open: bool) -> None:
        """Offer to leave out the changes that earned nothing when the run took its change apart."""
        idle = [number for number in diff.idle if number in self._included()]
        said = ""
        if idle and is_open and self.edited is None and len(idle) < len(diff.hunks):
            names = ", ".join(str(number) for number in idle)
            said = self.tr("These changes earned nothing on the cases of the search: {names}.").format(names=names)
        self.idle.show_hint(said, Severity.INFO, action=self.tr("Leave them out") if said else "")

    def _leave_out_idle(self) -> None:
        compared = self._compared
        if compared is None:
            return
        wanted = self._included() - set(compared.idle)
        for number, text in enumerate(compared.texts):
            own = {hunk.n for hunk in text.view.hunks if text.first + hunk.n in wanted}
            self._ticks[number] = frozenset(own)
        shown = self._ticks[self.texts.number] if compared.texts else frozenset(wanted)
        self.diff.view.set_included(shown)
        self.idle.show_hint("")
        self.chosen.emit()

    def _on_edited(self, text: str) -> None:
        if self._compared is None:
            return
        whole = self._whole(text)
        self.edited = None if whole == self._compared.after else whole
        self._memory.set(f"edit.{self._uuid}", self.edited)
        self._show_rows()
        self.diff.set_checkable(self.edited is None and len(self._compared.hunks) > 1)
        self.chosen.emit()

    def _on_typed(self, text: str) -> None:
        self._memory.set(f"edit.{self._uuid}", self._whole(text))


def _wordings(diff: DiffView, whole: str | None) -> dict[str, str]:
    """Return what an edited whole says for each text; nothing when it does not fall into them any more."""
    try:
        return diff.wordings(whole) if whole is not None else {}
    except InvalidInput:
        return {}
