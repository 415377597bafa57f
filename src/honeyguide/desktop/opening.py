"""The way to a workspace: open it, say why that cannot be, or welcome a new person with three ways in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.desktop.dialogs.error import details_text
from honeyguide.desktop.dialogs.files import ask_folder
from honeyguide.desktop.said import hint_of, sentence_of
from honeyguide.desktop.widgets.states import StateAction
from honeyguide.desktop.window import Window
from honeyguide.kernel.errors import HoneyguideError, NotFound

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace


class Opening:
    """One attempt to open a workspace; ``leave`` ends it when the window is closed, or another folder is wanted.

    Attributes:
        way: how a new workspace was begun: ``sample``, ``agents``, ``folder``; empty for one that was there.
        folder: the folder that was chosen with the third way.
    """

    def __init__(
        self,
        window: Window,
        left: asyncio.Future[Path | None],
        leave: Callable[[Path | None], None],
        fail: Callable[[BaseException, str], None],
    ) -> None:
        self._window = window
        self._left = left
        self._leave = leave
        self._fail = fail
        self.way = ""
        self.folder: Path | None = None

    async def open(self, path: Path) -> Workspace | None:
        """Return the workspace, made anew if a person wants that; ``None`` when another one or none is wanted."""
        from honeyguide.workspace import Workspace

        while True:
            self._window.say_waiting(self._window.tr("Opening the workspace…"), str(path))
            try:
                return await Workspace.open(path)
            except NotFound:
                return await self._welcome(path)
            except HoneyguideError as error:
                wants_again = await self._cannot_open(error)
            if not wants_again:
                return None

    async def _cannot_open(self, error: HoneyguideError) -> bool:
        """Show why a workspace cannot be opened; says whether to try again."""
        window = self._window
        window.waiting.show_error(
            sentence_of(error),
            hint_of(error),
            details=details_text(error.code, error.details),
            actions=[
                StateAction("again", window.tr("Try again"), "retry"),
                StateAction("other", window.tr("Open another folder…"), "folder"),
            ],
        )
        window.stack.setCurrentWidget(window.waiting)
        while True:
            chosen = await self._until(window.waiting.acted)
            if chosen in ("", "again"):
                return chosen == "again"
            if chosen == "other":
                folder = await ask_folder(window, window.tr("Open a workspace"))
                if folder is not None:
                    self._leave(folder)
                    return False

    async def _welcome(self, path: Path) -> Workspace | None:
        """Show the three ways in, and go the chosen one."""
        from honeyguide.desktop.pages.welcome import WelcomeView
        from honeyguide.workspace import Workspace

        view = WelcomeView(path)
        self._window.show_alone(view)
        view.sample.setFocus()
        try:
            while True:
                self.way = await self._until(view.chosen)
                if not self.way:
                    return None
                if self.way == "folder":
                    self.folder = await ask_folder(self._window, self._window.tr("Open a folder"))
                    if self.folder is None:
                        continue
                    if await asyncio.to_thread((self.folder / "honeyguide.db").exists):
                        self._leave(self.folder)
                        return None
                view.set_busy(True)
                try:
                    return await Workspace.create(path, sample=self.way == "sample")
                except HoneyguideError as error:
                    view.set_busy(False)
                    self._fail(error, "make a workspace")
        finally:
            self._window.stack.removeWidget(view)
            view.deleteLater()

    async def _until(self, signal: Any) -> str:
        """Wait for a signal with a name; an empty one when the window is closed instead."""
        chosen: asyncio.Future[str] = asyncio.get_running_loop().create_future()

        def settle(name: str) -> None:
            if not chosen.done():
                chosen.set_result(name)

        signal.connect(settle)
        try:
            either: list[asyncio.Future[Any]] = [chosen, self._left]
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return chosen.result() if chosen.done() else ""
        finally:
            signal.disconnect(settle)
