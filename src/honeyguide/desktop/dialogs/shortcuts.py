"""All keys on one sheet; any of them can be changed, a key that is taken is said, and everything can be reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QKeySequenceEdit, QTreeWidget, QTreeWidgetItem

from honeyguide.desktop.actions import menu_titles
from honeyguide.desktop.dialogs.dialog import Dialog
from honeyguide.desktop.theme import Metrics, Role
from honeyguide.desktop.widgets.buttons import Button, Look
from honeyguide.desktop.widgets.hint_bar import HintBar, Severity
from honeyguide.desktop.widgets.labels import PlainLabel, named
from honeyguide.desktop.widgets.search_field import SearchField

if TYPE_CHECKING:
    from honeyguide.desktop.window import Window

ID_ROLE = int(Qt.ItemDataRole.UserRole)


class ShortcutsDialog(Dialog):
    """A change holds at once."""

    def __init__(self, window: Window) -> None:
        super().__init__("shortcuts-dialog", window.tr("All keys"), window, wide=104, high=36)
        self._window = window
        self._keys = window.keys
        self._items: dict[str, QTreeWidgetItem] = {}
        self.add_text(
            self.tr("Single letters work while a list or a text under review has the focus, never while you type."),
            Role.TEXT_2,
        )
        self._search = SearchField("shortcuts-search", self.tr("Search actions and keys"))
        self.body.addWidget(self._search)
        self._tree = named(QTreeWidget(), "shortcuts-tree", self.tr("Actions and their keys"))
        self._tree.setHeaderLabels([self.tr("Action"), self.tr("Shortcut"), self.tr("In lists")])
        self._tree.setUniformRowHeights(True)
        self.body.addWidget(self._tree, 1)
        self._edit = named(QKeySequenceEdit(), "shortcuts-edit", self.tr("New key"))
        self._edit.setMaximumSequenceLength(1)
        self._edit.setMinimumWidth(Metrics.characters(32))
        self._edit.setClearButtonEnabled(True)
        self._use = Button(self.tr("Use this key"), "shortcuts-use")
        self._none = Button(self.tr("No key"), "shortcuts-none")
        self._usual = Button(self.tr("Usual key"), "shortcuts-usual")
        row = QHBoxLayout()
        row.setSpacing(Metrics.GAP)
        row.addWidget(PlainLabel(self.tr("New key"), role=Role.TEXT_2, wrap=False))
        row.addWidget(self._edit, 1)
        for button in (self._use, self._none, self._usual):
            row.addWidget(button)
        self.body.addLayout(row)
        self._hint = HintBar("", Severity.WARN, closable=False, name="shortcuts-hint")
        self.body.addWidget(self._hint)
        reset = self.add_button(self.tr("Reset all"), "shortcuts-reset", left=True)
        reset.clicked.connect(lambda: self._keys.reset())
        close = self.add_button(self.tr("Close"), "shortcuts-close", look=Look.PRIMARY)
        close.clicked.connect(self.accept)
        self._search.searched.connect(lambda _: self._fill())
        self._search.left_down.connect(self._tree.setFocus)
        self._tree.currentItemChanged.connect(lambda *_: self._on_current())
        self._edit.keySequenceChanged.connect(lambda _: self._judge())
        self._use.clicked.connect(self._on_use)
        self._none.clicked.connect(lambda: self._set(""))
        self._usual.clicked.connect(lambda: self._keys.reset(self._current()))
        self._keys.changed.connect(self._fill)
        self.finished.connect(lambda _: self._keys.changed.disconnect(self._fill))
        self._fill()
        self._search.setFocus()

    def choose(self, name: str) -> None:
        """Choose an action."""
        item = self._items.get(name)
        if item is not None:
            self._tree.setCurrentItem(item)

    def _fill(self) -> None:
        chosen = self._current()
        words = self._search.text().casefold().split()
        native = QKeySequence.SequenceFormat.NativeText
        self._items = {}
        self._tree.clear()
        for menu, title in menu_titles().items():
            group = QTreeWidgetItem([title.replace("&", "")])
            group.setFlags(Qt.ItemFlag.ItemIsEnabled)
            for action in self._window.actions_known():
                if action.menu is not menu:
                    continue
                keys = ", ".join(QKeySequence(key).toString(native) for key in self._keys.keys(action.id))
                single = self._keys.single(action.id)
                said = action.title.rstrip("…")
                if not all(word in f"{said} {keys} {single}".casefold() for word in words):
                    continue
                item = QTreeWidgetItem([said, keys, single])
                item.setData(0, ID_ROLE, action.id)
                if self._keys.is_changed(action.id):
                    item.setText(0, self.tr("{action} (changed)").format(action=said))
                group.addChild(item)
                self._items[action.id] = item
            if group.childCount():
                self._tree.addTopLevelItem(group)
        self._tree.expandAll()
        self._tree.setColumnWidth(0, Metrics.characters(52))
        self._tree.setColumnWidth(1, Metrics.characters(28))
        if chosen:
            self.choose(chosen)
        self._on_current()

    def _current(self) -> str:
        item = self._tree.currentItem()
        return str(item.data(0, ID_ROLE) or "") if item is not None else ""

    def _on_current(self) -> None:
        name = self._current()
        reason = self.tr("Choose an action first.")
        self._edit.setEnabled(bool(name))
        self._none.set_allowed(bool(name), reason)
        self._usual.set_allowed(
            bool(name) and self._keys.is_changed(name), self.tr("It has its usual key.") if name else reason
        )
        self._edit.clear()
        self._judge()

    def _judge(self) -> None:
        key = self._key()
        taken = self._keys.owner(key, besides=self._current()) if key else None
        said = ""
        if taken is not None:
            title = next(a.title for a in self._window.actions_known() if a.id == taken).rstrip("…")
            said = self.tr("This key already does: {action}.").format(action=title)
        self._hint.show_hint(said, Severity.WARN)
        self._use.set_allowed(bool(key) and taken is None, said or self.tr("Press a key in the field first."))

    def _key(self) -> str:
        return self._edit.keySequence().toString(QKeySequence.SequenceFormat.PortableText)

    def _on_use(self) -> None:
        self._set(self._key())

    def _set(self, key: str) -> None:
        name = self._current()
        if name:
            self._keys.set_key(name, key)
