"""Finds prompt files on disk. Reads, never writes; this is the only module of the room that touches files."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from honeyguide.prompts.kinds import FileKind
from honeyguide.prompts.places import PROGRAM_FOLDERS, SKIPPED_FOLDERS, Place, kind_of, kind_of_json

MAX_BYTES = 4 * 1024 * 1024
"""A larger file is no prompt; it is reported, not read."""
MAX_JSON_BYTES = 1024 * 1024
"""A JSON file whose name says nothing is looked into up to this size."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A prompt file that was found, with the bytes it held."""

    path: Path
    kind: FileKind
    data: bytes


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that could not be looked at, and why."""

    path: Path
    reason: str


@dataclass(frozen=True, slots=True)
class Discovery:
    """What was found, in the order of paths, and what could not be looked at."""

    files: tuple[FoundFile, ...]
    skipped: tuple[Skipped, ...]


def discover(paths: Iterable[Path | Place], *, must_exist: bool = True) -> Discovery:
    """Find every prompt file in ``paths``: files and folders, links followed once.

    A file that is named itself counts as plain text when its kind is unknown. Hidden folders other than the
    programs' own, and folders of packages and build products, are not entered.

    Args:
        paths: where to look; a place may say what its files are.
        must_exist: report paths that do not exist; false for the usual places.
    """
    files: list[FoundFile] = []
    skipped: list[Skipped] = []
    seen: set[tuple[int, int]] = set()
    for given in paths:
        path, hint = (given.path, given.kind) if isinstance(given, Place) else (given, None)
        try:
            status = path.stat()
        except OSError as error:
            if must_exist or not isinstance(error, FileNotFoundError | NotADirectoryError):
                skipped.append(Skipped(path, _reason(error)))
            continue
        is_folder = stat.S_ISDIR(status.st_mode)
        for entry in _walk(path, seen, skipped) if is_folder else (path,):
            _look_at(entry, seen, files, skipped, hint=hint, is_named=not is_folder)
    files.sort(key=lambda file: str(file.path))
    return Discovery(tuple(files), tuple(skipped))


def exists(path: str) -> bool:
    """Say whether a file or folder is there; the audit asks this about references."""
    # Called thousands of times; a Path costs four times as much.
    return os.path.exists(os.path.expanduser(path))  # noqa: PTH110, PTH111


def _walk(root: Path, seen: set[tuple[int, int]], skipped: list[Skipped]) -> Iterator[Path]:
    pending = [root]
    while pending:
        folder = pending.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            skipped.append(Skipped(folder, _reason(error)))
            continue
        for entry in listed:
            if not entry.is_dir():
                yield Path(entry.path)
            elif _is_entered(entry.name):
                pending.append(Path(entry.path))


def _is_entered(name: str) -> bool:
    return name in PROGRAM_FOLDERS or not (name.startswith(".") or name.lower() in SKIPPED_FOLDERS)


def _look_at(
    path: Path,
    seen: set[tuple[int, int]],
    files: list[FoundFile],
    skipped: list[Skipped],
    *,
    hint: FileKind | None,
    is_named: bool,
) -> None:
    kind = kind_of(path)
    if hint is not None and kind in (None, FileKind.PLAIN_TEXT) and path.suffix.lower() == ".md":
        kind = hint
    is_unknown_json = kind is None and path.suffix.lower() == ".json"
    if kind is None and not is_unknown_json and not is_named:
        return
    try:
        status = path.stat()
        if (status.st_dev, status.st_ino) in seen:
            return
        if not stat.S_ISREG(status.st_mode):
            skipped.append(Skipped(path, "it is not a regular file"))
            return
        if is_unknown_json and not is_named and status.st_size > MAX_JSON_BYTES:
            return
        if status.st_size > MAX_BYTES:
            skipped.append(Skipped(path, f"it has {status.st_size:,} bytes; {MAX_BYTES:,} are the most for a prompt"))
            return
        data = path.read_bytes()
    except OSError as error:
        skipped.append(Skipped(path, _reason(error)))
        return
    kind = kind or (kind_of_json(data) if is_unknown_json else None) or (FileKind.PLAIN_TEXT if is_named else None)
    if kind is not None:
        seen.add((status.st_dev, status.st_ino))
        files.append(FoundFile(path, kind, data))


def _reason(error: OSError) -> str:
    return (error.strerror or type(error).__name__).lower()
