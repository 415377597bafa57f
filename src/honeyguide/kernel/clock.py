"""Time, passed in: UTC everywhere, written as ISO 8601 with ``T`` and ``Z`` so that text order is time order."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """What the engine asks for the time."""

    def now(self) -> datetime:
        """Return the current time, timezone-aware, in UTC."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back; only differences mean something."""
        ...


class SystemClock:
    """The computer's own clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()


class ManualClock:
    """A clock that moves only when told to; for tests and replays."""

    def __init__(self, start: datetime | None = None) -> None:
        self._now = start or datetime(2026, 1, 1, tzinfo=UTC)
        self._monotonic = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def advance(self, seconds: float) -> None:
        """Move both clocks forward by ``seconds``."""
        self._now += timedelta(seconds=seconds)
        self._monotonic += seconds


def iso(moment: datetime) -> str:
    """Return ``moment`` as ``YYYY-MM-DDTHH:MM:SS.mmmZ`` in UTC; a naive value is taken as UTC."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    return f"{utc.isoformat(timespec='milliseconds')[:-6]}Z"


def parse_iso(text: str) -> datetime:
    """Read an ISO 8601 moment (also with a space for ``T``; without a zone it is UTC). Raises ValueError."""
    moment = datetime.fromisoformat(text.strip())
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
