"""How the HTTP server answers 200 readers while a run goes on.

    python benchmarks/service.py [--readers 200] [--seconds 20] [--json] [--gzip] [--runs-here]

Each reader keeps a connection and asks for a list of 50 runs (with both texts and all figures of the search, as the API
gives them) every 2 seconds. Runs with the practice model go on without a pause meanwhile. Beside them, every tenth
reader asks for a constant of the same size, which the same server keeps ready: what the machine, the load and the
reader itself cost. Exit code 1 when the 99th percentile of the answers is 250 ms or more, and on a machine that is busy
with other things also more than 1.5 times that of the constant.
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
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from honeyguide.server import serving
from honeyguide.server.answers import encoded
from honeyguide.storage.records import RunDraft
from honeyguide.workspace import RunFilter, RunOptions, Workspace

BOUND_MS = 250.0
EVERY_SECONDS = 2.0
LARGEST = 2**24
MOST_TIMES_CONSTANT = 1.5
STORED_RUNS = 300
LIST, CONSTANT = "/api/evolution/runs?limit=50", "/constant"
TARGETS = ("writer", "coder", "support", "planner", "analyst")


@dataclass
class Figures:
    """What was measured; times in milliseconds."""

    times: list[float] = field(default_factory=list)
    constant: list[float] = field(default_factory=list)
    bytes: int = 0
    runs: int = 0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--readers", type=int, default=200)
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--runs-here", action="store_true", help="carry out the runs on the server's own loop")
    arguments.add_argument("--gzip", action="store_true", help="let the readers take compressed answers")
    arguments.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    if given.serve is not None:
        asyncio.run(serve_with_constant(given.serve, runs_apart=not given.runs_here))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        asyncio.run(fill(place))
        here = ["--runs-here"] if given.runs_here else []
        program = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(place), *here], stdout=subprocess.PIPE, text=True
        )
        try:
            port = int(program.stdout.readline())
            figures = asyncio.run(measure(port, given.readers, given.seconds, gzip=given.gzip))
        finally:
            program.terminate()
            program.wait()
    report = {
        "readers": given.readers, "answers": len(figures.times), "runs": figures.runs,
        "answer_kb": round(figures.bytes / len(figures.times) / 1000),
        **about("", figures.times), **about("constant_", figures.constant),
    }  # fmt: skip
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        asked = (
            f"{given.readers} readers, {report['answers']} answers of {report['answer_kb']} kB, "
            f"{figures.runs} runs meanwhile"
        )
        print(f"{asked}: median {report['p50_ms']} ms, p99 {report['p99_ms']} ms, at most {report['max_ms']} ms")
        print(f"a constant beside it: median {report['constant_p50_ms']} ms, p99 {report['constant_p99_ms']} ms")
    is_fine = report["p99_ms"] < BOUND_MS or report["p99_ms"] < MOST_TIMES_CONSTANT * report["constant_p99_ms"]
    return 0 if is_fine else 1


def about(prefix: str, times: list[float]) -> dict[str, float]:
    """Return median, 99th percentile and maximum."""
    ordered = sorted(times)
    figures = {"p50_ms": statistics.median(ordered), "p99_ms": ordered[int(len(ordered) * 0.99)], "max_ms": ordered[-1]}
    return {prefix + name: round(value, 1) for name, value in figures.items()}


async def serve_with_constant(place: Path, *, runs_apart: bool) -> None:
    """Be the server: the whole application, and beside it the list as it was at the start."""
    make_app = serving.make_app

    def with_constant(workspace: Workspace, *rest: Any) -> Any:
        app = make_app(workspace, *rest)

        async def constant(request: Request) -> Response:
            return Response(kept, media_type="application/json")

        app.router.routes.append(Route(CONSTANT, constant))
        return app

    serving.make_app = with_constant
    async with await Workspace.open(place) as workspace:
        kept = encoded((await workspace.runs(RunFilter(limit="50"))).to_json())
        await serving.serve(
            workspace, port=0, runs_apart=runs_apart,
            on_ready=lambda found: print(urlsplit(found.url).port, flush=True),
        )  # fmt: skip


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


async def measure(port: int, readers: int, seconds: float, *, gzip: bool) -> Figures:
    """Let everybody ask until the time is over."""
    figures = Figures()
    end = time.monotonic() + seconds
    running = asyncio.create_task(keep_running(port, end, figures))
    await asyncio.sleep(1.0)
    await asyncio.gather(
        *(read(port, LIST, number / readers, end, figures, gzip=gzip) for number in range(readers)),
        *(read(port, CONSTANT, (number + 0.5) / readers, end, figures) for number in range(0, readers, 10)),
    )
    await running
    return figures


async def read(port: int, path: str, phase: float, end: float, figures: Figures, *, gzip: bool = False) -> None:
    """Be one reader."""
    stream, out = await asyncio.open_connection("127.0.0.1", port, limit=LARGEST)
    await asyncio.sleep(phase * EVERY_SECONDS)
    while time.monotonic() < end:
        begun = time.perf_counter()
        body = await ask(stream, out, port, f"GET {path}", gzip=gzip)
        took = (time.perf_counter() - begun) * 1000
        if path == LIST:
            figures.times.append(took)
            figures.bytes += len(body)
        else:
            figures.constant.append(took)
        await asyncio.sleep(EVERY_SECONDS)
    out.close()
    await out.wait_closed()


async def keep_running(port: int, end: float, figures: Figures) -> None:
    """Start one run after another."""
    stream, out = await asyncio.open_connection("127.0.0.1", port, limit=LARGEST)
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
    stream: asyncio.StreamReader, out: asyncio.StreamWriter, port: int, line: str, body: bytes = b"",
    *, gzip: bool = False,
) -> bytes:  # fmt: skip
    """Send one request on a kept connection and return the body of its answer."""
    kind = "content-type: application/json\r\n" if body else ""
    packed = "accept-encoding: gzip\r\n" if gzip else ""
    head = f"{line} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\n{kind}{packed}content-length: {len(body)}\r\n\r\n"
    out.write(head.encode() + body)
    status, *headers = (await stream.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    assert " 200 " in status, status
    length = next(int(h.partition(":")[2]) for h in headers if h.lower().startswith("content-length:"))
    answer = await stream.readexactly(length)
    return zlib.decompress(answer, 16 + zlib.MAX_WBITS) if gzip else answer


if __name__ == "__main__":
    raise SystemExit(main())
