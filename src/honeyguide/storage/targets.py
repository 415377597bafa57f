"""Targets that live in files of their own, and the passages that must stay in any target."""

from __future__ import annotations

from sqlalchemy import delete, insert

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound
from honeyguide.prompts.targets import TargetRef, check_target_name
from honeyguide.storage.mapping import AnySelect, fetch, fetch_one, select_record, values
from honeyguide.storage.records import LockRecord, TargetRecord
from honeyguide.storage.tables import LockRow, TargetRow
from honeyguide.storage.text import first_line
from honeyguide.storage.work import Work


class TargetsRepository:
    """Registered targets, by kind and name; locks, by their own id."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def add(self, target: TargetRecord) -> TargetRecord:
        """Register a target.

        Raises:
            InvalidInput: the name may not name a target.
            Conflict: the kind has a target of this name.
        """
        check_target_name(target.name)
        if self.get(target.kind, target.name) is not None:
            raise Conflict(
                f"There is already a target {target.kind}:{target.name}.", hint="Give it another name with --name."
            )
        row = values(target) | {"added_at": self._work.now()}
        self._work.session.execute(insert(TargetRow).values(**row))
        self._work.event("target:added", f"{target.kind}:{target.name}")
        return self._require(target.kind, target.name)

    def update(self, target: TargetRecord) -> TargetRecord:
        """Replace path, span, encoding and options of a registered target. Raises NotFound."""
        known = self._require(target.kind, target.name)
        row = self._work.session.query(TargetRow).filter_by(kind=target.kind, name=target.name).one()
        for name, value in (values(target) | {"added_at": known.added_at}).items():
            setattr(row, name, value)
        self._work.session.flush()
        self._work.event("target:changed", f"{target.kind}:{target.name}")
        return self._require(target.kind, target.name)

    def remove(self, kind: str, name: str) -> None:
        """Take a target out of the list; its file stays as it is. Raises NotFound."""
        self._require(kind, name)
        self._work.change(delete(TargetRow).where(TargetRow.kind == kind, TargetRow.name == name))
        self._work.event("target:removed", f"{kind}:{name}")

    def get(self, kind: str, name: str) -> TargetRecord | None:
        """Return one target."""
        statement = select_record(TargetRow, TargetRecord).where(TargetRow.kind == kind, TargetRow.name == name)
        return fetch_one(self._work.session, statement, TargetRecord)

    def list(self, *, kind: str | None = None) -> tuple[TargetRecord, ...]:
        """Return the targets by kind and name."""
        statement = select_record(TargetRow, TargetRecord).order_by(TargetRow.kind, TargetRow.name)
        if kind is not None:
            statement = statement.where(TargetRow.kind == kind)
        return tuple(fetch(self._work.session, statement, TargetRecord))

    def lock(self, ref: TargetRef, text: str) -> LockRecord:
        """Lock a passage. Locking it again returns the same lock. Raises InvalidInput for a blank passage."""
        if not text.strip():
            raise InvalidInput("A locked passage cannot be empty.")
        digest = sha256_hex(text)
        statement = self._locks(ref).where(LockRow.sha256 == digest)
        known = fetch_one(self._work.session, statement, LockRecord)
        if known is not None:
            return known
        self._work.session.execute(
            insert(LockRow).values(
                target_kind=ref.kind.value,
                target_name=ref.name,
                text=text,
                sha256=digest,
                created_at=self._work.now(),
            )
        )
        self._work.event("target:locked", str(ref))
        self._work.decision("target", str(ref), "locked", first_line(text))
        made = fetch_one(self._work.session, statement, LockRecord)
        assert made is not None
        return made

    def unlock(self, ref: TargetRef, lock_id: int) -> None:
        """Remove a lock of this target. Raises NotFound."""
        statement = delete(LockRow).where(
            LockRow.id == lock_id, LockRow.target_kind == ref.kind.value, LockRow.target_name == ref.name
        )
        if self._work.change(statement) != 1:
            raise NotFound(f"{ref.name} has no locked passage {lock_id}.")
        self._work.event("target:unlocked", str(ref))
        self._work.decision("target", str(ref), "unlocked", lock=lock_id)

    def locks(self, ref: TargetRef) -> tuple[LockRecord, ...]:
        """Return the locked passages of a target, oldest first."""
        return tuple(fetch(self._work.session, self._locks(ref).order_by(LockRow.id), LockRecord))

    def _locks(self, ref: TargetRef) -> AnySelect:
        return select_record(LockRow, LockRecord).where(
            LockRow.target_kind == ref.kind.value, LockRow.target_name == ref.name
        )

    def _require(self, kind: str, name: str) -> TargetRecord:
        target = self.get(kind, name)
        if target is None:
            raise NotFound(f"There is no registered target {kind}:{name}.", hint="See: honeyguide targets list")
        return target
