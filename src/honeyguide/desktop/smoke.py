"""``--smoke``: open the window, walk through every page and dialog off screen, and say whether anything went wrong."""

from __future__ import annotations

import asyncio
import shutil
import sys
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QDialog

if TYPE_CHECKING:
    from honeyguide.desktop.application import Application

READY_S = 60.0
SETTLE_S = 0.15
DIALOGS = ("new-run", "connect-model", "find-agents", "palette", "shortcuts", "doctor", "about", "welcome")


async def walk(application: Application) -> int:
    """Return 0 when every page and dialog came and went without an error; without a workspace, on the sample."""
    from honeyguide.desktop.memory import scratch_folder

    application.is_for_a_person = False
    scratch = None
    if not application.has_workspace():
        scratch = scratch_folder()
        await asyncio.to_thread(__import__, "honeyguide.workspace")
        from honeyguide.workspace import Workspace

        workspace = await Workspace.create(scratch, sample=True)
        await workspace.close()
        application.use_path(scratch)
    life = asyncio.ensure_future(application.run())
    try:
        ready = asyncio.ensure_future(application.ready.wait())
        await asyncio.wait([ready, life], timeout=READY_S, return_when=asyncio.FIRST_COMPLETED)
        if not ready.done():
            ready.cancel()
            print("The window did not become ready.", file=sys.stderr)
            return 1
        window = application.window
        for name in window.page_names():
            window.show_page(name)
            await asyncio.sleep(SETTLE_S)
        for name in DIALOGS:
            window.trigger(name)
            await asyncio.sleep(SETTLE_S)
            for dialog in window.findChildren(QDialog):
                if dialog.isVisible():
                    dialog.reject()
            await asyncio.sleep(0)
    finally:
        application.leave()
        await asyncio.wait([life], timeout=READY_S)
        if scratch is not None:
            await asyncio.to_thread(shutil.rmtree, scratch.parent, True)
    for error in application.errors:
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    return 1 if application.errors else 0
