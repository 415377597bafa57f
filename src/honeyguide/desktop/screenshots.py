"""Pictures of every page and of the main dialogs, in light and dark, at one and two pixels a point.

``python -m honeyguide.desktop.screenshots DIR [DOCS]`` makes them on a fresh sample workspace, and looks at the window
also in German, small, large, with an empty workspace and at the first start; pictures that stand in ``DOCS`` are made
anew there (``make screenshots``).
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

os.environ.setdefault("QT_API", "pyside6")

import qasync
from PySide6.QtCore import QPoint, qInstallMessageHandler
from PySide6.QtGui import QImage, QPainter
from PySide6.QtWidgets import QDialog, QWidget

from honeyguide.desktop.actions import review_tabs
from honeyguide.desktop.application import Application
from honeyguide.desktop.crash import hear_qt
from honeyguide.desktop.main import make_application
from honeyguide.desktop.pages.welcome import WelcomeView
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.translating import install_language
from honeyguide.desktop.window import Window

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace

SIZE = (1280, 800)
SETTLE_S = 0.5
PATIENCE_S = 30.0
_READS = ": "
"""What the names of tasks that read something have in them (see ``TaskScope.latest``)."""
CHART_S = 1.5
"""Charts import their library first."""
DIALOGS = ("new-run", "accept", "try", "palette", "shortcuts", "connect-model", "about")
README_PICTURE = "inbox-light.png"
HARNESS_PROMPT = "You answer questions about returns at the desk of a small web shop."
HARNESS_CHECKS = (
    (".", ("Where is my order 4411?", "Can I send a lamp back?", "How long do returns take?")),
    (
        "(?i)order number",
        ("My order came broken.", "I lost my receipt.", "Please change order 17.", "Who pays the way?"),
    ),
)
"""What the answers of each version are checked for, and what it is asked."""
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
    language: str = "en"


LOOKS: Mapping[str, Shots] = {
    "german": Shots(("light",), (1,), language="de"),
    "small": Shots(("light",), (1,), size=(960, 600)),
    "large": Shots(("dark",), (1,), with_dialogs=False, size=(2200, 1240)),
}
"""Further looks at the sample, each in a folder of its own."""


def render_pages(workspace: Path, folder: Path, shots: Shots | None = None) -> list[Path]:
    """Write a picture of every page of a workspace, or of the first start where there is none; return their paths.

    Raises:
        NotFound, Unreadable, Locked: the workspace cannot be opened.
    """
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = make_application()
    shots = shots or Shots(scales=(1,), with_dialogs=False)
    install_language(app, shots.language)
    loop = qasync.QEventLoop(app)
    executor = ThreadPoolExecutor(4, thread_name_prefix="honeyguide-pictures")
    loop.set_default_executor(executor)
    asyncio.set_event_loop(loop)
    before = qInstallMessageHandler(hear_qt)
    try:
        with loop:
            return list(loop.run_until_complete(_render(workspace, folder, shots)))
    finally:
        qInstallMessageHandler(before)
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
    application.is_for_a_person = False
    life = asyncio.ensure_future(application.run())
    ready = asyncio.ensure_future(application.ready.wait())
    welcome = None
    while not (ready.done() or life.done() or welcome):
        await asyncio.sleep(0.05)
        welcome = window.findChild(WelcomeView)
    made: list[Path] = []
    window.resize(*shots.size)
    try:
        for name in shots.themes if ready.done() or welcome else ():
            theme.set_choice(ThemeChoice(name))
            if welcome:
                await asyncio.sleep(SETTLE_S)
                made += _save(window, folder / f"welcome-{name}", shots)
            else:
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
        await _settle(application)
        window.notify.close()
        made += _save(window, folder / f"{name}-{theme}", shots)
    if not shots.with_dialogs:
        return made
    window.show_page("inbox")
    for name, _, _ in review_tabs():
        if window.trigger(f"tab-{name}"):
            await _settle(application, CHART_S if name == "charts" else SETTLE_S)
            made += _save(window, folder / f"review-{name}-{theme}", shots)
    window.trigger("tab-changes")
    for name in DIALOGS:
        if window.trigger(name):
            await _settle(application)
            for dialog in window.findChildren(QDialog):
                if dialog.isVisible():
                    made += _save(dialog, folder / f"{name}-{theme}", shots)
                    dialog.reject()
            await asyncio.sleep(0.05)
        window.notify.close()
    return made


async def _settle(application: Application, least: float = SETTLE_S) -> None:
    """Wait until nothing is being read any more."""
    quiet = 0
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE_S
    await asyncio.sleep(least)
    while quiet < 3 and loop.time() < until:
        await asyncio.sleep(0.1)
        desk = application.desk
        reading = desk is not None and any(_READS in name for name in desk.tasks.running())
        quiet = 0 if reading else quiet + 1


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


def make_empty(path: Path) -> None:
    """Make a workspace in which there is nothing yet."""
    from honeyguide.workspace import Workspace

    async def make() -> None:
        await (await Workspace.create(path)).close()

    asyncio.run(make())


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
            await _make_harness(workspace, path.parent / "returns-desk")

    asyncio.run(make())


async def _make_harness(workspace: Workspace, folder: Path) -> None:
    """Make a harness folder whose newest version failed, with a draft that waits, all by the practice model."""
    from honeyguide.workspace import Origin
    from honeyguide.workspace.harness_views import (
        EvolveOptions,
        Harnesses,
        HarnessEvolving,
        HarnessHome,
        HarnessRunning,
    )

    home, origin = HarnessHome.of_workspace(workspace), Origin.here("window")
    harnesses, evolving = Harnesses(home), HarnessEvolving(home)
    running = HarnessRunning(home, evolving)
    await harnesses.init(folder, folder.name, "Answers questions about returns.", HARNESS_PROMPT, origin)
    for pattern, questions in HARNESS_CHECKS:
        validators = [{"builtin": "regex_match", "pattern": pattern}]
        practice = {"provider": "practice", "id": "practice"}
        await harnesses.set(folder, [("model", practice), ("verify", {"validators": validators})], origin)
        for question in questions:
            await running.run(folder, question)
    await evolving.evolve(folder, EvolveOptions(confirmed=True))
    await harnesses.register(folder)


def main(arguments: Sequence[str]) -> int:
    """Make the pictures; arguments: the folder for all, and the one of the documentation."""
    if len(arguments) not in (1, 2):
        print("usage: python -m honeyguide.desktop.screenshots DIR [DOCS]", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    scratch = Path(tempfile.mkdtemp(prefix="honeyguide-pictures-"))
    os.environ["XDG_STATE_HOME"] = str(scratch / "state")  # where it is honoured, these windows leave no memory behind
    try:
        make_sample(scratch / "sample")
        made = render_pages(scratch / "sample", folder, Shots())
        for name, look in LOOKS.items():
            shutil.copytree(scratch / "sample", scratch / name)  # each with a memory of its own
            made += render_pages(scratch / name, folder / name, look)
        make_empty(scratch / "empty")
        made += render_pages(scratch / "empty", folder / "empty", Shots(("light",), (1,), with_dialogs=False))
        made += render_pages(scratch / "nothing", folder, Shots())
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    for path in made:
        print(path)
    if len(arguments) == 2:
        renew(folder, Path(arguments[1]))
    return 0


def renew(folder: Path, docs: Path) -> None:
    """Put the new pictures in the place of those that the documentation shows."""
    for old in sorted(docs.glob("*.png")):
        name = README_PICTURE if old.name == "review.png" else old.name
        if (folder / name).is_file():
            shutil.copyfile(folder / name, old)


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
