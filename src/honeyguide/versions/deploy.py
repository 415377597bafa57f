"""Make a text live, take it back, keep what was live: every change of a target's file goes through here.

A change compares the live text with the one its run started from, swaps in one step or not at all, and leaves a
version behind. Edits that somebody made outside are noticed and kept as versions too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Stale
from honeyguide.versions.atomic import TrustedRoots
from honeyguide.versions.intents import FORMAT, Intent, Step
from honeyguide.versions.live import Change, Deployed, History, LiveFile, state_of
from honeyguide.versions.records import Actor, Origin, Version, version_before
from honeyguide.versions.store import LOCK_SECONDS, VersionStore
from honeyguide.versions.transactions import Repair, Transactions, bak_path


class Deployer:
    """Changes live files on behalf of a person.

    Safe to use from several threads and processes; each change waits for the one before it.
    """

    def __init__(
        self,
        store: VersionStore,
        trusted: Sequence[Path] = (),
        *,
        on_repair: Callable[[Repair], None] = lambda repair: None,
    ) -> None:
        """Work on the workspace that ``store`` belongs to and on files inside the ``trusted`` folders.

        Args:
            on_repair: told about each file of a change that a dead process left unfinished and that was finished or
                undone before a new one; ``recover`` returns the same and does not call it.
        """
        self._on_repair = on_repair
        self._store = store
        self._disk = store.disk
        self._roots = TrustedRoots((store.root.parent, *trusted))
        self._transactions = Transactions(store, self._roots)

    def live_bytes(self, live: LiveFile) -> bytes | None:
        """Return the live file's bytes; ``None`` when there is no file. Raises PolicyRefused, Unreadable."""
        return self._disk.read(self._roots.resolve(live.path, self._disk))

    def live_fingerprint(self, live: LiveFile) -> str:
        """Return what a run notes at its start and passes as ``expected`` when it is accepted."""
        data = self.live_bytes(live)
        return live.fingerprint(live.builtin if data is None else data)

    def deploy(
        self,
        changes: Sequence[Change],
        actor: Actor,
        *,
        run_uuid: str | None = None,
        note: str = "",
        timeout: float = LOCK_SECONDS,
    ) -> tuple[Deployed, ...]:
        """Make all ``changes`` live, or none of them; each becomes a version with the origin ``accepted``.

        Raises:
            Stale: a live text is not the expected one; nothing was written.
            Locked: another change did not finish within ``timeout`` seconds, or a program holds a file open.
            PolicyRefused: a file outside the trusted folders.
            Unwritable: no space or no permission; every file is as it was.
            InvalidInput: no change, or two of the same file.
        """
        if not changes:
            raise InvalidInput("There is nothing to deploy.")
        with self._locked(changes[0].live.name, timeout):
            for change in changes:
                self._require_expected(change.live, change.expected)
            steps: list[_Planned] = []
            for change in changes:
                before = self.live_bytes(change.live)
                data = change.data(before) if callable(change.data) else change.data
                planned = self._plan(change.live, before, actor)
                steps.append(self._with_version(planned, data, Origin.ACCEPTED, actor, run_uuid=run_uuid, note=note))
            return self._carry_out(steps)

    def rollback(
        self,
        live: LiveFile,
        actor: Actor,
        *,
        to: int | None = None,
        note: str = "",
        expected: str | None = None,
        timeout: float = LOCK_SECONDS,
    ) -> Deployed:
        """Bring an earlier version back, as a new version with the origin ``restored``.

        Without ``to``: the state before the current one. Doing it again goes one further back, until the state that
        was found first; where that was no file (a first override), the file goes and the built-in text is live again.

        Raises:
            NotFound: no such version, or the target has none.
            Conflict: it is live already, or there is nothing earlier.
            Stale, Locked, PolicyRefused, Unwritable: as for ``deploy``.
        """
        with self._locked(live.name, timeout):
            self._require_expected(live, expected)
            before = self.live_bytes(live)
            versions = self._store.list(live.kind, live.name)
            if not versions:
                raise NotFound(f"{live.name} has no versions yet.", hint="There is nothing to go back to.")
            planned = self._plan(live, before, actor)
            history = (*versions, planned.noticed) if planned.noticed else versions
            target = self._store.get(live.kind, live.name, to) if to is not None else version_before(history)
            if target is None:
                raise Conflict(f"{live.name} has no earlier version.", hint="It is as it was found.")
            if target.state == planned.state:
                raise Conflict(f"Version {target.n} of {live.name} is live already.")
            data = None if target.removed else self._store.bytes_of(target)
            planned = self._with_version(planned, data, Origin.RESTORED, actor, note=note, restored_from=target.n)
            return self._carry_out([planned])[0]

    def backup(self, live: LiveFile, actor: Actor, *, note: str = "", timeout: float = LOCK_SECONDS) -> Version:
        """Keep the live text as a version with a note, and refresh ``.bak``; the live file is not touched."""
        with self._locked(live.name, timeout):
            before = self.live_bytes(live)
            newest = self._newest(live)
            changed = newest is not None and newest.state != state_of(before)
            origin = Origin.EDITED_OUTSIDE if changed else Origin.FOUND
            planned = _Planned(live, before, None, None)
            planned = self._with_version(planned, before, origin, actor, note=note)
            return self._carry_out([planned])[0].version

    def notice(self, live: LiveFile, actor: Actor, *, timeout: float = LOCK_SECONDS) -> Version | None:
        """Record an edit that somebody made outside since the newest version; ``None`` when there is none.

        A target without versions has nothing to compare with and is left alone.
        """
        newest = self._newest(live)
        if newest is None or newest.state == state_of(self.live_bytes(live)):
            return None
        with self._locked(live.name, timeout):
            before = self.live_bytes(live)
            planned = self._plan(live, before, actor)
            if planned.noticed is None:
                return None
            self._carry_out([planned])
            return planned.noticed

    def history(self, live: LiveFile) -> History:
        """Return the versions of a target and which one is live; writes nothing."""
        versions = self._store.list(live.kind, live.name)
        state = state_of(self.live_bytes(live))
        current = next((version.n for version in reversed(versions) if version.state == state), None)
        return History(live, versions, current, bool(versions) and versions[-1].state != state)

    def recover(self, *, timeout: float = LOCK_SECONDS) -> tuple[Repair, ...]:
        """Finish or undo what a crash cut short; call it when a workspace is opened. Harmless when all is well.

        Raises:
            Locked: another process is in the middle of a change, so nothing was cut short.
        """
        if not self._disk.names(self._store.root):
            return ()
        with self._store.locked("a repair", timeout=timeout):
            return self._transactions.repair()

    @contextmanager
    def _locked(self, name: str, timeout: float) -> Iterator[None]:
        """Hold the store's lock, with what a dead process left unfinished repaired first."""
        with self._store.locked(name, timeout=timeout):
            for repair in self._transactions.require_nothing_pending():
                self._on_repair(repair)
            yield

    def _require_expected(self, live: LiveFile, expected: str | None) -> None:
        if expected is None:
            return
        found = self.live_fingerprint(live)
        if found != expected:
            raise Stale(
                f"The live text of {live.name} changed since this work on it began.",
                hint="Look at what changed; merge, or start a new run.",
                details={"expected": expected, "found": found, "target": live.name},
            )

    def _newest(self, live: LiveFile) -> Version | None:
        versions = self._store.list(live.kind, live.name)
        return versions[-1] if versions else None

    def _plan(self, live: LiveFile, before: bytes | None, actor: Actor) -> _Planned:
        """Describe the version to record first, if the live bytes are not the newest version."""
        newest = self._newest(live)
        if newest and newest.state == state_of(before) and (newest.removed or self._store.has_bytes(newest)):
            return _Planned(live, before, None, None)
        origin = Origin.EDITED_OUTSIDE if newest and newest.state != state_of(before) else Origin.FOUND
        data = live.builtin if before is None else before
        noticed = self._store.next_version(
            live.kind, live.name, data, origin, actor,
            text_sha256=live.fingerprint(data), removed=before is None,
        )  # fmt: skip
        return _Planned(live, before, noticed, None)

    def _with_version(
        self,
        planned: _Planned,
        after: bytes | None,
        origin: Origin,
        actor: Actor,
        *,
        run_uuid: str | None = None,
        note: str = "",
        restored_from: int | None = None,
    ) -> _Planned:
        live = planned.live
        data = live.builtin if after is None else after
        version = self._store.next_version(
            live.kind, live.name, data, origin, actor,
            after=planned.noticed, text_sha256=live.fingerprint(data), run_uuid=run_uuid, note=note,
            removed=after is None, restored_from=restored_from,
        )  # fmt: skip
        return _Planned(live, planned.before, planned.noticed, version, after)

    def _carry_out(self, planned: Sequence[_Planned]) -> tuple[Deployed, ...]:
        paths = [self._roots.resolve(one.live.path, self._disk) for one in planned]
        targets = {(one.live.kind, one.live.name) for one in planned}
        if len(set(paths)) < len(paths) or len(targets) < len(planned):
            raise InvalidInput("One change would write the same file twice.")
        contents: dict[str, bytes] = {}
        steps: list[Step] = []
        for one, path in zip(planned, paths, strict=True):
            self._require_bak_inside(one.live, path)
            after = one.after if one.version else one.before
            for data in (one.before, after, one.live.builtin):
                if data is not None:
                    contents[sha256_hex(data)] = data
            steps.append(
                Step(
                    kind=str(one.live.kind),
                    name=one.live.name,
                    path=self._transactions.relative(path),
                    keeps_bak=one.live.keeps_bak,
                    mode=one.live.mode,
                    before=state_of(one.before),
                    after=state_of(after),
                    noticed=one.noticed,
                    version=one.version,
                )
            )
        self._transactions.run(Intent(FORMAT, iso(self._store.clock.now()), tuple(steps)), contents)
        return tuple(
            Deployed(one.live, path, version, one.noticed, self._bak_of(one.live, path))
            for one, path in zip(planned, paths, strict=True)
            if (version := one.version or one.noticed)
        )

    def _require_bak_inside(self, live: LiveFile, path: Path) -> None:
        if live.keeps_bak and not path.is_relative_to(self._disk.resolve(self._store.root.parent)):
            raise InvalidInput(f"{path} is outside the workspace, where no .bak file is kept.")

    def _bak_of(self, live: LiveFile, path: Path) -> Path | None:
        bak = bak_path(path)
        return bak if live.keeps_bak and self._disk.read(bak) is not None else None


@dataclass(frozen=True, slots=True)
class _Planned:
    """A change of one file before it is written down as a step."""

    live: LiveFile
    before: bytes | None
    noticed: Version | None
    version: Version | None
    after: bytes | None = None

    @property
    def state(self) -> str | None:
        return state_of(self.before)
