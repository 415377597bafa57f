"""Background work on flows for the front ends: queued, looked at, stopped."""

from __future__ import annotations

import sys
from pathlib import Path

from honeyguide.flows.desk import FlowDesk
from honeyguide.flows.jobs import Job, JobBook
from honeyguide.flows.tidying import recover
from honeyguide.workspace.core import Core
from honeyguide.workspace.feedback import Feedbacks
from honeyguide.workspace.flow_desk import open_desk
from honeyguide.workspace.origins import Origin


class FlowJobs:
    """The background jobs of a workspace."""

    def __init__(self, core: Core, feedback: Feedbacks) -> None:
        self._core = core
        self._feedback = feedback

    async def enqueue(self, path: Path, *, origin: Origin) -> Job:
        """Begin a proposal in the background, or return the one that is at work. The flow stays as it is."""

        def work() -> Job:
            desk = self._desk(origin)
            view = desk.look(path)
            program = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "honeyguide"]
            command = [
                *program, "--workspace", str(self._core.layout.root), "flow", "propose", str(view.place.path), "--yes",
                "--automatic", "--job", "{job}", "--json",
            ]  # fmt: skip
            job = JobBook(desk.home, desk.clock).enqueue(view.place.flow_id, view.place.path, command, desk.environ)
            desk.on_change("flow:job-queued", {"runId": job.id})
            return job

        return await self._core.in_thread(work)

    async def all(self) -> list[Job]:
        """Return the background jobs, newest first."""
        return await self._core.in_thread(self._book().all)

    async def one(self, job_id: str) -> tuple[Job, str]:
        """Return a job and what it printed. Raises NotFound."""
        book = self._book()
        return await self._core.in_thread(lambda: (book.get(job_id), book.log(job_id)))

    async def cancel(self, job_id: str) -> Job:
        """Stop a job, close what it was at, and open its problems again. Raises NotFound, Conflict."""
        desk = self._desk(Origin.here())

        def work() -> Job:
            job = JobBook(desk.home, desk.clock).cancel(job_id)
            recover(desk)
            desk.on_change("flow:job-finished", {"runId": job.id, "status": job.status.value, "run": job.run_id or ""})
            return job

        job = await self._core.in_thread(work)
        await self._feedback.refresh(Origin.here())
        return job

    async def finish(self, job_id: str, *, run_id: str | None, exit_code: int, error: str | None = None) -> Job:
        """Note how a job ended; by its own process."""
        desk = self._desk(Origin.here())

        def work() -> Job:
            job = self._book().finish(job_id, run_id=run_id, exit_code=exit_code, error=error)
            desk.on_change("flow:job-finished", {"runId": job.id, "status": job.status.value, "run": run_id or ""})
            return job

        return await self._core.in_thread(work)

    def _book(self) -> JobBook:
        desk = self._desk(Origin.here())
        return JobBook(desk.home, desk.clock)

    def _desk(self, origin: Origin) -> FlowDesk:
        return open_desk(self._core, origin)
