"""A scroll area over the bands of a comparison: lays out what is in sight, paints it, and follows the pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QToolTip, QWidget

from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.diff.bands import Folded, Piece
from honeyguide.desktop.widgets.diff.content import Content
from honeyguide.desktop.widgets.diff.finding import Finds
from honeyguide.desktop.widgets.diff.painter import Scene, paint_bands
from honeyguide.desktop.widgets.diff.pointing import Target, place_near, said_at, target_at
from honeyguide.desktop.widgets.diff.rows import Side
from honeyguide.desktop.widgets.diff.scrolling import Scrolling
from honeyguide.desktop.widgets.diff.selecting import Selection
from honeyguide.desktop.widgets.painting import begin_paint


class BandArea(QAbstractScrollArea):
    """What the eye and the hand meet; what a press means is said by a subclass (``press``).

    Signals:
        arranged(): what is in sight moved; whatever shows positions should look again.
        layout_changed(side_by_side): which layout is shown now.
    """

    arranged = Signal()
    layout_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(240, 80)
        self.viewport().setMouseTracking(True)
        self._content = Content()
        self._finds = Finds()
        self._selection = Selection()
        self._hover: Folded | None = None
        self._was_side_by_side: bool | None = None
        self._scroll = Scrolling(self, self.arranged.emit)
        self.arrange()

    def press(self, target: Target) -> None:
        """Do what a press on ``target`` means."""
        raise NotImplementedError

    def arrange(self) -> None:
        """Find out anew what stands under what; the top of what is in sight stays where it was."""
        content = self._content
        anchor = self._scroll.anchor_row(content.bands)
        content.arrange(self.viewport().width(), mirrored=self.isRightToLeft())
        self._scroll.use(content.layouts, content.bands, anchor)
        if content.columns.side_by_side != self._was_side_by_side:
            self._was_side_by_side = content.columns.side_by_side
            self._selection.clear()
            self._finds.look(content.rows)
            self.layout_changed.emit(content.columns.side_by_side)
        self.viewport().update()
        self.arranged.emit()

    def show_row(self, row: int, *, offset: int = 0, side: Side = Side.AFTER) -> None:
        """Bring a row, and in a long one a character of it, into sight; a fold around it is opened."""
        if self._content.folds.reveal_row(self._content.bands, row):
            self.arrange()
        for at, band in enumerate(self._content.bands):
            if isinstance(band, Piece) and band.row == row:
                start, end = (band.b0, band.b1) if side is Side.BEFORE else (band.a0, band.a1)
                if start <= offset < end or band.last:
                    self._scroll.bring_in(at, margin=self.viewport().height() // 3)
                    break
        self.viewport().update()

    # --- Qt

    def paintEvent(self, event: QPaintEvent) -> None:
        self._scroll.settle()
        painter = begin_paint(self)
        scene = Scene.of(self._content, self._finds, self._selection, has_focus=self.hasFocus())
        paint_bands(painter, event.rect(), self._content, self._scroll.visible(), scene, self._hover)
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.viewport().width() != self._content.columns.width:
            self.arrange()
        else:
            self._scroll.settle()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        self._scroll.moved()
        self.viewport().update()
        self.arranged.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._selection.clear()
            target = self._target(event)
            if target is not None:
                self.press(target)
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._drag(event.position().toPoint())
            return
        target = self._target(event)
        hover = target.band if target is not None and isinstance(target.band, Folded) else None
        if hover != self._hover:
            self._hover = hover
            self.viewport().update()
        shape = Qt.CursorShape.ArrowCursor
        if target is not None and target.is_link:
            shape = Qt.CursorShape.PointingHandCursor
        elif target is not None and target.place is not None:
            shape = Qt.CursorShape.IBeamCursor
        self.viewport().setCursor(shape)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        target = self._target(event)
        if target is not None and target.place is not None:
            self._selection.take_word(target.place, self._content.rows)
            self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            said = said_at(self._content, target_at(self._content, self._scroll.visible(), event.pos()))
            QToolTip.showText(event.globalPos(), tooltip(said), self.viewport())
            return True
        return super().viewportEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange, QEvent.Type.LayoutDirectionChange):
            self.arrange()
        super().changeEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.viewport().update()

    # --- inside

    def _target(self, event: QMouseEvent) -> Target | None:
        return target_at(self._content, self._scroll.visible(), event.position().toPoint())

    def _drag(self, point: QPoint) -> None:
        side = self._selection.side
        if side is None:
            return
        bar, height = self.verticalScrollBar(), self.viewport().height()
        if not 0 <= point.y() < height:
            bar.setValue(bar.value() + (point.y() if point.y() < 0 else point.y() - height))
        place = place_near(self._content, self._scroll.visible(), point, side)
        if place is not None and self._selection.extend(place):
            self.viewport().update()
