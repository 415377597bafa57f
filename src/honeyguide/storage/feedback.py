"""Reported problems as rows. Which change of state is allowed is the business of the room ``feedback``."""

from __future__ import annotations

from sqlalchemy import delete, func, insert, select, update

from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.storage.mapping import fetch, fetch_one, select_record, values
from honeyguide.storage.records import FeedbackRecord
from honeyguide.storage.tables import FeedbackRow
from honeyguide.storage.work import Work

_F = FeedbackRow


class FeedbackRepository:
    """Adds, changes and forgets problems, by their stable id."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def add(self, item: FeedbackRecord) -> FeedbackRecord:
        """Store a problem. Raises Conflict when the id is taken."""
        if self.get(item.id) is not None:
            raise Conflict(f"There is already feedback {item.id}.")
        now = self._work.now()
        row = values(item) | {"created_at": item.created_at or now, "updated_at": item.updated_at or now}
        self._work.change(insert(_F).values(**row))
        self._work.event("feedback:added", item.id, target=f"{item.target_kind}:{item.target_name}")
        return self.require(item.id)

    def save(self, item: FeedbackRecord, *, expected_state: str | None = None) -> FeedbackRecord:
        """Replace a problem.

        Args:
            expected_state: refuse when the stored state is another, because somebody changed it meanwhile.

        Raises:
            NotFound: there is none with this id.
            Conflict: see ``expected_state``.
        """
        known = self.require(item.id)
        statement = update(_F).where(_F.id == item.id)
        if expected_state is not None:
            statement = statement.where(_F.state == expected_state)
        row = values(item) | {"created_at": known.created_at, "updated_at": self._work.now()}
        changed = self._work.change(statement.values(**row))
        if changed != 1:
            raise Conflict(f"Feedback {item.id} is {known.state} by now.", details={"state": known.state})
        self._work.event("feedback:changed", item.id, state=item.state)
        if item.state != known.state:
            self._work.decision("feedback", item.id, item.state)
        return self.require(item.id)

    def forget(self, feedback_id: str) -> None:
        """Delete a problem; call it inside ``Store.forget_with``. Raises NotFound."""
        self.require(feedback_id)
        self._work.change(delete(_F).where(_F.id == feedback_id))
        self._work.event("feedback:forgotten", feedback_id)
        self._work.decision("feedback", feedback_id, "forgotten")

    def get(self, feedback_id: str) -> FeedbackRecord | None:
        """Return one problem."""
        return fetch_one(self._session, select_record(_F, FeedbackRecord).where(_F.id == feedback_id), FeedbackRecord)

    def require(self, feedback_id: str) -> FeedbackRecord:
        """Return one problem. Raises NotFound."""
        item = self.get(feedback_id)
        if item is None:
            raise NotFound(f"There is no feedback {feedback_id!r}.", hint="See: honeyguide feedback list")
        return item

    def list(
        self,
        *,
        target_kind: str | None = None,
        target_name: str | None = None,
        state: str | None = None,
        limit: int = 1000,
        offset: int = 0,
    ) -> tuple[FeedbackRecord, ...]:
        """Return problems, oldest first."""
        statement = select_record(_F, FeedbackRecord).order_by(_F.created_at, _F.id)
        for column, value in ((_F.target_kind, target_kind), (_F.target_name, target_name), (_F.state, state)):
            if value is not None:
                statement = statement.where(column == value)
        return tuple(fetch(self._session, statement.limit(limit).offset(offset), FeedbackRecord))

    def counts(self) -> dict[str, int]:
        """Return how many problems are in each state, all four present."""
        counts = dict.fromkeys(("open", "targeted", "resolved", "dismissed"), 0)
        for state, count in self._session.execute(select(_F.state, func.count()).group_by(_F.state)):
            counts[state] = count
        return counts
