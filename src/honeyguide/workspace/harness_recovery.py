"""Before anything changes, runs or packs a harness folder: what a crash left half done there is finished or undone."""

from __future__ import annotations

from pathlib import Path

from honeyguide.harnesses.changes.queue import Queue
from honeyguide.harnesses.folder import Harness
from honeyguide.workspace.harness_home import HarnessHome


def recovered(home: HarnessHome, path: Path) -> Harness:
    """Open a folder whose files are whole again and whose queue says what they are (blocking). Raises as ``open``."""
    harness = Harness.open(path)
    if any(harness.ours.glob("proposals/*.json")):
        home.deployer(harness.root).recover()
        Queue(harness.ours).recover(lambda: Harness.open(path).version, home.now)
        return Harness.open(path)
    return harness
