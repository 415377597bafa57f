"""Datasets, plans and runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from honeyguide.workspace.origins import Origin
from honeyguide.workspace.parts import Parts

if TYPE_CHECKING:
    from honeyguide.evolution.requests import Trigger
    from honeyguide.llm import ModelRef, ModelRole
    from honeyguide.prompts.targets import TargetRef
    from honeyguide.workspace.run_watching import OnProgress
    from honeyguide.workspace.views.options import RunOptions
    from honeyguide.workspace.views.runs import DatasetReport, PlanReport, ProgressEvent, RunResult

    Name = str | TargetRef


class RunMethods(Parts):
    """A part of the façade."""

    async def build_dataset(
        self, target: Name, *, seed: int = 1, out: Path | None = None, together: Sequence[Name] = ()
    ) -> DatasetReport:
        """Build a target's dataset and write its rows to ``out`` when given; nothing is sent anywhere.

        Args:
            together: other targets whose history it is mined from as well.
        """
        return await self._mining.report(target, seed=seed, out=out, together=together)

    async def plan(self, target: Name, options: RunOptions) -> PlanReport:
        """Say what a run would do and cost; calls nothing."""
        return await self._running.plan(target, options)

    async def preview_requests(self, target: Name, options: RunOptions) -> list[dict[str, Any]]:
        """Return a run's first requests exactly as they would leave; sends nothing."""
        return await self._running.preview_requests(target, options)

    def costs_money(self, options: RunOptions) -> bool:
        """Say whether a run with these options is paid for."""
        from honeyguide.workspace.preparing import costs_money

        return costs_money(self._core, options)

    async def require_keys(self, options: RunOptions) -> None:
        """Raise NoKey when a model of a run with these options needs a key and none is known."""
        from honeyguide.workspace.preparing import models_for, require_keys

        await require_keys(self._core, models_for(self._core, options))

    def model_for(self, role: ModelRole) -> ModelRef:
        """Return the model of a role."""
        return self._core.model_for(role)

    async def evolve(
        self,
        target: Name,
        options: RunOptions,
        *,
        on_progress: OnProgress | None = None,
        origin: Origin | None = None,
        trigger: Trigger | None = None,
    ) -> RunResult:
        """Run to the end. Cancelling the caller stops the run; what was paid for is kept and ``resume_run`` goes on.

        Raises:
            PolicyRefused: it costs money and ``options`` is not confirmed.
            NoKey, Locked, InvalidInput, NotFound, Interrupted.
        """
        return await self._running.evolve(
            target, options, origin=origin or Origin.here(), on_progress=on_progress, trigger=trigger
        )

    async def start_run(
        self, target: Name, options: RunOptions, *, origin: Origin | None = None, on_progress: OnProgress | None = None
    ) -> str:
        """Begin a run in the background and return its id; follow it with ``subscribe`` (``run:progress``)."""
        return await self._running.start(target, options, origin=origin or Origin.here(), on_progress=on_progress)

    async def wait_run(self, uuid: str) -> RunResult:
        """Wait for a run that was started here. Raises NotFound."""
        return await self._running.wait(uuid)

    async def resume_run(
        self, uuid: str, *, on_progress: OnProgress | None = None, origin: Origin | None = None
    ) -> RunResult:
        """Go on with an interrupted run; no call is paid twice."""
        return await self._running.resume(uuid, origin=origin or Origin.here(), on_progress=on_progress)

    async def cancel_run(self, uuid: str) -> None:
        """Stop a run before its next call, also one of another process."""
        await self._running.cancel(uuid)

    async def notice_dead_runs(self) -> tuple[str, ...]:
        """Mark runs whose process died as interrupted, so that they can be resumed, and return their ids."""
        return await self._core.store.write(lambda unit: unit.attempts.sweep())

    def pause_run(self, uuid: str) -> None:
        """Hold a run of this process before its next call."""
        self._running.pause(uuid)

    def continue_run(self, uuid: str) -> None:
        """Let a paused run go on."""
        self._running.go_on(uuid)

    def is_paused(self, uuid: str) -> bool:
        """Say whether a run of this process is held."""
        return self._running.is_paused(uuid)

    def active_runs(self) -> tuple[str, ...]:
        """Return the ids of the runs of this process."""
        return self._running.active() if self._is_made("_running") else ()

    def last_progress(self, uuid: str) -> ProgressEvent | None:
        """Return where a run of this process stood last."""
        return self._running.last_progress(uuid)

    def progress_so_far(self, uuid: str) -> tuple[ProgressEvent, ...]:
        """Return the steps of a run of this process that told of a candidate, oldest first; at most 5,000."""
        return self._running.progress_so_far(uuid)
