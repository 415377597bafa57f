"""What the first look at each page takes on the loop's thread, and how late a 16 ms beat is meanwhile.

``python -m benchmarks.pages`` opens a window off screen on a sample workspace with one run, lets it come to rest, then
shows every page and every tab of the review for the first time. CPU milliseconds hold on a busy machine too; how late
the beat was says something on a quiet one only.
"""

from __future__ import annotations

import asyncio
import gc
import os
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ.setdefault("QT_API", "pyside6")

import qasync
from benchmarks.startup import make_workspace
from PySide6.QtCore import Qt, QTimer

from honeyguide.desktop import main as start
from honeyguide.desktop.actions import review_tabs
from honeyguide.desktop.ahead import import_rest

BEAT_MS = 16
SETTLE_S = 1.0


class Beat:
    """Notes how late each tick of a timer is."""

    def __init__(self) -> None:
        self.late: list[float] = []
        self._last = 0.0
        self._timer = QTimer()
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.setInterval(BEAT_MS)
        self._timer.timeout.connect(self._tick)

    def begin(self) -> None:
        """Count from now on."""
        self.late.clear()
        self._last = time.perf_counter()
        self._timer.start()

    def worst_ms(self) -> float:
        """Stop, and return the latest tick in milliseconds."""
        self._timer.stop()
        return max(self.late, default=0.0) * 1000

    def _tick(self) -> None:
        now = time.perf_counter()
        self.late.append(now - self._last - BEAT_MS / 1000)
        self._last = now


async def walk(application: start.Application, window: start.Window) -> None:
    """Show everything once and print what it took."""
    life = asyncio.ensure_future(application.run())
    await application.ready.wait()
    await asyncio.to_thread(import_rest)
    await asyncio.sleep(3)
    beat = Beat()
    print(f"{'first look at':20} {'make':>6} {'show':>6} {'late':>6}   milliseconds (make, show: CPU)")
    for name in window.page_names():
        beat.begin()
        began = time.process_time()
        window.page(name)
        made = time.process_time()
        window.show_page(name)
        shown = time.process_time()
        await asyncio.sleep(SETTLE_S)
        print(f"{name:20} {(made - began) * 1000:6.0f} {(shown - made) * 1000:6.0f} {beat.worst_ms():6.0f}")
    window.show_page("inbox")
    await asyncio.sleep(SETTLE_S)
    review = window.page("inbox").review  # type: ignore[attr-defined]
    for name, _, _ in review_tabs():
        beat.begin()
        began = time.process_time()
        review.show_tab(name)
        shown = time.process_time()
        await asyncio.sleep(SETTLE_S)
        print(f"{'review: ' + name:20} {'':6} {(shown - began) * 1000:6.0f} {beat.worst_ms():6.0f}")
    application.leave()
    await life


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        workspace = Path(folder) / "workspace"
        make_workspace(workspace)
        app = start.make_application()
        theme = start.ThemeSwitch(app)
        window = start.Window()
        window.show()
        gc.disable()
        loop = qasync.QEventLoop(app)
        asyncio.set_event_loop(loop)
        with loop:
            loop.run_until_complete(walk(start.Application(app, workspace, window, theme), window))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
