"""Verifications, and the ledger of looks that raises the bar for each further look at a holdout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sqlalchemy import insert, select

from honeyguide.evals.looks import Look, LookLedger
from honeyguide.storage.mapping import fetch, fetch_one, select_record
from honeyguide.storage.records import StoredVerification
from honeyguide.storage.tables import LookRow, VerificationRow
from honeyguide.storage.work import Work

if TYPE_CHECKING:  # it brings numpy with it
    from honeyguide.evals.findings import StakePlan
    from honeyguide.evals.verification import Verification

STAKES = "stakes"
"""The key of the stakes in a verification's details."""
_V = VerificationRow


class VerificationsRepository:
    """One verification for each attempt and finalist; looks for the whole workspace."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._session = work.session

    def save(
        self, attempt_uuid: str, candidate_id: str, holdout_hash: str, found: Verification, stakes: StakePlan
    ) -> None:
        """Store a verification, replacing an earlier one of the same finalist (resumed, or gone on with).

        ``stakes`` are kept with it, so that its evidence can go on.
        """
        interval = found.interval
        row = _V(
            attempt_uuid=attempt_uuid,
            candidate_id=candidate_id,
            holdout_hash=holdout_hash,
            outcome=found.outcome.value,
            label=found.label,
            n=found.n,
            repeats=found.repeats,
            baseline=found.baseline,
            candidate=found.candidate,
            delta=found.delta,
            interval_low=None if interval is None else interval.low,
            interval_high=None if interval is None else interval.high,
            confidence=found.confidence,
            p_value=found.p_value,
            noise_floor=found.noise_floor,
            unscored=found.unscored,
            wins=found.wins,
            ties=found.ties,
            losses=found.losses,
            receipt=None if found.receipt is None else found.receipt.digest,
            details=found.to_json() | {STAKES: stakes.to_json()},
            created_at=self._work.now(),
        )
        self._session.merge(row)
        self._session.flush()
        self._work.event("verification:stored", attempt_uuid, outcome=found.outcome.value)

    def get(self, attempt_uuid: str, candidate_id: str | None = None) -> StoredVerification | None:
        """Return the verification of a finalist; without one, the newest of the attempt."""
        statement = select_record(_V, StoredVerification).where(_V.attempt_uuid == attempt_uuid)
        if candidate_id is not None:
            statement = statement.where(_V.candidate_id == candidate_id)
        return fetch_one(self._session, statement.order_by(_V.created_at.desc()), StoredVerification)

    def of(self, attempt_uuid: str) -> tuple[StoredVerification, ...]:
        """Return every verification of an attempt, oldest first."""
        statement = select_record(_V, StoredVerification).where(_V.attempt_uuid == attempt_uuid)
        return tuple(fetch(self._session, statement.order_by(_V.created_at, _V.candidate_id), StoredVerification))

    def take_look(self, measurement: str, examples: Iterable[str], attempt_uuid: str) -> Look:
        """Return the look that a measurement is, entered into the ledger before anything is measured.

        Call it inside one ``Store.write``: two processes then never take the same number.
        """
        ids = sorted(set(examples))
        ledger = self.ledger()
        look, extended = ledger.look(measurement, ids)
        if extended is not ledger:
            self._session.execute(
                insert(LookRow).values(
                    measurement=measurement,
                    number=look.number,
                    examples=ids,
                    attempt_uuid=attempt_uuid,
                    at=self._work.now(),
                )
            )
            self._work.event("holdout:looked-at", attempt_uuid, look=look.number)
        return look

    def ledger(self) -> LookLedger:
        """Return all looks so far."""
        statement = select(LookRow.measurement, LookRow.examples, LookRow.number).order_by(LookRow.id)
        return LookLedger(
            tuple(
                Look(measurement, frozenset(examples), number)
                for measurement, examples, number in self._session.execute(statement)
            )
        )
