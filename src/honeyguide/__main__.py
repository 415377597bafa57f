"""The console entry and composition root: the only module that imports a front end, where it is needed."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return the exit code."""
    from honeyguide.cli.app import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    raise SystemExit(main())
