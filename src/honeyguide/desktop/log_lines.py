"""The entries of the window's log, read as they are written, without ever holding more than a bounded number."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

LOG_NAME = "window.log"
TAIL_BYTES = 256 * 1024
"""How much of a file's end is read at first, and at most at once."""
MOST_ENTRIES = 2_000
MOST_CHARACTERS = 8_000
"""Of one entry; a longer one, such as a deep trace, is cut and says so."""
_HEAD = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[,.]\d+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) ")
_RANKS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40, "CRITICAL": 50}


@dataclass(slots=True)
class LogEntry:
    """One record with the lines that belong to it; ``rank`` as the numbers of ``logging``."""

    rank: int
    text: str

    def fits(self, least: int, words: str) -> bool:
        """Say whether the entry is at least that grave and holds every word, in any case."""
        text = self.text.casefold()
        return self.rank >= least and all(word in text for word in words.casefold().split())


class LogTail:
    """Reads a log of ``CrashKeeper``, the one that was put aside last before it, and then what is added."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG_NAME
        self._at = 0
        self._inode = 0
        self._begun = False

    def read(self) -> list[LogEntry]:
        """Return the entries since the last call. Raises OSError when a log that is there cannot be read."""
        raw = b""
        try:
            found = self._path.stat()
        except FileNotFoundError:
            found = None
        size, inode = (found.st_size, found.st_ino) if found else (0, 0)
        if not self._begun:
            self._begun = True
            raw = _tail(self._path.with_name(f"{LOG_NAME}.1"), 0)
            self._at = 0
        elif size < self._at or inode != self._inode:
            raw = _tail(self._path.with_name(f"{LOG_NAME}.1"), self._at)  # put aside since: what it still got
            self._at = 0
        self._inode = inode
        if size > self._at:
            new = _tail(self._path, self._at)
            self._at = size - (len(new) - new.rfind(b"\n") - 1)  # a line that is being written is read next time
            raw += new[: new.rfind(b"\n") + 1]
        return entries_of(raw.decode("utf-8", errors="backslashreplace"))


def _tail(path: Path, start: int) -> bytes:
    """Return a file from ``start``, or its last whole lines when that is too much; nothing without a file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            first = max(start, size - TAIL_BYTES)
            file.seek(first)
            raw = file.read(size - first)
    except FileNotFoundError:
        return b""
    return raw[raw.find(b"\n") + 1 :] if first > start else raw


def entries_of(text: str) -> list[LogEntry]:
    """Return the records in ``text``; lines without a head belong to the record before."""
    found: list[tuple[int, list[str]]] = []
    for line in text.splitlines():
        head = _HEAD.match(line)
        if head or not found:
            found.append((_RANKS[head[1]] if head else _RANKS["INFO"], [line]))
        else:
            found[-1][1].append(line)
    return [LogEntry(rank, _cut("\n".join(lines))) for rank, lines in found[-MOST_ENTRIES:]]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}…"
