"""What keeps several processes in step: events, leases, settings, the index of model calls, spending."""

from __future__ import annotations

from typing import Any

from sqlalchemy import JSON, Index, Integer, String, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from honeyguide.storage.tables.base import Base


class EventRow(Base):
    """One change, appended in the transaction that made it. Holds ids and figures, never text of a trace."""

    __tablename__ = "events"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    at: Mapped[str] = mapped_column(index=True)
    name: Mapped[str]
    subject: Mapped[str] = mapped_column(server_default="")
    data: Mapped[dict[str, Any]]
    origin: Mapped[str]
    way: Mapped[str]

    __table_args__ = (
        Index("ix_events_subject", "subject", "id"),
        Index("ix_events_name", "name", "id"),
        {"sqlite_autoincrement": True},
    )


class LeaseRow(Base):
    """Who does something that only one process may do at a time."""

    __tablename__ = "leases"

    name: Mapped[str] = mapped_column(primary_key=True)
    owner: Mapped[str]
    pid: Mapped[int]
    host: Mapped[str]
    process_start: Mapped[str]
    way: Mapped[str]
    acquired_at: Mapped[str]
    heartbeat_at: Mapped[str]


class SettingRow(Base):
    """A small fact that the workspace keeps for itself, e.g. when its integrity was last checked."""

    __tablename__ = "settings_kv"

    key: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[Any] = mapped_column(JSON())
    updated_at: Mapped[str]


class ModelCallRow(Base):
    """An index over the journals: one row a call, hashes and figures only."""

    __tablename__ = "model_calls"

    id: Mapped[int] = mapped_column(Integer, primary_key=True)
    journal: Mapped[str]
    seq: Mapped[int]
    request_hash: Mapped[str] = mapped_column(String(64), index=True)
    provider: Mapped[str]
    model: Mapped[str]
    role: Mapped[str]
    status: Mapped[str]
    at: Mapped[str] = mapped_column(index=True)
    latency_ms: Mapped[int | None]
    input_tokens: Mapped[int | None]
    output_tokens: Mapped[int | None]
    cache_read_tokens: Mapped[int | None]
    cache_write_tokens: Mapped[int | None]
    cost_usd: Mapped[float | None]
    cost_is_reported: Mapped[bool] = mapped_column(server_default=text("0"))

    __table_args__ = (UniqueConstraint("journal", "seq"),)


class SpendDayRow(Base):
    """What was spent on one day (UTC), by everything in this workspace."""

    __tablename__ = "spend_days"

    day: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[int] = mapped_column(server_default=text("0"))
    tokens: Mapped[int] = mapped_column(server_default=text("0"))
    usd: Mapped[float] = mapped_column(server_default=text("0"))


class SpendBlockRow(Base):
    """A part of a day's ceiling that one process holds and hands out to its calls."""

    __tablename__ = "spend_blocks"

    id: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[str] = mapped_column(index=True)
    calls: Mapped[int]
    tokens: Mapped[int]
    usd: Mapped[float]
    owner: Mapped[str]
    pid: Mapped[int]
    host: Mapped[str]
    process_start: Mapped[str]
    at: Mapped[str]
