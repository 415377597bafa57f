"""What a run has cost by and by, against its ceiling."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtWidgets import QWidget

from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.widgets.charts.frame import ChartFrame


class SpendChart(ChartFrame):
    """Money by calls. Without a known price only the calls are told, in words."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._points: list[tuple[int, float]] = []
        self._max_usd: float | None = None
        self._max_calls: int | None = None
        self._unknown = 0
        self._items: dict[str, Any] = {}
        super().__init__(
            "spend-chart",
            self.tr("Spend"),
            (self.tr("Nothing spent"), self.tr("What the run costs will stand here, against its ceiling.")),
            parent,
        )

    def set_points(self, points: Iterable[tuple[int, float | None]]) -> None:
        """Show (calls made, US dollars spent) pairs; an unknown price leaves its point out."""
        every = list(points)
        self._points = [(calls, usd) for calls, usd in every if usd is not None]
        self._unknown = len(every) - len(self._points)
        self.changed()

    def add_point(self, calls: int, usd: float | None) -> None:
        """Add one; drawn with others that come in the next moment."""
        if usd is None:
            self._unknown += 1
        else:
            self._points.append((calls, usd))
        self.changed()

    def set_ceiling(self, max_usd: float | None, max_calls: int | None = None) -> None:
        """Show the ceilings."""
        self._max_usd, self._max_calls = max_usd, max_calls
        self.changed()

    def has_data(self) -> bool:
        return bool(self._points)

    def build(self) -> None:
        pg = self.pg
        self._items = {
            "line": pg.PlotDataItem(antialias=True),
            "ceiling": pg.InfiniteLine(angle=0, movable=False),
            "calls": pg.InfiniteLine(angle=90, movable=False),
            "label": pg.TextItem(anchor=(0.0, 1.05)),
        }
        for name, item in self._items.items():
            self.plot.addItem(item, ignoreBounds=name in {"label", "calls"})
        self.plot.getViewBox().setLimits(xMin=0, yMin=0, minYRange=0.01)  # nothing is spent below nothing
        self._items["line"].setDownsampling(auto=True)
        self._items["line"].setClipToView(True)

    def draw(self) -> None:
        line = sorted(self._points)
        self._items["line"].setData([calls for calls, _ in line], [usd for _, usd in line])
        self._items["line"].setPen(self.pen(Role.ACCENT, 2.5))
        self._items["line"].setFillLevel(0)
        self._items["line"].setFillBrush(self.colour(Role.ACCENT, 0.15))
        ceiling = self._max_usd
        for name in ("ceiling", "label"):
            self._items[name].setVisible(ceiling is not None)
        if ceiling is not None:
            self._items["ceiling"].setPos(ceiling)
            self._items["ceiling"].setPen(self.pen(Role.BAD, 1.5, dashed=True))
            said = self.tr("ceiling {money}").format(money=figures.money(ceiling))
            self._items["label"].setText(said, color=self.colour(Role.BAD))
            self._items["label"].setPos(line[0][0], ceiling)
        self._items["calls"].setVisible(self._max_calls is not None)
        if self._max_calls is not None:
            self._items["calls"].setPos(self._max_calls)
            self._items["calls"].setPen(self.pen(Role.BAD, 1, dashed=True, opacity=0.6))
        self.make_room(0.0, max(max(usd for _, usd in line), ceiling or 0.0, 0.01), line[0][0])
        self.set_label("bottom", self.tr("Calls made"))
        self.set_label("left", self.tr("US dollars"))
        self._describe(line[-1])

    def numbers(self) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        return [("calls", "calls"), ("usd", "usd")], [[calls, usd] for calls, usd in sorted(self._points)]

    def _describe(self, last: tuple[int, float]) -> None:
        said = self.tr("{money} for {calls} calls.").format(money=figures.money(last[1]), calls=figures.whole(last[0]))
        if self._max_usd is not None:
            said += " " + self.tr("At most {money}.").format(money=figures.money(self._max_usd))
        if self._unknown:
            said += " " + self.tr("Some prices are unknown.")
        self.note.set_text(said)
        self.plot.setAccessibleDescription(said)
