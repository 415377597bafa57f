"""The versions of a target: list, show, compare, back up, roll back, watch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from honeyguide.evals.statistics import wilson_interval
from honeyguide.kernel.errors import Conflict, NotFound
from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import TraceFilter, VersionRecord
from honeyguide.traces.records import TraceOutcome
from honeyguide.versions import Deployer, Session, Version
from honeyguide.versions import watch as watch_versions
from honeyguide.versions.transactions import bak_path
from honeyguide.workspace.core import Core
from honeyguide.workspace.homes import Home, Homes
from honeyguide.workspace.origins import Origin
from honeyguide.workspace.overrides import KINDS
from honeyguide.workspace.views.versions import (
    DiffView,
    VersionDetail,
    VersionList,
    VersionRow,
    WatchedRow,
    WatchReport,
    diff_view,
)

T = TypeVar("T")
WATCHED_TRACES = 100_000


class Versions:
    """Everything about the past of a target's text, and the way back to it."""

    def __init__(self, core: Core, homes: Homes) -> None:
        self._core = core
        self._homes = homes

    async def list(self, name: str | TargetRef) -> VersionList:
        """Return all versions; an edit that somebody made outside is recorded first."""
        home = await self._homes.home(name)
        await self._with_files(home, lambda files: files.notice(home.live, Origin.here("noticed").for_files))
        history = await self._with_files(home, lambda files: files.history(home.live))
        bak = bak_path(home.live.path)
        return VersionList(
            target=str(home.ref),
            path=str(home.live.path),
            versions=tuple(_row(version, version.n == history.current) for version in history.versions),
            edited_outside=history.edited_outside,
            bak=str(bak) if home.live.keeps_bak and bak.is_file() else None,
        )

    async def show(self, name: str | TargetRef, n: int) -> VersionDetail:
        """Return one version with its text. Raises NotFound, Unreadable."""
        home = await self._homes.home(name)
        listed = await self.list(home.ref)
        store = self._core.version_store
        data = await self._core.in_thread(lambda: store.read(home.live.kind, home.live.name, n))
        row = next(row for row in listed.versions if row.n == n)
        return VersionDetail(row, str(home.ref), home.text_in(data))

    async def diff(self, name: str | TargetRef, m: int, n: int) -> DiffView:
        """Compare two versions."""
        before, after = await self.show(name, m), await self.show(name, n)
        return await self._core.in_thread(lambda: diff_view(before.text, after.text))

    async def backup(self, name: str | TargetRef, *, note: str | None, origin: Origin) -> VersionRow:
        """Store the live text as a version and refresh its ``.bak``; the live file is not touched."""
        home = await self._homes.home(name)
        version = await self._with_files(home, lambda files: files.backup(home.live, origin.for_files, note=note or ""))
        await self._record(home, version, "backed-up", note, origin, reload=False)
        return _row(version, True)

    async def rollback(
        self,
        name: str | TargetRef,
        *,
        to: int | None,
        origin: Origin,
        note: str | None = None,
        alone: bool = False,
    ) -> VersionRow:
        """Bring an earlier version back as a new one, and what went live together with it in the same step.

        Args:
            alone: leave the other targets as they are.

        Raises:
            NotFound, Conflict, Stale, Locked.
        """
        home = await self._homes.home(name)
        others = {} if alone else await self._tied(home, to)
        trusted = [path for one in (home, *others.values()) for path in one.trusted]
        files = self._core.deployer(*trusted)
        lives = {key: other.live for key, other in others.items()}
        deployed = await self._core.in_thread(
            lambda: files.rollback_together(home.live, lives, origin.for_files, to=to, note=note or "")
        )
        by_live = {(one.live.kind, one.live.name): one for one in (home, *others.values())}
        for done in deployed:
            own = by_live[(done.live.kind, done.live.name)]
            await self._record(own, done.version, "rolled-back", note, origin, reload=True)
        return _row(deployed[0].version, True)

    async def _tied(self, home: Home, to: int | None) -> dict[tuple[str, str], Home]:
        """Return the homes of the targets that go back with this one, as far as they are still there."""
        tied = await self._with_files(home, lambda files: files.tied_to(home.live, to))
        found = {}
        for kind, name in tied:
            try:
                found[(kind, name)] = await self._homes.home(TargetRef(TargetKind(kind), name))
            except NotFound as error:
                raise Conflict(
                    f"{name} changed together with {home.ref.name} and is gone.",
                    hint=f"Bring {home.ref.name} back alone: --alone.",
                ) from error
        return found

    async def watch(self, name: str | TargetRef) -> WatchReport:
        """Compare the sessions before and after each deployment."""
        home = await self._homes.home(name)
        store = self._core.version_store
        versions = await self._core.in_thread(lambda: store.list(home.live.kind, home.live.name))
        wanted = TraceFilter(target=home.ref)
        rows = await self._core.store.read(lambda unit: unit.traces.rows(wanted, limit=WATCHED_TRACES))
        sessions = [
            Session(
                row.created_at,
                corrected=row.outcome == TraceOutcome.CORRECTED,
                failed=row.outcome == TraceOutcome.ABANDONED,
            )
            for row in rows
            if row.outcome != TraceOutcome.PENDING
        ]
        found = watch_versions(versions, sessions, _wilson)
        return WatchReport(
            str(home.ref),
            tuple(WatchedRow(d.version.n, d.words, d.suggests_rollback, d.to_json()) for d in found),
        )

    async def _record(
        self, home: Home, version: Version, decision: str, note: str | None, origin: Origin, *, reload: bool
    ) -> None:
        store = self._core.version_store
        versions = await self._core.in_thread(lambda: store.list(home.live.kind, home.live.name))

        def write(unit: Unit) -> None:
            index_versions(unit, home.ref, versions)
            unit.decisions.record("version", f"{home.ref}#{version.n}", decision, note)
            if reload:
                announce(unit, home.ref, version.n)

        await self._core.store.write(write, actor=origin.for_store)

    async def _with_files(self, home: Home, work: Callable[[Deployer], T]) -> T:
        files = self._core.deployer(*home.trusted)
        return await self._core.in_thread(lambda: work(files))


def index_versions(unit: Unit, ref: TargetRef, versions: Sequence[Version]) -> None:
    """Bring the database's index of a target's versions up to date."""
    unit.versions.replace(ref, [_record_of(version) for version in versions])


def announce(unit: Unit, ref: TargetRef, n: int) -> None:
    """Append the event by which agents load the new text."""
    kind = KINDS.get(ref.kind)
    name = kind.reload_event if kind else f"{ref.kind.value}:reloaded"
    unit.events.append(name, str(ref), target=ref.name, version=n)


def _row(version: Version, current: bool) -> VersionRow:
    return VersionRow(
        n=version.n, sha256=version.sha256, created_at=version.created_at, origin=version.origin.value,
        run_uuid=version.run_uuid, note=version.note, current=current, who=version.who, how=version.how,
        removed=version.removed, restored_from=version.restored_from, together=version.together,
    )  # fmt: skip


def _record_of(version: Version) -> VersionRecord:
    return VersionRecord(
        target_kind=version.kind, target_name=version.name, n=version.n, sha256=version.sha256,
        created_at=version.created_at, origin=version.origin.value, run_uuid=version.run_uuid,
        note=version.note or None,
    )  # fmt: skip


def _wilson(count: int, n: int) -> tuple[float, float]:
    interval = wilson_interval(count, n)
    return interval.low, interval.high
