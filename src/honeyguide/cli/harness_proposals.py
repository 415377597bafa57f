"""``honeyguide harness proposals …``: the queue of gated drafts, and a person's decision on each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output
from honeyguide.cli.harness_session import with_harnesses
from honeyguide.cli.session import Json, origin
from honeyguide.kernel.errors import PolicyRefused

app = typer.Typer(help="Drafts that wait for a person. There is no automatic applying.", no_args_is_help=True)
Dir = Annotated[Path, typer.Argument(help="The harness folder.", metavar="DIR")]
Id = Annotated[str, typer.Argument(help="The proposal's id.", metavar="ID")]


@app.command("list")
def list_(
    directory: Dir,
    status: Annotated[str | None, typer.Option(help="pending, applying, applied, rejected.")] = None,
    json: Json = False,
) -> None:
    """List proposals, newest first."""
    data = with_harnesses(lambda both: both.evolving.proposals(directory, status)).to_json()
    if json:
        output.print_json(data)
        return
    rows = [
        (p["id"], p["status"] + (" (stale)" if p["stale"] else ""), p["trigger"], p["created_at"], p["rationale"])
        for p in data["proposals"]
    ]
    output.console().print(output.table(["proposal", "status", "trigger", "drafted", "why"], rows))


@app.command()
def show(directory: Dir, id: Id, json: Json = False) -> None:
    """Show a proposal: why, what the gate says, the diff, the proof."""
    if json:
        output.print_json(with_harnesses(lambda both: both.evolving.proposal(directory, id)).to_json())
        return
    print_proposal(directory, id)


@app.command()
def apply(
    directory: Dir,
    id: Id,
    approve_code: Annotated[str | None, typer.Option(help="Files whose code may be written, e.g. a.py,b.py.")] = None,
    approve_capability: Annotated[str | None, typer.Option(help="Paths whose new capability is approved.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Apply without asking.")] = False,
    json: Json = False,
) -> None:
    """Apply a proposal. Code files and capabilities need an approval each; what has none stays pending."""
    code, capabilities = _names(approve_code), _names(approve_capability)
    if not yes:
        if json or not sys.stdin.isatty():
            raise PolicyRefused(f"Applying {id} changes files and nobody can be asked.", hint="Add --yes.")
        print_proposal(directory, id)
        ask_and_apply(directory, id)
        return
    _applied(directory, id, code, capabilities, json)


@app.command()
def reject(
    directory: Dir,
    id: Id,
    reason: Annotated[str, typer.Option(help="Why.")] = "",
    json: Json = False,
) -> None:
    """Reject a proposal."""
    data = with_harnesses(lambda both: both.evolving.reject(directory, id, reason, origin())).to_json()
    if json:
        output.print_json(data)
        return
    output.console().print(f"{output.shown(id)} is rejected.")


@app.command()
def rollback(
    directory: Dir,
    to: Annotated[str | None, typer.Argument(help="A version hash, or a proposal to go back before.")] = None,
    json: Json = False,
) -> None:
    """Bring an earlier version's files back, byte for byte."""
    data = with_harnesses(lambda both: both.evolving.rollback(directory, to, origin())).to_json()
    if json:
        output.print_json(data)
        return
    output.console().print(f"{data['old_version_hash']} -> {data['new_version_hash']}")


def print_proposal(directory: Path, id: str) -> None:
    """Print a proposal for a person."""
    data = with_harnesses(lambda both: both.evolving.proposal(directory, id)).to_json()
    proof = data.get("proof") or {}
    output.print_facts(
        {
            "proposal": data["id"],
            "status": data["status"] + (" (stale: draft it anew)" if data["stale"] else ""),
            "why": data["rationale"],
            "proof": f"{proof.get('label', 'Unproven')}: {proof.get('because', '')}",
        }
    )
    gate: dict[str, Any] = data["gate"]
    for change in gate["accepted"]:
        output.console().print(f"[green]✓[/] {output.shown(change['path'])}: {output.shown(change['rationale'])}")
    for rejected in gate["rejected"]:
        output.console().print(f"[red]✗[/] {output.shown(rejected['path'])}: {output.shown(rejected['reason'])}")
    for capability in gate.get("capability_changes") or []:
        output.console().print(f"[yellow]![/] {output.shown(capability['sentence'])} (needs an approval of its own)")
    for name, diff in {"harness.yaml": data["diff"], **data["code_diffs"]}.items():
        if diff:
            output.console().print(f"[cyan]{output.shown(name)}[/]")
            for hunk in diff["hunks"]:
                for line in hunk["before"].splitlines():
                    output.console().print(f"[red]- {output.shown(line)}[/]")
                for line in hunk["after"].splitlines():
                    output.console().print(f"[green]+ {output.shown(line)}[/]")


def ask_and_apply(directory: Path, id: str) -> None:
    """Ask for each part by itself, default No, and apply what was agreed to."""
    gate = with_harnesses(lambda both: both.evolving.proposal(directory, id)).to_json()["gate"]
    if not typer.confirm("Apply it?", default=False):
        output.console().print(f"It stays in the queue as {output.shown(id)}.")
        return
    capabilities = [
        c["path"]
        for c in gate.get("capability_changes") or []
        if typer.confirm(f"{c['sentence']} Allow that?", default=False)
    ]
    code = [c["file"] for c in gate["code_changes"] if typer.confirm(f"Write the code of {c['file']}?", default=False)]
    _applied(directory, id, code, capabilities, json=False)


def _applied(directory: Path, id: str, code: list[str], capabilities: list[str], json: bool) -> None:
    data = with_harnesses(
        lambda both: both.evolving.apply(directory, id, origin(), code=code, capabilities=capabilities)
    ).to_json()
    if json:
        output.print_json(data)
        return
    output.console().print(f"{data['old_version_hash']} -> {data['new_version_hash']} (evolved {data['counter']})")
    for name in [*data["pending_code"], *data["pending_capabilities"]]:
        output.console().print(f"still waits for approval: {output.shown(name)}", style="yellow")


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]
