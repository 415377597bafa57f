"""What goes to standard output: one JSON document, one JSON object a line, or text for people.

With ``--json`` exactly one document is printed; logs, warnings and progress go to standard error.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from honeyguide.kernel.errors import HoneyguideError

CONTROL_CHARACTERS = {code: f"\\x{code:02x}" for code in [*range(32), *range(127, 160)] if chr(code) not in "\n\t"}


def console() -> Console:
    """Return where people read; colours only in a terminal."""
    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False, no_color="NO_COLOR" in os.environ)


def notes() -> Console:
    """Return where progress and warnings go."""
    return Console(file=sys.stderr, highlight=False, soft_wrap=True, emoji=False)


def shown(text: str) -> str:
    """Return text from data so that it cannot act on a terminal: markup escaped, control characters spelled out."""
    return escape(text.translate(CONTROL_CHARACTERS))


def print_json(document: Any) -> None:
    """Print one JSON document."""
    sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    sys.stdout.flush()


def print_event(name: str, data: Any) -> None:
    """Print one event of ``--events``."""
    line = json.dumps({"event": name, "data": data}, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    sys.stdout.write(line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n")
    sys.stdout.flush()


def print_document(document: Any, *, as_json: bool, as_events: bool) -> bool:
    """Print what came of a command for a machine, as one document or as the last event; ``False`` for a person."""
    if as_events:
        print_event("done", document)
    elif as_json:
        print_json(document)
    return as_events or as_json


def error_document(error: HoneyguideError) -> dict[str, Any]:
    """Return ``{"error": {"code", "message", "hint", …}}``."""
    return {"error": error.to_json()}


def print_error(error: HoneyguideError, *, as_json: bool, as_events: bool) -> None:
    """Say what went wrong, where the caller reads it."""
    if as_events:
        print_event("error", error.to_json())
    elif as_json:
        print_json(error_document(error))
    else:
        notes().print(f"[bold red]honeyguide:[/] {shown(error.message)}")
        if error.hint:
            notes().print(f"  {shown(error.hint)}", style="dim")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> Table:
    """Return a table without lines; ``None`` reads "unknown"."""
    result = Table(box=None, pad_edge=False, header_style="bold")
    for column in columns:
        result.add_column(column, overflow="fold")
    for row in rows:
        result.add_row(*(shown("unknown" if cell is None else str(cell)) for cell in row))
    return result


def print_facts(facts: Mapping[str, object]) -> None:
    """Print names and values, one pair a line."""
    width = max((len(name) for name in facts), default=0)
    for name, value in facts.items():
        console().print(f"[dim]{name:<{width}}[/]  {shown('unknown' if value is None else str(value))}")


def preview(text: str, length: int = 60) -> str:
    """Return the first line's worth of a text."""
    flat = " ".join(text.split())
    return flat if len(flat) <= length else f"{flat[: length - 1]}…"


def points(share: float | None) -> str:
    """Return a share as percentage points with a sign."""
    return "unknown" if share is None else f"{share * 100:+.1f} pts"


def money(usd: float | None) -> str:
    """Return a price; unknown is said."""
    return "unknown" if usd is None else f"${usd:.4f}" if 0 < usd < 0.1 else f"${usd:.2f}"
