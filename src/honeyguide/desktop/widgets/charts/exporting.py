"""A chart as a picture, as a drawing, or as numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import QBuffer, QIODevice, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgGenerator

from honeyguide.desktop.theme import Role, active_theme
from honeyguide.kernel.errors import Unwritable

SCALE = 2
"""Pixels of a picture for each one on screen."""


def png_of(plot: Any) -> bytes:
    """Return what a plot shows as a picture."""
    size: QSize = plot.viewport().size()
    image = QImage(size * SCALE, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(QColor(active_theme()[Role.SURFACE].hex))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plot.render(painter, QRectF(0, 0, size.width() * SCALE, size.height() * SCALE), plot.viewport().rect())
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(buffer.data().data())


def svg_of(plot: Any, title: str) -> bytes:
    """Return what a plot shows as a drawing."""
    size: QSize = plot.viewport().size()
    whole = QRectF(0, 0, size.width(), size.height())
    buffer = QBuffer()
    drawing = QSvgGenerator()
    drawing.setOutputDevice(buffer)
    drawing.setSize(size)
    drawing.setViewBox(whole)
    drawing.setTitle(title)
    painter = QPainter(drawing)
    painter.fillRect(whole, QColor(active_theme()[Role.SURFACE].hex))
    plot.render(painter, whole, plot.viewport().rect(), Qt.AspectRatioMode.IgnoreAspectRatio)
    painter.end()
    return bytes(buffer.data().data())


def write(content: bytes, path: Path) -> None:
    """Write a file. Raises Unwritable."""
    try:
        path.write_bytes(content)
    except OSError as error:
        raise Unwritable(
            f"{path.name} could not be written: {error.strerror}.", hint="Choose another folder."
        ) from error
