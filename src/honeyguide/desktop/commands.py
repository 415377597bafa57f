"""What carries out the actions of the window itself: new runs, imports, settings, the palette, the sheet of keys."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QApplication, QDialog, QLineEdit, QPlainTextEdit, QTextEdit

from honeyguide.desktop.actions import Handler, Handlers, page_titles
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_files, ask_folder
from honeyguide.desktop.notify import Step
from honeyguide.desktop.said import said_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.tour import Tour
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from collections.abc import Callable

    from honeyguide.desktop.window import Window


class Commands:
    """Made anew for each workspace that the window opens."""

    def __init__(
        self,
        desk: Desk,
        window: Window,
        theme: ThemeSwitch,
        switch_to: Callable[[Path], None],
        quit_: Callable[[], None],
    ) -> None:
        self._desk = desk
        self._window = window
        self._theme = theme
        self._switch_to = switch_to
        self._quit = quit_
        self._tasks: TaskScope = desk.tasks.child("commands")
        self._tr = window.tr
        self.tour = Tour(desk, window)

    def handlers(self) -> Handlers:
        """Return what carries out every action of the window."""
        window, start = self._window, self._start
        return {
            "new-run": Handler(lambda: start(self.new_run(), "new run")),
            "import-traces": Handler(lambda: start(self._import(), "import")),
            "add-target": Handler(lambda: start(self._add_target(), "add a target")),
            "find-agents": Handler(lambda: start(self.find_agents(), "find agents")),
            "open-workspace": Handler(lambda: start(self._open(), "open a workspace")),
            "recent-workspace": Handler(lambda: start(self._open_recent(), "open a recent workspace")),
            "open-review": Handler(lambda: start(self._open_review(), "open a review")),
            "settings": Handler(lambda: window.show_page("settings")),
            "quit": Handler(self._quit),
            "undo": Handler(lambda: self._edit("undo"), lambda: self._against_edit("undo"), words=self._undo_words),
            "redo": Handler(lambda: self._edit("redo"), lambda: self._against_edit("redo"), words=self._redo_words),
            "copy": Handler(self._copy),
            **{f"theme-{choice}": Handler(partial(self._set_theme, choice), on=partial(self._is_theme, choice))
               for choice in ThemeChoice},
            "full-screen": Handler(self._full_screen, on=window.isFullScreen),
            **{f"go-{page}": Handler(partial(window.show_page, page)) for page in page_titles()},
            "back": Handler(window.go_back, lambda: "" if window.can_go_back else self._tr("There is no page before.")),
            "next-waiting": Handler(lambda: start(self._next_waiting(), "next proposal")),
            "welcome": Handler(lambda: start(self._welcome(), "welcome")),
            "connect-model": Handler(lambda: start(self._connect_model(), "connect a model")),
            "judge-exam": Handler(lambda: start(self._judge_exam(), "judge exam")),
            "palette": Handler(lambda: start(self._palette(), "palette")),
            "shortcuts": Handler(lambda: start(self._shortcuts(), "all keys")),
            "tour": Handler(lambda: start(self.tour.begin(), "tour"), self.tour.reason_against),
            "doctor": Handler(lambda: start(self._doctor(), "doctor")),
            "log": Handler(self._log),
            "reports": Handler(self._reports),
            "check-updates": Handler(lambda: start(self._check_updates(), "check for updates")),
            "about": Handler(lambda: start(self._about(), "about")),
        }  # fmt: skip

    def go(self, page: str, item: object = None) -> None:
        """Show a page with one thing on it; ``new-run`` opens the dialog for a target."""
        if page == "new-run":
            self._start(self.new_run(str(item or "")), "new run")
        else:
            self._window.show_page(page, item)

    async def new_run(self, target: str = "") -> None:
        """Ask for a new run and follow it; afterwards its result stands in the inbox."""
        from honeyguide.desktop.dialogs.new_run import NewRunDialog

        dialog = NewRunDialog(self._desk, self._tasks, self._window, target=target)
        shown = await dialog.ask()
        uuid = dialog.started
        if uuid is None:
            return
        if shown and dialog.show_it:
            self._window.show_page("inbox", uuid)
        elif uuid in self._desk.workspace.active_runs():
            step = Step(self._tr("View"), lambda: self._window.show_page("inbox", uuid))
            self._desk.notify.note(self._tr("The run goes on; its result will stand in the inbox."), step)

    # --- inside

    def _start(self, work: Any, name: str) -> None:
        self._tasks.start(work, name)

    async def _import(self) -> None:
        files = await ask_files(self._window, self._tr("Import history"))
        if files:
            self._window.show_page("traces", files)

    async def _add_target(self) -> None:
        files = await ask_files(self._window, self._tr("Add a file as target"))
        added = [await self._desk.workspace.add_target(path) for path in files]
        if added:
            names = ", ".join(row.ref.name for row in added)
            self._desk.notify.info(self._tr("Added: {names}").format(names=names))
            self._window.show_page("targets", str(added[0].ref))
            self._window.page("targets").read_again()

    async def _open_review(self) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        from honeyguide.workspace import review_page

        for file in await ask_files(self._window, self._tr("Open a review")):
            page = await asyncio.to_thread(review_page, file)
            if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(page))):
                self._desk.notify.note(self._tr("No browser was found. The page is at {path}").format(path=page))

    async def find_agents(self, folder: Path | None = None) -> None:
        """Look for agents in the usual places, or in one folder, and add those that a person ticks."""
        from honeyguide.desktop.dialogs.find_agents import FindAgentsDialog

        await FindAgentsDialog(self._desk, self._tasks, self._window, folder=folder).ask()

    async def _open(self) -> None:
        folder = await ask_folder(self._window, self._tr("Open another workspace"), self._desk.workspace.path.parent)
        if folder is not None and folder != self._desk.workspace.path:
            self._switch_to(folder)

    async def _open_recent(self) -> None:
        from honeyguide.desktop.dialogs.small import ChoiceDialog
        from honeyguide.workspace import Workspace

        here, tr = self._desk.workspace.path.absolute(), self._tr
        others = [path for path in await asyncio.to_thread(Workspace.recently_opened) if path != here]
        if not others:
            self._desk.notify.note(tr("No other workspace was opened lately."))
            return
        dialog = ChoiceDialog(
            "recent-workspaces",
            tr("Open a recent workspace"),
            tr("Workspace"),
            [(f"{path.name}   {path.parent}", str(path)) for path in others],
            tr("Open"),
            self._window,
        )
        if await dialog.ask():
            self._switch_to(Path(dialog.chosen()))

    def _undo_words(self) -> str:
        name = "" if self._text_with_focus() is not None else self._desk.undo.undo_name
        return self._tr("Undo: {change}").format(change=name) if name else ""

    def _redo_words(self) -> str:
        name = "" if self._text_with_focus() is not None else self._desk.undo.redo_name
        return self._tr("Redo: {change}").format(change=name) if name else ""

    def _text_with_focus(self) -> QLineEdit | QPlainTextEdit | QTextEdit | None:
        focus = QApplication.focusWidget()
        is_text = isinstance(focus, QLineEdit | QPlainTextEdit | QTextEdit) and not focus.isReadOnly()
        return focus if is_text else None  # type: ignore[return-value]

    def _edit(self, what: str) -> None:
        text = self._text_with_focus()
        if text is not None:
            getattr(text, what)()
        else:
            getattr(self._desk.undo, what)()

    def _against_edit(self, what: str) -> str:
        if self._text_with_focus() is not None or getattr(self._desk.undo, f"{what}_name"):
            return ""
        if what == "undo":
            return self._tr("There is nothing to undo. A deploy is taken back by Roll back.")
        return self._tr("There is nothing to redo.")

    def _copy(self) -> None:
        focus = QApplication.focusWidget()
        for name in ("copy_rows", "copy"):
            if hasattr(focus, name):
                getattr(focus, name)()
                return

    def _set_theme(self, choice: ThemeChoice) -> None:
        self._theme.set_choice(choice)
        self._desk.memory.set("theme", choice.value)
        self._start(self._desk.workspace.set_setting("window.theme", choice.value), "keep the appearance")

    def _is_theme(self, choice: ThemeChoice) -> bool:
        return self._theme.choice is choice

    def _full_screen(self) -> None:
        if self._window.isFullScreen():
            self._window.showNormal()
        else:
            self._window.showFullScreen()

    async def _next_waiting(self) -> None:
        from honeyguide.workspace import RunFilter

        page = await self._desk.workspace.run_rows(RunFilter(status=("proposed",), limit=1))
        if page.items:
            self._window.show_page("inbox", page.items[0].uuid)
        else:
            self._desk.notify.note(self._tr("Nothing waits for you."))

    async def _welcome(self) -> None:
        from honeyguide.desktop.dialogs.welcome import WelcomeDialog

        dialog = WelcomeDialog(self._window)
        if not await dialog.ask():
            return
        if dialog.chosen == "agents":
            await self.find_agents()
        elif dialog.chosen == "folder":
            await self._open()

    async def _connect_model(self) -> None:
        from honeyguide.desktop.dialogs.connect_model import ConnectModelDialog

        dialog = ConnectModelDialog(self._desk, self._tasks, self._window)
        await dialog.ask()

    async def _palette(self) -> None:
        from honeyguide.desktop.dialogs.palette import Palette
        from honeyguide.desktop.places_to_go import places_to_go

        palette = Palette(self._window, await places_to_go(self._desk.workspace))
        if not await palette.ask():
            return
        if palette.place is not None:
            self._window.show_page(palette.place.page, palette.place.item)
        elif palette.chosen:
            self._window.trigger(palette.chosen)

    async def _shortcuts(self) -> None:
        from honeyguide.desktop.dialogs.shortcuts import ShortcutsDialog

        await ShortcutsDialog(self._window).ask()

    async def _judge_exam(self) -> None:
        from honeyguide.desktop.dialogs.exam import ExamDialog

        await ExamDialog(self._desk, self._tasks, self._window).ask()

    async def _doctor(self) -> None:
        from honeyguide.desktop.dialogs.doctor import DoctorDialog

        await DoctorDialog(self._desk, self._tasks, self._window).ask()

    def _log(self) -> None:
        """Show the log beside the window; one that stands already comes forward."""
        from honeyguide.desktop.dialogs.log_window import LogWindow
        from honeyguide.desktop.memory import state_folder

        standing = (log for log in self._window.findChildren(LogWindow) if log.isVisible())
        log = next(standing, None) or LogWindow(self._desk, self._tasks, self._window, state_folder())
        log.show()
        log.raise_()
        log.activateWindow()

    def close(self) -> None:
        """Close what stands beside the window."""
        for beside in self._window.findChildren(QDialog, "log-window"):
            beside.close()

    def _reports(self) -> None:
        from PySide6.QtCore import QUrl
        from PySide6.QtGui import QDesktopServices

        from honeyguide.desktop.memory import state_folder

        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            self._desk.notify.note(self._tr("Reports are in {folder}.").format(folder=folder))

    async def _check_updates(self) -> None:
        try:
            found = await self._desk.workspace.check_for_updates()
        except HoneyguideError as error:
            self._desk.notify.warn("updates", said_of(error))
            return
        if found.is_newer:
            said = self._tr("Version {newest} is there; this is {current}. Get it from {place}.")
        else:
            said = self._tr("This is the newest version, {current}.")
        self._desk.notify.note(said.format(newest=found.newest, current=found.current, place=found.notes_url))

    async def _about(self) -> None:
        from honeyguide.desktop.dialogs.about import AboutDialog

        await AboutDialog(self._desk, self._window).ask()
