"""What all charts share: a title with its choices, export, the loading and empty states, updates ten times a second."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QColor, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from honeyguide.desktop.models.export import Format, export_rows
from honeyguide.desktop.theme import Metrics, Role, Type, active_theme
from honeyguide.desktop.widgets.buttons import ToolButton
from honeyguide.desktop.widgets.charts.exporting import png_of, svg_of, write
from honeyguide.desktop.widgets.charts.loading import LibraryLoader, library
from honeyguide.desktop.widgets.labels import PlainLabel
from honeyguide.desktop.widgets.states import StateStack

COALESCE_MS = 100
BETWEEN_BUILDS_S = 0.05
"""Charts beside each other are built one after the other, with at least this pause: each takes some 40 ms."""
_last_build = [0.0]
_PADDING = 0.09
"""Share of the range that stays free around the data; labels need some."""
_LABEL = 30.0
"""Pixels that a label takes above what it names."""
_MOST_ROOM = 1.5
"""Most room for labels, in heights of what is drawn."""


class ChartFormat(StrEnum):
    """What a chart can be saved as."""

    PNG = "png"
    SVG = "svg"
    CSV = "csv"


class ChartFrame(QWidget):
    """A chart. A subclass says what is drawn (``draw``), whether there is anything (``has_data``), and its numbers.

    Signals:
        export_wanted(ChartFormat): a person chose a format; the page asks for a file and calls ``save``.
        drawn(): the chart shows the newest data.
    """

    export_wanted = Signal(object)
    drawn = Signal()

    def __init__(self, name: str, title: str, empty: tuple[str, str], parent: QWidget | None = None) -> None:
        """Make a chart that is called ``name``; ``empty`` is the title and the text that stand there without data."""
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self._title_words, self._empty = title, empty
        self.plot: Any = None
        self.pg: Any = None
        self._room: Any = None
        self._room_height: float | None = None
        self._loader: LibraryLoader | None = None
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(COALESCE_MS)
        self._timer.timeout.connect(self._redraw)
        self._title = PlainLabel(title, strong=True, wrap=False)
        self.choices = QHBoxLayout()
        self.choices.setSpacing(Metrics.GRID)
        self.note = PlainLabel("", Type.CAPTION, Role.TEXT_2)
        self._export = ToolButton("export", f"{name}-export", self.tr("Save this chart"))
        self._export.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._export.setMenu(self._export_menu())
        head = QHBoxLayout()
        head.setSpacing(Metrics.GAP)
        head.addWidget(self._title)
        head.addStretch(1)
        head.addLayout(self.choices)
        head.addWidget(self._export)
        self._holder = QWidget()
        self._hold = QVBoxLayout(self._holder)
        self._hold.setContentsMargins(0, 0, 0, 0)
        self.stack = StateStack(self._holder)
        column = QVBoxLayout(self)
        column.setContentsMargins(Metrics.GAP, Metrics.GAP, Metrics.GAP, Metrics.GAP)
        column.setSpacing(Metrics.GRID)
        column.addLayout(head)
        column.addWidget(self.stack, 1)
        column.addWidget(self.note)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(260, 180)
        self._show_state()

    # --- what a subclass says

    def has_data(self) -> bool:
        """Say whether there is anything to draw."""
        raise NotImplementedError

    def build(self) -> None:
        """Put the items into the new, empty ``self.plot``."""
        raise NotImplementedError

    def draw(self) -> None:
        """Give the items their data and colours."""
        raise NotImplementedError

    def numbers(self) -> tuple[Sequence[tuple[str, str]], Sequence[Sequence[Any]]]:
        """Return ids and titles of the columns, and the rows, that CSV holds."""
        raise NotImplementedError

    # --- what a subclass uses

    def changed(self) -> None:
        """Draw again soon; many changes are drawn together."""
        if not self._timer.isActive():
            self._timer.start()

    def redraw_now(self) -> None:
        """Draw at once, e.g. before saving."""
        self._timer.stop()
        self._redraw()

    def colour(self, role: Role, opacity: float = 1.0) -> QColor:
        """Return a colour of the theme."""
        colour = active_theme()[role]
        return QColor(colour.red, colour.green, colour.blue, round(opacity * 255))

    def pen(self, role: Role, width: float = 1.0, *, dashed: bool = False, opacity: float = 1.0) -> QPen:
        """Return a pen in a colour of the theme, as wide on screen whatever the zoom."""
        pen = QPen(self.colour(role, opacity), width)
        pen.setCosmetic(True)
        if dashed:
            pen.setStyle(Qt.PenStyle.DashLine)
        return pen

    def set_label(self, side: str, words: str) -> None:
        """Name an axis; its numbers are never scaled, so that 0.85 is not written as 850.

        WORKAROUND(pyqtgraph 0.14): ``enableAutoSIPrefix(False)`` works the prefix out all the same, and every
        ``setLabel`` forgets the ranges in which it applies; remove when the switch is honoured.
        """
        self.plot.getAxis(side).setLabel(words, siPrefixEnableRanges=())

    def make_room(self, low: float, high: float, x: float) -> None:
        """Keep room for labels over and under what is drawn; people may zoom all the same."""
        span = (high - low) or max(abs(high), 0.1)
        self._room_height = height = self.plot.getViewBox().height()
        around = 1 + 2 * _PADDING
        free = (1 + _PADDING) * height - around * _LABEL
        share = (around * _LABEL - _PADDING * height) / free if free > 0 else _MOST_ROOM
        above = span * min(_MOST_ROOM, max(0.0, share))
        if self._room is None:
            self._room = self.pg.PlotCurveItem(pen=self.pg.mkPen(None))
            self.plot.addItem(self._room)
        self._room.setData([x, x], [low, high + above])

    # --- what a page calls

    @property
    def is_ready(self) -> bool:
        """Whether pyqtgraph is there and the chart was built."""
        return self.plot is not None

    def save(self, form: ChartFormat, path: Path) -> None:
        """Write the chart to a file.

        Raises:
            Unwritable: the file could not be written.
        """
        if form is ChartFormat.CSV:
            titles, rows = self.numbers()
            write(export_rows(titles, rows, Format.CSV).encode(), path)
            return
        self.make_ready()
        self.redraw_now()
        write(png_of(self.plot) if form is ChartFormat.PNG else svg_of(self.plot, self._title_words), path)

    def make_ready(self) -> None:
        """Import pyqtgraph here and build the chart; normally a thread does the first part."""
        if self.plot is None:
            from honeyguide.desktop.widgets.charts.loading import load_now

            load_now()
            self._build()

    # --- inside

    def showEvent(self, event: QShowEvent) -> None:
        """Build the plot a moment later: three charts side by side are three short pauses then, not a long one."""
        super().showEvent(event)
        if self.plot is not None:
            return
        if library() is not None:
            self.changed()
        elif self._loader is None:
            self._loader = LibraryLoader()
            self._loader.loaded.connect(self._build)
            self._loader.failed.connect(self._on_failed)
            self._loader.start()
            self._show_state()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and self.plot is not None:
            self._colour_frame()
            self.changed()
        super().changeEvent(event)

    def _build(self) -> None:
        if self.plot is not None:
            return
        self.pg = library()
        self.plot = self.pg.PlotWidget()
        self.plot.setObjectName(f"{self.objectName()}-plot")
        self.plot.setAccessibleName(self._title_words)
        self.plot.setFrameShape(self.plot.Shape.NoFrame)
        self.plot.setMenuEnabled(False)
        self.plot.hideButtons()
        self.plot.getViewBox().setDefaultPadding(_PADDING)
        self.plot.getViewBox().sigResized.connect(self._on_resized)
        self.plot.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._hold.addWidget(self.plot)
        self._adopt_menus()
        self._colour_frame()
        self.build()
        _last_build[0] = time.monotonic()
        self._redraw()

    def _adopt_menus(self) -> None:
        """WORKAROUND(pyqtgraph 0.14): its menus have no parent and outlive the plot; remove when they have one."""
        item = self.plot.getPlotItem()
        menus = [
            getattr(item, "ctrlMenu", None),
            *getattr(item, "subMenus", []),
            getattr(item.getViewBox(), "menu", None),
        ]
        for menu in menus:
            if isinstance(menu, QMenu) and menu.parent() is None:
                menu.setParent(self.plot, menu.windowFlags())

    def _colour_frame(self) -> None:
        self.plot.setBackground(self.colour(Role.SURFACE))
        font = Metrics.font(Type.CAPTION, tabular=True)
        for side in ("bottom", "left"):
            axis = self.plot.getAxis(side)
            axis.setPen(self.pen(Role.LINE))
            axis.setTextPen(self.pen(Role.TEXT_2))
            axis.setTickFont(font)
            axis.label.setFont(font)
            axis.setSIPrefixEnableRanges(())
            axis.enableAutoSIPrefix(False)
        self.plot.showGrid(x=True, y=True, alpha=0.12)

    def _on_resized(self, box: Any) -> None:
        """The room that labels need is a share of the height, so another height needs another share."""
        if self._room_height is not None and abs(box.height() - self._room_height) > 1:
            self.changed()

    def _redraw(self) -> None:
        if self.plot is None and self.isVisible() and library() is not None:
            if time.monotonic() - _last_build[0] < BETWEEN_BUILDS_S:
                self.changed()  # another chart was just built: let the window breathe
            else:
                self._build()
            return
        self._show_state()
        if self.plot is not None and self.has_data():
            self.draw()
            self.drawn.emit()

    def _show_state(self) -> None:
        self._export.setEnabled(self.has_data())
        if not self.has_data():
            self.stack.show_empty(*self._empty, icon="chart")
        elif self.plot is None:
            self.stack.show_loading(self.tr("Drawing the chart…"))
        else:
            self.stack.show_content()

    def _on_failed(self, sentence: str) -> None:
        self.stack.show_error(self.tr("The chart cannot be drawn here."), sentence)

    def _export_menu(self) -> QMenu:
        menu = QMenu(self)
        words = {
            ChartFormat.PNG: self.tr("Picture (PNG)…"),
            ChartFormat.SVG: self.tr("Drawing (SVG)…"),
            ChartFormat.CSV: self.tr("Numbers (CSV)…"),
        }
        for form, said in words.items():
            action = QAction(said, menu)
            action.setObjectName(f"{self.objectName()}-export-{form.value}")
            action.triggered.connect(lambda _=False, chosen=form: self.export_wanted.emit(chosen))
            menu.addAction(action)
        return menu
