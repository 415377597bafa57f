"""``honeyguide runs …``: look at proposals and decide."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.cli.evolve import print_result
from honeyguide.kernel.errors import InvalidInput, Stale
from honeyguide.workspace import DiffView, RunDetail, RunFilter, Workspace

app = typer.Typer(help="Attempts and proposals.", no_args_is_help=True)
Uuid = Annotated[str, typer.Argument(help="The run's id.", metavar="UUID")]


@app.command("list")
def list_(
    status: Annotated[
        list[str] | None, typer.Option(help="proposed, accepted, rejected, deployed, failed; repeatable.")
    ] = None,
    kind: Annotated[str | None, typer.Option(help="Only one kind of target.")] = None,
    name: Annotated[str | None, typer.Option(help="Only one target.")] = None,
    since: Annotated[str | None, typer.Option(help="Only those created at or after this ISO moment.")] = None,
    limit: Annotated[int, typer.Option(help="At most 500.")] = 50,
    json: session.Json = False,
) -> None:
    """List runs and attempts, newest first."""
    wanted = RunFilter(status=tuple(status or ()), kind=kind, name=name, since=since, limit=limit)
    page = session.run_with_workspace(lambda workspace: workspace.runs(wanted))
    data = page.to_json()
    if json:
        output.print_json(data)
        return
    rows = [
        (r["run_uuid"], r["status"], r["target_name"], output.points(r["delta_accuracy"]), r["created_at"])
        for r in data["runs"]
    ]
    rows += [(a["uuid"], a["state"], a["target_name"], "", a["created_at"]) for a in data["attempts"]]
    output.console().print(output.table(["run", "status", "target", "gain", "created"], rows))


@app.command()
def show(uuid: Uuid, json: session.Json = False) -> None:
    """Show one run with its proof."""
    detail = session.run_with_workspace(lambda workspace: workspace.run(uuid))
    if json:
        output.print_json(detail.to_json())
        return
    _print_run(detail)


@app.command()
def diff(uuid: Uuid, json: session.Json = False) -> None:
    """Show what would change; the numbers are those of ``accept --hunks``."""
    view = session.run_with_workspace(lambda workspace: workspace.run_diff(uuid))
    if json:
        output.print_json(view.to_json())
        return
    print_diff(view)


@app.command()
def evidence(uuid: Uuid, json: session.Json = False) -> None:
    """Show every unseen case with both answers' scores."""
    rows = session.run_with_workspace(lambda workspace: workspace.run_evidence(uuid))
    if json:
        output.print_json({"evidence": [row.to_json() for row in rows], "total": len(rows)})
        return
    output.console().print(
        output.table(
            ["case", "before", "after", "change", "verdict"],
            [
                (output.preview(r.input, 50), r.score_before, r.score_after, output.points(r.change), r.verdict)
                for r in rows
            ],
        )
    )


@app.command()
def accept(
    uuid: Uuid,
    note: Annotated[str | None, typer.Option(help="Why; needed when the proof cannot tell.", metavar="TEXT")] = None,
    hunks: Annotated[str | None, typer.Option(help="Only these changes, e.g. 1,3.", metavar="N,N")] = None,
    merge: Annotated[bool, typer.Option("--merge", help="Keep what others changed meanwhile.")] = False,
    json: session.Json = False,
) -> None:
    """Accept a proposal and deploy it. The version before stays; 'versions rollback' brings it back."""
    chosen = _numbers(hunks) if hunks is not None else None
    if merge:
        _decide(lambda workspace: _accept_merged(workspace, uuid, note), json=json)
        return
    _decide(lambda workspace: workspace.accept(uuid, note=note, hunks=chosen, origin=session.origin()), json=json)


@app.command()
def reject(
    uuid: Uuid,
    reason: Annotated[str | None, typer.Option(help="Why.", metavar="TEXT")] = None,
    json: session.Json = False,
) -> None:
    """Reject a proposal."""
    _decide(lambda workspace: workspace.reject(uuid, reason=reason, origin=session.origin()), json=json)


@app.command()
def retry(uuid: Uuid, json: session.Json = False) -> None:
    """Try a failed deploy once more."""
    _decide(lambda workspace: workspace.retry(uuid, origin=session.origin()), json=json)


@app.command()
def resume(uuid: Uuid, json: session.Json = False) -> None:
    """Go on with a run that was interrupted; no call is paid twice."""
    result = session.run_with_workspace(lambda workspace: workspace.resume_run(uuid, origin=session.origin()))
    if json:
        output.print_json(result.to_json())
        return
    print_result(result.to_json())


@app.command("continue")
def continue_(
    uuid: Uuid,
    repeats: Annotated[
        int | None, typer.Option(help="Verdicts per case; a new look at the same cases.", min=1, max=16)
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    json: session.Json = False,
) -> None:
    """Go on with the evidence of a proposal that is not decided yet, on unseen cases that came since."""
    _decide(
        lambda workspace: workspace.continue_proof(uuid, repeats=repeats, is_confirmed=yes, origin=session.origin()),
        json=json,
        then=_print_run,
    )


@app.command()
def cancel(uuid: Uuid, json: session.Json = False) -> None:
    """Stop a run, also one of another process; what was paid for is kept."""
    session.run_with_workspace(lambda workspace: workspace.cancel_run(uuid))
    if json:
        output.print_json({"cancelled": uuid})
        return
    output.console().print("The run stops before its next call.")


@app.command()
def status(
    kind: Annotated[str | None, typer.Option(help="Only one kind of target.")] = None,
    name: Annotated[str | None, typer.Option(help="Only one target.")] = None,
    since: Annotated[str | None, typer.Option(help="Only runs created at or after this ISO moment.")] = None,
    json: session.Json = False,
) -> None:
    """Count runs by status."""
    report = session.run_with_workspace(lambda workspace: workspace.run_status(kind=kind, name=name, since=since))
    if json:
        output.print_json(report.to_json())
        return
    data = report.to_json()
    output.print_facts({**data["counts"], "waiting for you": data["pendingCount"]})


@app.command()
def export(
    uuid: Uuid,
    file: Annotated[Path, typer.Argument(help="Where to write the page.", metavar="FILE.html")],
    json: session.Json = False,
) -> None:
    """Write a page with the whole proof, to hand to a colleague."""
    path = session.run_with_workspace(lambda workspace: workspace.export_run(uuid, file))
    if json:
        output.print_json({"path": str(path)})
        return
    output.console().print(f"Wrote {output.shown(str(path))}.")


def print_diff(view: DiffView) -> None:
    """Print hunks with red and green lines."""
    output.console().print(output.shown(view.summary))
    for text in view.texts:
        output.console().print(f"\n[bold]{output.shown(text.target)}[/]  {output.shown(text.view.summary)}")
        _print_hunks(text.view, text.first)
    if not view.texts:
        _print_hunks(view)


def _print_hunks(view: DiffView, first: int = 0) -> None:
    for hunk in view.hunks:
        worth = view.worth.get(hunk.n)
        said = (
            ""
            if worth is None
            else f"  worth {output.points(worth['gain'])}"
            + ("" if worth["earns"] else ", earns nothing: leave it out with --hunks")
        )
        output.console().print(f"[cyan]change {hunk.n + first}[/][dim]{said}[/]")
        for line in hunk.before.splitlines():
            output.console().print(f"[red]- {output.shown(line)}[/]")
        for line in hunk.after.splitlines():
            output.console().print(f"[green]+ {output.shown(line)}[/]")
    for span in view.memorised:
        output.console().print(
            f"[yellow]from a case that the search saw ({span['kind']})[/]: {output.shown(span['text'])}"
        )


async def _accept_merged(workspace: Workspace, uuid: str, note: str | None) -> RunDetail:
    merged = await workspace.merge_run(uuid)
    if merged.text is None:
        raise Stale(
            f"The live text and the proposal changed the same {len(merged.conflicts)} place(s).",
            hint="Decide in the window, or run again on the present text.",
            details={"conflicts": [dict(conflict) for conflict in merged.conflicts]},
        )
    return await workspace.accept(
        uuid, note=note, edited_text=merged.text, onto=merged.live_sha256, origin=session.origin()
    )


def _decide(
    work: Callable[[Workspace], Awaitable[RunDetail]],
    *,
    json: bool,
    then: Callable[[RunDetail], None] | None = None,
) -> None:
    detail = session.run_with_workspace(work)
    data = detail.to_json()
    if json:
        output.print_json(data)
        return
    if then is not None:
        then(detail)
        return
    output.console().print(f"{output.shown(data['run_uuid'])} is now {output.shown(data['status'])}.")
    if data["status"] == "deployed":
        for text in data.get("texts", ()):
            made = "unchanged" if text["version"] is None else f"version {text['version']}"
            output.console().print(f"{output.shown(text['target'])}: {made}, in one step with the others")
    if data["failure_reason"]:
        output.console().print(output.shown(data["failure_reason"]), style="red")


def _print_run(detail: RunDetail) -> None:
    data: dict[str, Any] = detail.to_json()
    verification = data.get("verification") or {}
    output.print_facts(
        {
            "target": f"{data['target_kind']}:{data['target_name']}",
            "status": data["status"],
            "verdict": verification.get("label"),
            _gain_words(verification): output.points(data["delta_accuracy"]),
            **({"why": verification["because"]} if verification else {}),
            **({"would decide it": verification["advice"]} if verification.get("advice") else {}),
            "cases": "{wins} better, {ties} same, {losses} worse".format_map(verification) if verification else None,
            **_more_of_the_proof(verification, data.get("receipt")),
            "created": data["created_at"],
            "decided": data["decided_at"] or "not yet",
        }
    )
    if (suite := data.get("suite")) is not None:
        stale = f"  [yellow]{output.shown(' '.join(suite['receipt_state']['reasons']))}[/]"
        output.console().print(
            f"suite: {output.shown(suite['label'])}, {output.shown(suite['reason'])} "
            f"{suite['actualInvocations']}/{suite['plannedInvocations']} trials"
            f"{stale if suite['receipt_state']['stale'] else ''}"
        )
    for text in data.get("texts", ()):
        numbers = ", ".join(str(hunk["n"]) for hunk in text["hunks"]) or "none"
        output.print_facts({"text": text["target"], "changes": f"{numbers}  {text['summary']}"})
    for gate in data["gateReasons"]:
        mark = "[green]✓[/]" if gate["verdict"] == "pass" else "[red]✗[/]"
        output.console().print(f"{mark} {output.shown(gate['gate'])}: {output.shown(gate['reason'])}")


def _more_of_the_proof(verification: Mapping[str, Any], receipt: Mapping[str, Any] | None) -> dict[str, str]:
    """Return the measurement in a sentence, kinds of case that got worse, and what changed since."""
    found: dict[str, str] = {}
    if verification.get("delta") is not None:
        found["measured"] = verification["sentence"]
    fell = [s for s in verification.get("slices") or () if s["fell"]]
    if fell:
        found["worse for"] = ", ".join(f"{s['key']} {s['value']} ({s['losses']} of {s['n']} worse)" for s in fell)
    if receipt is not None:
        found["receipt"] = f"stale: {' '.join(receipt['reasons'])}" if receipt["stale"] else "holds"
    return found


def _gain_words(verification: Mapping[str, Any]) -> str:
    """Return what the gain is: only a proven one is called so without more words."""
    if not verification:
        return "gain on the search's cases"
    return "gain" if verification["outcome"] == "verified_improvement" else "measured, not proven"


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError as error:
        raise InvalidInput(f"{text!r} is not a list of numbers.", hint="For example: --hunks 1,3") from error
