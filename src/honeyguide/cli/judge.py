"""``honeyguide judge exam``: is the judge fit to judge?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput

app = typer.Typer(help="The model that grades.", no_args_is_help=True)


@app.callback()
def _noun() -> None:
    """Keep ``exam`` a word of its own."""


@app.command()
def exam(
    import_: Annotated[Path | None, typer.Option("--import", help="Graded cases, one JSON object a line.")] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", help="Write answers to grade there.", metavar="FILE"),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    json: session.Json = False,
) -> None:
    """Let the judge grade cases that you graded; a judge below the bar may not verify."""
    if export is not None:
        _export(export, also=import_, json=json)
        return
    result = session.run_with_workspace(lambda workspace: workspace.judge_exam(import_, is_confirmed=yes))
    data = result.to_json()
    if json:
        output.print_json(data)
        return
    mark = "[green]passed[/]" if result.passed else "[red]did not pass[/]"
    output.console().print(f"{output.shown(result.model)} {mark} on {data['n']} cases.")
    output.print_facts(
        {
            "agreement beyond chance (kappa)": _between(data["kappa"]),
            "same verdict each time": _between(data["repeatability"]),
            "changes with the order": _between(data["position_flips"]),
            "score per 1,000 characters": _between(data["length_slope"]),
            "prefers its own answers by": _between(data["self_preference"]),
            "missing verdicts": f"{data['unscored']} of {data['verdicts']}",
        }
    )
    for sentence in data["failures"]:
        output.console().print(f"  {output.shown(sentence)}")
    for line in data["skipped"]:
        output.console().print(f"[yellow]![/] line {line['line']}: {output.shown(line['reason'])}")


def _export(file: Path, *, also: Path | None, json: bool) -> None:
    if also is not None:
        raise InvalidInput("--export and --import are two steps.", hint="Fill in the grades between them.")
    count = session.run_with_workspace(lambda workspace: workspace.export_answers_to_grade(file))
    if json:
        output.print_json({"path": str(file), "answers": count})
        return
    output.console().print(
        f"{count} answers are in {output.shown(str(file))}. Write good or bad as the grade of each, then give the file "
        "to --import."
        if count
        else "There are no answers to grade yet: they come from the unseen cases of past runs."
    )


def _between(figure: dict[str, Any]) -> str:
    """Return a figure with its interval."""
    value, interval = figure["value"], figure["interval"]
    if value is None:
        return "not known"
    return f"{value:.2f}" + (f" ({interval[0]:.2f} to {interval[1]:.2f})" if interval else "")
