"""A small program that works in a workspace's database, for tests with several processes.

    python -m tests.fakes.store_client DATABASE ROLE [NUMBER]

Roles: ``record`` (NUMBER traces, 50 a second), ``runs`` (NUMBER runs, each proposed, accepted and deployed), ``import``
(NUMBER traces in batches), ``accept`` (accept run ``u1``), ``hold`` (take the lease ``daemon`` and keep it),
``steps`` (write pairs that belong together until killed). Prints one line when it begins and one with its result.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from honeyguide.kernel.errors import Conflict
from honeyguide.storage import Store, StoredTraces
from honeyguide.storage.records import RunDraft
from honeyguide.traces.recorder import TraceRecorder
from honeyguide.traces.records import Trace, TraceFacts, TracePayload
from honeyguide.traces.redaction import Redactor


def record(store: Store, number: int) -> str:
    recorder = TraceRecorder(StoredTraces(store), Redactor(b"k" * 32))
    slowest, began = 0.0, time.perf_counter()
    for n in range(number):
        due = began + n / 50
        time.sleep(max(0.0, due - time.perf_counter()))
        before = time.perf_counter()
        with recorder.start(f"question {n}", persona_id="coder") as run:
            run.finish(f"answer {n}")
        slowest = max(slowest, time.perf_counter() - before)
    return f"{slowest:.3f}"


def runs(store: Store, number: int) -> str:
    for n in range(number):
        draft = RunDraft(f"{store.instance}-{n}", "generic", "g", "old", "new", 0.1, "pass")
        for step in ("create", "accept", "mark_deployed"):
            given = draft if step == "create" else draft.run_uuid
            store.write_now(lambda unit, s=step, g=given: getattr(unit.runs, s)(g), durable=step == "accept")
    return str(number)


def bulk(store: Store, number: int) -> str:
    traces = [
        Trace(TracePayload(input=f"imported {n} " * 20, output="yes"), facts=TraceFacts("codex", f"k{n}", f"c{n // 5}"))
        for n in range(number)
    ]
    return str(asyncio.run(store.import_traces(traces)).imported)


def accept(store: Store, _: int) -> str:
    try:
        return store.write_now(lambda unit: unit.runs.accept("u1")).status
    except Conflict:
        return "conflict"


def hold(store: Store, _: int) -> str:
    store.write_now(lambda unit: unit.leases.acquire("daemon"))
    print("holding", flush=True)
    time.sleep(60)
    return "done"


def steps(store: Store, _: int) -> str:
    n = 0
    while True:
        draft = RunDraft(f"{store.instance}-{n}", "generic", "g", "old", "new " * 200, 0.1, "pass")

        def pair(unit, draft=draft, n=n):
            unit.traces.insert(Trace(TracePayload(input=f"pair {n}"), session_id=draft.run_uuid))
            unit.runs.create(draft)
            unit.runs.accept(draft.run_uuid)

        store.write_now(pair)
        n += 1


ROLES = {"record": record, "runs": runs, "import": bulk, "accept": accept, "hold": hold, "steps": steps}


def main() -> None:
    path, role, *rest = sys.argv[1:]
    with Store.open(Path(path)) as store:
        print("ready", flush=True)
        print(ROLES[role](store, int(rest[0]) if rest else 0), flush=True)


if __name__ == "__main__":
    main()
