"""The main window: side bar, pages, menus made from the actions, messages. It knows no workspace by itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, Qt, Signal
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QMainWindow, QMenu, QStackedWidget, QVBoxLayout, QWidget

from honeyguide.desktop.actions import Action, Handler, Handlers, Menu, Reach, actions, menu_titles
from honeyguide.desktop.keys import KeyBindings, SingleKeys
from honeyguide.desktop.memory import Memory
from honeyguide.desktop.notify import Bars, Notifier
from honeyguide.desktop.pages.page import Page
from honeyguide.desktop.sidebar import Sidebar
from honeyguide.desktop.theme import use_icon, wear_theme
from honeyguide.desktop.widgets.labels import named
from honeyguide.desktop.widgets.states import StateView

SMALLEST = (960, 600)
USUAL = (1280, 800)
_ROLES = {
    "quit": QAction.MenuRole.QuitRole,
    "about": QAction.MenuRole.AboutRole,
    "preferences": QAction.MenuRole.PreferencesRole,
}

MakePage = Callable[[], Page]


class Window(QMainWindow):
    """Signals:
    close_wanted(): a person wants to close it; whoever owns the window decides.
    page_shown(name). files_dropped(list of Path): files or folders were dropped where no page took them.
    """

    close_wanted = Signal()
    page_shown = Signal(str)
    files_dropped = Signal(list)

    def __init__(self) -> None:
        super().__init__()
        named(self, "window", "Honeyguide")
        wear_theme(self)
        self.setWindowTitle("Honeyguide")
        self.setMinimumSize(*SMALLEST)
        self.setAcceptDrops(True)
        self.resize(*USUAL)
        self.memory = Memory(None, self)
        self._makers: dict[str, MakePage] = {}
        self._pages: dict[str, Page] = {}
        self._front = ""
        self._trail: list[str] = []
        self._handlers: dict[str, Handler] = {}
        self._actions = {action.id: action for action in actions()}
        self._qactions: dict[str, QAction] = {}
        self._may_close = False

        self.sidebar = Sidebar()
        self.bars = Bars()
        self.stack = QStackedWidget()
        self.stack.setObjectName("pages")
        self.waiting = StateView()
        self.stack.addWidget(self.waiting)
        right = QVBoxLayout()
        right.setContentsMargins(0, 0, 0, 0)
        right.setSpacing(0)
        right.addWidget(self.bars)
        right.addWidget(self.stack, 1)
        centre = QWidget()
        row = QHBoxLayout(centre)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.sidebar)
        row.addLayout(right, 1)
        self.setCentralWidget(centre)
        self.notify = Notifier(centre, self.bars)
        self.keys = KeyBindings(tuple(self._actions.values()), self.memory, self)
        self.single_keys = SingleKeys(self._actions.values(), self.keys, self.trigger, self)
        self._make_menus()
        self.keys.changed.connect(self._use_keys)
        self.sidebar.chosen.connect(lambda page: self.trigger(f"go-{page}"))
        self.sidebar.model_pressed.connect(lambda: self.trigger("connect-model"))
        self.say_waiting(self.tr("Opening the workspace…"))

    # --- before there is a workspace

    def say_waiting(self, title: str, text: str = "") -> None:
        """Show that something is on its way in place of the pages."""
        self.waiting.show_loading(title, text)
        self.stack.setCurrentWidget(self.waiting)
        self.sidebar.setEnabled(False)

    def show_alone(self, widget: QWidget) -> None:
        """Show a widget in place of the pages, e.g. the welcome before there is a workspace."""
        if self.stack.indexOf(widget) < 0:
            self.stack.addWidget(widget)
        self.stack.setCurrentWidget(widget)
        self._front = ""
        self.sidebar.show_page("")

    # --- pages

    def use_memory(self, memory: Memory) -> None:
        """Take geometry and keys from ``memory``, and put them there."""
        self.memory = memory
        self.keys.use_memory(memory)
        geometry = memory.text("geometry")
        if geometry:
            self.restoreGeometry(QByteArray.fromBase64(geometry.encode("ascii")))

    def set_pages(self, makers: dict[str, MakePage]) -> None:
        """Say how each page is made; each is made when it is first shown."""
        self._makers = dict(makers)
        self.sidebar.setEnabled(True)

    def page_names(self) -> tuple[str, ...]:
        """Return the names of the pages there are."""
        return tuple(self._makers)

    def drop_pages(self) -> None:
        """Take every page away, with what it was doing."""
        for page in self._pages.values():
            page.leave_for_good()
            self.stack.removeWidget(page)
            page.deleteLater()
        self._pages, self._makers, self._front, self._trail = {}, {}, "", []

    def page(self, name: str) -> Page:
        """Return a page; made now if it was not."""
        known = self._pages.get(name)
        if known is None:
            known = self._makers[name]()
            known.actions_changed.connect(self._on_actions_changed)
            self._pages[name] = known
            self.stack.addWidget(known)
        return known

    def show_page(self, name: str, item: object = None) -> None:
        """Bring a page to the front, and one thing on it."""
        if name not in self._makers:
            return
        page = self.page(name)
        if self._front and self._front != name:
            self._trail = [*self._trail[-20:], self._front]
        self._front = name
        self.stack.setCurrentWidget(page)
        self.sidebar.show_page(name)
        self.memory.set("page", name)
        page.enter()
        if item is not None:
            page.show_item(item)
        page.first_focus().setFocus(Qt.FocusReason.OtherFocusReason)
        self.page_shown.emit(name)

    def go_back(self) -> None:
        """Show the page before."""
        while self._trail:
            name = self._trail.pop()
            if name in self._makers:
                self.show_page(name)
                self._trail.pop()
                return

    @property
    def can_go_back(self) -> bool:
        """Whether there is a page before."""
        return bool(self._trail)

    @property
    def front(self) -> str:
        """The name of the page in front; empty for none."""
        return self._front

    # --- actions

    def set_handlers(self, handlers: Handlers) -> None:
        """Say what carries out the actions of the window."""
        self._handlers.update(handlers)

    def actions_known(self) -> tuple[Action, ...]:
        """Return every action."""
        return tuple(self._actions.values())

    def qaction(self, name: str) -> QAction:
        """Return the entry of an action, as menus hold it."""
        return self._qactions[name]

    def handler(self, name: str) -> Handler | None:
        """Return what would carry an action out now."""
        action = self._actions[name]
        if action.reach is Reach.PAGE:
            page = self._pages.get(self._front)
            return page.handlers().get(name) if page is not None else None
        return self._handlers.get(name)

    def reason_against(self, name: str) -> str:
        """Return why an action cannot be done now; empty when it can."""
        handler = self.handler(name)
        if handler is None:
            return self.tr("There is nothing here that this applies to.")
        return handler.off()

    def trigger(self, name: str) -> bool:
        """Carry an action out, or say why not; says whether it was."""
        handler = self.handler(name)
        reason = self.reason_against(name)
        if handler is None or reason:
            self.notify.note(f"{self._actions[name].title.rstrip('…')}: {reason}")
            return False
        handler.do()
        return True

    # --- closing

    def close_now(self) -> None:
        """Close without asking."""
        self.memory.set("geometry", bytes(self.saveGeometry().toBase64().data()).decode("ascii"))
        self.memory.save()
        self._may_close = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
            return
        event.ignore()
        self.close_wanted.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self._makers and any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self.update()
        super().changeEvent(event)

    # --- inside

    def _make_menus(self) -> None:
        bar = self.menuBar()
        bar.setObjectName("menu-bar")
        for menu_id, title in menu_titles().items():
            menu = QMenu(title, self)
            menu.setObjectName(f"menu-{menu_id.value}")
            menu.setToolTipsVisible(True)
            self._fill(menu, menu_id)
            menu.aboutToShow.connect(partial(self._judge, menu_id))
            menu.aboutToHide.connect(partial(self._free, menu_id))
            bar.addMenu(menu)
        self._use_keys()

    def _fill(self, menu: QMenu, menu_id: Menu) -> None:
        group: int | None = None
        for action in self._actions.values():
            if action.menu is not menu_id:
                continue
            if group is not None and action.group != group:
                menu.addSeparator()
            group = action.group
            entry = QAction(action.title, self)
            entry.setObjectName(f"action-{action.id}")
            entry.setCheckable(action.checkable)
            entry.setMenuRole(_ROLES.get(action.role, QAction.MenuRole.NoRole))
            if action.icon:
                use_icon(entry, action.icon)
            entry.triggered.connect(partial(self._on_entry, action.id))
            self._qactions[action.id] = entry
            menu.addAction(entry)
            self.addAction(entry)

    def _on_entry(self, name: str, _checked: bool = False) -> None:
        self.trigger(name)
        self._judge_one(name)
        self._qactions[name].setEnabled(True)

    def _use_keys(self) -> None:
        for name, entry in self._qactions.items():
            entry.setShortcuts([QKeySequence(key) for key in self.keys.keys(name)])
            single = self.keys.single(name)
            if single and not self.keys.keys(name):
                entry.setText(f"{self._actions[name].title}\t{single}")

    def _judge(self, menu: Menu) -> None:
        for name, action in self._actions.items():
            if action.menu is menu:
                self._judge_one(name)

    def _judge_one(self, name: str) -> None:
        entry, action = self._qactions[name], self._actions[name]
        reason = self.reason_against(name)
        entry.setEnabled(not reason)
        entry.setToolTip(reason or action.about or action.title)
        handler = self.handler(name)
        if action.checkable:
            entry.setChecked(bool(handler and handler.on and handler.on()))
        words = handler.words() if handler is not None else ""
        single = self.keys.single(name)
        tail = f"\t{single}" if single and not self.keys.keys(name) else ""
        entry.setText(f"{words or action.title}{tail}")

    def _free(self, menu: Menu) -> None:
        """Outside of menus every entry is on, so that its key can say why it cannot be done."""
        for name, action in self._actions.items():
            if action.menu is menu:
                self._qactions[name].setEnabled(True)

    def _on_actions_changed(self) -> None:
        for name, action in self._actions.items():
            if action.checkable and action.reach is Reach.PAGE:
                handler = self.handler(name)
                self._qactions[name].setChecked(bool(handler and handler.on and handler.on()))
