"""Every version of every target, kept for good: ``versions/{kind}/{slug}-{hash}/{n}-{hash}`` and a record beside it.

A file that stands there is never written again. What the two hashes in the names say can be checked by anyone.
"""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.clock import Clock, SystemClock, iso
from honeyguide.kernel.errors import Locked, NotFound, PolicyRefused, Unreadable
from honeyguide.prompts.targets import check_target_name
from honeyguide.versions.atomic import commit, contained, prepare
from honeyguide.versions.disk import Disk, LocalDisk, writing
from honeyguide.versions.records import Actor, Origin, Version, dump_version, load_version

LOCK_SECONDS = 10.0
"""How long a change waits for another one to finish; a change takes milliseconds."""

PENDING = ".pending.json"
_CONTENT = re.compile(r"(\d{1,9})-([0-9a-f]{12})")
_LOST_RECORD = "The record of this version was lost; this one was made from its bytes."


class VersionStore:
    """The versions of one workspace.

    Safe for several threads and processes at once: readers need no lock, writers take the store's.
    """

    def __init__(self, root: Path, *, clock: Clock | None = None, disk: Disk | None = None) -> None:
        """Use the folder ``root`` (a workspace's ``versions``); it is made when first written to."""
        self.root = root.absolute()
        self.clock: Clock = clock or SystemClock()
        self.disk: Disk = disk or LocalDisk()
        self._mutex = threading.RLock()
        self._depth = 0

    def list(self, kind: str, name: str) -> tuple[Version, ...]:
        """Return all versions of a target, oldest first; none for a target that never changed."""
        folder = self.folder(kind, name)
        versions: dict[int, Version] = {}
        unrecorded: list[tuple[int, str]] = []
        names = self.disk.names(folder)
        for file_name in names:
            found = _CONTENT.fullmatch(file_name)
            if not found:
                continue
            version = self._record(folder, kind, name, file_name) if f"{file_name}.json" in names else None
            if version:
                versions[version.n] = version
            else:
                unrecorded.append((int(found[1]), file_name))
        if unrecorded:
            versions.update(self._rebuilt(folder, kind, name, unrecorded))
        return tuple(versions[n] for n in sorted(versions))

    def get(self, kind: str, name: str, n: int) -> Version:
        """Return one version. Raises NotFound."""
        for version in self.list(kind, name):
            if version.n == n:
                return version
        raise NotFound(f"{name} has no version {n}.", hint="List its versions to see which there are.")

    def read(self, kind: str, name: str, n: int) -> bytes:
        """Return the bytes of a version, checked against its hash.

        Raises:
            NotFound: no such version.
            Unreadable: its file is gone or was altered.
        """
        return self.bytes_of(self.get(kind, name, n))

    def bytes_of(self, version: Version) -> bytes:
        """Return the bytes of ``version``, checked. Raises Unreadable."""
        path = self.folder(version.kind, version.name) / version.file_name
        data = self.disk.read(path)
        if data is None or sha256_hex(data) != version.sha256:
            said = "is gone" if data is None else "was altered"
            raise Unreadable(f"The file {path} of version {version.n} {said}.", hint="Restore it from a backup.")
        return data

    def has_bytes(self, version: Version) -> bool:
        """Say whether the bytes of ``version`` are there and unaltered."""
        try:
            self.bytes_of(version)
        except Unreadable:
            return False
        return True

    def add(
        self,
        kind: str,
        name: str,
        data: bytes,
        origin: Origin,
        actor: Actor,
        *,
        text_sha256: str | None = None,
        run_uuid: str | None = None,
        note: str = "",
        removed: bool = False,
        restored_from: int | None = None,
    ) -> Version:
        """Keep ``data`` as the next version, durably.

        Raises:
            Locked: another change of this workspace did not finish in time.
            Unwritable: no space or no permission; nothing was added.
        """
        with self.locked(f"the versions of {name}"):
            version = self.next_version(
                kind, name, data, origin, actor,
                text_sha256=text_sha256, run_uuid=run_uuid, note=note, removed=removed, restored_from=restored_from,
            )  # fmt: skip
            self.put_bytes(version, data)
            self.put_record(version)
        return version

    def targets(self) -> tuple[tuple[str, str], ...]:
        """Return ``(kind, name)`` of every target that has versions, sorted."""
        found: set[tuple[str, str]] = set()
        for kind in self.disk.names(self.root):
            for slug in [] if kind.startswith(".") else self.disk.names(self.root / kind):
                folder = self.root / kind / slug
                records = [name for name in self.disk.names(folder) if name.endswith(".json")]
                for record in records[:1]:
                    version = load_version(self.disk.read(folder / record) or b"", str(folder / record))
                    found.add((version.kind, version.name))
        return tuple(sorted(found))

    def folder(self, kind: str, name: str) -> Path:
        """Return where a target's versions stand, whether or not there are any.

        Raises:
            InvalidInput: the kind or the name could lead out of the store.
            PolicyRefused: a link inside the store leads out of it.
        """
        check_target_name(name)
        slug = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:40] or "target"
        folder = contained(self.root, str(kind), f"{slug}-{sha256_hex(name)[:8]}")
        if self.disk.resolve(folder) != self.disk.resolve(self.root) / folder.relative_to(self.root):
            raise PolicyRefused(f"{folder} leads out of the workspace.", hint="Remove the link.")
        return folder

    @contextmanager
    def locked(self, purpose: str, *, timeout: float = LOCK_SECONDS) -> Iterator[None]:
        """Hold the store's lock: one change at a time, over all processes. A thread may take it again inside.

        Raises:
            Locked: somebody else held it for ``timeout`` seconds; the error says who.
        """
        if not self._mutex.acquire(timeout=timeout):
            raise Locked("Another part of this program is changing files of this workspace.", hint="Try again.")
        try:
            if self._depth:
                yield
                return
            with writing(self.root):
                self.disk.make_folder(self.root)
            owner: dict[str, object] = {
                "pid": os.getpid(),
                "host": socket.gethostname(),
                "since": iso(self.clock.now()),
                "purpose": purpose,
            }
            with self.disk.exclusive(self.root / ".lock", owner, timeout):
                self._depth = 1
                try:
                    yield
                finally:
                    self._depth = 0
        finally:
            self._mutex.release()

    def next_version(
        self,
        kind: str,
        name: str,
        data: bytes,
        origin: Origin,
        actor: Actor,
        *,
        after: Version | None = None,
        text_sha256: str | None = None,
        run_uuid: str | None = None,
        note: str = "",
        removed: bool = False,
        restored_from: int | None = None,
    ) -> Version:
        """Describe the version that ``data`` would become; nothing is written. Only under the lock.

        Args:
            after: a described version that will stand before it.
        """
        numbers = [int(found[1]) for n in self.disk.names(self.folder(kind, name)) if (found := _number(n))]
        return Version(
            kind=str(kind),
            name=name,
            n=max([0, *numbers, *([after.n] if after else [])]) + 1,
            sha256=sha256_hex(data),
            text_sha256=text_sha256 or sha256_hex(data),
            size=len(data),
            created_at=iso(self.clock.now()),
            origin=origin,
            run_uuid=run_uuid,
            note=note,
            who=actor.who,
            how=actor.how,
            removed=removed,
            restored_from=restored_from,
        )

    def put_bytes(self, version: Version, data: bytes) -> None:
        """Write the bytes of a described version; it is no version before its record stands. Only under the lock."""
        self._put(self.folder(version.kind, version.name) / version.file_name, data)

    def put_record(self, version: Version) -> None:
        """Write the record that makes it a version. Only under the lock."""
        self._put(self.record_path(version), dump_version(version))

    def record_path(self, version: Version) -> Path:
        """Return where the record of ``version`` stands."""
        return self.folder(version.kind, version.name) / f"{version.file_name}.json"

    def withdraw_record(self, version: Version) -> None:
        """Take back the record of a version whose change is being undone. Only under the lock."""
        self._remove(self.record_path(version))

    def forget_bytes(self, version: Version) -> None:
        """Remove the bytes of a version that never was one. Only under the lock, after its record is withdrawn."""
        self._remove(self.record_path(version).with_name(version.file_name))

    def _remove(self, path: Path) -> None:
        if self.disk.read(path) is not None:
            with writing(path):
                self.disk.remove(path)
                self.disk.sync_folder(path.parent)

    def _put(self, path: Path, data: bytes) -> None:
        there = self.disk.read(path)
        if there == data:
            return
        if there is not None:
            raise Unreadable(f"{path} is not what was written there.", hint="Move the file away, then try again.")
        with writing(path):
            self.disk.make_folder(path.parent)
            commit(prepare(path, data, 0o600, self.disk), self.disk)

    def _record(self, folder: Path, kind: str, name: str, file_name: str) -> Version | None:
        """Return the record beside a file; ``None`` when it is damaged or speaks of another file."""
        path = folder / f"{file_name}.json"
        data = self.disk.read(path)
        try:
            version = load_version(data or b"", str(path))
        except Unreadable:
            return None
        same = (version.kind, version.name, version.file_name) == (str(kind), name, file_name)
        return version if same else None

    def _rebuilt(self, folder: Path, kind: str, name: str, files: Sequence[tuple[int, str]]) -> dict[int, Version]:
        """Make versions of files without a usable record, except those of a change that is still going on."""
        pending = (self.disk.read(self.root / PENDING) or b"").decode("utf-8", "backslashreplace")
        versions: dict[int, Version] = {}
        for n, file_name in files:
            # The change may have ended between the two looks; then its record stands there now.
            version = self._record(folder, kind, name, file_name)
            if version:
                versions[n] = version
                continue
            data = self.disk.read(folder / file_name)
            if data is None or sha256_hex(data) in pending or not sha256_hex(data).startswith(file_name.split("-")[1]):
                continue
            versions[n] = Version(
                kind=str(kind),
                name=name,
                n=n,
                sha256=sha256_hex(data),
                text_sha256=sha256_hex(data),
                size=len(data),
                created_at="",
                origin=Origin.FOUND,
                note=_LOST_RECORD,
            )
        return versions


def _number(file_name: str) -> re.Match[str] | None:
    return _CONTENT.fullmatch(file_name.removesuffix(".json"))
