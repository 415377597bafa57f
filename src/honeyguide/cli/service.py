"""``serve``, ``mcp`` and ``daemon``: Honeyguide for other programs, and by itself."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput
from honeyguide.workspace import TickReport, Workspace

Host = Annotated[str, typer.Option(help="Where to listen. Beyond this computer it needs --token-file.")]
TokenFile = Annotated[Path | None, typer.Option(help="A file with the token, for you alone (0600).", metavar="FILE")]


def register(app: typer.Typer) -> None:
    """Add the commands of this file."""
    app.command()(serve)
    app.command()(mcp)
    app.command()(daemon)


def serve(
    host: Host = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any free port.", min=0, max=65535)] = 3737,
    token_file: TokenFile = None,
    show_token: Annotated[bool, typer.Option("--show-token", help="Print the token and exit.")] = False,
    trust_loopback: Annotated[
        bool, typer.Option("--trust-loopback", help="Every program on this computer may accept, reject and spend.")
    ] = False,
    json: session.Json = False,
) -> None:
    """Serve the HTTP API with live events, until stopped."""
    if show_token:
        token = session.front_ends().token(token_file)
        if json:
            output.print_json({"token": token})
        else:
            print(token)
        return

    async def work(workspace: Workspace) -> None:
        await session.front_ends().serve(
            workspace, host=host, port=port, token_file=token_file, trust_loopback=trust_loopback,
            on_ready=_announcer("the HTTP API", json),
        )  # fmt: skip

    _until_stopped(lambda: session.run_with_workspace(work))


def mcp(
    http: Annotated[bool, typer.Option("--http", help="Over HTTP on this computer instead of standard input.")] = False,
    host: Annotated[str, typer.Option(help="A loopback address.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 takes any free port.", min=0, max=65535)] = 3738,
    token_file: TokenFile = None,
    json: session.Json = False,
) -> None:
    """Let agents read prompts and proposals, report problems and plan, over MCP. Nothing can be accepted there."""
    if json and not http:
        raise InvalidInput("Standard output belongs to MCP.", hint="Use --json together with --http.")

    async def work(workspace: Workspace) -> None:
        if not http:
            await session.front_ends().mcp_stdio(workspace)
            return
        await session.front_ends().mcp_http(
            workspace, host=host, port=port, token_file=token_file, on_ready=_announcer("MCP", json)
        )

    _until_stopped(lambda: session.run_with_workspace(work))


def daemon(
    once: Annotated[bool, typer.Option("--once", help="Look once and exit: for cron and systemd.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Say how it stands and exit.")] = False,
    events: session.Events = False,
    json: session.Json = False,
) -> None:
    """Look for improvements by itself; off unless enabled. What it finds waits for a person."""
    as_data = json or events

    def show(report: TickReport) -> None:
        if as_data:
            output.print_event("tick", report.to_json())
        else:
            _print_tick(report)

    async def work(workspace: Workspace) -> dict[str, Any] | None:
        if status:
            return (await workspace.daemon_status()).to_json()
        report = await workspace.run_daemon(once=once, on_tick=show)
        return report.to_json() if report is not None else None

    answer = _until_stopped(lambda: session.run_with_workspace(work))
    if answer is None:
        if events:
            output.print_event("done", {})
        return
    if events:
        output.print_event("done", answer)
    elif json:
        output.print_json(answer)
    elif status:
        _print_status(answer)
    else:
        _print_tick(TickReport(**answer))


def _until_stopped(work: Callable[[], Any]) -> Any:
    """Run a service; being told to stop is its usual end."""
    try:
        return work()
    except (asyncio.CancelledError, KeyboardInterrupt):
        return None


def _announcer(what: str, as_json: bool) -> Callable[[Any], None]:
    def ready(serving: Any) -> None:
        if as_json:
            output.print_json({"url": serving.url, "workspace": str(serving.workspace)})
        else:
            folder = output.shown(str(serving.workspace))
            output.console().print(f"Serving {what} of {folder} at {output.shown(serving.url)}. Ctrl+C stops.")
            sys.stdout.flush()

    return ready


def _print_tick(report: TickReport) -> None:
    target = f" {report.target}" if report.target else ""
    result = f" ({report.result})" if report.result else ""
    line = f"{report.at}  {report.outcome}{target}{result}  {report.reason}"
    output.console().print(output.shown(line))
    for entry in report.passed_over:
        output.console().print(f"  passed over {output.shown(entry['target'])}: {output.shown(entry['reason'])}")
    sys.stdout.flush()


def _print_status(answer: dict[str, Any]) -> None:
    running, spent = answer["running"], answer["spent"]
    output.print_facts(
        {
            "service": "on" if answer["enabled"] else f"off: {answer['why_off']}",
            "running": f"process {running['pid']} on {running['host']}" if running else "no",
            "interval": f"{answer['interval_seconds'] / 60:g} min",
            "next look": answer["next_tick"] or "-",
            "today": f"{spent['calls']} of {answer['calls_per_day']} calls, "
            f"{output.money(spent['usd'])} of {output.money(answer['usd_per_day'])}",
        }
    )
    rows = [
        (t["target"], t["new"], t["last_run"] or "never", "yes" if t["eligible"] else "") for t in answer["targets"]
    ]
    output.console().print(output.table(["target", "new", "last tried", "eligible"], rows))
