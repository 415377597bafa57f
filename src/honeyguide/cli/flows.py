"""``honeyguide flow …``: run flows, plan and make proposals, decide on them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import HoneyguideError, Interrupted, PolicyRefused
from honeyguide.workspace import FlowOptions, FlowPlan, FlowRun, FlowRunDetail, Job, RunStatus, SuiteOutcome, Workspace

app = typer.Typer(help="Markdown flows: run them, and change them with proof.", no_args_is_help=True)
jobs = typer.Typer(help="Proposals in the background.", no_args_is_help=True)
app.add_typer(jobs, name="jobs")
Flow = Annotated[Path, typer.Argument(help="The flow's file.", metavar="FLOW.md")]
RunId = Annotated[str, typer.Argument(help="The proposal's id, evr_…", metavar="RUN")]
JobId = Annotated[str, typer.Argument(help="The job's id, evj_…", metavar="ID")]
Engine = Annotated[str | None, typer.Option(help="Instead of the flow's own: a program, api, or practice.")]
Feedback = Annotated[list[str] | None, typer.Option(help="Work on this problem only; may be repeated.", metavar="ID")]
Candidates = Annotated[int, typer.Option(help="Proposals that may be tried.", min=1, max=10)]
Yes = Annotated[bool, typer.Option("--yes", help="Spend without asking.")]
Trust = Annotated[bool, typer.Option("--trust-suite", help="You read the suite's code and trust it as it is.")]
REFUSED = 6


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
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Say what a proposal would do and cost; free, and nothing is run."""
    options = FlowOptions(engine, tuple(feedback or ()), candidates)
    made = session.run_with_workspace(lambda workspace: workspace.plan_flow(flow, options))
    if events:
        output.print_event("done", made.to_json())
    elif json:
        output.print_json(made.to_json())
    else:
        print_plan(made)
    if made.decision.exit_code:
        raise typer.Exit(made.decision.exit_code)


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
            flow, confirmed, case=case, on_event=_listener(events, json), origin=session.origin()
        )

    outcome = session.run_with_workspace(work)
    if events:
        output.print_event("done", outcome.to_json())
    elif json:
        output.print_json(outcome.to_json())
    else:
        _print_outcome(outcome)
    if not outcome.is_clean:
        raise typer.Exit(REFUSED)


@app.command()
def propose(
    flow: Flow,
    engine: Engine = None,
    feedback: Feedback = None,
    candidates: Candidates = 1,
    yes: Yes = False,
    trust_suite: Trust = False,
    automatic: Annotated[bool, typer.Option("--automatic", hidden=True)] = False,
    job: Annotated[str | None, typer.Option("--job", hidden=True)] = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Make a proposal and prove it; the flow stays as it is until you apply."""
    options = FlowOptions(engine, tuple(feedback or ()), candidates, trusts_suite=trust_suite, is_automatic=automatic)

    async def work(workspace: Workspace) -> FlowRunDetail:
        confirmed = await _confirmed(workspace, flow, options, yes, may_ask=not (json or events), what="propose")
        made = workspace.propose_flow(flow, confirmed, on_event=_listener(events, json), origin=session.origin())
        finished = await (made if job is None else _as_job(workspace, job, made))
        return await workspace.flow_run(finished.id)

    detail = session.run_with_workspace(work)
    if events:
        output.print_event("done", detail.to_json())
    elif json:
        output.print_json(detail.to_json())
    else:
        print_detail(detail)
    if code := exit_code_of(detail.run):
        raise typer.Exit(code)


@app.command("list")
def list_(
    flow: Annotated[Path | None, typer.Argument(help="Only those of this flow.", metavar="[FLOW.md]")] = None,
    json: session.Json = False,
) -> None:
    """List proposals, newest first."""
    found = session.run_with_workspace(lambda workspace: workspace.flow_runs(flow))
    if json:
        output.print_json(found.to_json())
        return
    rows = [
        (r.run.id, r.run.status.value, Path(str(r.run.flow.get("path", ""))).name, output.preview(r.run.reason))
        for r in found.runs
    ]
    output.console().print(output.table(["run", "status", "flow", "reason"], rows))
    for run_id in found.damaged:
        output.notes().print(f"[yellow]![/] {run_id} cannot be read")


@app.command()
def show(run: RunId, json: session.Json = False) -> None:
    """Show a proposal with its proof, looked at anew."""
    detail = session.run_with_workspace(lambda workspace: workspace.flow_run(run))
    if json:
        output.print_json(detail.to_json())
    else:
        print_detail(detail)


@app.command()
def apply(
    run: RunId,
    approve_capabilities: Annotated[
        bool, typer.Option("--approve-capabilities", help="What it could newly do is meant.")
    ] = False,
    note: Annotated[str, typer.Option(help="Kept with the version.", metavar="TEXT")] = "",
    json: session.Json = False,
) -> None:
    """Make a proposal live, if everything is as it was when it was proved."""
    _decided(
        session.run_with_workspace(
            lambda w: w.apply_flow(run, approve_capabilities=approve_capabilities, note=note, origin=session.origin())
        ),
        json,
    )


@app.command()
def reject(
    run: RunId,
    reason: Annotated[str, typer.Option(help="Why.", metavar="TEXT")] = "",
    json: session.Json = False,
) -> None:
    """Turn a proposal down; its problems are open again."""
    _decided(session.run_with_workspace(lambda w: w.reject_flow(run, reason=reason, origin=session.origin())), json)


@app.command()
def rollback(run: RunId, json: session.Json = False) -> None:
    """Bring back what was live before a proposal."""
    _decided(session.run_with_workspace(lambda w: w.rollback_flow(run, origin=session.origin())), json)


@app.command()
def prune(
    days: Annotated[float, typer.Option(help="Remove what is older.", min=0)] = 30,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    json: session.Json = False,
) -> None:
    """Remove old proposals that were not applied; what a rollback needs stays."""
    confirmed = yes or (
        not json and sys.stdin.isatty() and typer.confirm(f"Remove what is older than {days:g} days?", default=False)
    )
    pruned = session.run_with_workspace(lambda w: w.prune_flows(days, confirmed=confirmed, origin=session.origin()))
    if json:
        output.print_json(pruned.to_json())
    else:
        output.console().print(f"Removed {len(pruned.runs)} run(s) and {len(pruned.jobs)} job(s).")


@app.command("import-runs")
def import_runs(
    folder: Annotated[Path, typer.Argument(help="A folder that holds them.", metavar="DIR")],
    json: session.Json = False,
) -> None:
    """Take over runs and feedback that mdflow wrote, to look at."""
    report = session.run_with_workspace(lambda w: w.import_flow_runs(folder, origin=session.origin()))
    if json:
        output.print_json(report.to_json())
        return
    output.print_facts({"runs": len(report.runs), "known": len(report.known), "feedback": len(report.feedback)})
    for problem in report.problems:
        output.notes().print(f"[yellow]![/] {output.shown(problem)}")


@jobs.command("list")
def jobs_list(json: session.Json = False) -> None:
    """List background jobs, newest first."""
    found = session.run_with_workspace(lambda workspace: workspace.flow_jobs())
    if json:
        output.print_json({"jobs": [job.to_json() for job in found], "total": len(found)})
        return
    rows = [(job.id, job.status.value, Path(job.flow_path).name, job.run_id or "") for job in found]
    output.console().print(output.table(["job", "status", "flow", "run"], rows))


@jobs.command("show")
def jobs_show(id: JobId, json: session.Json = False) -> None:
    """Show a background job and what it printed."""
    job, log = session.run_with_workspace(lambda workspace: workspace.flow_job(id))
    if json:
        output.print_json({**job.to_json(), "log": log})
        return
    output.print_facts({"job": job.id, "status": job.status.value, "run": job.run_id, "error": job.error})
    output.console().print(output.shown(log))


@jobs.command("cancel")
def jobs_cancel(id: JobId, json: session.Json = False) -> None:
    """Stop a background job and everything it started."""
    job = session.run_with_workspace(lambda workspace: workspace.cancel_flow_job(id))
    if json:
        output.print_json(job.to_json())
    else:
        output.console().print(f"Stopped {job.id}.")


def exit_code_of(run: FlowRun) -> int:
    """Return 0 for a proposal that can be looked at, or the same text again; else 6."""
    waits = run.status in (RunStatus.VERIFIED_IMPROVEMENT, RunStatus.REGRESSION_SAFE)
    return 0 if waits or run.reason_code == "identical" else REFUSED


def print_plan(made: FlowPlan) -> None:
    """Tell a person what a proposal would do."""
    data = made.to_json()
    console = output.console()
    colour = "green" if made.ready else "yellow"
    console.print(f"[{colour}]{made.decision.code.value}[/]  {output.shown(made.decision.reason)}")
    if made.ready:
        parts = f"{made.candidates} proposal + {made.eval_invocations} current + "
        parts += str(made.eval_invocations * made.candidates)
        console.print(f"cost: at most {made.planned} calls: {parts} proposed")
        low, high = data["usd"]["low"], data["usd"]["high"]
        console.print(f"price: {output.money(low)} to {output.money(high)}")
    maintainer = data["maintainer"]
    isolated = "isolated" if maintainer["isolated"] else "with your own settings"
    model = f"/{maintainer['model']}" if maintainer["model"] else ""
    console.print(f"writes: {data['writes']}")
    console.print(f"maintainer: {output.shown(maintainer['engine'] + model)} ({isolated})")
    console.print(f"last results: {made.verdict[0].value}, {output.shown(made.verdict[2])}")
    for warning in made.warnings:
        console.print(f"[yellow]![/] {output.shown(warning)}")
    console.print(data["notice"], style="dim")


def print_detail(detail: FlowRunDetail) -> None:
    """Tell a person what a proposal is and what proves it."""
    run, console = detail.run, output.console()
    console.print(f"Run: {run.id}")
    console.print(f"Status: {run.status.value}")
    if run.reason:
        console.print(f"Reason: {output.shown(run.reason)}")
    added = list((run.capability_diff or {}).get("added", ()))
    console.print(f"Capabilities: {output.shown(', '.join(added)) if added else 'no additions'}")
    console.print(f"Invocations: {run.actual_invocations}/{run.planned_invocations}")
    if not run.is_imported:
        changed = f" ({', '.join(detail.receipt_changed)})" if detail.receipt_changed else ""
        console.print(f"Receipt: {detail.receipt_state}{changed}")
    for doubt in detail.doubts:
        console.print(f"[yellow]![/] {output.shown(doubt)}")
    if detail.diff:
        console.print(f"\n{output.shown(detail.diff)}")


def _print_outcome(outcome: SuiteOutcome) -> None:
    rows = [(c.case.name, c.status.value, f"{c.passes}/{len(c.trials)}", c.reason) for c in outcome.cases]
    output.console().print(output.table(["case", "result", "trials", "reason"], rows))


def _decided(run: FlowRun, json: bool) -> None:
    if json:
        output.print_json({"run": run.to_json()})
    else:
        output.console().print(f"Status: {run.status.value}")


def _listener(events: bool, json: bool) -> Any:
    def told(kind: str, data: Mapping[str, Any]) -> None:
        if events:
            output.print_event("progress", {"phase": kind, "message": "", "detail": dict(data)})
        elif not json:
            output.notes().print(f"[dim]{kind:>12}[/]  {output.shown(_words(data))}")

    return told


def _words(data: Mapping[str, Any]) -> str:
    return "  ".join(f"{key} {value}" for key, value in data.items() if key != "runId" and value not in ("", []))


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
    return FlowOptions(
        options.engine, options.feedback, options.candidates, agreed, options.trusts_suite, options.is_automatic
    )


async def _as_job(workspace: Workspace, job_id: str, made: Any) -> FlowRun:
    """Do the work of a background job: within its time, and with its end noted."""
    job: Job = (await workspace.flow_job(job_id))[0]
    try:
        run: FlowRun = await asyncio.wait_for(made, job.timeout_s)
    except TimeoutError as error:
        await workspace.finish_flow_job(job_id, run_id=None, exit_code=130, error="It took too long and was stopped.")
        raise Interrupted("The job took too long and was stopped.") from error
    except HoneyguideError as error:
        await workspace.finish_flow_job(job_id, run_id=None, exit_code=error.exit_code, error=error.message)
        raise
    await workspace.finish_flow_job(job_id, run_id=run.id, exit_code=exit_code_of(run))
    return run
