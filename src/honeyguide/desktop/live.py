"""What changed in the workspace, told at most ten times a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace, WorkspaceEvent

EVERY_MS = 100
_PROGRESS = "run:progress"

Heard = Callable[[Sequence["WorkspaceEvent"]], None]


class Live(QObject):
    """Collects events and hands them on together; of a run's progress only the newest counts."""

    def __init__(self, workspace: Workspace, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._listeners: list[Heard] = []
        self._events: list[WorkspaceEvent] = []
        self._progress: dict[str, WorkspaceEvent] = {}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(EVERY_MS)
        self._timer.timeout.connect(self._tell)
        self._unsubscribe = workspace.subscribe(self._hear)

    def listen(self, heard: Heard) -> Callable[[], None]:
        """Call ``heard`` with what changed; returns what ends it."""
        self._listeners.append(heard)

        def stop() -> None:
            if heard in self._listeners:
                self._listeners.remove(heard)

        return stop

    def close(self) -> None:
        """Hear nothing any more."""
        self._unsubscribe()
        self._timer.stop()
        self._listeners.clear()

    def _hear(self, event: WorkspaceEvent) -> None:
        if event.kind == _PROGRESS:
            self._progress[event.subject] = event
        else:
            self._events.append(event)
        if not self._timer.isActive():
            self._timer.start()

    def _tell(self) -> None:
        events = [*self._progress.values(), *self._events]
        self._progress.clear()
        self._events.clear()
        for heard in tuple(self._listeners):
            heard(events)
