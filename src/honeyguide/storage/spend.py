"""What days cost, over all processes of a workspace; each holds a block of the day's ceiling (``DayLedger``)."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select, update

from honeyguide.kernel.errors import BudgetExceeded
from honeyguide.llm.budget import NOTHING, ROUNDING, Amount
from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.mapping import fetch
from honeyguide.storage.owners import ProcessIdentity, is_alive
from honeyguide.storage.records import SpendCeiling, SpendDay
from honeyguide.storage.tables import SpendBlockRow, SpendDayRow
from honeyguide.storage.work import Work

_D, _B = SpendDayRow, SpendBlockRow


class SpendRepository:
    """A ledger by day. Days are UTC, written ``YYYY-MM-DD``."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def extend_block(self, block: str | None, spent: Amount, wanted: Amount, ceiling: SpendCeiling) -> tuple[str, bool]:
        """Book what was spent from a block and hold back more of today's ceiling.

        Args:
            block: id of the block that is held; ``None`` for the first, or when a day has ended.

        Returns:
            The block's id, and whether it is a new one (nothing that was left of an older one counts any more).

        Raises:
            BudgetExceeded: the ceiling does not allow it; then nothing has changed.
        """
        today = self._today()
        row = None if block is None else self._session.get(_B, block)
        if row is not None and row.day != today:
            self.close_block(row.id, spent)
            row, spent = None, NOTHING
        extra = Amount() if row is None else Amount(-spent.calls, -spent.usd, -spent.tokens)
        self._book(today, spent)
        if self._reached(today, ceiling, wanted + extra):
            self._settle_dead()
            if reached := self._reached(today, ceiling, wanted + extra):
                raise self._exceeded(self.day(today), reached)
        if row is not None:
            self._release(row.id, spent)
            self._work.change(
                update(_B)
                .where(_B.id == row.id)
                .values(calls=_B.calls + wanted.calls, tokens=_B.tokens + wanted.tokens, usd=_B.usd + wanted.usd)
            )
            return row.id, False
        return self._new_block(today, wanted), True

    def close_block(self, block: str, spent: Amount) -> None:
        """Book what was spent from a block on its day, and give the rest back."""
        day = self._session.scalar(select(_B.day).where(_B.id == block))
        self._work.change(delete(_B).where(_B.id == block))
        self._book(day or self._today(), spent)

    def add(self, spent: Amount) -> SpendDay:
        """Count what was spent today without a block."""
        today = self._today()
        self._book(today, spent)
        return self.day(today)

    def day(self, day: str | None = None) -> SpendDay:
        """Return one day with what is held back; today when not given."""
        day = day or self._today()
        row = self._session.execute(select(_D.calls, _D.tokens, _D.usd).where(_D.day == day)).first()
        held = self._session.execute(
            select(func.sum(_B.calls), func.sum(_B.tokens), func.sum(_B.usd)).where(_B.day == day)
        ).one()
        calls, tokens, usd = (0, 0, 0.0) if row is None else row
        return SpendDay(day, calls, tokens, usd, held[0] or 0, held[1] or 0, held[2] or 0.0)

    def days(self, limit: int = 31) -> tuple[SpendDay, ...]:
        """Return the last days on which something was spent, newest first, without what is held back."""
        statement = select(_D.day, _D.calls, _D.tokens, _D.usd).order_by(_D.day.desc()).limit(limit)
        return tuple(fetch(self._session, statement, SpendDay))

    def total(self) -> Amount:
        """Return the sum over all days."""
        sums = self._session.execute(select(func.sum(_D.calls), func.sum(_D.usd), func.sum(_D.tokens))).one()
        return Amount(sums[0] or 0, sums[1] or 0.0, sums[2] or 0)

    def _new_block(self, today: str, wanted: Amount) -> str:
        block, process = self._work.new_id(), self._work.process
        self._work.change(
            insert(_B).values(
                id=block,
                day=today,
                calls=wanted.calls,
                tokens=wanted.tokens,
                usd=wanted.usd,
                owner=self._work.instance,
                pid=process.pid,
                host=process.host,
                process_start=process.start,
                at=self._work.now(),
            )
        )
        return block

    def _release(self, block: str, spent: Amount) -> None:
        self._work.change(
            update(_B)
            .where(_B.id == block)
            .values(calls=_B.calls - spent.calls, tokens=_B.tokens - spent.tokens, usd=_B.usd - spent.usd)
        )

    def _settle_dead(self) -> None:
        """Count what dead processes held as spent: nobody knows which of their calls were charged."""
        for row in self._session.scalars(select(_B)).all():
            if is_alive(ProcessIdentity(row.pid, row.host, row.process_start)) is False:
                self.close_block(row.id, Amount(max(row.calls, 0), max(row.usd, 0.0), max(row.tokens, 0)))

    def _book(self, day: str, spent: Amount) -> None:
        if spent == NOTHING:
            return
        statement = insert_on_conflict(_D).values(day=day, calls=spent.calls, tokens=spent.tokens, usd=spent.usd)
        added = {name: getattr(_D, name) + statement.excluded[name] for name in ("calls", "tokens", "usd")}
        self._work.change(statement.on_conflict_do_update(index_elements=["day"], set_=added))
        self._work.event("spend:counted", day, calls=spent.calls)

    def _reached(self, today: str, ceiling: SpendCeiling, more: Amount) -> str:
        """Return which ceiling does not allow ``more`` (``today`` or ``this workspace``); empty when all do."""
        day = self.day(today)
        held = Amount(day.reserved_calls, day.reserved_usd, day.reserved_tokens)
        after = Amount(day.calls, day.usd, day.tokens) + held + more
        if not _fits(after, ceiling.calls, ceiling.usd, ceiling.tokens):
            return "today"
        totals = (ceiling.total_calls, ceiling.total_usd, ceiling.total_tokens)
        if any(limit is not None for limit in totals) and not _fits(self.total() + self._held() + more, *totals):
            return "this workspace"
        return ""

    def _held(self) -> Amount:
        """What all processes hold, of whatever day."""
        sums = self._session.execute(select(func.sum(_B.calls), func.sum(_B.usd), func.sum(_B.tokens))).one()
        return Amount(sums[0] or 0, sums[1] or 0.0, sums[2] or 0)

    @staticmethod
    def _exceeded(day: SpendDay, reached: str) -> BudgetExceeded:
        hints = {
            "today": "Raise the daily limit in the settings, or go on tomorrow (days are UTC); what was paid is kept.",
            "this workspace": "Raise the workspace's limit in the settings; what was paid for is kept.",
        }
        return BudgetExceeded(
            f"The next call could exceed the ceiling for {reached}.",
            hint=hints[reached],
            details={"ceiling": reached, "calls": day.calls, "usd": day.usd, "reserved_usd": day.reserved_usd},
        )

    def _today(self) -> str:
        return self._work.now()[:10]


def _fits(amount: Amount, calls: int | None, usd: float | None, tokens: int | None) -> bool:
    pairs = ((calls, amount.calls), (usd, amount.usd), (tokens, amount.tokens))
    return all(limit is None or taken <= limit + ROUNDING for limit, taken in pairs)
