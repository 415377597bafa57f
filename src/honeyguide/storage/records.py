"""The plain data that go into storage and come out of it, where no room below declares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.prompts.targets import TargetRef
from honeyguide.traces.records import Trace, TraceOutcome

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Actor:
    """Who causes a change.

    Attributes:
        way: ``window``, ``cli``, ``http``, ``mcp``, ``daemon``, ``python``.
        os_user: the user of the operating system.
    """

    way: str = "python"
    os_user: str = ""


@dataclass(frozen=True, slots=True)
class EventRecord:
    """One change. ``origin`` is the ``instance`` of the store that made it."""

    id: int
    at: str
    name: str
    subject: str
    data: Json
    origin: str
    way: str


# --- traces


@dataclass(frozen=True, slots=True)
class TraceFilter:
    """Which traces; every given field must hold.

    Attributes:
        target: linked to this target.
        outcomes: one of these; empty means any.
        since, until: bounds on ``created_at`` (inclusive, exclusive), in any ISO 8601 spelling.
        sendable: only those not marked "never send".
        project: this folder as the source wrote it.
    """

    target: TargetRef | None = None
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
    """A file that was read; unchanged when size, mtime, inode and both hashes are the same."""

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


# --- runs


class RunStatus(StrEnum):
    """The five public states of a row in ``evolution_runs``."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    DEPLOYED = "deployed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class RunDraft:
    """What a run is created from."""

    run_uuid: str
    target_kind: str
    target_name: str | None
    baseline_text: str
    winner_text: str
    delta_accuracy: float
    gate_verdict: str
    gate_reasons_json: str = "[]"
    winner_schema_json: str | None = None
    artifacts_json: str | None = None


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One row of ``evolution_runs``, column for column."""

    id: int
    run_uuid: str
    target_kind: str
    target_name: str | None
    baseline_text: str
    winner_text: str
    winner_schema_json: str | None
    delta_accuracy: float
    gate_verdict: str
    gate_reasons_json: str
    status: str
    artifacts_json: str | None
    user_note: str | None
    failure_reason: str | None
    created_at: str
    decided_at: str | None
    deployed_at: str | None


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs of the public table. ``limit`` is clamped to 1..500; ``None``, 0 and what is no number mean 50."""

    statuses: Sequence[str] = ()
    target_kind: str | None = None
    target_name: str | None = None
    since: str | None = None
    limit: int | str | None = None
    offset: int = 0


ALL_RUNS = RunFilter()


@dataclass(frozen=True, slots=True)
class AttemptRecord:
    """One run of any outcome.

    Attributes:
        state: ``running``, ``proposed``, ``skipped-trigger``, ``skipped-gates``, ``skipped-delta``, ``aborted``,
            ``inconclusive``, ``failed`` (an unexpected end), ``interrupted`` (its process died).
        run_status: state of the row in ``evolution_runs``, when there is one.
        shown_state: what the run table shows: ``run_status`` once proposed, else ``state``; set by the store.
        finding: outcome of the verification, e.g. ``verified_improvement``.
        cost_usd: ``None`` when a price was unknown.
        needs_note, can_accept: what accepting needs, and whether it may be accepted at all.
        owner: instance of the store that runs it.
    """

    uuid: str
    target_kind: str
    target_name: str | None
    state: str = "running"
    run_status: str | None = None
    shown_state: str = ""
    started_at: str = ""
    finished_at: str | None = None
    heartbeat_at: str = ""
    owner: str = ""
    seed: int | None = None
    options: Json = field(default_factory=dict)
    reason: str | None = None
    phase: str | None = None
    progress: Json = field(default_factory=dict)
    finding: str | None = None
    delta: float | None = None
    interval_low: float | None = None
    interval_high: float | None = None
    gate_verdict: str | None = None
    failed_gate: str | None = None
    needs_note: bool = False
    can_accept: bool = True
    model: str | None = None
    baseline_sha256: str | None = None
    dataset_hash: str | None = None
    calls: int = 0
    replayed_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True)
class AttemptFilter:
    """Which rows of the run table.

    Attributes:
        states: shown states (attempt states, and the five run states once proposed).
        words: parts of the target's name, kind or the reason; case is ignored.
    """

    states: Sequence[str] = ()
    target_kind: str | None = None
    target_name: str | None = None
    since: str | None = None
    words: str = ""


ALL_ATTEMPTS = AttemptFilter()


@dataclass(frozen=True, slots=True)
class RunKey:
    """The thin index of one row of the run table, for sorting and filtering without the rest."""

    id: int
    uuid: str
    shown_state: str
    target_kind: str
    target_name: str | None
    started_at: str
    finding: str | None
    delta: float | None
    cost_usd: float | None


@dataclass(frozen=True, slots=True)
class CandidateRecord:
    """A candidate of an attempt."""

    stage: str
    candidate_id: str
    text: str
    parent_id: str | None = None
    strategy: str | None = None
    generation: int = 0
    schema: Json | None = None
    scores: Json = field(default_factory=dict)
    complexity: float | None = None
    on_front: bool = False
    is_finalist: bool = False
    gate_results: Sequence[Any] = ()


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """One decision, who took it and how."""

    id: int
    at: str
    subject_kind: str
    subject: str
    decision: str
    way: str
    os_user: str
    note: str | None
    details: Json


# --- evidence


class CorrectionState(StrEnum):
    """What a person said of a suggested correction."""

    SUGGESTED = "suggested"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class CorrectionDraft:
    """A detected correction, before it is stored.

    Attributes:
        place: where the span stands, e.g. ``next-turn``, ``scores[2].comment``.
        span_start, span_end: character offsets in ``context``, or in the text at ``place``.
        span_text: the exact words.
        context: the text around them, as it is shown.
        suggestion: what an answer must or must not do, as far as it can be said without a person.
        replacement: what the person wanted instead, where the source holds it.
    """

    trace_id: int
    detector: str
    place: str
    span_start: int
    span_end: int
    span_text: str
    context: str = ""
    language: str | None = None
    suggestion: str = ""
    replacement: str | None = None


@dataclass(frozen=True, slots=True)
class CorrectionRecord:
    """A stored correction; see ``CorrectionDraft``. ``edit_text`` is the person's own wording."""

    id: int
    trace_id: int
    detector: str
    place: str
    span_start: int
    span_end: int
    span_text: str
    context: str
    language: str | None
    suggestion: str
    replacement: str | None
    state: str
    edit_text: str | None
    created_at: str
    decided_at: str | None


@dataclass(frozen=True, slots=True)
class DetectorRecord:
    """How often a detector was right, in a person's verdicts."""

    detector: str
    suggested: int
    confirmed: int
    dismissed: int

    @property
    def precision(self) -> float | None:
        """Share of confirmed among decided; ``None`` before the first verdict."""
        decided = self.confirmed + self.dismissed
        return self.confirmed / decided if decided else None


@dataclass(frozen=True, slots=True)
class FeedbackRecord:
    """A reported problem."""

    id: str
    target_kind: str
    target_name: str
    text: str
    state: str = "open"
    expected: str | None = None
    actual: str | None = None
    trace_id: int | None = None
    run_uuid: str | None = None
    case_id: str | None = None
    details: Json = field(default_factory=dict)
    created_at: str = ""
    updated_at: str = ""


@dataclass(frozen=True, slots=True)
class DatasetRecord:
    """A stored dataset without its examples."""

    dataset_hash: str
    holdout_hash: str
    target_kind: str | None
    target_name: str | None
    seed: int
    sourced: int
    dropped: Json
    removed: int
    created_at: str


@dataclass(frozen=True, slots=True)
class EvidenceRow:
    """One holdout example, both answers, both scores (means over repetitions; ``None`` is unscored)."""

    example_id: str
    trace_id: int | None
    input: str
    expected: str
    role: str
    before: str
    after: str
    score_before: float | None
    score_after: float | None
    feedback_before: str
    feedback_after: str
    unscored: int

    @property
    def change(self) -> float | None:
        """Score after minus score before; ``None`` when either is unscored."""
        if self.score_before is None or self.score_after is None:
            return None
        return self.score_after - self.score_before


@dataclass(frozen=True, slots=True)
class StoredVerification:
    """A verification as it is stored: its figures as columns, and ``details`` as ``Verification.to_json`` wrote it."""

    attempt_uuid: str
    candidate_id: str
    holdout_hash: str
    outcome: str
    label: str
    n: int
    repeats: int
    baseline: float | None
    candidate: float | None
    delta: float | None
    interval_low: float | None
    interval_high: float | None
    confidence: float | None
    p_value: float | None
    noise_floor: float | None
    unscored: int
    wins: int
    ties: int
    losses: int
    receipt: str | None
    details: Json
    created_at: str


# --- targets


@dataclass(frozen=True, slots=True)
class TargetRecord:
    """A registered target in a file of its own.

    Attributes:
        span: which part of the file is the text, as the carrier wrote it.
        encoding: the file's encoding as found.
        options: whatever else the carrier keeps.
    """

    kind: str
    name: str
    path: str
    span: Json = field(default_factory=dict)
    encoding: str = "utf-8"
    options: Json = field(default_factory=dict)
    added_at: str = ""


@dataclass(frozen=True, slots=True)
class LockRecord:
    """A passage that must stay."""

    id: int
    target_kind: str
    target_name: str
    text: str
    created_at: str


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """One version of a target as the store on disk holds it."""

    target_kind: str
    target_name: str
    n: int
    sha256: str
    created_at: str
    origin: str
    run_uuid: str | None = None
    note: str | None = None


# --- machinery


@dataclass(frozen=True, slots=True)
class LeaseRecord:
    """Who holds a lease."""

    name: str
    owner: str
    pid: int
    host: str
    process_start: str
    way: str
    acquired_at: str
    heartbeat_at: str


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One model call in the index over the journals.

    Attributes:
        journal: which journal, usually the attempt's uuid.
        seq: place in it, from 0; (journal, seq) is unique.
        status: ``ok``, ``replayed``, or the code of the error.
    """

    journal: str
    seq: int
    request_hash: str
    provider: str
    model: str
    role: str
    status: str
    at: str
    latency_ms: int | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cost_usd: float | None = None
    cost_is_reported: bool = False


@dataclass(frozen=True, slots=True)
class SpendDay:
    """What one day (UTC) cost; ``reserved_*`` is held back by calls under way."""

    day: str
    calls: int = 0
    unpriced_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    usd: float = 0.0
    reserved_calls: int = 0
    reserved_tokens: int = 0
    reserved_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class SpendCeiling:
    """What a day may cost; ``None`` is no limit."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class TracePage:
    """A page of traces and how many there are in all."""

    traces: tuple[Trace, ...]
    total: int
