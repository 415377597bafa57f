"""An index over the version store on disk, so that versions are found by run and by hash."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert

from honeyguide.prompts.targets import TargetRef
from honeyguide.storage.mapping import fetch, fetch_one, select_record, values
from honeyguide.storage.records import VersionRecord
from honeyguide.storage.tables import VersionRow
from honeyguide.storage.work import Work


class VersionsRepository:
    """The files are the truth; ``replace`` makes the index agree with them."""

    def __init__(self, work: Work) -> None:
        self._work = work

    def add(self, version: VersionRecord) -> None:
        """Add or correct one version."""
        self._work.session.merge(VersionRow(**values(version)))
        ref = f"{version.target_kind}:{version.target_name}"
        self._work.event("version:stored", ref, n=version.n, sha256=version.sha256, origin=version.origin)

    def replace(self, ref: TargetRef, versions: Sequence[VersionRecord]) -> None:
        """Make the index of one target hold exactly ``versions``."""
        self._work.session.execute(
            delete(VersionRow).where(VersionRow.target_kind == ref.kind.value, VersionRow.target_name == ref.name)
        )
        if versions:
            self._work.session.execute(insert(VersionRow), [values(version) for version in versions])
        self._work.event("versions:indexed", str(ref), versions=len(versions))

    def list(self, ref: TargetRef) -> tuple[VersionRecord, ...]:
        """Return the versions of a target, oldest first."""
        statement = select_record(VersionRow, VersionRecord).where(
            VersionRow.target_kind == ref.kind.value, VersionRow.target_name == ref.name
        )
        return tuple(fetch(self._work.session, statement.order_by(VersionRow.n), VersionRecord))

    def of_run(self, run_uuid: str) -> VersionRecord | None:
        """Return the version that a run deployed."""
        statement = select_record(VersionRow, VersionRecord).where(VersionRow.run_uuid == run_uuid)
        return fetch_one(self._work.session, statement.order_by(VersionRow.n.desc()), VersionRecord)
