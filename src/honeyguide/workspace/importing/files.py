"""The files of one import, and what tells an unchanged one."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from honeyguide.kernel.canonical import sha256_hex
from honeyguide.storage.records import ImportedFile
from honeyguide.traces.readers.opening import Found, Unopenable, files_under

END_BYTES = 64 * 1024
"""How much of a file's beginning and end is hashed; a session only grows, or is written anew."""


@dataclass(frozen=True, slots=True)
class Input:
    """A file to import.

    Attributes:
        is_named: whether the person named it itself, and not a folder above it.
        reason: why it cannot be opened; empty when it can.
    """

    path: Path
    size: int
    is_named: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What tells that a file is the one that was read."""

    size: int
    mtime_ns: int
    inode: int
    head_sha256: str
    tail_sha256: str

    @classmethod
    def of(cls, path: Path) -> Fingerprint:
        """Look at a file. Raises OSError."""
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            head = file.read(END_BYTES)
            file.seek(max(status.st_size - END_BYTES, 0))
            tail = file.read(END_BYTES)
        return cls(status.st_size, status.st_mtime_ns, status.st_ino, sha256_hex(head), sha256_hex(tail))

    def may_be(self, known: ImportedFile) -> bool:
        """Say whether ``known`` is the same file, unchanged."""
        return (
            (known.size, known.mtime_ns, known.inode) == (self.size, self.mtime_ns, self.inode)
            and known.head_sha256 == self.head_sha256
            and known.tail_sha256 == self.tail_sha256
        )

    def record(
        self, path: str, source: str, traces: int, health: list[dict[str, object]], summary: Mapping[str, Any]
    ) -> ImportedFile:
        """Return what is remembered of the file once it is read."""
        return ImportedFile(
            path, source, self.size, self.mtime_ns, self.inode, self.head_sha256, self.tail_sha256, traces, health,
            summary=summary,
        )  # fmt: skip


def inputs(paths: Iterable[Path]) -> list[Input]:
    """Return the files under ``paths``, each once, in their order."""
    found: dict[Path, Input] = {}
    for path in paths:
        named = not path.is_dir()
        for entry in files_under(path):
            if entry.path not in found:
                reason = _reason(entry)
                size = entry.size if isinstance(entry, Found) and not reason else 0
                found[entry.path] = Input(entry.path, size, named, reason)
    return list(found.values())


def _reason(entry: Found | Unopenable) -> str:
    """Say why a file cannot be opened: opening a pipe would wait for ever."""
    if isinstance(entry, Unopenable):
        return f"{entry.path} cannot be read: {entry.reason}."
    return "" if entry.path.is_file() else f"{entry.path} cannot be read: it is not a regular file."
