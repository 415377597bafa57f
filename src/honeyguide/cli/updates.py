"""``honeyguide updates check|skip``: whether there is a newer version. Nothing is downloaded."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli import output, session

app = typer.Typer(help="Whether there is a newer Honeyguide; nothing is downloaded.", no_args_is_help=True)


def register(root: typer.Typer) -> None:
    """Add the commands of this file."""
    root.add_typer(app, name="updates")


@app.command()
def check(json: session.Json = False) -> None:
    """Ask the address in the settings (updates.url) once."""
    report = session.run_with_workspace(lambda workspace: workspace.check_for_updates())
    if json:
        output.print_json(report.to_json())
        return
    if not report.is_newer:
        output.console().print(f"Honeyguide {output.shown(report.current)} is the newest version.")
        return
    output.console().print(f"Honeyguide {output.shown(report.newest)} is out since {output.shown(report.released)}.")
    if report.notes_url:
        output.console().print(output.shown(report.notes_url))


@app.command()
def skip(
    version: Annotated[str, typer.Argument(help="The version not to hear of again.", metavar="VERSION")],
    json: session.Json = False,
) -> None:
    """Do not tell of a version again when looking once a day."""
    session.run_with_workspace(lambda workspace: workspace.skip_update(version))
    if json:
        output.print_json({"skipped": version})
    else:
        output.console().print(f"You will hear of the version after {output.shown(version)}.")
