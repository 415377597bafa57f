"""A small program that deploys, and dies or fails while it does; the tests look at what it left.

``python -m tests.fakes.deploying die FOLDER``: in FOLDER/1, FOLDER/2, … the same deploy of two files, killed with
SIGKILL at step 1, 2, … until one lives to its end. Each prints its step.
``python -m tests.fakes.deploying hold FOLDER``: takes the lock of a workspace, says ``held``, and keeps it.
``python -m tests.fakes.deploying race FOLDER WHO``: waits for FOLDER/go, deploys its own text over the one that the
file FOLDER/expected names, and prints what came of it.
``python -m tests.fakes.deploying number FOLDER WHO``: adds twenty versions as fast as it can.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from tests.fakes.disks import FailingDisk, kill_this_process

from honeyguide.kernel.errors import HoneyguideError
from honeyguide.versions import Actor, Change, Deployer, LiveFile, Origin, VersionStore
from honeyguide.versions.disk import Disk, LocalDisk

ME = Actor("ada", "python")
OLD = {"persona": b"old persona\n" * 20, "tool": b"old tool\n" * 20}
NEW = {"persona": b"new persona\n" * 30, "tool": b"new tool\n" * 10}


def live_files(folder: Path) -> dict[str, LiveFile]:
    """Return the two files of the workspace in ``folder``: an override, and a skill in its own place."""
    return {
        "persona": LiveFile("persona-system-prompt", "persona", folder / "w/personas/persona.json", keeps_bak=True),
        "tool": LiveFile("skill-body", "tool", folder / "skills" / "tool.md"),
    }


def set_up(folder: Path) -> None:
    """Make a workspace with an outside skill and an override that was deployed once."""
    (folder / "skills").mkdir(parents=True)
    (folder / "w").mkdir()
    live = live_files(folder)
    live["tool"].path.write_bytes(OLD["tool"])
    deployer_in(folder).deploy([Change(live["persona"], OLD["persona"], None)], ME)


def deployer_in(folder: Path, disk: Disk | None = None) -> Deployer:
    return Deployer(VersionStore(folder / "w" / "versions", disk=disk or LocalDisk()), [folder / "skills"])


def deploy_both(folder: Path, disk: Disk | None = None) -> None:
    live = live_files(folder)
    deployer = deployer_in(folder, disk)
    changes = [Change(live[n], NEW[n], deployer.live_fingerprint(live[n])) for n in live]
    deployer.deploy(changes, ME, run_uuid="run-1")


def die(folder: Path) -> None:
    for step in range(1, 500):
        place = folder / str(step)
        set_up(place)
        child = os.fork()
        if child == 0:
            deploy_both(place, FailingDisk(step, kill_this_process))
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if status == 0:
            return
        print(step, flush=True)


def hold(folder: Path) -> None:
    with VersionStore(folder / "w" / "versions").locked("a long change"):
        print("held", flush=True)
        time.sleep(60)


def race(folder: Path, who: str) -> None:
    live = live_files(folder)["tool"]
    deployer = deployer_in(folder)
    expected = (folder / "expected").read_text()
    print("ready", flush=True)
    while not (folder / "go").exists():
        pass
    try:
        deployer.deploy([Change(live, who.encode(), expected)], Actor(who, "python"))
        print("deployed", flush=True)
    except HoneyguideError as error:
        print(error.code, flush=True)


def number(folder: Path, who: str) -> None:
    store = VersionStore(folder / "w" / "versions")
    for count in range(20):
        store.add("generic", "shared", f"{who} {count}".encode(), Origin.FOUND, Actor(who, "python"))


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    {"die": die, "hold": hold, "race": race, "number": number}[command](Path(arguments[0]), *arguments[1:])
