"""An import at work: how far it is, which file, and how to stop it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from honeyguide.desktop.theme import Metrics, Role, figures
from honeyguide.desktop.widgets.buttons import Button
from honeyguide.desktop.widgets.labels import ElidedLabel, named


class ImportBar(QWidget):
    """Signals:
    stop_requested()
    """

    stop_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "import-bar", self.tr("Import"))
        self._said = ElidedLabel("", role=Role.TEXT_2, middle=True)
        self._bar = named(QProgressBar(), "import-progress", self.tr("Progress"))
        self._bar.setTextVisible(False)
        self.stop = Button(self.tr("Stop"), "import-stop", icon="stop")
        self.stop.clicked.connect(self._on_stop)
        words = QVBoxLayout()
        words.setSpacing(Metrics.GRID)
        words.addWidget(self._said)
        words.addWidget(self._bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(Metrics.MARGIN, Metrics.GRID, Metrics.MARGIN, Metrics.GAP)
        row.setSpacing(Metrics.GAP)
        row.addLayout(words, 1)
        row.addWidget(self.stop)
        self.hide()

    def begin(self, count: int) -> None:
        """Show that an import of ``count`` files or folders begins."""
        self._bar.setRange(0, 0)
        self._said.set_text(self.tr("Looking through {n} files and folders…").format(n=count))
        self.stop.set_allowed(True)
        self.show()

    def show_progress(self, done: int, total: int, path: str) -> None:
        """Show that ``done`` of ``total`` bytes are read, and which file is at work."""
        self._bar.setRange(0, 1000)
        self._bar.setValue(round(1000 * done / max(1, total)))
        said = self.tr("{done} of {total}: {path}")
        self._said.set_text(said.format(done=figures.size(done), total=figures.size(total), path=path))

    def end(self) -> None:
        """Go away."""
        self.hide()

    def _on_stop(self) -> None:
        self.stop.set_allowed(False, self.tr("Stopping; what was read is kept."))
        self.stop_requested.emit()
