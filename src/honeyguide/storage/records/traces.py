"""Traces as they are asked for, counted and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from honeyguide.prompts.targets import TargetRef
from honeyguide.storage.records.common import Json
from honeyguide.traces.records import Trace, TraceOutcome


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces; every given field must hold.

    Attributes:
        target: linked to this target.
        linked_to_none_of: linked to none of these targets.
        outcomes: one of these; empty means any.
        since, until: bounds on ``created_at`` (inclusive, exclusive), in any ISO 8601 spelling.
        sendable: only those not marked "never send".
        project: this folder as the source wrote it.
        unsaid: only answers of which nobody and nothing said whether they were good.
        ids: one of these row ids; ``None`` means any.
        after_id: stored after the trace with this row id, whatever its own moment says.
    """

    target: TargetRef | None = None
    linked_to_none_of: Sequence[TargetRef] = ()
    outcomes: Sequence[TraceOutcome] = ()
    conversation: str | None = None
    session_id: str | None = None
    persona_id: str | None = None
    workspace_id: str | None = None
    task_shape: str | None = None
    model: str | None = None
    source: str | None = None
    project: str | None = None
    since: str | None = None
    until: str | None = None
    sendable: bool = False
    unsaid: bool = False
    ids: Sequence[int] | None = None
    after_id: int | None = None


ALL_TRACES = TraceFilter()


@dataclass(frozen=True, slots=True)
class TraceRow:
    """One line of the trace browser: no JSON is read for it."""

    id: int
    created_at: str
    outcome: str
    outcome_detail: str | None
    source: str
    conversation: str
    turn: int
    persona_id: str | None
    session_id: str | None
    model: str | None
    project: str | None
    preview: str
    tool_calls: int
    cost_usd: float | None
    duration_ms: int | None
    never_send: bool


@dataclass(frozen=True, slots=True)
class TraceHit:
    """One find of a search, with the words around it."""

    row: TraceRow
    excerpt: str


@dataclass(frozen=True, slots=True)
class SearchPage:
    """A page of finds, best first, and how many there are in all."""

    hits: tuple[TraceHit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class TraceLink:
    """That a trace speaks about a target, and how we know.

    Attributes:
        how: ``prompt`` (in force), ``persona``, ``path``, ``inferred``, ``person``.
        exact: the source says so itself.
    """

    ref: TargetRef
    how: str
    exact: bool


@dataclass(frozen=True, slots=True)
class ImportCounts:
    """What a batch did to the store."""

    imported: int = 0
    known: int = 0
    updated: int = 0
    forgotten: int = 0
    ids: tuple[int, ...] = ()
    """Row ids of the batch in its order; 0 for a trace that was deleted earlier and stays away."""

    def plus(self, other: ImportCounts) -> ImportCounts:
        """Return the sum of two batches."""
        return ImportCounts(
            self.imported + other.imported,
            self.known + other.known,
            self.updated + other.updated,
            self.forgotten + other.forgotten,
            self.ids + other.ids,
        )


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A conversation and how many traces the store holds of it."""

    key: str
    source: str
    project: str | None
    title: str | None
    parent: str | None
    first_at: str
    last_at: str
    archived_at: str | None
    traces: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was deleted, and where else its text may stand: the workspace's own files of these runs.

    Attributes:
        dataset_hashes: datasets that lost examples.
        run_uuids: attempts whose journal or evidence on disk may quote a deleted trace.
        compacted: whether the file was rewritten and its log emptied; ``False`` while another process reads.
    """

    traces: int = 0
    corrections: int = 0
    examples: int = 0
    evaluations: int = 0
    dataset_hashes: tuple[str, ...] = ()
    run_uuids: tuple[str, ...] = ()
    compacted: bool = False


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """A file that was read; unchanged when size, mtime, inode and both hashes are the same.

    Attributes:
        summary: what the import counted in it and how it was read, so that a skipped file is counted like a read one.
    """

    path: str
    source: str
    size: int
    mtime_ns: int
    inode: int
    head_sha256: str
    tail_sha256: str
    traces: int = 0
    health: Sequence[Any] = ()
    imported_at: str = ""
    summary: Json = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracePage:
    """A page of traces and how many there are in all."""

    traces: tuple[Trace, ...]
    total: int
