"""Scrolling over bands of which most heights are estimated: the band at the top is held, not the pixel."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from PySide6.QtWidgets import QAbstractScrollArea

from honeyguide.desktop.widgets.diff.band_layouts import BandLayouts
from honeyguide.desktop.widgets.diff.bands import Band, Folded, Piece


class Scrolling:
    """Keeps the anchor: the band at the top of the view, and how much of it lies above the edge.

    Heights become exact while bands come into sight; the anchor then stays, and the scroll bar follows it.
    """

    def __init__(self, view: QAbstractScrollArea, on_moved: Callable[[], None]) -> None:
        """Scroll ``view``; ``on_moved`` is called when a program, not the scroll bar, moved it."""
        self._view = view
        self._on_moved = on_moved
        self._layouts: BandLayouts | None = None
        self._count = 0
        self._at, self._above = 0, 0
        self._value = 0
        self._busy = False

    def use(self, layouts: BandLayouts, bands: Sequence[Band], anchor: tuple[int, int] | None) -> None:
        """Scroll over other bands; ``anchor`` (a row and pixels) stays at the top if it is still there."""
        self._layouts, self._count = layouts, len(bands)
        self._at, self._above = 0, 0
        if anchor is not None:
            row, above = anchor
            for at, band in enumerate(bands):
                if (isinstance(band, Piece) and band.row >= row) or (isinstance(band, Folded) and band.end > row):
                    self._at, self._above = at, min(above, max(0, layouts.of(at).height - 1))
                    break
        self.settle()

    def anchor_row(self, bands: Sequence[Band]) -> tuple[int, int] | None:
        """Return the row at the top and how much of it lies above the edge; ``None`` at the very top."""
        if self._at == 0 or self._at >= len(bands):
            return None
        for band in bands[self._at :]:
            if isinstance(band, Piece):
                return band.row, self._above
            if isinstance(band, Folded):
                return band.start, self._above
        return None

    def to_top(self) -> None:
        """Go to the beginning."""
        self._at = self._above = 0
        self.settle()
        self._view.viewport().update()

    def bring_in(self, at: int, margin: int) -> None:
        """Bring a band into sight, ``margin`` pixels below the top, unless it is well in sight already."""
        for shown, y in self.visible():
            height = self._heights(shown)
            if shown == at and y >= 0 and y + min(height, 120) <= self._view.viewport().height() - 24:
                return
        self._at, self._above = at, 0
        self._walk(-margin)
        self.settle()
        self._view.viewport().update()
        self._on_moved()

    def moved(self) -> None:
        """The scroll bar moved: by a step, walk there over exact heights; by a leap, land there; at its end, end."""
        if self._busy or self._layouts is None:
            return
        value = self._view.verticalScrollBar().value()
        by = value - self._value
        self._value = value
        if value > 0 and value >= self._view.verticalScrollBar().maximum():
            self._to_end()
        elif abs(by) <= 2 * self._view.viewport().height():
            self._walk(by)
        else:
            at = max(0, self._layouts.heights.at(value))
            self._at, self._above = at, value - self._layouts.heights.top(at)
        self.settle()

    def visible(self) -> Iterator[tuple[int, int]]:
        """Yield every band in sight with its top on screen; they are laid out on the way."""
        y, at = -self._above, self._at
        bottom = self._view.viewport().height()
        while at < self._count and y < bottom:
            yield at, y
            y += self._heights(at)
            at += 1

    def settle(self) -> None:
        """Lay out what is in sight, hold the last band at the bottom, and let the scroll bar follow."""
        layouts = self._layouts
        if layouts is None:
            return
        height = self._view.viewport().height()
        bottom = -self._above
        for at in range(self._at, self._count):
            if bottom >= height:
                break
            bottom += self._heights(at)
        if bottom < height and (self._at or self._above):
            self._walk(bottom - height)
        self.fit()

    def fit(self) -> None:
        """Give the scroll bar its range and its place."""
        if self._layouts is None:
            return
        bar = self._view.verticalScrollBar()
        height = self._view.viewport().height()
        self._busy = True
        bar.setPageStep(max(1, height - 24))
        bar.setSingleStep(48)
        bar.setRange(0, max(0, self._layouts.heights.total - height))
        self._value = self._layouts.heights.top(self._at) + self._above
        bar.setValue(self._value)
        self._value = bar.value()
        self._busy = False

    def _to_end(self) -> None:
        """Hold the last band at the bottom: an estimate would end above it."""
        self._at = max(0, self._count - 1)
        self._above = self._heights(self._at) - self._view.viewport().height()
        self._walk(0)

    def _walk(self, by: int) -> None:
        """Move the anchor by pixels, over exact heights."""
        above = self._above + by
        at = self._at
        while above < 0 and at > 0:
            at -= 1
            above += self._heights(at)
        while at < self._count - 1 and above >= self._heights(at):
            above -= self._heights(at)
            at += 1
        self._at, self._above = at, max(0, above)

    def _heights(self, at: int) -> int:
        assert self._layouts is not None
        return self._layouts.of(at).height
