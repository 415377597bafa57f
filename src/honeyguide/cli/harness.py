"""``honeyguide harness …``: look at harness folders, count their runs, evolve them behind a gate, run and deploy them.

These commands work without a workspace; where one is open, its settings and ceilings hold.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import harness_deploy, harness_lists, harness_proposals, output
from honeyguide.cli.harness_session import ask, print_document, print_line, read_input, with_harnesses
from honeyguide.cli.session import Json, origin
from honeyguide.workspace import ModelRef
from honeyguide.workspace.harness_views import EvolveOptions, HarnessDocument, parse_value

app = typer.Typer(help="Harness folders: statistics, gated evolution, running, serving.", no_args_is_help=True)
app.add_typer(harness_lists.metrics_app, name="metrics")
app.add_typer(harness_lists.registry_app, name="registry")
app.add_typer(harness_proposals.app, name="proposals")
harness_deploy.register(app)
Dir = Annotated[Path, typer.Argument(help="The harness folder.", metavar="DIR")]


@app.command()
def init(
    directory: Dir,
    name: Annotated[str | None, typer.Option(help="Its name; the folder's when not given.")] = None,
    description: Annotated[str, typer.Option(help="One line.")] = "A new harness",
    prompt: Annotated[str, typer.Option(help="Its system prompt.")] = "You do the task you are given.",
    json: Json = False,
) -> None:
    """Make a new harness folder."""
    named = name or directory.absolute().name
    document = ask(lambda both: both.harnesses.init(directory, named, description, prompt, origin()))
    print_document(document, json, f"Made {named} in {directory}.")


@app.command()
def validate(directory: Dir, json: Json = False) -> None:
    """Say what is wrong with a folder, where, and what to do. Executes nothing of it."""
    document = ask(lambda both: both.harnesses.validate(directory))
    data = document.to_json()
    if json:
        output.print_json(data)
    else:
        for problem in data["problems"]:
            place = f"line {problem['line']}: " if problem["line"] else ""
            output.console().print(output.shown(f"{problem['severity']}: {place}{problem['message']}"))
            output.console().print(f"  {output.shown(problem['remedy'])}", style="dim")
        output.console().print("The folder is valid." if data["ok"] else "The folder is not valid.")
    if not data["ok"]:
        raise typer.Exit(2)


@app.command("hash")
def hash_(directory: Dir, json: Json = False) -> None:
    """Print the version hash, and the wider fingerprint that also covers helpers and data."""
    document = ask(lambda both: both.harnesses.hash(directory))
    data = document.to_json()
    said = f"{data['hash']}  (fingerprint {data['fingerprint']})"
    print_document(document, json, f"{said}\n{data['disagreement']}" if data["disagreement"] else said)


@app.command()
def stats(
    directory: Dir,
    include_friction: Annotated[bool, typer.Option("--include-friction", help="Also count friction.")] = False,
    json: Json = False,
) -> None:
    """Success, cost and turns for each version."""
    document = ask(lambda both: both.harnesses.stats(directory, include_friction=include_friction))
    data = document.to_json()
    if json:
        output.print_json(data)
        return
    rows = []
    for row in sorted(data["versions"], key=lambda r: r["order"]):
        low, high = row["success_rate_ci"] or (0, 1)
        mark = "●" if row["version"] == data["live_version"] else ""
        rate = f"{row['success_rate']:.0%} ({low:.0%}–{high:.0%})"
        cost, turns = output.money(row["avg_cost_usd"]), f"{row['avg_turns']:.1f}"
        rows.append((mark, row["version"], row["runs"], rate, cost, turns))
    output.console().print(output.table(["", "version", "runs", "success (95 %)", "cost", "turns"], rows))
    for journal in data["journals"]["quarantined"]:
        output.notes().print(output.shown(f"left out: {journal['file']}: {journal['reason']}"))


@app.command()
def friction(
    directory: Dir,
    category: Annotated[str | None, typer.Option(help="Only one category.")] = None,
    component: Annotated[str | None, typer.Option(help="Only one component.")] = None,
    recovered: Annotated[bool | None, typer.Option("--recovered/--unrecovered", help="Only those.")] = None,
    version: Annotated[str | None, typer.Option(help="Only one version hash.")] = None,
    limit: Annotated[int, typer.Option(min=1)] = 100,
    json: Json = False,
) -> None:
    """List what got in the way of runs, newest first."""
    document = ask(
        lambda both: both.harnesses.friction(
            directory, limit=limit, category=category, component=component, recovered=recovered, version=version
        )
    )
    rows = [
        (r["timestamp"], r["run_id"], r["category"], r["component"], "yes" if r["recovered"] else "no", r["summary"])
        for r in document.to_json()["friction"]
    ]
    print_document(document, json, output.table(["when", "run", "category", "where", "recovered", "what"], rows))


@app.command()
def signal(
    directory: Dir,
    version: Annotated[str | None, typer.Option(help="A version hash; the live one when not given.")] = None,
    json: Json = False,
) -> None:
    """Say where failures come from, by counting; asks no model."""
    document = ask(lambda both: both.harnesses.signal(directory, version=version))
    print_document(document, json, "\n".join(output.shown(line) for line in document.to_json()["headline"]))


@app.command()
def assess(
    directory: Dir,
    min_runs: Annotated[int, typer.Option(min=1, help="Runs of the new version that are needed.")] = 5,
    json: Json = False,
) -> None:
    """Say of each applied change whether it did what it predicted."""
    document = ask(lambda both: both.harnesses.assess(directory, min_runs=min_runs))
    lines = [output.shown(a["summary"]) for a in document.to_json()["assessments"]]
    print_document(document, json, "\n".join(lines) or "No change was applied yet.")


@app.command()
def outcome(
    run: Annotated[str, typer.Argument(help="The run's id.", metavar="RUN")],
    value: Annotated[str, typer.Argument(help="success or failure.", metavar="success|failure")],
    directory: Dir,
    detail: Annotated[str, typer.Option(help="Why.")] = "",
    source: Annotated[str, typer.Option(help="Who says so.")] = "person",
    json: Json = False,
) -> None:
    """Record what the world said of a run afterwards."""
    document = ask(lambda both: both.harnesses.label(directory, run, value, source=source, detail=detail))
    print_document(document, json, f"{run} is now called a {value}.")


@app.command("set")
def set_(
    path: Annotated[str, typer.Argument(help="A dotted path, e.g. loop.max_turns.", metavar="PATH")],
    value: Annotated[str, typer.Argument(help="JSON, or plain text.", metavar="JSON")],
    directory: Dir,
    json: Json = False,
) -> None:
    """Set a value in harness.yaml; comments, layout and the counter stay."""
    document = ask(lambda both: both.harnesses.set(directory, [(path, parse_value(value))], origin()))
    data = document.to_json()
    print_document(document, json, f"{data['old_version_hash']} -> {data['new_version_hash']}")


@app.command()
def hive(
    directory: Dir,
    keep: Annotated[bool, typer.Option("--keep", help="Write what only it holds into the folder.")] = False,
    json: Json = False,
) -> None:
    """Say what hiveloom's own database adds to a folder. It is read, never written."""
    document = ask(lambda both: both.harnesses.hive(directory, keep=keep))
    data = document.to_json()
    said = ", ".join(f"{count} {noun}" for noun, count in data["only_there"].items())
    print_document(
        document, json, f"{data['hive']['path']}: {said}" + (" kept in the folder." if keep else " only there.")
    )


@app.command()
def trust(
    directory: Dir,
    forget: Annotated[bool, typer.Option("--forget", help="Trust it no longer.")] = False,
    json: Json = False,
) -> None:
    """Trust the folder's code as it is now; a change asks again."""
    document = ask(lambda both: both.harnesses.trust(directory, origin(), forget=forget))
    print_document(document, json, f"{directory} is {document.to_json()['action']}.")


@app.command()
def run(
    directory: Dir,
    input: Annotated[str | None, typer.Option(help="The input, as text.", metavar="TEXT")] = None,
    input_file: Annotated[str | None, typer.Option(help="A file with the input; - reads standard input.")] = None,
    model: Annotated[str | None, typer.Option(help="PROVIDER:MODEL in place of the spec's.")] = None,
    engine: Annotated[str, typer.Option(help="honeyguide, or an installed hiveloom.")] = "honeyguide",
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the cost.")] = False,
    stream: Annotated[bool, typer.Option("--stream", help="Print each journal event as a line.")] = False,
    json: Json = False,
) -> None:
    """Run a harness once. Exits 0 success, 1 not verified, 2 halted, 4 anything else."""
    text = read_input(input, input_file)
    engine = harness_deploy.known_engine(engine)
    ref = None if model is None else ModelRef.parse(model)
    is_asking = sys.stdin.isatty() and not json and not stream
    agreed = yes or (is_asking and typer.confirm("Run it on a paid model if need be?"))

    def told(event: Any) -> None:
        if stream:
            print_line(dict(event))

    done = with_harnesses(
        lambda both: both.running.run(directory, text, model=ref, engine=engine, confirmed=agreed, on_event=told)
    )
    data = done.document.to_json()
    if stream:
        print_line({"type": "run_result", **data})
    elif json:
        output.print_json(data)
    else:
        output.console().print(output.shown(data.get("output") or ""))
        output.notes().print(output.shown(f"{data.get('status')} {data.get('reason') or ''}".strip()), style="dim")
    for id in done.drafted:
        output.notes().print(f"Drafted proposal {id}; see 'honeyguide harness proposals list'.", style="dim")
    if done.exit_code:
        raise typer.Exit(done.exit_code)


@app.command()
def evolve(
    directory: Dir,
    propose: Annotated[bool, typer.Option("--propose", help="Queue the draft; do not ask.")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Only say what it would take.")] = False,
    model: Annotated[str | None, typer.Option(help="PROVIDER:MODEL that drafts.")] = None,
    note: Annotated[list[str] | None, typer.Option(help="A finding of yours; repeatable.")] = None,
    replay: Annotated[
        int | None, typer.Option(min=0, help="Recorded inputs to run again on both states; 10 where a budget is given.")
    ] = None,
    max_usd: Annotated[float | None, typer.Option(min=0, help="Budget of draft and proof.")] = None,
    max_calls: Annotated[int | None, typer.Option(min=0, help="Budget of draft and proof.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Agree to the cost.")] = False,
    json: Json = False,
) -> None:
    """Draft a gated change from the failures of the live version. A person applies it."""
    options = EvolveOptions(
        model=None if model is None else ModelRef.parse(model),
        notes=tuple(note or ()),
        replay=replay,
        max_usd=max_usd,
        max_calls=max_calls,
        confirmed=yes,
    )
    if plan:
        found = with_harnesses(lambda both: both.evolving.plan(directory, options))
        calls = found["calls"]
        said = f"{calls['low']:g} to {calls['high']:g} calls, {found['usd']} US dollars"
        print_document(HarnessDocument(found), json, said)
        return
    is_asking = not json and not propose and sys.stdin.isatty()
    if is_asking and not yes:
        found = with_harnesses(lambda both: both.evolving.plan(directory, options))
        usd = found["usd"]
        price = "an unknown price" if usd is None else f"at most {output.money(usd['high'])}"
        costs = usd is None or usd["high"] > 0
        question = f"Ask {found['model']} ({found['calls']['high']:g} calls, {price})?"
        if found["ready"] and costs and not typer.confirm(question):
            return
        options = EvolveOptions(**{**_fields(options), "confirmed": True})
    evolved = with_harnesses(
        lambda both: both.evolving.evolve(
            directory, options, progress=lambda said: output.notes().print(output.shown(said), style="dim")
        )
    )
    data = evolved.document.to_json()
    if json:
        output.print_json(data)
        return
    if not evolved.proposal_id:
        output.console().print(f"nothing to evolve — {output.shown(data['reason'])}")
        return
    harness_proposals.print_proposal(directory, evolved.proposal_id)
    if is_asking:
        harness_proposals.ask_and_apply(directory, evolved.proposal_id)
    else:
        output.console().print(f"Queued as {evolved.proposal_id}.")


def _fields(options: EvolveOptions) -> dict[str, Any]:
    return {name: getattr(options, name) for name in EvolveOptions.__dataclass_fields__}
