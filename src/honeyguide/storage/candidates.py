"""Candidates of an attempt, with their lineage."""

from __future__ import annotations

from collections.abc import Iterable

from sqlalchemy import delete, func, insert, select

from honeyguide.storage.mapping import columns, fetch, values
from honeyguide.storage.records import CandidateRecord
from honeyguide.storage.tables import CandidateRow
from honeyguide.storage.work import Work

_C = CandidateRow


class CandidatesRepository:
    """Keeps what a search tried."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def save(self, attempt_uuid: str, candidates: Iterable[CandidateRecord]) -> int:
        """Store candidates, replacing those known by stage and id. Returns how many."""
        batch = list(candidates)
        for item in batch:
            self._work.session.execute(
                delete(_C).where(
                    _C.attempt_uuid == attempt_uuid, _C.stage == item.stage, _C.candidate_id == item.candidate_id
                )
            )
        if batch:
            self._work.session.execute(insert(_C), [values(item) | {"attempt_uuid": attempt_uuid} for item in batch])
            self._work.event("candidates:stored", attempt_uuid, candidates=len(batch))
        return len(batch)

    def of(self, attempt_uuid: str, *, stage: str | None = None) -> tuple[CandidateRecord, ...]:
        """Return the candidates of an attempt in the order they were made."""
        statement = select(*columns(_C, CandidateRecord)).where(_C.attempt_uuid == attempt_uuid)
        if stage is not None:
            statement = statement.where(_C.stage == stage)
        return tuple(fetch(self._work.session, statement.order_by(_C.generation, _C.id), CandidateRecord))

    def lineage(self, attempt_uuid: str, candidate_id: str) -> tuple[CandidateRecord, ...]:
        """Return a candidate and its ancestors, the first ancestor first."""
        by_id = {item.candidate_id: item for item in self.of(attempt_uuid)}
        line: list[CandidateRecord] = []
        current: str | None = candidate_id
        while current is not None and current in by_id and by_id[current] not in line:
            line.append(by_id[current])
            current = by_id[current].parent_id
        return tuple(reversed(line))

    def count(self, attempt_uuid: str) -> int:
        """Return how many candidates an attempt made."""
        return self._work.session.scalar(select(func.count(_C.id)).where(_C.attempt_uuid == attempt_uuid)) or 0
