"""Traces as they are imported, listed and shown."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from honeyguide.prompts.targets import TargetRef
from honeyguide.traces.jsonl import trace_to_row
from honeyguide.traces.records import TokenCounts, Trace
from honeyguide.workspace.views.corrections import CorrectionRow

TRACES_SHOWN = 50
"""How many traces a list shows when nobody says."""


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """Which traces, and which part of the list.

    Attributes:
        target: linked to this target, as ``NAME``, ``KIND:NAME`` or a reference.
        unlinked: only those that speak about no target of this workspace.
        outcome: one of the five values.
        text: words that all have to occur.
        since, until: bounds on the time of creation (inclusive, exclusive), ISO 8601.
        limit: ``None`` is ``TRACES_SHOWN`` in a list, and everything in an export.
        sort: ``newest`` or ``oldest``; with ``text`` the best hits come first.
    """

    target: str | TargetRef | None = None
    unlinked: bool = False
    outcome: str | None = None
    source: str | None = None
    conversation: str | None = None
    text: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    offset: int = 0
    sort: str = "newest"


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One line of the trace browser.

    Attributes:
        target: the first target it speaks about, ``KIND:NAME``.
        input: the first line of what was asked.
        excerpt: the words around a hit of a search.
        cost_usd, duration_ms: ``None`` when unknown.
        never_send: no model may see it, because of a mark or of its folder.
    """

    id: int
    created_at: str
    target: str | None
    outcome: str
    outcome_detail: str | None
    source: str
    conversation: str
    turn: int
    persona_id: str | None
    session_id: str | None
    model: str | None
    project: str | None
    input: str
    tool_calls: int
    cost_usd: float | None
    duration_ms: int | None
    never_send: bool
    excerpt: str = ""

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class TraceFacetCounts:
    """How many traces each value would leave, all other filters in force; a value without any is missing.

    Attributes:
        targets: by ``KIND:NAME``. ``unlinked``: traces that speak about no target of the workspace.
    """

    outcomes: Mapping[str, int]
    sources: Mapping[str, int]
    targets: Mapping[str, int]
    unlinked: int


@dataclass(frozen=True, slots=True)
class TablePreviewView:
    """What a person sees of a table before it is imported.

    Attributes:
        columns: in order. ``mapping``: column to field, guessed or as given.
        fields: field to what it holds, in the order in which a person is offered them.
        rows: the first rows, values as text.
    """

    kind: str
    columns: tuple[str, ...]
    mapping: Mapping[str, str]
    fields: Mapping[str, str]
    rows: tuple[Mapping[str, str], ...]


@dataclass(frozen=True, slots=True)
class LinkRow:
    """A target that a trace speaks about; ``exact`` when the source says so, otherwise inferred."""

    target: str
    how: str
    exact: bool

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {"target": self.target, "how": self.how, "exact": self.exact}


@dataclass(frozen=True, slots=True)
class TraceDetail:
    """One trace with all that is known of it.

    Attributes:
        title: what the source calls its conversation.
        siblings: the traces of its conversation in order, itself included.
    """

    trace: Trace
    links: tuple[LinkRow, ...] = ()
    corrections: tuple[CorrectionRow, ...] = ()
    title: str | None = None
    siblings: tuple[int, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the columns of ``execution_traces``, the payload as an object too, and what is known beyond them."""
        row = trace_to_row(self.trace)
        return {
            **row,
            "payload": json.loads(row["trace_json"]),
            "source": self.trace.facts.source,
            "conversation": self.trace.conversation,
            "targets": [link.to_json() for link in self.links],
            "corrections": [correction.to_json() for correction in self.corrections],
            "title": self.title,
            "siblings": list(self.siblings),
        }


@dataclass(frozen=True, slots=True)
class ImportedFileRow:
    """One file of an import.

    Attributes:
        source: the reader's name; ``None`` when no reader could be chosen.
        health: what could not be used, as ``{"problem", "lines", "count"}``.
        message: why the file could not be read; empty when it could.
        unchanged: it was read before and has not changed, so it was not read again.
    """

    path: str
    source: str | None
    traces: int
    health: tuple[Mapping[str, Any], ...] = ()
    message: str = ""
    unchanged: bool = False

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "path": self.path,
            "source": self.source,
            "traces": self.traces,
            "health": [dict(problem) for problem in self.health],
            **({"message": self.message} if self.message else {}),
            **({"unchanged": True} if self.unchanged else {}),
        }


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import found, and what the store made of it.

    The counts say what the files hold, nothing twice, whether or not it was known; ``imported``, ``known``,
    ``updated`` and ``forgotten`` (deleted earlier, stays away) say what the store did.
    """

    imported: int = 0
    known: int = 0
    updated: int = 0
    forgotten: int = 0
    conversations: int = 0
    human_prompts: int = 0
    replies: int = 0
    tool_calls: int = 0
    corrections: int = 0
    tokens: TokenCounts = field(default_factory=TokenCounts)
    files: tuple[ImportedFileRow, ...] = ()
    redactions: Mapping[str, int] = field(default_factory=dict)

    @property
    def unreadable(self) -> tuple[ImportedFileRow, ...]:
        """The files that could not be read, each with its reason."""
        return tuple(file for file in self.files if file.message)

    def to_json(self) -> dict[str, Any]:
        """Return the public shape of ``traces import --json``."""
        return {
            "imported": self.imported,
            "known": self.known,
            "updated": self.updated,
            "forgotten": self.forgotten,
            "conversations": self.conversations,
            "human_prompts": self.human_prompts,
            "replies": self.replies,
            "tool_calls": self.tool_calls,
            "corrections": self.corrections,
            "tokens": tokens_to_json(self.tokens),
            "files": [file.to_json() for file in self.files],
            "redactions": dict(sorted(self.redactions.items())),
        }


@dataclass(frozen=True, slots=True)
class ArchiveReport:
    """What an archiving of sessions did.

    Attributes:
        archived, unchanged, failed: sessions copied now, copied before, and not readable.
        left_out: sessions with a trace that was deleted here.
        bytes_in, bytes_out: sizes of the sessions copied now, and of their copies.
        expiring: sessions without a copy that their program deletes within a week.
        sentence: how many sessions expire, in words.
        messages: why sessions could not be read.
    """

    archived: int
    unchanged: int
    failed: int
    left_out: int
    bytes_in: int
    bytes_out: int
    folder: str
    expiring: int
    sentence: str
    redactions: Mapping[str, int] = field(default_factory=dict)
    messages: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            "archived": self.archived,
            "unchanged": self.unchanged,
            "failed": self.failed,
            "left_out": self.left_out,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "folder": self.folder,
            "expiring": self.expiring,
            "sentence": self.sentence,
            "redactions": dict(self.redactions),
            "messages": list(self.messages),
        }


def tokens_to_json(tokens: TokenCounts) -> dict[str, int | None]:
    """Return token counts in the public spelling; ``None`` is unknown."""
    return {
        "input": tokens.input,
        "output": tokens.output,
        "cache_read": tokens.cache_read,
        "cache_write": tokens.cache_write,
    }
