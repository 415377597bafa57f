"""The diff view itself: what is shown, walked, ticked, found and copied."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QWidget

from honeyguide.desktop.widgets.diff.band_area import BandArea
from honeyguide.desktop.widgets.diff.bands import REVEAL, Folded, Folds, Head
from honeyguide.desktop.widgets.diff.marks import Located, TextMark, locate, row_at
from honeyguide.desktop.widgets.diff.pointing import Target
from honeyguide.desktop.widgets.diff.rows import DiffRow, Layout, Side, side_text
from honeyguide.desktop.widgets.labels import named


class DiffView(BandArea):
    """Two texts, compared. Arrows scroll; N and P, or F7 and F8, walk the changes; Space ticks; Ctrl+C copies.

    Signals:
        current_changed(place, total): the current change is the ``place``-th of ``total`` (0 of 0 without any).
        ticked(frozenset of hunk numbers): changes were ticked or unticked.
        found(place, total): the current find.
        arranged(), layout_changed(side_by_side): as ``BandArea``.
    """

    current_changed = Signal(int, int)
    ticked = Signal(object)
    found = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "diff-view", self.tr("Changes"))

    # --- what is shown

    def set_rows(self, rows: Sequence[DiffRow], marks: Iterable[TextMark] = ()) -> None:
        """Show another comparison from its first change on; every change is ticked."""
        self._content.set_rows(rows, marks)
        self._selection.clear()
        self.arrange()
        self._finds.look(self._content.rows)
        self._scroll.to_top()
        self._show_current()
        self._tell_current()

    def set_marks(self, marks: Iterable[TextMark]) -> None:
        """Show other marks on the same texts."""
        self._content.set_marks(marks)
        self.arrange()

    def rows(self) -> Sequence[DiffRow]:
        """Return the comparison, as it was given."""
        return self._content.source

    def located_marks(self) -> Located:
        """Return the marks by row and side of the comparison as it was given."""
        return locate(self._content.text_marks, self._content.source)

    def set_layout(self, layout: Layout) -> None:
        """Choose side by side, inline, or whatever the room allows."""
        self._content.layout = layout
        self.arrange()

    @property
    def is_side_by_side(self) -> bool:
        """Whether the texts stand beside each other now."""
        return self._content.columns.side_by_side

    def side_edges(self) -> tuple[int, int]:
        """Return where the two texts begin, in pixels from the left of the view."""
        columns = self._content.columns
        lefts = (columns.text_left(Side.BEFORE), columns.text_left(Side.AFTER))
        edges = [columns.placed(left, 0, columns.text, 1).left() for left in lefts]
        return edges[0], edges[1]

    def set_whitespace(self, shown: bool) -> None:
        """Show blanks, tabs and line ends."""
        self._content.whitespace = shown
        self.arrange()

    def set_ignoring_blanks(self, on: bool) -> None:
        """Show changes of blanks alone as if nothing had changed there; what is ticked stays as it is."""
        self._content.ignores_blanks = on
        self._selection.clear()
        self.arrange()
        self._finds.look(self._content.rows)
        self._show_current()
        self._tell_current()

    def hidden_hunks(self) -> frozenset[int]:
        """Return the changes that are not shown because only blanks differ."""
        return self._content.hidden()

    def walked_hunks(self) -> list[int]:
        """Return the numbers of the changes that are shown, which one walks through."""
        return list(self._content.walked)

    def set_monospace(self, on: bool) -> None:
        """Set the text like code."""
        self._content.monospace = on
        self.arrange()

    def set_folding(self, on: bool) -> None:
        """Fold unchanged parts away, or show everything."""
        self._content.folds = Folds(on)
        self.arrange()

    # --- changes

    def hunks(self) -> list[int]:
        """Return the numbers of all changes."""
        return list(self._content.hunks)

    def current_hunk(self) -> int | None:
        """Return the number of the current change."""
        return self._content.current

    def next_change(self) -> bool:
        """Go to the next change; says whether there was one."""
        return self._step(1)

    def previous_change(self) -> bool:
        """Go to the change before; says whether there was one."""
        return self._step(-1)

    def go_to_change(self, hunk: int) -> bool:
        """Make a change the current one and bring it into sight; says whether it exists."""
        if hunk not in self._content.walked:
            return False
        self._content.current = hunk
        self._show_current()
        self._tell_current()
        return True

    def go_to_place(self, side: Side, start: int) -> bool:
        """Bring a character of one of the whole texts into sight, e.g. the place of a check's complaint."""
        row = row_at(self._content.rows, side, start)
        if row is None:
            return False
        self._make_current(self._content.rows[row].hunk)
        self.show_row(row)
        return True

    # --- ticking

    def set_checkable(self, on: bool) -> None:
        """Offer a tick box for each change."""
        self._content.checkable = on
        self.viewport().update()

    def included(self) -> frozenset[int]:
        """Return the ticked changes."""
        return self._content.included

    def set_included(self, hunks: Collection[int]) -> None:
        """Tick exactly these changes."""
        if self._content.tick(hunks):
            self.setAccessibleDescription(self._content.spoken())
            self.viewport().update()
            self.ticked.emit(self._content.included)

    def toggle_current(self) -> None:
        """Tick or untick the current change."""
        if self._content.checkable and self._content.current is not None:
            self.set_included(self._content.included ^ {self._content.current})

    # --- finding and copying

    def find_words(self, words: str) -> int:
        """Mark every place of ``words`` and go to the first; return how many there are."""
        self._finds.look(self._content.rows, words)
        if not self.find_next():
            self.found.emit(0, 0)
            self.viewport().update()
        return len(self._finds.hits)

    def find_next(self, step: int = 1) -> bool:
        """Go to the next find (``-1``: the one before), round at the ends."""
        hit = self._finds.step(step)
        if hit is None:
            return False
        self.show_row(hit.row, offset=hit.start, side=hit.side)
        self.found.emit(self._finds.current + 1, len(self._finds.hits))
        return True

    def selected_text(self) -> str:
        """Return the selected text, as it is in the source."""
        return self._selection.text(self._content.rows)

    def hunk_text(self, hunk: int, side: Side = Side.AFTER) -> str:
        """Return the lines of a change on one side."""
        return "".join(side_text(row, side) or "" for row in self._content.source if row.hunk == hunk)

    def copy(self) -> None:
        """Copy what is selected, or the current change as it is proposed."""
        text = self.selected_text()
        if not text and self._content.current is not None:
            text = self.hunk_text(self._content.current)
        if text:
            QGuiApplication.clipboard().setText(text)

    # --- positions, for the strip beside it

    def change_positions(self) -> list[tuple[str, float, float]]:
        """Return kind, top and bottom of each changed run, as shares of everything."""
        return self._content.change_positions()

    def shown_span(self) -> tuple[float, float]:
        """Return top and bottom of what is in sight, as shares of everything."""
        total = max(1, self._content.layouts.heights.total)
        top = self.verticalScrollBar().value()
        return top / total, min(1.0, (top + self.viewport().height()) / total)

    def scroll_to_share(self, share: float) -> None:
        """Bring the place at ``share`` (0 to 1) of everything into the middle."""
        total = self._content.layouts.heights.total
        self.verticalScrollBar().setValue(round(share * total - self.viewport().height() / 2))

    # --- Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.matches(QKeySequence.StandardKey.Copy):
            self.copy()
        elif not self._navigate(event):
            super().keyPressEvent(event)

    # --- inside

    def press(self, target: Target) -> None:
        band = target.band
        if isinstance(band, Head):
            self._make_current(band.hunk)
            if target.on_box:
                self.toggle_current()
        elif isinstance(band, Folded):
            self._content.folds.reveal(band, REVEAL if target.step == "some" else band.end - band.start)
            self.arrange()
        elif target.place is not None:
            self._selection.begin(target.place)
            self._make_current(self._content.rows[band.row].hunk)

    def _make_current(self, hunk: int | None) -> None:
        if hunk is not None and hunk != self._content.current:
            self._content.current = hunk
            self._tell_current()

    def _navigate(self, event: QKeyEvent) -> bool:
        key, shift = event.key(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if event.modifiers() & (Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier):
            return False
        if key == Qt.Key.Key_N or (key == Qt.Key.Key_F7 and not shift):
            self.next_change()
        elif key in (Qt.Key.Key_P, Qt.Key.Key_F8, Qt.Key.Key_F7):
            self.previous_change()
        elif key == Qt.Key.Key_Space and self._content.checkable:
            self.toggle_current()
        elif key == Qt.Key.Key_F3:
            self.find_next(-1 if shift else 1)
        elif key == Qt.Key.Key_Home:
            self._scroll.to_top()
        elif key == Qt.Key.Key_End:
            self.verticalScrollBar().setValue(self.verticalScrollBar().maximum())
        else:
            return False
        return True

    def _step(self, by: int) -> bool:
        walked, current = self._content.walked, self._content.current
        at = (walked.index(current) if current in walked else -1) + by
        return 0 <= at < len(walked) and self.go_to_change(walked[at])

    def _show_current(self) -> None:
        at = self._content.band_of_head(self._content.current)
        if at is not None:
            self._scroll.bring_in(at, margin=self.viewport().height() // 5)

    def _tell_current(self) -> None:
        self.setAccessibleDescription(self._content.spoken())
        self.viewport().update()
        self.current_changed.emit(self._content.place_of(self._content.current), len(self._content.hunks))
