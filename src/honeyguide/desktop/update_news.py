"""News of a newer version: once a day after opting in, with a way to hear no more of it."""

from __future__ import annotations

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.notify import Step
from honeyguide.kernel.errors import HoneyguideError

BAR = "update"


async def tell_of_update(desk: Desk) -> None:
    """Say when there is a newer version that was not skipped; silent when it cannot be asked."""
    try:
        found = await desk.workspace.update_news()
    except HoneyguideError:
        return
    if found is None:
        return
    tr = desk.window.tr
    said = tr("Version {newest} is there; this is {current}. Get it from {place}.")

    async def skip() -> None:
        await desk.workspace.skip_update(found.newest)
        desk.notify.clear(BAR)

    step = Step(tr("Skip this version"), lambda: desk.tasks.start(skip(), "skip a version"))
    desk.notify.warn(BAR, said.format(newest=found.newest, current=found.current, place=found.notes_url), step)
