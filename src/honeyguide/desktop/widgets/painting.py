"""Beginning to paint a widget: smooth edges, and texts that run as the window runs, not each as its letters do."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from honeyguide.desktop.theme import Metrics, Role, qcolor


def begin_paint(widget: QWidget) -> QPainter:
    """Return a painter on ``widget`` (on the viewport of a scroll area); the caller ends it."""
    painter = QPainter(widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setLayoutDirection(widget.layoutDirection())
    return painter


def paint_card(widget: QWidget, line: Role) -> None:
    """Paint the ground of something that floats above the window: raised, with rounded corners and a thin line."""
    painter = begin_paint(widget)
    painter.setPen(QPen(qcolor(line), 1))
    painter.setBrush(qcolor(Role.RAISED))
    rect = QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
    painter.drawRoundedRect(rect, Metrics.RADIUS, Metrics.RADIUS)
    painter.end()
