"""Where the window's start goes: from the command to the first paint, to the inbox and its review.

``python -m benchmarks.startup [N]`` starts the window N times off screen on a sample workspace, each time in a process
of its own, and prints the best and the middle of each stage in seconds, beside the CPU time.
"""

from __future__ import annotations

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

STAGES = ("imported", "first window", "inbox imported", "workspace open", "rows in sight", "review in sight")
_CHILD = """
import sys, time, gc
gc.disable()
began = time.perf_counter(); cpu = time.process_time()
marks = {}
def mark(name): marks[name] = (time.perf_counter() - began, time.process_time() - cpu)
import asyncio, json
from pathlib import Path
from honeyguide.desktop import main as start
import honeyguide.desktop.application as application_module
mark("imported")
app = start.make_application()
theme = start.ThemeSwitch(app)
window = start.Window(); window.show(); app.processEvents(); window.grab()
mark("first window")
import qasync
from concurrent.futures import ThreadPoolExecutor
loop = qasync.QEventLoop(app); loop.set_default_executor(ThreadPoolExecutor(6)); asyncio.set_event_loop(loop)
application = start.Application(app, Path(sys.argv[1]), window, theme)
original = application_module.import_first
def timed():
    original(); mark("inbox imported")
application_module.import_first = timed
async def story():
    life = asyncio.ensure_future(application.run())
    await application.ready.wait(); mark("workspace open")
    page = window.page("inbox")
    while not page.model.rowCount(): await asyncio.sleep(0.005)
    window.grab(); mark("rows in sight")
    while page._review is None or page.review.review is None: await asyncio.sleep(0.005)
    window.grab(); mark("review in sight")
    application.leave(); await life
with loop: loop.run_until_complete(story())
print(json.dumps(marks))
"""


def make_workspace(path: Path) -> None:
    """Make a workspace with one finished run."""
    from honeyguide.workspace import RunOptions, Workspace

    async def make() -> None:
        async with await Workspace.create(path, sample=True) as workspace:
            await workspace.evolve("support", RunOptions(preset="quick"))

    asyncio.run(make())


def measure(workspace: Path, times: int) -> dict[str, list[tuple[float, float]]]:
    """Return (wall, CPU) seconds of every stage, one pair a start."""
    found: dict[str, list[tuple[float, float]]] = {stage: [] for stage in STAGES}
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "QT_API": "pyside6"}
    for _ in range(times):
        done = subprocess.run(
            [sys.executable, "-c", _CHILD, str(workspace)], env=environment, capture_output=True, text=True, check=True
        )
        for stage, pair in json.loads(done.stdout.splitlines()[-1]).items():
            found[stage].append((pair[0], pair[1]))
    return found


def main() -> int:
    """Measure and print."""
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder) / "workspace"
        make_workspace(workspace)
        measure(workspace, 1)
        found = measure(workspace, times)
    print(f"{'stage':18} {'best':>7} {'middle':>7} {'CPU':>7}   seconds since the process began Python code")
    for stage, pairs in found.items():
        walls, cpus = [wall for wall, _ in pairs], [cpu for _, cpu in pairs]
        print(f"{stage:18} {min(walls):7.2f} {statistics.median(walls):7.2f} {min(cpus):7.2f}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
