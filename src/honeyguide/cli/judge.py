"""``honeyguide judge exam``: is the judge fit to judge?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session

app = typer.Typer(help="The model that grades.", no_args_is_help=True)


@app.callback()
def _noun() -> None:
    """Keep ``exam`` a word of its own."""


@app.command()
def exam(
    import_: Annotated[Path | None, typer.Option("--import", help="Graded cases, one JSON object a line.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    json: session.Json = False,
) -> None:
    """Let the judge grade cases that you graded; a judge below the bar may not verify."""
    result = session.run_with_workspace(lambda workspace: workspace.judge_exam(import_, is_confirmed=yes))
    data = result.to_json()
    if json:
        output.print_json(data)
        return
    mark = "[green]passed[/]" if result.passed else "[red]did not pass[/]"
    output.console().print(f"{output.shown(result.model)} {mark} on {data['n']} cases.")
    for sentence in data["failures"]:
        output.console().print(f"  {output.shown(sentence)}")
    for line in data["skipped"]:
        output.console().print(f"[yellow]![/] line {line['line']}: {output.shown(line['reason'])}")
