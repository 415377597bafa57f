"""``honeyguide flow …``: run flows, plan and make proposals, decide on them."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import flow_decisions, flow_jobs, output, session
from honeyguide.cli.flow_printing import (
    REFUSED,
    exit_code_of,
    listener,
    print_detail,
    print_outcome,
    print_plan,
    tell_plan,
)
from honeyguide.kernel.errors import InvalidInput, PolicyRefused
from honeyguide.workspace import FlowOptions, FlowRunDetail, SearchSize, SuiteOutcome, Workspace

app = typer.Typer(help="Markdown flows: run them, and change them with proof.", no_args_is_help=True)
flow_decisions.register(app)
app.add_typer(flow_jobs.app, name="jobs")
Flow = Annotated[Path, typer.Argument(help="The flow's file.", metavar="FLOW.md")]
Engine = Annotated[str | None, typer.Option(help="Instead of the flow's own: a program, api, or practice.")]
Feedback = Annotated[list[str] | None, typer.Option(help="Work on this problem only; may be repeated.", metavar="ID")]
Candidates = Annotated[int, typer.Option(help="Proposals that may be tried.", min=1, max=10)]
Search = Annotated[
    str | None,
    typer.Option(help="Search instead: new prompts a generation x generations, such as 3x2.", metavar="PxG"),
]
Yes = Annotated[bool, typer.Option("--yes", help="Spend without asking.")]
Trust = Annotated[bool, typer.Option("--trust-suite", help="You read the suite's code and trust it as it is.")]


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": False})
def run(
    flow: Flow,
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments of the flow.", metavar="[ARGS]…")] = None,
    engine: Engine = None,
    no_evolve: Annotated[bool, typer.Option("--no-evolve", help="Nothing automatic afterwards.")] = False,
    allow_nested: Annotated[bool, typer.Option("--allow-nested", help="A flow inside a flow is meant.")] = False,
    json: session.Json = False,
) -> None:
    """Run a flow on its engine; its exit code is passed on."""
    stdin = None if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    result = session.run_with_workspace(
        lambda workspace: workspace.run_flow(
            flow, arguments or (), stdin=stdin or None, engine=engine, no_evolve=no_evolve or json,
            allow_nested=allow_nested, origin=session.origin(),
        )
    )  # fmt: skip
    if json:
        output.print_json(result.to_json())
    else:
        sys.stdout.write(result.stdout if result.stdout.endswith("\n") or not result.stdout else f"{result.stdout}\n")
        sys.stdout.flush()
        sys.stderr.write(result.stderr)
        for note in result.notes:
            output.notes().print(output.shown(note), style="dim")
        if result.after is not None and result.after.message:
            output.notes().print(output.shown(result.after.message), style="dim")
        if result.job is not None:
            output.notes().print(f"queued: {result.job['id']}", style="dim")
    if result.exit_code:
        raise typer.Exit(result.exit_code)


@app.command()
def plan(
    flow: Flow,
    engine: Engine = None,
    feedback: Feedback = None,
    candidates: Candidates = 1,
    search: Search = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Say what a proposal would do and cost; free, and nothing is run."""
    options = FlowOptions(engine, tuple(feedback or ()), candidates, _size(search))
    made = session.run_with_workspace(lambda workspace: workspace.plan_flow(flow, options))
    tell_plan(made, as_json=json, as_events=events)


@app.command("eval")
def eval_(
    flow: Flow,
    case: Annotated[str | None, typer.Option(help="Only this case.", metavar="NAME")] = None,
    engine: Engine = None,
    yes: Yes = False,
    trust_suite: Trust = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Run a flow's suite on a copy of its repository, and keep the results with a receipt."""
    options = FlowOptions(engine, trusts_suite=trust_suite)

    async def work(workspace: Workspace) -> SuiteOutcome:
        confirmed = await _confirmed(workspace, flow, options, yes, may_ask=not (json or events), what="eval")
        return await workspace.eval_flow(
            flow, confirmed, case=case, on_event=listener(events, json), origin=session.origin()
        )

    outcome = session.run_with_workspace(work)
    if not output.print_document(outcome.to_json(), as_json=json, as_events=events):
        print_outcome(outcome)
    if not outcome.is_clean:
        raise typer.Exit(REFUSED)


@app.command()
def propose(
    flow: Flow,
    engine: Engine = None,
    feedback: Feedback = None,
    candidates: Candidates = 1,
    search: Search = None,
    yes: Yes = False,
    trust_suite: Trust = False,
    automatic: Annotated[bool, typer.Option("--automatic", hidden=True)] = False,
    job: Annotated[str | None, typer.Option("--job", hidden=True)] = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Make a proposal and prove it; the flow stays as it is until you apply."""
    options = FlowOptions(
        engine, tuple(feedback or ()), candidates, _size(search), trusts_suite=trust_suite, is_automatic=automatic
    )

    async def work(workspace: Workspace) -> FlowRunDetail:
        confirmed = await _confirmed(workspace, flow, options, yes, may_ask=not (json or events), what="propose")
        made = workspace.propose_flow(flow, confirmed, on_event=listener(events, json), origin=session.origin())
        finished = await (made if job is None else flow_jobs.as_job(workspace, job, made))
        return await workspace.flow_run(finished.id)

    detail = session.run_with_workspace(work)
    if not output.print_document(detail.to_json(), as_json=json, as_events=events):
        print_detail(detail)
    if code := exit_code_of(detail.run):
        raise typer.Exit(code)


async def _confirmed(
    workspace: Workspace, flow: Path, options: FlowOptions, yes: bool, *, may_ask: bool, what: str
) -> FlowOptions:
    """Return the options with the person's agreement; the default answer is No. Raises PolicyRefused."""
    plan = await workspace.plan_flow(flow, options)
    agreed = yes or plan.is_free
    if not agreed and may_ask and sys.stdin.isatty() and (plan.ready or what == "eval"):
        print_plan(plan)
        agreed = typer.confirm("Spend this?", default=False)
        if not agreed:
            raise PolicyRefused("Not confirmed; nothing was called.")
    return replace(options, is_confirmed=agreed)


def _size(text: str | None) -> SearchSize | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d{1,2})x(\d{1,2})", text)
    if found is None:
        raise InvalidInput(f"{text!r} is no size of a search.", hint="Write it as 3x2.")
    return SearchSize(int(found[1]), int(found[2]))
