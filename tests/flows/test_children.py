"""Nothing outlives a run: not its end, not a kill, not the death of the guard; and stopped jobs stay stopped."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from honeyguide.flows.children import Children, end_leftovers, started_at
from honeyguide.flows.home import FlowHome
from honeyguide.flows.jobs import JobBook, JobStatus
from honeyguide.kernel.clock import ManualClock, SystemClock
from honeyguide.kernel.processes import end, start

pytestmark = pytest.mark.skipif(os.name != "posix", reason="process groups")
NULL = subprocess.DEVNULL
STUBBORN = "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(os.getpid(), flush=True)"


def _alive(pid: int) -> bool:
    return started_at(pid) != ""


def _waited(until: Callable[[], bool], seconds: float = 10.0) -> bool:
    end_at = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end_at:
            return False
        time.sleep(0.02)
    return True


def test_what_a_killed_program_started_is_ended_by_its_guard(tmp_path):
    script = f"""
import sys, time
from pathlib import Path
from honeyguide.flows.children import Children
from honeyguide.kernel.processes import start
process = start([sys.executable, "-c", {STUBBORN + "; time.sleep(60)"!r}])
children = Children(Path({str(tmp_path)!r}))
children.started(process)
print(process.stdout.readline().decode().strip(), flush=True)
time.sleep(60)
"""
    program = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert program.stdout is not None
    pid = int(program.stdout.readline())
    assert _alive(pid)
    program.kill()
    program.communicate()
    assert _waited(lambda: not _alive(pid)), "TERM was ignored, so KILL has to follow"


def test_the_next_start_ends_a_group_whose_leader_is_gone(tmp_path):
    script = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {STUBBORN + '; time.sleep(60)'!r}])"
    leader = start([sys.executable, "-c", script], stderr=NULL)
    assert leader.stdout is not None
    (tmp_path / "children.json").write_text(json.dumps([{"pid": leader.pid, "started": started_at(leader.pid) or "x"}]))
    member = int(leader.stdout.readline())
    leader.stdout.close()
    leader.wait()
    assert _alive(member)
    assert end_leftovers(tmp_path, grace=0.1) == 1
    assert _waited(lambda: not _alive(member))
    assert end_leftovers(tmp_path) == 0


def test_another_program_with_a_noted_number_is_left_alone(tmp_path):
    other = start([sys.executable, "-c", "import time; time.sleep(30)"], stdout=NULL, stderr=NULL)
    try:
        (tmp_path / "children.json").write_text(json.dumps([{"pid": other.pid, "started": "some other time"}]))
        assert end_leftovers(tmp_path) == 0
        assert _alive(other.pid)
    finally:
        end(other)


def test_the_guard_is_gone_when_the_children_are(tmp_path):
    children = Children(tmp_path)
    one, other = (
        start([sys.executable, "-c", "import time; time.sleep(30)"], stdout=NULL, stderr=NULL) for _ in range(2)
    )
    children.started(one)
    children.started(other)
    guard = children._guard
    assert guard is not None and len(json.loads((tmp_path / "children.json").read_text())) == 2
    for process in (one, other):
        end(process)
        children.ended(process)
    assert guard.returncode == 0
    assert not (tmp_path / "children.json").exists()


# --- jobs


def _book(tmp_path: Path, clock: ManualClock | SystemClock | None = None) -> JobBook:
    return JobBook(FlowHome(tmp_path), clock or SystemClock())


def test_a_job_that_does_not_listen_is_killed_and_stays_cancelled(tmp_path):
    book = _book(tmp_path)
    command = [sys.executable, "-c", STUBBORN + "; time.sleep(60)"]
    job = book.enqueue("flow_a", tmp_path / "a.md", command, dict(os.environ))
    assert _waited(lambda: book.log(job.id) != "")
    assert book.enqueue("flow_a", tmp_path / "a.md", command, dict(os.environ)).id == job.id
    cancelled = book.cancel(job.id, grace=0.1)
    assert cancelled.status is JobStatus.CANCELLED
    assert _waited(lambda: not _alive(job.pid or 0))
    late = book.finish(job.id, run_id="evr_x", exit_code=130, error="Stopped.")
    assert (late.status, late.error, late.run_id) == (JobStatus.CANCELLED, "Stopped by a person.", "evr_x")


def test_a_job_that_is_long_past_its_time_is_ended_by_whoever_looks(tmp_path):
    clock = ManualClock()
    book = _book(tmp_path, clock)
    command = [sys.executable, "-c", "import time; time.sleep(60)"]
    job = book.enqueue("flow_a", tmp_path / "a.md", command, dict(os.environ), timeout_s=5)
    assert book.get(job.id).status is JobStatus.RUNNING
    clock.advance(120)
    assert book.get(job.id).status is JobStatus.FAILED
    assert _waited(lambda: not _alive(job.pid or 0))


def test_a_job_that_died_without_a_word_has_failed(tmp_path):
    book = _book(tmp_path)
    job = book.enqueue("flow_a", tmp_path / "a.md", [sys.executable, "-c", "import time; time.sleep(60)"],
                       dict(os.environ))  # fmt: skip
    os.killpg(job.pid or 0, signal.SIGKILL)
    assert _waited(lambda: book.get(job.id).status is JobStatus.FAILED)
