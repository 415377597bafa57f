"""Replace a file so that it is always either the old one or the new one, and only where a person allowed it.

Order: bytes into a temporary file in the same folder, fsync, rename over the old one, fsync of the folder.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.kernel.errors import InvalidInput, PolicyRefused, Unwritable
from honeyguide.kernel.ids import is_safe_name
from honeyguide.versions.disk import Disk, LocalDisk, writing

_TEMPORARY_NAMES = 1000


@dataclass(frozen=True, slots=True)
class TrustedRoots:
    """The folders in which files may be changed: the workspace, and what the person added.

    Attributes:
        roots: absolute folders; links in them are followed.
    """

    roots: tuple[Path, ...]

    def resolve(self, path: Path, disk: Disk) -> Path:
        """Return where ``path`` really is, all links followed.

        Raises:
            PolicyRefused: that is in none of the trusted folders.
        """
        real = disk.resolve(path.absolute())
        if any(real.is_relative_to(disk.resolve(root.absolute())) for root in self.roots):
            return real
        moved = f" (it leads to {real})" if real != path.absolute() else ""
        raise PolicyRefused(
            f"{path}{moved} is outside the folders you trust.",
            hint="Add the folder to the trusted ones, then try again.",
            details={"path": str(path), "real_path": str(real)},
        )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A replacement that is on disk and only needs its rename; ``temporary`` is ``None`` for a removal."""

    target: Path
    temporary: Path | None


def contained(root: Path, *names: str) -> Path:
    """Return ``root/names…`` where each name comes from data.

    Raises:
        InvalidInput: a name has a separator, a control character or a leading dot, so it could lead elsewhere.
    """
    for name in names:
        if not is_safe_name(name):
            raise InvalidInput(
                f"{name[:80]!r} cannot name a file.",
                hint="Use 1 to 200 characters without slashes, control characters or a leading dot.",
            )
    return root.joinpath(*names)


def write_atomically(
    path: Path, data: bytes, mode: int = 0o600, *, roots: TrustedRoots | None = None, disk: Disk | None = None
) -> Path:
    """Write ``data`` to ``path`` in one step that survives a power cut, and return where it really went.

    A file that exists keeps its mode, owner and extended attributes; its times are new, as for any edit. Where
    ``path`` is a symbolic link, the file it leads to changes and the link stays.

    Args:
        mode: permissions of a file that did not exist.
        roots: where writing is allowed; ``None`` for a path that no data had a part in.

    Raises:
        PolicyRefused: outside ``roots``.
        Unwritable: read-only, no permission, no space, hard-linked; the old file is untouched.
        Locked: another Windows program holds the file open.
    """
    disk = disk or LocalDisk()
    target = roots.resolve(path, disk) if roots else disk.resolve(path.absolute())
    with writing(target):
        disk.make_folder(target.parent)
        commit(prepare(target, data, mode, disk), disk)
    return target


def prepare(target: Path, data: bytes | None, mode: int, disk: Disk) -> Prepared:
    """Put ``data`` durably beside ``target``; ``None`` prepares its removal. Errors leave no file behind."""
    disk.check_replaceable(target)
    if data is None:
        return Prepared(target, None)
    temporary = _create_beside(target, mode, disk)
    try:
        disk.write(temporary, data)
        if disk.read(target) is not None:
            disk.copy_attributes(target, temporary)
        disk.sync_file(temporary)
    except BaseException:
        _drop(temporary, disk)
        raise
    return Prepared(target, temporary)


def commit(prepared: Prepared, disk: Disk) -> None:
    """Let the prepared replacement or removal happen, durably."""
    if prepared.temporary is None:
        disk.remove(prepared.target)
    else:
        try:
            disk.replace(prepared.temporary, prepared.target)
        except BaseException:
            _drop(prepared.temporary, disk)
            raise
    disk.sync_folder(prepared.target.parent)


def discard(prepared: Prepared, disk: Disk) -> None:
    """Drop a replacement that shall not happen."""
    if prepared.temporary is not None:
        _drop(prepared.temporary, disk)


def sweep(target: Path, disk: Disk) -> None:
    """Remove temporary files that a crash left beside ``target``; only under the lock that covers ``target``."""
    prefix = _temporary_prefix(target)
    for name in disk.names(target.parent):
        if name.startswith(prefix) and name.endswith(".tmp"):
            _drop(target.parent / name, disk)


def _create_beside(target: Path, mode: int, disk: Disk) -> Path:
    for number in range(_TEMPORARY_NAMES):
        temporary = target.parent / f"{_temporary_prefix(target)}{os.getpid()}-{number}.tmp"
        if disk.create(temporary, mode):
            return temporary
    raise Unwritable(f"{target.parent} is full of temporary files.", hint="Remove its files .honeyguide-*.tmp.")


def _drop(temporary: Path, disk: Disk) -> None:
    disk.remove(temporary)
    disk.sync_folder(temporary.parent)  # or a power cut might bring it back when nobody looks for it any more


def _temporary_prefix(target: Path) -> str:
    return f".honeyguide-{sha256_hex(target.name)[:12]}-"
