"""Writing the rows of a list to a file."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtCore import QCoreApplication

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.dialogs.files import ask_save
from honeyguide.desktop.models.export import Format
from honeyguide.desktop.widgets.data_table import DataTable
from honeyguide.kernel.errors import Unwritable

_FORMS = {"csv": Format.CSV, "json": Format.JSON, "md": Format.MARKDOWN}


async def export_table(desk: Desk, table: DataTable, name: str, *, selected_only: bool = False) -> Path | None:
    """Ask where, write what the table shows (or only its chosen rows), and say so. Raises Unwritable."""
    tr = QCoreApplication.translate
    path = await ask_save(desk.window, tr("Export", "Export the list"), f"{name}.csv", tuple(_FORMS))
    if path is None:
        return None
    form = _FORMS.get(path.suffix.lstrip(".").lower(), Format.CSV)
    text = table.export_text(form, selected_only=selected_only)
    try:
        await asyncio.to_thread(lambda: path.write_text(text, encoding="utf-8", newline=""))
    except OSError as error:
        raise Unwritable(f"{path} could not be written: {error.strerror}.", hint="Choose another folder.") from error
    desk.notify.info(tr("Export", "Exported to {path}.").format(path=path))
    return path
