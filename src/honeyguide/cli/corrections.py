"""``honeyguide corrections …``: where people were not satisfied, and what a person says of it."""

from __future__ import annotations

from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput

app = typer.Typer(help="Corrections found in the history.", no_args_is_help=True)
Id = Annotated[int, typer.Argument(help="The correction's number.", metavar="ID")]


@app.command("list")
def list_(
    state: Annotated[str | None, typer.Option(help="suggested, confirmed or dismissed.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=10_000)] = 50,
    json: session.Json = False,
) -> None:
    """List corrections."""
    page = session.run_with_workspace(lambda workspace: workspace.corrections(state=state, limit=limit))
    if json:
        output.print_json({"corrections": [row.to_json() for row in page.items], "total": page.total})
        return
    output.console().print(
        output.table(
            ["id", "state", "found by", "words"],
            [(r.id, r.state, r.detector, output.preview(r.span)) for r in page.items],
        )
    )


@app.command()
def show(id: Id, json: session.Json = False) -> None:
    """Show one correction with the answer it is about."""
    detail = session.run_with_workspace(lambda workspace: workspace.correction(id))
    if json:
        output.print_json(detail.to_json())
        return
    output.print_facts({k: v for k, v in detail.to_json().items() if isinstance(v, str | int | float) or v is None})


@app.command()
def confirm(
    id: Annotated[int | None, typer.Argument(help="The correction's number.", metavar="ID")] = None,
    edit: Annotated[str | None, typer.Option(help="Say in your own words what was wrong.", metavar="TEXT")] = None,
    detector: Annotated[str | None, typer.Option(help="Instead of ID: all that this detector found.")] = None,
    target: Annotated[str | None, typer.Option(help="Instead of ID: all about this target.")] = None,
    json: session.Json = False,
) -> None:
    """Confirm a correction, or all of a kind; each becomes an example."""
    if id is None:
        _confirm_many(detector, target, json=json)
        return
    if detector or target:
        raise InvalidInput("A number and a kind exclude each other.", hint="Give ID, or --detector and --target.")
    row = session.run_with_workspace(lambda workspace: workspace.confirm_correction(id, edit=edit))
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Confirmed {row.id}.")


@app.command()
def dismiss(id: Id, json: session.Json = False) -> None:
    """Say that it was no correction."""
    row = session.run_with_workspace(lambda workspace: workspace.dismiss_correction(id))
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Dismissed {row.id}.")


@app.command()
def reopen(id: Id, json: session.Json = False) -> None:
    """Take a verdict back: it is to be judged again, and its trace is what it was before."""
    row = session.run_with_workspace(lambda workspace: workspace.reopen_correction(id))
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"{row.id} is to be judged again.")


def _confirm_many(detector: str | None, target: str | None, *, json: bool) -> None:
    count, left = session.run_with_workspace(
        lambda workspace: workspace.confirm_corrections(detector=detector, target=target)
    )
    if json:
        output.print_json({"confirmed": count, "without_words": left})
        return
    output.console().print(f"Confirmed {count}.")
    if left:
        output.console().print(f"{left} have no words that say what was wrong; confirm each with --edit.")
