"""What days cost, over all processes of a workspace: reserved at the worst case before a call, settled after it."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select

from honeyguide.kernel.errors import BudgetExceeded, NotFound
from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.mapping import fetch
from honeyguide.storage.owners import ProcessIdentity, is_alive
from honeyguide.storage.records import SpendCeiling, SpendDay
from honeyguide.storage.tables import SpendDayRow, SpendReservationRow
from honeyguide.storage.work import Work

_D, _R = SpendDayRow, SpendReservationRow


class SpendRepository:
    """A day's ledger. Days are UTC, written ``YYYY-MM-DD``."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def reserve(self, ceiling: SpendCeiling, *, calls: int = 1, tokens: int = 0, usd: float = 0.0) -> str:
        """Hold back what is about to be spent today, and return the reservation's id.

        Raises:
            BudgetExceeded: today's ceiling would be exceeded, counting what other calls have reserved.
        """
        today = self._today()
        if not self._fits(self.day(today), ceiling, calls, tokens, usd):
            self._settle_dead()
            day = self.day(today)
            if not self._fits(day, ceiling, calls, tokens, usd):
                raise BudgetExceeded(
                    "Today's limit on spending would be exceeded by the next call.",
                    hint="Raise the daily limit in the settings, or go on tomorrow (days are UTC).",
                    details={"calls": day.calls, "usd": day.usd, "reserved_usd": day.reserved_usd},
                )
        reservation = self._work.new_id()
        process = self._work.process
        self._session.execute(
            insert(_R).values(
                id=reservation,
                day=today,
                calls=calls,
                tokens=tokens,
                usd=usd,
                owner=self._work.instance,
                pid=process.pid,
                host=process.host,
                process_start=process.start,
                at=self._work.now(),
            )
        )
        return reservation

    def settle(
        self, reservation: str, *, calls: int = 1, input_tokens: int = 0, output_tokens: int = 0, usd: float | None
    ) -> SpendDay:
        """Replace a reservation by what was really spent; ``usd`` is ``None`` when the price is unknown.

        Raises:
            NotFound: it was settled already.
        """
        row = self._session.get(_R, reservation)
        if row is None:
            raise NotFound("This reservation was settled already.")
        day = row.day
        self._session.delete(row)
        self._session.flush()
        self._add(day, calls, input_tokens, output_tokens, usd)
        return self.day(day)

    def release(self, reservation: str) -> bool:
        """Give a reservation back: the call was not made. Returns whether it was held."""
        return self._work.change(delete(_R).where(_R.id == reservation)) == 1

    def add(self, *, calls: int, input_tokens: int, output_tokens: int, usd: float | None) -> SpendDay:
        """Count what was spent today without a reservation."""
        today = self._today()
        self._add(today, calls, input_tokens, output_tokens, usd)
        return self.day(today)

    def day(self, day: str | None = None) -> SpendDay:
        """Return one day with what is reserved; today when not given."""
        day = day or self._today()
        row = self._session.execute(
            select(_D.calls, _D.unpriced_calls, _D.input_tokens, _D.output_tokens, _D.usd).where(_D.day == day)
        ).first()
        held = self._session.execute(
            select(
                func.coalesce(func.sum(_R.calls), 0),
                func.coalesce(func.sum(_R.tokens), 0),
                func.coalesce(func.sum(_R.usd), 0.0),
            ).where(_R.day == day)
        ).one()
        return SpendDay(day, *(row or (0, 0, 0, 0, 0.0)), *held)

    def days(self, limit: int = 31) -> tuple[SpendDay, ...]:
        """Return the last days on which something was spent, newest first, without reservations."""
        statement = select(_D.day, _D.calls, _D.unpriced_calls, _D.input_tokens, _D.output_tokens, _D.usd)
        return tuple(fetch(self._session, statement.order_by(_D.day.desc()).limit(limit), SpendDay))

    def total(self) -> SpendDay:
        """Return the sum over all days (``day`` is empty), without reservations."""
        sums = [func.coalesce(func.sum(c), 0) for c in (_D.calls, _D.unpriced_calls, _D.input_tokens, _D.output_tokens)]
        row = self._session.execute(select(*sums, func.coalesce(func.sum(_D.usd), 0.0))).one()
        return SpendDay("", row[0], row[1], row[2], row[3], row[4])

    def _settle_dead(self) -> None:
        """Count the reservations of dead processes as spent: nobody knows whether those calls were charged."""
        for row in self._session.scalars(select(_R)).all():
            if is_alive(ProcessIdentity(row.pid, row.host, row.process_start)) is False:
                self._session.delete(row)
                self._session.flush()
                self._add(row.day, row.calls, row.tokens, 0, row.usd)

    def _add(self, day: str, calls: int, input_tokens: int, output_tokens: int, usd: float | None) -> None:
        unpriced = calls if usd is None else 0
        statement = insert_on_conflict(_D).values(
            day=day,
            calls=calls,
            unpriced_calls=unpriced,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
            usd=usd or 0.0,
        )
        names = ("calls", "unpriced_calls", "input_tokens", "output_tokens", "usd")
        added = {name: getattr(_D, name) + statement.excluded[name] for name in names}
        self._work.change(statement.on_conflict_do_update(index_elements=["day"], set_=added))
        self._work.event("spend:counted", day, calls=calls)

    @staticmethod
    def _fits(day: SpendDay, ceiling: SpendCeiling, calls: int, tokens: int, usd: float) -> bool:
        wanted = (
            (ceiling.calls, day.calls + day.reserved_calls + calls),
            (ceiling.tokens, day.input_tokens + day.output_tokens + day.reserved_tokens + tokens),
            (ceiling.usd, day.usd + day.reserved_usd + usd),
        )
        return all(limit is None or amount <= limit + 1e-9 for limit, amount in wanted)

    def _today(self) -> str:
        return self._work.now()[:10]
