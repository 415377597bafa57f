"""``honeyguide flow list|show|apply|reject|rollback|prune|import-runs``: look at proposals, and decide on them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.cli.flow_printing import print_detail
from honeyguide.workspace import FlowRun

RunId = Annotated[str, typer.Argument(help="The proposal's id, evr_…", metavar="RUN")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("list")(list_)
    for command in (show, apply, reject, rollback, prune):
        app.command()(command)
    app.command("import-runs")(import_runs)


def list_(
    flow: Annotated[Path | None, typer.Argument(help="Only those of this flow.", metavar="[FLOW.md]")] = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """List proposals, newest first."""
    found = session.run_with_workspace(lambda workspace: workspace.flow_runs(flow))
    if output.print_document(found.to_json(), as_json=json, as_events=events):
        return
    rows = [
        (r.run.id, r.run.status.value, Path(str(r.run.flow.get("path", ""))).name, output.preview(r.run.reason))
        for r in found.runs
    ]
    output.console().print(output.table(["run", "status", "flow", "reason"], rows))
    for run_id in found.damaged:
        output.notes().print(f"[yellow]![/] {run_id} cannot be read")


def show(run: RunId, events: session.Events = False, json: session.Json = False) -> None:
    """Show a proposal with its proof, looked at anew."""
    detail = session.run_with_workspace(lambda workspace: workspace.flow_run(run))
    if not output.print_document(detail.to_json(), as_json=json, as_events=events):
        print_detail(detail)


def apply(
    run: RunId,
    approve_capabilities: Annotated[
        bool, typer.Option("--approve-capabilities", help="What it could newly do is meant.")
    ] = False,
    note: Annotated[str, typer.Option(help="Kept with the version.", metavar="TEXT")] = "",
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Make a proposal live, if everything is as it was when it was proved."""
    _decided(
        session.run_with_workspace(
            lambda w: w.apply_flow(run, approve_capabilities=approve_capabilities, note=note, origin=session.origin())
        ),
        json,
        events,
    )


def reject(
    run: RunId,
    reason: Annotated[str, typer.Option(help="Why.", metavar="TEXT")] = "",
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Turn a proposal down; its problems are open again."""
    _decided(
        session.run_with_workspace(lambda w: w.reject_flow(run, reason=reason, origin=session.origin())), json, events
    )


def rollback(run: RunId, events: session.Events = False, json: session.Json = False) -> None:
    """Bring back what was live before a proposal."""
    _decided(session.run_with_workspace(lambda w: w.rollback_flow(run, origin=session.origin())), json, events)


def prune(
    days: Annotated[float, typer.Option(help="Remove what is older.", min=0)] = 30,
    yes: Annotated[bool, typer.Option("--yes", help="Remove without asking.")] = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Remove old proposals that were not applied; what a rollback needs stays."""
    confirmed = yes or (
        not (json or events)
        and sys.stdin.isatty()
        and typer.confirm(f"Remove what is older than {days:g} days?", default=False)
    )
    pruned = session.run_with_workspace(lambda w: w.prune_flows(days, confirmed=confirmed, origin=session.origin()))
    if not output.print_document(pruned.to_json(), as_json=json, as_events=events):
        output.console().print(f"Removed {len(pruned.runs)} run(s) and {len(pruned.jobs)} job(s).")


def import_runs(
    folder: Annotated[Path, typer.Argument(help="A folder that holds them.", metavar="DIR")],
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Take over runs and feedback that mdflow wrote, to look at."""
    report = session.run_with_workspace(lambda w: w.import_flow_runs(folder, origin=session.origin()))
    if output.print_document(report.to_json(), as_json=json, as_events=events):
        return
    output.print_facts({"runs": len(report.runs), "known": len(report.known), "feedback": len(report.feedback)})
    for problem in report.problems:
        output.notes().print(f"[yellow]![/] {output.shown(problem)}")


def _decided(run: FlowRun, json: bool, events: bool) -> None:
    if not output.print_document({"run": run.to_json()}, as_json=json, as_events=events):
        output.console().print(f"Status: {run.status.value}")
