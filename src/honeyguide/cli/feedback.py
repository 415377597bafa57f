"""``honeyguide feedback …``: problems that people report, and their life. Nothing here spends anything."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import PolicyRefused
from honeyguide.workspace import FeedbackItem

app = typer.Typer(help="Reported problems of any target.", no_args_is_help=True)
Id = Annotated[str, typer.Argument(help="The problem's id, fb_…", metavar="ID")]
Target = Annotated[str, typer.Argument(help="NAME, KIND:NAME, or the path of a flow.", metavar="TARGET")]


@app.command()
def add(
    target: Target,
    text: Annotated[str, typer.Argument(help="What was wrong, in a sentence or two.", metavar="TEXT")],
    expected: Annotated[str | None, typer.Option(help="The output that was wanted.", metavar="TEXT")] = None,
    actual: Annotated[str | None, typer.Option(help="The output that came.", metavar="TEXT")] = None,
    trace: Annotated[int | None, typer.Option(help="The recorded execution it is about.", metavar="ID")] = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Report a problem."""
    added = session.run_with_workspace(
        lambda workspace: workspace.add_feedback(
            target, text, expected=expected, actual=actual, trace_id=trace, origin=session.origin()
        )
    )
    if output.print_document(added.to_json(), as_json=json, as_events=events):
        return
    console = output.console()
    console.print(f"Feedback {added.item.id} saved for {output.shown(target)}\n")
    console.print("Status: saved, not yet proved")
    console.print(f"Next: {output.shown(added.next_step)}")
    console.print(f"Plan: {output.shown(added.plan)}")
    for one in added.duplicates:
        console.print(
            f"Alike ({one.similarity:.0%}): {one.item.id}  {output.shown(output.preview(one.item.message))}\n"
            f"  the same? honeyguide feedback merge {added.item.id} {one.item.id}"
        )


@app.command("list")
def list_(
    target: Annotated[str | None, typer.Argument(help="Only those of this target.", metavar="[TARGET]")] = None,
    state: Annotated[str | None, typer.Option(help="open, targeted, resolved or dismissed.")] = None,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """List reported problems, oldest first."""
    found = session.run_with_workspace(lambda workspace: workspace.list_feedback(target, state))
    if output.print_document(found.to_json(), as_json=json, as_events=events):
        return
    rows = [(i.id, i.state.value, i.path or i.target, output.preview(i.message)) for i in found.items]
    output.console().print(output.table(["id", "state", "about", "message"], rows))
    for line in found.damaged_lines:
        output.notes().print(f"[yellow]![/] line {line} of the feedback log cannot be read")


@app.command()
def show(id: Id, events: session.Events = False, json: session.Json = False) -> None:
    """Show one problem and what reproduces it."""
    detail = session.run_with_workspace(lambda workspace: workspace.show_feedback(id))
    if output.print_document(detail.to_json(), as_json=json, as_events=events):
        return
    data = detail.to_json()
    facts = ("id", "state", "target", "path", "message", "expected", "actual", "coverage", "suite", "draft", "run_id")
    output.print_facts({key: data[key] for key in facts if data[key] is not None})
    for name in detail.cases:
        output.console().print(f"reproduced by: {output.shown(name)}")


@app.command()
def distill(id: Id, events: session.Events = False, json: session.Json = False) -> None:
    """Draft a test case that fails on purpose, outside the repository."""
    drafted = session.run_with_workspace(lambda workspace: workspace.distill_feedback(id))
    if output.print_document(drafted.to_json(), as_json=json, as_events=events):
        return
    output.console().print(
        f"Draft case: {output.shown(drafted.draft)}\n\n"
        "This is an untrusted, deliberately failing draft. Say in it what a right answer shows,\n"
        f"remove 'draft: true', and copy it into {output.shown(drafted.suite or 'the suite')}."
    )


@app.command()
def link(
    id: Id,
    case: Annotated[str, typer.Argument(help="The case's name.", metavar="CASE")],
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Say which case of the suite reproduces a problem."""
    detail = session.run_with_workspace(lambda workspace: workspace.link_feedback(id, case, origin=session.origin()))
    if output.print_document(detail.to_json(), as_json=json, as_events=events):
        return
    output.console().print(f"{detail.item.id} is reproduced by {output.shown(', '.join(detail.cases))}.")


@app.command()
def merge(
    id: Id,
    into: Annotated[str, typer.Argument(help="The problem that says the same.", metavar="INTO")],
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Say that two problems are the same."""
    _print(
        session.run_with_workspace(lambda w: w.merge_feedback(id, into, origin=session.origin())),
        json,
        events,
        "Merged",
    )


@app.command()
def classify(
    id: Id,
    failure: Annotated[str, typer.Argument(help="behavior, when the prompt was at fault; else why.", metavar="WHY")],
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Say why a kept run failed: behavior, provider, auth, timeout, environment, cancelled or unknown."""
    item = session.run_with_workspace(lambda w: w.classify_feedback(id, failure, origin=session.origin()))
    _print(item, json, events, "Classified")


@app.command()
def dismiss(id: Id, events: session.Events = False, json: session.Json = False) -> None:
    """Say that it is no problem."""
    _print(
        session.run_with_workspace(lambda w: w.dismiss_feedback(id, origin=session.origin())), json, events, "Dismissed"
    )


@app.command()
def reopen(id: Id, events: session.Events = False, json: session.Json = False) -> None:
    """Open a problem again."""
    _print(
        session.run_with_workspace(lambda w: w.reopen_feedback(id, origin=session.origin())), json, events, "Reopened"
    )


@app.command()
def forget(
    id: Id,
    yes: Annotated[bool, typer.Option("--yes", help="It cannot be undone, and is meant.")] = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Remove a problem for good, with everything that quotes it."""
    confirmed = yes
    if not yes and not json and not events and sys.stdin.isatty():
        confirmed = typer.confirm(f"Forget {id} for good?", default=False)
        if not confirmed:
            raise PolicyRefused("Not confirmed; nothing was forgotten.")
    item = session.run_with_workspace(lambda w: w.forget_feedback(id, confirmed=confirmed, origin=session.origin()))
    if output.print_document(
        {"forgotten": {"id": item.id, "target": item.target, "path": item.path or None}}, as_json=json, as_events=events
    ):
        return
    output.console().print(f"{item.id} is gone.")


def _print(item: FeedbackItem, json: bool, events: bool, verb: str) -> None:
    if output.print_document(item.to_json(), as_json=json, as_events=events):
        return
    output.console().print(f"{verb} {item.id}; it is {item.state}.")
