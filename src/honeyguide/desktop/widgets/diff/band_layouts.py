"""The bands of the view with their heights: estimated first, exact once they have been in sight."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

from honeyguide.desktop.widgets.diff.bands import Band, Piece
from honeyguide.desktop.widgets.diff.columns import Columns
from honeyguide.desktop.widgets.diff.heights import Heights
from honeyguide.desktop.widgets.diff.marks import Located
from honeyguide.desktop.widgets.diff.rows import DiffRow, Side, side_marks, side_text, split_end
from honeyguide.desktop.widgets.diff.side_text import SideText, TextStyle

ROW_PAD = 2
_KEPT = 500


@dataclass(slots=True)
class BandLayout:
    """A band that was laid out. ``sides`` is empty for heads and folds; ``tops`` says where each text begins."""

    height: int
    sides: dict[Side, SideText] = field(default_factory=dict)
    tops: dict[Side, int] = field(default_factory=dict)


class BandLayouts:
    """Lays bands out when they come into sight and keeps the last few hundred."""

    def __init__(
        self,
        rows: Sequence[DiffRow],
        bands: Sequence[Band],
        columns: Columns,
        style: TextStyle,
        marks: Located,
        bar_height: int,
    ) -> None:
        self._rows, self._bands, self._columns = rows, bands, columns
        self._style, self._marks, self._bar = style, marks, bar_height
        self._known: OrderedDict[int, BandLayout] = OrderedDict()
        self.heights = Heights([self._estimate(band) for band in bands])

    def of(self, at: int) -> BandLayout:
        """Return a band laid out; its height is exact from now on."""
        known = self._known.get(at)
        if known is not None:
            self._known.move_to_end(at)
            return known
        band = self._bands[at]
        made = self._lay_out(band) if isinstance(band, Piece) else BandLayout(self._bar)
        self._known[at] = made
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.heights.set(at, made.height)
        return made

    def _estimate(self, band: Band) -> int:
        if not isinstance(band, Piece):
            return self._bar
        style, width = self._style, self._columns.text
        row = self._rows[band.row]
        before = style.estimate(band.b1 - band.b0, width) if row.before is not None else 0
        after = style.estimate(band.a1 - band.a0, width) if row.after is not None else 0
        if self._columns.side_by_side or row.kind == "context":
            return max(before, after) + 2 * ROW_PAD
        return before + after + 2 * ROW_PAD * ((before > 0) + (after > 0))

    def _lay_out(self, band: Piece) -> BandLayout:
        row = self._rows[band.row]
        made = BandLayout(0)
        for side in self.sides_of(row):
            text = side_text(row, side)
            start, end = (band.b0, band.b1) if side is Side.BEFORE else (band.a0, band.a1)
            if text is None or (start == end and not band.first):
                continue
            piece, line_end = split_end(text[start:end])
            shows_end = band.last and (self._style.whitespace or self._ends_differ(row))
            made.sides[side] = SideText(
                piece,
                line_end if shows_end else None,
                self._columns.text,
                self._style,
                side=side,
                start=start,
                words=side_marks(row, side),
                marks=self._marks.get((band.row, side), ()),
            )
        y = ROW_PAD
        for side, laid in made.sides.items():
            made.tops[side] = ROW_PAD if self._columns.side_by_side else y
            y += laid.height + 2 * ROW_PAD
        if self._columns.side_by_side:
            tallest = max((laid.height for laid in made.sides.values()), default=self._style.line_height)
            made.height = tallest + 2 * ROW_PAD
        else:
            made.height = max(y - ROW_PAD, self._style.line_height)
        return made

    def sides_of(self, row: DiffRow) -> tuple[Side, ...]:
        """Return which texts of a row are drawn: an unchanged row stands once where texts stand under each other."""
        if row.kind == "context" and not self._columns.side_by_side:
            return (Side.AFTER,)
        return tuple(side for side in Side if side_text(row, side) is not None)

    @staticmethod
    def _ends_differ(row: DiffRow) -> bool:
        """Only the line end changed: then it is shown, or the row would seem unchanged."""
        if row.kind != "changed" or row.before is None or row.after is None:
            return False
        return split_end(row.before)[1] != split_end(row.after)[1]
