"""What people and programs read of flows: plans, proposals, results, and the steps on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import typer

from honeyguide.cli import output
from honeyguide.workspace import (
    NOTICE,
    FlowPlan,
    FlowRun,
    FlowRunDetail,
    OnFlowEvent,
    RunStatus,
    SuiteOutcome,
    plan_events,
)

REFUSED: Final = 6
"""The exit code of a proposal that does not hold, and of a suite that is not clean."""


def exit_code_of(run: FlowRun) -> int:
    """Return 0 for a proposal that can be looked at, or the same text again; else 6."""
    waits = run.status in (RunStatus.VERIFIED_IMPROVEMENT, RunStatus.REGRESSION_SAFE)
    return 0 if waits or run.reason_code in ("identical", "nothing-better") else REFUSED


def tell_plan(made: FlowPlan, *, as_json: bool = False, as_events: bool = False) -> None:
    """Tell what a proposal would do; exits with the plan's own code where a suite is at fault."""
    for name, data in plan_events(made) if as_events else ():
        output.print_event("progress", {"phase": name, "message": "", "detail": dict(data)})
    if not output.print_document(made.to_json(), as_json=as_json, as_events=as_events):
        print_plan(made)
    if made.decision.exit_code:
        raise typer.Exit(made.decision.exit_code)


def print_plan(made: FlowPlan) -> None:
    """Tell a person what a proposal would do."""
    data = made.to_json()
    console = output.console()
    colour = "green" if made.ready else "yellow"
    console.print(f"[{colour}]{made.decision.code.value}[/]  {output.shown(made.decision.reason)}")
    if made.ready:
        stages = {stage["name"]: stage["calls"] for stage in data["stages"]}
        search = f" + {stages['search']} tried" if "search" in stages else ""
        parts = f"{stages['maintainer']} proposal{search} + {stages['current']} current + {stages['proposal']} proposed"
        console.print(f"cost: at most {made.planned} calls: {parts}")
        low, high = data["usd"]["low"], data["usd"]["high"]
        console.print(f"price: {output.money(low)} to {output.money(high)}")
    maintainer = data["maintainer"]
    isolated = "isolated" if maintainer["isolated"] else "with your own settings"
    model = f"/{maintainer['model']}" if maintainer["model"] else ""
    console.print(f"writes: {data['writes']}")
    console.print(f"maintainer: {output.shown(maintainer['engine'] + model)} ({isolated})")
    console.print(f"last results: {made.verdict[0].value}, {output.shown(made.verdict[2])}")
    for warning in made.warnings:
        console.print(f"[yellow]![/] {output.shown(warning)}")
    console.print(data["notice"], style="dim")


def print_detail(detail: FlowRunDetail) -> None:
    """Tell a person what a proposal is and what proves it."""
    run, console = detail.run, output.console()
    console.print(f"Run: {run.id}")
    console.print(f"Status: {run.status.value}")
    if run.reason:
        console.print(f"Reason: {output.shown(run.reason)}")
    added = list((run.capability_diff or {}).get("added", ()))
    console.print(f"Capabilities: {output.shown(', '.join(added)) if added else 'no additions'}")
    console.print(f"Invocations: {run.actual_invocations}/{run.planned_invocations}")
    if not run.is_imported:
        changed = f" ({', '.join(detail.receipt_changed)})" if detail.receipt_changed else ""
        console.print(f"Receipt: {detail.receipt_state}{changed}")
    for doubt in detail.doubts:
        console.print(f"[yellow]![/] {output.shown(doubt)}")
    if detail.diff:
        console.print(f"\n{output.shown(detail.diff)}")


def print_outcome(outcome: SuiteOutcome) -> None:
    """Tell a person what each case came to."""
    rows = [(c.case.name, c.status.value, f"{c.passes}/{len(c.trials)}", c.reason) for c in outcome.cases]
    output.console().print(output.table(["case", "result", "trials", "reason"], rows))


def listener(events: bool, json: bool) -> OnFlowEvent:
    """Return who is told of every step; the notice before a suite first runs is told in every way of reading."""

    def told(kind: str, data: Mapping[str, Any]) -> None:
        if kind == NOTICE and not events:
            output.notes().print(f"[yellow]![/] {output.shown(str(data['message']))}")
        elif events:
            output.print_event(
                "progress", {"phase": kind, "message": str(data.get("message", "")), "detail": dict(data)}
            )
        elif not json:
            output.notes().print(f"[dim]{kind:>12}[/]  {output.shown(_words(data))}")

    return told


def _words(data: Mapping[str, Any]) -> str:
    return "  ".join(f"{key} {value}" for key, value in data.items() if key != "runId" and value not in ("", []))
