"""Disks that fail: one in memory that loses power like a real one, and a real one that fails or dies at a step."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from honeyguide.versions.disk import LocalDisk

Choose = Callable[[int], int]
"""Returns a number in ``range(n)``; how a test decides what a power cut left."""


class PowerCut(BaseException):
    """The power went; nothing in the program may stop this."""


@dataclass
class _Inode:
    data: bytes = b""
    durable: bytes = b""


@dataclass
class _NameChange:
    """One change of a folder's names that is not durable yet; a rename is one change."""

    removed: tuple[Path, ...] = ()
    added: dict[Path, int] = field(default_factory=dict)


class ModelDisk:
    """A file system in memory with what a power cut does: unsynced bytes and names may or may not be there.

    Harsher than real ones: of the unsynced changes of a folder any subset may survive, and of a file's unsynced
    bytes all, none or a part.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.stop_at: int | None = None
        self.fail_at: int | None = None
        self._dead = False
        self._inodes: dict[int, _Inode] = {}
        self._names: dict[Path, int] = {}
        self._durable: dict[Path, int] = {}
        self._folders: set[Path] = {Path("/")}
        self._waiting: dict[Path, list[_NameChange]] = {}

    def after_power_cut(self, choose: Choose) -> ModelDisk:
        """Return the disk as it is found when the power is back."""
        names = dict(self._durable)
        for changes in self._waiting.values():
            for change in changes:
                if choose(2):
                    for path in change.removed:
                        names.pop(path, None)
                    names.update(change.added)
        found = ModelDisk()
        found._folders = set(self._folders)
        for number in names.values():
            inode = self._inodes[number]
            states = [inode.data, inode.durable, b"", inode.data[: len(inode.data) // 2]]
            data = inode.data if inode.data == inode.durable else states[choose(4)]
            found._inodes[number] = _Inode(data, data)
        found._names, found._durable = dict(names), dict(names)
        return found

    def put(self, path: Path, data: bytes | None) -> None:
        """What another program does: write or remove a file, durably; no step of ours."""
        if data is None:
            self._names.pop(path, None)
            self._durable.pop(path, None)
            return
        number = self._new_inode()
        self._inodes[number] = _Inode(data, data)
        self._names[path] = self._durable[path] = number
        self._folders.update(path.parents)

    def files(self) -> dict[Path, bytes]:
        """Return everything that is there."""
        return {path: self._inodes[number].data for path, number in self._names.items()}

    def resolve(self, path: Path) -> Path:
        return path

    def read(self, path: Path) -> bytes | None:
        self._alive()
        number = self._names.get(path)
        return None if number is None else self._inodes[number].data

    def names(self, folder: Path) -> list[str]:
        self._alive()
        inside = [*self._names, *self._folders]
        return sorted(path.name for path in inside if path.parent == folder and path != folder)

    def make_folder(self, folder: Path) -> None:
        self._step()
        self._folders.update({folder, *folder.parents})

    def check_replaceable(self, path: Path) -> None:
        self._alive()

    def create(self, path: Path, mode: int) -> bool:
        self._step()
        if path.parent not in self._folders:
            raise FileNotFoundError(path)
        if path in self._names:
            return False
        number = self._new_inode()
        self._names[path] = number
        self._wait(path.parent, _NameChange(added={path: number}))
        return True

    def write(self, path: Path, data: bytes) -> None:
        half = len(data) // 2
        self._step(lambda: self._extend(path, data[:half]))
        self._extend(path, data)

    def copy_attributes(self, source: Path, target: Path) -> None:
        self._step()

    def sync_file(self, path: Path) -> None:
        self._step()
        inode = self._inodes[self._names[path]]
        inode.durable = inode.data

    def replace(self, source: Path, target: Path) -> None:
        self._step()
        number = self._names.pop(source)
        self._names[target] = number
        self._wait(target.parent, _NameChange(removed=(source,), added={target: number}))

    def remove(self, path: Path) -> None:
        self._step()
        if self._names.pop(path, None) is not None:
            self._wait(path.parent, _NameChange(removed=(path,)))

    def sync_folder(self, folder: Path) -> None:
        self._step()
        for change in self._waiting.pop(folder, []):
            for path in change.removed:
                self._durable.pop(path, None)
            self._durable.update(change.added)

    def exclusive(
        self, path: Path, owner: dict[str, object], timeout: float
    ) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def _extend(self, path: Path, data: bytes) -> None:
        self._inodes[self._names[path]].data = data

    def _new_inode(self) -> int:
        number = len(self._inodes)
        while number in self._inodes:
            number += 1
        self._inodes[number] = _Inode()
        return number

    def _wait(self, folder: Path, change: _NameChange) -> None:
        self._waiting.setdefault(folder, []).append(change)

    def _step(self, half_done: Callable[[], None] | None = None) -> None:
        self._alive()
        self.steps += 1
        if self.steps == self.fail_at:
            raise OSError(errno.EIO, "the disk failed once")
        if self.steps == self.stop_at:
            if half_done:
                half_done()
            self._dead = True
            raise PowerCut

    def _alive(self) -> None:
        if self._dead:
            raise PowerCut


class FailingDisk(LocalDisk):
    """The real disk, but something happens at one of its changing steps.

    Args:
        at: number of the step, from 1; 0 for never.
        happens: what; it raises, or ends the process. It is called before the step is done; a write is half done.
        lasting: whether every later step fails too (a disk stays full; a lost process stays lost anyway).
    """

    def __init__(self, at: int, happens: Callable[[], None], *, lasting: bool = False) -> None:
        super().__init__()
        self.steps = 0
        self._at = at
        self._happens = happens
        self._lasting = lasting

    def make_folder(self, folder: Path) -> None:
        self._step()
        super().make_folder(folder)

    def create(self, path: Path, mode: int) -> bool:
        self._step()
        return super().create(path, mode)

    def write(self, path: Path, data: bytes) -> None:
        half = data[: len(data) // 2]
        self._step(lambda: super(FailingDisk, self).write(path, half))
        super().write(path, data)

    def copy_attributes(self, source: Path, target: Path) -> None:
        self._step()
        super().copy_attributes(source, target)

    def sync_file(self, path: Path) -> None:
        self._step()
        super().sync_file(path)

    def replace(self, source: Path, target: Path) -> None:
        self._step()
        super().replace(source, target)

    def remove(self, path: Path) -> None:
        if not self._lasting:  # a full disk still lets files be removed
            self._step()
        super().remove(path)

    def sync_folder(self, folder: Path) -> None:
        self._step()
        super().sync_folder(folder)

    def _step(self, half_done: Callable[[], None] | None = None) -> None:
        self.steps += 1
        if self.steps == self._at or (self._lasting and 0 < self._at <= self.steps):
            if half_done and self.steps == self._at:
                half_done()
            self._happens()


def kill_this_process() -> None:
    """End like ``kill -9``: no handler, no flush, no farewell."""
    os.kill(os.getpid(), signal.SIGKILL)


def fail_with(number: int) -> Callable[[], None]:
    """Return something that raises ``OSError(number)``."""

    def fail() -> None:
        raise OSError(number, os.strerror(number))

    return fail


def chosen_from(numbers: Iterator[int]) -> Choose:
    """Choose by the next of ``numbers``."""
    return lambda count: next(numbers) % count
