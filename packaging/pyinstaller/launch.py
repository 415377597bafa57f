"""What the frozen program starts with.

A program that is frozen is its own Python: children that are started as ``sys.executable -m honeyguide…`` (the one
that runs a model file) and those of ``multiprocessing`` (the readers of history) arrive here too.
"""

from __future__ import annotations

import multiprocessing
import runpy
import sys


def start() -> int:
    """Run the child that is asked for, else the command line, and return the exit code."""
    multiprocessing.freeze_support()
    asked = sys.argv[1:3]
    if len(asked) == 2 and asked[0] == "-m" and asked[1].partition(".")[0] == "honeyguide":
        del sys.argv[1:3]
        if asked[1] != "honeyguide":
            runpy.run_module(asked[1], run_name="__main__", alter_sys=True)
            return 0
    from honeyguide.__main__ import main

    return main()


if __name__ == "__main__":
    raise SystemExit(start())
