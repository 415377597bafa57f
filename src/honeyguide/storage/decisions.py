"""Who decided what: read here, written by the repositories with the decision itself."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from honeyguide.storage.mapping import fetch, select_record
from honeyguide.storage.records import DecisionRecord
from honeyguide.storage.tables import DecisionRow
from honeyguide.storage.work import Work


class DecisionsRepository:
    """The list of decisions, newest first."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def record(
        self, subject_kind: str, subject: str | int, decision: str, note: str | None = None, **details: Any
    ) -> None:
        """Keep a decision that no repository here keeps itself, e.g. a roll-back."""
        self._work.decision(subject_kind, subject, decision, note, **details)
        self._work.event(f"{subject_kind}:{decision}", subject)

    def list(
        self, *, subject_kind: str | None = None, subject: str | int | None = None, limit: int = 100, offset: int = 0
    ) -> tuple[DecisionRecord, ...]:
        """Return decisions about a subject, a kind of subject, or everything."""
        statement = select_record(DecisionRow, DecisionRecord)
        if subject_kind is not None:
            statement = statement.where(DecisionRow.subject_kind == subject_kind)
        if subject is not None:
            statement = statement.where(DecisionRow.subject == str(subject))
        statement = statement.order_by(DecisionRow.id.desc()).limit(limit).offset(offset)
        return tuple(fetch(self._work.session, statement, DecisionRecord))

    def count(self) -> int:
        """Return how many decisions there are."""
        return self._work.session.scalar(select(func.count(DecisionRow.id))) or 0
