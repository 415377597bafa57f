"""How quickly a full workspace answers: the first screen of 100,000 runs, and a search over 100,000 traces.

    python benchmarks/storage.py [--rows 100000] [--json]

Beside each time stands its ratio to a plain ``sqlite3`` query of the same rows in the same run, so that the figures of
a busy and of an idle machine can be compared. Exit code 1 when a bound is missed: 300 ms for the first screen of runs,
100 ms for a search.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import insert

from honeyguide.storage import Store
from honeyguide.storage.mapping import values
from honeyguide.storage.records import ALL_ATTEMPTS, AttemptFilter, AttemptRecord, RunDraft, TraceFilter
from honeyguide.storage.tables import AttemptRow, EvolutionRunRow
from honeyguide.traces.records import Trace, TraceFacts, TraceOutcome, TracePayload

VOCABULARY = """
refund order invoice delivery address password broken late missing wrong colour size return exchange question answer
please thanks customer policy days weeks charge card payment account email phone shop parcel courier stock discount
voucher gift receipt warranty repair manual battery screen cable adapter subscription cancel renew upgrade
"""
STATES = ("proposed", "skipped-delta", "skipped-trigger", "aborted", "failed")
ROUNDS = 15


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--rows", type=int, default=100_000)
    arguments.add_argument("--json", action="store_true")
    given = arguments.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "honeyguide.db"
        with Store.open(path, create=True) as store:
            filling = {
                "runs": timed(lambda: fill_runs(store, given.rows)),
                "traces": timed(lambda: fill_traces(store, given.rows)),
            }
            results = measure(store, path)
            deletion = timed(lambda: asyncio.run(store.forget([1])))
        size = path.stat().st_size
    report = {"rows": given.rows, "bytes": size, "filled_in_s": filling, "one_deletion_s": deletion, "results": results}
    if given.json:
        print(json.dumps(report, indent=2))
    else:
        print(f"{given.rows:,} runs in {filling['runs']:.1f} s, {given.rows:,} traces in {filling['traces']:.1f} s, "
              f"{size / 1e6:.0f} MB")  # fmt: skip
        for row in results:
            bound = f"(at most {row['bound_ms']} ms)" if row["bound_ms"] else ""
            print(f"{row['what']:55} {row['ms']:8.1f} ms  {row['ratio']:6.1f} x plain  {bound}")
        print(f"deleting one trace, index and file rewritten: {deletion:.1f} s")
    missed = [row["what"] for row in results if row["bound_ms"] and row["ms"] > row["bound_ms"]]
    for what in missed:
        print(f"missed: {what}", file=sys.stderr)
    return 1 if missed else 0


def measure(store: Store, path: Path) -> list[dict[str, object]]:
    """Return a row for each question: median of ``ROUNDS``, and its ratio to plain SQL."""
    plain = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def row(what: str, ask: Callable[[], object], sql: str, bound_ms: int | None) -> dict[str, object]:
        ours = median(ask)
        theirs = median(lambda: plain.execute(sql).fetchall())
        return {"what": what, "ms": ours * 1000, "ratio": ours / max(theirs, 1e-6), "bound_ms": bound_ms}

    def screen(wanted: AttemptFilter = ALL_ATTEMPTS) -> object:
        return store.read_now(lambda unit: (unit.attempts.list(wanted, limit=60), unit.attempts.state_counts()))

    newest = "SELECT * FROM attempts ORDER BY started_at DESC, id DESC LIMIT 60"
    matching = "SELECT rowid FROM trace_words WHERE trace_words MATCH '{}' ORDER BY rowid DESC LIMIT 50"
    rows = [
        row("first screen of the run table, with counts", screen, newest, 300),
        row("… narrowed to one state", lambda: screen(AttemptFilter(states=["failed"])), newest, 300),
        row("… narrowed by words", lambda: screen(AttemptFilter(words="target-7")), newest, 300),
        row("first 5,000 keys of the run table", lambda: store.read_now(lambda u: u.attempts.keys(limit=5000)),
            "SELECT id, uuid, shown_state, target_kind, target_name, started_at, finding, delta FROM attempts "
            "ORDER BY started_at DESC, id DESC LIMIT 5000", None),
        row("public list of runs (50)", lambda: store.read_now(lambda u: (u.runs.list(), u.runs.status_counts())),
            "SELECT * FROM evolution_runs ORDER BY created_at DESC, id DESC LIMIT 50", 300),
        row("first screen of traces", lambda: store.read_now(lambda u: (u.traces.rows(limit=60), u.traces.count())),
            "SELECT id, created_at FROM execution_traces ORDER BY created_at DESC, id DESC LIMIT 60", 300),
    ]  # fmt: skip
    for what, words, query in (
        ("search for a rare word", "quokka", '"quokka"'),
        ("search for a common word", "refund", '"refund"*'),
        ("search for three common words", "refund order late ", '"refund" "order" "late"'),
        ("search while typing", "ref", '"ref"*'),
    ):
        ask = lambda w=words: store.read_now(lambda u: u.traces.search(w, limit=50))  # noqa: E731
        rows.append(row(what, ask, matching.format(query), 100))
    narrowed = TraceFilter(outcomes=(TraceOutcome.CORRECTED,))
    rows.append(
        row(
            "search for a common word among the corrected",
            lambda: store.read_now(lambda u: u.traces.search("refund ", narrowed, limit=50)),
            matching.format('"refund"'),
            100,
        )
    )
    plain.close()
    return rows


def fill_runs(store: Store, number: int) -> None:
    """Insert attempts and runs as rows: making each one by one would take longer than all that is measured."""
    chance = random.Random(1)
    for start in range(0, number, 5000):
        attempts, runs = [], []
        for n in range(start, min(start + 5000, number)):
            uuid, name, state = f"00000000-0000-4000-8000-{n:012}", f"target-{n % 40}", chance.choice(STATES)
            at = f"2025-{1 + n % 12:02}-{1 + n % 28:02}T{n % 24:02}:{n % 60:02}:00.000Z"
            attempt = AttemptRecord(
                uuid, "persona-system-prompt", name, state, started_at=at, heartbeat_at=at, finished_at=at,
                shown_state=state, delta=chance.random(), cost_usd=chance.random(), reason="because",
            )  # fmt: skip
            attempts.append(values(attempt))
            if state == "proposed":
                draft = RunDraft(uuid, "persona-system-prompt", name, "old " * 200, "new " * 200, 0.1, "pass")
                runs.append(values(draft) | {"created_at": at, "status": "proposed"})
        store.write_now(lambda unit, a=attempts: unit.session.execute(insert(AttemptRow), a))
        store.write_now(lambda unit, r=runs: unit.session.execute(insert(EvolutionRunRow), r))


def fill_traces(store: Store, number: int) -> None:
    chance, words = random.Random(2), VOCABULARY.split()
    for start in range(0, number, 1000):
        batch = []
        for n in range(start, min(start + 1000, number)):
            text = " ".join(chance.choices(words, k=40)) + (" quokka" if n % 9973 == 0 else "")
            batch.append(
                Trace(
                    TracePayload(input=text, output=" ".join(chance.choices(words, k=60))),
                    outcome=chance.choice(list(TraceOutcome)),
                    persona_id=f"persona-{n % 5}",
                    created_at=f"2025-{1 + n % 12:02}-{1 + n % 28:02}T{n % 24:02}:{n % 60:02}:00Z",
                    facts=TraceFacts(source="bench", source_key=str(n), conversation=f"c{n // 4}"),
                )
            )
        store.write_now(lambda unit, batch=batch: unit.trace_import.store(batch))


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def median(work: Callable[[], object]) -> float:
    return statistics.median(timed(work) for _ in range(ROUNDS))


if __name__ == "__main__":
    sys.exit(main())
