"""Running harness folders for the front ends: one run, or any number of them while serving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.harnesses.changes.snapshots import Snapshots
from honeyguide.harnesses.engine import run_with_hiveloom
from honeyguide.harnesses.folder import Harness
from honeyguide.harnesses.running.ports import RunPorts
from honeyguide.harnesses.running.results import RunOutcome, outcome_of
from honeyguide.harnesses.running.runner import run_harness
from honeyguide.harnesses.running.support import model_ref, require_supported, with_model
from honeyguide.harnesses.running.tools import RunHooks
from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unwritable
from honeyguide.llm import ModelRef, RunModels
from honeyguide.workspace.harness_evolving import HarnessEvolving
from honeyguide.workspace.harness_home import HarnessHome
from honeyguide.workspace.harness_records import records_of
from honeyguide.workspace.harness_recovery import recovered
from honeyguide.workspace.views.harnesses import HarnessDocument

OnEvent = Callable[[Mapping[str, Any]], None]
OWN_ENGINE = "honeyguide"
HIVELOOM = "hiveloom"


@dataclass(frozen=True, slots=True)
class HarnessRun:
    """What a run came to, as printed, with the exit code of the command line."""

    document: HarnessDocument
    exit_code: int
    outcome: RunOutcome | None = None
    drafted: tuple[str, ...] = ()


class HarnessRunning:
    """Runs harnesses whose code is trusted."""

    def __init__(self, home: HarnessHome, evolving: HarnessEvolving) -> None:
        self.home = home
        self._evolving = evolving

    async def run(
        self,
        path: Path,
        input: str,
        *,
        model: ModelRef | None = None,
        engine: str = OWN_ENGINE,
        confirmed: bool = False,
        run_id: str | None = None,
        on_event: OnEvent = lambda event: None,
        is_stopped: Callable[[], str] = lambda: "",
    ) -> HarnessRun:
        """Run a harness on a text, which is never taken for a path.

        Raises:
            Untrusted: its code is not trusted here.
            Unsupported: our runner does not do it; says so by name.
            PolicyRefused: the model costs money and nobody agreed.
        """
        harness = await self.home.in_thread(lambda: recovered(self.home, path))
        _ = harness.spec
        await self.home.in_thread(lambda: self.home.trust.require(harness))
        if engine == HIVELOOM:
            return await self._run_elsewhere(harness, input, model)
        require_supported(harness.spec)
        spec = harness.spec if model is None else with_model(harness.spec, model)
        ref = model or model_ref(spec)
        registry = self.home.registry()
        if registry.costs_money(ref) and not confirmed:
            raise PolicyRefused(
                f"{ref} costs money, and nobody agreed to that.",
                hint="Add --yes; the spec's max_cost_usd is the ceiling.",
                details={"model": str(ref)},
            )
        models = await self.home.in_thread(self._models)
        try:
            ports = RunPorts(
                models.client(ref),
                ref,
                registry.quote(ref),
                self.home.clock,
                self.home.environ,
                self._hooks(path, harness.version),
                on_event,
                is_stopped=is_stopped,
            )
            outcome = await run_harness(harness, spec, input, ports, run_id=run_id, requested=model)
        finally:
            await models.close()
            models.journal.path.unlink(missing_ok=True)
        await self.home.in_thread(lambda: self._remember(path))
        drafted = await self._evolving.after_run(path, outcome, agreed=confirmed)
        return HarnessRun(HarnessDocument(outcome.data), outcome.exit_code, outcome, tuple(drafted))

    async def _run_elsewhere(self, harness: Harness, input: str, model: ModelRef | None) -> HarnessRun:
        name = None if model is None else model.model
        code, data = await self.home.in_thread(lambda: run_with_hiveloom(harness, input, self.home.environ, name))
        if "status" not in data:
            said = data.get("error")
            raise InvalidInput(
                f"hiveloom refused the run: {said}.",
                hint="See 'hiveloom validate' and 'hiveloom doctor' for the folder.",
            )
        data = {**data, "engine": HIVELOOM}
        await self.home.in_thread(lambda: self._remember(harness.root))
        return HarnessRun(HarnessDocument(data), code, outcome_of(data))

    def _models(self) -> RunModels:
        folder = self.home.state / "calls"
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return RunModels.open(
            self.home.registry(),
            folder / f"run-{self.home.new_id()}.jsonl",
            max_calls=self.home.max_calls,
            max_usd=self.home.max_usd,
            max_tokens=self.home.max_tokens,
            shared=self.home.ledgers(),
            redact=self.home.redact,
        )

    def _remember(self, path: Path) -> None:
        """Ingest the new journal and keep the state it ran with, so that one can go back to it."""
        opened = records_of(self.home, path)
        try:
            Snapshots(opened.harness.ours).keep(opened.harness, self.home.now)
        except Unwritable:
            return

    def _hooks(self, path: Path, version: str) -> RunHooks:
        def recall(limit: int, include_output: bool, scope: str) -> list[dict[str, Any]]:
            rows = []
            for run in reversed(records_of(self.home, path).runs):
                if run.is_finished and (scope != "version" or run.version == version):
                    feedback = [v.feedback for v in run.verdicts if not v.passed and v.feedback]
                    row = {"task": run.task, "status": run.status, "feedback": feedback[:3]}
                    rows.append(row | ({"output": run.output} if include_output else {}))
            return rows[: limit * 10]

        def propose(entry: Mapping[str, Any]) -> tuple[str, str]:
            return self._evolving.queue_lesson(records_of(self.home, path), dict(entry), "executor")

        return RunHooks(recall=recall, propose_memory=propose)
