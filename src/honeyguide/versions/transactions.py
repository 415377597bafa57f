"""Carry out a change of one or more files as a whole, and finish or undo one that a crash cut short.

Order of a change, each step durable before the next:

1. the intent; 2. the bytes of every version it makes; 3. records of what was found; 4. every new file, record and
``.bak`` beside its place, under a temporary name (a full disk shows here, with nothing changed yet); 5. the live
files, each checked once more; 6. the new records; 7. ``.bak``; 8. the intent is removed.

A repair looks only at hashes. A new record stands → every live file had been replaced: complete, and leave the live
files alone. Else: no live file is new → undo; all are old or new → complete; one is neither (somebody edited it
since) → what was replaced goes back, the edit stays.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import Conflict, HoneyguideError, PolicyRefused, Stale
from honeyguide.versions.atomic import Prepared, TrustedRoots, commit, discard, prepare, sweep
from honeyguide.versions.disk import writing
from honeyguide.versions.intents import Intent, Step, dump_intent, load_intent
from honeyguide.versions.records import Version, dump_version
from honeyguide.versions.store import PENDING, VersionStore

_SET_ASIDE = ".damaged-pending-"


class RepairOutcome(StrEnum):
    """What came of an unfinished change."""

    COMPLETED = "completed"
    """All its files are the new ones."""
    UNDONE = "undone"
    """None of its files is the new one."""
    REFUSED = "refused"
    """It is left as it is: a file lies outside the trusted folders."""
    UNREADABLE = "unreadable"
    """Its intent was damaged and is set aside; every file is whole, old or new."""


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did for one file.

    Attributes:
        outcome: completed, undone, refused or unreadable.
        kind, name, path: the target and its file; empty for an unreadable intent.
        run_uuid: the run whose deploy it was.
        version: the version that is now live because of it, when completed.
    """

    outcome: RepairOutcome
    kind: str = ""
    name: str = ""
    path: str = ""
    run_uuid: str | None = None
    version: Version | None = None


class Transactions:
    """Changes of live files, one at a time, under the store's lock."""

    def __init__(self, store: VersionStore, roots: TrustedRoots) -> None:
        self._store = store
        self._disk = store.disk
        self._roots = roots
        self._workspace = store.root.parent
        self._pending = store.root / PENDING

    def relative(self, path: Path) -> str:
        """Return how an intent names a file."""
        workspace = self._disk.resolve(self._workspace)
        return path.relative_to(workspace).as_posix() if path.is_relative_to(workspace) else str(path)

    def run(self, intent: Intent, contents: dict[str, bytes]) -> None:
        """Do what ``intent`` says, all of it or nothing. Only under the store's lock, with nothing pending.

        Args:
            contents: the bytes of each SHA-256 that the intent names.

        Raises:
            Stale: a live file changed in the last moment.
            Unwritable, Locked: a file could not be written; what could not be taken back at once is undone by the
                next repair.
        """
        finished = False
        try:
            with writing(self._store.root):
                commit(prepare(self._pending, dump_intent(intent), 0o600, self._disk), self._disk)
            for step in intent.steps:
                for version in step.versions():
                    self._store.put_bytes(version, contents[version.sha256])
                if step.noticed:
                    self._store.put_record(step.noticed)
            self._replace_all(intent, contents)
            finished = True
            with contextlib.suppress(HoneyguideError):  # all is done and durable; the next repair removes it
                self._forget_intent()
        finally:
            if not finished:
                # The error on its way says what happened; if even this fails, the intent stays for the next repair.
                with contextlib.suppress(HoneyguideError):
                    self._undo(intent)

    def repair(self) -> tuple[Repair, ...]:
        """Finish or undo a change that a crash cut short. Only under the store's lock; harmless when there is none.

        Raises:
            Unsupported: it was begun by a newer program.
            Unwritable: there is no space or permission to repair it now.
        """
        with writing(self._pending):
            sweep(self._pending, self._disk)
        data = self._disk.read(self._pending)
        if data is None:
            return ()
        intent = load_intent(data)
        if intent is None:
            self._set_aside()
            return (Repair(RepairOutcome.UNREADABLE),)
        try:
            for step in intent.steps:
                self._trusted(step)
        except PolicyRefused:
            return self._report(intent, RepairOutcome.REFUSED)
        if self._can_complete(intent):
            try:
                self._complete(intent)
            except HoneyguideError:
                self._undo(intent)
                return self._report(intent, RepairOutcome.UNDONE)
            return self._report(intent, RepairOutcome.COMPLETED)
        self._undo(intent)
        return self._report(intent, RepairOutcome.UNDONE)

    def require_nothing_pending(self) -> tuple[Repair, ...]:
        """Repair what a dead process left. Raises PolicyRefused when that is not allowed."""
        repairs = self.repair()
        if any(repair.outcome is RepairOutcome.REFUSED for repair in repairs):
            raise PolicyRefused(
                "An unfinished change of a file outside the folders you trust stands in the way.",
                hint="Trust its folder, or remove versions/.pending.json if you do not know it.",
                details={"paths": [repair.path for repair in repairs]},
            )
        return repairs

    def _replace_all(self, intent: Intent, contents: dict[str, bytes]) -> None:
        live: list[tuple[Step, Prepared]] = []
        rest: list[Prepared] = []
        try:
            for step in intent.steps:
                path = self._trusted(step)
                with writing(path):
                    if step.changes_the_file:
                        self._disk.make_folder(path.parent)
                        new = contents[step.after] if step.after is not None else None
                        live.append((step, prepare(path, new, step.mode, self._disk)))
                    if step.version:
                        record = self._store.record_path(step.version)
                        rest.append(prepare(record, dump_version(step.version), 0o600, self._disk))
                    if step.keeps_bak:
                        rest.extend(self._prepared_bak(step, path))
            for step, prepared in live:
                self._check_unchanged(step, prepared.target)
                with writing(prepared.target):
                    commit(prepared, self._disk)
            for prepared in rest:
                with writing(prepared.target):
                    commit(prepared, self._disk)
        except BaseException:
            with contextlib.suppress(OSError):
                for prepared in [*(prepared for _, prepared in live), *rest]:
                    discard(prepared, self._disk)
            raise

    def _check_unchanged(self, step: Step, path: Path) -> None:
        if self._state(path) != step.before:
            raise Stale(
                f"{path} was changed by another program at this moment.", hint="Look at the change, then try again."
            )

    def _can_complete(self, intent: Intent) -> bool:
        if self._was_live(intent):
            return True
        moved = [step for step in intent.steps if step.changes_the_file]
        states = [(step, self._state(self._trusted(step))) for step in moved]
        if any(state not in {step.before, step.after} for step, state in states):
            return False
        if moved and not any(state == step.after for step, state in states):
            return False
        return all(self._store.has_bytes(version) for step in intent.steps for version in step.versions())

    def _was_live(self, intent: Intent) -> bool:
        """Say whether the live files had all been replaced: records are written only after that."""
        return any(
            step.version and self._disk.read(self._store.record_path(step.version)) is not None for step in intent.steps
        )

    def _complete(self, intent: Intent) -> None:
        if not self._was_live(intent):
            for step in intent.steps:
                path = self._trusted(step)
                if step.changes_the_file and self._state(path) != step.after:
                    data = self._store.bytes_of(step.version) if step.version and step.after is not None else None
                    self._put_live(step, path, data)
        for step in intent.steps:
            for version in step.versions():
                self._store.put_record(version)
        self._tidy(intent)

    def _undo(self, intent: Intent) -> None:
        for step in intent.steps:  # before any file goes back, lest a crash now reads as "was live"
            if step.version:
                self._store.withdraw_record(step.version)
        for step in reversed(intent.steps):
            path = self._trusted(step)
            if step.noticed and self._store.has_bytes(step.noticed):
                self._store.put_record(step.noticed)
            if step.changes_the_file and self._state(path) == step.after:
                data = self._bytes_before(step) if step.before is not None else None
                self._put_live(step, path, data)
        for step in intent.steps:
            if step.version:
                self._store.forget_bytes(step.version)
        self._tidy(intent)

    def _tidy(self, intent: Intent) -> None:
        """Remove what a crash left, make ``.bak`` true again, and forget the intent."""
        for step in intent.steps:
            path = self._trusted(step)
            with writing(path):
                sweep(path, self._disk)
                for version in step.versions():
                    record = self._store.record_path(version)
                    sweep(record, self._disk)
                    sweep(record.with_name(version.file_name), self._disk)
                if step.keeps_bak:
                    bak = bak_path(path)
                    sweep(bak, self._disk)
                    for prepared in self._prepared_bak(step, path, recorded=True):
                        commit(prepared, self._disk)
        self._forget_intent()

    def _prepared_bak(self, step: Step, path: Path, *, recorded: bool = False) -> Iterator[Prepared]:
        """Prepare ``.bak``: the version before the current one, or no file where that one was no file."""
        history = list(self._store.list(step.kind, step.name))
        if not recorded and step.version:
            history = [*(v for v in history if v.n != step.version.n), step.version]
        previous = history[-2] if len(history) > 1 else None
        if previous and not self._store.has_bytes(previous):
            return  # altered in the store; reading that version says so
        data = self._store.bytes_of(previous) if previous and not previous.removed else None
        bak = bak_path(path)
        if self._disk.read(bak) != data:
            yield prepare(bak, data, step.mode, self._disk)

    def _bytes_before(self, step: Step) -> bytes:
        for version in reversed(self._store.list(step.kind, step.name)):
            if version.state == step.before:
                return self._store.bytes_of(version)
        raise Conflict(f"The earlier bytes of {step.path} are not among its versions.")

    def _put_live(self, step: Step, path: Path, data: bytes | None) -> None:
        with writing(path):
            sweep(path, self._disk)
            self._disk.make_folder(path.parent)
            commit(prepare(path, data, step.mode, self._disk), self._disk)

    def _state(self, path: Path) -> str | None:
        data = self._disk.read(path)
        return None if data is None else sha256_hex(data)

    def _trusted(self, step: Step) -> Path:
        return self._roots.resolve(step.live_path(self._workspace), self._disk)

    def _forget_intent(self) -> None:
        with writing(self._pending):
            self._disk.remove(self._pending)
            self._disk.sync_folder(self._pending.parent)

    def _set_aside(self) -> None:
        taken = self._disk.names(self._store.root)
        number = sum(name.startswith(_SET_ASIDE) for name in taken) + 1
        with writing(self._pending):
            self._disk.replace(self._pending, self._pending.with_name(f"{_SET_ASIDE}{number}.json"))
            self._disk.sync_folder(self._pending.parent)

    def _report(self, intent: Intent, outcome: RepairOutcome) -> tuple[Repair, ...]:
        return tuple(
            Repair(
                outcome,
                step.kind,
                step.name,
                step.path,
                step.version.run_uuid if step.version else None,
                step.version if outcome is RepairOutcome.COMPLETED else None,
            )
            for step in intent.steps
        )


def bak_path(path: Path) -> Path:
    """Return where the version before the current one stands, ``{file}.bak``."""
    return path.with_name(f"{path.name}.bak")
