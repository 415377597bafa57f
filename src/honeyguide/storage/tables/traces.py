"""What the agent did: traces, what is known beyond their public columns, and where they came from."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, ForeignKey, Index, Integer, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from honeyguide.storage.tables.base import NOW, Base

TRACE_ID = "execution_traces.id"


class ExecutionTraceRow(Base):
    """One execution. Public: exactly these columns."""

    __tablename__ = "execution_traces"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    session_id: Mapped[str | None]
    persona_id: Mapped[str | None]
    workspace_id: Mapped[str | None]
    model: Mapped[str | None]
    task_shape: Mapped[str | None]
    outcome: Mapped[str] = mapped_column(server_default="pending")
    trace_json: Mapped[str] = mapped_column(server_default="{}")
    cost_usd: Mapped[float] = mapped_column(server_default=text("0"))
    duration_ms: Mapped[int] = mapped_column(server_default=text("0"))
    created_at: Mapped[str] = mapped_column(server_default=text(NOW))
    finalized_at: Mapped[str | None]

    __table_args__ = (
        CheckConstraint("outcome IN ('success','corrected','abandoned','verified','pending')", name="outcome"),
        Index("ix_execution_traces_created", "created_at", "id"),
        Index("ix_execution_traces_session", "session_id", "created_at"),
        Index("ix_execution_traces_persona", "persona_id", "outcome", "created_at"),
        Index("ix_execution_traces_outcome", "outcome", "created_at"),
        Index("ix_execution_traces_workspace", "workspace_id", "created_at"),
        {"sqlite_autoincrement": True},
    )


class TraceFactsRow(Base):
    """What is known of a trace beyond the public columns.

    ``cost_known`` and ``duration_known`` tell an unknown figure from a true 0, which the public columns cannot.
    ``content_hash`` and ``completeness`` let an import compare copies without reading their JSON.
    """

    __tablename__ = "trace_facts"

    trace_id: Mapped[int] = mapped_column(ForeignKey(TRACE_ID, ondelete="CASCADE"), primary_key=True)
    source: Mapped[str]
    source_key: Mapped[str]
    conversation: Mapped[str]
    turn: Mapped[int] = mapped_column(server_default=text("0"))
    project: Mapped[str | None]
    outcome_detail: Mapped[str | None]
    outcome_evidence: Mapped[str] = mapped_column(server_default="")
    never_send: Mapped[bool] = mapped_column(server_default=text("0"))
    cost_known: Mapped[bool] = mapped_column(server_default=text("0"))
    duration_known: Mapped[bool] = mapped_column(server_default=text("0"))
    preview: Mapped[str] = mapped_column(server_default="")
    tool_calls: Mapped[int] = mapped_column(server_default=text("0"))
    content_hash: Mapped[str] = mapped_column(server_default="")
    completeness: Mapped[int] = mapped_column(server_default=text("0"))

    __table_args__ = (
        UniqueConstraint("source", "source_key"),
        Index("ix_trace_facts_conversation", "conversation", "turn"),
        Index("ix_trace_facts_project", "project"),
    )


class TraceTargetRow(Base):
    """Which targets a trace speaks about, and how we know. ``created_at`` is the trace's own, for ordered reading."""

    __tablename__ = "trace_targets"

    trace_id: Mapped[int] = mapped_column(ForeignKey(TRACE_ID, ondelete="CASCADE"), primary_key=True)
    target_kind: Mapped[str] = mapped_column(primary_key=True)
    target_name: Mapped[str] = mapped_column(primary_key=True)
    how: Mapped[str]
    exact: Mapped[bool] = mapped_column(server_default=text("0"))
    created_at: Mapped[str]

    __table_args__ = (
        Index("ix_trace_targets_target", "target_kind", "target_name", "created_at", "trace_id"),
        {"sqlite_with_rowid": False},
    )


class PromptInForceRow(Base):
    """A prompt that was active during a trace."""

    __tablename__ = "prompts_in_force"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    trace_id: Mapped[int] = mapped_column(ForeignKey(TRACE_ID, ondelete="CASCADE"), index=True)
    kind: Mapped[str]
    name: Mapped[str]
    sha256: Mapped[str | None] = mapped_column(index=True)
    exact: Mapped[bool] = mapped_column(server_default=text("0"))


class PromptTextRow(Base):
    """The text behind a prompt's hash, where a source holds it."""

    __tablename__ = "prompt_texts"

    sha256: Mapped[str] = mapped_column(String(64), primary_key=True)
    kind: Mapped[str]
    name: Mapped[str]
    text: Mapped[str]


class ConversationRow(Base):
    """One conversation; its traces carry ``key`` in their facts."""

    __tablename__ = "conversations"

    key: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str]
    project: Mapped[str | None]
    title: Mapped[str | None]
    parent: Mapped[str | None]
    first_at: Mapped[str] = mapped_column(index=True)
    last_at: Mapped[str] = mapped_column(index=True)
    archived_at: Mapped[str | None]


class ForgottenRow(Base):
    """A trace that a person deleted, by the hash of its key alone, so that no import brings it back."""

    __tablename__ = "forgotten_traces"

    key_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    at: Mapped[str]


class ImportedFileRow(Base):
    """A file that was read, and what tells it unchanged."""

    __tablename__ = "imported_files"

    path: Mapped[str] = mapped_column(primary_key=True)
    source: Mapped[str]
    size: Mapped[int]
    mtime_ns: Mapped[int]
    inode: Mapped[int]
    head_sha256: Mapped[str]
    tail_sha256: Mapped[str]
    traces: Mapped[int] = mapped_column(server_default=text("0"))
    health: Mapped[list[Any]]
    imported_at: Mapped[str]
    summary: Mapped[dict[str, Any]] = mapped_column(server_default=text("'{}'"))
