"""What a page works with: the workspace, its tasks, its memory, messages, and the way to other pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from honeyguide.desktop.live import Live
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.notify import Notifier
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.undo import UndoList

if TYPE_CHECKING:
    from honeyguide.workspace import Origin, Workspace


@dataclass(slots=True)
class Desk:
    """Handed to every page; a page makes a child of ``tasks`` for itself.

    Attributes:
        window: parent of dialogs.
        go: shows a page; the second argument says what on it, e.g. a run's id.
        do: carries out an action of the window by its id.
        fail: shows an error as a dialog, or as a report when nobody foresaw it.
        underway: names of paid work of pages that a close would stop; it is asked about, as runs are.
    """

    workspace: Workspace
    origin: Origin
    tasks: TaskScope
    memory: Memory
    notify: Notifier
    live: Live
    undo: UndoList
    window: QWidget
    go: Callable[[str, object], None]
    do: Callable[[str], object]
    fail: Callable[[BaseException, str], None]
    underway: list[str] = field(default_factory=list)
