"""What can be taken back by Ctrl+Z besides typing: changes to lists, each with its name and its way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

MOST = 50


@dataclass(frozen=True, slots=True)
class Undoable:
    """One change: what it is called ("Dismiss correction 12"), how it is taken back and done again."""

    name: str
    undo: Callable[[], None]
    redo: Callable[[], None]


class UndoList(QObject):
    """Signals:
    changed(): something else can be taken back or done again.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._done: list[Undoable] = []
        self._undone: list[Undoable] = []

    def add(self, change: Undoable) -> None:
        """Note a change that was just made."""
        self._done = [*self._done[-(MOST - 1) :], change]
        self._undone.clear()
        self.changed.emit()

    @property
    def undo_name(self) -> str:
        """What would be taken back; empty for nothing."""
        return self._done[-1].name if self._done else ""

    @property
    def redo_name(self) -> str:
        """What would be done again; empty for nothing."""
        return self._undone[-1].name if self._undone else ""

    def undo(self) -> bool:
        """Take the last change back; says whether there was one."""
        if not self._done:
            return False
        change = self._done.pop()
        self._undone.append(change)
        change.undo()
        self.changed.emit()
        return True

    def redo(self) -> bool:
        """Do it again; says whether there was something."""
        if not self._undone:
            return False
        change = self._undone.pop()
        self._done.append(change)
        change.redo()
        self.changed.emit()
        return True
