"""Ceilings for a day and for the workspace that several processes share, quick enough to stand before every call.

It takes a block of the day's ceiling out of the database at a time and hands it out from memory, so that a call
seldom waits for the disk. What a dead process still held counts as spent: the ceiling is never exceeded.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from honeyguide.kernel.errors import BudgetExceeded
from honeyguide.llm.budget import NOTHING, ROUNDING, Amount
from honeyguide.storage.records import SpendCeiling
from honeyguide.storage.unit import Unit

if TYPE_CHECKING:
    from honeyguide.storage.store import Store

BLOCK_CALLS = 32
"""Calls of the present worst case that are taken out at once."""


class DayLedger:
    """``llm.budget.Ledger`` for today (UTC) and the workspace. Close it when the run ends.

    Without a limit it holds nothing back, and books what was spent when it is closed.
    """

    def __init__(self, store: Store, ceiling: SpendCeiling) -> None:
        self._store = store
        self._ceiling = ceiling
        self._lock = threading.Lock()
        self._free = NOTHING
        self._spent = NOTHING
        self._block: str | None = None

    def reserve(self, amount: Amount) -> None:
        """As ``Ledger.reserve``. Raises BudgetExceeded when the ceiling does not allow it."""
        if not self._ceiling.is_set:
            return
        with self._lock:
            if self._block is None or not _covers(self._free, amount):
                self._fetch(amount)
            self._free -= amount

    def settle(self, reserved: Amount, actual: Amount) -> None:
        """As ``Ledger.settle``; the database hears of it with the next block, or at ``close``."""
        with self._lock:
            self._free += reserved - actual
            self._spent += actual

    def close(self) -> None:
        """Book what was spent and give the rest of the block back."""
        with self._lock:
            spent, block = self._spent, self._block
            self._spent, self._block, self._free = NOTHING, None, NOTHING
            if block is not None:
                self._store.write_now(lambda unit: unit.spend.close_block(block, spent))
            elif spent != NOTHING:
                self._store.write_now(lambda unit: unit.spend.add(spent))

    def _fetch(self, amount: Amount) -> None:
        """Take a block that holds at least ``amount``; a small one where the day has no more left."""
        block, spent = self._block, self._spent
        ample = Amount(amount.calls * BLOCK_CALLS, amount.usd * BLOCK_CALLS, amount.tokens * BLOCK_CALLS)
        try:
            self._take(block, spent, ample)
        except BudgetExceeded:
            missing = amount - self._free
            scarce = Amount(max(missing.calls, 0), max(missing.usd, 0.0), max(missing.tokens, 0))
            self._take(block, spent, scarce if block is not None else amount)

    def _take(self, block: str | None, spent: Amount, wanted: Amount) -> None:
        def extend(unit: Unit) -> tuple[str, bool]:
            return unit.spend.extend_block(block, spent, wanted, self._ceiling)

        self._block, is_new = self._store.write_now(extend)
        self._spent = NOTHING
        self._free = wanted if is_new else self._free + wanted


def _covers(free: Amount, amount: Amount) -> bool:
    return free.calls >= amount.calls and free.tokens >= amount.tokens and free.usd >= amount.usd - ROUNDING
