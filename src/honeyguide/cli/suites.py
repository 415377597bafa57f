"""``honeyguide suites …``: eval suites of any target; a flow's stands beside it (``honeyguide flow``)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.cli.flow_printing import REFUSED, print_outcome
from honeyguide.kernel.errors import PolicyRefused
from honeyguide.workspace import (
    ModelRef,
    ModelRole,
    RunOptions,
    SuiteOutcome,
    SuiteProgress,
    SuiteRecord,
    SuiteView,
    Workspace,
    harness_at,
)

app = typer.Typer(help="Eval suites of any target.", no_args_is_help=True)
Target = Annotated[str, typer.Argument(help="NAME, KIND:NAME, or the folder of a harness.", metavar="TARGET")]
Model = Annotated[str | None, typer.Option(help="Who answers: PROVIDER:MODEL.")]
Yes = Annotated[bool, typer.Option("--yes", help="Spend without asking.")]


@app.command()
def attach(
    target: Target,
    file: Annotated[Path, typer.Argument(help="The suite, in YAML.", metavar="FILE")],
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Keep a suite for a target in the workspace."""
    _tell(session.run_with_workspace(lambda workspace: workspace.attach_suite(target, file)), json, events)


@app.command()
def detach(target: Target, events: session.Events = False, json: session.Json = False) -> None:
    """Remove the suite that was attached to a target."""
    _tell(session.run_with_workspace(lambda workspace: workspace.detach_suite(target)), json, events)


@app.command()
def show(target: Target, events: session.Events = False, json: session.Json = False) -> None:
    """Show a target's suite and what its last results say; free, and nothing is run."""
    folder = harness_at(target)
    _tell(
        session.run_with_workspace(lambda w: w.suite(target) if folder is None else w.harness_suite(folder)),
        json,
        events,
    )


@app.command("eval")
def eval_(
    target: Target,
    case: Annotated[str | None, typer.Option(help="Only this case.", metavar="NAME")] = None,
    model: Model = None,
    yes: Yes = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Run a target's suite on its live text, and keep the results with a receipt."""
    options = RunOptions(models=_executor(model), is_confirmed=yes)
    told = _teller(json, events)
    folder = harness_at(target)

    async def work(workspace: Workspace) -> SuiteOutcome:
        view = await (workspace.suite(target, options) if folder is None else workspace.harness_suite(folder))
        agreed = options.confirmed() if _agreed(view, yes, may_ask=not (json or events)) else options
        if folder is None:
            return await workspace.eval_suite(target, agreed, case=case, on_trial=told)
        return await workspace.eval_harness(
            folder, model=_ref(model), case=case, confirmed=agreed.is_confirmed, on_trial=told
        )

    outcome = session.run_with_workspace(work)
    if not output.print_document(outcome.to_json(), as_json=json, as_events=events):
        print_outcome(outcome)
    if not outcome.is_clean:
        raise typer.Exit(REFUSED)


@app.command()
def prove(
    directory: Annotated[Path, typer.Argument(help="The harness folder.", metavar="DIR")],
    proposal: Annotated[str, typer.Argument(help="The draft's id, prop_…", metavar="ID")],
    model: Model = None,
    yes: Yes = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Run a harness's suite on it and on a copy with a draft applied; the folder stays as it is."""
    told = _teller(json, events)

    async def work(workspace: Workspace) -> SuiteRecord:
        view = await workspace.harness_suite(directory)
        confirmed = _agreed(view, yes, may_ask=not (json or events))
        return await workspace.prove_harness(directory, proposal, model=_ref(model), confirmed=confirmed, on_trial=told)

    record = session.run_with_workspace(work)
    data = record.to_json()
    if not output.print_document(data, as_json=json, as_events=events):
        output.console().print(f"{output.shown(data['label'])}: {output.shown(data['reason'])}")
        output.console().print(f"Trials: {data['actualInvocations']}/{data['plannedInvocations']}")
    if data["outcome"] in ("rejected", "inconclusive"):
        raise typer.Exit(REFUSED)


@app.command()
def schema() -> None:
    """Print the JSON schema of a suite, for editors."""
    output.print_json(Workspace.suite_schema())


def _tell(view: SuiteView, json: bool, events: bool) -> None:
    if not output.print_document(view.to_json(), as_json=json, as_events=events):
        _print(view)


def _print(view: SuiteView) -> None:
    if view.path is None:
        output.console().print(f"{output.shown(view.target)} has no eval suite.")
        return
    invocations = sum(case.repetitions for case in view.cases)
    output.print_facts(
        {
            "target": view.target,
            "suite": view.path,
            "cases": f"{len(view.cases)}, {invocations} trial(s), at most {view.calls} call(s)",
            "last results": f"{view.verdict[0].value}, {view.verdict[2]}",
        }
    )
    if view.problem is not None:
        output.console().print(f"[yellow]{view.problem[0]}[/]  {output.shown(view.problem[1])}")
    for case in view.cases:
        linked = f"  reproduces {', '.join(case.evidence)}" if case.evidence else ""
        output.console().print(f"  {output.shown(case.name)}{output.shown(linked)}")


def _ref(model: str | None) -> ModelRef | None:
    return None if model is None else ModelRef.parse(model)


def _executor(model: str | None) -> dict[ModelRole, ModelRef]:
    return {} if model is None else {ModelRole.EXECUTOR: ModelRef.parse(model)}


def _teller(json: bool, events: bool) -> Callable[[SuiteProgress], None]:
    def told(progress: SuiteProgress) -> None:
        detail = {"case": progress.case, "trial": progress.trial, "done": progress.done, "planned": progress.planned,
                  "status": progress.status.value}  # fmt: skip
        if events:
            output.print_event("progress", {"phase": "trial", "message": "", "detail": detail})
        elif not json:
            output.notes().print(f"[dim]   trial[/]  {output.shown(progress.case)}  {progress.status.value}")

    return told


def _agreed(view: SuiteView, yes: bool, *, may_ask: bool) -> bool:
    """Say whether the person agrees to what a suite costs; the default answer is No. Raises PolicyRefused."""
    if yes or not view.costs_money:
        return True
    if not may_ask or not sys.stdin.isatty():
        return False
    _print(view)
    if not typer.confirm("Spend this?", default=False):
        raise PolicyRefused("Not confirmed; nothing was called.")
    return True
