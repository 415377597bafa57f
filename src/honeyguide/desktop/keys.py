"""The keys of actions, as a person changed them; and single keys, which work only where letters are not typed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from honeyguide.desktop.actions import Action
from honeyguide.desktop.memory import Memory

_MEMORY = "keys"


class KeyBindings(QObject):
    """Which keys each action has.

    Signals:
        changed()
    """

    changed = Signal()

    def __init__(self, actions: Sequence[Action], memory: Memory, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._actions = {action.id: action for action in actions}
        self._memory = memory

    def use_memory(self, memory: Memory) -> None:
        """Take the keys from another memory."""
        self._memory = memory
        self.changed.emit()

    def keys(self, name: str) -> tuple[str, ...]:
        """Return the key sequences of an action that work in the whole window."""
        changed = self._changed(name).get("keys")
        return tuple(changed) if isinstance(changed, list) else self._actions[name].keys

    def single(self, name: str) -> str:
        """Return the single key of an action; empty for none."""
        changed = self._changed(name).get("single")
        return changed if isinstance(changed, str) else self._actions[name].single

    def shown(self, name: str) -> str:
        """Return the first key of an action as the platform writes it; empty for none."""
        keys = (*self.keys(name), self.single(name))
        first = next((key for key in keys if key), "")
        return QKeySequence(first).toString(QKeySequence.SequenceFormat.NativeText) if first else ""

    def is_changed(self, name: str) -> bool:
        """Say whether a person changed them."""
        return bool(self._changed(name))

    def owner(self, key: str, *, besides: str = "") -> str | None:
        """Return the action that has ``key`` already, if any."""
        wanted = QKeySequence(key)
        page = self._actions[besides].page if besides else ""
        for name, action in self._actions.items():
            if action.page and page and action.page != page:
                continue
            if name != besides and any(QKeySequence(k) == wanted for k in (*self.keys(name), self.single(name)) if k):
                return name
        return None

    def set_key(self, name: str, key: str) -> None:
        """Give an action another key: one letter or sign counts as its single key, anything else works everywhere."""
        table = self._memory.table(_MEMORY)
        entry: dict[str, Any] = dict(table.get(name) or {})
        if self._actions[name].single and (not key or is_single(key)):
            entry["single"] = key
        else:
            entry["keys"] = [key] if key else []
        table[name] = entry
        self._memory.set(_MEMORY, table)
        self.changed.emit()

    def reset(self, name: str | None = None) -> None:
        """Give one action, or all of them, their usual keys."""
        table = {} if name is None else self._memory.table(_MEMORY)
        table.pop(name or "", None)
        self._memory.set(_MEMORY, table or None)
        self.changed.emit()

    def _changed(self, name: str) -> Mapping[str, Any]:
        entry = self._memory.table(_MEMORY).get(name)
        return entry if isinstance(entry, dict) else {}


class SingleKeys(QObject):
    """Single keys on lists and on texts under review; they never act while something is being typed."""

    def __init__(
        self,
        actions: Iterable[Action],
        bindings: KeyBindings,
        trigger: Callable[[str], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._actions = [action for action in actions if action.single]
        self._bindings = bindings
        self._trigger = trigger
        self._enabled = True
        self._widgets: WeakKeyDictionary[QWidget, str] = WeakKeyDictionary()
        bindings.changed.connect(self._renew)

    def attach(self, *widgets: QWidget, page: str = "") -> None:
        """Let single keys work while one of these has the focus; those of ``page`` go before others."""
        for widget in widgets:
            if widget not in self._widgets:
                self._widgets[widget] = page
                self._put(widget)

    def set_enabled(self, enabled: bool) -> None:
        """Switch them all on or off."""
        self._enabled = enabled
        self._renew()

    def _renew(self) -> None:
        """Make the keys anew; a widget of a workspace that was left may be gone while its Python half still waits."""
        for widget in tuple(self._widgets):
            if isValid(widget):
                self._put(widget)
            else:
                del self._widgets[widget]

    def _put(self, widget: QWidget) -> None:
        for old in widget.findChildren(_Single, options=Qt.FindChildOption.FindDirectChildrenOnly):
            old.setEnabled(False)
            old.deleteLater()
        if not self._enabled:
            return
        page = self._widgets[widget]
        fitting = [action for action in self._actions if action.page in ("", page)]
        taken: dict[str, str] = {}
        for action in sorted(fitting, key=lambda action: not action.page):
            key = self._bindings.single(action.id)
            if key:
                taken.setdefault(key, action.id)
        for key, name in taken.items():
            shortcut = _Single(QKeySequence(key), widget)
            shortcut.setContext(Qt.ShortcutContext.WidgetShortcut)
            shortcut.activated.connect(lambda action=name: self._trigger(action))


class _Single(QShortcut):
    """One of ours, to be told from others."""


def is_single(key: str) -> bool:
    """Say whether a key sequence is one key without Ctrl, Alt or Meta, as a letter or a digit is."""
    return bool(key) and len(key) == 1
