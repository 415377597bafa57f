"""``honeyguide traces …``: what the agent really did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput, NotFound
from honeyguide.workspace import ImportReport, ModelRef, ModelRole, Page, RunOptions, TraceQuery, TraceRow, Workspace

app = typer.Typer(help="Recorded executions of the agent.", no_args_is_help=True)
OfSource = Annotated[str | None, typer.Option(help="Only those of one source.")]
Since = Annotated[str | None, typer.Option(help="Only those created at or after this ISO moment.")]
Unlinked = Annotated[bool, typer.Option("--unlinked", help="Only those that speak about no target yet.")]
Limit = Annotated[int, typer.Option(help="How many to show.", min=1, max=10_000)]


@app.command("import")
def import_(
    paths: Annotated[list[Path], typer.Argument(help="Files or folders to read; they are never changed.")],
    source: Annotated[str, typer.Option(help="What wrote them; 'auto' decides by content.")] = "auto",
    map: Annotated[
        list[str] | None, typer.Option("--map", help="COLUMN=FIELD for tables.", metavar="COLUMN=FIELD")
    ] = None,
    target: Annotated[str | None, typer.Option(help="The target that all of it speaks about.", metavar="NAME")] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Stay, and pick up what is written later.")] = False,
    json: session.Json = False,
) -> None:
    """Import history. Secrets are replaced before anything is stored; importing again adds nothing."""
    mapping = dict(_pair(entry) for entry in map or [])
    if watch:
        session.run_with_workspace(
            lambda workspace: workspace.watch_traces(
                paths,
                source=source,
                mapping=mapping or None,
                target=target,
                on_report=lambda report: output.print_json(report.to_json()),
            )
        )
        return

    def progress(done: int, total: int, path: str) -> None:
        if not json and total:
            output.notes().print(f"{done * 100 // total:3d} %  {output.shown(path)}", style="dim")

    async def work(workspace: Workspace) -> tuple[ImportReport, int, int]:
        made = await workspace.import_traces(
            paths, source=source, mapping=mapping or None, progress=progress, target=target
        )
        silent = await workspace.unsaid_traces()
        lonely = await workspace.traces(TraceQuery(unlinked=True, limit=1))
        return made, silent, lonely.total

    report, silent, lonely = session.run_with_workspace(work)
    if json:
        output.print_json(report.to_json())
        return
    data = report.to_json()
    output.print_facts(
        {
            name: data[name]
            for name in (
                "imported",
                "known",
                "updated",
                "conversations",
                "human_prompts",
                "replies",
                "tool_calls",
                "corrections",
            )
        }
    )
    for kind, count in data["redactions"].items():
        output.console().print(f"replaced {count} × {output.shown(kind)}")
    for file in data["files"]:
        for problem in file["health"]:
            output.console().print(
                f"[yellow]![/] {output.shown(file['path'])}: {problem['count']} × {output.shown(problem['problem'])}"
            )
    if report.imported and lonely:
        output.notes().print(
            f"{lonely} traces speak about no target yet. Say which: honeyguide traces link TARGET --unlinked"
        )
    if report.imported and silent:
        output.notes().print(
            f"Of {silent} answers nobody said whether they were good, so they are no examples. "
            "Say so of those that were: honeyguide traces confirm"
        )


@app.command("list")
def list_(
    target: Annotated[str | None, typer.Option(help="Only those of one target.")] = None,
    outcome: Annotated[str | None, typer.Option(help="pending, success, corrected, abandoned or verified.")] = None,
    source: OfSource = None,
    since: Since = None,
    unlinked: Unlinked = False,
    limit: Limit = 50,
    json: session.Json = False,
) -> None:
    """List traces, newest first."""
    query = TraceQuery(target=target, unlinked=unlinked, outcome=outcome, source=source, since=since, limit=limit)
    _print_page(session.run_with_workspace(lambda workspace: workspace.traces(query)), json=json)


@app.command()
def search(
    words: Annotated[list[str], typer.Argument(help="Words that all have to occur.")],
    limit: Limit = 50,
    json: session.Json = False,
) -> None:
    """Search the text of all traces."""
    _print_page(
        session.run_with_workspace(lambda workspace: workspace.search_traces(" ".join(words), limit)), json=json
    )


@app.command()
def show(
    id: Annotated[int, typer.Argument(help="The trace's number.", metavar="ID")], json: session.Json = False
) -> None:
    """Show one trace."""
    detail = session.run_with_workspace(lambda workspace: workspace.trace(id))
    data = detail.to_json()
    if json:
        output.print_json(data)
        return
    payload = detail.trace.payload
    output.print_facts(
        {name: data[name] for name in ("id", "created_at", "outcome", "persona_id", "model", "cost_usd", "duration_ms")}
    )
    output.console().print(
        f"\n[bold]input[/]\n{output.shown(payload.input)}\n\n[bold]output[/]\n{output.shown(payload.output)}"
    )
    if payload.correction_feedback:
        output.console().print(f"\n[bold]correction[/]\n{output.shown(payload.correction_feedback)}")


@app.command()
def link(
    target: Annotated[str, typer.Argument(help="The target that they speak about.", metavar="TARGET")],
    ids: Annotated[list[int] | None, typer.Argument(help="Numbers of the traces.", metavar="[ID…]")] = None,
    unlinked: Unlinked = False,
    source: OfSource = None,
    since: Since = None,
    json: session.Json = False,
) -> None:
    """Say which target traces speak about, where their source does not: some by number, or all that match."""
    if not ids and not unlinked and source is None:
        raise InvalidInput(
            "It is not said which traces.", hint="Give their numbers, or --unlinked for all that speak about no target."
        )
    query = TraceQuery(unlinked=unlinked, source=source, since=since)
    count = session.run_with_workspace(lambda workspace: workspace.link_traces(target, query, ids or None))
    if json:
        output.print_json({"linked": count, "target": target})
        return
    output.console().print(f"{count} traces more speak about {output.shown(target)}.")


@app.command()
def unlink(
    target: Annotated[str, typer.Argument(help="The target that they do not speak about.", metavar="TARGET")],
    ids: Annotated[list[int], typer.Argument(help="Numbers of the traces.", metavar="ID…")],
    json: session.Json = False,
) -> None:
    """Take traces away from a target."""
    count = session.run_with_workspace(lambda workspace: workspace.unlink_traces(target, ids))
    if not count:
        raise NotFound(f"None of these traces speaks about {target}.", hint="See 'honeyguide traces list --target'.")
    if json:
        output.print_json({"unlinked": count, "target": target})
        return
    output.console().print(f"{count} traces speak about {output.shown(target)} no longer.")


@app.command()
def confirm(
    ids: Annotated[list[int] | None, typer.Argument(help="Numbers of the traces.", metavar="[ID…]")] = None,
    target: Annotated[str | None, typer.Option(help="Instead of ID: all of one target.")] = None,
    source: OfSource = None,
    since: Since = None,
    json: session.Json = False,
) -> None:
    """Say that answers were good whose end is not known: each becomes an example."""
    if not ids and target is None and source is None:
        raise InvalidInput(
            "It is not said which traces.", hint="Give their numbers, or --target for all of one target."
        )
    query = TraceQuery(target=target, source=source, since=since)
    found = session.run_with_workspace(lambda workspace: workspace.confirm_traces(query, ids or None))
    if json:
        output.print_json({"confirmed": len(found), "ids": found})
        return
    output.console().print(f"{len(found)} answers are examples of good ones now.")


@app.command()
def unconfirm(
    ids: Annotated[list[int], typer.Argument(help="Numbers of the traces.", metavar="ID…")], json: session.Json = False
) -> None:
    """Take back that answers were good."""
    count = session.run_with_workspace(lambda workspace: workspace.unconfirm_traces(ids))
    if not count:
        raise NotFound("Nobody said of these traces that they were good.", hint="See 'honeyguide traces list'.")
    if json:
        output.print_json({"unconfirmed": count})
        return
    output.console().print(f"{count} answers have no known end again.")


@app.command()
def export(
    file: Annotated[Path, typer.Argument(help="Where to write, as JSON lines.", metavar="FILE")],
    target: Annotated[str | None, typer.Option(help="Only those of one target.")] = None,
    json: session.Json = False,
) -> None:
    """Write traces to a file, as JSON lines without secrets."""
    count = session.run_with_workspace(lambda workspace: workspace.export_traces(file, TraceQuery(target=target)))
    if json:
        output.print_json({"exported": count, "path": str(file)})
        return
    output.console().print(f"Wrote {count} traces to {output.shown(str(file))}.")


@app.command()
def delete(
    ids: Annotated[list[int], typer.Argument(help="Numbers of the traces.", metavar="ID…")], json: session.Json = False
) -> None:
    """Delete traces for good."""
    count = session.run_with_workspace(lambda workspace: workspace.delete_traces(ids))
    if not count:
        raise NotFound("None of these traces exists.", hint="See 'honeyguide traces list'.")
    if json:
        output.print_json({"deleted": count})
        return
    output.console().print(f"Deleted {count}.")


@app.command()
def replay(
    ids: Annotated[list[int], typer.Argument(help="Numbers of the traces.", metavar="ID…")],
    target: Annotated[str, typer.Option(help="The target whose versions are compared.", metavar="NAME")],
    left: Annotated[str, typer.Option(help="A version's number, 'live', or a run's id for its proposal.")] = "live",
    right: Annotated[str, typer.Option(help="The same, for the other side.")] = "live",
    model: Annotated[str | None, typer.Option(help="Who answers: PROVIDER:MODEL.")] = None,
    max_calls: Annotated[int | None, typer.Option(help="Ceiling on calls.", min=1)] = None,
    max_usd: Annotated[float | None, typer.Option(help="Ceiling on money, in US dollars.", min=0)] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    json: session.Json = False,
) -> None:
    """Run past inputs again on two versions of a target, side by side. Calls made before are not made again."""
    models = {ModelRole.EXECUTOR: ModelRef.parse(model)} if model else {}
    options = RunOptions(max_calls=max_calls, max_usd=max_usd, is_confirmed=yes, models=models)
    done = session.run_with_workspace(lambda workspace: workspace.replay_versions(target, ids, left, right, options))
    data = done.to_json()
    if json:
        output.print_json(data)
        return
    for row in data["rows"]:
        same = "the same" if row["same"] else "different"
        output.console().print(f"\n[bold]{output.shown(output.preview(row['input'], 100))}[/]  [dim]{same}[/]")
        for name, side in ((left, row["left"]), (right, row["right"])):
            said = side["answer"] or side["failure"]
            output.console().print(f"[dim]{output.shown(name)}:[/] {output.shown(said)}")
    spend = data["spend"]
    output.print_facts({"calls": spend["calls"], "from the journal": spend["replayed_calls"]})


@app.command()
def archive(json: session.Json = False) -> None:
    """Keep a compressed, redacted copy of sessions that their program will delete."""
    report = session.run_with_workspace(lambda workspace: workspace.archive_traces())
    if json:
        output.print_json(report.to_json())
        return
    output.print_facts(report.to_json())


def _print_page(page: Page[TraceRow], *, json: bool) -> None:
    if json:
        output.print_json({"traces": [row.to_json() for row in page.items], "total": page.total})
        return
    output.console().print(
        output.table(
            ["id", "created", "target", "outcome", "input"],
            [(r.id, r.created_at, r.target or "", r.outcome, output.preview(r.input)) for r in page.items],
        )
    )
    output.console().print(f"{len(page.items)} of {page.total}", style="dim")


def _pair(entry: str) -> tuple[str, str]:
    column, equals, field = entry.partition("=")
    if not equals or not column or not field:
        raise InvalidInput(f"{entry!r} is not COLUMN=FIELD.", hint="For example: --map question=input")
    return column, field
