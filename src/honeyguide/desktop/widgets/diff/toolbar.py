"""The tools above the diff."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from honeyguide.desktop.theme import Metrics, Role, Type
from honeyguide.desktop.widgets.buttons import Button, Look, ToolButton
from honeyguide.desktop.widgets.diff.rows import Layout
from honeyguide.desktop.widgets.labels import ElidedLabel, PlainLabel


class DiffToolbar(QWidget):
    """Stepper, counts, ticks, and how the texts stand.

    Signals:
        layout_chosen(Layout), all_ticked(bool)
    """

    layout_chosen = Signal(object)
    all_ticked = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-toolbar")
        self.is_tickable = False
        self.previous = ToolButton("arrow-up", "diff-previous", self.tr("Previous change"), key="F8")
        self.next = ToolButton("arrow-down", "diff-next", self.tr("Next change"), key="F7")
        self._place = PlainLabel("", wrap=False)
        self._words = ElidedLabel("", Type.BODY, Role.TEXT_2)
        self._ticked = Button("", "diff-tick-all", look=Look.LINK)
        self.side = ToolButton("side-by-side", "diff-side-by-side", self.tr("Side by side"), checkable=True)
        self.inline = ToolButton("inline", "diff-inline", self.tr("Under each other"), checkable=True)
        self.whitespace = ToolButton(
            "whitespace", "diff-whitespace", self.tr("Show blanks and line ends"), checkable=True
        )
        self.fold = ToolButton("fold", "diff-fold", self.tr("Hide unchanged parts"), checkable=True)
        self.fold.setChecked(True)
        self.blanks = ToolButton(
            "ignore-blanks", "diff-ignore-blanks", self.tr("Do not show changes of blanks only"), checkable=True
        )
        self.rendered = ToolButton(
            "eye", "diff-rendered", self.tr("Rendered: both texts as their Markdown reads"), checkable=True
        )
        self.search = ToolButton("search", "diff-find-open", self.tr("Find"), key="Ctrl+F")
        self.read = ToolButton("list", "diff-read", self.tr("Read the changes as a list"), checkable=True)
        self.edit = Button(self.tr("Edit…"), "diff-edit", icon="edit", tip=self.tr("Edit the proposed text by hand."))
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.GAP, Metrics.GRID, Metrics.GAP, Metrics.GRID)
        row.setSpacing(Metrics.GRID)
        row.addWidget(self.previous)
        row.addWidget(self.next)
        row.addWidget(self._place)
        row.addSpacing(Metrics.GAP)
        row.addWidget(self._words, 1)
        row.addWidget(self._ticked)
        row.addSpacing(Metrics.GAP)
        for tool in self._tools():
            row.addWidget(tool)
        row.addSpacing(Metrics.GRID)
        row.addWidget(self.edit)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._place.setMinimumWidth(Metrics.characters(18))
        self.side.clicked.connect(lambda: self._choose(Layout.SIDE_BY_SIDE))
        self.inline.clicked.connect(lambda: self._choose(Layout.INLINE))
        self._ticked.clicked.connect(self._on_ticked)
        self._all_ticked = True
        self.edit.setVisible(False)
        self.set_tickable(False)
        self.set_ticked(0, 0)
        self.set_place(0, 0)
        self.set_words(0, 0)

    def _tools(self) -> tuple[ToolButton, ...]:
        return (
            *(self.side, self.inline, self.whitespace, self.blanks, self.fold),
            *(self.search, self.read, self.rendered),
        )

    def set_place(self, place: int, total: int, *, first: int = 1, last: int | None = None) -> None:
        """Show which change is looked at; ``first`` and ``last`` are the ends of those that are shown."""
        said = self.tr("Change {n} of {total}").format(n=place, total=total) if total else self.tr("No change")
        self._place.set_text(said)
        self.previous.set_allowed(place > first, self.tr("This is the first change."))
        self.next.set_allowed(0 < place < (total if last is None else last), self.tr("This is the last change."))

    def set_words(self, added: int, removed: int) -> None:
        """Show how many words are new and gone."""
        more = self.tr("1 word added") if added == 1 else self.tr("%n words added", "", added)
        gone = self.tr("1 removed") if removed == 1 else self.tr("%n removed", "", removed)
        self._words.set_text(f"{more}, {gone}" if added or removed else "")

    def set_tickable(self, on: bool) -> None:
        """Show how many changes are ticked."""
        self.is_tickable = on
        self._ticked.setVisible(on)

    def set_ticked(self, ticked: int, total: int) -> None:
        """Show how many changes are ticked, and the step to tick all or none."""
        self._all_ticked = ticked == total
        if self._all_ticked:
            self._ticked.setText(self.tr("Leave all out"))
        else:
            self._ticked.setText(
                self.tr("{ticked} of {total} included, include all").format(ticked=ticked, total=total)
            )
        self._ticked.setAccessibleName(self._ticked.text())

    def set_side_by_side(self, on: bool) -> None:
        """Show which layout is in use."""
        self.side.setChecked(on)
        self.inline.setChecked(not on)

    def set_usable(self, on: bool) -> None:
        """Switch off what makes no sense where nothing differs."""
        for tool in self._tools():
            tool.setEnabled(on)

    def set_editing(self, on: bool) -> None:
        """Switch everything off while the editor is open."""
        self.setEnabled(not on)

    def _choose(self, layout: Layout) -> None:
        self.set_side_by_side(layout is Layout.SIDE_BY_SIDE)
        self.layout_chosen.emit(layout)

    def _on_ticked(self) -> None:
        self.all_ticked.emit(not self._all_ticked)
