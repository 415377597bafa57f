"""A harness command's way to its answer: with the open workspace where there is one, else without."""

from __future__ import annotations

import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from honeyguide.cli import output, session
from honeyguide.kernel.errors import InvalidInput, NotFound, Unreadable
from honeyguide.workspace import Workspace
from honeyguide.workspace.harness_views import (
    HarnessDocument,
    Harnesses,
    HarnessEvolving,
    HarnessHome,
    HarnessRunning,
    HarnessServing,
)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Both:
    """The parts of the application that know harnesses."""

    harnesses: Harnesses
    evolving: HarnessEvolving
    running: HarnessRunning
    serving: HarnessServing

    @classmethod
    def at(cls, home: HarnessHome) -> Both:
        """Return the parts that work from one home."""
        evolving = HarnessEvolving(home)
        running = HarnessRunning(home, evolving)
        return cls(Harnesses(home), evolving, running, HarnessServing(home, running))


def with_harnesses(work: Callable[[Both], Awaitable[T]]) -> T:
    """Do ``work``, in the workspace that was asked for, or the last one, or none."""
    return session.run_async(lambda: _work(work))


async def _work(work: Callable[[Both], Awaitable[T]]) -> T:
    path = session.workspace_path()
    try:
        workspace = await Workspace.open(path)
    except NotFound:
        if path not in (Workspace.last_opened(), Workspace.default_path()):
            raise  # it was named, so it is missed
        home = HarnessHome.alone()
        try:
            return await work(Both.at(home))
        finally:
            await home.close()
    try:
        return await work(Both.at(HarnessHome.of_workspace(workspace)))
    finally:
        await workspace.close()


def print_line(data: Mapping[str, Any]) -> None:
    """Print one JSON object as a line."""
    line = json.dumps(dict(data), ensure_ascii=False, separators=(",", ":"), default=str)
    sys.stdout.write(line.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n")
    sys.stdout.flush()


def ask(work: Callable[[Both], Awaitable[HarnessDocument]]) -> HarnessDocument:
    """Return the answer to one question about harnesses."""
    return with_harnesses(work)


def print_document(document: HarnessDocument, json: bool, text: object) -> None:
    """Print an answer: its public shape, or ``text`` for a person."""
    if json:
        output.print_json(document.to_json())
    else:
        output.console().print(output.shown(text) if isinstance(text, str) else text)


def read_input(text: str | None, file: str | None) -> str:
    """Return the input that was given one way. Raises InvalidInput, NotFound, Unreadable."""
    if (text is None) == (file is None):
        raise InvalidInput("Give the input once.", hint="Use --input TEXT, or --input-file FILE, or --input-file -.")
    if text is not None:
        return text
    if file == "-":
        return sys.stdin.read()
    try:
        return Path(str(file)).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {file}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise Unreadable(f"{file} cannot be read as UTF-8 text.") from error
