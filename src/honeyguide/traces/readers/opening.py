"""Opens what people have: files, gzip, ZIP and tar archives, folders, all within bounds.

An archive may unpack to 2 GiB, to 200 times its size, and hold 10,000 entries; names inside it never become paths.
Inspect's ``.eval`` logs and spreadsheets are ZIP files too and are handed to their readers whole.
"""

from __future__ import annotations

import gzip
import io
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, BinaryIO, cast

from honeyguide.kernel.errors import Unreadable

MAX_UNPACKED = 2 * 1024**3
"""Bytes that one archive may unpack to."""

MAX_RATIO = 200
"""How many times its own size an archive may unpack to, once it is past ``FREE_BYTES``."""

MAX_ENTRIES = 10_000

FREE_BYTES = 1024 * 1024
"""The ratio does not apply to the first bytes: small, very regular files compress better than 200 to 1."""

MAX_ENTRY = 256 * 1024**2
"""Bytes of one entry that is read as a whole (a sample of a log)."""

SPOOL_BYTES = 16 * 1024 * 1024
"""An unpacked part is kept in memory up to here, and in an unnamed temporary file beyond."""

_BLOCK = 1024 * 1024
_FORMATS_IN_ZIP = ("header.json", "_journal/start.json", "xl/workbook.xml", "[Content_Types].xml", "mimetype")
_READABLE = (
    ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".xlsx", ".eval", ".gz", ".zip", ".tar", ".tgz", ".txt",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Part:
    """Something to read: its name for messages and keys, and a seekable stream that is valid inside the loop only."""

    name: str
    stream: BinaryIO


@dataclass(frozen=True, slots=True)
class Found:
    """A file in a folder."""

    path: Path
    size: int


@dataclass(frozen=True, slots=True)
class Unopenable:
    """A file in a folder that cannot be opened, and why."""

    path: Path
    reason: str


def files_under(path: Path) -> Iterator[Found | Unopenable]:
    """Yield the files that may hold history, sorted by path: ``path`` itself, or what lies below the folder.

    Links are followed to files but not to folders. A broken link, or a folder that may not be listed, is yielded
    as ``Unopenable``; an unreadable file is noticed when it is opened.
    """
    if not path.is_dir():
        yield _file(path)
        return
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        try:
            entries = sorted(folder.iterdir())
        except OSError as error:
            yield Unopenable(folder, _reason(error))
            continue
        folders = []
        for entry in entries:
            if entry.is_dir():
                if not entry.is_symlink():
                    folders.append(entry)
            elif entry.suffix.lower() in _READABLE:
                yield _file(entry)
        waiting.extend(reversed(folders))


def open_parts(path: Path) -> Iterator[Part]:
    """Yield the parts of a file: itself, what its gzip layer holds, or the entries of an archive one after another.

    Raises:
        Unreadable: it cannot be opened, or breaks a bound of archives.
    """
    try:
        with path.open("rb") as stream:
            yield from parts_of(cast("BinaryIO", stream), path.name)
    except OSError as error:
        raise Unreadable(
            f"{path} cannot be read: {_reason(error)}.", hint="Check that it exists and may be read."
        ) from error


def parts_of(stream: BinaryIO, name: str) -> Iterator[Part]:
    """Yield the parts of an open file; see ``open_parts``."""
    head = stream.read(512)
    stream.seek(0)
    if head.startswith(b"\x1f\x8b"):
        inner = name.removesuffix(".gz") if name.endswith(".gz") else name.removesuffix(".tgz")
        with _unpacked_gzip(stream, name) as unpacked:
            yield from parts_of(unpacked, inner)
    elif head.startswith(b"PK\x03\x04") and zipfile.is_zipfile(stream):
        stream.seek(0)
        yield from _zip_parts(stream, name)
    elif head[257:262] == b"ustar":
        yield from _tar_parts(stream, name)
    else:
        stream.seek(0)
        yield Part(name, stream)


def checked_zip(stream: BinaryIO, name: str) -> zipfile.ZipFile:
    """Return an opened ZIP whose directory keeps the bounds. Raises Unreadable."""
    shown = name or "The archive"
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as error:
        raise Unreadable(f"{shown} is a damaged ZIP archive: {error}.", hint="Download or copy it again.") from error
    entries = archive.infolist()
    _check(shown, len(entries), sum(e.file_size for e in entries), sum(e.compress_size for e in entries))
    return archive


def zip_entry(archive: zipfile.ZipFile, entry: str, name: str) -> bytes:
    """Return one entry's bytes; the bounds hold for what really comes out, whatever the directory claims.

    Raises:
        Unreadable: damaged, encrypted, larger than it says, or than ``MAX_ENTRY``.
        NotImplementedError: compressed by a method that this Python does not know.
    """
    info = archive.getinfo(entry)
    if info.file_size > MAX_ENTRY:
        raise Unreadable(f"{name} holds an entry of more than {MAX_ENTRY // 2**20} MiB: {entry!r}.")
    out = io.BytesIO()
    _copy_entry(archive, info, out, name)
    return out.getvalue()


def _zip_parts(stream: BinaryIO, name: str) -> Iterator[Part]:
    archive = checked_zip(stream, name)
    names = {info.filename for info in archive.infolist()}
    if any(known in names for known in _FORMATS_IN_ZIP):
        stream.seek(0)
        yield Part(name, stream)
        return
    for info in sorted(archive.infolist(), key=lambda entry: entry.filename):
        if info.is_dir() or _is_noise(info.filename):
            continue
        with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as spool:
            try:
                _copy_entry(archive, info, cast("BinaryIO", spool), name)
            except NotImplementedError as error:
                raise Unreadable(f"{name} holds an entry that this Python cannot unpack: {error}.") from error
            spool.seek(0)
            yield from parts_of(cast("BinaryIO", spool), f"{name}:{info.filename}")


def _copy_entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, out: IO[bytes], name: str) -> None:
    if info.flag_bits & 0x1:
        raise Unreadable(f"{name} is protected by a password.", hint="Unpack it first, then import the folder.")
    try:
        with archive.open(info) as source:
            _copy(source, out, name, info.compress_size, limit=info.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise Unreadable(f"{name} is damaged at the entry {info.filename!r}: {error}.") from error


def _tar_parts(stream: BinaryIO, name: str) -> Iterator[Part]:
    count = total = 0
    try:
        with tarfile.open(fileobj=stream, mode="r:") as archive:
            for member in archive:
                count += 1
                total += member.size
                _check(name, count, total, total)
                source = archive.extractfile(member) if member.isfile() and not _is_noise(member.name) else None
                if source is None:
                    continue
                with tempfile.SpooledTemporaryFile(SPOOL_BYTES) as spool:
                    _copy(source, spool, name, member.size, limit=member.size)
                    spool.seek(0)
                    yield from parts_of(cast("BinaryIO", spool), f"{name}:{member.name}")
    except tarfile.TarError as error:
        raise Unreadable(f"{name} is a damaged tar archive: {error}.", hint="Download or copy it again.") from error


@contextmanager
def _unpacked_gzip(stream: BinaryIO, name: str) -> Iterator[BinaryIO]:
    with ExitStack() as stack:
        spool = stack.enter_context(tempfile.SpooledTemporaryFile(SPOOL_BYTES))
        packed = stream.seek(0, io.SEEK_END)
        stream.seek(0)
        try:
            with gzip.GzipFile(fileobj=stream) as source:
                _copy(cast("IO[bytes]", source), spool, name, packed)
        except (OSError, EOFError, zlib.error) as error:
            raise Unreadable(f"{name} is a damaged gzip file: {error}.", hint="Download or copy it again.") from error
        spool.seek(0)
        yield cast("BinaryIO", spool)


def _copy(source: IO[bytes], out: IO[bytes], name: str, packed: int, limit: int | None = None) -> None:
    written = 0
    while block := source.read(_BLOCK):
        written += len(block)
        _check(name, 1, written, packed)
        if limit is not None and written > limit:
            raise Unreadable(f"{name} holds more than its directory says; it is damaged or made to harm.")
        out.write(block)


def _check(name: str, entries: int, unpacked: int, packed: int) -> None:
    hint = "Unpack it yourself and import the folder, if you trust it."
    if entries > MAX_ENTRIES:
        raise Unreadable(f"{name} holds more than {MAX_ENTRIES:,} entries.", hint=hint)
    if unpacked > MAX_UNPACKED:
        raise Unreadable(f"{name} unpacks to more than 2 GiB.", hint=hint)
    if unpacked > FREE_BYTES and unpacked > MAX_RATIO * max(packed, 1):
        raise Unreadable(f"{name} unpacks to more than {MAX_RATIO} times its size.", hint=hint)


def _is_noise(name: str) -> bool:
    last = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return name.startswith("__MACOSX/") or last.startswith(".") or not last.lower().endswith(_READABLE)


def _file(path: Path) -> Found | Unopenable:
    try:
        return Found(path, path.stat().st_size)
    except OSError as error:
        return Unopenable(path, "broken link" if path.is_symlink() else _reason(error))


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
