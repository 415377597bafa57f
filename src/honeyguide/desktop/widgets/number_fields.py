"""Fields for numbers: typed, or stepped with the arrow keys; no small buttons to hit."""

from __future__ import annotations

from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox, QWidget

_SHEET = """
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { width: 0; height: 0; border: none; }
QAbstractSpinBox::up-arrow, QAbstractSpinBox::down-arrow { width: 0; height: 0; image: none; }
QLineEdit, QLineEdit:focus { border: none; padding: 0; min-height: 0; background: transparent; }
"""
"""The field inside of a number field must not get the frame of a field of its own. The style sheet of the window
draws the frame; ``NoButtons`` would leave that inner field no width (Qt 6.11)."""


class WholeField(QSpinBox):
    """A whole number."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setGroupSeparatorShown(True)
        self.setStyleSheet(_SHEET)
        self.lineEdit().setTextMargins(6, 0, 6, 0)


class NumberField(QDoubleSpinBox):
    """A number with decimals."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setStyleSheet(_SHEET)
        self.lineEdit().setTextMargins(6, 0, 6, 0)
