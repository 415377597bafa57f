"""How the HTTP server answers 200 readers while a run goes on.

    python benchmarks/service.py [--readers 200] [--seconds 20] [--json]

Each reader keeps a connection and asks for a list of 50 runs (with both texts and all figures of the search, as the API
gives them) every 2 seconds. Runs with the practice model go on without a pause meanwhile, in the server's own process:
the worst case for its event loop. Exit code 1 when the 99th percentile of the answers is 250 ms or more.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from honeyguide.storage.records import RunDraft
from honeyguide.workspace import RunOptions, Workspace

BOUND_MS = 250.0
EVERY_SECONDS = 2.0
STORED_RUNS = 300
TARGETS = ("writer", "coder", "support", "planner", "analyst")


@dataclass
class Figures:
    """What was measured; times in milliseconds."""

    times: list[float] = field(default_factory=list)
    bytes: int = 0
    runs: int = 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--readers", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        asyncio.run(fill(place))
        program = subprocess.Popen(
            [sys.executable, "-m", "honeyguide", "--workspace", str(place), "serve", "--port", "0", "--json"],
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            url = json.loads("".join(program.stdout.readline() for _ in range(4)))["url"]
            figures = asyncio.run(measure(urlsplit(url).port, given.readers, given.seconds))
        finally:
            program.terminate()
            program.wait()
    times = sorted(figures.times)
    report = {
        "readers": given.readers, "answers": len(times), "runs": figures.runs,
        "answer_kb": round(figures.bytes / len(times) / 1000),
        "p50_ms": round(statistics.median(times), 1),
        "p99_ms": round(times[int(len(times) * 0.99)], 1),
        "max_ms": round(times[-1], 1),
    }  # fmt: skip
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        asked = (
            f"{given.readers} readers, {len(times)} answers of {report['answer_kb']} kB, {figures.runs} runs meanwhile"
        )
        print(f"{asked}: median {report['p50_ms']} ms, p99 {report['p99_ms']} ms, at most {report['max_ms']} ms")
    return 0 if report["p99_ms"] < BOUND_MS else 1


async def fill(place: Path) -> None:
    """Make a sample workspace with many runs like one that was really made."""
    async with await Workspace.create(place, sample=True) as workspace:
        made = (await workspace.evolve("writer", RunOptions(preset="thorough"))).run
        assert made is not None

        def copies(unit: Any) -> None:
            for number in range(STORED_RUNS):
                unit.runs.create(
                    RunDraft(
                        run_uuid=f"copy-{number}", target_kind=made.target_kind, target_name=made.target_name,
                        baseline_text=made.baseline_text, winner_text=made.winner_text,
                        delta_accuracy=made.delta_accuracy, gate_verdict=made.gate_verdict,
                        gate_reasons_json=made.gate_reasons_json, winner_schema_json=made.winner_schema_json,
                        artifacts_json=made.artifacts_json,
                    ),
                    rejected_because="a copy",
                )  # fmt: skip

        await workspace._core.store.write(copies)


async def measure(port: int, readers: int, seconds: float) -> Figures:
    """Let everybody ask until the time is over."""
    figures = Figures()
    end = time.monotonic() + seconds
    running = asyncio.create_task(keep_running(port, end, figures))
    await asyncio.sleep(1.0)
    await asyncio.gather(*(read(port, number / readers, end, figures) for number in range(readers)))
    await running
    return figures


async def read(port: int, phase: float, end: float, figures: Figures) -> None:
    """Be one reader."""
    stream, out = await asyncio.open_connection("127.0.0.1", port)
    await asyncio.sleep(phase * EVERY_SECONDS)
    while time.monotonic() < end:
        begun = time.perf_counter()
        body = await ask(stream, out, port, "GET /api/evolution/runs?limit=50")
        figures.times.append((time.perf_counter() - begun) * 1000)
        figures.bytes += len(body)
        await asyncio.sleep(EVERY_SECONDS)
    out.close()
    await out.wait_closed()


async def keep_running(port: int, end: float, figures: Figures) -> None:
    """Start one run after another."""
    stream, out = await asyncio.open_connection("127.0.0.1", port)
    while time.monotonic() < end:
        name = TARGETS[figures.runs % len(TARGETS)]
        query = f"GET /api/evolution/baseline?kind=persona-system-prompt&name={name}"
        base = json.loads(await ask(stream, out, port, query))
        wanted = {"targetKind": "persona-system-prompt", "targetName": name, **base, "gepa": {"seed": figures.runs}}
        result = json.loads(await ask(stream, out, port, "POST /api/evolution/run", json.dumps(wanted).encode()))
        assert "outcome" in result, result
        figures.runs += 1
    out.close()
    await out.wait_closed()


async def ask(
    stream: asyncio.StreamReader, out: asyncio.StreamWriter, port: int, line: str, body: bytes = b""
) -> bytes:
    """Send one request on a kept connection and return the body of its answer."""
    kind = "content-type: application/json\r\n" if body else ""
    head = f"{line} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{kind}content-length: {len(body)}\r\n\r\n"
    out.write(head.encode() + body)
    status, *headers = (await stream.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    assert " 200 " in status, status
    length = next(int(h.partition(":")[2]) for h in headers if h.lower().startswith("content-length:"))
    return await stream.readexactly(length)


if __name__ == "__main__":
    raise SystemExit(main())
