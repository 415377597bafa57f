"""The few things done to files when a prompt changes, each one step that can fail or be the last.

Everything in this room goes through a ``Disk``, so that tests can stop the program, or the power, at every step.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

import filelock

from honeyguide.kernel.errors import HoneyguideError, Locked, Unreadable, Unsupported, Unwritable

MAX_FILE_BYTES = 64 * 1024 * 1024
"""Larger files are no prompts; reading one is refused."""

RETRY_SECONDS = (0.02, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Waits between attempts to replace a file that another Windows program holds open."""

_SHARING_VIOLATIONS = frozenset({5, 32, 33})  # ERROR_ACCESS_DENIED, ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
_NO_ATTRIBUTES = frozenset({errno.ENOTSUP, errno.ENODATA, errno.EPERM, errno.EINVAL, errno.ENOSYS})


class Disk(Protocol):
    """What this room needs of a file system. All paths are absolute; errors are ``OSError`` or ours."""

    def resolve(self, path: Path) -> Path:
        """Return ``path`` with every symbolic link followed; parts that do not exist are kept."""
        ...

    def read(self, path: Path) -> bytes | None:
        """Return a file's bytes; ``None`` when nothing is there. A link, folder or device is refused."""
        ...

    def names(self, folder: Path) -> list[str]:
        """Return the names in a folder, sorted; empty when there is no such folder."""
        ...

    def make_folder(self, folder: Path) -> None:
        """Make a folder and its missing parents, each for the owner only (0700), durably."""
        ...

    def check_replaceable(self, path: Path) -> None:
        """Refuse to replace a file that is marked read-only or has several names."""
        ...

    def create(self, path: Path, mode: int) -> bool:
        """Make an empty file that was not there; ``False`` when something is."""
        ...

    def write(self, path: Path, data: bytes) -> None:
        """Write the whole of ``data`` into an empty file."""
        ...

    def copy_attributes(self, source: Path, target: Path) -> None:
        """Give ``target`` the mode, owner and extended attributes of ``source``."""
        ...

    def sync_file(self, path: Path) -> None:
        """Return when the file's bytes would survive a power cut."""
        ...

    def replace(self, source: Path, target: Path) -> None:
        """Rename ``source`` to ``target`` in one step, over whatever file is there."""
        ...

    def remove(self, path: Path) -> None:
        """Remove a file; nothing happens when it is gone already."""
        ...

    def sync_folder(self, folder: Path) -> None:
        """Return when the folder's names would survive a power cut."""
        ...

    def exclusive(self, path: Path, owner: dict[str, object], timeout: float) -> AbstractContextManager[None]:
        """Hold the lock at ``path``; raises Locked, naming the owner, after ``timeout`` seconds."""
        ...


class LocalDisk:
    """The computer's own file system."""

    def __init__(self, *, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep

    def resolve(self, path: Path) -> Path:
        return Path(os.path.realpath(path))

    def read(self, path: Path) -> bytes | None:
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        try:
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            return None
        except (NotADirectoryError, IsADirectoryError) as error:
            raise Unreadable(f"{path} is not a file.") from error
        except OSError as error:
            raise Unreadable(
                f"{path} cannot be read: {error.strerror}.", hint="Check the file's permissions."
            ) from error
        try:
            about = os.fstat(descriptor)
            if not stat.S_ISREG(about.st_mode):
                raise Unreadable(f"{path} is not a regular file.")
            if about.st_size > MAX_FILE_BYTES:
                raise Unsupported(f"{path} is larger than {MAX_FILE_BYTES // 1024**2} MiB and no prompt.")
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read()
        finally:
            os.close(descriptor)

    def names(self, folder: Path) -> list[str]:
        try:
            return sorted(entry.name for entry in folder.iterdir())
        except (FileNotFoundError, NotADirectoryError):
            return []
        except OSError as error:
            raise Unreadable(f"The folder {folder} cannot be read: {error.strerror}.") from error

    def make_folder(self, folder: Path) -> None:
        missing: list[Path] = []
        while not folder.is_dir():
            missing.append(folder)
            folder = folder.parent
        for one in reversed(missing):
            with contextlib.suppress(FileExistsError):
                one.mkdir(mode=0o700)
            self.sync_folder(one.parent)

    def check_replaceable(self, path: Path) -> None:
        try:
            about = path.lstat()
        except FileNotFoundError:
            return
        if not stat.S_ISREG(about.st_mode):
            raise Unwritable(f"{path} is not a regular file.")
        if not about.st_mode & 0o222 or not os.access(path, os.W_OK):
            raise Unwritable(f"{path} is read-only.", hint="Make it writable, then try again.")
        if about.st_nlink > 1 and sys.platform != "win32":
            raise Unwritable(
                f"{path} has {about.st_nlink} names (hard links); a safe replacement would part them.",
                hint="Make the other names symbolic links, or copies, then try again.",
            )

    def create(self, path: Path, mode: int) -> bool:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        try:
            os.close(os.open(path, flags, mode))
        except FileExistsError:
            return False
        return True

    def write(self, path: Path, data: bytes) -> None:
        with path.open("r+b", buffering=0) as file:
            view = memoryview(data)
            while view:
                view = view[file.write(view) :]

    def copy_attributes(self, source: Path, target: Path) -> None:
        about = source.stat()
        if sys.platform != "win32":
            mine = target.stat()
            if (about.st_uid, about.st_gid) != (mine.st_uid, mine.st_gid):
                try:
                    os.chown(target, about.st_uid, about.st_gid)
                except PermissionError as error:
                    raise Unwritable(
                        f"{source} belongs to another user or group, and a replacement would not.",
                        hint="Change the file's owner, or let its owner make the change.",
                    ) from error
        _copy_extended_attributes(source, target)
        target.chmod(stat.S_IMODE(about.st_mode))

    def sync_file(self, path: Path) -> None:
        descriptor = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            _sync(descriptor)
        finally:
            os.close(descriptor)

    def replace(self, source: Path, target: Path) -> None:
        for wait in (*RETRY_SECONDS, None):
            try:
                source.replace(target)
            except PermissionError as error:
                if getattr(error, "winerror", None) not in _SHARING_VIOLATIONS:
                    raise
                if wait is None:
                    raise Locked(
                        f"{target} is open in another program.", hint="Close it there, then try again."
                    ) from error
                self._sleep(wait)
            else:
                return

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        if sys.platform == "win32":
            return  # NTFS journals its names; a folder cannot be opened for this
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            _sync(descriptor)
        finally:
            os.close(descriptor)

    @contextlib.contextmanager
    def exclusive(self, path: Path, owner: dict[str, object], timeout: float) -> Iterator[None]:
        note = path.with_name(f"{path.name}.owner")
        # The system drops the lock with its process, so a dead owner never has to be guessed at.
        lock = filelock.FileLock(path, timeout=timeout, mode=0o600)
        try:
            lock.acquire()
        except filelock.Timeout as error:
            raise locked_by(_owner_of(note)) from error
        except OSError as error:
            raise write_error(error, path) from error
        try:
            with contextlib.suppress(OSError):  # a full disk must not stop a repair; the note only serves a message
                note.touch(mode=0o600)
                note.write_text(json.dumps(owner), encoding="utf-8")
            yield
        finally:
            with contextlib.suppress(OSError):
                note.unlink(missing_ok=True)
            lock.release()


def locked_by(owner: dict[str, object]) -> Locked:
    """Return the error that says who holds the lock."""
    if not owner:
        return Locked("Another process is changing files of this workspace.", hint="Try again in a moment.")
    who = f"process {owner.get('pid')} on {owner.get('host')}"
    return Locked(
        f"{who[0].upper()}{who[1:]} has been at work on {owner.get('purpose')} since {owner.get('since')}.",
        hint="Try again when it has finished.",
        details={"owner": owner},
    )


def write_error(error: OSError, path: Path) -> HoneyguideError:
    """Translate what the system said about writing ``path`` into a sentence to act on."""
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return Unwritable(f"There is no space left to write {path}.", hint="Free some space, then try again.")
    if error.errno == errno.EROFS:
        return Unwritable(f"{path} is on a read-only disk.")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return Unwritable(f"{path} may not be written.", hint="Check the permissions of the file and its folder.")
    if error.errno == errno.ENAMETOOLONG:
        return Unwritable(f"The name {path.name[:60]}… is too long for this disk.")
    return Unwritable(f"{path} could not be written: {error.strerror or error}.")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn any ``OSError`` inside into a sentence about ``path``."""
    try:
        yield
    except OSError as error:
        raise write_error(error, path) from error


def _owner_of(note: Path) -> dict[str, object]:
    try:
        owner = json.loads(note.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return owner if isinstance(owner, dict) else {}


def _copy_extended_attributes(source: Path, target: Path) -> None:
    if sys.platform != "linux":
        return
    try:
        names = os.listxattr(source)
    except OSError as error:
        if error.errno in _NO_ATTRIBUTES:
            return
        raise
    for name in names:
        try:
            os.setxattr(target, name, os.getxattr(source, name))
        except OSError as error:
            if error.errno not in _NO_ATTRIBUTES:
                raise


def _sync(descriptor: int) -> None:
    if sys.platform == "darwin":
        import fcntl

        # fsync on macOS stops at the drive's cache.
        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
    else:
        os.fsync(descriptor)
