"""Stands in for the child that runs a model file: same arguments, same key, same way to live and to end.

``python -m tests.fakes.gguf_child [--fail] FILE CONTEXT SLOTS``
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tests.fakes.model_server import ModelServer


def main(arguments: list[str]) -> int:
    """Serve until standard input ends."""
    if arguments[0] == "--fail":
        return 3
    sys.stdout.write("loading\n")
    with ModelServer(
        lambda text: f"{Path(arguments[0]).name}: {text}", key=os.environ["HONEYGUIDE_GGUF_KEY"]
    ) as server:
        sys.stdout.write(f"ready {server.port}\n")
        sys.stdout.flush()
        while sys.stdin.buffer.read(1024):
            pass
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
