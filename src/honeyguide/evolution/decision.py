"""From numbers to an outcome: what a run becomes, and why. Source: contract section 2, "From finding to outcome"."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from honeyguide.evals.findings import Finding

MIN_DELTA = 0.02
SHORTER_BY = 0.1
"""The share by which a text must get shorter for "safe, not proven" to be worth a person's time."""
_TOLERANCE = 1e-9


class AttemptOutcome(StrEnum):
    """What came of an attempt, spelled as the first seed spells it."""

    PROPOSED = "proposed"
    SKIPPED_TRIGGER = "skipped-trigger"
    SKIPPED_GATES = "skipped-gates"
    SKIPPED_DELTA = "skipped-delta"
    ABORTED = "aborted"


@dataclass(frozen=True, slots=True)
class Decision:
    """An outcome with its reason.

    Attributes:
        is_stored: whether the attempt becomes a run in the history of runs.
        needs_note: whether accepting it needs a note.
        can_accept: whether it may be accepted at all.
    """

    outcome: AttemptOutcome
    reason: str
    is_stored: bool = True
    needs_note: bool = False
    can_accept: bool = True


def too_small(delta: float, min_delta: float, *, allow_safe: bool) -> bool:
    """Say whether a gain on development data is too small to spend the holdout on (strictly less than asked for)."""
    return not allow_safe and delta < min_delta - _TOLERANCE


def is_shorter(live: str, candidate: str) -> bool:
    """Say whether ``candidate`` is at least ``SHORTER_BY`` shorter."""
    return len(candidate) <= len(live) * (1 - SHORTER_BY) + _TOLERANCE


def decide(
    finding: Finding, because: str, *, live: str, candidate: str, allow_safe: bool, reason: str = ""
) -> Decision:
    """Return what a verified candidate becomes.

    Args:
        because: the verification's own sentence.
        reason: its stable code; ``judge-not-usable`` bars accepting.
    """
    match finding:
        case Finding.VERIFIED_IMPROVEMENT:
            return Decision(AttemptOutcome.PROPOSED, because)
        case Finding.REGRESSION_SAFE if is_shorter(live, candidate):
            share = 1 - len(candidate) / len(live)
            return Decision(AttemptOutcome.PROPOSED, f"{because} The text got {share:.0%} shorter.")
        case Finding.REGRESSION_SAFE if allow_safe:
            return Decision(AttemptOutcome.PROPOSED, because)
        case Finding.REGRESSION_SAFE:
            return Decision(AttemptOutcome.SKIPPED_DELTA, because, is_stored=False)
        case Finding.INCONCLUSIVE:
            usable = reason != "judge-not-usable"
            return Decision(AttemptOutcome.PROPOSED, because, needs_note=True, can_accept=usable)
        case _:
            return Decision(AttemptOutcome.SKIPPED_GATES, because, can_accept=False)
