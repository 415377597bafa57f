"""The diff with its tools: a stepper, find, layout, whitespace, folding, a list to read, an editor."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QListWidget, QListWidgetItem, QStackedWidget, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.widgets.diff.editing import ProposalEditor
from honeyguide.desktop.widgets.diff.find_bar import FindBar
from honeyguide.desktop.widgets.diff.marks import TextMark
from honeyguide.desktop.widgets.diff.reading import blanks_note, read_changes
from honeyguide.desktop.widgets.diff.rendered import RenderedPair, is_renderable
from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, changed_words, side_line, whole_text
from honeyguide.desktop.widgets.diff.side_titles import SideTitles
from honeyguide.desktop.widgets.diff.strip import ChangeStrip
from honeyguide.desktop.widgets.diff.toolbar import DiffToolbar
from honeyguide.desktop.widgets.diff.view import DiffView
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.states import StateView


class DiffPanel(QWidget):
    """Two texts, compared, with everything one does to them.

    Signals:
        ticked(frozenset of hunk numbers): changes were ticked or unticked.
        edit_finished(text): the proposed text was edited by hand. edit_begun(), edit_cancelled()
        edit_typed(text): typing rested, so that nothing typed is lost.
        blanks_chosen(hidden), rendered_chosen(on): a person switched it.
        current_changed(place, total)
    """

    ticked = Signal(object)
    edit_begun = Signal()
    edit_finished = Signal(str)
    edit_cancelled = Signal()
    edit_typed = Signal(str)
    current_changed = Signal(int, int)
    blanks_chosen = Signal(bool)
    rendered_chosen = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-panel")
        self.view = DiffView()
        self.bar = DiffToolbar()
        self.find_bar = FindBar()
        self.titles = SideTitles(self.view)
        self.editor = ProposalEditor()
        self.reading = named(QListWidget(), "diff-reading", self.tr("Changes to read"))
        self.reading.setWordWrap(True)
        self.reading.setSpacing(Metrics.GRID)
        self.reading.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.rendered = RenderedPair()
        self.note = HintBar("", Severity.INFO, closable=False, name="diff-note")
        self._is_open = False
        self._same = StateView()
        self._marks: tuple[TextMark, ...] = ()
        self._titles = (self.tr("Now"), self.tr("Proposed"))
        self._stack = QStackedWidget()
        self._stack.setMinimumHeight(3 * Metrics.row_height())  # what is in it scrolls
        self._stack.addWidget(self._picture())
        self._stack.addWidget(self.reading)
        self._stack.addWidget(self.editor)
        self._stack.addWidget(self._same)
        self._stack.addWidget(self.rendered)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.find_bar)
        column.addWidget(self.note)
        column.addWidget(self._stack, 1)
        self._connect()
        self.set_rows(())

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason) -> None:
        """Give the focus to the comparison; a proxy would have Tab pass over everything else in here."""
        self.view.setFocus(reason)

    # --- what is shown

    def set_rows(
        self, rows: Sequence[DiffRow], marks: Iterable[TextMark] = (), *, titles: tuple[str, str] | None = None
    ) -> None:
        """Show a comparison.

        Args:
            marks: locked passages, complaints of checks.
            titles: what the two texts are called.
        """
        self._marks = tuple(marks)
        self._titles = titles or self._titles
        self.titles.set_titles(*self._titles)
        self.view.set_rows(rows, self._marks)
        self.bar.set_words(*changed_words(rows))
        self.bar.set_ticked(len(self.view.included()), len(self.view.hunks()))
        self._fill_reading()
        if self._stack.currentWidget() is not self.editor:
            self._show_right_page()

    def set_marks(self, marks: Iterable[TextMark]) -> None:
        """Show other marks, e.g. after the checks were made again."""
        self._marks = tuple(marks)
        self.view.set_marks(self._marks)
        self._show_place()
        self._fill_reading()
        self._show_note()

    def set_checkable(self, on: bool) -> None:
        """Offer a tick box for each change."""
        self.view.set_checkable(on)
        self.bar.set_tickable(on)
        self._fill_reading()

    def set_editable(self, on: bool, reason: str = "") -> None:
        """Offer to edit the proposed text, or say why not."""
        self._is_open = on
        self.bar.edit.set_allowed(on, reason)
        self.bar.edit.setVisible(on or bool(reason))
        self._show_note()

    def set_ignoring_blanks(self, on: bool) -> None:
        """Show changes of blanks alone as if nothing had changed there; ticks, numbers and the texts stay."""
        self.bar.blanks.setChecked(on)

    def set_rendered(self, on: bool) -> None:
        """Show both texts as their Markdown reads, or as they are."""
        self.bar.rendered.setChecked(on)

    def begin_edit(self, text: str | None = None) -> None:
        """Open the editor at the current change; ``text`` is an edit that was begun earlier."""
        rows = self.view.rows()
        current = self.view.current_hunk()
        line = next((side_line(r, Side.AFTER) for r in rows if r.hunk == current and r.after_line), 1) or 1
        before, after = whole_text(rows, Side.BEFORE), whole_text(rows, Side.AFTER)
        self._stack.setCurrentWidget(self.editor)
        self.find_bar.setVisible(False)
        self.bar.set_editing(True)
        self.note.hide()
        self.editor.begin(before, after, edited=text, line=line)
        self.edit_begun.emit()

    @property
    def is_editing(self) -> bool:
        """Whether the editor is open."""
        return self._stack.currentWidget() is self.editor

    def end_edit(self) -> None:
        """Close the editor and show the comparison."""
        self.bar.set_editing(False)
        self._show_right_page()
        self.view.setFocus()

    def show_place(self, start: int, side: Side = Side.AFTER) -> bool:
        """Bring a character of the proposed text into sight."""
        self.show_source()
        self.view.setFocus()
        return self.view.go_to_place(side, start)

    def show_source(self) -> None:
        """Show the comparison itself, neither the list nor the rendered texts."""
        self.bar.read.setChecked(False)
        self.bar.rendered.setChecked(False)
        self._show_right_page()

    # --- inside

    def _picture(self) -> QWidget:
        page = QWidget()
        strip = ChangeStrip(self.view)
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.view, 1)
        row.addWidget(strip)
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.titles)
        column.addLayout(row, 1)
        return page

    def _connect(self) -> None:
        view, bar = self.view, self.bar
        bar.next.clicked.connect(view.next_change)
        bar.previous.clicked.connect(view.previous_change)
        bar.layout_chosen.connect(view.set_layout)
        bar.whitespace.toggled.connect(view.set_whitespace)
        bar.fold.toggled.connect(view.set_folding)
        bar.search.clicked.connect(self.open_find)
        bar.read.toggled.connect(self._on_read_chosen)
        bar.rendered.toggled.connect(self._on_rendered_chosen)
        bar.rendered.clicked.connect(self.rendered_chosen)
        bar.blanks.toggled.connect(self._on_blanks_chosen)
        bar.blanks.clicked.connect(self.blanks_chosen)
        bar.edit.clicked.connect(lambda: self.begin_edit())
        bar.all_ticked.connect(lambda on: view.set_included(view.hunks() if on else ()))
        view.current_changed.connect(self._show_place)
        view.current_changed.connect(self.current_changed)
        view.layout_changed.connect(bar.set_side_by_side)
        view.ticked.connect(self._on_ticked)
        view.found.connect(self.find_bar.set_place)
        self.find_bar.searched.connect(view.find_words)
        self.find_bar.stepped.connect(view.find_next)
        self.find_bar.closed.connect(view.setFocus)
        self.reading.currentRowChanged.connect(self._on_read)
        self.editor.finished.connect(self._on_edit_finished)
        self.editor.cancelled.connect(self._on_edit_cancelled)
        self.editor.edited.connect(self.edit_typed)
        shortcut = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self, context=_HERE)
        shortcut.activated.connect(self.open_find)

    def _show_right_page(self) -> None:
        rows = self.view.rows()
        has_changes = bool(self.view.hunks())
        if not rows:
            self._same.show_empty(
                self.tr("Nothing to compare yet"), self.tr("The two texts will stand here."), icon="side-by-side"
            )
        elif not has_changes:
            self._same.show_empty(
                self.tr("The two texts are the same"), self.tr("Every character is equal, line ends too."), icon="equal"
            )
        self.bar.set_usable(has_changes)
        if not has_changes:
            self._stack.setCurrentWidget(self._same)
        elif self._is_rendered():
            self._render()
            self._stack.setCurrentWidget(self.rendered)
        elif self.bar.read.isChecked():
            self._stack.setCurrentWidget(self.reading)
        else:
            self._stack.setCurrentIndex(0)
        self.find_bar.setVisible(self.find_bar.is_open and self._stack.currentIndex() == 0)
        self._show_note()

    def _is_rendered(self) -> bool:
        return self.bar.rendered.isChecked() and all(is_renderable(text) for text in self._texts())

    def _texts(self) -> tuple[str, str]:
        rows = self.view.rows()
        return whole_text(rows, Side.BEFORE), whole_text(rows, Side.AFTER)

    def _render(self) -> None:
        self.rendered.show_texts(*self._texts(), self._titles)

    def _show_place(self) -> None:
        """Show which change is looked at, numbered as in the whole comparison."""
        view = self.view
        every, walked, current = view.hunks(), view.walked_hunks(), view.current_hunk()
        place = every.index(current) + 1 if current in every else 0
        ends = (every.index(walked[0]) + 1, every.index(walked[-1]) + 1) if walked else (1, 0)
        self.bar.set_place(place, len(every), first=ends[0], last=ends[1])

    def _show_note(self) -> None:
        """Say what of the comparison is not seen as things stand."""
        view, said = self.view, ""
        hidden = view.hidden_hunks()
        if not view.hunks() or self.is_editing:
            pass
        elif self._stack.currentWidget() is self.rendered:
            if len(view.included()) < len(view.hunks()):
                said = self.tr("Rendered with every change, also those that are left out.")
        elif self.bar.rendered.isChecked():
            said = self.tr("These texts are too long or too dense to be rendered; they are shown as source only.")
        elif hidden:
            said = blanks_note(len(hidden), len(hidden & view.included()), is_open=self._is_open)
        self.note.show_hint(said, Severity.INFO)

    def _fill_reading(self) -> None:
        included = self.view.included() if self.bar.is_tickable else None
        self.reading.clear()
        hidden = self.view.hidden_hunks()
        for change in read_changes(self.view.rows(), included, self.view.located_marks()):
            if change.hunk in hidden:
                continue
            item = QListWidgetItem(change.words)
            item.setData(Qt.ItemDataRole.UserRole, change.hunk)
            self.reading.addItem(item)

    def _on_read(self, row: int) -> None:
        item = self.reading.item(row)
        if item is not None and self.reading.isVisible():
            self.view.go_to_change(item.data(Qt.ItemDataRole.UserRole))

    def _on_ticked(self, included: frozenset[int]) -> None:
        self.bar.set_ticked(len(included), len(self.view.hunks()))
        self._fill_reading()
        self._show_note()
        self.ticked.emit(included)

    def open_find(self) -> None:
        """Look for words in the comparison."""
        self.show_source()
        self.find_bar.open()

    def _on_read_chosen(self, on: bool) -> None:
        if on:
            self.bar.rendered.setChecked(False)
        self._show_right_page()

    def _on_rendered_chosen(self, on: bool) -> None:
        if on:
            self.bar.read.setChecked(False)
        if not self.is_editing:
            self._show_right_page()

    def _on_blanks_chosen(self, on: bool) -> None:
        self.view.set_ignoring_blanks(on)
        self._fill_reading()
        self._show_note()

    def _on_edit_finished(self, text: str) -> None:
        self.end_edit()
        self.edit_finished.emit(text)

    def _on_edit_cancelled(self) -> None:
        self.end_edit()
        self.edit_cancelled.emit()


_HERE = Qt.ShortcutContext.WidgetWithChildrenShortcut
