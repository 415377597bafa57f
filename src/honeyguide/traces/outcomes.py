"""Which outcomes a trace may move between; nothing else may change one."""

from __future__ import annotations

from honeyguide.kernel.errors import Conflict
from honeyguide.traces.records import TraceOutcome

ALLOWED: dict[TraceOutcome, frozenset[TraceOutcome]] = {
    TraceOutcome.PENDING: frozenset(
        {TraceOutcome.SUCCESS, TraceOutcome.VERIFIED, TraceOutcome.CORRECTED, TraceOutcome.ABANDONED}
    ),
    TraceOutcome.SUCCESS: frozenset({TraceOutcome.VERIFIED, TraceOutcome.CORRECTED}),
    TraceOutcome.VERIFIED: frozenset({TraceOutcome.CORRECTED}),
    TraceOutcome.ABANDONED: frozenset({TraceOutcome.CORRECTED}),
    TraceOutcome.CORRECTED: frozenset(),
}
"""A person's correction may come after any end; nothing comes after it, and nothing becomes pending again."""


def may_become(current: TraceOutcome, wanted: TraceOutcome) -> bool:
    """Say whether a trace whose outcome is ``current`` may get the outcome ``wanted``."""
    return wanted in ALLOWED[current]


def guard(current: TraceOutcome, wanted: TraceOutcome, trace_id: int = 0) -> TraceOutcome:
    """Return ``wanted`` if the transition is allowed.

    Raises:
        Conflict: it is not.
    """
    if not may_become(current, wanted):
        allowed = ", ".join(sorted(ALLOWED[current])) or "nothing"
        raise Conflict(
            f"Trace {trace_id} is {current}; it cannot become {wanted}.",
            hint=f"From {current} a trace may become: {allowed}.",
            details={"from": current.value, "to": wanted.value},
        )
    return wanted
