"""A desk on the folders of a bench, for a process of its own."""

from __future__ import annotations

import os
from pathlib import Path

from honeyguide.feedback import FeedbackLog
from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.home import FlowHome
from honeyguide.kernel.clock import SystemClock
from honeyguide.versions import Deployer, VersionStore


def desk_for(root: Path) -> FlowDesk:
    """Return a desk like that of ``conftest.bench``."""
    home = FlowHome(root / "workspace")
    store = VersionStore(home.root / "versions")
    return FlowDesk(
        home=home,
        clock=SystemClock(),
        feedback=FeedbackLog(home.feedback_log, clock=SystemClock()),
        product="0.1.0",
        environ={"PATH": f"{root / 'bin'}{os.pathsep}/usr/bin:/bin", "HOME": str(root / "home")},
        person_home=root / "home",
        deployer=lambda folder: Deployer(store, [folder]),
    )
