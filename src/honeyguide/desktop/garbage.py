"""Garbage is collected on the window's thread only.

Python collects cycles on whichever thread happens to allocate. A cycle that holds a Qt object would then be destroyed
on a worker thread, its timers would stay registered, and the next one to fire would crash the program.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

EVERY_MS = 500


class MainThreadCollector(QObject):
    """Takes over collecting while the window lives: the usual thresholds, looked at twice a second."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thresholds = gc.get_threshold()
        self._timer = QTimer(self)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self.look)

    def begin(self) -> None:
        """Take over."""
        gc.disable()
        self._timer.start()

    def set_aside(self) -> None:
        """Look no more at what was made so far: modules and classes stay for good, and there are many of them.

        Nothing is collected before: that would stop the window for longer than it ever should.
        """
        gc.freeze()

    def end(self) -> None:
        """Collect once more. Collecting stays off: workers may still be busy while the program ends."""
        self._timer.stop()
        gc.unfreeze()
        gc.collect()

    def look(self) -> int | None:
        """Collect what is due, as Python itself would; return the generation that was, ``None`` for none."""
        counts = gc.get_count()
        for generation in (2, 1, 0):
            if counts[generation] > self._thresholds[generation]:
                gc.collect(generation)
                return generation
        return None
