"""What the frozen program starts with.

A program that is frozen is its own Python: children that are started as ``sys.executable -m honeyguide…`` (the one
that runs a model file) and those of ``multiprocessing`` (the readers of history) arrive here too.
"""

from __future__ import annotations

import multiprocessing
import os
import runpy
import sys

REVIEW_SUFFIX = ".honeyguide-review"


def start() -> int:
    """Run the child that is asked for, else the command line, and return the exit code."""
    multiprocessing.freeze_support()
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # a Windows program without a console has none
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
    asked = sys.argv[1:3]
    if len(asked) == 2 and asked[0] == "-m" and asked[1].partition(".")[0] == "honeyguide":
        del sys.argv[1:3]
        if asked[1] != "honeyguide":
            runpy.run_module(asked[1], run_name="__main__", alter_sys=True)
            return 0
    if len(sys.argv) == 2 and sys.argv[1].endswith(REVIEW_SUFFIX):  # macOS hands over a bare path
        sys.argv.insert(1, "open")
    from honeyguide.__main__ import main

    return main()


if __name__ == "__main__":
    raise SystemExit(start())
