"""Takes the words of deleted traces out of the run folders that quote them.

An entry of a journal that quotes one keeps its figures and its place and loses its texts; its call could not be
replayed any more, so it gets a hash that no request has. Rows of other files that quote one are removed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from honeyguide.kernel.errors import Unwritable
from honeyguide.llm.blocks import read_blocks
from honeyguide.llm.journal_entries import JournalEntry, parse_entry, to_line
from honeyguide.traces.records import Trace
from honeyguide.versions import write_atomically
from honeyguide.workspace.layout import Layout

SHORTEST_QUOTE = 12
"""A shorter text is found only where it stands alone: it would hit ordinary words."""
END_CHARACTERS = 80
"""Prompts cut long texts, so the first and the last so many characters count as a quote too."""
DELETED = "[deleted]"
NO_REQUEST = "00" * 32


class Quotes:
    """Knows the words of some traces when it sees them, however blanks and line ends changed."""

    def __init__(self, traces: Iterable[Trace]) -> None:
        self.ids: set[int] = set()
        self._parts: set[str] = set()
        self._alone: set[str] = set()
        for trace in traces:
            self.ids.add(trace.id)
            payload = trace.payload
            for text in (payload.input, payload.output, payload.correction_feedback or ""):
                flat = _flat(text)
                if len(flat) >= SHORTEST_QUOTE:
                    self._parts |= {flat[:END_CHARACTERS], flat[-END_CHARACTERS:]}
                elif flat:
                    self._alone.add(flat)

    def are_in(self, text: str) -> bool:
        """Say whether ``text`` holds one of the texts, or the beginning or end of one."""
        flat = _flat(text)
        if flat in self._alone or any(part in flat for part in self._parts):
            return True
        return bool(self._alone) and any(_flat(block.text) in self._alone for block in read_blocks(text))

    def are_among(self, value: Any) -> bool:
        """Say whether plain data holds one of the texts, or names one of the traces."""
        if isinstance(value, str):
            return self.are_in(value)
        if isinstance(value, dict):
            named = any(value.get(name) in self.ids for name in ("trace_id", "traceId") if value.get(name) is not None)
            return named or any(self.are_among(item) for item in value.values())
        return isinstance(value, list) and any(self.are_among(item) for item in value)


def remove_quotes(layout: Layout, run_uuids: Iterable[str], traces: Sequence[Trace]) -> int:
    """Clean the folders of these runs; return how many files were rewritten. Raises Unwritable."""
    quotes = Quotes(traces)
    rewritten = 0
    for uuid in run_uuids:
        folder = layout.run(uuid)
        for path in sorted(folder.iterdir()) if folder.is_dir() else ():
            rewritten += _clean(path, quotes)
    return rewritten


def _clean(path: Path, quotes: Quotes) -> bool:
    cleaner = {".jsonl": _clean_lines, ".json": _clean_document}.get(path.suffix)
    if not path.is_file() or cleaner is None:
        return False
    try:
        before = path.read_bytes()
    except OSError as error:
        raise Unwritable(f"{path} cannot be cleaned of the deleted traces: {error.strerror}.") from error
    after = cleaner(path, before, quotes)
    if after == before:
        return False
    write_atomically(path, after)
    return True


def _clean_lines(path: Path, data: bytes, quotes: Quotes) -> bytes:
    is_journal = path.name == "journal.jsonl"
    clean: Callable[[bytes, Quotes], bytes] = _clean_entry if is_journal else _clean_record
    return b"".join(clean(line, quotes) for line in _lines(data))


def _clean_entry(line: bytes, quotes: Quotes) -> bytes:
    try:
        entry = parse_entry(line)
    except ValueError:
        return line if not quotes.are_in(line.decode("utf-8", "surrogateescape")) else b"\n"
    if not quotes.are_among([dict(entry.request), entry.text, entry.message]):
        return line
    return to_line(_emptied(entry))


def _emptied(entry: JournalEntry) -> JournalEntry:
    request = {"system": DELETED, "messages": []} if entry.request else {}
    return replace(entry, request_hash=NO_REQUEST, request=request, text=DELETED, message=DELETED)


def _clean_record(line: bytes, quotes: Quotes) -> bytes:
    try:
        record = json.loads(line)
    except ValueError:
        record = line.decode("utf-8", "surrogateescape")
    return line if not quotes.are_among(record) else json.dumps({"deleted": True}).encode() + b"\n"


def _clean_document(path: Path, data: bytes, quotes: Quotes) -> bytes:
    try:
        document = json.loads(data)
    except ValueError:
        return b"" if quotes.are_in(data.decode("utf-8", "surrogateescape")) else data
    cleaned = _without(document, quotes)
    return data if cleaned == document else (json.dumps(cleaned, ensure_ascii=False, indent=1) + "\n").encode()


def _without(value: Any, quotes: Quotes) -> Any:
    """Drop the items of lists that quote, and blank the texts that stand elsewhere."""
    if isinstance(value, list):
        return [_without(item, quotes) for item in value if not _is_row_about(item, quotes)]
    if isinstance(value, dict):
        return {key: _without(item, quotes) for key, item in value.items()}
    return DELETED if isinstance(value, str) and quotes.are_in(value) else value


def _is_row_about(item: Any, quotes: Quotes) -> bool:
    return isinstance(item, dict | str) and quotes.are_among(item)


def _lines(data: bytes) -> Iterator[bytes]:
    yield from data.splitlines(keepends=True)


def _flat(text: str) -> str:
    return " ".join(text.split())
