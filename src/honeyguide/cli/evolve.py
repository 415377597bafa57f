"""``honeyguide plan`` and ``honeyguide evolve``: what a run would cost, and the run itself."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.cli.run_progress import ProgressTeller
from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unreadable
from honeyguide.workspace import (
    ModelRef,
    ModelRole,
    PlanReport,
    ProgressEvent,
    RunOptions,
    RunResult,
    Workspace,
)

if TYPE_CHECKING:
    from honeyguide.workspace import FlowPlan

Target = Annotated[str, typer.Argument(help="NAME, or KIND:NAME.", metavar="TARGET")]
Model = Annotated[str | None, typer.Option(help="Who answers: PROVIDER:MODEL.")]
JudgeModel = Annotated[str | None, typer.Option(help="Who grades: PROVIDER:MODEL.")]
MutationModel = Annotated[str | None, typer.Option(help="Who proposes changes: PROVIDER:MODEL.")]
Seed = Annotated[int, typer.Option(help="The same seed repeats the run.")]
MaxCalls = Annotated[int | None, typer.Option(help="Ceiling on calls.", min=1)]
MaxUsd = Annotated[float | None, typer.Option(help="Ceiling on money, in US dollars.", min=0)]
MinDelta = Annotated[float, typer.Option(help="Smallest gain worth a proposal, as a share of 1.")]
Population = Annotated[
    int | None, typer.Option(help="Children a generation of the instruction search.", min=1, max=100)
]
Generations = Annotated[int | None, typer.Option(help="Generations of the instruction search.", min=1, max=100)]
SchemaPopulation = Annotated[int | None, typer.Option(help="The same for the schema search.", min=1, max=100)]
SchemaGenerations = Annotated[int | None, typer.Option(help="The same for the schema search.", min=0, max=100)]
Candidate = Annotated[Path | None, typer.Option(help="Prove this text instead of searching.", metavar="FILE")]
Preset = Annotated[str, typer.Option(help="thorough, efficient or quick.")]
Concurrency = Annotated[int, typer.Option(help="Calls at the same time.", min=1, max=64)]
With = Annotated[
    list[str] | None,
    typer.Option("--with", help="Another target whose text changes in the same run; repeatable.", metavar="NAME"),
]
Alone = Annotated[bool, typer.Option("--alone", help="Leave out the targets that stand with this one.")]
AllowMemorised = Annotated[
    bool, typer.Option("--allow-memorised", help="Let words of training cases into the text; it stays on record.")
]
Batch = Annotated[
    bool | None,
    typer.Option("--batch/--no-batch", help="Prove in batches: half the price where offered, and slow."),
]
Ablate = Annotated[
    bool, typer.Option("--ablate", help="Measure what each change is worth; leave out what earns nothing.")
]
AllowSafe = Annotated[bool, typer.Option("--allow-safe", help="Also propose what is safe but not proven better.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(plan)
    app.command()(evolve)


def plan(
    target: Target,
    model: Model = None,
    judge_model: JudgeModel = None,
    mutation_model: MutationModel = None,
    seed: Seed = 1,
    max_calls: MaxCalls = None,
    max_usd: MaxUsd = None,
    min_delta: MinDelta = 0.02,
    population: Population = None,
    generations: Generations = None,
    schema_population: SchemaPopulation = None,
    schema_generations: SchemaGenerations = None,
    candidate: Candidate = None,
    preset: Preset = "efficient",
    concurrency: Concurrency = 4,
    allow_safe: AllowSafe = False,
    ablate: Ablate = False,
    allow_memorised: AllowMemorised = False,
    batch: Batch = None,
    together: With = None,
    alone: Alone = False,
    show_request: Annotated[
        bool, typer.Option("--show-request", help="Show the first request as it would leave.")
    ] = False,
    json: session.Json = False,
) -> None:
    """Say what a run would do and cost. Free: nothing is called."""
    options = _options(locals())

    async def work(workspace: Workspace) -> tuple[PlanReport | FlowPlan, list[dict[str, Any]]]:
        flow = await workspace.flow_of(target)
        if flow is not None:
            return await workspace.plan_flow(flow), []
        report = await workspace.plan(target, options)
        requests = await workspace.preview_requests(target, options) if show_request else []
        return report, requests

    report, requests = session.run_with_workspace(work)
    if not isinstance(report, PlanReport):
        from honeyguide.cli.flow_printing import tell_plan  # what it needs of flows takes a while to load

        tell_plan(report, as_json=json)
        return
    data = report.to_json()
    if json:
        output.print_json({**data, **({"requests": requests} if show_request else {})})
        return
    _print_plan(report)
    for request in requests:
        output.console().print(f"\n[bold]request to {output.shown(request['model'])}[/] {output.shown(request['url'])}")
        for note in request["notes"]:
            output.console().print(output.shown(note), style="dim")
        output.console().print(output.shown(request["text"]))


def evolve(
    target: Target,
    model: Model = None,
    judge_model: JudgeModel = None,
    mutation_model: MutationModel = None,
    seed: Seed = 1,
    max_calls: MaxCalls = None,
    max_usd: MaxUsd = None,
    min_delta: MinDelta = 0.02,
    population: Population = None,
    generations: Generations = None,
    schema_population: SchemaPopulation = None,
    schema_generations: SchemaGenerations = None,
    candidate: Candidate = None,
    preset: Preset = "efficient",
    concurrency: Concurrency = 4,
    allow_safe: AllowSafe = False,
    ablate: Ablate = False,
    allow_memorised: AllowMemorised = False,
    batch: Batch = None,
    together: With = None,
    alone: Alone = False,
    yes: Annotated[bool, typer.Option("--yes", help="Spend without asking.")] = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Try to improve a target. The result waits for a person; nothing is deployed."""
    options = _options(locals())
    as_data = json or events

    tell = ProgressTeller()

    def show_progress(event: ProgressEvent) -> None:
        if events:
            output.print_event("progress", event.to_json())
        elif not json:
            tell(event)

    async def work(workspace: Workspace) -> RunResult:
        confirmed = await _confirm_cost(workspace, target, options, yes=yes, may_ask=not as_data)
        return await workspace.evolve(
            target, options.confirmed() if confirmed else options, on_progress=show_progress, origin=session.origin()
        )

    result = session.run_with_workspace(work)
    data = result.to_json()
    if events:
        output.print_event("done", data)
    elif json:
        output.print_json(data)
    else:
        print_result(data)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def print_result(data: dict[str, Any]) -> None:
    """Tell a person what came of a run."""
    output.console().print(f"\n[bold]{output.shown(data['outcome'])}[/]  {output.shown(data.get('reason') or '')}")
    verification = data.get("verification")
    if verification:
        low, high = verification["interval"] or (None, None)
        output.print_facts(
            {
                "verdict": verification["label"],
                "gain" if verification["outcome"] == "verified_improvement" else "measured": (
                    f"{output.points(verification['delta'])} ({output.points(low)} to {output.points(high)})"
                ),
                "cases": f"{verification['wins']} better, {verification['ties']} same, {verification['losses']} worse",
            }
        )
    spend = data["spend"]
    output.print_facts({"run": data["uuid"], "calls": spend["calls"], "cost": output.money(spend["usd"])})
    if data.get("model") == "practice":
        output.console().print("Answers, grades and proposals came from the practice model.", style="dim")


async def _confirm_cost(workspace: Workspace, target: str, options: RunOptions, *, yes: bool, may_ask: bool) -> bool:
    """Return whether a paid run was agreed to. Raises PolicyRefused with the plan when nobody can be asked."""
    if not workspace.costs_money(options):
        return True
    report = await workspace.plan(target, options)
    if yes:
        if report.price_is_unknown and options.max_calls is None:
            raise PolicyRefused(
                "The price of this model is unknown.",
                hint="Name a ceiling with --max-calls.",
                details={"plan": report.to_json()},
            )
        return True
    if not may_ask or not sys.stdin.isatty():
        raise PolicyRefused(
            "This run costs money and nobody confirmed it.", hint="Add --yes.", details={"plan": report.to_json()}
        )
    _print_plan(report)
    if report.price_is_unknown and options.max_calls is None:
        raise PolicyRefused("The price of this model is unknown.", hint="Add --yes and --max-calls.")
    if not typer.confirm("Spend this?", default=False):
        raise PolicyRefused("Not confirmed; nothing was called.")
    return True


def _print_plan(report: PlanReport) -> None:
    data = report.to_json()
    calls, usd = data["calls"], data["usd"]
    rows = [(s["name"], f"{s['calls']['low']} to {s['calls']['high']}") for s in data["stages"]]
    output.console().print(output.table(["stage", "calls"], rows))
    kept, dropped = report.examples, report.dropped
    output.print_facts(
        {
            "examples": f"{kept['train']} to learn from, {kept['validation']} to choose by, {kept['holdout']} unseen",
            **({"together with": ", ".join(report.together)} if report.together else {}),
            "left out": ", ".join(f"{count} × {why}" for why, count in dropped.items()) or "none",
            "calls": f"{calls['low']} to {calls['high']}",
            "price": f"{output.money(usd['low'])} to {output.money(usd['high'])}",
            "ready": "yes" if data["ready"] else "no",
        }
    )
    for reason in data["reasons"]:
        output.console().print(f"[yellow]![/] {output.shown(reason['message'])}")


def _options(given: dict[str, Any]) -> RunOptions:
    roles = {ModelRole.EXECUTOR: "model", ModelRole.JUDGE: "judge_model", ModelRole.MUTATOR: "mutation_model"}
    candidate = given["candidate"]
    return RunOptions(
        preset=given["preset"],
        seed=given["seed"],
        max_calls=given["max_calls"],
        max_usd=given["max_usd"],
        min_delta=given["min_delta"],
        population=given["population"],
        generations=given["generations"],
        schema_population=given["schema_population"],
        schema_generations=given["schema_generations"],
        candidate_text=_read(candidate) if candidate is not None else None,
        concurrency=given["concurrency"],
        allow_safe=given["allow_safe"],
        ablate=given["ablate"],
        allow_memorised=given["allow_memorised"],
        batch=given["batch"],
        together=tuple(given["together"] or ()),
        alone=given["alone"],
        models={role: ModelRef.parse(given[name]) for role, name in roles.items() if given[name]},
    )


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise Unreadable(f"{path} cannot be read: {error.strerror}.", hint="Check the path.") from error
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{path} is not UTF-8 text (byte {error.start}).", hint="Save it as UTF-8.") from error
