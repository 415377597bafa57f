"""``honeyguide harness metrics|registry …``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output
from honeyguide.cli.harness_session import ask, print_document, read_input
from honeyguide.cli.session import Json
from honeyguide.workspace.harness_views import parse_metric_lines

metrics_app = typer.Typer(help="Numbers that an evaluator recorded for runs.", no_args_is_help=True)
registry_app = typer.Typer(help="The harnesses to serve together.", no_args_is_help=True)
Dir = Annotated[Path, typer.Argument(help="The harness folder.", metavar="DIR")]


@metrics_app.command("record")
def metrics_record(
    directory: Dir,
    file: Annotated[str, typer.Option("--file", help="JSON, or one JSON object a line; - reads standard input.")] = "-",
    json: Json = False,
) -> None:
    """Record numbers for runs; all or none."""
    batch = parse_metric_lines(read_input(None, file))
    document = ask(lambda both: both.harnesses.record_metrics(directory, batch))
    data = document.to_json()
    print_document(document, json, f"{data['inserted']} recorded, {data['duplicates']} known already.")


@metrics_app.command("list")
def metrics_list(
    directory: Dir,
    name: Annotated[str | None, typer.Option(help="Only one metric.")] = None,
    run: Annotated[str | None, typer.Option(help="Only one run.")] = None,
    json: Json = False,
) -> None:
    """List recorded numbers."""
    document = ask(lambda both: both.harnesses.metrics(directory, name=name, run_id=run))
    rows = [(m["run_id"], m["name"], m["value"], m["unit"], m["source"]) for m in document.to_json()["metrics"]]
    print_document(document, json, output.table(["run", "metric", "value", "unit", "source"], rows))


@registry_app.command("add")
def registry_add(directory: Dir, json: Json = False) -> None:
    """Register a folder; nothing of it runs."""
    print_document(ask(lambda both: both.harnesses.register(directory)), json, f"Registered {directory}.")


@registry_app.command("list")
def registry_list(json: Json = False) -> None:
    """List registered folders."""
    document = ask(lambda both: both.harnesses.registered())
    rows = [(h["name"], h["path"], h["problem"] or "") for h in document.to_json()["harnesses"]]
    print_document(document, json, output.table(["name", "path", "problem"], rows))


@registry_app.command("remove")
def registry_remove(directory: Dir, json: Json = False) -> None:
    """Take a folder off the list."""
    print_document(ask(lambda both: both.harnesses.unregister(directory)), json, f"Removed {directory}.")
