"""The trade-off between candidates: one point each, the front as a line, the live text and the winner marked."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from PySide6.QtCore import QEvent, QObject, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent
from PySide6.QtWidgets import QComboBox, QToolTip, QWidget

from honeyguide.desktop.models.candidates import Candidate
from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.theme.outcomes import strategy_words
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.charts.frame import ChartFrame
from honeyguide.desktop.widgets.charts.front import NO_SCORE, Axis, axes_of, front_of, value_of
from honeyguide.desktop.widgets.labels import PlainLabel, named

REACH = 14.0
"""Pixels around the pointer in which a candidate counts as meant."""


class ParetoChart(ChartFrame):
    """Signals:
    candidate_chosen(id): a press, or Enter on the one that the arrow keys went to.
    """

    candidate_chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        self._rows: dict[str, Candidate] = {}
        self._axes: dict[str, Axis] = {}
        self._ids: list[str] = []
        self._points: list[tuple[float, float]] = []
        self._chosen: str | None = None
        self._items: dict[str, Any] = {}
        super().__init__(
            "pareto-chart",
            self.tr("Trade-off"),
            (self.tr("No candidate yet"), self.tr("Every text that is tried will be a point here.")),
            parent,
        )
        self._x = self._axis_box("pareto-x", self.tr("Across"))
        self._y = self._axis_box("pareto-y", self.tr("Upwards"))
        self._fill_axes()

    # --- data

    def set_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Show these candidates."""
        self._rows = {row.id: row for row in candidates}
        self._fill_axes()
        self.changed()

    def add_candidates(self, candidates: Iterable[Candidate]) -> None:
        """Add candidates, or replace those with the same id; drawn with others that come in the next moment."""
        self._rows.update((row.id, row) for row in candidates)
        self._fill_axes()
        self.changed()

    def candidates(self) -> list[Candidate]:
        """Return what is shown."""
        return list(self._rows.values())

    def set_axes(self, x: str, y: str) -> None:
        """Choose what is plotted; unknown ids change nothing."""
        for box, name in ((self._x, x), (self._y, y)):
            place = box.findData(name)
            if place >= 0:
                box.setCurrentIndex(place)

    def axes(self) -> tuple[str, str]:
        """Return what is plotted."""
        return self._x.currentData(), self._y.currentData()

    def front_ids(self) -> list[str]:
        """Return the candidates on the front of the two chosen axes, from left to right."""
        self._place()
        return [self._ids[index] for index in self._front()]

    def choose(self, candidate_id: str | None) -> None:
        """Ring a candidate."""
        self._chosen = candidate_id
        self.changed()

    def candidate_near(self, x: float, y: float) -> Candidate | None:
        """Return the candidate nearest to a point of the plot widget, if one is close enough."""
        if self.plot is None or not self._points:
            return None
        box = self.plot.getViewBox()
        best, least = None, REACH * REACH
        for name, (px, py) in zip(self._ids, self._points, strict=True):
            at = self.plot.mapFromScene(box.mapViewToScene(QPointF(px, py)))
            away = (at.x() - x) ** 2 + (at.y() - y) ** 2
            if away <= least:
                best, least = name, away
        return self._rows[best] if best else None

    # --- ChartFrame

    def has_data(self) -> bool:
        return any(row.scores for row in self._rows.values())

    def build(self) -> None:
        pg = self.pg
        self._items = {
            "front-line": pg.PlotDataItem(antialias=True),
            "apart": pg.ScatterPlotItem(size=6, brush=None, pxMode=True, symbol="o"),
            "other": pg.ScatterPlotItem(size=7, pen=None, pxMode=True, symbol="o"),
            "front": pg.ScatterPlotItem(size=9, pxMode=True, symbol="d"),
            "baseline": pg.ScatterPlotItem(size=12, pxMode=True, symbol="s"),
            "baseline-apart": pg.ScatterPlotItem(size=11, brush=None, pxMode=True, symbol="s"),
            "winner": pg.ScatterPlotItem(size=17, pxMode=True, symbol="star"),
            "chosen": pg.ScatterPlotItem(size=21, pxMode=True, symbol="o", brush=None),
        }
        for item in self._items.values():
            self.plot.addItem(item)
        for name in ("baseline", "winner"):
            label = pg.TextItem(anchor=(0.0, 1.1))
            self._items[f"{name}-label"] = label
            self.plot.addItem(label, ignoreBounds=True)
        self.plot.viewport().installEventFilter(self)
        self.plot.installEventFilter(self)

    def draw(self) -> None:
        self._place()
        front = {self._ids[index] for index in self._front()}
        kinds = ("apart", "other", "front", "baseline", "baseline-apart", "winner")
        groups: dict[str, list[tuple[float, float]]] = {kind: [] for kind in kinds}
        chosen: list[tuple[float, float]] = []
        for name, point in zip(self._ids, self._points, strict=True):
            groups[self._kind(name, front)].append(point)
            if name == self._chosen:
                chosen.append(point)
        looks = {
            "apart": (self.pen(Role.TEXT_2, opacity=0.6), None),
            "other": (None, self.colour(Role.TEXT_2, 0.45)),
            "front": (self.pen(Role.SURFACE), self.colour(Role.INFO)),
            "baseline": (self.pen(Role.SURFACE), self.colour(Role.FAINT)),
            "baseline-apart": (self.pen(Role.FAINT, 1.5), None),
            "winner": (self.pen(Role.TEXT), self.colour(Role.ACCENT)),
        }
        for kind, (pen, brush) in looks.items():
            self._items[kind].setData(pos=_array(groups[kind]), pen=pen, brush=brush)
        self._items["chosen"].setData(pos=_array(chosen), pen=self.pen(Role.TEXT, 2))
        line = sorted(self._points[index] for index in self._front())
        self._items["front-line"].setData([x for x, _ in line], [y for _, y in line])
        self._items["front-line"].setPen(self.pen(Role.INFO, 1.5, opacity=0.7))
        words = {"baseline": self.tr("now"), "winner": self.tr("winner")}
        for kind, said in words.items():
            label = self._items[f"{kind}-label"]
            places = groups[kind] or groups.get(f"{kind}-apart", [])
            label.setVisible(bool(places))
            label.setText(said, color=self.colour(Role.TEXT))
            if places:
                label.setPos(*places[0])
        x, y = self._axes[self.axes()[0]], self._axes[self.axes()[1]]
        self.set_label("bottom", self._axis_words(x))
        self.set_label("left", self._axis_words(y))
        self._describe(len(front))

    def numbers(self) -> tuple[list[tuple[str, str]], list[list[Any]]]:
        names = list(self._axes)
        titles = [("id", "id"), ("parent", "parent"), ("strategy", "strategy"), *((name, name) for name in names)]
        titles += [("on_front", "on_front"), ("is_winner", "is_winner"), ("is_baseline", "is_baseline")]
        rows = [
            [r.id, r.parent, r.strategy, *(value_of(r, n) for n in names), r.on_front, r.is_winner, r.is_baseline]
            for r in self._rows.values()
        ]
        return titles, rows

    # --- pointing and keys

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.plot is None:
            return False
        if watched is self.plot and isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            row = self.candidate_near(event.pos().x(), event.pos().y())
            QToolTip.showText(event.globalPos(), tooltip(self.words_of(row)) if row else "", self.plot)
            return True
        if event.type() == QEvent.Type.MouseButtonPress and event.button() == Qt.MouseButton.LeftButton:  # type: ignore[attr-defined]
            at = event.position()  # type: ignore[attr-defined]
            row = self.candidate_near(at.x(), at.y())
            if row is not None:
                self.choose(row.id)
                self.candidate_chosen.emit(row.id)
                return True
        if event.type() == QEvent.Type.MouseButtonDblClick:
            self.plot.getViewBox().autoRange()
            return True
        return False

    def words_of(self, row: Candidate) -> str:
        """Return what is said of a candidate."""
        parts = [strategy_words(row.strategy) if row.strategy else row.id]
        parts.append(self.tr("generation {n}").format(n=row.generation))
        for name in self.axes():
            value = value_of(row, name)
            if value is not None and name not in {"generation"}:
                shown = figures.score(value) if 0 <= value <= 1 and name != "chars" else figures.whole(round(value))
                parts.append(f"{self._axes[name].title}: {shown}")
        if row.is_winner:
            parts.append(self.tr("the winner"))
        return "\n".join(parts)

    def _key(self, event: QKeyEvent) -> bool:
        steps = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}
        key = Qt.Key(event.key())
        if key in steps and self._ids:
            order = [name for _, name in sorted(zip(self._points, self._ids, strict=True))]
            place = order.index(self._chosen) + steps[key] if self._chosen in order else 0
            self.choose(order[min(max(place, 0), len(order) - 1)])
            chosen = self._rows[self._chosen or ""]
            self.plot.setAccessibleDescription(self.words_of(chosen).replace("\n", ", "))
            self.note.set_text(self.words_of(chosen).replace("\n", " · "))
            return True
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._chosen:
            self.candidate_chosen.emit(self._chosen)
            return True
        return False

    # --- inside

    def _axis_box(self, name: str, words: str) -> QComboBox:
        box = named(QComboBox(), name, words)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMinimumWidth(Metrics.characters(10))  # where it is narrow it shortens its words, not those beside it
        box.currentIndexChanged.connect(lambda _: self.changed())
        self.choices.addWidget(PlainLabel(words, role=Role.TEXT_2, wrap=False))
        self.choices.addWidget(box)
        return box

    def _fill_axes(self) -> None:
        axes = axes_of(self._rows.values())
        if [axis.id for axis in axes] == list(self._axes):
            return
        kept = self.axes() if self._axes else ("chars", "overall")
        self._axes = {axis.id: axis for axis in axes}
        for box, name in ((self._x, kept[0]), (self._y, kept[1])):
            box.blockSignals(True)
            box.clear()
            for axis in axes:
                box.addItem(axis.title, axis.id)
            box.setCurrentIndex(max(0, box.findData(name)))
            box.blockSignals(False)

    def _axis_words(self, axis: Axis) -> str:
        better = self.tr("more is better") if axis.more_is_better else self.tr("less is better")
        return f"{axis.title} ({better})" if axis.id != "generation" else axis.title

    def _place(self) -> None:
        x, y = self.axes()
        self._ids, self._points = [], []
        for row in self._rows.values():
            at, up = value_of(row, x), value_of(row, y)
            if at is not None and up is not None and row.scores:
                self._ids.append(row.id)
                self._points.append((at, up))

    def _front(self) -> list[int]:
        x, y = self.axes()
        compared = [index for index, name in enumerate(self._ids) if self._is_compared(name)]
        points = [self._points[index] for index in compared]
        front = front_of(points, x_more=self._axes[x].more_is_better, y_more=self._axes[y].more_is_better)
        return [compared[index] for index in front]

    def _is_compared(self, name: str) -> bool:
        """Scores are compared on the same cases only; sizes and the like always are."""
        return self._rows[name].is_comparable or NO_SCORE.issuperset(self.axes())

    def _kind(self, name: str, front: set[str]) -> str:
        row = self._rows[name]
        if row.is_winner:
            return "winner"
        if row.is_baseline:
            return "baseline" if self._is_compared(name) else "baseline-apart"
        return "apart" if not self._is_compared(name) else "front" if name in front else "other"

    def _describe(self, on_front: int) -> None:
        apart = sum(not self._is_compared(name) for name in self._ids)
        many = self.tr("{n} candidates, {front} that no other beats in both.")
        said = figures.counted(len(self._ids) - apart, self.tr("1 candidate."), many)
        said = said.replace("{front}", figures.whole(on_front))
        if apart and len(self._ids) - apart < 2:
            said = self.tr("No two candidates were measured on the same cases yet.")
        if apart:
            said += " " + self.tr("Rings ({n}) were measured on other cases, so they are not compared.").format(
                n=figures.whole(apart)
            )
        winner = next((row for row in self._rows.values() if row.is_winner), None)
        values = [(name, value_of(winner, name)) for name in self.axes()] if winner is not None else []
        words = ", ".join(self._value_words(name, value) for name, value in values if value is not None)
        if words:
            said += " " + self.tr("Winner: {words}.").format(words=words)
        self.note.set_text(said)
        self.plot.setAccessibleDescription(said)

    def _value_words(self, name: str, value: float) -> str:
        """Return a value as part of a sentence."""
        words = {
            "overall": self.tr("score {value}"),
            "chars": self.tr("{value} characters"),
            "calls": self.tr("{value} calls made"),
            "generation": self.tr("generation {value}"),
        }
        whole = name in NO_SCORE
        shown = figures.whole(round(value)) if whole else figures.score(value)
        return words[name].format(value=shown) if name in words else f"{self._axes[name].title} {shown}"


def _array(points: list[tuple[float, float]]) -> Any:
    import numpy as np

    return np.array(points, dtype=float).reshape(-1, 2)
