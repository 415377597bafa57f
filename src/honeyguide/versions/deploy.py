"""Make a text live, take it back, keep what was live: every change of a target's file goes through here.

A change compares the live text with the one its run started from, swaps in one step or not at all, and leaves a
version behind. Edits that somebody made outside are noticed and kept as versions too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import iso
from honeyguide.kernel.errors import Conflict, InvalidInput, NotFound, Stale
from honeyguide.versions.atomic import TrustedRoots
from honeyguide.versions.intents import FORMAT, Intent, Step
from honeyguide.versions.live import Change, Deployed, Expected, History, LiveFile, state_of
from honeyguide.versions.records import Actor, Origin, Version, version_before
from honeyguide.versions.store import LOCK_SECONDS, VersionStore
from honeyguide.versions.ties import Planned, Tie, goal_of, start_of, tied, ties_of
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
        also_expected: Sequence[Expected] = (),
        timeout: float = LOCK_SECONDS,
    ) -> tuple[Deployed, ...]:
        """Make all ``changes`` live, or none of them; each becomes a version with the origin ``accepted``.

        Several changes of one call belong together: each version names the others (``Version.together``).

        Args:
            also_expected: live texts that stay, and have to be what they were as well.

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
            for kept in also_expected:
                self._require_expected(kept.live, kept.expected)
            steps: list[Planned] = []
            for change in changes:
                before = self.live_bytes(change.live)
                data = change.data(before) if callable(change.data) else change.data
                planned = self._plan(change.live, before, actor)
                steps.append(self._with_version(planned, data, Origin.ACCEPTED, actor, run_uuid=run_uuid, note=note))
            return self._carry_out(tied(steps))

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
        """Bring an earlier version of this target alone back, as a new version with the origin ``restored``.

        Without ``to``: the state before the current one. Doing it again goes one further back, until the state that
        was found first; where that was no file (a first override), the file goes and the built-in text is live again.

        Raises:
            NotFound: no such version, or the target has none.
            Conflict: it is live already, or there is nothing earlier.
            Stale, Locked, PolicyRefused, Unwritable: as for ``deploy``.
        """
        return self.rollback_together(live, {}, actor, to=to, note=note, expected=expected, timeout=timeout)[0]

    def rollback_together(
        self,
        live: LiveFile,
        others: Mapping[tuple[str, str], LiveFile],
        actor: Actor,
        *,
        to: int | None = None,
        note: str = "",
        expected: str | None = None,
        timeout: float = LOCK_SECONDS,
    ) -> tuple[Deployed, ...]:
        """As ``rollback``, with every target whose version came about in the same step, in one step again.

        Args:
            others: by kind and name, where those targets are live (``tied_to``); empty leaves them alone.

        Returns:
            What became of ``live`` first, then of those that went along.

        Raises:
            Conflict: also when a target that would go along changed again since.
        """
        with self._locked(live.name, timeout):
            self._require_expected(live, expected)
            planned, history, target = self._way_back(live, actor, to)
            steps = [self._restored(planned, target, actor, note)]
            for tie in ties_of(history, target) if others else ():
                going = self._going_along(tie, others, actor, live.name)
                if going is not None:
                    steps.append(self._restored(*going, actor, note))
            return self._carry_out(tied(steps))

    def tied_to(self, live: LiveFile, to: int | None = None) -> tuple[tuple[str, str], ...]:
        """Return kind and name of the targets that a rollback would take along; empty where it would be refused."""
        versions = self._store.list(live.kind, live.name)
        if not versions or versions[-1].state != state_of(self.live_bytes(live)):
            return ()
        target = next((v for v in versions if v.n == to), None) if to is not None else version_before(versions)
        return () if target is None else tuple((tie.kind, tie.name) for tie in ties_of(versions, target))

    def backup(self, live: LiveFile, actor: Actor, *, note: str = "", timeout: float = LOCK_SECONDS) -> Version:
        """Keep the live text as a version with a note, and refresh ``.bak``; the live file is not touched."""
        with self._locked(live.name, timeout):
            before = self.live_bytes(live)
            newest = self._newest(live)
            changed = newest is not None and newest.state != state_of(before)
            origin = Origin.EDITED_OUTSIDE if changed else Origin.FOUND
            planned = Planned(live, before, None, None, state_of(before))
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

    def _way_back(self, live: LiveFile, actor: Actor, to: int | None) -> tuple[Planned, tuple[Version, ...], Version]:
        """Return the file as it is, its history, and the version to bring back."""
        versions = self._store.list(live.kind, live.name)
        if not versions:
            raise NotFound(f"{live.name} has no versions yet.", hint="There is nothing to go back to.")
        planned = self._plan(live, self.live_bytes(live), actor)
        history = (*versions, planned.noticed) if planned.noticed else versions
        target = self._store.get(live.kind, live.name, to) if to is not None else version_before(history)
        if target is None:
            raise Conflict(f"{live.name} has no earlier version.", hint="It is as it was found.")
        if target.state == planned.state:
            raise Conflict(f"Version {target.n} of {live.name} is live already.")
        return planned, history, target

    def _going_along(
        self, tie: Tie, others: Mapping[tuple[str, str], LiveFile], actor: Actor, lead: str
    ) -> tuple[Planned, Version] | None:
        """Return what another target goes to; ``None`` when it is there already, or may stay where it is."""
        live = others.get((tie.kind, tie.name))
        alone = f"To change {lead} alone, say so."
        if live is None:
            raise Conflict(f"{tie.name}, which changed together with {lead}, is gone.", hint=alone)
        planned = self._plan(live, self.live_bytes(live), actor)
        versions = self._store.list(live.kind, live.name)
        goal, start = goal_of(tie, versions), start_of(tie, versions)
        if goal is None or planned.state == goal.state:
            return None
        if start is None or planned.state != start.state:
            if not tie.undone:
                return None
            raise Conflict(f"{tie.name}, which changed together with {lead}, was changed again since.", hint=alone)
        return planned, goal

    def _restored(self, planned: Planned, target: Version, actor: Actor, note: str) -> Planned:
        data = None if target.removed else self._store.bytes_of(target)
        return self._with_version(planned, data, Origin.RESTORED, actor, note=note, restored_from=target.n)

    def _newest(self, live: LiveFile) -> Version | None:
        versions = self._store.list(live.kind, live.name)
        return versions[-1] if versions else None

    def _plan(self, live: LiveFile, before: bytes | None, actor: Actor) -> Planned:
        """Describe the version to record first, if the live bytes are not the newest version."""
        newest = self._newest(live)
        if newest and newest.state == state_of(before) and (newest.removed or self._store.has_bytes(newest)):
            return Planned(live, before, None, None, state_of(before))
        origin = Origin.EDITED_OUTSIDE if newest and newest.state != state_of(before) else Origin.FOUND
        data = live.builtin if before is None else before
        noticed = self._store.next_version(
            live.kind, live.name, data, origin, actor,
            text_sha256=live.fingerprint(data), removed=before is None,
        )  # fmt: skip
        return Planned(live, before, noticed, None, state_of(before))

    def _with_version(
        self,
        planned: Planned,
        after: bytes | None,
        origin: Origin,
        actor: Actor,
        *,
        run_uuid: str | None = None,
        note: str = "",
        restored_from: int | None = None,
    ) -> Planned:
        live = planned.live
        data = live.builtin if after is None else after
        version = self._store.next_version(
            live.kind, live.name, data, origin, actor,
            after=planned.noticed, text_sha256=live.fingerprint(data), run_uuid=run_uuid, note=note,
            removed=after is None, restored_from=restored_from,
        )  # fmt: skip
        return Planned(live, planned.before, planned.noticed, version, planned.state, after)

    def _carry_out(self, planned: Sequence[Planned]) -> tuple[Deployed, ...]:
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
