"""What can be done to the traces that are chosen in the list: hold them back, link, run again, export, delete."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from honeyguide.desktop.actions import Handler, Handlers
from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_save
from honeyguide.desktop.dialogs.small import ChoiceDialog, ConfirmDialog
from honeyguide.desktop.models.traces import TraceTableModel
from honeyguide.desktop.notify import Step
from honeyguide.desktop.tasks import TaskScope
from honeyguide.desktop.theme import figures
from honeyguide.desktop.undo import Undoable
from honeyguide.desktop.widgets.data_table import DataTable

if TYPE_CHECKING:
    from honeyguide.workspace import TraceQuery


class TraceDeeds:
    """Acts on the chosen rows; ``changed`` is called when the list has to be read anew."""

    def __init__(
        self,
        desk: Desk,
        tasks: TaskScope,
        model: TraceTableModel,
        table: DataTable,
        query: Callable[..., TraceQuery],
        changed: Callable[[], None],
    ) -> None:
        """``query`` says what the list shows; it takes ``limit``."""
        self._desk = desk
        self._tasks = tasks
        self._model = model
        self._table = table
        self._query = query
        self._changed = changed

    def handlers(self) -> Handlers:
        """Return the actions by their id."""
        return {
            "export-rows": Handler(lambda: self._go(self._export(), "export traces"), self._nothing),
            "never-send": Handler(self._toggle_never_send, self._none_chosen),
            "replay-traces": Handler(lambda: self._go(self._replay(), "replay"), self._against_replay),
            "delete-traces": Handler(lambda: self._go(self._delete(), "delete traces"), self._none_chosen),
        }

    def menu(self, parent: QWidget) -> QMenu:
        """Return the menu of the chosen rows."""
        menu = QMenu(parent)
        menu.setObjectName("trace-menu")
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for words, do in (
            (_tr("Never send to a model, or allow it"), self._toggle_never_send),
            (_tr("These answers were good"), self._confirm),
            (_tr("Say what they speak about…"), lambda: self._go(self._link(), "link traces")),
            (_tr("Run again on two versions…"), self._start_replay),
            (_tr("Copy the rows"), self._table.copy_rows),
            (_tr("Delete for good…"), lambda: self._go(self._delete(), "delete traces")),
        ):
            action = QAction(words, menu)
            action.triggered.connect(lambda _=False, do=do: do())
            menu.addAction(action)
        return menu

    def _nothing(self) -> str:
        return "" if self._model.total else _tr("The list is empty.")

    def _none_chosen(self) -> str:
        return "" if self._table.selected_keys() else _tr("Choose traces first.")

    def _toggle_never_send(self) -> None:
        ids = self._table.selected_keys()
        rows = [row for row in map(self._model.row_of, ids) if row is not None]
        value = not all(row.never_send for row in rows)
        self._mark(ids, value)
        count = len(ids)
        if value:
            words = figures.counted(count, _tr("Never send 1 trace"), _tr("Never send {n} traces"))
        else:
            words = figures.counted(count, _tr("Allow to send 1 trace"), _tr("Allow to send {n} traces"))
        change = Undoable(words, lambda: self._mark(ids, not value), lambda: self._mark(ids, value))
        self._desk.undo.add(change)
        if value:
            one, many = _tr("1 trace never leaves this computer."), _tr("{n} traces never leave this computer.")
        else:
            one, many = _tr("1 trace may be sent to models."), _tr("{n} traces may be sent to models.")
        self._desk.notify.info(figures.counted(count, one, many), Step(_tr("Undo"), self._desk.undo.undo))

    def _confirm(self) -> None:
        chosen = self._table.selected_keys()
        said: list[int] = []

        async def work() -> None:
            said[:] = await self._desk.workspace.confirm_traces(ids=chosen)
            self._changed()

        async def back() -> None:
            await self._desk.workspace.unconfirm_traces(said)
            self._changed()

        async def first() -> None:
            await work()
            if not said:
                self._desk.notify.note(_tr("The end of these is known already."))
                return
            one = _tr("1 answer is an example of a good one now.")
            words = figures.counted(len(said), one, _tr("{n} answers are examples of good ones now."))
            do, undo = lambda: self._go(work(), "confirm traces"), lambda: self._go(back(), "confirm traces")
            self._desk.undo.add(Undoable(_tr("These answers were good"), undo, do))
            self._desk.notify.info(words, Step(_tr("Undo"), self._desk.undo.undo))

        self._go(first(), "confirm traces")

    def _mark(self, ids: list[int], value: bool) -> None:
        async def work() -> None:
            await self._desk.workspace.mark_never_send(ids, value)
            self._changed()

        self._go(work(), "mark traces")

    def _against_replay(self) -> str:
        said = self._none_chosen()
        if said:
            return said
        rows = [row for row in map(self._model.row_of, self._table.selected_keys()) if row is not None]
        if len({row.target for row in rows}) != 1 or not rows[0].target:
            return _tr("Choose traces of one target.")
        if any(row.never_send for row in rows):
            return _tr("Some of them are marked never to be sent.")
        return ""

    def _start_replay(self) -> None:
        said = self._against_replay()
        if said:
            self._desk.notify.note(said)
        else:
            self._go(self._replay(), "replay")

    async def _replay(self) -> None:
        from honeyguide.desktop.dialogs.replay import ReplayDialog

        ids = self._table.selected_keys()
        row, detail = self._model.row_of(ids[0]), await self._desk.workspace.trace(ids[0])
        name = "" if row is None else row.target
        target = next((link.target for link in detail.links if link.target.endswith(f":{name}")), name)
        await ReplayDialog(self._desk, self._tasks, target, ids, self._desk.window).ask()

    async def _delete(self) -> None:
        ids = self._table.selected_keys()
        title = figures.counted(len(ids), _tr("Delete 1 trace for good?"), _tr("Delete {n} traces for good?"))
        text = _tr(
            "They are removed from the database, from runs and archives that quote them, and cannot be brought back. A "
            "later import leaves them out."
        )
        dialog = ConfirmDialog("delete-traces-dialog", title, text, _tr("Delete"), self._desk.window)
        if await dialog.ask():
            count = await self._desk.workspace.delete_traces(ids)
            self._desk.notify.info(figures.counted(count, _tr("1 trace deleted."), _tr("{n} traces deleted.")))
            self._changed()

    async def _link(self) -> None:
        ids, workspace = self._table.selected_keys(), self._desk.workspace
        rows = await workspace.targets()
        dialog = ChoiceDialog(
            "link-traces",
            _tr("What do these traces speak about?"),
            _tr("Target"),
            [(row.title or row.ref.name, str(row.ref)) for row in rows],
            _tr("Note it"),
            self._desk.window,
        )
        if not (ids and await dialog.ask()):
            return
        target = dialog.chosen()
        count = await workspace.link_traces(target, ids=ids)
        self._desk.notify.info(figures.counted(count, _tr("1 trace is linked now."), _tr("{n} traces are linked now.")))
        self._changed()

    async def _export(self) -> None:
        path = await ask_save(self._desk.window, _tr("Export the traces shown"), "traces.jsonl", ("jsonl",))
        if path is not None:
            count = await self._desk.workspace.export_traces(path, self._query(limit=None))
            said = figures.counted(count, _tr("1 trace exported to {path}."), _tr("{n} traces exported to {path}."))
            said = said.format(path=path)
            self._desk.notify.info(said)

    def _go(self, work: Coroutine[Any, Any, Any], name: str) -> None:
        self._tasks.start(work, name)


def _tr(text: str) -> str:
    return QCoreApplication.translate("TraceDeeds", text)
