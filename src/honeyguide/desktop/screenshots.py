"""Pictures of every page and of the main dialogs, in light and dark, at one and two pixels a point.

``python -m honeyguide.desktop.screenshots DIR`` makes them on a fresh sample workspace (``make screenshots``).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("QT_API", "pyside6")

import qasync
from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QDialog, QWidget

from honeyguide.desktop.actions import review_tabs
from honeyguide.desktop.application import Application
from honeyguide.desktop.main import make_application
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.translating import install_language
from honeyguide.desktop.window import Window

SIZE = (1280, 800)
SETTLE_S = 0.5
CHART_S = 1.5
"""Charts import their library first."""
DIALOGS = ("new-run", "accept", "try", "palette", "shortcuts", "connect-model", "about")
SAMPLE_RUNS = ("planner", "coder", "qualityRules", "support")
"""Runs of the sample that the pictures show; the last one is under review."""


@dataclass(frozen=True, slots=True)
class Shots:
    """What is made.

    Attributes:
        themes: ``light`` and ``dark``. ``scales``: pixels a point.
        with_dialogs: also dialogs and the parts of a review.
    """

    themes: Sequence[str] = ("light", "dark")
    scales: Sequence[int] = (1, 2)
    with_dialogs: bool = True
    size: tuple[int, int] = SIZE


def render_pages(workspace: Path, folder: Path, shots: Shots | None = None) -> list[Path]:
    """Write a picture of every page of a workspace and return their paths. Needs no screen.

    Raises:
        NotFound, Unreadable, Locked: the workspace cannot be opened.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = make_application()
    install_language(app, "en")
    loop = qasync.QEventLoop(app)
    executor = ThreadPoolExecutor(4, thread_name_prefix="honeyguide-pictures")
    loop.set_default_executor(executor)
    asyncio.set_event_loop(loop)
    try:
        with loop:
            return list(
                loop.run_until_complete(_render(workspace, folder, shots or Shots(scales=(1,), with_dialogs=False)))
            )
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        asyncio.set_event_loop(None)


async def _render(workspace: Path, folder: Path, shots: Shots) -> list[Path]:
    app = make_application()
    await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
    theme = ThemeSwitch(app, ThemeChoice(shots.themes[0]))
    window = Window()
    window.resize(*shots.size)
    window.show()
    application = Application(app, workspace, window, theme)
    life = asyncio.ensure_future(application.run())
    ready = asyncio.ensure_future(application.ready.wait())
    await asyncio.wait([ready, life], return_when=asyncio.FIRST_COMPLETED)
    made: list[Path] = []
    try:
        if ready.done():
            for name in shots.themes:
                theme.set_choice(ThemeChoice(name))
                made += await _pages(application, folder, name, shots)
    finally:
        ready.cancel()
        application.leave()
        await life
        theme.setParent(None)
        window.deleteLater()
    if application.errors:
        raise application.errors[0]
    return made


async def _pages(application: Application, folder: Path, theme: str, shots: Shots) -> list[Path]:
    window = application.window
    made: list[Path] = []
    for name in window.page_names():
        window.show_page(name)
        await asyncio.sleep(SETTLE_S)
        window.notify.close()
        made += _save(window, folder / f"{name}-{theme}", shots)
    if not shots.with_dialogs:
        return made
    window.show_page("inbox")
    for name, _, _ in review_tabs():
        if window.trigger(f"tab-{name}"):
            await asyncio.sleep(CHART_S if name == "charts" else SETTLE_S)
            made += _save(window, folder / f"review-{name}-{theme}", shots)
    window.trigger("tab-changes")
    for name in DIALOGS:
        if window.trigger(name):
            await asyncio.sleep(2 * SETTLE_S)
            for dialog in window.findChildren(QDialog):
                if dialog.isVisible():
                    made += _save(dialog, folder / f"{name}-{theme}", shots)
                    dialog.reject()
            await asyncio.sleep(0.05)
        window.notify.close()
    return made


def _save(widget: QWidget, stem: Path, shots: Shots) -> list[Path]:
    made = []
    for scale in shots.scales:
        image = QImage(widget.size() * scale, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(scale)
        painter = QPainter(image)
        widget.render(painter, QPoint(0, 0))
        painter.end()
        path = stem.with_name(f"{stem.name}{'' if scale == 1 else f'@{scale}x'}.png")
        image.save(str(path))
        made.append(path)
    return made


def make_sample(path: Path) -> None:
    """Make the sample workspace of the pictures, with runs of the practice model."""
    from honeyguide.workspace import Origin, RunOptions, Workspace

    async def make() -> None:
        async with await Workspace.create(path, sample=True) as workspace:
            for target in SAMPLE_RUNS:
                preset = "efficient" if target == SAMPLE_RUNS[-1] else "quick"
                await workspace.evolve(target, RunOptions(preset=preset), origin=Origin.here("window"))
            await workspace.add_feedback(
                "support",
                "It promised a delivery date that the carrier had not confirmed.",
                expected="Say that we ask the carrier.",
                origin=Origin.here("window"),
            )

    asyncio.run(make())


def main(arguments: Sequence[str]) -> int:
    """Make the pictures; the folder is the one argument."""
    if len(arguments) != 1:
        print("usage: python -m honeyguide.desktop.screenshots DIR", file=sys.stderr)
        return 2
    scratch = Path(tempfile.mkdtemp(prefix="honeyguide-pictures-"))
    try:
        make_sample(scratch / "sample")
        for path in render_pages(scratch / "sample", Path(arguments[0]), Shots()):
            print(path)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
