"""All commands together, and the one place where errors become exit codes."""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from typer.exceptions import TyperException

from honeyguide import __version__
from honeyguide.cli import output, session
from honeyguide.cli.commands import add_commands, with_command
from honeyguide.cli.front_ends import FrontEnds
from honeyguide.kernel.errors import HoneyguideError, InternalError, Interrupted, InvalidInput
from honeyguide.workspace import write_crash_report


def command_line(arguments: Sequence[str] = ()) -> typer.Typer:
    """Return the commands that these arguments can mean; without arguments all of them."""
    app = typer.Typer(
        name="honeyguide",
        help="Improves the prompts that drive AI agents, with proof, and lets a person decide.",
        no_args_is_help=False,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(invoke_without_command=True)(_root)
    add_commands(app, arguments)
    return app


def _root(
    context: typer.Context,
    workspace: Annotated[Path | None, typer.Option(help="The workspace folder.", metavar="DIR")] = None,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
    smoke: Annotated[bool, typer.Option("--smoke", help="Open the window, walk through every page, and exit.")] = False,
) -> None:
    session.choose_workspace(workspace)
    if version:
        print(f"honeyguide {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        from honeyguide.cli.start import open_window

        raise typer.Exit(open_window(smoke=smoke))


def run(arguments: Sequence[str], front_ends: FrontEnds | None = None) -> int:
    """Run one command and return its exit code; no traceback reaches the person."""
    session.begin(front_ends or FrontEnds())
    as_events = "--events" in arguments
    as_json = "--json" in arguments
    failure: HoneyguideError
    try:
        arguments = with_command(arguments)
        result = command_line(arguments)(args=list(arguments), prog_name="honeyguide", standalone_mode=False)
        if result != Interrupted.exit_code:  # what the command line library makes of Ctrl+C
            return result if isinstance(result, int) else 0
        failure = _stopped()
    except HoneyguideError as error:
        failure = error
    except typer.Exit as error:
        return error.exit_code
    except (typer.Abort, KeyboardInterrupt, asyncio.CancelledError):
        failure = _stopped()
    except TyperException as error:
        failure = _usage_error(error)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - the outermost edge: it reports
        failure = _internal_error(error)
    output.print_error(failure, as_json=as_json, as_events=as_events)
    return failure.exit_code


def _stopped() -> Interrupted:
    return Interrupted("Stopped. What was paid for is kept.", hint="Run the same command again to go on.")


def _usage_error(error: TyperException) -> InvalidInput:
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "honeyguide"
    said = error.format_message() if hasattr(error, "format_message") else str(error)
    return InvalidInput(said, hint=f"See '{command} --help'.")


def _internal_error(error: Exception) -> InternalError:
    report = write_crash_report("".join(traceback.format_exception(error)))
    return InternalError(
        f"Something unexpected happened: {type(error).__name__}.",
        hint=f"A report without secrets was written to {report}.",
        details={"report": str(report)},
    )
