"""Several files compared, one in sight; passages that no proposal may change carry a padlock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QComboBox, QVBoxLayout, QWidget

from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.diff import DiffPanel, Side, TextMark
from honeyguide.desktop.widgets.labels import named


@dataclass(frozen=True, slots=True)
class ComparedFile:
    """One file: its name, the rows of its comparison, and the locked passages of the text before."""

    name: str
    rows: Sequence[Any]
    locks: Sequence[tuple[int, int]] = ()


class FileDiffs(QWidget):
    """A choice of files over the comparison of the chosen one."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setObjectName(name)
        self._files: tuple[ComparedFile, ...] = ()
        self._titles = ("", "")
        self.choice = named(QComboBox(), f"{name}-file", self.tr("File"))
        self.panel = DiffPanel()
        self.panel.set_editable(False)
        self.panel.view.set_monospace(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.choice)
        column.addWidget(self.panel, 1)
        self.choice.currentIndexChanged.connect(self._show)
        self.set_files((), ("", ""))

    def set_files(self, files: Sequence[ComparedFile], titles: tuple[str, str]) -> None:
        """Show these files; the one that was in sight stays so if it is among them."""
        kept = self.choice.currentText()
        self._files, self._titles = tuple(files), titles
        self.choice.blockSignals(True)
        self.choice.clear()
        for file in self._files:
            self.choice.addItem(one_line(file.name, 200))
        self.choice.setCurrentIndex(max(0, self.choice.findText(kept)))
        self.choice.blockSignals(False)
        self.choice.setVisible(len(self._files) > 1)
        self._show(self.choice.currentIndex())

    def files(self) -> tuple[ComparedFile, ...]:
        """Return what is shown."""
        return self._files

    def _show(self, place: int) -> None:
        if not 0 <= place < len(self._files):
            self.panel.set_rows(())
            return
        file = self._files[place]
        words = self.tr("Frozen: no proposal may change this.")
        marks = [TextMark("lock", Side.BEFORE, start, end, words) for start, end in file.locks]
        self.panel.set_rows(file.rows, marks, titles=self._titles)
