"""``honeyguide versions …``: every state a deployed text ever had, and the way back."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.cli.runs import print_diff

app = typer.Typer(help="Versions of a target.", no_args_is_help=True)
Target = Annotated[str, typer.Argument(help="NAME, or KIND:NAME.", metavar="TARGET")]
Number = Annotated[int, typer.Argument(help="The version's number.", metavar="N")]


@app.command("list")
def list_(target: Target, json: session.Json = False) -> None:
    """List the versions of a target."""
    report = session.run_with_workspace(lambda workspace: workspace.versions(target))
    data = report.to_json()
    if json:
        output.print_json(data)
        return
    output.console().print(
        output.table(
            ["", "n", "created", "origin", "hash", "together with", "note"],
            [
                (
                    "●" if v["current"] else "",
                    v["n"],
                    v["created_at"],
                    v["origin"],
                    v["sha256"][:12],
                    ", ".join(v["together"]),
                    v["note"] or "",
                )
                for v in data["versions"]
            ],
        )
    )


@app.command()
def show(target: Target, n: Number, json: session.Json = False) -> None:
    """Show the text of one version."""
    detail = session.run_with_workspace(lambda workspace: workspace.version(target, n))
    if json:
        output.print_json(detail.to_json())
        return
    output.console().print(output.shown(detail.text))


@app.command()
def diff(target: Target, m: Number, n: Number, json: session.Json = False) -> None:
    """Show what differs between two versions."""
    view = session.run_with_workspace(lambda workspace: workspace.version_diff(target, m, n))
    if json:
        output.print_json(view.to_json())
        return
    print_diff(view)


@app.command()
def backup(
    target: Target,
    note: Annotated[str | None, typer.Option(help="Why.", metavar="TEXT")] = None,
    json: session.Json = False,
) -> None:
    """Store the live text as a version."""
    row = session.run_with_workspace(lambda workspace: workspace.backup(target, note=note, origin=session.origin()))
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Stored as version {row.n}.")


@app.command()
def rollback(
    target: Target,
    to: Annotated[int | None, typer.Option(help="Which version; the previous one when not given.", metavar="N")] = None,
    alone: Annotated[bool, typer.Option("--alone", help="Leave what went live together with it.")] = False,
    json: session.Json = False,
) -> None:
    """Bring an earlier version back, as a new version; what went live together with it goes back in the same step."""
    row = session.run_with_workspace(
        lambda workspace: workspace.rollback(target, to=to, origin=session.origin(), alone=alone)
    )
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Version {row.n} is live.")
    for other in row.together:
        output.console().print(f"{output.shown(other)} went back in the same step.")


@app.command()
def watch(target: Target, json: session.Json = False) -> None:
    """Compare sessions before and after each deployment, and say whether it helped."""
    report = session.run_with_workspace(lambda workspace: workspace.watch(target))
    if json:
        output.print_json(report.to_json())
        return
    for deployment in report.deployments:
        output.console().print(f"version {deployment.n}: {output.shown(deployment.verdict)}")
