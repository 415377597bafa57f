"""Corrections: suggested by a detector, then confirmed, edited or dismissed by a person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import func, select, update

from honeyguide.kernel.errors import NotFound
from honeyguide.prompts.targets import TargetRef
from honeyguide.storage.dialect import insert_on_conflict
from honeyguide.storage.mapping import AnySelect, fetch, fetch_one, select_record, values
from honeyguide.storage.records import CorrectionDraft, CorrectionRecord, CorrectionState, DetectorRecord
from honeyguide.storage.tables import CorrectionRow, TraceTargetRow
from honeyguide.storage.work import Work

_C = CorrectionRow


class CorrectionsRepository:
    """Stores suggestions once each, and what a person said of them."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def suggest(self, drafts: Iterable[CorrectionDraft]) -> int:
        """Store suggestions; one known by trace, detector, place and span stays as it is. Returns how many are new."""
        now = self._work.now()
        new = 0
        for draft in drafts:
            row = insert_on_conflict(_C).values(**values(draft), state=CorrectionState.SUGGESTED.value, created_at=now)
            new += self._work.change(row.on_conflict_do_nothing())
        if new:
            self._work.event("corrections:suggested", corrections=new)
        return new

    def confirm(
        self, correction_id: int, edit: str | None = None, trace_was: Mapping[str, Any] | None = None
    ) -> CorrectionRecord:
        """A person says yes, in their own words when ``edit`` is given. May be said again. Raises NotFound.

        Args:
            trace_was: what the trace counted as before, kept with the decision so that it can be taken back.
        """
        return self._decide(correction_id, CorrectionState.CONFIRMED, edit, trace_was=dict(trace_was or {}))

    def dismiss(self, correction_id: int) -> CorrectionRecord:
        """A person says no. Raises NotFound."""
        return self._decide(correction_id, CorrectionState.DISMISSED, None)

    def reopen(self, correction_id: int) -> CorrectionRecord:
        """Take a verdict back. Raises NotFound."""
        return self._decide(correction_id, CorrectionState.SUGGESTED, None)

    def get(self, correction_id: int) -> CorrectionRecord | None:
        """Return one correction."""
        return fetch_one(
            self._session, select_record(_C, CorrectionRecord).where(_C.id == correction_id), CorrectionRecord
        )

    def require(self, correction_id: int) -> CorrectionRecord:
        """Return one correction. Raises NotFound."""
        found = self.get(correction_id)
        if found is None:
            raise NotFound(f"There is no correction {correction_id}.", hint="See: honeyguide corrections list")
        return found

    def list(
        self,
        *,
        state: CorrectionState | None = None,
        detector: str | None = None,
        target: TargetRef | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[CorrectionRecord, ...]:
        """Return corrections, newest first."""
        statement = self._narrowed(select_record(_C, CorrectionRecord), state, detector, target)
        statement = statement.order_by(_C.created_at.desc(), _C.id.desc()).limit(limit).offset(offset)
        return tuple(fetch(self._session, statement, CorrectionRecord))

    def count(
        self, *, state: CorrectionState | None = None, detector: str | None = None, target: TargetRef | None = None
    ) -> int:
        """Return how many corrections match."""
        return self._session.scalar(self._narrowed(select(func.count(_C.id)), state, detector, target)) or 0

    def of_trace(self, trace_id: int) -> tuple[CorrectionRecord, ...]:
        """Return the corrections about one trace, oldest first."""
        statement = select_record(_C, CorrectionRecord).where(_C.trace_id == trace_id).order_by(_C.id)
        return tuple(fetch(self._session, statement, CorrectionRecord))

    def detectors(self) -> tuple[DetectorRecord, ...]:
        """Return how often each detector was right."""
        counts: dict[str, dict[str, int]] = {}
        statement = select(_C.detector, _C.state, func.count()).group_by(_C.detector, _C.state)
        for detector, state, count in self._session.execute(statement):
            counts.setdefault(detector, {})[state] = count
        return tuple(
            DetectorRecord(name, found.get("suggested", 0), found.get("confirmed", 0), found.get("dismissed", 0))
            for name, found in sorted(counts.items())
        )

    def _decide(self, correction_id: int, state: CorrectionState, edit: str | None, **details: Any) -> CorrectionRecord:
        self.require(correction_id)
        decided_at = None if state is CorrectionState.SUGGESTED else self._work.now()
        self._work.change(
            update(_C).where(_C.id == correction_id).values(state=state.value, edit_text=edit, decided_at=decided_at)
        )
        self._work.event(f"correction:{state.value}", correction_id)
        self._work.decision("correction", correction_id, state.value, edited=edit is not None, **details)
        return self.require(correction_id)

    @staticmethod
    def _narrowed(
        statement: AnySelect, state: CorrectionState | None, detector: str | None, target: TargetRef | None
    ) -> AnySelect:
        if state is not None:
            statement = statement.where(_C.state == state.value)
        if detector is not None:
            statement = statement.where(_C.detector == detector)
        if target is not None:
            about = select(TraceTargetRow.trace_id).where(
                TraceTargetRow.target_kind == target.kind.value, TraceTargetRow.target_name == target.name
            )
            statement = statement.where(_C.trace_id.in_(about))
        return statement
