"""Changing files safely: compare-and-swap, atomic replacement, every version kept, rollback, repair after a crash.

``diff`` (pure) compares texts. May be imported by every floor above ``versions``; ``workspace`` re-exports to the
front ends what they need.
"""

from honeyguide.versions.atomic import TrustedRoots, contained, write_atomically
from honeyguide.versions.commits import commit_file, repository_of
from honeyguide.versions.deploy import Deployer
from honeyguide.versions.live import Change, Deployed, Expected, History, LiveFile
from honeyguide.versions.records import Actor, Origin, Version
from honeyguide.versions.store import VersionStore
from honeyguide.versions.transactions import Repair, RepairOutcome
from honeyguide.versions.watch import Session, WatchedDeployment, WatchFinding, watch

__all__ = [
    "Actor",
    "Change",
    "Deployed",
    "Deployer",
    "Expected",
    "History",
    "LiveFile",
    "Origin",
    "Repair",
    "RepairOutcome",
    "Session",
    "TrustedRoots",
    "Version",
    "VersionStore",
    "WatchFinding",
    "WatchedDeployment",
    "commit_file",
    "contained",
    "repository_of",
    "watch",
    "write_atomically",
]
