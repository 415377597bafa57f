"""What the frozen program starts with: what is special about a frozen program's start, then the program itself."""

from __future__ import annotations

import os
import sys

REVIEW_SUFFIX = ".honeyguide-review"


def start() -> int:
    """Run the command line, or the child that is asked for, and return the exit code."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # a Windows program without a console has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    if len(sys.argv) == 2 and sys.argv[1].endswith(REVIEW_SUFFIX):  # macOS hands over a bare path
        sys.argv.insert(1, "open")
    from honeyguide.__main__ import main

    return main()


if __name__ == "__main__":
    raise SystemExit(start())
