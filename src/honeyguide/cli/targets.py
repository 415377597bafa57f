"""``honeyguide targets …``: what can evolve, and where it lives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput
from honeyguide.workspace import TargetRef

app = typer.Typer(help="The texts that can evolve.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="NAME, or KIND:NAME.", metavar="NAME")]


@app.command("list")
def list_(json: session.Json = False) -> None:
    """List every target."""
    rows = session.run_with_workspace(lambda workspace: workspace.targets())
    if json:
        output.print_json({"targets": [row.to_json() for row in rows], "total": len(rows)})
        return
    output.console().print(
        output.table(
            ["name", "kind", "characters", "limit", "traces", "last run"],
            [(r.ref.name, r.ref.kind.value, r.chars, r.limit or "none", r.traces, r.last_run or "never") for r in rows],
        )
    )


@app.command()
def show(name: Name, json: session.Json = False) -> None:
    """Show one target: its text, limits, variables and locked passages."""
    detail = session.run_with_workspace(lambda workspace: workspace.target(name))
    if json:
        output.print_json(detail.to_json())
        return
    output.print_facts(
        {
            "name": detail.row.ref.name,
            "kind": detail.row.ref.kind.value,
            "lives in": detail.row.path or "the workspace",
            "variables": ", ".join(detail.variables) or "none",
            **({"together with": ", ".join(detail.row.together)} if detail.row.together else {}),
            **{use.name: f"{use.used} of {use.limit} {use.unit}" for use in detail.limits},
        }
    )
    for lock in detail.locks:
        output.console().print(f"locked {output.shown(lock.id)}: {output.shown(output.preview(lock.text))}")
    for finding in detail.findings:
        output.console().print(f"[yellow]![/] {output.shown(finding)}")
    output.console().print()
    output.console().print(output.shown(detail.text))


@app.command()
def add(
    path: Annotated[Path, typer.Argument(help="The file that holds the text.", metavar="PATH")],
    kind: Annotated[str | None, typer.Option(help="What the file is; found by itself when not given.")] = None,
    name: Annotated[str | None, typer.Option(help="What to call it.")] = None,
    span: Annotated[str | None, typer.Option(help="Which part: body, description, or a JSON pointer.")] = None,
    encoding: Annotated[str | None, typer.Option(help="The code page of an old file.")] = None,
    json: session.Json = False,
) -> None:
    """Add a text that lives in its own file."""
    row = session.run_with_workspace(
        lambda workspace: workspace.add_target(path, kind=kind, name=name, span=span, encoding=encoding)
    )
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Added {output.shown(str(row.ref))}: {row.chars} characters.")


@app.command()
def remove(name: Name, json: session.Json = False) -> None:
    """Forget a target that was added; its file stays as it is."""
    session.run_with_workspace(lambda workspace: workspace.remove_target(name))
    if json:
        output.print_json({"removed": name})
        return
    output.console().print(f"Removed {output.shown(name)}. Its file was not touched.")


@app.command()
def lock(
    name: Name,
    text: Annotated[str, typer.Option(help="The passage that has to stay, word for word.")],
    json: session.Json = False,
) -> None:
    """Lock a passage."""
    row = session.run_with_workspace(lambda workspace: workspace.lock(name, text))
    if json:
        output.print_json(row.to_json())
        return
    output.console().print(f"Locked as {row.id}.")


@app.command()
def unlock(
    name: Name, id: Annotated[str, typer.Argument(help="The lock's id.", metavar="ID")], json: session.Json = False
) -> None:
    """Unlock a passage."""
    session.run_with_workspace(lambda workspace: workspace.unlock(name, id))
    if json:
        output.print_json({"unlocked": id})
        return
    output.console().print(f"Unlocked {output.shown(id)}.")


Others = Annotated[
    list[str] | None, typer.Option("--with", help="Another target, NAME or KIND:NAME; repeatable.", metavar="NAME")
]


@app.command()
def join(name: Name, others: Others = None, json: session.Json = False) -> None:
    """Let other targets' texts change in one run and one step with this one, from now on."""
    if not others:
        raise InvalidInput("Nothing is named to join.", hint="Name it with --with NAME.")
    refs = session.run_with_workspace(lambda workspace: workspace.join_targets(name, others))
    _tell_together(name, refs, as_json=json)


@app.command()
def part(name: Name, others: Others = None, json: session.Json = False) -> None:
    """Let other targets no longer change with this one: those named, or all."""
    refs = session.run_with_workspace(lambda workspace: workspace.part_targets(name, others or ()))
    _tell_together(name, refs, as_json=json)


def _tell_together(name: str, refs: Sequence[TargetRef], *, as_json: bool) -> None:
    named = [str(ref) for ref in refs]
    if as_json:
        output.print_json({"target": name, "together": named})
        return
    said = f"changes together with {', '.join(named)}" if named else "changes alone"
    output.console().print(f"{output.shown(name)} {output.shown(said)}.")


@app.command("not-variable")
def not_variable(
    name: Name,
    spelled: Annotated[str, typer.Argument(help="As it stands in the text, e.g. '{example}'.", metavar="SPELLED")],
    json: session.Json = False,
) -> None:
    """Say once that something that looks like a variable is none."""
    noted = session.run_with_workspace(lambda workspace: workspace.exclude_variable(name, spelled))
    if json:
        output.print_json({"target": name, "not_variables": list(noted)})
        return
    output.console().print(f"No variables of {output.shown(name)}: {output.shown(', '.join(noted))}")


@app.command()
def audit(
    paths: Annotated[
        list[Path] | None, typer.Argument(help="Files or folders; the usual places when not given.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Also write a page to read or send.", metavar="FILE")] = None,
    json: session.Json = False,
) -> None:
    """Look over every prompt that is found: no model, no key, nothing is changed."""

    async def work() -> object:
        from honeyguide.workspace import audit_prompts

        return await audit_prompts(paths or None, workspace=session.workspace_path())

    report = session.run_async(work)
    from honeyguide.workspace import AuditReport

    assert isinstance(report, AuditReport)
    if html is not None:
        html.write_text(report.to_html(), encoding="utf-8")
    if json:
        output.print_json(report.to_json())
        return
    output.console().print(
        output.table(["severity", "place", "finding"], [(f.severity, f.place, f.message) for f in report.findings])
    )
    output.console().print(f"{report.files} files looked at, {len(report.findings)} findings.")
