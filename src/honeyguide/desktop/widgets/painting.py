"""Beginning to paint a widget: smooth edges, and texts that run as the window runs, not each as its letters do."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractScrollArea, QWidget


def begin_paint(widget: QWidget) -> QPainter:
    """Return a painter on ``widget`` (on the viewport of a scroll area); the caller ends it."""
    painter = QPainter(widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setLayoutDirection(widget.layoutDirection())
    return painter
