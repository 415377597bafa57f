"""How fast a big history is read: a generated one, 99 % progress lines and one line of 40 MB.

    python benchmarks/import.py [--megabytes 466] [--keep FILE]

Each way runs in a process of its own (so that peak memory is its own) and in one thread; speed is bytes by processor
time, so that other work on the machine does not count, and the wall clock stands beside it:

* ``lines``: reading the file line by line and doing nothing with it, the fastest any reader can be;
* ``plain``: the plain streaming reader: every line is parsed as JSON;
* ``reader``: Honeyguide's reader, with health report, conversations and traces;
* ``redacted``: the same, with every conversation redacted on the way.

Reach: at least 90 MB/s, at least 0.9 of ``plain``, and a peak of under 200 MB.
"""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

MEGABYTE = 1_000_000
LONG_LINE = 40 * MEGABYTE
PROGRESS_SHARE = 0.99
SESSION = "00000000-0000-4000-8000-000000000001"


def main() -> int:
    """Generate the history, measure each way of reading it, print JSON; exit 1 when the reach is missed."""
    options = argparse.ArgumentParser(description="Measure how fast a big history is read.")
    options.add_argument("--megabytes", type=int, default=466)
    options.add_argument("--keep", type=Path, help="keep the generated history here and use it again")
    options.add_argument("--measure", choices=sorted(WAYS), help=argparse.SUPPRESS)
    options.add_argument("--file", type=Path, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.measure:
        print(json.dumps(_measured(WAYS[given.measure], given.file)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = given.keep or Path(folder) / f"{SESSION}.jsonl"
        if not path.exists():
            write_history(path, given.megabytes * MEGABYTE)
        results = {name: _in_a_process(name, path) for name in WAYS}
    ratio = round(results["redacted"]["mb_per_s"] / results["plain"]["mb_per_s"], 2)
    reached = results["redacted"]["mb_per_s"] >= 90 and ratio >= 0.9 and results["redacted"]["peak_mb"] < 200
    print(
        json.dumps(
            {"bytes": results["lines"]["bytes"], **results, "ratio_to_plain": ratio, "reached": reached}, indent=1
        )
    )
    return 0 if reached else 1


def write_history(path: Path, size: int) -> None:
    """Write a session of about ``size`` bytes: progress lines, a request and its reply now and then, one long line."""
    progress = json.dumps(
        {**_envelope("p"), "type": "progress", "data": {"type": "bash_progress", "output": "x" * 900}}
    )
    block = (progress + "\n").encode() * 400
    written = turn = 0
    with path.open("wb") as out:
        while written < size:
            spoken = "".join(json.dumps(line) + "\n" for line in _turn(turn)).encode()
            out.write(spoken)
            written += len(spoken)
            target = len(spoken) / (1 - PROGRESS_SHARE)
            while target > 0 and written < size:
                out.write(block)
                written += len(block)
                target -= len(block)
            turn += 1
            if turn == 3:
                long_result = _result("long", "y" * LONG_LINE)
                line = (json.dumps(long_result) + "\n").encode()
                out.write(line)
                written += len(line)


def _envelope(uuid: str) -> dict[str, Any]:
    return {
        "parentUuid": "parent",
        "isSidechain": False,
        "userType": "external",
        "cwd": "/home/kim/shop",
        "sessionId": SESSION,
        "version": "2.1.0",
        "gitBranch": "main",
        "uuid": uuid,
        "timestamp": "2026-05-01T10:00:00.000Z",
    }


def _turn(number: int) -> Iterator[dict[str, Any]]:
    yield {
        **_envelope(f"u{number}"),
        "type": "user",
        "message": {"role": "user", "content": f"Task {number}: sort it."},
    }
    use = {"type": "tool_use", "id": f"t{number}", "name": "Edit", "input": {"file_path": "a.py", "text": "z" * 2000}}
    usage = {"input_tokens": 1000, "output_tokens": 100, "cache_read_input_tokens": 5000}
    message = {"role": "assistant", "id": f"m{number}", "model": "claude-test-1", "usage": usage}
    yield {**_envelope(f"a{number}"), "type": "assistant", "message": {**message, "content": [use]}}
    yield _result(f"t{number}", "The file has been updated. " * 20)
    answer = {**message, "id": f"n{number}", "content": [{"type": "text", "text": "It is sorted now. " * 20}]}
    yield {**_envelope(f"b{number}"), "type": "assistant", "message": answer}


def _result(tool: str, text: str) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": tool, "content": text}
    return {**_envelope(f"r{tool}"), "type": "user", "message": {"role": "user", "content": [block]}}


def read_lines(stream: BinaryIO) -> int:
    """Count the lines."""
    return sum(1 for _ in stream)


def read_plain(stream: BinaryIO) -> int:
    """Parse every line; count the human and assistant ones."""
    return sum(1 for line in stream if json.loads(line).get("type") in ("user", "assistant"))


def read_with_honeyguide(stream: BinaryIO) -> int:
    """Read traces."""
    from honeyguide.traces.readers import source
    from honeyguide.traces.readers.protocol import ReadContext

    return sum(len(c.traces) for c in source("claude-code").read(stream, ReadContext(name=f"{SESSION}.jsonl")))


def read_and_redact(stream: BinaryIO) -> int:
    """Read traces and redact every conversation."""
    from honeyguide.traces.readers import source
    from honeyguide.traces.readers.protocol import ReadContext
    from honeyguide.traces.redaction import Redactor
    from honeyguide.traces.redaction_records import redact_conversation

    redactor = Redactor(b"benchmark key, not a secret")
    count = 0
    for conversation in source("claude-code").read(stream, ReadContext(name=f"{SESSION}.jsonl")):
        count += len(redact_conversation(conversation, redactor).traces)
    return count


WAYS: dict[str, Callable[[BinaryIO], int]] = {
    "lines": read_lines,
    "plain": read_plain,
    "reader": read_with_honeyguide,
    "redacted": read_and_redact,
}


def _measured(way: Callable[[BinaryIO], int], path: Path) -> dict[str, Any]:
    with path.open("rb") as warm:
        while warm.read(8 * MEGABYTE):
            pass
    way(io.BytesIO())  # imports what it needs
    began, wall = time.process_time(), time.perf_counter()
    with path.open("rb") as stream:
        found = way(cast("BinaryIO", stream))
    seconds, wall = time.process_time() - began, time.perf_counter() - wall
    size = path.stat().st_size
    return {
        "bytes": size,
        "found": found,
        "cpu_seconds": round(seconds, 2),
        "wall_seconds": round(wall, 2),
        "mb_per_s": round(size / MEGABYTE / seconds, 1),
        "peak_mb": _peak_megabytes(),
    }


def _peak_megabytes() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such module; the peak is not known there.
        return 0.0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1_000_000 if sys.platform == "darwin" else 1000), 1)


def _in_a_process(name: str, path: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, __file__, "--measure", name, "--file", str(path)], capture_output=True, text=True, check=True
    )
    result: dict[str, Any] = json.loads(done.stdout)
    return result


if __name__ == "__main__":
    sys.exit(main())
