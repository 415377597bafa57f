"""The other front ends as the command line calls them; the entry point puts them in, so that none imports another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.errors import Unsupported


def _no_window(workspace: Path, smoke: bool) -> int:
    raise Unsupported("This program was started without its window.", hint="Start 'honeyguide'.")


def _no_pictures(workspace: Path, folder: Path) -> list[Path]:
    return []


@dataclass(frozen=True, slots=True)
class FrontEnds:
    """What can be opened from the command line.

    Attributes:
        window: opens the window on a workspace (with ``smoke``: walks through every page) and returns the exit code.
        pictures: draws every page of a workspace into a folder without a screen and returns the files.
    """

    window: Callable[[Path, bool], int] = _no_window
    pictures: Callable[[Path, Path], list[Path]] = _no_pictures
