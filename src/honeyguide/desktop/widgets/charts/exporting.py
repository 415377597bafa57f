"""A chart as a picture or as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from honeyguide.desktop.theme import Role, active_theme
from honeyguide.kernel.errors import Unwritable

SCALE = 2
"""Pixels of a picture for each one on screen."""


def save_png(plot: Any, path: Path) -> None:
    """Write what a plot shows. Raises Unwritable."""
    size: QSize = plot.viewport().size()
    image = QImage(size * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(active_theme()[Role.SURFACE].hex))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plot.render(painter, QRectF(0, 0, size.width() * SCALE, size.height() * SCALE), plot.viewport().rect())
    painter.end()
    if not image.save(str(path), "PNG"):  # type: ignore[call-overload]
        raise Unwritable(f"{path.name} could not be written.", hint="Choose another folder.")


def save_svg(plot: Any, path: Path, title: str) -> None:
    """Write what a plot shows as a drawing. Raises Unwritable."""
    size: QSize = plot.viewport().size()
    drawing = QSvgGenerator()
    drawing.setFileName(str(path))
    drawing.setSize(size)
    drawing.setViewBox(QRectF(0, 0, size.width(), size.height()))
    drawing.setTitle(title)
    painter = QPainter()
    if not painter.begin(drawing):
        raise Unwritable(f"{path.name} could not be written.", hint="Choose another folder.")
    painter.fillRect(QRectF(0, 0, size.width(), size.height()), QColor(active_theme()[Role.SURFACE].hex))
    plot.render(painter, QRectF(), plot.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
    painter.end()


def save_text(text: str, path: Path) -> None:
    """Write text. Raises Unwritable."""
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise Unwritable(
            f"{path.name} could not be written: {error.strerror}.", hint="Choose another folder."
        ) from error
