"""What is said when a run or background work on a flow ends, with the way to what came of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from honeyguide.desktop.desk import Desk
from honeyguide.desktop.notify import Step

if TYPE_CHECKING:
    from honeyguide.workspace import WorkspaceEvent

Call = Callable[[str], None]
"""Draws attention to the window."""


async def tell_run(desk: Desk, call: Call, uuid: str) -> None:
    """Say how a run ended."""
    row = (await desk.workspace.run_rows_of([uuid])).get(uuid)
    if row is None:
        return
    from honeyguide.desktop.theme.outcomes import state_wording

    tr = desk.window.tr
    if row.state == "proposed":
        said = tr("{target}: a proposal waits for you ({words}).").format(target=row.target_name, words=row.words)
    else:
        words = state_wording(row.state).words
        said = tr("{target}: the run ended, {words}.").format(target=row.target_name, words=words)
    call(said)
    desk.notify.note(said, Step(tr("View"), lambda: desk.go("inbox", uuid)))


def tell_job(desk: Desk, call: Call, event: WorkspaceEvent) -> None:
    """Say that background work on a flow ended."""
    tr, run = desk.window.tr, str(event.data.get("run") or "")
    if event.data.get("status") == "completed":
        said = tr("Background work on a flow is done; look at what came of it.")
    else:
        said = tr("Background work on a flow ended without a result.")
    call(said)
    desk.notify.note(said, Step(tr("View"), lambda: desk.go("flows", run or None)))
