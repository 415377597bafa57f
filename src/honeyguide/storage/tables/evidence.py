"""What proof rests on: corrections, feedback, frozen datasets, evaluations, verifications, looks."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from honeyguide.storage.tables.base import Base
from honeyguide.storage.tables.traces import TRACE_ID


class CorrectionRow(Base):
    """A sign that a person was not satisfied, with the exact span; *suggested* until a person decides."""

    __tablename__ = "corrections"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    trace_id: Mapped[int] = mapped_column(ForeignKey(TRACE_ID, ondelete="CASCADE"), index=True)
    detector: Mapped[str]
    place: Mapped[str]
    span_start: Mapped[int]
    span_end: Mapped[int]
    span_text: Mapped[str]
    context: Mapped[str] = mapped_column(server_default="")
    language: Mapped[str | None]
    suggestion: Mapped[str] = mapped_column(server_default="")
    replacement: Mapped[str | None]
    state: Mapped[str] = mapped_column(server_default="suggested")
    edit_text: Mapped[str | None]
    created_at: Mapped[str]
    decided_at: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("state IN ('suggested','confirmed','dismissed')", name="state"),
        UniqueConstraint("trace_id", "detector", "place", "span_start", "span_end"),
        Index("ix_corrections_state", "state", "created_at", "id"),
        Index("ix_corrections_detector", "detector", "state"),
        {"sqlite_autoincrement": True},
    )


class FeedbackRow(Base):
    """A problem that a person reported, and its life."""

    __tablename__ = "feedback"

    id: Mapped[str] = mapped_column(primary_key=True)
    target_kind: Mapped[str]
    target_name: Mapped[str]
    text: Mapped[str]
    state: Mapped[str] = mapped_column(server_default="open")
    expected: Mapped[str | None]
    actual: Mapped[str | None]
    trace_id: Mapped[int | None] = mapped_column(ForeignKey(TRACE_ID, ondelete="SET NULL"))
    run_uuid: Mapped[str | None]
    case_id: Mapped[str | None]
    details: Mapped[dict[str, Any]]
    created_at: Mapped[str]
    updated_at: Mapped[str]

    __table_args__ = (
        CheckConstraint("state IN ('open','targeted','resolved','dismissed')", name="state"),
        Index("ix_feedback_target", "target_kind", "target_name", "state"),
        Index("ix_feedback_state", "state", "created_at"),
        Index("ix_feedback_trace_id", "trace_id"),
    )


class DatasetRow(Base):
    """A frozen list of examples. ``removed`` counts those whose trace a person has deleted since."""

    __tablename__ = "datasets"

    dataset_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    holdout_hash: Mapped[str] = mapped_column(String(64), index=True)
    target_kind: Mapped[str | None]
    target_name: Mapped[str | None]
    seed: Mapped[int]
    sourced: Mapped[int] = mapped_column(server_default=text("0"))
    dropped: Mapped[dict[str, Any]]
    removed: Mapped[int] = mapped_column(server_default=text("0"))
    created_at: Mapped[str]

    __table_args__ = (Index("ix_datasets_target", "target_kind", "target_name", "created_at"),)


class ExampleRow(Base):
    """One example of a dataset in its split."""

    __tablename__ = "examples"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    dataset_hash: Mapped[str] = mapped_column(ForeignKey("datasets.dataset_hash", ondelete="CASCADE"))
    split: Mapped[str]
    position: Mapped[int]
    example_id: Mapped[str] = mapped_column(index=True)
    trace_id: Mapped[int | None] = mapped_column(index=True)
    conversation: Mapped[str]
    input: Mapped[str]
    expected: Mapped[str]
    role: Mapped[str]
    rejected: Mapped[str | None]
    checks: Mapped[list[Any]]
    details: Mapped[dict[str, Any]]

    __table_args__ = (
        CheckConstraint("split IN ('train','validation','holdout')", name="split"),
        UniqueConstraint("dataset_hash", "split", "position"),
    )


class EvaluationRow(Base):
    """One answer of one candidate to one example, judged; a score is null when unscored."""

    __tablename__ = "evaluations"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    attempt_uuid: Mapped[str] = mapped_column(ForeignKey("attempts.uuid", ondelete="CASCADE"))
    stage: Mapped[str]
    candidate_id: Mapped[str]
    example_id: Mapped[str] = mapped_column(index=True)
    repetition: Mapped[int] = mapped_column(server_default=text("0"))
    actual: Mapped[str]
    overall: Mapped[float | None]
    weighted: Mapped[float | None]
    correctness: Mapped[float | None]
    procedure: Mapped[float | None]
    conciseness: Mapped[float | None]
    length_penalty: Mapped[float | None]
    feedback: Mapped[str] = mapped_column(server_default="")
    unscored_reason: Mapped[str] = mapped_column(server_default="")
    raw: Mapped[str] = mapped_column(server_default="")

    __table_args__ = (UniqueConstraint("attempt_uuid", "stage", "candidate_id", "example_id", "repetition"),)


class VerificationRow(Base):
    """The measurement of baseline against finalist, and what it allows us to say."""

    __tablename__ = "verifications"

    attempt_uuid: Mapped[str] = mapped_column(ForeignKey("attempts.uuid", ondelete="CASCADE"), primary_key=True)
    candidate_id: Mapped[str] = mapped_column(primary_key=True)
    holdout_hash: Mapped[str] = mapped_column(String(64), index=True)
    outcome: Mapped[str]
    label: Mapped[str]
    n: Mapped[int]
    repeats: Mapped[int]
    baseline: Mapped[float | None]
    candidate: Mapped[float | None]
    delta: Mapped[float | None]
    interval_low: Mapped[float | None]
    interval_high: Mapped[float | None]
    confidence: Mapped[float | None]
    p_value: Mapped[float | None]
    noise_floor: Mapped[float | None]
    unscored: Mapped[int] = mapped_column(server_default=text("0"))
    wins: Mapped[int] = mapped_column(server_default=text("0"))
    ties: Mapped[int] = mapped_column(server_default=text("0"))
    losses: Mapped[int] = mapped_column(server_default=text("0"))
    receipt: Mapped[str | None]
    details: Mapped[dict[str, Any]]
    created_at: Mapped[str]


class LookRow(Base):
    """The ledger of looks at holdouts, as ``evals.looks`` keeps it; ``examples`` are the ids of the holdout."""

    __tablename__ = "looks"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    measurement: Mapped[str] = mapped_column(index=True)
    number: Mapped[int]
    examples: Mapped[list[Any]]
    attempt_uuid: Mapped[str]
    at: Mapped[str]

    __table_args__ = ({"sqlite_autoincrement": True},)
