"""Runs: the public table of proposals, and every attempt whatever came of it."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, UniqueConstraint
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from honeyguide.storage.tables.base import NOW, Base


class EvolutionRunRow(Base):
    """One proposal and what became of it. Public: exactly these columns."""

    __tablename__ = "evolution_runs"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    run_uuid: Mapped[str]
    target_kind: Mapped[str]
    target_name: Mapped[str | None]
    baseline_text: Mapped[str]
    winner_text: Mapped[str]
    winner_schema_json: Mapped[str | None]
    delta_accuracy: Mapped[float] = mapped_column(server_default=sql("0"))
    gate_verdict: Mapped[str]
    gate_reasons_json: Mapped[str] = mapped_column(server_default="[]")
    status: Mapped[str] = mapped_column(server_default="proposed")
    artifacts_json: Mapped[str | None]
    user_note: Mapped[str | None]
    failure_reason: Mapped[str | None]
    created_at: Mapped[str] = mapped_column(server_default=sql(NOW))
    decided_at: Mapped[str | None]
    deployed_at: Mapped[str | None]

    __table_args__ = (
        UniqueConstraint("run_uuid"),
        CheckConstraint("gate_verdict IN ('pass','fail')", name="gate_verdict"),
        CheckConstraint("status IN ('proposed','accepted','rejected','deployed','failed')", name="status"),
        Index("ix_evolution_runs_status", "status", "created_at"),
        Index("ix_evolution_runs_target", "target_kind", "target_name", "created_at"),
        Index("ix_evolution_runs_created", "created_at", "id"),
        {"sqlite_autoincrement": True},
    )


class AttemptRow(Base):
    """One run, whatever came of it.

    ``run_status`` mirrors ``evolution_runs.status`` where a row stands there; ``shown_state`` is what the run table
    shows (the run's status once it was proposed), so that the table is read from here alone, by an index.
    """

    __tablename__ = "attempts"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    uuid: Mapped[str]
    target_kind: Mapped[str]
    target_name: Mapped[str | None]
    state: Mapped[str]
    run_status: Mapped[str | None]
    shown_state: Mapped[str]
    started_at: Mapped[str]
    finished_at: Mapped[str | None]
    heartbeat_at: Mapped[str]
    owner: Mapped[str] = mapped_column(server_default="")
    seed: Mapped[int | None]
    options: Mapped[dict[str, Any]]
    reason: Mapped[str | None]
    phase: Mapped[str | None]
    progress: Mapped[dict[str, Any]]
    finding: Mapped[str | None]
    delta: Mapped[float | None]
    interval_low: Mapped[float | None]
    interval_high: Mapped[float | None]
    gate_verdict: Mapped[str | None]
    failed_gate: Mapped[str | None]
    needs_note: Mapped[bool] = mapped_column(server_default=sql("0"))
    can_accept: Mapped[bool] = mapped_column(server_default=sql("1"))
    model: Mapped[str | None]
    baseline_sha256: Mapped[str | None]
    dataset_hash: Mapped[str | None]
    calls: Mapped[int] = mapped_column(server_default=sql("0"))
    replayed_calls: Mapped[int] = mapped_column(server_default=sql("0"))
    input_tokens: Mapped[int] = mapped_column(server_default=sql("0"))
    output_tokens: Mapped[int] = mapped_column(server_default=sql("0"))
    cost_usd: Mapped[float | None]

    __table_args__ = (
        UniqueConstraint("uuid"),
        Index("ix_attempts_started", "started_at", "id"),
        Index("ix_attempts_shown_state", "shown_state", "started_at", "id"),
        Index("ix_attempts_target", "target_kind", "target_name", "started_at", "id"),
        {"sqlite_autoincrement": True},
    )


class CandidateRow(Base):
    """A candidate of an attempt: its text, where it came from, and what it scored."""

    __tablename__ = "candidates"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    attempt_uuid: Mapped[str] = mapped_column(ForeignKey("attempts.uuid", ondelete="CASCADE"))
    stage: Mapped[str]
    candidate_id: Mapped[str]
    parent_id: Mapped[str | None]
    strategy: Mapped[str | None]
    generation: Mapped[int] = mapped_column(server_default=sql("0"))
    text: Mapped[str]
    schema: Mapped[dict[str, Any] | None]
    scores: Mapped[dict[str, Any]]
    complexity: Mapped[float | None]
    on_front: Mapped[bool] = mapped_column(server_default=sql("0"))
    is_finalist: Mapped[bool] = mapped_column(server_default=sql("0"))
    gate_results: Mapped[list[Any]]

    __table_args__ = (UniqueConstraint("attempt_uuid", "stage", "candidate_id"),)


class DecisionRow(Base):
    """What a person decided, by which way, as which user of the operating system."""

    __tablename__ = "decisions"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    at: Mapped[str]
    subject_kind: Mapped[str]
    subject: Mapped[str]
    decision: Mapped[str]
    way: Mapped[str]
    os_user: Mapped[str]
    note: Mapped[str | None]
    details: Mapped[dict[str, Any]]

    __table_args__ = (
        Index("ix_decisions_subject", "subject_kind", "subject", "id"),
        {"sqlite_autoincrement": True},
    )


class CancelRequestRow(Base):
    """A wish that a run should stop; the run reads it between two model calls."""

    __tablename__ = "cancel_requests"

    subject: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[str]
    way: Mapped[str]
    os_user: Mapped[str]
