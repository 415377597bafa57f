"""Reading the list of runs: the first screen at once, a thin index of all rows behind it, whole rows when in view."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from honeyguide.desktop.models.run_rows import RunRow
from honeyguide.desktop.models.runs import RunTableModel
from honeyguide.desktop.rows import run_key, run_row

if TYPE_CHECKING:
    from honeyguide.workspace import Workspace

FIRST_SCREEN = 60
KEY_CHUNK = 5000


class RunReading:
    """Fills the model of the run table from the workspace."""

    def __init__(self, workspace: Workspace, model: RunTableModel) -> None:
        self._workspace = workspace
        self._model = model

    async def load_first(self) -> tuple[list[RunRow], int]:
        """Return the newest rows, and how many there are in all."""
        from honeyguide.workspace import RunFilter

        page = await self._workspace.run_rows(RunFilter(limit=FIRST_SCREEN))
        return [run_row(row) for row in page.items], page.total

    async def index(self) -> None:
        """Add the keys of all rows, a chunk at a time; sorting waits for it."""
        after = None
        while True:
            keys = await self._workspace.run_keys(after=after, limit=KEY_CHUNK)
            if not keys:
                break
            self._model.add_index(run_key(key) for key in keys)
            after = keys[-1]
            if len(keys) < KEY_CHUNK:
                break
        self._model.finish_index()

    async def fetch(self, uuids: Collection[str]) -> None:
        """Complete rows of which only the key is known."""
        for uuid, row in (await self._workspace.run_rows_of(list(uuids))).items():
            self._model.update_row(self._kept(run_row(row), uuid))

    async def refresh(self, uuids: Collection[str]) -> Mapping[str, Any]:
        """Read rows anew, new ones to the top; return those that were found."""
        found = await self._workspace.run_rows_of(list(uuids))
        rows = [self._kept(run_row(row), uuid) for uuid, row in found.items()]
        self._model.add_rows(sorted(rows, key=lambda row: row.created_at), first=True)
        return found

    def _kept(self, row: RunRow, uuid: str) -> RunRow:
        """Keep the progress that was told more recently than it was stored."""
        known = self._model.row_of(uuid)
        if row.state == "running" and known is not None and known.progress is not None and row.progress is None:
            return replace(row, progress=known.progress)
        return row
