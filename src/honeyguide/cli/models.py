"""``honeyguide models …``: which model does what, and whether it answers."""

from __future__ import annotations

import getpass
import sys
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import NoKey

app = typer.Typer(help="Models and their keys.", no_args_is_help=True)


@app.command("list")
def list_(
    provider: Annotated[
        str | None, typer.Argument(help="Ask this one which models it offers.", metavar="PROVIDER")
    ] = None,
    json: session.Json = False,
) -> None:
    """List the roles with their models, and the providers with where their key is; or what a provider offers."""
    if provider is not None:
        names = session.run_with_workspace(lambda workspace: workspace.list_models(provider))
        if json:
            output.print_json({"provider": provider, "models": names, "total": len(names)})
        else:
            for name in names:
                output.console().print(output.shown(f"{provider}:{name}"))
        return
    report = session.run_with_workspace(lambda workspace: workspace.models())
    data = report.to_json()
    if json:
        output.print_json(data)
        return
    output.console().print(output.table(["role", "model"], [(r["role"], r["model"]) for r in data["roles"]]))
    output.console().print()
    output.console().print(
        output.table(
            ["provider", "key", "models"],
            [(p["name"], p["key"], ", ".join(p["models"][:5])) for p in data["providers"]],
        )
    )
    for found in data["providers"]:
        for note in found["notes"]:
            output.console().print(output.shown(f"{found['name']}: {note}"), style="dim")
    for sentence in data["notes"]:
        output.console().print(f"[yellow]![/] {output.shown(sentence)}")


@app.command()
def test(
    name: Annotated[
        str | None, typer.Argument(help="PROVIDER:MODEL; every role's when not given.", metavar="NAME")
    ] = None,
    json: session.Json = False,
) -> None:
    """Ask a model one short question and explain what failed."""
    results = session.run_with_workspace(lambda workspace: workspace.test_models(name))
    if json:
        output.print_json({"models": [result.to_json() for result in results], "total": len(results)})
    else:
        for result in results:
            mark = "[green]✓[/]" if result.ok else "[red]✗[/]"
            output.console().print(f"{mark} {output.shown(result.model)}: {output.shown(result.message)}")
            for note in result.notes:
                output.console().print(f"  {output.shown(note)}", style="dim")
            if result.remedy:
                output.console().print(f"  {output.shown(result.remedy)}", style="dim")
    if not all(result.ok for result in results):
        raise typer.Exit(5)


@app.command("set-key")
def set_key(
    provider: Annotated[str, typer.Argument(help="anthropic or openai.", metavar="PROVIDER")],
    json: session.Json = False,
) -> None:
    """Store a key in the system's keyring; it is read from the terminal or standard input, never from arguments."""
    key = getpass.getpass(f"Key for {provider} (not shown): ") if sys.stdin.isatty() else sys.stdin.readline().strip()
    place = session.run_with_workspace(lambda workspace: workspace.set_key(provider, key, where="keyring"))
    if place.source != "keyring":
        raise NoKey(
            f"The key of {provider} could not be kept: this computer has no key ring, and a command ends at once.",
            hint=f"Set the environment variable {place.variable}, or enter the key in the window for one session.",
        )
    if json:
        output.print_json(place.to_json())
        return
    output.console().print(output.shown(place.message))


@app.command()
def use(
    role: Annotated[str, typer.Argument(help="executor, judge, mutator or maintainer.", metavar="ROLE")],
    model: Annotated[str, typer.Argument(help="PROVIDER:MODEL.", metavar="PROVIDER:MODEL")],
    json: session.Json = False,
) -> None:
    """Choose the model of a role."""
    report = session.run_with_workspace(lambda workspace: workspace.use_model(role, model))
    if json:
        output.print_json(report.to_json())
        return
    output.console().print(f"{output.shown(role)} is now {output.shown(model)}.")
