"""How the best score grew, by generation or by call, with the band in which a difference is only noise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from PySide6.QtWidgets import QComboBox, QWidget

from honeyguide.desktop.theme import Role, figures
from honeyguide.desktop.widgets.charts.frame import ChartFrame
from honeyguide.desktop.widgets.labels import named


@dataclass(frozen=True, slots=True)
class ProgressPoint:
    """One measured candidate: when it came, and its score in [0, 1].

    Attributes:
        calls: how many model calls had been made then. ``usd``: what they had cost. ``None`` is unknown.
        is_comparable: whether it was measured on the same cases as the others; if not, it is a dot beside the line.
    """

    generation: int
    calls: int | None
    score: float
    usd: float | None = None
    is_comparable: bool = True


class BestSoFarChart(ChartFrame):
    """A line of the best score so far, the live text's score as a dashed line, the noise as a band around it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        self._points: list[ProgressPoint] = []
        self._baseline: float | None = None
        self._noise: float | None = None
        self._items: dict[str, Any] = {}
        super().__init__(
            "best-chart",
            self.tr("Best so far"),
            (self.tr("No score yet"), self.tr("The best score will grow here while the search goes on.")),
            parent,
        )
        self._by = named(QComboBox(), "best-by", self.tr("Counted by"))
        self._by.addItem(self.tr("by generation"), "generation")
        self._by.addItem(self.tr("by call"), "calls")
        self._by.currentIndexChanged.connect(lambda _: self.changed())
        self.choices.addWidget(self._by)

    def set_points(self, points: Iterable[ProgressPoint]) -> None:
        """Show these points."""
        self._points = list(points)
        self._judge()
        self.changed()

    def add_point(self, point: ProgressPoint) -> None:
        """Add one; drawn with others that come in the next moment."""
        self._points.append(point)
        self._judge()
        self.changed()

    def set_baseline(self, score: float | None, noise: float | None = None) -> None:
        """Show the live text's score, and how far scores stray when nothing changes."""
        self._baseline, self._noise = score, noise
        self.changed()

    def set_by(self, by: str) -> None:
        """Count by ``generation`` or by ``calls``."""
        self._by.setCurrentIndex(max(0, self._by.findData(by)))

    def best(self) -> list[tuple[int, float]]:
        """Return the line: (generation or calls, best score so far), one entry for each place."""
        by = self._by.currentData()
        placed = [p for p in self._points if p.is_comparable and getattr(p, by) is not None]
        ordered = sorted(placed, key=lambda point: (getattr(point, by), point.calls or 0))
        bests = accumulate((point.score for point in ordered), max)
        line: dict[int, float] = {}
        for point, best in zip(ordered, bests, strict=True):
            line[getattr(point, by)] = best
        return list(line.items())

    def has_data(self) -> bool:
        return any(point.is_comparable for point in self._points)

    def build(self) -> None:
        pg = self.pg
        self._items = {
            "band": pg.LinearRegionItem(orientation="horizontal", movable=False),
            "baseline": pg.InfiniteLine(angle=0, movable=False),
            "all": pg.ScatterPlotItem(size=5, pen=None, pxMode=True, symbol="o"),
            "line": pg.PlotDataItem(antialias=True, symbol="o", symbolSize=7),
            "label": pg.TextItem(anchor=(0.0, 1.05)),
            "last": pg.TextItem(anchor=(1.05, 1.2)),
        }
        for name, item in self._items.items():
            self.plot.addItem(item, ignoreBounds=name in {"label", "last"})
        self._items["band"].setZValue(-10)
        self._items["line"].setDownsampling(auto=True)
        self._items["line"].setClipToView(True)

    def draw(self) -> None:
        line = self.best()
        by = self._by.currentData()
        self._items["line"].setData([at for at, _ in line], [best for _, best in line])
        self._items["line"].setPen(self.pen(Role.ACCENT, 2.5))
        self._items["line"].setSymbolBrush(self.colour(Role.ACCENT))
        self._items["line"].setSymbolPen(self.pen(Role.SURFACE))
        placed = [p for p in self._points if getattr(p, by) is not None]
        self._items["all"].setData(
            [getattr(p, by) for p in placed],
            [p.score for p in placed],
            brush=self.colour(Role.TEXT_2, 0.35),
        )
        self._baseline_items(line[0][0])
        last = self._items["last"]
        last.setText(figures.score(line[-1][1]), color=self.colour(Role.TEXT))
        last.setPos(*line[-1])
        scores = [p.score for p in self._points] + ([] if self._baseline is None else [self._baseline])
        self.make_room(min(scores), max(scores), line[0][0])
        axis = self.plot.getAxis("bottom")
        if by == "generation":
            step = max(1, -(-(line[-1][0] - line[0][0]) // 8))
            axis.setTickSpacing(levels=[(step, 0)])
        else:
            axis.setTickSpacing()
        self.set_label("bottom", self.tr("Generation") if by == "generation" else self.tr("Calls made"))
        self.set_label("left", self.tr("Best score"))
        self._describe(line)

    def numbers(self) -> tuple[Sequence[tuple[str, str]], list[list[Any]]]:
        titles = [(name, name) for name in ("generation", "calls", "score", "usd")]
        return titles, [[p.generation, p.calls, p.score, p.usd] for p in self._points]

    def _judge(self) -> None:
        """Count by calls only where they are known."""
        knows = any(point.calls is not None for point in self._points if point.is_comparable)
        if self._points and not knows and self._by.currentData() == "calls":
            self.set_by("generation")
        self._by.setEnabled(knows or not self._points)

    def _baseline_items(self, left: float) -> None:
        has = self._baseline is not None
        noise = self._noise if has else None
        self._items["baseline"].setVisible(has)
        self._items["label"].setVisible(has)
        self._items["band"].setVisible(noise is not None)
        if self._baseline is not None:
            self._items["baseline"].setPos(self._baseline)
            self._items["baseline"].setPen(self.pen(Role.FAINT, 1.5, dashed=True))
            self._items["label"].setText(self.tr("now"), color=self.colour(Role.TEXT_2))
            self._items["label"].setPos(left, self._baseline)
        if self._baseline is not None and noise is not None:
            self._items["band"].setRegion((self._baseline - noise, self._baseline + noise))
            self._items["band"].setBrush(self.colour(Role.TEXT_2, 0.12))
            for edge in self._items["band"].lines:
                edge.setPen(self.pen(Role.TEXT_2, 1, opacity=0.2))

    def _describe(self, line: list[tuple[int, float]]) -> None:
        said = self.tr("Best score {score}.").format(score=figures.score(line[-1][1]))
        if self._baseline is not None:
            said += " " + self.tr("The live text has {score}.").format(score=figures.score(self._baseline))
        if self._noise is not None:
            said += " " + self.tr("The band shows what is only noise (±{points} points).").format(
                points=figures.decimal(self._noise * 100, 0)
            )
        apart = sum(not point.is_comparable for point in self._points)
        if apart:
            said += " " + self.tr("Dots off the line ({n}) were measured on other cases.").format(
                n=figures.whole(apart)
            )
        self.note.set_text(said)
        self.plot.setAccessibleDescription(said)
