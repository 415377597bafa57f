"""How fast the journals of a harness are ingested: 10,000 generated ones of 100 KB, and then once more.

    python benchmarks/harness_journals.py [--journals 10000] [--keep DIR]

Times are processor time of one thread, so that other work on the machine does not count; the wall clock stands
beside it. ``plain`` parses every line as JSON and hashes it, and does nothing with it.

Reach: at least 50 MB/s at first, and under 2 s when nothing changed since.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from honeyguide.harnesses.evidence.ingestion import INDEX_NAME, ingest

MEGABYTE = 1_000_000
TURNS = 12
_TEXT = "Open the drawer at the left, count the pens, 4711 of them; then say what stands on the card über dem Schloß. "


def main() -> int:
    """Generate the journals, ingest them twice, print JSON; exit 1 when the reach is missed."""
    options = argparse.ArgumentParser(description="Measure how fast journals are ingested.")
    options.add_argument("--journals", type=int, default=10_000)
    options.add_argument("--keep", type=Path, help="keep the generated journals here and use them again")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = given.keep or Path(place, "traces")
        if not folder.exists():
            write_journals(folder, given.journals)
        index = Path(place, INDEX_NAME)
        size = sum(path.stat().st_size for path in folder.iterdir()) / MEGABYTE
        results = {name: _measured(work) for name, work in _ways(folder, index).items()}
    for name in ("plain", "first"):
        results[name]["mb_per_s"] = round(size / results[name]["processor_s"], 1)
    reached = results["first"]["mb_per_s"] >= 50 and results["again"]["processor_s"] < 2
    ratio = round(results["first"]["mb_per_s"] / results["plain"]["mb_per_s"], 2)
    print(json.dumps({"megabytes": round(size), **results, "ratio_to_plain": ratio, "reached": reached}, indent=1))
    return 0 if reached else 1


def _ways(folder: Path, index: Path) -> dict[str, Callable[[], object]]:
    return {
        "plain": lambda: [_plain(path) for path in sorted(folder.iterdir())],
        "first": lambda: ingest(folder, index),
        "again": lambda: ingest(folder, index),
    }


def _measured(work: Callable[[], object]) -> dict[str, float]:
    processor, wall = time.process_time(), time.perf_counter()
    work()
    return {
        "processor_s": round(time.process_time() - processor, 2),
        "wall_s": round(time.perf_counter() - wall, 2),
    }


def _plain(path: Path) -> None:
    for line in path.read_bytes().split(b"\n"):
        if line:
            json.loads(line)
            hashlib.sha256(line).hexdigest()


def write_journals(folder: Path, count: int) -> None:
    """Write ``count`` journals with an intact chain; every third run fails its verification."""
    folder.mkdir(parents=True)
    for number in range(count):
        run_id, previous, lines = f"run_{number:06d}", "", []
        for seq, (kind, payload) in enumerate(_events(number)):
            event = {
                "run_id": run_id, "harness_name": "desk", "harness_id": "hl-00000000c0de",
                "harness_version_hash": "aaaaaaaaaaaa", "seq": seq,
                "timestamp": f"2026-03-{number // 1440 % 28 + 1:02d}T{number // 60 % 24:02d}:{number % 60:02d}"
                f":00.{seq:06d}+00:00",
                "type": kind, "prev": previous, "payload": payload,
            }  # fmt: skip
            line = json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode()
            previous = hashlib.sha256(line).hexdigest()
            lines.append(line)
        (folder / f"{run_id}.jsonl").write_bytes(b"\n".join(lines) + b"\n")


def _events(number: int) -> Iterator[tuple[str, dict[str, Any]]]:
    good, model = number % 3 != 0, "claude-haiku-4-5"
    yield "run_started", {"input": f"task {number}: {_TEXT * 8}", "model": model, "harness": {"spec": _TEXT * 30}}
    yield "context_system", {"system": _TEXT * 40, "hash": "0" * 12}
    for turn in range(TURNS):
        yield "context_append", {"index": turn, "message": {"role": "user", "content": _TEXT * 15}}
        yield "model_call", {"turn": turn, "phase": "act", "messages_hash": "0" * 12, "request_hash": "1" * 12}
        usage = {"input_tokens": 900, "output_tokens": 90, "cache_read_tokens": 0, "cache_write_tokens": 0}
        said = {"turn": turn + 1, "phase": "act", "text": _TEXT * 12, "usage": usage, "effective_model": model}
        yield "model_response", said
        blocks = [{"type": "text", "text": _TEXT * 12}, {"type": "tool_use", "id": "t", "name": "look", "input": {}}]
        yield "context_append", {"index": turn, "message": {"role": "assistant", "content": blocks}}
        yield "tool_call", {"name": "look", "input": {"drawer": turn}, "id": "t"}
        failed = turn == TURNS - 1 and not good
        yield "tool_result", {"id": "t", "name": "look", "content": _TEXT * 20, "is_error": failed}
    feedback = "" if good else f"the count {number} is not the one on the card"
    yield "verification_result", {"verifier": "regex_match", "passed": good, "feedback": feedback}
    status = "success" if good else "verify_failed"
    yield "run_finished", {"status": status, "turns": TURNS, "cost_usd": 0.01, "duration_seconds": 3, "output": _TEXT}


if __name__ == "__main__":
    raise SystemExit(main())
