"""Fields for numbers: typed, or stepped with the arrow keys; no small buttons to hit.

The style sheet of the window draws their frame and takes the buttons away; ``NoButtons`` would leave the line inside no
width (Qt 6.11).
"""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget


class WholeField(QSpinBox):
    """A whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setGroupSeparatorShown(True)
        self.lineEdit().setTextMargins(6, 0, 6, 0)


class NumberField(QDoubleSpinBox):
    """A number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.lineEdit().setTextMargins(6, 0, 6, 0)
