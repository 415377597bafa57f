"""Badges for outcomes, chips that count and filter, chips that name a filter and take it away."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from honeyguide.desktop.theme import Metrics, Role, active_theme, figures, paint_icon, qcolor, use_icon
from honeyguide.desktop.theme.outcomes import Wording, outcome_wording, state_wording
from honeyguide.desktop.theme.plain_text import one_line, tooltip
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.flow_layout import FlowLayout
from honeyguide.desktop.widgets.painting import begin_paint


class OutcomeBadge(QWidget):
    """An outcome or a state in plain words with its sign, on a tint. The field's own term is in the tooltip."""

    def __init__(self, wording: Wording | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("outcome-badge")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFont(Metrics.font(strong=True))
        self._wording = wording or outcome_wording(None)
        self.set_wording(self._wording)

    def set_outcome(self, outcome: str | None, why: str = "") -> None:
        """Show an outcome of a verification; ``why`` joins the tooltip."""
        self.set_wording(outcome_wording(outcome), why)

    def set_state(self, state: str, why: str = "") -> None:
        """Show the state of a run."""
        self.set_wording(state_wording(state), why)

    def set_wording(self, wording: Wording, why: str = "") -> None:
        """Show any wording."""
        self._wording = wording
        said = "\n".join(part for part in (wording.tip, why) if part)
        self.setToolTip(tooltip(said))
        self.setAccessibleName(wording.words)
        self.setAccessibleDescription(said)
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> str:
        """What it says."""
        return self._wording.words

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(self.font())
        return QSize(metrics.horizontalAdvance(self._wording.words) + Metrics.ICON + 26, metrics.height() + 8)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = begin_paint(self)
        rect = QRectF(self.rect())
        painter.setPen(Qt.PenStyle.NoPen)
        tint = active_theme().tint_of(self._wording.role)
        painter.setBrush(QColor(tint.hex))
        painter.drawRoundedRect(rect, rect.height() / 2, rect.height() / 2)
        role = Role.ACCENT_TEXT if self._wording.role is Role.ACCENT else self._wording.role
        at_left = self.layoutDirection() == Qt.LayoutDirection.LeftToRight
        x = 9.0 if at_left else rect.width() - 9 - Metrics.ICON
        paint_icon(painter, self._wording.icon, QRectF(x, (rect.height() - 16) / 2, 16, 16), role)
        painter.setPen(qcolor(role))
        text = rect.adjusted(9 + 16 + 6, 0, -11, 0) if at_left else rect.adjusted(11, 0, -(9 + 16 + 6), 0)
        painter.drawText(text, int(Qt.AlignmentFlag.AlignCenter), self._wording.words)
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)


class StatusChips(QWidget):
    """One chip for each state with how many there are; pressed ones filter.

    Signals:
        selection_changed(frozenset of names): which states shall be shown; empty for all.
    """

    selection_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("status-chips")
        self.setAccessibleName(self.tr("States"))
        self._chips: dict[str, Button] = {}
        self._wordings: dict[str, Wording] = {}
        self._flow = FlowLayout(self)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)
        self.setSizePolicy(policy)

    def set_states(self, wordings: Mapping[str, Wording] | Sequence[str]) -> None:
        """Say which chips there are: names of run states, or any names with their wordings."""
        if not isinstance(wordings, Mapping):
            wordings = {name: state_wording(name) for name in wordings}
        if list(wordings) == list(self._wordings):
            return
        while self._flow.count():
            self._flow.takeAt(0)
        for chip in self._chips.values():
            chip.deleteLater()
        self._chips = {}
        self._wordings = dict(wordings)
        for name, wording in wordings.items():
            chip = Button("", f"chip-{name}", self, look=Look.CHIP)
            chip.setCheckable(True)
            role = Role.ACCENT_TEXT if wording.role is Role.ACCENT else wording.role
            use_icon(chip, wording.icon, role)
            chip.toggled.connect(self._on_toggled)
            self._chips[name] = chip
            self._flow.addWidget(chip)
        self.set_counts({})

    def set_counts(self, counts: Mapping[str, int]) -> None:
        """Show how many there are in each state; a name that is missing counts as none."""
        for name, chip in self._chips.items():
            wording = self._wordings[name]
            count = figures.whole(counts.get(name, 0))
            chip.setText(f"{wording.words} {count}")
            chip.setAccessibleName(f"{wording.words}: {count}")
            chip.set_tip(wording.tip)
        self._flow.invalidate()
        self.updateGeometry()

    def selected(self) -> frozenset[str]:
        """Return the names of the pressed chips."""
        return frozenset(name for name, chip in self._chips.items() if chip.isChecked())

    def select(self, names: Collection[str]) -> None:
        """Press exactly these chips; says so once."""
        before = self.selected()
        for name, chip in self._chips.items():
            chip.blockSignals(True)
            chip.setChecked(name in names)
            chip.blockSignals(False)
        if self.selected() != before:
            self._on_toggled()

    def _on_toggled(self) -> None:
        self.selection_changed.emit(self.selected())


@dataclass(frozen=True, slots=True)
class FilterChip:
    """A filter in force: its stable id and what it says."""

    id: str
    words: str


class FilterChips(QWidget):
    """The filters in force; a press takes one away.

    Signals:
        removed(id), cleared()
    """

    removed = Signal(str)
    cleared = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("filter-chips")
        self.setAccessibleName(self.tr("Filters in force"))
        self._flow = FlowLayout(self)
        self._buttons: list[Button] = []
        self._filters: tuple[FilterChip, ...] = ()
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        policy.setVerticalPolicy(QSizePolicy.Policy.Minimum)
        self.setSizePolicy(policy)
        self.setVisible(False)

    def filters(self) -> tuple[FilterChip, ...]:
        """Return the filters shown."""
        return self._filters

    def set_filters(self, filters: Sequence[FilterChip]) -> None:
        """Show these filters; none hides the row."""
        self._filters = tuple(filters)
        while self._flow.count():
            self._flow.takeAt(0)
        for button in self._buttons:
            button.hide()
            button.deleteLater()
        self._buttons = []
        for filter_ in filters:
            words = one_line(filter_.words, 40)
            button = Button(words, f"filter-{filter_.id}", self, look=Look.CHIP, icon="cross")
            button.setAccessibleName(self.tr("Take away the filter: {words}").format(words=words))
            button.set_tip(self.tr("Press to take this filter away."))
            button.setLayoutDirection(
                Qt.LayoutDirection.RightToLeft
                if self.layoutDirection() == Qt.LayoutDirection.LeftToRight
                else Qt.LayoutDirection.LeftToRight
            )
            button.clicked.connect(lambda _=False, name=filter_.id: self.removed.emit(name))
            self._buttons.append(button)
            self._flow.addWidget(button)
        if len(filters) > 1:
            clear = Button(self.tr("Clear all"), "filter-clear", self, look=Look.LINK)
            clear.clicked.connect(lambda: self.cleared.emit())
            self._buttons.append(clear)
            self._flow.addWidget(clear)
        for button in self._buttons:
            button.show()
        self.setVisible(bool(filters))
        self.updateGeometry()
