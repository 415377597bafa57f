"""``honeyguide open FILE``: what a double click on an exported review does. It is shown by the browser."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from honeyguide.cli import output, session
from honeyguide.kernel.errors import Unsupported
from honeyguide.workspace import review_page


def register(root: typer.Typer) -> None:
    """Add the command of this file."""
    root.command(name="open")(open_review)


def open_review(
    file: Annotated[Path, typer.Argument(help="A review that was exported from Honeyguide.", metavar="FILE")],
    json: session.Json = False,
) -> None:
    """Show an exported review in the browser."""
    copy = review_page(file)
    if not webbrowser.open(copy.as_uri()):
        raise Unsupported("No browser was found.", hint=f"The page is at {copy}; open it with any browser.")
    if json:
        output.print_json({"path": str(copy)})
