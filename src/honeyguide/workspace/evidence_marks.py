"""How much evidence a target had when an attempt on it began, so that later only what is new counts.

Counted in row ids and numbers, not in moments: history that is imported late counts as new, and a clock that was set
back or forward hides nothing.
"""

from __future__ import annotations

from typing import Any

from honeyguide.prompts.targets import TargetKind, TargetRef
from honeyguide.storage import Unit
from honeyguide.storage.records import AttemptRecord, CorrectionState, TraceFilter
from honeyguide.traces.records import TraceOutcome

SEEN = "seen"
"""The key of the mark among an attempt's stored options."""
USABLE = (TraceOutcome.SUCCESS, TraceOutcome.CORRECTED, TraceOutcome.VERIFIED)


def evidence_mark(unit: Unit, ref: TargetRef) -> dict[str, int]:
    """Return the mark of a target as it is now."""
    return {"trace": unit.traces.last_id(), "confirmed": _confirmed(unit, ref)}


def new_evidence(unit: Unit, ref: TargetRef, last: AttemptRecord | None) -> tuple[int, int]:
    """Return how many traces came, and how many corrections were confirmed, since an attempt began.

    Traces that ended well, were corrected or verified count. A section that no trace names is spoken about by all.
    """
    mark: Any = last.options.get(SEEN) if last is not None else None
    wanted = TraceFilter(target=ref, outcomes=USABLE)
    if ref.kind is TargetKind.SECTION and unit.traces.count(TraceFilter(target=ref)) == 0:
        wanted = TraceFilter(outcomes=USABLE)
    if last is None:
        return unit.traces.count(wanted), _confirmed(unit, ref)
    if not isinstance(mark, dict):
        since = TraceFilter(target=wanted.target, outcomes=USABLE, since=last.started_at)
        return unit.traces.count(since), 0
    after = TraceFilter(target=wanted.target, outcomes=USABLE, after_id=int(mark["trace"]))
    return unit.traces.count(after), max(_confirmed(unit, ref) - int(mark["confirmed"]), 0)


def _confirmed(unit: Unit, ref: TargetRef) -> int:
    return unit.corrections.count(state=CorrectionState.CONFIRMED, target=ref)
