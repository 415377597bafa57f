"""How long the diff view takes to show a comparison and to scroll in it, off screen.

Run: ``python benchmarks/diff_view.py``; exits 1 when a budget is missed (twice the budget on a busy machine is
allowed with ``--lenient``). The comparison itself is measured by ``benchmarks/diff.py``.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parent))

from diff import everywhere_rewritten, lightly_edited, prose, rewritten  # type: ignore[import-not-found]
from PySide6.QtWidgets import QApplication

from honeyguide.desktop.theme import Scheme, apply_theme, derive
from honeyguide.desktop.widgets.diff import DiffView
from honeyguide.versions.diff import Row, compare, rows_of

FIRST_MS, FRAME_MS = 100.0, 16.0
"""Budgets: until the first paint is done, and for the median frame while scrolling."""
STEPS = 60


def _pair(lines: list[str], edit: Callable[[list[str]], list[str]]) -> Sequence[Row]:
    return rows_of(compare("".join(lines), "".join(edit(lines))))


def _one_line(characters: int) -> Sequence[Row]:
    lines = prose(characters, 320)
    before = " ".join(line.strip() for line in lines)
    return rows_of(compare(before, " ".join(line.strip() for line in everywhere_rewritten(lines))))


CASES: list[tuple[str, Callable[[], Sequence[Row]]]] = [
    ("4 KB, light", lambda: _pair(prose(4_000, 320), lightly_edited)),
    ("4 KB, every line rewritten", lambda: _pair(prose(4_000, 320), everywhere_rewritten)),
    ("15 KB, every line rewritten", lambda: _pair(prose(15_000, 320), everywhere_rewritten)),
    ("1 MB of paragraphs, light", lambda: _pair(prose(1_000_000, 320), lightly_edited)),
    ("1 MB, a third rewritten", lambda: _pair(prose(1_000_000, 320), rewritten)),
    ("1 MB of short lines, a third rewritten", lambda: _pair(prose(1_000_000, 60), rewritten)),
    ("one line of 1 MB, rewritten", lambda: _one_line(1_000_000)),
]


def measure(view: DiffView, rows: Sequence[Row]) -> tuple[float, float, float]:
    """Return milliseconds until the first paint, of the median and of the slowest frame while scrolling."""
    start = time.perf_counter()
    view.set_rows(rows)
    view.grab()
    first = (time.perf_counter() - start) * 1000
    bar = view.verticalScrollBar()
    frames: list[float] = []
    for _ in range(STEPS):
        start = time.perf_counter()
        bar.setValue(bar.value() + 53)
        view.grab()
        frames.append((time.perf_counter() - start) * 1000)
    return first, median(frames), max(frames)


def main() -> int:
    """Print the table; return 1 when a budget is missed."""
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    apply_theme(app, derive(Scheme.LIGHT))
    slack = 2.0 if "--lenient" in sys.argv else 1.0
    view = DiffView()
    view.resize(1200, 760)
    view.show()
    view.set_rows(_pair(prose(4_000, 320), lightly_edited))
    view.grab()
    missed = 0
    print(f"budgets: first paint {FIRST_MS:.0f} ms, frame {FRAME_MS:.0f} ms")
    print(f"{'case':<42}{'rows':>8}{'first ms':>10}{'frame ms':>10}{'slowest':>9}")
    for name, make in CASES:
        rows = make()
        first, frame, slowest = (min(values) for values in zip(*(measure(view, rows) for _ in range(3)), strict=True))
        late = first > FIRST_MS * slack or frame > FRAME_MS * slack
        missed += late
        print(f"{name:<42}{len(rows):>8}{first:>10.1f}{frame:>10.1f}{slowest:>9.1f}{'  MISSED' if late else ''}")
    view.close()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
