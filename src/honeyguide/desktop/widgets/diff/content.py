"""What the view shows and how it stands: rows, folds, ticks, marks; and what heads and folds say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QFont, QFontMetricsF

from honeyguide.desktop.theme import Metrics, Type, figures
from honeyguide.desktop.widgets.diff.band_layouts import BandLayouts
from honeyguide.desktop.widgets.diff.bands import REVEAL, Band, Folded, Folds, Head, Piece, arrange, hunk_numbers
from honeyguide.desktop.widgets.diff.columns import ROOM_FOR_TWO, Columns
from honeyguide.desktop.widgets.diff.looks import FoldLook, HeadLook
from honeyguide.desktop.widgets.diff.marks import Located, TextMark, locate
from honeyguide.desktop.widgets.diff.reading import read_changes
from honeyguide.desktop.widgets.diff.rows import DiffRow, Layout, blank_hunks, quiet_rows, side_by_side_rows
from honeyguide.desktop.widgets.diff.side_text import TextStyle


class Content:
    """The state of one diff view. ``arrange`` must be called after changing anything that moves bands.

    Attributes:
        source, hunks: the comparison and the numbers of its changes.
        rows: the comparison as it stands now; beside each other, lines that replace each other share a row.
        ignores_blanks: changes of blanks alone are shown as if nothing had changed there; they stay changes.
        walked: the changes that are shown. included: ticked changes. ``current``: the change that is looked at.
        bands, columns, layouts: what stands under what, as of the last ``arrange``.
    """

    def __init__(self) -> None:
        self.source: Sequence[DiffRow] = ()
        self.rows: Sequence[DiffRow] = ()
        self.hunks: list[int] = []
        self.marks: Located = {}
        self.text_marks: tuple[TextMark, ...] = ()
        self.folds = Folds()
        self.layout = Layout.AUTO
        self.whitespace = self.monospace = self.checkable = self.ignores_blanks = False
        self.walked: list[int] = []
        self._blank: frozenset[int] | None = None
        self.included: frozenset[int] = frozenset()
        self.current: int | None = None
        self.bands: list[Band] = []
        self._places: dict[int, int] = {}
        self._complaints: dict[int, str] = {}
        self.arrange(800, mirrored=False)

    def set_rows(self, rows: Sequence[DiffRow], marks: Iterable[TextMark]) -> None:
        """Take another comparison; every change is ticked, the first is current."""
        self.source = self.rows = rows
        self.hunks = hunk_numbers(rows)
        self._blank = None
        self._places = {hunk: place for place, hunk in enumerate(self.hunks, start=1)}
        self.included = frozenset(self.hunks)
        self.folds = Folds(self.folds.enabled)
        self.current = self.hunks[0] if self.hunks else None
        self.set_marks(marks)

    def set_marks(self, marks: Iterable[TextMark]) -> None:
        """Take other marks; they are placed by ``arrange``."""
        self.text_marks = tuple(marks)

    def arrange(self, width: int, *, mirrored: bool) -> None:
        """Find out what stands under what in a view of ``width`` pixels. Row numbers may mean other rows then."""
        small = QFontMetricsF(self.small_font())
        style = TextStyle.make(monospace=self.monospace, whitespace=self.whitespace, strike=False)
        side_by_side = self.layout is Layout.SIDE_BY_SIDE
        if self.layout is Layout.AUTO:
            side_by_side = width >= ROOM_FOR_TWO * style.advance
        if not side_by_side:
            style = TextStyle.make(monospace=self.monospace, whitespace=self.whitespace, strike=True)
        self.rows = side_by_side_rows(self.source) if side_by_side else self.source
        self._place_marks()
        hidden = self.hidden()
        self.rows = quiet_rows(self.rows, hidden)
        self.walked = [hunk for hunk in self.hunks if hunk not in hidden]
        if self.current in hidden or self.current is None:
            later = (hunk for hunk in self.walked if hunk > (self.current or 0))
            self.current = next(later, self.walked[-1] if self.walked else None)
        self.columns = Columns.fit(
            width,
            side_by_side=side_by_side,
            digits=len(str(max(len(self.rows), 10))),
            digit_width=small.horizontalAdvance("0"),
            advance=style.advance,
            has_marks=bool(self.marks),
            mirrored=mirrored,
        )
        self.bands = arrange(self.rows, self.folds, inline=not side_by_side)
        bar = round(small.height()) + 14
        self.layouts = BandLayouts(self.rows, self.bands, self.columns, style, self.marks, bar)

    def _place_marks(self) -> None:
        self.marks = locate(self.text_marks, self.rows)
        self._complaints = {}
        for (row, _), parts in self.marks.items():
            hunk = self.rows[row].hunk
            for part in parts:
                if hunk is not None and part.mark.kind == "gate":
                    self._complaints.setdefault(hunk, part.mark.words)

    @staticmethod
    def small_font() -> QFont:
        """Return the font of numbers, heads and folds."""
        return Metrics.font(Type.CAPTION, tabular=True)

    def place_of(self, hunk: int | None) -> int:
        """Return which of all changes ``hunk`` is, from 1; 0 when there is none."""
        return self._places.get(hunk, 0) if hunk is not None else 0

    def hidden(self) -> frozenset[int]:
        """Return the changes that are not shown; one that a check complains about always is."""
        if not self.ignores_blanks:
            return frozenset()
        if self._blank is None:  # only when asked for: it reads every changed word
            self._blank = blank_hunks(self.source)
        return self._blank - self._complaints.keys()

    def left_out(self) -> frozenset[int]:
        """Return the changes that are not ticked, where there is something to tick."""
        return frozenset(self.hunks) - self.included if self.checkable else frozenset()

    def tick(self, hunks: Collection[int]) -> bool:
        """Tick exactly these; says whether anything changed."""
        wanted = frozenset(hunks) & frozenset(self.hunks)
        changed = wanted != self.included
        self.included = wanted
        return changed

    def head_look(self, head: Head) -> HeadLook:
        """Return what the head of a change shows."""
        translate = QCoreApplication.translate
        words = translate("DiffView", "Change {n} of {total}").format(n=self.place_of(head.hunk), total=len(self.hunks))
        checked = head.hunk in self.included if self.checkable else None
        if checked is False:
            words = translate("DiffView", "{change}, left out").format(change=words)
        return HeadLook(words, checked, head.hunk == self.current, self._complaints.get(head.hunk, ""))

    def fold_look(self, fold: Folded) -> FoldLook:
        """Return what a fold says."""
        translate = QCoreApplication.translate
        count = fold.end - fold.start
        words = translate("DiffView", "{n} unchanged lines").format(n=figures.whole(count))
        if self.hidden() and any(row.before != row.after for row in self.rows[fold.start : fold.end]):
            words = translate("DiffView", "{n} lines without a change of words").format(n=figures.whole(count))
        some = translate("DiffView", "Show {n} more").format(n=REVEAL) if count > REVEAL else ""
        return FoldLook(words, some, translate("DiffView", "Show all"))

    def spoken(self) -> str:
        """Return the current change in words, for a screen reader."""
        translate = QCoreApplication.translate
        members = [row for row in self.source if row.hunk == self.current] if self.current is not None else []
        if not members and self.hunks:
            return translate("DiffView", "Only blanks differ, and such changes are not shown.")
        if not members:
            return translate("DiffView", "The two texts are the same.")
        said = read_changes(members, self.included if self.checkable else None)[0].words
        place = translate("DiffView", "Change {n} of {total}").format(
            n=self.place_of(self.current), total=len(self.hunks)
        )
        return f"{place}. {said.partition(chr(10))[2]}"[:4000]

    def change_positions(self) -> list[tuple[str, float, float]]:
        """Return kind, top and bottom of each changed run, as shares of everything."""
        heights = self.layouts.heights
        total = max(1, heights.total)
        spans: list[tuple[str, float, float]] = []
        top = 0
        for at, band in enumerate(self.bands):
            bottom = top + heights[at]
            if isinstance(band, Piece) and (kind := self.rows[band.row].kind) != "context":
                if spans and spans[-1][0] == kind and spans[-1][2] * total > top - 0.5:
                    spans[-1] = (kind, spans[-1][1], bottom / total)
                else:
                    spans.append((kind, top / total, bottom / total))
            top = bottom
        return spans

    def band_of_head(self, hunk: int | None) -> int | None:
        """Return the band that is the head of a change."""
        return next((at for at, b in enumerate(self.bands) if isinstance(b, Head) and b.hunk == hunk), None)
