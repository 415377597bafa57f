"""Children run in their own group, and none of it outlives them."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from honeyguide.kernel.errors import NotFound
from honeyguide.kernel.processes import OUTPUT_LIMIT, run

PARENT = (
    "import subprocess, sys, time\n"
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    "print(child.pid, flush=True)\n"
    "time.sleep({wait})\n"
)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


def test_output_and_exit_code_come_back():
    code = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read().upper()); sys.exit(3)"
    finished = run([sys.executable, "-c", code], input=b"quiet", timeout=20)
    assert (finished.exit_code, finished.stdout, finished.timed_out) == (3, b"QUIET", False)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("wait", [0, 60])
def test_grandchildren_end_with_the_child(wait):
    finished = run([sys.executable, "-c", PARENT.format(wait=wait)], timeout=3, grace=1)
    grandchild = int(finished.stdout.split()[0])
    deadline = time.monotonic() + 5
    while is_alive(grandchild) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(grandchild)
    assert finished.timed_out is (wait > 0)


def test_a_missing_program_is_named():
    with pytest.raises(NotFound, match="no-such-program"):
        run(["no-such-program"], timeout=1)


def test_a_flood_of_output_is_kept_up_to_the_limit():
    code = "import sys; sys.stdout.buffer.write(b'x' * 20_000_000)"
    finished = run([sys.executable, "-c", code], timeout=30)
    assert (finished.exit_code, len(finished.stdout)) == (0, OUTPUT_LIMIT)


def test_a_child_that_does_not_read_its_input_still_ends():
    finished = run([sys.executable, "-c", "pass"], input=b"x" * 5_000_000, timeout=20)
    assert finished.exit_code == 0
