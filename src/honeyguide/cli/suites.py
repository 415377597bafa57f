"""``honeyguide suites …``: eval suites of any target; a flow's stands beside it (``honeyguide flow``)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.cli.flow_printing import REFUSED, print_outcome
from honeyguide.kernel.errors import PolicyRefused
from honeyguide.workspace import ModelRef, ModelRole, RunOptions, SuiteOutcome, SuiteProgress, SuiteView, Workspace

app = typer.Typer(help="Eval suites of any target.", no_args_is_help=True)
Target = Annotated[str, typer.Argument(help="NAME, or KIND:NAME.", metavar="TARGET")]


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
    _tell(session.run_with_workspace(lambda workspace: workspace.suite(target)), json, events)


@app.command("eval")
def eval_(
    target: Target,
    case: Annotated[str | None, typer.Option(help="Only this case.", metavar="NAME")] = None,
    model: Annotated[str | None, typer.Option(help="Who answers: PROVIDER:MODEL.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Run a target's suite on its live text, and keep the results with a receipt."""
    options = RunOptions(models={ModelRole.EXECUTOR: ModelRef.parse(model)} if model else {}, is_confirmed=yes)

    def told(progress: SuiteProgress) -> None:
        detail = {"case": progress.case, "trial": progress.trial, "done": progress.done, "planned": progress.planned,
                  "status": progress.status.value}  # fmt: skip
        if events:
            output.print_event("progress", {"phase": "trial", "message": "", "detail": detail})
        elif not json:
            output.notes().print(f"[dim]   trial[/]  {output.shown(progress.case)}  {progress.status.value}")

    async def work(workspace: Workspace) -> SuiteOutcome:
        view = await workspace.suite(target, options)
        confirmed = yes or not view.costs_money
        if not confirmed and not (json or events) and sys.stdin.isatty():
            _print(view)
            if not typer.confirm("Spend this?", default=False):
                raise PolicyRefused("Not confirmed; nothing was called.")
            confirmed = True
        agreed = options.confirmed() if confirmed else options
        return await workspace.eval_suite(target, agreed, case=case, on_trial=told)

    outcome = session.run_with_workspace(work)
    if not output.print_document(outcome.to_json(), as_json=json, as_events=events):
        print_outcome(outcome)
    if not outcome.is_clean:
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
