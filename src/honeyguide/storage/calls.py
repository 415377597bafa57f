"""The index of model calls: hashes and figures from the journals, written in batches. The journals are the truth."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, func, select

from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.mapping import fetch, select_record, values
from honeyguide.storage.records import CallRecord
from honeyguide.storage.tables import ModelCallRow
from honeyguide.storage.work import Work


class CallsRepository:
    """Calls by journal and place."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def index(self, calls: Sequence[CallRecord]) -> int:
        """Add a batch; calls that are already there are left alone. Returns how many were new."""
        if not calls:
            return 0
        before = self._count()
        self._work.session.execute(
            insert_on_conflict(ModelCallRow).on_conflict_do_nothing(index_elements=["journal", "seq"]),
            [values(call) for call in calls],
        )
        new = self._count() - before
        if new:
            self._work.event("calls:indexed", calls[0].journal, calls=new)
        return new

    def rebuild(self, journal: str, calls: Sequence[CallRecord]) -> None:
        """Make the index of one journal hold exactly ``calls``."""
        self._work.change(delete(ModelCallRow).where(ModelCallRow.journal == journal))
        self.index(calls)

    def last_seq(self, journal: str) -> int:
        """Return the greatest place that is indexed; -1 when none is."""
        found = self._work.session.scalar(select(func.max(ModelCallRow.seq)).where(ModelCallRow.journal == journal))
        return -1 if found is None else found

    def of(self, journal: str, *, limit: int = 1000, offset: int = 0) -> tuple[CallRecord, ...]:
        """Return the calls of a journal in order."""
        statement = select_record(ModelCallRow, CallRecord).where(ModelCallRow.journal == journal)
        statement = statement.order_by(ModelCallRow.seq).limit(limit).offset(offset)
        return tuple(fetch(self._work.session, statement, CallRecord))

    def _count(self) -> int:
        return self._work.session.scalar(select(func.count(ModelCallRow.id))) or 0
