"""Runs and attempts as they are stored and shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from honeyguide.storage.records.common import Json


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
