"""The log of changes: append-only, one row a change, written in the change's own transaction."""

from __future__ import annotations

from typing import Any

from sqlalchemy import delete, func, select

from honeyguide.storage.mapping import fetch, select_record
from honeyguide.storage.records import EventRecord
from honeyguide.storage.tables import EventRow
from honeyguide.storage.text import moment
from honeyguide.storage.work import Work


class EventsRepository:
    """Reads the log, and appends events that belong to no table (``persona:reloaded``)."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def append(self, name: str, subject: str | int = "", **data: Any) -> None:
        """Append an event. ``data`` holds ids and figures, never text of a trace."""
        self._work.event(name, subject, **data)

    def since(self, after_id: int, *, limit: int = 1000, except_origin: str | None = None) -> tuple[EventRecord, ...]:
        """Return events with a greater id, in order, without those of one origin."""
        statement = select_record(EventRow, EventRecord).where(EventRow.id > after_id)
        if except_origin is not None:
            statement = statement.where(EventRow.origin != except_origin)
        return tuple(fetch(self._work.session, statement.order_by(EventRow.id).limit(limit), EventRecord))

    def of(self, subject: str | int, *, limit: int = 1000) -> tuple[EventRecord, ...]:
        """Return the newest events about ``subject``, oldest first."""
        statement = select_record(EventRow, EventRecord).where(EventRow.subject == str(subject))
        return tuple(
            reversed(fetch(self._work.session, statement.order_by(EventRow.id.desc()).limit(limit), EventRecord))
        )

    def last_id(self) -> int:
        """Return the id of the newest event; 0 when there is none."""
        return self._work.session.scalar(select(func.max(EventRow.id))) or 0

    def drop_before(self, when: str) -> int:
        """Remove events older than ``when``; decisions are kept elsewhere and stay. Returns how many."""
        return self._work.change(delete(EventRow).where(EventRow.at < moment(when)))
