"""The life of the window: import what is heavy in a thread, open the workspace, serve it, close in order."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtWidgets import QApplication

from honeyguide.desktop import endings
from honeyguide.desktop.ahead import at_rest, import_first, import_rest
from honeyguide.desktop.crash import CrashKeeper
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.small import ConfirmDialog
from honeyguide.desktop.failures import Failures
from honeyguide.desktop.garbage import MainThreadCollector
from honeyguide.desktop.live import Live
from honeyguide.desktop.memory import Memory, memory_file
from honeyguide.desktop.opening import Opening
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import ThemeChoice, ThemeSwitch
from honeyguide.desktop.theme.motion import set_reduced_motion
from honeyguide.desktop.theme.roles import CHANGE_COLOURS
from honeyguide.desktop.tray import Tray
from honeyguide.desktop.undo import UndoList
from honeyguide.desktop.update_news import tell_of_update
from honeyguide.desktop.widgets.hint_bar import Severity
from honeyguide.desktop.window import Window
from honeyguide.kernel.errors import HoneyguideError

if TYPE_CHECKING:
    from honeyguide.desktop.commands import Commands
    from honeyguide.workspace import Workspace, WorkspaceEvent

_log = logging.getLogger(__name__)
SAMPLE_TARGET = "persona-system-prompt:support"


class Application(QObject):
    """Owns the window and, one after the other, the workspaces it shows.

    Attributes:
        desk: what pages work with, while a workspace is open.
        is_for_a_person: whether somebody works in it; pictures and the smoke run change no one's next start.
    """

    def __init__(self, app: QApplication, path: Path, window: Window, theme: ThemeSwitch) -> None:
        super().__init__(app)
        self.app = app
        self.window = window
        self.theme = theme
        self._failures = Failures(window)
        self.desk: Desk | None = None
        self.is_for_a_person = True
        self.keeper: CrashKeeper | None = None
        self.ready = asyncio.Event()
        self._path = path
        self._leave: asyncio.Future[Path | None] | None = None
        self._tasks = TaskScope(self.fail, "window")
        self._commands: Commands | None = None
        self._sample_run = ""
        self._is_asking = False
        self._handed: list[Path] = []
        self._keeping: asyncio.Task[None] | None = None
        self._collector = MainThreadCollector(self)
        self.tray = Tray(window)
        self.tray.window_wanted.connect(self.come_forward)
        self.tray.quit_wanted.connect(self.ask_to_close)
        window.close_wanted.connect(self.ask_to_close)
        window.files_dropped.connect(lambda paths: self.window.show_page("traces", paths))

    # --- life

    async def run(self) -> None:
        """Serve workspaces until the window is closed."""
        path: Path | None = self._path
        self._collector.begin()
        try:
            while path is not None:
                path = await self._serve(path)
        finally:
            await self._tasks.aclose()
            self.tray.close()
            self.window.notify.close()
            self.window.close_now()
            self._collector.end()

    def leave(self, to: Path | None = None) -> None:
        """Close the workspace; ``to`` opens another one."""
        if self._leave is not None and not self._leave.done():
            self._leave.set_result(to)

    def ask_to_close(self) -> None:
        """Close, after a question when something is running."""
        if self.desk is None or not (self.desk.workspace.active_runs() or self.desk.underway):
            self.leave()
        elif not self._is_asking:
            self._is_asking = True
            self._tasks.start(self._ask_to_close(), "close")

    def come_forward(self) -> None:
        """Bring the window to the front, because a second start asked for it."""
        self.window.setWindowState(self.window.windowState() & ~Qt.WindowState.WindowMinimized)
        self.window.show()
        self.window.raise_()
        self.window.activateWindow()

    def has_workspace(self) -> bool:
        """Say whether there is a workspace where the window was told to look."""
        return (self._path / "honeyguide.db").exists()

    def use_path(self, path: Path) -> None:
        """Begin with another workspace than the window was told."""
        self._path = path

    def open_file(self, *handed: Path) -> None:
        """Take files handed to the program as if they had been dropped; at the start, once there is a page."""
        self._handed += handed
        if self.desk is not None and self._commands is not None and self._handed:
            paths, self._handed = self._handed, []
            self.window.show_page("traces", paths)

    def fail(self, error: BaseException, where: str) -> None:
        """Show an error of a task, of a slot or of a thread: nothing fails unheard."""
        if self._failures.take(error, where) and not self._tasks.is_closed:
            self._tasks.start(self._failures.show(error, where), "error")

    @property
    def errors(self) -> list[BaseException]:
        """What went wrong in tasks, for tests and the smoke run."""
        return self._failures.seen

    # --- a workspace

    async def _serve(self, path: Path) -> Path | None:
        self._leave = asyncio.get_running_loop().create_future()
        try:
            await asyncio.to_thread(import_first)
            self._collector.set_aside()
        except Exception as error:  # noqa: BLE001 - the outermost edge of the start: a broken installation is shown
            if self._failures.take(error, "the start"):
                await self._failures.show(error, "the start")
            return None
        opening = Opening(self.window, self._leave, self.leave, self.fail)
        workspace = await opening.open(path)
        if workspace is None:
            return await self._leave
        await self._attach(workspace)
        if opening.way == "sample":
            self._start_sample()
        elif opening.way:
            self._look_in(opening.folder)
        try:
            return await self._leave
        finally:
            await self._detach()

    def _start_sample(self) -> None:
        async def work() -> None:
            from honeyguide.workspace import RunOptions

            desk = self.desk
            if desk is not None:
                uuid = await desk.workspace.start_run(SAMPLE_TARGET, RunOptions(), origin=desk.origin)
                self.window.show_page("inbox", uuid)
                self._sample_run = uuid
                if uuid not in desk.workspace.active_runs():
                    self._offer_tour()

        self._tasks.start(work(), "run on the sample")

    def _offer_tour(self) -> None:
        self._sample_run = ""
        if self._commands is not None and self.is_for_a_person:
            self._commands.tour.offer()

    def _look_in(self, folder: Path | None) -> None:
        if self._commands is not None:
            self._tasks.start(self._commands.find_agents(folder), "find agents")

    async def _attach(self, workspace: Workspace) -> None:
        from honeyguide.desktop.commands import Commands
        from honeyguide.desktop.pages.every import makers
        from honeyguide.workspace import Origin, Workspace

        window = self.window
        memory = Memory(memory_file(workspace.path), self)
        live = Live(workspace, self)
        self.desk = Desk(
            workspace=workspace,
            origin=Origin.here("window"),
            tasks=self._tasks.child("workspace"),
            memory=memory,
            notify=window.notify,
            live=live,
            undo=UndoList(self),
            window=window,
            go=lambda page, item: self._commands.go(page, item) if self._commands else None,
            do=window.trigger,
            fail=self.fail,
        )
        window.use_memory(memory)
        window.setWindowTitle(window.tr("{folder} – Honeyguide").format(folder=workspace.path.name))
        self._commands = Commands(self.desk, window, self.theme, self.leave, self.ask_to_close)
        window.set_handlers(self._commands.handlers())
        window.set_pages(makers(self.desk))
        self._use_settings()
        live.listen(self._hear)
        try:
            if self.is_for_a_person:
                await asyncio.to_thread(Workspace.remember, workspace.path)
        except HoneyguideError as error:
            _log.info("The workspace cannot be remembered: %s", error)
        page = memory.text("page", "inbox")
        window.show_page(page if page in window.page_names() else "inbox")
        self.open_file()
        self._read_counts()
        self.desk.tasks.start(self._prepare(), "what comes after the start")
        self._tell_of_last_time()
        self.ready.set()

    async def _prepare(self) -> None:
        """Once the first page stands: import the rest, and begin what runs beside the window."""
        await at_rest(lambda: bool(self.window.front and self.window.page(self.window.front).tasks.running()))
        await asyncio.to_thread(import_rest)
        self._collector.set_aside()
        self._keep_up()
        if self.desk is not None:
            self.desk.tasks.start(self.desk.workspace.run_daemon(idle_while_off=True), "autonomous service")
            self.desk.tasks.start(tell_of_update(self.desk), "news of a version")

    async def _detach(self) -> None:
        """Close in order: what listens, what shows, what runs, what is stored."""
        desk, self.desk = self.desk, None
        self.ready.clear()
        if desk is None:
            return
        self.window.say_waiting(self.window.tr("Closing…"))
        desk.live.close()
        if self._commands is not None:
            self._commands.tour.close()
        if self._commands is not None:
            self._commands.close()
        self.window.drop_pages()
        self._keeping = None
        await desk.tasks.aclose()
        await desk.workspace.close()
        self.window.memory.save()
        self._commands = None

    def _keep_up(self) -> None:
        """Watch the folders of the settings and archive sessions, where that is switched on."""
        if self._keeping is not None:
            self._keeping.cancel()
        desk = self.desk
        if desk is not None:
            self._keeping = desk.tasks.start(desk.workspace.keep_up(lambda report: None), "watched folders")

    def _use_settings(self) -> None:
        desk = self.desk
        if desk is None:
            return
        setting = desk.workspace.setting
        theme = str(setting("window.theme"))
        self.theme.set_choice(ThemeChoice(theme))
        self.theme.set_bases(CHANGE_COLOURS[str(setting("window.change_colours"))])
        desk.memory.set("theme", theme)
        desk.memory.set("language", setting("window.language"))
        set_reduced_motion(True if setting("window.reduced_motion") else None)
        self.tray.set_shown(bool(setting("window.tray")))
        self.window.single_keys.set_enabled(bool(setting("window.single_keys")))
        model = str(setting("models.executor") or "")
        self.window.sidebar.model.set_model(model, is_practice=model.startswith("practice:"))

    # --- what changes

    def _hear(self, events: Sequence[WorkspaceEvent]) -> None:
        if any(event.kind.startswith(("run:", "attempt:", "correction", "feedback")) for event in events):
            self._read_counts()
        if any(event.kind == "setting:changed" for event in events):
            self._use_settings()
        if any(event.kind == "setting:changed" and event.subject.startswith("history.") for event in events):
            self._keep_up()
        desk = self.desk
        if desk is None:
            return
        for event in events:
            if event.kind == "attempt:finished":
                self._tasks.start(endings.tell_run(desk, self._call_for, event.subject), "tell of a run's end")
                if event.subject == self._sample_run:
                    self._offer_tour()
            elif event.kind == "flow:job-finished":
                endings.tell_job(desk, self._call_for, event)

    def _read_counts(self) -> None:
        desk = self.desk
        if desk is None:
            return

        async def load() -> tuple[int, int]:
            status = await desk.workspace.run_status()
            return status.pending, sum(status.counts.values()) + sum(status.attempts.values())

        def show(found: tuple[int, int]) -> None:
            count, runs = found
            if self._commands is not None:
                self._commands.tour.set_runs(runs)
            self.window.sidebar.button("inbox").set_count(count)
            self.tray.set_count(count)

        self._tasks.latest("waiting proposals", load, show, failed=lambda _: None)

    def _call_for(self, said: str) -> None:
        """Draw attention to the window by the system's means, unless it is looked at."""
        if not self.window.isActiveWindow() and not self.tray.tell(said):
            self.app.alert(self.window)

    def _tell_of_last_time(self) -> None:
        if self.keeper is not None and self.keeper.left_behind is not None:
            path, self.keeper.left_behind = self.keeper.left_behind, None
            said = self.window.tr("Honeyguide ended unexpectedly last time. What is known stands in {path}.")
            self.window.notify.warn("crashed", said.format(path=path), severity=Severity.WARN)

    # --- closing and errors

    async def _ask_to_close(self) -> None:
        desk = self.desk
        if desk is None:
            self._is_asking = False
            return
        tr = self.window.tr
        count = len(desk.workspace.active_runs())
        title = tr("A run is going on") if count == 1 else tr("{n} runs are going on").format(n=count)
        text = tr("Closing stops it before its next call. What was paid for is kept, and you can resume it later.")
        if not count:
            title = tr("Work is going on: {names}").format(names=", ".join(desk.underway))
            text = tr("Closing stops it. What was paid for stands in its journal; it begins anew the next time.")
        dialog = ConfirmDialog(
            "close-dialog", title, text, tr("Stop and close"), self.window, cancel=tr("Keep it open")
        )
        try:
            if await dialog.ask():
                self.leave()
        finally:
            self._is_asking = False
