"""What the frozen program starts with: what is special about a frozen program's start, then the program itself."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

REVIEW_SUFFIX = ".honeyguide-review"


def start() -> int:
    """Run the command line, or the child that is asked for, and return the exit code."""
    forget_own_libraries(os.environ)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # a Windows program without a console has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    if len(sys.argv) == 2 and sys.argv[1].endswith(REVIEW_SUFFIX):  # macOS hands over a bare path
        sys.argv.insert(1, "open")
    from honeyguide.__main__ import main

    return main()


def forget_own_libraries(environment: MutableMapping[str, str]) -> None:
    """Let what this program starts (git, a browser) find the system's libraries, not those of this folder.

    The start-up program points ``LD_LIBRARY_PATH`` at them; this process has read it already. With its own notes gone
    too, a child that is this program again sets everything up for itself.
    """
    for name in [name for name in environment if name.startswith("_PYI_")]:
        del environment[name]
    before = environment.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is not None:
        environment["LD_LIBRARY_PATH"] = before
    elif getattr(sys, "frozen", False):
        environment.pop("LD_LIBRARY_PATH", None)


if __name__ == "__main__":
    raise SystemExit(start())
