"""How the run table does with 100,000 runs, off screen: filling, first paint, scrolling, sorting, searching, updates.

Run: ``python benchmarks/table.py``; exits 1 when a budget is missed (twice the budget on a busy machine is allowed
with ``--lenient``).
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.theme import Scheme, apply_theme, derive
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.kernel.choice import index, unit

ROWS, SCREEN, CHUNK = 100_000, 200, 2_000
NOW = datetime(2026, 6, 1, tzinfo=UTC)
STATES = ("proposed", "deployed", "rejected", "skipped-delta", "aborted")
KINDS = ("persona-system-prompt", "skill-body", "instruction-file")


def run(n: int, *, partial: bool) -> RunRow:
    """Return the n-th newest run."""
    delta = unit(1, "delta", n) - 0.5
    return RunRow(
        f"run-{n:06}",
        STATES[index(1, len(STATES), "state", n)],
        KINDS[n % 3],
        f"target-{index(1, 500, 'name', n)}",
        NOW - timedelta(minutes=n),
        "verified_improvement",
        "" if partial else "Adds one rule and drops two sentences; 12 % shorter.",
        delta,
        None if partial else (delta - 0.05, delta + 0.05),
        cost_usd=unit(1, "cost", n),
        partial=partial,
    )


def timed(work: Callable[[], object]) -> float:
    """Return milliseconds."""
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1000


def frames(table: DataTable, step: int, count: int = 60) -> list[float]:
    """Scroll by pixels and return milliseconds of each frame, its painting included."""
    bar = table.verticalScrollBar()

    def frame() -> None:
        bar.setValue(bar.value() + step)
        table.viewport().repaint()

    return [timed(frame) for _ in range(count)]


def main() -> int:
    """Print the table; return 1 when a budget is missed."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    apply_theme(app, derive(Scheme.LIGHT))
    slack = 2.0 if "--lenient" in sys.argv else 1.0
    model = RunTableModel(now=lambda: NOW)
    table = DataTable("runs", "Runs", model)
    table.resize(1200, 800)
    table.show()
    app.processEvents()
    screen = [run(n, partial=False) for n in range(SCREEN)]
    rest = [run(n, partial=True) for n in range(SCREEN, ROWS)]
    chunks = [rest[start : start + CHUNK] for start in range(0, len(rest), CHUNK)]
    found: list[tuple[str, float, float]] = []

    def first() -> None:
        model.set_rows(screen)
        table.viewport().repaint()

    found.append(("first screen (200 rows) to first paint", timed(first), 100))
    model.begin_index(ROWS)
    found.append(
        ("slowest chunk of the index (2,000 rows)", max(timed(lambda c=c: model.add_index(c)) for c in chunks), 50)
    )
    model.finish_index()
    app.processEvents()
    number = {column.id: place for place, column in enumerate(model.columns)}
    for name in ("gain", "target", "age"):
        took = min(timed(lambda n=name: model.sort(number[n], Qt.SortOrder.DescendingOrder)) for _ in range(3))
        found.append((f"sort by {name}", took, 100))
    found.append(("natural order again", timed(lambda: model.sort(-1)), 100))
    found.append(("search for words", timed(lambda: model.search("target-42 skill")), 50))
    found.append(("search ended", timed(lambda: model.search("")), 50))
    found.append(("filter by state", timed(lambda: model.set_states({"proposed"})), 50))
    found.append(("filter ended", timed(lambda: model.set_states(())), 50))
    table.viewport().repaint()
    found.append(("frame while scrolling, median", median(frames(table, 37)), 16))
    found.append(("frame after a leap, median", median(frames(table, 40_003, 20)), 33))
    found.append(("update of a running row", median(timed(lambda: model.update_row(screen[5])) for _ in range(50)), 5))
    QCoreApplication.processEvents()
    missed = 0
    print(f"{'what':<44}{'ms':>9}{'budget':>9}")
    for name, took, budget in found:
        late = took > budget * slack
        missed += late
        print(f"{name:<44}{took:>9.1f}{budget:>9.0f}{'  MISSED' if late else ''}")
    table.close()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
