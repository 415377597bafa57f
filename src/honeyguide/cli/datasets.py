"""``honeyguide dataset build``: the examples a run would use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session

dataset = typer.Typer(help="Examples mined from history.", no_args_is_help=True)


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.add_typer(dataset, name="dataset")


@dataset.callback()
def _noun() -> None:
    """Keep ``build`` a word of its own."""


@dataset.command()
def build(
    target: Annotated[str, typer.Argument(help="NAME, or KIND:NAME.", metavar="TARGET")],
    seed: Annotated[int, typer.Option(help="Decides the split.")] = 1,
    out: Annotated[Path | None, typer.Option(help="Write the rows as JSON lines.", metavar="FILE.jsonl")] = None,
    json: session.Json = False,
) -> None:
    """Build the dataset of a target; nothing is sent anywhere."""
    report = session.run_with_workspace(lambda workspace: workspace.build_dataset(target, seed=seed, out=out))
    data = report.to_json()
    if json:
        output.print_json(data)
        return
    output.print_facts(
        {
            "hash": data["dataset_hash"],
            "sourced": data["sourced"],
            **data["examples"],
            "written to": data["path"] or "nowhere",
        }
    )
    for reason, count in data["dropped"].items():
        output.console().print(f"dropped {count} × {output.shown(reason)}", style="dim")
