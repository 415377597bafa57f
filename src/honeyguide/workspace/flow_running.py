"""A flow, run once on its engine, and what its policy lets follow."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from honeyguide.feedback import FailureClass
from honeyguide.flows.after_run import NextStep, after_run
from honeyguide.flows.children import Children
from honeyguide.flows.desk import FlowDesk, FlowView
from honeyguide.flows.engines.running import ACTIVE_FLOW, EngineCall
from honeyguide.flows.engines.table import MODEL_ENGINES, PRACTICE
from honeyguide.flows.rendering import RenderSite, fill_in, takes_input
from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unsupported
from honeyguide.suites import Attempt
from honeyguide.workspace.core import Core
from honeyguide.workspace.feedback import Feedbacks
from honeyguide.workspace.flow_desk import open_desk
from honeyguide.workspace.flow_jobs import FlowJobs
from honeyguide.workspace.flow_models import in_own_loop
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.views.flows import FlowRunResult

RUN_TIMEOUT_MS: Final = 3_600_000
CHARS_PER_TOKEN: Final = 4


class FlowRunning:
    """Runs flows."""

    def __init__(self, core: Core, feedback: Feedbacks, jobs: FlowJobs) -> None:
        self._core = core
        self._feedback = feedback
        self._jobs = jobs

    async def run(
        self,
        path: Path,
        arguments: Sequence[str],
        *,
        stdin: str | None,
        engine: str | None,
        no_evolve: bool,
        allow_nested: bool,
        origin: Origin,
    ) -> FlowRunResult:
        """Run a flow once on its engine, and do afterwards what its policy says. Raises NotFound, InvalidInput."""
        desk = open_desk(self._core, origin)
        if desk.environ.get(ACTIVE_FLOW) and not allow_nested:
            raise PolicyRefused(
                "A flow started this; a flow inside a flow would spend without being asked.",
                hint="Add --allow-nested if it is meant.",
                details={"reason_code": "NESTED_FLOW"},
            )
        view = await self._core.in_thread(lambda: desk.look(path, engine=engine))
        if view.document.is_workflow:
            raise Unsupported(
                "Workflows of several steps are not run here.", hint="Run the steps as flows of their own."
            )
        if view.choice.is_document(view.document.fields):
            return FlowRunResult(view.document.body, "", 0, "", is_document=True)
        values: dict[str, Any] = {f"_{n}": value for n, value in enumerate(arguments, start=1)}
        values["_args"] = "\n".join(f"{n}. {value}" for n, value in enumerate(arguments, start=1))
        values["_stdin"] = stdin or ""
        values.setdefault("_1", "")
        result = await in_own_loop(self._core, lambda: _run_once(desk, view, values, stdin, arguments))
        after = await self._core.in_thread(
            lambda: after_run(
                desk, view, given=values, exit_code=result.exit_code, failure=result.failure, no_evolve=no_evolve
            )
        )
        if after.observed is not None:
            await self._feedback.refresh(origin)
        job = await self._jobs.enqueue(path, origin=origin) if after.step is NextStep.PROPOSE else None
        return replace(result, after=after, job=job.to_json() if job else None, notes=view.choice.notes)


async def _run_once(
    desk: FlowDesk, view: FlowView, values: Mapping[str, Any], stdin: str | None, arguments: Sequence[str]
) -> FlowRunResult:
    document, name = view.document, view.choice.engine
    cwd = await asyncio.to_thread(_working_folder, document.fields.get("_cwd"))
    site = RenderSite(
        root=view.place.root, folder=view.place.path.parent, cwd=cwd, home=desk.person_home, fetch=desk.fetch,
        env=dict(desk.environ), watcher=Children(None),
    )  # fmt: skip
    prompt = await asyncio.to_thread(fill_in, document, values, site)
    most = document.fields.get("_max_prompt_tokens")
    if isinstance(most, int) and len(prompt) > most * CHARS_PER_TOKEN:
        raise InvalidInput(f"The prompt has about {len(prompt) // CHARS_PER_TOKEN} tokens; the flow allows {most}.")
    limit = document.fields.get("_max_runtime_ms")
    folder = desk.home.root / "flow-runs" / view.place.flow_id
    access = desk.models.open(folder) if name in MODEL_ENGINES and desk.models is not None else None
    given = stdin if stdin is not None else " ".join(arguments) or None
    is_beside = name == PRACTICE or not takes_input(document)
    try:
        engine = desk.engine(name, view, access=access, model=view.model, watcher=Children(None))
        attempt = await engine.run(
            EngineCall(
                prompt=prompt,
                message=given if name in MODEL_ENGINES and is_beside else None,
                cwd=cwd,
                timeout_ms=limit if isinstance(limit, int) and limit > 0 else RUN_TIMEOUT_MS,
                fields=document.fields,
                repetition=int(desk.clock.now().timestamp() * 1000) if name in MODEL_ENGINES else 0,
            )
        )
    finally:
        if access is not None:
            await access.close()
    code = 124 if attempt.timed_out else attempt.exit_code if attempt.exit_code is not None else 1
    return FlowRunResult(attempt.stdout, attempt.stderr, code, name, timed_out=attempt.timed_out, failure=_why(attempt))


def _why(attempt: Attempt) -> FailureClass | None:
    return FailureClass.TIMEOUT if attempt.timed_out else attempt.why


def _working_folder(named: Any) -> Path:
    return Path(str(named)).expanduser() if named else Path.cwd()
