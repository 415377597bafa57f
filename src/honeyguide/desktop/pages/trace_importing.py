"""Importing history in the window: progress, a way to stop, and a question where a file does not say what it is."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_files, ask_folder
from honeyguide.desktop.dialogs.import_as import ImportAsDialog, ImportChoice
from honeyguide.desktop.dialogs.import_report import ImportReportDialog
from honeyguide.desktop.notify import Step
from honeyguide.desktop.said import said_of, sentence_of
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import figures
from honeyguide.desktop.widgets.import_bar import ImportBar
from honeyguide.kernel.errors import HoneyguideError, Interrupted, Unreadable, Unsupported

if TYPE_CHECKING:
    from honeyguide.workspace import ImportReport


class TraceImporting:
    """One import at a time. ``done`` is called when traces came in."""

    def __init__(self, desk: Desk, tasks: TaskScope, bar: ImportBar, done: Callable[[], None]) -> None:
        self._desk = desk
        self._tasks = tasks
        self._bar = bar
        self._done = done
        self._stop: threading.Event | None = None
        bar.stop_requested.connect(self.stop)

    @property
    def is_running(self) -> bool:
        """Whether an import goes on."""
        return self._stop is not None

    def stop(self) -> None:
        """Stop the import; whole conversations that were read stay."""
        if self._stop is not None:
            self._stop.set()

    def begin(self, paths: Sequence[Path], choice: ImportChoice | None = None) -> None:
        """Import files and folders; without a choice a person is asked where a table leaves a doubt."""
        if self._stop is not None:
            self._desk.notify.note(_tr("An import is going on; wait for it, or stop it."))
            return
        self._stop = threading.Event()
        self._bar.begin(len(paths))
        self._tasks.start(self._import(list(paths), choice, self._stop), "import")

    async def choose_files(self) -> None:
        """Ask for files and import them."""
        if files := await ask_files(self._desk.window, _tr("Import history")):
            self.begin(files)

    async def choose_folder(self) -> None:
        """Ask for a folder and import it."""
        if folder := await ask_folder(self._desk.window, _tr("Import a folder")):
            self.begin([folder])

    async def choose_how(self) -> None:
        """Ask for files, and how they are to be read."""
        if files := await ask_files(self._desk.window, _tr("Import history")):
            await self._ask_how(files, "")

    # --- inside

    async def _import(self, paths: list[Path], choice: ImportChoice | None, stop: threading.Event) -> None:
        report, unknown = None, ""
        try:
            unknown = await self._doubt(paths) if choice is None else ""
            if not unknown:
                report = await self._read(paths, choice or ImportChoice(), stop)
        except Interrupted as error:
            self._desk.notify.info(said_of(error))
        except (Unsupported, Unreadable) as error:
            if not all(path.is_file() for path in paths):
                raise
            unknown = sentence_of(error)
        finally:
            self._stop = None
            if not self._tasks.is_closed:
                self._bar.end()
        if unknown:
            await self._ask_how(paths, unknown)
            return
        self._done()
        if report is not None:
            self._tell(report)

    async def _doubt(self, paths: Sequence[Path]) -> str:
        """Return why a person is asked before a table is read; empty when it is clear what its columns hold.

        Several files, or a folder, are read at once: the columns of one say nothing about those of another.
        """
        if len(paths) != 1 or not paths[0].is_file():
            return ""
        doubt = await self._desk.workspace.table_doubt(paths[0])
        if doubt == "columns":
            return _tr("What its columns hold was guessed from their names. Please check it.")
        if doubt == "target" and await self._desk.workspace.targets():
            return _tr("None of its columns says which prompt gave these answers. Please say which.")
        return ""

    async def _read(self, paths: list[Path], choice: ImportChoice, stop: threading.Event) -> ImportReport:
        return await self._desk.workspace.import_traces(
            paths,
            source=choice.source,
            mapping=dict(choice.mapping) or None,
            encoding=choice.encoding,
            target=choice.target,
            progress=self._bar.show_progress,
            cancel=stop,
        )

    async def _ask_how(self, paths: Sequence[Path], reason: str) -> None:
        workspace, first = self._desk.workspace, paths[0]
        rows = await workspace.targets()
        dialog = ImportAsDialog(
            paths,
            reason,
            await workspace.trace_sources(),
            [(row.title or row.ref.name, str(row.ref)) for row in rows],
            lambda encoding: workspace.preview_table(first, encoding=encoding),
            self._tasks,
            self._desk.window,
        )
        if await dialog.ask():
            self.begin(paths, dialog.choice())

    def _tell(self, report: ImportReport) -> None:
        troubled = [file for file in report.files if file.message or file.health]
        said = _tr("{n} traces imported, {known} known already, {corrections} corrections suggested.").format(
            n=figures.whole(report.imported),
            known=figures.whole(report.known),
            corrections=figures.whole(report.corrections),
        )
        step = Step(_tr("Details"), lambda: self._tasks.start(self._show_report(report), "import report"))
        if troubled:
            self._desk.notify.warn("import", said + " " + _tr("Some of it could not be used."), step)
        else:
            self._desk.notify.info(said, step)

    async def _show_report(self, report: ImportReport) -> None:
        dialog = ImportReportDialog(report, self._desk.window)
        await dialog.ask()
        chosen = dialog.chosen
        if chosen is not None:
            try:
                await self._ask_how([chosen], dialog.reason)
            except HoneyguideError as error:
                self._desk.fail(error, "choose how a file is read")


def _tr(text: str) -> str:
    return QCoreApplication.translate("TraceImporting", text)
