"""The store's threads, events, leases and the shared ceiling of a day, within one process."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from honeyguide.kernel.clock import ManualClock
from honeyguide.kernel.errors import BudgetExceeded, Conflict, InternalError, Locked, Unwritable
from honeyguide.llm.budget import NOTHING, Amount
from honeyguide.storage import DayLedger, Store
from honeyguide.storage.owners import ProcessIdentity, is_alive, this_process
from honeyguide.storage.records import SpendCeiling


def another(store: Store, clock: ManualClock | None = None) -> Store:
    return Store.open(store.path, clock=clock)


# --- threads and transactions


def test_reading_cannot_change_anything(store):
    with pytest.raises(Unwritable):
        store.read_now(lambda unit: unit.events.append("x"))
    assert "x" not in [event.name for event in store.events_since(0)]


def test_all_writes_run_in_one_thread_and_reads_in_two_others(store):
    async def look() -> tuple[set[str], set[str]]:
        writers = await asyncio.gather(*(store.write(lambda unit: threading.current_thread().name) for _ in range(8)))
        readers = await asyncio.gather(*(store.read(lambda unit: threading.current_thread().name) for _ in range(8)))
        return set(writers), set(readers)

    writers, readers = asyncio.run(look())
    assert len(writers) == 1
    assert 1 <= len(readers) <= 2
    assert not writers & readers


def test_a_read_sees_one_state_while_somebody_writes(store):
    def read(unit):
        before = unit.events.last_id()
        store_thread = threading.Thread(target=lambda: writer.write_now(lambda u: u.events.append("meanwhile")))
        store_thread.start()
        store_thread.join()
        return before, unit.events.last_id()

    with another(store) as writer:
        before, after = store.read_now(read)
        assert before == after
        assert store.read_now(lambda unit: unit.events.last_id()) > after


def test_the_loop_goes_on_while_a_transaction_waits(store):
    async def beat() -> float:
        slow = asyncio.create_task(store.write(lambda unit: time.sleep(0.8)))
        worst = 0.0
        while not slow.done():
            began = time.perf_counter()
            await asyncio.sleep(0.005)
            worst = max(worst, time.perf_counter() - began)
        return worst

    assert asyncio.run(beat()) < 0.7


def test_calling_the_store_inside_its_own_transaction_is_refused_and_does_not_hang(store):
    with pytest.raises(InternalError, match="inside its own transaction"):
        store.write_now(lambda unit: store.write_now(lambda inner: None))


def test_a_cancelled_waiter_leaves_a_whole_transaction(store):
    async def cancel() -> None:
        task = asyncio.create_task(store.write(lambda unit: (time.sleep(0.1), unit.events.append("whole"))))
        await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    store.write_now(lambda unit: None)
    names = [event.name for event in store.events_since(0)]
    assert names.count("whole") == 1
    store.check()


def test_a_closed_store_says_so_and_closing_twice_is_harmless(store):
    store.close()
    store.close()
    with pytest.raises(Conflict, match="closed"):
        store.read_now(lambda unit: None)


def test_closing_finishes_what_was_begun_and_leaves_one_file(store):
    async def hurry() -> None:
        tasks = [asyncio.create_task(store.write(lambda unit, n=n: unit.events.append("n", n))) for n in range(50)]
        await asyncio.sleep(0)
        await store.aclose()
        await asyncio.gather(*tasks)

    asyncio.run(hurry())
    assert [file.name for file in store.path.parent.iterdir()] == ["honeyguide.db"]
    with Store.open(store.path) as again:
        assert sum(event.name == "n" for event in again.events_since(0)) == 50


def test_a_durable_write_is_synced_and_the_next_one_need_not_be(store):
    def level(unit) -> int:
        return unit.session.execute(text("PRAGMA synchronous")).scalar_one()

    assert store.write_now(level, durable=True) == 2
    assert store.write_now(level) == 1


def test_a_database_kept_busy_by_another_program_is_said_to_be_locked(store, monkeypatch):
    import sqlite3

    from honeyguide.storage import engine

    monkeypatch.setattr(engine, "PATIENCE_SECONDS", 0.2)
    other = sqlite3.connect(store.path, isolation_level=None, timeout=0)
    store.write_now(lambda unit: unit.session.execute(text("PRAGMA busy_timeout=50")))
    other.execute("BEGIN IMMEDIATE")
    try:
        with pytest.raises(Locked, match="busy"):
            store.write_now(lambda unit: unit.events.append("x"))
    finally:
        other.execute("ROLLBACK")
        other.close()
    store.write_now(lambda unit: unit.events.append("after"))
    assert store.events_since(0)[-1].name == "after"


# --- events


def test_every_change_leaves_its_event_with_who_caused_it(store):
    store.write_now(lambda unit: unit.settings.put("a", 1))
    event = store.events_since(0)[-1]
    assert (event.name, event.subject, event.origin, event.way) == ("setting:changed", "a", store.instance, "cli")


def test_events_about_one_subject_come_oldest_first(store):
    store.write_now(lambda unit: [unit.events.append(f"run:{n}", "u1") for n in range(4)])
    assert [event.name for event in store.read_now(lambda unit: unit.events.of("u1", limit=2))] == ["run:2", "run:3"]


def test_old_events_can_be_dropped_and_ids_are_not_used_again(store, clock):
    store.write_now(lambda unit: unit.events.append("old"))
    last = store.events_since(0)[-1].id
    clock.advance(86400)
    store.write_now(lambda unit: unit.events.drop_before("2026-01-01T12:00:00Z"))
    assert store.events_since(0) == ()
    store.write_now(lambda unit: unit.events.append("new"))
    assert store.events_since(0)[-1].id > last


def test_a_cursor_without_a_loop_sees_foreign_changes_once_and_skips_its_own(store):
    with another(store) as other:
        watcher = store.watcher()
        store.write_now(lambda unit: unit.events.append("own"))
        assert watcher.poll() == ()
        other.write_now(lambda unit: unit.events.append("foreign", "s", n=1))
        (event,) = watcher.poll()
        assert (event.name, event.subject, event.data, event.origin) == ("foreign", "s", {"n": 1}, other.instance)
        assert watcher.poll() == ()
        watcher.close()


def test_a_cursor_hands_out_many_changes_in_order_without_a_gap(store, monkeypatch):
    from honeyguide.storage import watching

    monkeypatch.setattr(watching, "MOST_AT_ONCE", 7)
    with another(store) as other:
        watcher = store.watcher(since=0)
        other.write_now(lambda unit: [unit.events.append("n", n) for n in range(20)])
        store.write_now(lambda unit: unit.events.append("own"))
        seen = []
        while batch := watcher.poll():
            seen += [event.subject for event in batch if event.name == "n"]
        assert seen == [str(n) for n in range(20)]
        watcher.close()


def test_watching_yields_foreign_changes_soon_and_own_ones_at_once(store):
    async def watch(other: Store) -> tuple[list[str], float]:
        seen: list[str] = []
        enough = asyncio.Event()

        async def follow() -> None:
            async for batch in store.watch(include_own=True, interval=0.05):
                seen.extend(event.name for event in batch)
                if {"own", "foreign"} <= set(seen):
                    enough.set()

        task = asyncio.create_task(follow())
        await asyncio.sleep(0.1)
        began = time.perf_counter()
        await store.write(lambda unit: unit.events.append("own"))
        await other.write(lambda unit: unit.events.append("foreign"))
        await asyncio.wait_for(enough.wait(), 5)
        took = time.perf_counter() - began
        await store.aclose()
        await asyncio.wait_for(task, 5)
        return seen, took

    with another(store) as other:
        seen, took = asyncio.run(watch(other))
    assert seen.count("own") == seen.count("foreign") == 1
    assert took < 5


# --- leases


def test_a_lease_is_held_by_one_store_and_free_after_its_block(store):
    async def compete(other: Store) -> None:
        async with store.lease("run:x") as lease:
            lease.require()
            with pytest.raises(Locked, match="already doing this") as refused:
                async with other.lease("run:x"):
                    raise AssertionError("both hold it")
            assert refused.value.details["pid"] == this_process().pid
            async with other.lease("run:y"):
                held = await store.read(lambda unit: unit.leases.live())
                assert [item.name for item in held] == ["run:x", "run:y"]
        async with other.lease("run:x"):
            pass

    with another(store) as other:
        asyncio.run(compete(other))
    assert store.read_now(lambda unit: unit.leases.live()) == ()


def test_closing_gives_back_leases(store):
    with another(store) as other:
        other.write_now(lambda unit: unit.leases.acquire("daemon"))
    assert store.write_now(lambda unit: unit.leases.acquire("daemon")).owner == store.instance


@pytest.mark.parametrize(
    ("pid", "host", "start", "age", "free"),
    [
        (2**22 - 3, None, "x", 0, True),  # no such process here
        (None, None, "another start", 0, True),  # the id was given to another process
        (None, None, None, 10**6, False),  # alive here, however long its last heartbeat is ago
        (1, "elsewhere", "x", 59, False),  # another host: only the heartbeat can tell
        (1, "elsewhere", "x", 61, True),
    ],
)
def test_a_lease_of_a_dead_owner_is_taken_over(store, clock, pid, host, start, age, free):
    mine = this_process()
    store.write_now(lambda unit: unit.leases.acquire("daemon"))
    store.write_now(
        lambda unit: unit.session.execute(
            text("UPDATE leases SET owner = 'other', pid = :pid, host = :host, process_start = :start"),
            {"pid": pid or mine.pid, "host": host or mine.host, "start": start or mine.start},
        )
    )
    clock.advance(age)
    if free:
        assert store.write_now(lambda unit: unit.leases.acquire("daemon")).owner == store.instance
    else:
        with pytest.raises(Locked):
            store.write_now(lambda unit: unit.leases.acquire("daemon"))


def test_a_heartbeat_tells_a_lease_that_was_lost(store):
    from honeyguide.storage.leasing import Lease

    async def lose() -> bool:
        await store.write(lambda unit: unit.leases.acquire("run:x"))
        async with Lease(store, "run:x", interval=0.01) as lease:
            await store.write(lambda unit: unit.session.execute(text("UPDATE leases SET owner = 'other'")))
            for _ in range(200):
                if lease.is_lost:
                    break
                await asyncio.sleep(0.01)
            with pytest.raises(Locked, match="took over"):
                lease.require()
            return lease.is_lost

    assert asyncio.run(lose())


def test_a_process_is_known_by_its_start():
    me = this_process()
    assert me.start
    assert is_alive(me) is True
    assert is_alive(ProcessIdentity(me.pid, me.host, "other")) is False
    assert is_alive(ProcessIdentity(me.pid, "elsewhere", me.start)) is None


# --- the ceiling of a day


CALL = Amount(1, 0.10, 1000)


def test_two_ledgers_never_exceed_the_day_together_and_use_all_of_it(store, clock):
    ceiling = SpendCeiling(usd=4.0)
    with another(store, clock) as other:
        ledgers = [DayLedger(store, ceiling), DayLedger(other, ceiling)]
        made = 0
        stopped = [False, False]
        while not all(stopped):
            for n, ledger in enumerate(ledgers):
                try:
                    ledger.reserve(CALL)
                except BudgetExceeded:
                    stopped[n] = True
                    continue
                ledger.settle(CALL, Amount(1, 0.05, 400))
                made += 1
        for ledger in ledgers:
            ledger.close()
    spent = store.read_now(lambda unit: unit.spend.day())
    assert spent.usd == pytest.approx(0.05 * made)
    assert spent.calls == made
    assert 3.0 < spent.usd <= 4.0
    assert (spent.reserved_calls, spent.reserved_usd) == (0, 0.0)


def test_a_ledger_asks_the_database_seldom(store):
    ledger = DayLedger(store, SpendCeiling(calls=10_000))
    before = store.read_now(lambda unit: unit.events.last_id())
    for _ in range(320):
        ledger.reserve(CALL)
        ledger.settle(CALL, CALL)
    assert store.read_now(lambda unit: unit.events.last_id()) - before <= 10
    ledger.close()
    assert store.read_now(lambda unit: unit.spend.day()).calls == 320


def test_a_refused_reservation_changes_nothing_and_a_released_one_can_be_used(store):
    ledger = DayLedger(store, SpendCeiling(calls=2))
    ledger.reserve(Amount(2))
    with pytest.raises(BudgetExceeded, match="ceiling for today"):
        ledger.reserve(Amount(1))
    ledger.settle(Amount(2), NOTHING)
    ledger.reserve(Amount(1))
    ledger.settle(Amount(1), Amount(1))
    ledger.close()
    assert store.read_now(lambda unit: unit.spend.total()).calls == 1


def test_a_new_day_has_its_own_ceiling(store, clock):
    ledger = DayLedger(store, SpendCeiling(calls=3))
    for _ in range(2):
        for _ in range(3):
            ledger.reserve(Amount(1))
            ledger.settle(Amount(1), Amount(1))
        with pytest.raises(BudgetExceeded):
            ledger.reserve(Amount(1))
        clock.advance(86400)
    ledger.close()
    days = store.read_now(lambda unit: unit.spend.days())
    assert [(day.day, day.calls) for day in days] == [("2026-01-02", 3), ("2026-01-01", 3)]


def test_what_a_dead_process_held_counts_as_spent(store):
    store.write_now(lambda unit: unit.spend.extend_block(None, NOTHING, Amount(4, 0.4, 0), SpendCeiling(calls=6)))
    store.write_now(lambda unit: unit.session.execute(text("UPDATE spend_blocks SET pid = 4194301")))
    ledger = DayLedger(store, SpendCeiling(calls=6))
    ledger.reserve(Amount(2))
    with pytest.raises(BudgetExceeded):
        ledger.reserve(Amount(1))
    assert store.read_now(lambda unit: unit.spend.day()).calls in (0, 4)
    ledger.close()


# --- integrity


def test_a_big_file_is_checked_once_a_day(database: Path, clock, monkeypatch):
    from honeyguide.storage import integrity

    checked: list[str] = []
    original = integrity._check
    monkeypatch.setattr(integrity, "ALWAYS_BELOW_BYTES", 0)
    monkeypatch.setattr(
        integrity, "_check", lambda unit, path, pragma: checked.append(pragma) or original(unit, path, pragma)
    )
    for hours in (0, 1, 22, 2):
        clock.advance(hours * 3600)
        Store.open(database, create=True, clock=clock).close()
    assert checked == ["quick_check", "quick_check"]


def test_the_workspace_has_a_ceiling_over_all_days(store, clock):
    ceiling = SpendCeiling(calls=4, total_calls=6)
    for day, allowed in enumerate((4, 2, 0)):
        ledger = DayLedger(store, ceiling)
        for _ in range(allowed):
            ledger.reserve(Amount(1))
            ledger.settle(Amount(1), Amount(1))
        with pytest.raises(BudgetExceeded, match="for today" if day == 0 else "for this workspace"):
            ledger.reserve(Amount(1))
        ledger.close()
        clock.advance(86400)
    assert store.read_now(lambda unit: unit.spend.total()).calls == 6


def test_without_a_ceiling_what_was_spent_is_counted_at_the_end(store):
    ledger = DayLedger(store, SpendCeiling())
    before = store.read_now(lambda unit: unit.events.last_id())
    for _ in range(50):
        ledger.reserve(CALL)
        ledger.settle(CALL, Amount(1, 0.01, 10))
    assert store.read_now(lambda unit: unit.events.last_id()) == before
    ledger.close()
    ledger.close()
    spent = store.read_now(lambda unit: unit.spend.day())
    assert (spent.calls, spent.tokens, spent.reserved_calls) == (50, 500, 0)
