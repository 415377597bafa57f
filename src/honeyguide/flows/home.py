"""Where the private things of flows stand in a workspace, and the locks on them."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.errors import InvalidInput, Locked
from honeyguide.versions.disk import LocalDisk, writing

RUN_ID = re.compile(r"evr_[A-Za-z0-9_-]{1,120}")
JOB_ID = re.compile(r"evj_[A-Za-z0-9_-]{1,120}")
_SAFE = re.compile(r"[A-Za-z0-9_-]{1,120}")


@dataclass(frozen=True, slots=True)
class FlowHome:
    """The folders, all for the owner only."""

    root: Path

    @property
    def runs(self) -> Path:
        """One folder for each proposal."""
        return self.root / "runs"

    @property
    def feedback_log(self) -> Path:
        """The reported problems."""
        return self.root / "feedback" / "log.jsonl"

    @property
    def drafts(self) -> Path:
        """Cases that nobody has finished."""
        return self.root / "feedback" / "drafts"

    @property
    def receipts(self) -> Path:
        """The last results of each flow's suite."""
        return self.root / "receipts"

    @property
    def jobs(self) -> Path:
        """Background work, with its logs."""
        return self.root / "jobs"

    @property
    def history(self) -> Path:
        """When flows were run, as hashes; for telling a quick rerun."""
        return self.root / "flow-history.jsonl"

    def run(self, run_id: str) -> Path:
        """Return a run's folder. Raises InvalidInput for an id that is none."""
        if not RUN_ID.fullmatch(run_id):
            raise InvalidInput(f"{run_id[:80]!r} is no run.", hint="See 'honeyguide flow list'.")
        return self.runs / run_id

    def job(self, job_id: str) -> Path:
        """Return a job's record. Raises InvalidInput for an id that is none."""
        if not JOB_ID.fullmatch(job_id):
            raise InvalidInput(f"{job_id[:80]!r} is no job.", hint="See 'honeyguide flow jobs list'.")
        return self.jobs / f"{job_id}.json"

    @contextmanager
    def locked(self, name: str, purpose: str, *, timeout: float = 0.0) -> Iterator[None]:
        """Hold the lock of a flow (by its id); it falls with its process, so a dead owner never blocks anybody.

        Raises:
            Locked: somebody else works on it.
        """
        if not _SAFE.fullmatch(name):
            raise InvalidInput(f"{name[:80]!r} cannot name a lock.")
        folder = self.root / "locks"
        disk = LocalDisk()
        with writing(folder):
            disk.make_folder(folder)
        owner: dict[str, object] = {"pid": os.getpid(), "host": socket.gethostname(), "purpose": purpose}
        with disk.exclusive(folder / f"{name}.lock", owner, timeout):
            yield

    def is_locked(self, name: str) -> bool:
        """Say whether a living process works on a flow."""
        try:
            with self.locked(name, "a look"):
                return False
        except Locked:
            return True
