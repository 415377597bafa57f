"""Which of several texts is in sight: one button for each, with how much of it changes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QTabBar, QWidget

from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.labels import named


class TextChoice(QTabBar):
    """Hidden while there is only one text.

    Signals:
        leaving(number): the text that was in sight until now. chosen(number): the one that is now.
    """

    leaving = Signal(int)
    chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "review-texts", self.tr("Texts that change together"))
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setUsesScrollButtons(True)
        self.number = 0
        self.currentChanged.connect(self._on_changed)
        self.hide()

    def set_texts(self, texts: Sequence[tuple[str, int]]) -> None:
        """Offer these texts, each a name and how many changes it has; the first that changes is in sight."""
        self.blockSignals(True)
        while self.count():
            self.removeTab(0)
        for name, changes in texts:
            words = {0: self.tr("unchanged"), 1: self.tr("1 change")}.get(changes) or self.tr("%n changes", "", changes)
            number = self.addTab(f"{one_line(name, 60)} · {words}".replace("&", "&&"))
            self.setTabToolTip(number, one_line(name, 200))
        self.number = next((number for number, (_, changes) in enumerate(texts) if changes), 0)
        self.setCurrentIndex(self.number)
        self.blockSignals(False)
        self.setVisible(bool(texts))

    def choose(self, number: int) -> None:
        """Bring a text into sight."""
        self.setCurrentIndex(number)

    def _on_changed(self, number: int) -> None:
        if number != self.number and number >= 0:
            self.leaving.emit(self.number)
            self.number = number
            self.chosen.emit(number)
