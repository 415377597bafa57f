"""Several processes in one workspace, and processes that die in the middle of it."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Locked
from honeyguide.storage import Store
from honeyguide.storage.records import Actor, RunDraft, TraceFilter

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "honeyguide.db"
    Store.open(path, create=True).close()
    return path


@contextmanager
def client(database: Path, role: str, number: int = 0) -> Iterator[subprocess.Popen[str]]:
    """Run the small program of ``tests/fakes/store_client.py``; it is ready when the block begins."""
    argv = [sys.executable, "-m", "tests.fakes.store_client", str(database), role, str(number)]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n", process.stderr.read() if process.stderr else ""
            yield process
        finally:
            process.kill()


def result(process: subprocess.Popen[str], timeout: float = 60) -> str:
    out, errors = process.communicate(timeout=timeout)
    assert process.returncode == 0, errors
    return out.strip()


def test_recorder_window_import_and_runs_disturb_each_other_in_nothing(database):
    """50 traces a second, 100 runs, 1,500 imported traces and a reader, in four processes at once."""
    with (
        client(database, "record", 100) as recorder,
        client(database, "runs", 60) as runs,
        client(database, "import", 1200) as importer,
        Store.open(database) as window,
    ):
        watcher = window.watcher(since=0)
        seen: list[int] = []
        while any(process.poll() is None for process in (recorder, runs, importer)):
            seen += [event.id for event in watcher.poll()]
            window.read_now(lambda unit: (unit.attempts.list(limit=50), unit.traces.rows(limit=50)))
            time.sleep(0.02)
        slowest = float(result(recorder))
        assert (result(runs), result(importer)) == ("60", "1200")
        seen += [event.id for event in watcher.poll()]
        everything = [event.id for event in window.read_now(lambda unit: unit.events.since(0, limit=10_000))]
        watcher.close()

        assert seen == everything == sorted(set(everything))
        assert window.read_now(lambda unit: unit.traces.count(TraceFilter(persona_id="coder"))) == 100
        assert window.read_now(lambda unit: unit.traces.count()) == 1300
        assert window.read_now(lambda unit: unit.runs.status_counts())["deployed"] == 60
        assert slowest < 5, "a recorded trace waited too long"
        window.check()


def test_of_two_processes_that_accept_one_run_one_wins(database):
    with Store.open(database) as store:
        store.write_now(lambda unit: unit.runs.create(RunDraft("u1", "generic", "g", "old", "new", 0.1, "pass")))
        with client(database, "accept") as first, client(database, "accept") as second:
            assert sorted([result(first), result(second)]) == ["accepted", "conflict"]
        decisions = store.read_now(lambda unit: unit.decisions.list(subject="u1"))
        assert [decision.decision for decision in decisions] == ["accepted"]


def test_another_process_hears_of_a_change_soon(database):
    async def listen(store: Store) -> tuple[str, float]:
        async def first() -> str:
            async for batch in store.watch():
                for event in batch:
                    if event.name == "run:created":
                        return event.origin
            raise AssertionError("the store closed")

        heard = asyncio.create_task(first())
        await asyncio.sleep(0.2)
        with client(database, "runs", 1) as process:
            await asyncio.to_thread(result, process)
            began = time.monotonic()
            origin = await asyncio.wait_for(heard, 10)
            return origin, time.monotonic() - began

    with Store.open(database, actor=Actor("window")) as store:
        origin, took = asyncio.run(listen(store))
        assert origin != store.instance
        assert took < 3.0, "half a second, and time for a busy machine"


def test_a_living_owner_keeps_its_lease_and_a_killed_one_loses_it_at_once(database):
    with client(database, "hold") as holder, Store.open(database) as store:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "holding\n"
        with pytest.raises(Locked) as refused:
            store.write_now(lambda unit: unit.leases.acquire("daemon"))
        assert refused.value.details["pid"] == holder.pid
        holder.kill()
        holder.wait()
        taken = store.write_now(lambda unit: unit.leases.acquire("daemon"))
        assert taken.owner == store.instance
        (event,) = [e for e in store.events_since(0) if e.name == "lease:acquired" and e.origin == store.instance]
        assert event.data == {"taken_over_from": holder.pid}


def kill_midway(database: Path, delay: float) -> int:
    """Kill a writing process after ``delay`` seconds and return how many pairs it left; they must be whole."""
    with client(database, "steps") as writer:
        time.sleep(delay)
        writer.kill()
        writer.wait()
    with Store.open(database) as store:
        store.check()
        runs = store.read_now(lambda unit: unit.runs.count())
        accepted = store.read_now(lambda unit: unit.runs.status_counts())["accepted"]
        decisions = store.read_now(lambda unit: unit.decisions.count())
        traces = store.read_now(lambda unit: unit.traces.count())
        found = store.read_now(lambda unit: unit.traces.search("pair", limit=1).total)
        attempts = store.read_now(lambda unit: unit.attempts.count())
        assert runs == accepted == decisions == traces == found == attempts
        return runs


def test_a_killed_writer_leaves_whole_transactions(database):
    left = [kill_midway(database, delay) for delay in (0.0, 0.07, 0.19)]
    assert left == sorted(left)
    assert left[-1] > left[0]


@pytest.mark.soak
def test_a_writer_killed_at_many_moments_leaves_whole_transactions(database):
    for n in range(60):
        kill_midway(database, (n * 37 % 60) / 100)
