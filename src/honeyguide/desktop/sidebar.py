"""The way to the pages, how many things wait on each, and the model in use."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QHBoxLayout, QSizePolicy, QVBoxLayout, QWidget

from honeyguide.desktop.actions import page_icon, page_titles
from honeyguide.desktop.theme import Metrics, Role, Type, figures, paint_icon, qcolor
from honeyguide.desktop.theme.plain_text import tooltip
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.painting import begin_paint
from honeyguide.desktop.widgets.states import RoleIcon


class NavButton(QAbstractButton):
    """One page: icon, words, and a count where something waits."""

    def __init__(self, name: str, words: str, icon: str, key: str = "") -> None:
        super().__init__()
        named(self, f"nav-{name}", words)
        self.setText(words)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setToolTip(tooltip(f"{words} ({key})" if key else words))
        self._icon = icon
        self._count = 0

    @property
    def count(self) -> int:
        """How many things wait there."""
        return self._count

    def set_count(self, count: int) -> None:
        """Show how many things wait there; 0 shows none."""
        if count != self._count:
            self._count = count
            said = self.tr("{page}, {count} waiting").format(page=self.text(), count=figures.whole(count))
            self.setAccessibleName(said if count else self.text())
            self.update()

    def set_icon(self, icon: str) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self.text()) + 76, metrics.height() + 14)

    def minimumSizeHint(self) -> QSize:
        return QSize(80, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        rect = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        mirrored = self.layoutDirection() == Qt.LayoutDirection.RightToLeft
        painter.setPen(Qt.PenStyle.NoPen)
        if self.isChecked():
            painter.setBrush(qcolor(Role.SELECTION))
            painter.drawRoundedRect(rect, Metrics.RADIUS, Metrics.RADIUS)
        elif self.underMouse():
            painter.setBrush(qcolor(Role.HOVER))
            painter.drawRoundedRect(rect, Metrics.RADIUS, Metrics.RADIUS)
        if self.hasFocus():
            pen = painter.pen()
            painter.setPen(qcolor(Role.ACCENT_TEXT))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), Metrics.RADIUS, Metrics.RADIUS)
            painter.drawRoundedRect(rect.adjusted(1.5, 1.5, -1.5, -1.5), Metrics.RADIUS - 1, Metrics.RADIUS - 1)
            painter.setPen(pen)
        role = Role.TEXT if self.isChecked() else Role.TEXT_2
        x = rect.right() - 10 - 16 if mirrored else rect.left() + 10
        paint_icon(painter, self._icon, QRectF(x, rect.center().y() - 8, 16, 16), role)
        painter.setFont(Metrics.font(strong=self.isChecked()))
        painter.setPen(qcolor(role))
        text = rect.adjusted(36, 0, -12, 0) if not mirrored else rect.adjusted(12, 0, -36, 0)
        flags = int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeading)
        shown = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, int(text.width()))
        painter.drawText(text, flags, shown)
        if self._count:
            self._draw_count(painter, rect, mirrored)
        painter.end()

    def _draw_count(self, painter: QPainter, rect: QRectF, mirrored: bool) -> None:
        painter.setFont(Metrics.font(Type.CAPTION, strong=True, tabular=True))
        said = figures.whole(self._count)
        metrics = painter.fontMetrics()
        width = max(metrics.horizontalAdvance(said) + 12, metrics.height() + 2)
        height = metrics.height() + 2
        x = rect.left() + 8 if mirrored else rect.right() - 8 - width
        pill = QRectF(x, rect.center().y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(qcolor(Role.ACCENT))
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setPen(qcolor(Role.ON_ACCENT))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, said)


class ModelSign(QWidget):
    """The model in use, always in sight; a press connects another one.

    Signals:
        pressed()
    """

    pressed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._button = NavButton("model", "", "model")
        self._button.setCheckable(False)
        self._button.clicked.connect(lambda: self.pressed.emit())
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._button)
        self.set_model("", is_practice=False)

    def set_model(self, name: str, *, is_practice: bool) -> None:
        """Show the model that answers."""
        words = self.tr("practice model") if is_practice else name or self.tr("no model yet")
        self._button.set_icon("practice" if is_practice else "model")
        shown = QFontMetrics(self._button.font()).elidedText(
            words, Qt.TextElideMode.ElideMiddle, Metrics.characters(17)
        )
        self._button.setText(shown)
        self._button.setAccessibleName(self.tr("Model in use: {model}").format(model=words))
        tip = (
            self.tr("The practice model costs nothing, needs no key and sends nothing. It only plays a model.")
            if is_practice
            else name or self.tr("Press here to connect a model, or to choose the practice model.")
        )
        self._button.setToolTip(tooltip(tip))
        self._button.update()

    @property
    def words(self) -> str:
        """What it says."""
        return self._button.text()


class Sidebar(QWidget):
    """Signals:
    chosen(page): another page was chosen. model_pressed(): the model's sign was pressed.
    """

    chosen = Signal(str)
    model_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "sidebar", self.tr("Pages"))
        self._buttons: dict[str, NavButton] = {}
        self._group = QButtonGroup(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, Metrics.GAP)
        column.setSpacing(0)
        column.addWidget(self._brand())
        for number, (page, words) in enumerate(page_titles().items(), 1):
            if page == "settings":
                column.addStretch(1)
            button = NavButton(page, words, page_icon(page), f"Ctrl+{number}")
            button.clicked.connect(lambda _=False, name=page: self.chosen.emit(name))
            self._buttons[page] = button
            self._group.addButton(button)
            column.addWidget(button)
        self.model = ModelSign()
        self.model.pressed.connect(self.model_pressed)
        column.addWidget(self.model)
        width = max(button.sizeHint().width() for button in self._buttons.values())
        self.setFixedWidth(max(width, Metrics.characters(28)))

    def button(self, page: str) -> NavButton:
        """Return the button of a page."""
        return self._buttons[page]

    def show_page(self, page: str) -> None:
        """Mark the page in front; none of them for the welcome page."""
        self._group.setExclusive(False)
        for name, button in self._buttons.items():
            button.setChecked(name == page)
        self._group.setExclusive(page in self._buttons)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """The arrows walk from page to page."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
            return
        super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), qcolor(Role.SURFACE_2))
        x = 0 if self.layoutDirection() == Qt.LayoutDirection.RightToLeft else self.width() - 1
        painter.fillRect(x, 0, 1, self.height(), qcolor(Role.LINE))
        painter.end()

    def _brand(self) -> QWidget:
        brand = QWidget()
        row = QHBoxLayout(brand)
        row.setContentsMargins(Metrics.GAP_2, Metrics.GAP_2, Metrics.GAP, Metrics.GAP_2)
        row.setSpacing(Metrics.GAP)
        row.addWidget(RoleIcon("bee", 20, Role.ACCENT_TEXT))
        row.addWidget(PlainLabel("Honeyguide", strong=True, wrap=False), 1)
        return brand
