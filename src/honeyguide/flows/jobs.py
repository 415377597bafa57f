"""Background work on flows: one job a flow, each a process of its own with a log, that can be stopped."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

from honeyguide.flows.children import end_group, started_at
from honeyguide.flows.home import JOB_ID, FlowHome
from honeyguide.kernel.clock import Clock, iso, parse_iso
from honeyguide.kernel.errors import Conflict, HoneyguideError, NotFound, Unreadable
from honeyguide.kernel.processes import start
from honeyguide.versions.atomic import write_atomically
from honeyguide.versions.disk import LocalDisk, writing

TIMEOUT_SECONDS: Final = 3600.0
CANCEL_SECONDS: Final = 10.0
"""What a job may take to close its run in order, before it is killed."""
OVERTIME_SECONDS: Final = 60.0
"""A job ends itself when its time is over; after so many seconds more somebody else ends it."""


class JobStatus(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


ACTIVE: Final = (JobStatus.QUEUED, JobStatus.RUNNING)


@dataclass(frozen=True, slots=True)
class Job:
    """One job.

    Attributes:
        pid, started: the process, and when the system started it.
        timeout_s: after so many seconds it ends itself.
    """

    id: str
    flow_id: str
    flow_path: str
    status: JobStatus
    created_at: str
    updated_at: str
    pid: int | None = None
    started: str = ""
    run_id: str | None = None
    exit_code: int | None = None
    error: str | None = None
    timeout_s: float = TIMEOUT_SECONDS

    def to_json(self) -> dict[str, Any]:
        """Return the job as it is stored."""
        data: dict[str, Any] = {
            "schemaVersion": 1, "id": self.id, "flow": {"id": self.flow_id, "path": self.flow_path},
            "status": self.status.value, "createdAt": self.created_at, "updatedAt": self.updated_at, "pid": self.pid,
            "started": self.started or None, "runId": self.run_id, "exitCode": self.exit_code, "error": self.error,
            "timeoutSeconds": self.timeout_s,
        }  # fmt: skip
        return {key: value for key, value in data.items() if value is not None}


class JobBook:
    """All jobs of a workspace."""

    def __init__(self, home: FlowHome, clock: Clock) -> None:
        self._home = home
        self._clock = clock
        self._disk = LocalDisk()

    def all(self) -> list[Job]:
        """Return all jobs, newest first; those whose process is gone are failed."""
        jobs = []
        for name in self._disk.names(self._home.jobs):
            if name.endswith(".json") and JOB_ID.fullmatch(name.removesuffix(".json")):
                try:
                    jobs.append(self.get(name.removesuffix(".json")))
                except Unreadable:
                    continue
        return sorted(jobs, key=lambda job: (job.created_at, job.id), reverse=True)

    def get(self, job_id: str) -> Job:
        """Return one job. Raises NotFound, InvalidInput, Unreadable."""
        path = self._home.job(job_id)
        data = self._disk.read(path)
        if data is None:
            raise NotFound(f"There is no job {job_id}.", hint="See 'honeyguide flow jobs list'.")
        job = _read(data, path)
        if job.status in ACTIVE and job.pid is not None and started_at(job.pid) != job.started:
            return self._store(replace(job, status=JobStatus.FAILED, error="Its process ended without a word."))
        if job.status in ACTIVE and job.pid is not None and self._is_overdue(job):
            end_group(job.pid)
            return self._store(replace(job, status=JobStatus.FAILED, error="It took too long and was ended."))
        return job

    def _is_overdue(self, job: Job) -> bool:
        since = (self._clock.now() - parse_iso(job.created_at)).total_seconds()
        return since > job.timeout_s + OVERTIME_SECONDS

    def log(self, job_id: str) -> str:
        """Return what a job printed."""
        data = self._disk.read(self._home.job(job_id).with_suffix(".log")) or b""
        return data.decode("utf-8", "backslashreplace")

    def active(self, flow_id: str) -> Job | None:
        """Return the job that is at work on a flow."""
        return next((job for job in self.all() if job.flow_id == flow_id and job.status in ACTIVE), None)

    def enqueue(
        self,
        flow_id: str,
        flow_path: Path,
        command: Sequence[str],
        environ: Mapping[str, str],
        *,
        timeout_s: float = TIMEOUT_SECONDS,
    ) -> Job:
        """Start a job, or return the one that is at work on the flow already.

        Args:
            command: what to run; ``{job}`` in it becomes the job's id.
        """
        with self._home.locked(f"{flow_id}-queue", "the queue", timeout=5.0):
            if (known := self.active(flow_id)) is not None:
                return known
            now = iso(self._clock.now())
            milliseconds = int(self._clock.now().timestamp() * 1000)
            job = Job(
                f"evj_{milliseconds:x}_{secrets.token_hex(4)}", flow_id, str(flow_path), JobStatus.QUEUED, now, now,
                timeout_s=timeout_s,
            )  # fmt: skip
            with writing(self._home.jobs):
                self._disk.make_folder(self._home.jobs)
            self._store(job)
            log = self._home.job(job.id).with_suffix(".log")
            descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                process = start(
                    [part.replace("{job}", job.id) for part in command], env=environ, stdout=descriptor,
                    stderr=subprocess.STDOUT,
                )  # fmt: skip
            except HoneyguideError as error:
                return self._store(replace(job, status=JobStatus.FAILED, error=error.message))
            finally:
                os.close(descriptor)
            threading.Thread(target=process.wait, daemon=True, name=f"waits for {job.id}").start()
            return self._store(replace(job, status=JobStatus.RUNNING, pid=process.pid, started=started_at(process.pid)))

    def finish(self, job_id: str, *, run_id: str | None, exit_code: int, error: str | None = None) -> Job:
        """Note how a job ended; called by its own process. A job that a person stopped stays cancelled."""
        job = _read(self._disk.read(self._home.job(job_id)) or b"", self._home.job(job_id))
        status = JobStatus.COMPLETED if error is None else JobStatus.FAILED
        if job.status is JobStatus.CANCELLED:
            status, error = job.status, job.error
        return self._store(replace(job, status=status, run_id=run_id or job.run_id, exit_code=exit_code, error=error))

    def cancel(self, job_id: str, *, grace: float = CANCEL_SECONDS) -> Job:
        """Stop a job and wait until it is gone: TERM, so that it closes its run in order, then KILL.

        What a killed job leaves behind is for ``tidying.recover``. Raises Conflict when it ended already.
        """
        job = self.get(job_id)
        if job.status not in ACTIVE:
            raise Conflict(f"The job {job.id} is {job.status}.", details={"status": job.status.value})
        job = self._store(replace(job, status=JobStatus.CANCELLED, error="Stopped by a person."))
        if job.pid is not None and started_at(job.pid) == job.started:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(job.pid, signal.SIGTERM)
            if not _is_gone(job.pid, job.started, grace):
                end_group(job.pid, grace=0.0)
        return self.get(job_id)

    def prune(self, before: datetime, *, dry: bool = False) -> list[str]:
        """Remove ended jobs with their logs, last changed before a moment."""
        removed = []
        for job in self.all():
            if job.status in ACTIVE or parse_iso(job.updated_at) > before:
                continue
            if not dry:
                self._home.job(job.id).unlink(missing_ok=True)
                self._home.job(job.id).with_suffix(".log").unlink(missing_ok=True)
            removed.append(job.id)
        return removed

    def _store(self, job: Job) -> Job:
        job = replace(job, updated_at=iso(self._clock.now()))
        write_atomically(self._home.job(job.id), (json.dumps(job.to_json(), indent=2) + "\n").encode())
        return job


def _is_gone(pid: int, started: str, seconds: float) -> bool:
    until = time.monotonic() + seconds
    while started_at(pid) == started:
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def _read(data: bytes, path: Path) -> Job:
    try:
        raw = json.loads(data)
        flow = raw["flow"]
        return Job(
            raw["id"], str(flow["id"]), str(flow.get("path", "")), JobStatus(raw["status"]), raw["createdAt"],
            raw["updatedAt"], raw.get("pid"), raw.get("started", ""), raw.get("runId"), raw.get("exitCode"),
            raw.get("error"), float(raw.get("timeoutSeconds", TIMEOUT_SECONDS)),
        )  # fmt: skip
    except (ValueError, KeyError, TypeError) as error:
        raise Unreadable(f"{path} is damaged.", hint="Remove it.") from error
