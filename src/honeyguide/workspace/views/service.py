"""What the autonomous service did, and how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TickReport:
    """What one look for something to improve came to.

    Attributes:
        outcome: ``ran``, ``nothing`` (no target has enough new evidence), ``off``, ``busy``, ``budget``, ``failed``.
        reason: one sentence.
        result: outcome of the run (``proposed``, ``skipped-…``), when there was one.
        passed_over: eligible targets that could not run, each with the reason.
    """

    at: str
    outcome: str
    reason: str
    target: str | None = None
    uuid: str | None = None
    result: str | None = None
    passed_over: tuple[Mapping[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {**asdict(self), "passed_over": [dict(entry) for entry in self.passed_over]}


@dataclass(frozen=True, slots=True)
class WaitingTarget:
    """A target that the service watches over, and what it waits for.

    Attributes:
        last_run: when its newest attempt of any outcome began.
        new: new traces and newly confirmed corrections since then.
        eligible: whether it has enough of them and does not rest after a failure.
        rests_until: after failures; ``None`` when it does not rest.
    """

    target: str
    last_run: str | None
    new: int
    eligible: bool
    rests_until: str | None = None


@dataclass(frozen=True, slots=True)
class DaemonStatus:
    """How the service stands.

    Attributes:
        enabled, why_off: whether it may do anything by itself, and what keeps it from that.
        running: who runs it: ``{"pid", "host", "way", "since"}``; ``None`` when nobody does.
        last_tick: the newest report, as JSON.
        next_tick: when the next look is due; ``None`` when nobody runs it.
        spent: ``{"day", "calls", "usd"}`` of today (UTC); what a run under way may take counts as spent.
    """

    enabled: bool
    why_off: str
    running: Mapping[str, Any] | None
    interval_seconds: float
    min_traces: int
    last_tick: Mapping[str, Any] | None
    next_tick: str | None
    spent: Mapping[str, Any]
    calls_per_day: int
    usd_per_day: float
    targets: tuple[WaitingTarget, ...]

    def to_json(self) -> dict[str, Any]:
        """Return the public shape."""
        return {
            **asdict(self),
            "running": None if self.running is None else dict(self.running),
            "last_tick": None if self.last_tick is None else dict(self.last_tick),
            "spent": dict(self.spent),
            "targets": [asdict(target) for target in self.targets],
        }
