"""Leases, model calls, spending."""

from __future__ import annotations

from dataclasses import dataclass


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
    """What one day (UTC) cost; ``reserved_*`` is held back by processes at work."""

    day: str
    calls: int = 0
    tokens: int = 0
    usd: float = 0.0
    reserved_calls: int = 0
    reserved_tokens: int = 0
    reserved_usd: float = 0.0


@dataclass(frozen=True, slots=True)
class SpendCeiling:
    """What a day, and all days together (``total_*``), may cost; ``None`` is no limit."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None
    total_calls: int | None = None
    total_tokens: int | None = None
    total_usd: float | None = None

    @property
    def is_set(self) -> bool:
        """Whether there is any limit."""
        return any(getattr(self, name) is not None for name in self.__slots__)
