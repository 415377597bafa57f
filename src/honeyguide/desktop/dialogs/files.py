"""Choosing files and folders, in the platform's own dialog where it has one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QFileDialog, QWidget


async def ask_save(
    parent: QWidget, title: str, name: str, endings: Sequence[str], words: Mapping[str, str] | None = None
) -> Path | None:
    """Ask where to write; ``None`` when the person thought better of it.

    Args:
        endings: what the file can be, without dots; the first is the usual one. Another choice changes the name.
        words: what an ending is called.
    """
    called = words or {}
    filters = {f"{called.get(ending, ending.upper())} (*.{ending})": ending for ending in endings}
    dialog = QFileDialog(parent, title)
    dialog.setObjectName("file-dialog")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setFileMode(QFileDialog.FileMode.AnyFile)
    dialog.setNameFilters(list(filters))
    dialog.setDefaultSuffix(endings[0])
    dialog.selectFile(name)

    def follow(said: str) -> None:
        ending = filters.get(said, endings[0])
        dialog.setDefaultSuffix(ending)
        chosen = dialog.selectedFiles()
        present = Path(chosen[0]) if chosen else Path(name)
        if present.suffix.lstrip(".") in endings:
            dialog.selectFile(present.with_suffix(f".{ending}").name)

    dialog.filterSelected.connect(follow)
    chosen = await _asked(dialog)
    return chosen[0] if chosen else None


async def ask_files(parent: QWidget, title: str) -> list[Path]:
    """Ask for files to read; none when the person thought better of it."""
    dialog = QFileDialog(parent, title)
    dialog.setObjectName("file-dialog")
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.setNameFilters([QCoreApplication.translate("FileDialog", "All files (*)")])
    return await _asked(dialog)


async def ask_folder(parent: QWidget, title: str, start: Path | None = None) -> Path | None:
    """Ask for a folder; ``None`` when the person thought better of it."""
    dialog = QFileDialog(parent, title, str(start) if start else "")
    dialog.setObjectName("file-dialog")
    dialog.setFileMode(QFileDialog.FileMode.Directory)
    dialog.setOption(QFileDialog.Option.ShowDirsOnly, True)
    chosen = await _asked(dialog)
    return chosen[0] if chosen else None


async def _asked(dialog: QFileDialog) -> list[Path]:
    answered: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    def settle(result: int) -> None:
        if not answered.done():
            answered.set_result(result)

    dialog.finished.connect(settle)
    dialog.open()
    try:
        if not await answered:
            return []
        return [Path(name) for name in dialog.selectedFiles()]
    finally:
        dialog.close()
        dialog.deleteLater()
