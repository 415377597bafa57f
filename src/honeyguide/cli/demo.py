"""``honeyguide demo``: the whole story on the sample, each step with its numbers, in under a minute.

It ends with 0 only if every step truly happened; each is checked against the workspace, not assumed.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.live import Live
from rich.text import Text

from honeyguide.cli import output, session
from honeyguide.cli.runs import print_diff
from honeyguide.kernel.errors import InternalError
from honeyguide.workspace import ProgressEvent, RunOptions, Workspace

TARGET = "support"
CONTENT = "planner"
SEED = 1
Directory = Annotated[Path, typer.Option("--dir", help="Where the demo's workspace and pictures go.", metavar="DIR")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(demo)


def demo(directory: Directory = Path("demo"), json: session.Json = False) -> None:
    """Show the complete story on the sample: history in, a proven proposal out, accept, roll back."""
    began = time.monotonic()
    workspace = _fresh(directory)
    facts = session.run_async(lambda: _story(workspace, quiet=json))
    facts["seconds"] = round(time.monotonic() - began, 1)
    pictures = [] if _has_screen() else session.front_ends().pictures(workspace, directory)
    facts["pictures"] = [str(path) for path in pictures]
    if json:
        output.print_json(facts)
        return
    console = output.console()
    for path in pictures:
        console.print(f"drew {output.shown(str(path))}", style="dim")
    console.print(f"\n[bold green]Every step happened[/] in {facts['seconds']} s.")
    console.print(f"Look around: {_called()} --workspace {output.shown(str(workspace))}")
    if _has_screen():
        raise typer.Exit(session.front_ends().window(workspace, False))


def _called() -> str:
    """Return what a person types to start this program again: its name, or its place when it is on no search path."""
    program = Path(sys.argv[0])
    if program.name != "honeyguide" or shutil.which("honeyguide") is not None:
        return "honeyguide"
    here = Path.cwd()
    return str(program.relative_to(here) if program.is_relative_to(here) else program)


async def _story(path: Path, *, quiet: bool) -> dict[str, Any]:
    teller = _Teller(quiet)
    workspace = await Workspace.create(path, sample=True)
    try:
        facts = await _tell(workspace, teller)
    finally:
        await workspace.close()
    return {"workspace": str(path), **facts}


async def _tell(workspace: Workspace, teller: _Teller) -> dict[str, Any]:
    facts: dict[str, Any] = {}
    with teller.step(
        "History", "A small web shop's agent and what it did; secrets are replaced before anything is stored."
    ):
        rows = await workspace.targets()
        traces = sum(row.traces for row in rows)
        _require(traces > 1000, "the sample's history was not imported")
        teller.fact(f"{len(rows)} prompts, {traces} recorded answers")
    with teller.step("Examples", f"What the history says about '{TARGET}', split by conversation."):
        dataset = (await workspace.build_dataset(TARGET, seed=SEED)).to_json()
        examples = dataset["examples"]
        _require(examples["holdout"] >= 60, "too few unseen cases")
        teller.fact("{train} to learn from, {validation} to choose by, {holdout} kept unseen".format_map(examples))
        teller.fact("left out: " + ", ".join(f"{n} × {reason}" for reason, n in dataset["dropped"].items()))
    with teller.step("Plan", "What a run would take; nothing is called yet."):
        plan = (await workspace.plan(TARGET, RunOptions(seed=SEED))).to_json()
        _require(plan["ready"], "the plan is not ready")
        teller.fact(
            f"{plan['calls']['low']} to {plan['calls']['high']} calls of the practice model, which cost nothing"
        )
    with teller.step(
        "Evolve", "The practice model answers, grades and proposes; the search never sees the kept cases."
    ):
        with teller.progress() as show:
            result = await workspace.evolve(TARGET, RunOptions(seed=SEED), on_progress=show, origin=session.origin())
        data = result.to_json()
        _require(data["outcome"] == "proposed", f"the run ended {data['outcome']}: {data['reason']}")
        teller.fact(f"{data['spend']['calls']} calls; the run is stored as {data['uuid']}")
    with teller.step("Gates", "Rules that every proposal has to pass."):
        _require(all(gate["verdict"] == "pass" for gate in data["gateResults"]), "a gate failed")
        teller.fact(", ".join(f"{gate['gate']} ✓" for gate in data["gateResults"]))
    with teller.step("Proof", "Old and new prompt on the cases that nobody had seen."):
        proof = data["verification"]
        _require(proof["outcome"] == "verified_improvement" and proof["delta"] > 0, f"the proof says {proof['label']}")
        low, high = proof["interval"]
        teller.fact(f"{proof['label']}: better on {proof['wins']} of {proof['n']}, worse on {proof['losses']}")
        teller.fact(f"gain {output.points(proof['delta'])}, between {output.points(low)} and {output.points(high)}")
    facts |= {"run": data["uuid"], "verification": proof, "plan": plan, "dataset": dataset}
    with teller.step("Review", "What would change."):
        view = await workspace.run_diff(data["uuid"])
        _require(len(view.hunks) > 0, "there is no difference")
        if not teller.quiet:
            print_diff(view)
    with teller.step("Accept", "A person decides; the override is written in one step."):
        before = await workspace.target(TARGET)
        check = await workspace.can_accept(data["uuid"])
        teller.fact(f"file {check.path}")
        teller.fact(f"text {check.sha_before[:12]} → {check.sha_after[:12]}")
        run = await workspace.accept(data["uuid"], note="shown in the demo", origin=session.origin())
        _require(run.status == "deployed", f"the run is {run.status}")
        override = Path(check.path)
        live = workspace.active_prompt(before.row.ref.kind, TARGET)
        _require(override.is_file() and live == check.text and live != before.text, "the new prompt is not live")
        teller.fact(f"{override.stat().st_size} bytes written; the agent loads the new prompt from now on")
    with teller.step("Roll back", "The way back is always there, as a new version."):
        row = await workspace.rollback(TARGET, origin=session.origin())
        _require(not override.exists(), "the override is still there")
        _require(workspace.active_prompt(before.row.ref.kind, TARGET) == before.text, "the built-in text is not live")
        versions = await workspace.versions(TARGET)
        teller.fact(f"version {row.n} is live: the built-in prompt; {len(versions.versions)} versions are kept")
    with teller.step("Nothing better", f"'{CONTENT}' says all it needs; the honest answer is to leave it."):
        second = (await workspace.evolve(CONTENT, RunOptions(seed=SEED), origin=session.origin())).to_json()
        _require(second["outcome"] == "skipped-delta", f"the run ended {second['outcome']}")
        teller.fact(second["reason"])
    with teller.step("Again", "Accepted once more, so that there is something to look at."):
        again = (await workspace.evolve(TARGET, RunOptions(seed=SEED), origin=session.origin())).to_json()
        _require(again["outcome"] == "proposed", f"the run ended {again['outcome']}")
        teller.fact("one proposal waits in the inbox")
    facts["versions"] = versions.to_json()
    return facts


class _Teller:
    """Tells the story to a person, or nothing at all."""

    def __init__(self, quiet: bool) -> None:
        self.quiet = quiet
        self._number = 0

    @contextmanager
    def step(self, name: str, about: str) -> Iterator[None]:
        """Announce a step; the step itself says what came of it."""
        self._number += 1
        if not self.quiet:
            output.console().print(f"\n[bold]{self._number}. {name}[/]  [dim]{output.shown(about)}[/]")
        yield

    def fact(self, text: str) -> None:
        """Tell one thing that was measured."""
        if not self.quiet:
            output.console().print(f"   {output.shown(text)}")

    @contextmanager
    def progress(self) -> Iterator[Any]:
        """Give something that shows progress on one line that renews itself."""
        if self.quiet:
            yield lambda event: None
            return
        with Live(Text(), console=output.console(), refresh_per_second=8, transient=not sys.stdout.isatty()) as live:

            def show(event: ProgressEvent) -> None:
                detail = event.detail or {}
                calls = f"  {detail['calls']} calls" if "calls" in detail else ""
                words = event.message if " " in event.message else "Looking for a better text."  # else a step's name
                live.update(Text(f"   {words}{calls}", style="cyan"))

            yield show


def _require(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise InternalError(f"The demo stopped: {otherwise}.", hint="Please report this; it should not happen.")


def _fresh(directory: Path) -> Path:
    """Return a folder for a new workspace; an earlier demo stays as it is."""
    number = 1
    while (path := directory / ("workspace" if number == 1 else f"workspace-{number}")).exists():
        number += 1
    return path


def _has_screen() -> bool:
    if os.environ.get("QT_QPA_PLATFORM") in ("offscreen", "minimal"):
        return False
    return sys.platform in ("darwin", "win32") or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
