"""Draw the app icon in every size and container that the systems want, from one SVG.

usage: python packaging/icons.py [--check]

Writes ``resources/icons/app/honeyguide-SIZE.png``, ``packaging/windows/honeyguide.ico`` and
``packaging/macos/honeyguide.icns``. With ``--check`` it writes nothing and says which files would change.
Needs PySide6 (draws the SVG) and Pillow (writes the containers): the packaging environment has both.
"""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "resources" / "icons" / "app" / "honeyguide.svg"
PNG_SIZES = (16, 22, 24, 32, 48, 64, 128, 256, 512)
ICO_SIZES = (16, 24, 32, 48, 64, 128, 256)
ICNS_SIZES = (16, 32, 64, 128, 256, 512, 1024)


def drawings() -> dict[Path, bytes]:
    """Return every generated file with its bytes."""
    from PIL import Image

    drawn = {size: _png(size) for size in sorted({*PNG_SIZES, *ICO_SIZES, *ICNS_SIZES})}
    images = {size: Image.open(io.BytesIO(data)).convert("RGBA") for size, data in drawn.items()}
    files = {SOURCE.with_name(f"honeyguide-{size}.png"): _written(images[size], "PNG") for size in PNG_SIZES}
    files[ROOT / "packaging" / "windows" / "honeyguide.ico"] = _written(
        images[256],
        "ICO",
        sizes=[(size, size) for size in ICO_SIZES],
        append_images=[images[size] for size in ICO_SIZES],
    )
    files[ROOT / "packaging" / "macos" / "honeyguide.icns"] = _written(
        images[1024], "ICNS", append_images=[images[size] for size in ICNS_SIZES]
    )
    return files


def _written(image: object, kind: str, **options: object) -> bytes:
    stream = io.BytesIO()
    image.save(stream, kind, **({"optimize": True} if kind == "PNG" else {}), **options)  # type: ignore[attr-defined]
    return stream.getvalue()


def _png(size: int) -> bytes:
    from PySide6.QtCore import QBuffer, QIODevice, QRectF
    from PySide6.QtGui import QImage, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(str(SOURCE)).render(painter, QRectF(0, 0, size, size))
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    if not image.save(buffer, "PNG"):  # type: ignore[call-overload]
        raise SystemExit(f"the icon could not be drawn at {size} px")
    return bytes(buffer.data().data())


def main(arguments: list[str]) -> int:
    """Write the files, or with ``--check`` name those that differ; the exit code is 1 when one does."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication

    application = QGuiApplication.instance() or QGuiApplication(["icons"])
    files = drawings()
    del application
    changed = [path for path, data in files.items() if not path.is_file() or path.read_bytes() != data]
    if "--check" not in arguments:
        for path, data in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    for path in changed:
        print(path.relative_to(ROOT))
    return 1 if changed and "--check" in arguments else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
