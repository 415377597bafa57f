"""The console entry and composition root: the only module that imports a front end, where it is needed."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> int:
    """Run the command line and return the exit code."""
    from honeyguide.cli.app import run
    from honeyguide.cli.front_ends import FrontEnds

    return run(sys.argv[1:], FrontEnds(window=_window, pictures=_pictures))


def _window(workspace: Path, smoke: bool) -> int:
    from honeyguide.desktop.main import main as open_window

    return open_window(workspace, smoke=smoke)


def _pictures(workspace: Path, folder: Path) -> list[Path]:
    from honeyguide.desktop.screenshots import render_pages

    return render_pages(workspace, folder)


if __name__ == "__main__":
    raise SystemExit(main())
