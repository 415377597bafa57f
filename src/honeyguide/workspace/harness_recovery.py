"""Before anything changes, runs or packs a harness folder: what a crash left half done there is finished or undone."""

from __future__ import annotations

from pathlib import Path

from honeyguide.harnesses.changes.going_back import undo_half
from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.folder import Harness
from honeyguide.versions import Actor
from honeyguide.workspace.harness_home import HarnessHome


def recovered(home: HarnessHome, path: Path) -> Harness:
    """Open a folder whose files are whole again and whose queue says what they are (blocking).

    Raises:
        Locked: somebody is applying a proposal right now.
        NotFound, Unreadable, InvalidInput: as opening does.
    """
    harness = Harness.open(path)
    if not any(harness.ours.glob("proposals/*.json")):
        return harness
    queue, deployer = Queue(harness.ours), home.deployer(harness.root)
    if not queue.all("applying"):
        deployer.recover()
        return Harness.open(path)
    with queue.locked():
        deployer.recover()
        for row in queue.all("applying"):
            undo_half(Harness.open(path), row, deployer, Actor("honeyguide", "recovery"))
        queue.recover(lambda: Harness.open(path).version, home.now)
    return Harness.open(path)
