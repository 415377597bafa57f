"""Journals of hiveloom runs: their events by run, what could not be used, and whether the hash chain is intact.

One line is one event; ``prev`` holds the SHA-256 of the line before it. The chain shows edits, removals and
changes of order, but not an edit of the last line and not a cut tail: nothing follows that could tell.
"""

from __future__ import annotations

import codecs
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, NamedTuple

from honeyguide.traces import health
from honeyguide.traces.lines import iter_lines, parse_object
from honeyguide.traces.readers._values import text_of
from honeyguide.traces.readers.protocol import ReadContext

CONSTRUCTION = "construction_event"
"""``type`` of the lines of ``construction.jsonl``: how a harness was built; no run."""

_SHOWN = 12
_BLOCK = 1024 * 1024
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class JournalEvent(NamedTuple):
    """One event; ``seq`` is ``None`` when the line has none, ``line`` counts from 1.

    ``payload`` is empty when the line has none. The envelope's names are empty when the line does not say them.
    """

    run_id: str
    seq: int | None
    type: str
    timestamp: str
    payload: Mapping[str, Any]
    line: int
    harness_name: str = ""
    harness_id: str = ""
    version: str = ""


@dataclass(frozen=True, slots=True)
class JournalRun:
    """One run; its first event decides name, id and version hash of the harness."""

    run_id: str
    events: tuple[JournalEvent, ...]

    @property
    def harness_name(self) -> str:
        return self.events[0].harness_name

    @property
    def harness_id(self) -> str:
        return self.events[0].harness_id

    @property
    def version(self) -> str:
        """The version hash (12 hex digits)."""
        return self.events[0].version

    @property
    def started(self) -> JournalEvent | None:
        """The first ``run_started``."""
        return next((event for event in self.events if event.type == "run_started"), None)

    @property
    def finished(self) -> JournalEvent | None:
        """The last ``run_finished``: a resumed run has more than one, and the last one holds."""
        return next((event for event in reversed(self.events) if event.type == "run_finished"), None)

    @property
    def status(self) -> str:
        """The final status; ``incomplete`` when the run never finished."""
        finished = self.finished
        return "incomplete" if finished is None else text_of(finished.payload.get("status")) or "incomplete"

    def of(self, *types: str) -> Iterator[JournalEvent]:
        """Yield the events of these types, in order."""
        return (event for event in self.events if event.type in types)


@dataclass(frozen=True, slots=True)
class ChainCheck:
    """What checking the chain found.

    Attributes:
        ok: no break was found.
        checked: lines that fit before the first break (all lines, when there is none).
        chained: false for journals that were written without a chain.
        broken_at: index from 0, blank lines left out, of the first line that does not fit its predecessor.
        reason: why, in words.
        line: its line number from 1.
    """

    ok: bool
    checked: int
    chained: bool = True
    broken_at: int | None = None
    reason: str = ""
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Journal:
    """The runs of one file.

    Attributes:
        runs: by run id, in order of appearance.
        set_aside: runs that cannot be trusted, by run id, with the reason; they are not in ``runs``.
        chain: the check of the file's hash chain.
        construction: lines about how the harness was built.
    """

    runs: Mapping[str, JournalRun]
    chain: ChainCheck
    set_aside: Mapping[str, str] = field(default_factory=dict)
    construction: int = 0


def read_journal(stream: BinaryIO, context: ReadContext) -> Journal:
    """Read a journal; what cannot be used is noted in ``context.health`` and left out, the rest is kept.

    A line without a run id or with a ``seq`` that is no number is left out; an event whose payload is there but no
    object makes its run unusable, because nobody knows what it said.
    """
    start = stream.tell()
    is_plain = context.encoding is None and not stream.read(3).startswith(_MARKS)
    stream.seek(start)
    chain = _Chain()
    runs: dict[str, list[JournalEvent]] = {}
    set_aside: dict[str, str] = {}
    construction = 0
    for line in iter_lines(stream, context):
        data = parse_object(line, context)
        if is_plain and line.size == len(line.raw):
            chain.take(line.number, line.raw, data)
        else:
            is_plain = False  # what is read is not byte for byte what was hashed
        if data is None:
            continue
        if data.get("type") == CONSTRUCTION:
            construction += 1
            continue
        event = _event(data, line.number, context, set_aside)
        if event is not None:
            runs.setdefault(event.run_id, []).append(event)
    if is_plain:
        checked = chain.result()
    else:
        stream.seek(start)
        checked = check_chain(stream)
    if not checked.ok:
        context.health.note(health.BROKEN_CHAIN, checked.line, example=checked.reason)
    kept = {run_id: JournalRun(run_id, tuple(events)) for run_id, events in runs.items() if run_id not in set_aside}
    return Journal(kept, checked, set_aside, construction)


def fuller(first: JournalRun, second: JournalRun) -> JournalRun:
    """Of two copies of one run return the one that tells more: a finished one, then the longer one, then the first."""

    def told(run: JournalRun) -> tuple[bool, int]:
        return run.finished is not None, len(run.events)

    return second if told(second) > told(first) else first


def merged_runs(journals: Iterable[Journal]) -> dict[str, JournalRun]:
    """Return the runs of several files by id, each once, whatever order the files come in."""
    merged: dict[str, JournalRun] = {}
    for journal in journals:
        for run_id, run in journal.runs.items():
            merged[run_id] = fuller(merged[run_id], run) if run_id in merged else run
    return merged


def check_chain(stream: BinaryIO) -> ChainCheck:
    """Check the hash chain of a journal, line by line, whatever the lines' length.

    Lines end at ``\\n`` (a ``\\r`` before it is not part of the line); blank ones are passed over.
    """
    chain = _Chain()
    for number, raw in _raw_lines(stream):
        if raw.strip():
            chain.take(number, raw)
    return chain.result()


class _Chain:
    """The chain of one journal, line after line."""

    def __init__(self) -> None:
        self._expected = ""
        self._checked = 0
        self._first: int | None = None
        self._is_chained = True
        self._broken: ChainCheck | None = None

    def take(self, number: int, raw: bytes, data: Mapping[str, Any] | None = None) -> None:
        """Take the next line that is not blank; ``data`` is the object in it, where somebody parsed it already."""
        if self._broken is not None:
            return
        reason = ""
        if data is None:
            data, reason = _parsed(raw)
        if self._first is None:
            self._first = number
            self._is_chained = bool(reason) or "prev" in data
        if not self._is_chained:
            self._checked += 1
            if self._checked > 1 and "prev" in data:
                reason = "the first event has no prev, later ones have"
                self._broken = ChainCheck(False, 0, True, 0, reason, self._first)
            return
        found = text_of(data.get("prev"))
        if not reason and found != self._expected:
            expected = self._expected[:_SHOWN] or "<genesis>"
            reason = f"event seq {data.get('seq')} expected prev {expected}, found {found[:_SHOWN] or '<none>'}"
        if reason:
            self._broken = ChainCheck(False, self._checked, True, self._checked, reason, number)
            return
        self._expected = hashlib.sha256(raw).hexdigest()
        self._checked += 1

    def result(self) -> ChainCheck:
        """Return what was found; an empty journal is intact."""
        return self._broken or ChainCheck(True, self._checked, self._is_chained)


def _parsed(raw: bytes) -> tuple[Mapping[str, Any], str]:
    """Return the object in a line, or why there is none."""
    try:
        data = json.loads(raw)
    except (ValueError, RecursionError) as error:
        return {}, f"unparseable line: {_said(error)}"
    return (data, "") if isinstance(data, dict) else ({}, "unparseable line: not an object")


def _raw_lines(stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    rest = b""
    number = 0
    while block := stream.read(_BLOCK):
        lines = (rest + block).split(b"\n")
        rest = lines.pop()
        for line in lines:
            number += 1
            yield number, line.removesuffix(b"\r")
    if rest:
        yield number + 1, rest.removesuffix(b"\r")


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, json.JSONDecodeError) else type(error).__name__


def _event(data: dict[str, Any], line: int, context: ReadContext, set_aside: dict[str, str]) -> JournalEvent | None:
    get = data.get
    run_id, kind = text_of(get("run_id")), text_of(get("type"))
    if not run_id:
        context.health.note(health.UNKNOWN_TYPE, line, example=f"{kind or 'a line'} without a run id")
        return None
    payload = get("payload", {})
    if not isinstance(payload, dict):
        context.health.note(health.MALFORMED, line, example=f"{kind}: payload is no object; the run is left out")
        set_aside.setdefault(run_id, f"line {line}: the payload of {kind or 'an event'} is no object")
        return None
    seq = get("seq")
    if seq is not None and (isinstance(seq, bool) or not isinstance(seq, int)):
        context.health.note(health.MALFORMED, line, example=f"{kind}: seq is no number")
        return None
    return JournalEvent(
        run_id,
        seq,
        kind,
        text_of(get("timestamp")),
        payload,
        line,
        text_of(get("harness_name")),
        text_of(get("harness_id")),
        text_of(get("harness_version_hash")),
    )
