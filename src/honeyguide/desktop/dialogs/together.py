"""The other targets whose texts change in the same run: ticks in a list, those that stand with the target set."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QListWidget, QListWidgetItem

from honeyguide.desktop.models.targets import TargetLine
from honeyguide.desktop.theme import Metrics
from honeyguide.desktop.theme.outcomes import kind_wording
from honeyguide.desktop.theme.plain_text import one_line
from honeyguide.desktop.widgets.labels import named

SHOWN_ROWS = 4
BY_THEMSELVES = ("flow", "harness")
TOOLS = "tool-description"
"""Offered first: they are what most often belongs to a persona."""
_ID = int(Qt.ItemDataRole.UserRole)


class TogetherList(QListWidget):
    """Signals:
    changed(): another choice.

    Attributes:
        standing: the targets that stand with the chosen one in every run.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        named(self, "new-run-together", self.tr("Together with"))
        self.setFixedHeight(SHOWN_ROWS * Metrics.row_height() + 2)
        self.setToolTip(self.tr("Their texts change in the same run and go live in one step."))
        self.standing: tuple[str, ...] = ()
        self.itemChanged.connect(lambda _: self.changed.emit())

    def offer(self, lines: Sequence[TargetLine], target: str) -> None:
        """Offer every other target; those that stand with ``target`` are ticked."""
        standing = self.standing = next((line.together for line in lines if line.id == target), ())
        self.blockSignals(True)
        self.clear()
        for line in sorted(lines, key=lambda line: (line.id not in standing, line.kind != TOOLS, line.kind, line.name)):
            if line.id == target or line.kind in BY_THEMSELVES:
                continue
            item = QListWidgetItem(f"{one_line(line.name, 60)} · {kind_wording(line.kind).words}")
            item.setData(_ID, line.id)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if line.id in standing else Qt.CheckState.Unchecked)
            self.addItem(item)
        self.blockSignals(False)

    def chosen(self) -> tuple[str, ...]:
        """Return the ids of the ticked targets."""
        items = (self.item(row) for row in range(self.count()))
        return tuple(str(item.data(_ID)) for item in items if item.checkState() is Qt.CheckState.Checked)
