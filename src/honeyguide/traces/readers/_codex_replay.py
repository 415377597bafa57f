"""Tells the lines that a forked Codex session repeats from its own.

A fork begins with a copy of its parent, which may hold the parent's own ``session_meta``. What says where the copy
ends, the surest first: the ordinal that the session names; the parent itself, where it is at hand (the copy agrees
with it line by line, though times may differ); times before the fork began; and where times were rewritten, the
burst in which a copy is written at once: all of it when a request follows, else up to the last request in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from honeyguide.traces import health
from honeyguide.traces.lines import Record, iter_json
from honeyguide.traces.readers._values import content_key, milliseconds_between, moment, text_of
from honeyguide.traces.readers.protocol import ReadContext

BURST_GAP_MS = 500
"""A copy is written at once: its lines follow each other faster than this."""

_REQUEST = "user_message"
_BOUNDARY = "thread_settings_applied"
"""A session's own first event, where its program writes one."""

_UNDECIDED = {"turn_context", "session_meta", "user message", "task_started"}
"""Lines that a session writes before as well as after a request."""


@dataclass(frozen=True, slots=True)
class About:
    """What a session says about itself.

    Attributes:
        parent: the session it was forked from or started by.
        own_from: the ordinal of its first own line, where it says so.
    """

    id: str = ""
    parent: str | None = None
    is_fork: bool = False
    is_sub_agent: bool = False
    own_from: int | None = None


class Replay:
    """Sorts the lines of one session, in order, into repeated ones and own ones."""

    def __init__(self, about: About, began: str, context: ReadContext) -> None:
        self._context = context
        self._about = about
        self._began = self._last = moment(began)
        self._running = False
        self._parent: list[str] | None = None
        self._place = 0
        self._burst: list[Record] = []
        self._after: list[Record] = []
        if about.is_fork and about.parent is not None:
            self._enter(about.parent)

    def sort(self, record: Record, kind: str, payload: dict[str, Any]) -> Iterator[tuple[bool, Record]]:
        """Yield ``(repeated, line)`` for what is decided by now; a line may be decided later, never out of order."""
        if kind == "session_meta":
            other = text_of(payload.get("id"))
            if other and other != self._about.id and not self._running:
                self._enter(other)
            yield True, record
        elif not self._running:
            yield False, record
        elif self._about.own_from is not None and isinstance(record.data.get("ordinal"), int):
            self._running = record.data["ordinal"] < self._about.own_from
            yield self._running, record
        elif self._parent is not None:
            self._running = self._find(_digest(kind, payload))
            yield self._running, record
        else:
            yield from self._by_time(record)

    def rest(self) -> Iterator[tuple[bool, Record]]:
        """Yield what was not decided before the end."""
        yield from self._settled()

    def _enter(self, parent: str) -> None:
        self._running = True
        self._parent = self._parent_lines(parent)
        if self._parent is None and self._about.own_from is None:
            self._context.health.note(health.MISSING_PARENT, example=parent)

    def _find(self, digest: str) -> bool:
        """Look the line up in the parent from the last place on; the parent may hold lines that were not copied."""
        if self._parent is None:
            return False
        for place in range(self._place, len(self._parent)):
            if self._parent[place] == digest:
                self._place = place + 1
                return True
        return False

    def _by_time(self, record: Record) -> Iterator[tuple[bool, Record]]:
        at = moment(record.data.get("timestamp"))
        if at is not None and self._began is not None and at < self._began:
            yield True, record
            return
        if _kind(record) == _BOUNDARY:
            yield from ((True, held) for held in [*self._burst, *self._after])
            self._burst, self._after, self._running = [], [], False
            yield False, record
            return
        gap = milliseconds_between(self._last, at)
        if gap is not None and gap <= BURST_GAP_MS and not self._after:
            self._last = at
            self._burst.append(record)
            return
        self._after.append(record)
        if _kind(record) not in _UNDECIDED:
            yield from self._settled()
            self._running = False

    def _settled(self) -> Iterator[tuple[bool, Record]]:
        asked = [place for place, record in enumerate(self._burst) if _kind(record) == _REQUEST]
        if any(_kind(record) == _REQUEST for record in self._after):
            own_from = len(self._burst)
        else:
            own_from = asked[-1] if asked else 0
        for place, record in enumerate(self._burst):
            yield place < own_from, record
        for record in self._after:
            yield False, record
        self._burst, self._after = [], []

    def _parent_lines(self, parent: str) -> list[str] | None:
        stream = self._context.related(parent)
        if stream is None:
            return None
        quiet = ReadContext(name=parent, is_cancelled=self._context.is_cancelled)
        with stream:
            return [
                _digest(text_of(record.data.get("type")), record.data.get("payload"))
                for record in iter_json(stream, quiet)
            ]


def _digest(kind: str, payload: Any) -> str:
    return content_key(kind, payload)


def _kind(record: Record) -> str:
    """The kind of the payload, else of the line."""
    payload = record.data.get("payload")
    inner = text_of(payload.get("type")) if isinstance(payload, dict) else ""
    if inner == "message" and isinstance(payload, dict) and payload.get("role") == "user":
        return "user message"
    return inner or text_of(record.data.get("type"))
