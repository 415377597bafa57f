"""Several processes change the same files at once."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from honeyguide.kernel.errors import Locked, Stale
from honeyguide.versions import Actor, Change, Origin, VersionStore
from tests.fakes.deploying import ME, deployer_in, live_files, set_up

ROOT = Path(__file__).resolve().parents[2]


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fakes.deploying", *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


def finish(process: subprocess.Popen[str]) -> list[str]:
    out, _ = process.communicate(timeout=60)
    return out.split()


def test_of_two_processes_that_accept_over_the_same_text_one_wins_and_one_is_told(tmp_path):
    set_up(tmp_path)
    live = live_files(tmp_path)["tool"]
    (tmp_path / "expected").write_text(deployer_in(tmp_path).live_fingerprint(live))
    both = [start("race", str(tmp_path), who) for who in ("ada", "bob")]
    for process in both:
        assert process.stdout.readline() == "ready\n"
    (tmp_path / "go").touch()
    results = {who: finish(process)[-1] for who, process in zip(("ada", "bob"), both, strict=True)}
    assert sorted(results.values()) == ["deployed", "stale"]
    winner = next(who for who, result in results.items() if result == "deployed")
    assert live.path.read_text() == winner
    assert [v.who for v in deployer_in(tmp_path).history(live).versions] == [winner, winner]


def test_versions_added_by_two_processes_at_once_get_different_numbers(tmp_path):
    set_up(tmp_path)
    for process in [start("number", str(tmp_path), who) for who in ("ada", "bob")]:
        finish(process)
        assert process.returncode == 0
    store = VersionStore(tmp_path / "w" / "versions")
    versions = store.list("generic", "shared")
    assert [v.n for v in versions] == list(range(1, 41))
    for who in ("ada", "bob"):
        assert [store.bytes_of(v) for v in versions if v.who == who] == [f"{who} {n}".encode() for n in range(20)]


def test_whoever_waits_is_told_who_holds_the_lock_and_a_dead_owner_is_taken_over(tmp_path):
    set_up(tmp_path)
    live = live_files(tmp_path)["tool"]
    holder = start("hold", str(tmp_path))
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(Locked) as caught:
            deployer_in(tmp_path).deploy([Change(live, b"x", None)], ME, timeout=0.2)
        assert caught.value.details["owner"]["pid"] == holder.pid
        assert f"process {holder.pid}" in caught.value.message.lower()
    finally:
        holder.kill()
        finish(holder)
    deployer_in(tmp_path).deploy([Change(live, b"x", None)], ME, timeout=5)
    assert live.path.read_bytes() == b"x"


def test_threads_of_one_process_take_turns(tmp_path):
    set_up(tmp_path)
    store = VersionStore(tmp_path / "w" / "versions")
    threads = [
        threading.Thread(
            target=lambda who=who: [
                store.add("generic", "shared", f"{who}{n}".encode(), Origin.FOUND, Actor(who, "python"))
                for n in range(5)
            ]
        )
        for who in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [v.n for v in store.list("generic", "shared")] == list(range(1, 21))


def test_a_reader_needs_no_lock_and_never_sees_half_a_change(tmp_path):
    set_up(tmp_path)
    live = live_files(tmp_path)["persona"]
    store = VersionStore(tmp_path / "w" / "versions")
    stop = threading.Event()
    seen: list[str] = []

    def look() -> None:
        reader = VersionStore(tmp_path / "w" / "versions")
        while not stop.is_set():
            for version in reader.list(live.kind, live.name):
                reader.bytes_of(version)
                seen.append(version.note)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        for count in range(15):
            deployer_in(tmp_path).deploy([Change(live, f"text {count}".encode(), None)], ME)
    finally:
        stop.set()
        thread.join()
    assert set(seen) == {""}, "a version that was being made was taken for one with a lost record"
    assert len(store.list(live.kind, live.name)) == 17


def test_a_text_replaced_between_two_looks_is_stale(tmp_path):
    set_up(tmp_path)
    live = live_files(tmp_path)["tool"]
    expected = deployer_in(tmp_path).live_fingerprint(live)
    deployer_in(tmp_path).deploy([Change(live, b"first", expected)], ME)
    with pytest.raises(Stale):
        deployer_in(tmp_path).deploy([Change(live, b"second", expected)], ME)
    assert live.path.read_bytes() == b"first"
