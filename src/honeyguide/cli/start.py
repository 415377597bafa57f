"""Commands to begin with: the window, ``init``, ``doctor``, the desktop entry."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.workspace import Workspace


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(init)
    app.command()(doctor)


def open_window(*, smoke: bool) -> int:
    """Open the window on the chosen workspace and return its exit code."""
    return session.front_ends().window(session.workspace_path(), smoke)


def init(
    directory: Annotated[Path, typer.Argument(help="Where the workspace is made.", metavar="DIR")],
    sample: Annotated[bool, typer.Option("--sample", help="With the sample's agent and its history.")] = False,
    json: session.Json = False,
) -> None:
    """Make a workspace."""

    async def work() -> dict[str, object]:
        workspace = await Workspace.create(directory, sample=sample)
        Workspace.remember(workspace.path)
        try:
            rows = await workspace.targets()
            return {
                "path": str(workspace.path),
                "targets": len(rows),
                "traces": sum(row.traces for row in rows),
                "sample": sample,
            }
        finally:
            await workspace.close()

    answer = session.run_async(work)
    if json:
        output.print_json(answer)
        return
    output.console().print(f"Made a workspace in {output.shown(str(answer['path']))}.")
    if sample:
        output.console().print(f"It holds {answer['targets']} targets and {answer['traces']} traces of the sample.")


def doctor(json: session.Json = False) -> None:
    """Say what works here and what does not, each with its remedy."""

    async def work() -> dict[str, object]:
        report = await Workspace.doctor(session.workspace_path())
        return report.to_json()

    answer = session.run_async(work)
    if json:
        output.print_json(answer)
        return
    checks = answer["checks"]
    assert isinstance(checks, list)
    for check in checks:
        mark = "[green]✓[/]" if check["ok"] else "[yellow]![/]"
        output.console().print(f"{mark} {output.shown(check['message'])}")
        if not check["ok"] and check["remedy"]:
            output.console().print(f"  {output.shown(check['remedy'])}", style="dim")
